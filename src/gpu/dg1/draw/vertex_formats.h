// The formats of vertex elements: SURFACE_FORMAT's values that 3DSTATE_VERTEX_ELEMENTS allows, and what their bits become.
#pragma once
#include <array>
#include <cstdint>

namespace Atoll::dg1 {

enum class VertexNumber : uint8_t { uint, sint, unorm, snorm, uscaled, sscaled, fixed, floating, passthrough };

struct VertexFormat {
  uint16_t format = 0;            // SURFACE_FORMAT
  std::array<uint8_t, 4> bits{};  // of red, green, blue, alpha; 0: it has none
  VertexNumber number{};
  bool blue_first = false;
  unsigned bytes() const { return (bits[0] + bits[1] + bits[2] + bits[3]) / 8u; }
  unsigned components() const { return unsigned(bits[0] > 0) + (bits[1] > 0) + (bits[2] > 0) + (bits[3] > 0); }
};

// Null: vertices cannot have it.
const VertexFormat* find_vertex_format(uint32_t format);

// The words that Component Control STORE_SRC stores: numbers as floats but for integers; components that the format has not are 0, 0, 0
// and 1 of its kind. Of 64 bits passed through: two words a component, the rest 0.
std::array<uint32_t, 8> convert_vertex(const VertexFormat& format, const uint8_t* bytes);

}  // namespace Atoll::dg1
