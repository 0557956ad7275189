// Pixel formats as every GPU sees them: a layout (the bits of a texel's fields) and the meaning of the numbers in it. The
// caller's order maps fields to components of a colour: GPUs keep it apart from the format (component swap of a colour
// buffer, destination selects of a texture).
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/expected.h"

namespace Atoll::surface {

// The meaning of a field's bits. Sources: Vulkan 1.3 "Fundamentals: Numeric Representation and Computation", Khronos Data
// Format Specification 1.3 chapters 10 (floats), 11 (shared exponent) and 13.3 (sRGB transfer function).
enum class Number : uint8_t {
  unorm,          // c / (2^n - 1)
  snorm,          // max(c / (2^(n-1) - 1), -1)
  uint,           // the integer itself, in 32 bits
  sint,           // the integer, sign-extended to 32 bits
  uscaled,        // float(c)
  sscaled,        // float(c), c signed
  floating,       // 32 and 16 bits: IEEE 754; 11 and 10 bits: unsigned with a 5-bit exponent; shared exponent: 9 + 5 bits
  srgb,           // unorm under the sRGB transfer function; field 3, or else the one that alpha alone draws from, is plain unorm
  depth_stencil,  // field 0 a depth (unorm; float where it has 32 bits), field 1 a stencil (uint)
  signed_first,   // the first LayoutRow::mixed_fields fields are snorm, the others unorm
  floats_first,   // these are floating, the others unorm
  // These are unsigned floats of 6 bits of mantissa and 4 of exponent, without infinities and NaNs (DirectXTex,
  // R10G10B10_6E4_A2_FLOAT), the others unorm.
  floats_6e4_first,
  floats_clamped,  // 32 bits: read as the nearest number from 0 to 1, NaNs as 0; comparisons clamp their references as well
};
inline constexpr int number_count = 13, target_number_count = 9;  // the last four are read only: no GPU here draws into them

// A layout is named by the bits of its fields from bit 0 upwards (little endian); AMD's names of packed formats count from
// the top, so its 2_10_10_10 is `bits_10_10_10_2` here.
enum class Layout : uint8_t {
  bits_8,
  bits_16,
  bits_32,
  bits_4_4,
  bits_8_8,
  bits_16_16,
  bits_32_32,
  bits_3_3_2,
  bits_2_3_3,
  bits_5_6_5,
  bits_5_5_6,
  bits_6_5_5,
  bits_8_8_8,
  bits_10_11_11,
  bits_11_11_10,
  bits_16_16_16,
  bits_32_32_32,
  bits_4_4_4_4,
  bits_5_5_5_1,
  bits_1_5_5_5,
  bits_8_8_8_8,
  bits_10_10_10_2,
  bits_2_10_10_10,
  bits_16_16_16_16,
  bits_32_32_32_32,
  bits_9_9_9_e5,
  bits_24_8,
  bits_8_24,
  bits_32_8_24,
  bc1,
  bc2,
  bc3,
  bc4,
  bc5,
  bc6h,  // halves whatever its number: unorm unsigned ones, snorm signed ones
  bc7,
  etc2,      // ETC1 is the part of it that all its decoders know
  etc2_pta,  // with an alpha of one bit
  etc2_eac,  // with an alpha of eight
  eac_r11,
  eac_rg11,
  fxt1,
  yuyv,  // two texels that share their chroma: bytes Y0 U Y1 V; red is V, green Y, blue U
  uyvy,
  bits_1,           // eight texels in a byte, the first in bit 0
  bits_1_reversed,  // in bit 7
};
inline constexpr int layout_count = int(Layout::bits_1_reversed) + 1;

struct Field {
  uint8_t first_bit = 0, bits = 0;
};

// One row of the layout table.
struct LayoutRow {
  Layout layout;
  std::string_view name;
  uint8_t bytes;  // of a texel, or of a block
  // Texels; 4x4 for the compressed layouts (fxt1: 8x4), 2x1 where texels share chroma, 8x1 where they share a byte.
  uint8_t block_width = 1, block_height = 1;
  uint8_t fields;  // number of `field`s used; in a compressed layout: components of a texel
  std::array<Field, 4> field;
  uint16_t numbers;          // bit n: Number n has a meaning for this layout
  uint8_t mixed_fields = 0;  // of Number::signed_first, floats_first and floats_6e4_first
};

const LayoutRow& row(Layout layout);
std::span<const LayoutRow> layouts();
std::string_view name(Number number);

// The source of a colour's component: a field, or a constant.
enum class Select : uint8_t { field_0, field_1, field_2, field_3, zero, one };
using Order = std::array<Select, 4>;  // of red, green, blue, alpha
inline constexpr Order natural_order = {Select::field_0, Select::field_1, Select::field_2, Select::field_3};
inline constexpr Order bgra_order = {Select::field_2, Select::field_1, Select::field_0, Select::field_3};

// Fields that a layout lacks read as 0, the fourth as 1 (1.0, or the integer 1), as Vulkan 1.3 "Conversion to RGBA" says.
struct Format {
  Layout layout = Layout::bits_8_8_8_8;
  Number number = Number::unorm;
  Order order = natural_order;

  friend bool operator==(const Format&, const Format&) = default;
};

// An error if the layout has no such numbers (bits_32_32 as srgb, bits_9_9_9_e5 as uint, …).
Expected<Format> make_format(Layout layout, Number number, Order order = natural_order);

// True if a texel's components are integers (uint, sint) rather than floats.
constexpr bool is_integer(Number number) { return number == Number::uint || number == Number::sint; }
// True if the meaning of its fields differs (LayoutRow::mixed_fields).
constexpr bool is_mixed(Number number) { return number >= Number::signed_first && number <= Number::floats_6e4_first; }

}  // namespace Atoll::surface
