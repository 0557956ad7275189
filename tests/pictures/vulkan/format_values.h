// The meaning of a format's bytes: its components, bytes to fill it with, and whether two results are the same.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "formats.h"

namespace vulkan {

struct Component {
  char name;  // of R, G, B, A, and E for a shared exponent
  unsigned shift, bits;
};

// From a row's name, lowest bits first; none of formats of blocks.
std::vector<Component> components(const FormatRow& row);

// The same bytes for the same row and seed. No NaN, no infinity, no denormal, and floats of about 1: filtering keeps to a tolerance.
std::vector<uint8_t> random_texels(const FormatRow& row, size_t count, uint32_t seed);

const FormatRow* find_format(const std::string& name);

// The result of a use of a format, as texels of a format `layout` of a number of texels in a row.
struct Found {
  std::string format, use;
  const FormatRow* layout = nullptr;
  uint32_t width = 0;
  std::vector<uint8_t> bytes;
};

enum class Tolerance {
  none,        // the same bits
  rounding,    // one step of the layout
  conversion,  // an sRGB curve: lavapipe's is a polynomial, up to 0.0012 off
  darkness,    // that much of a difference of two such colours, which near 0 is 12.92 times as much of a texel
  blocks,      // BC1 to BC5: lavapipe rounds endpoints and what is between them to 8 bits
  filter,      // 2/255 of the greatest value, and one step of the layout
};

// The difference, in words; nothing if there is none.
std::optional<std::string> difference(const Found& a, const Found& b, Tolerance tolerance);

}  // namespace vulkan
