// The formats of vertex elements: the values of SURFACE_FORMAT that 3DSTATE_VERTEX_ELEMENTS takes, and what their bits become.
#pragma once
#include <array>
#include <cstdint>

namespace Atoll::dg1 {

enum class VertexNumber : uint8_t { uint, sint, unorm, snorm, uscaled, sscaled, fixed, floating, passthrough };

struct VertexFormat {
  uint16_t format = 0;            // SURFACE_FORMAT
  std::array<uint8_t, 4> bits{};  // of the components in memory, lowest bits first; 0: it has no more
  VertexNumber number{};
  bool blue_first = false;   // blue, green, red
  bool alpha_unorm = false;  // whatever the others are
  unsigned bytes() const { return (bits[0] + bits[1] + bits[2] + bits[3] + 7) / 8u; }
  // Components of 64 bits that are stored as they stand: each is two dwords.
  bool is_passed_through() const { return number == VertexNumber::passthrough; }
  // Whole dwords, stored as they stand.
  bool is_plain() const {
    return (bits[0] == 32 && (number == VertexNumber::floating || number == VertexNumber::uint || number == VertexNumber::sint));
  }
};

// Null: vertices cannot have it.
const VertexFormat* find_vertex_format(uint32_t format);

// Dwords of the components in the order red, green, blue, alpha: integers as they are, all others as floats. Those that the format does
// not have are 0, 0, 0 and 1. For formats that are passed through: the eight dwords of four components, 0 where it has none.
std::array<uint32_t, 8> convert_vertex(const VertexFormat& format, const uint8_t* bytes);

}  // namespace Atoll::dg1
