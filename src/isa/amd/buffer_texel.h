// Texels of buffers: what is in memory and what a shader sees of it. RDNA4 ISA 9.2-9.6 and 10.7 (table 62); Sea Islands register
// guide 5 (SQ_BUF_RSRC_WORD3). Conversions are done in integers: no host mode can change them.
#pragma once
#include <cstdint>

namespace Atoll::amd {

// SnormOgl: OpenGL's older rule for signed numbers, (2c + 1) / (2^n - 1), which has no 0.
enum class Number : uint8_t { Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float, SnormOgl };

struct BufferFormat {
  const char* name;
  uint8_t bits[4];  // of X, Y, Z, W from the lowest bit up; 0: no such component
  Number number;

  unsigned components() const { return bits[3] ? 4 : bits[2] ? 3 : bits[1] ? 2 : 1; }
  unsigned bytes() const { return (bits[0] + bits[1] + bits[2] + bits[3]) / 8u; }
  bool integer() const { return number == Number::Uint || number == Number::Sint; }
};

// Register width of a shader's components. D16 floats are halves; a 32-bit float is cut to a half, other values are rounded to
// it.
enum class Width : uint8_t { Bits32, Bits16 };

// The components of a texel as the shader sees them: floats, or integers of the format's signedness. Those that the format lacks
// are 0.
void components_of_texel(const BufferFormat& format, Width width, const uint32_t texel[4], uint32_t components[4]);
// The other way. Numbers are clamped to what the format can hold; a NaN becomes 0 unless the format has NaNs. Normalised and
// scaled values are rounded to the nearest (ties to even), floats cut toward zero.
void texel_of_components(const BufferFormat& format, Width width, const uint32_t components[4], uint32_t texel[4]);

}  // namespace Atoll::amd
