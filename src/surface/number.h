// One number of a texel: from the bits of a field to a float and back, with the rounding that the APIs ask for.
// Decoding is correctly rounded everywhere. Encoding of fixed point rounds to nearest, halves away from zero (D3D 11.3
// functional specification 3.2.3.6: scale, add 0.5, drop the fraction), NaN becomes 0. Encoding of floats rounds as told.
#pragma once
#include <array>
#include <cstdint>

#include "surface/format.h"

namespace Atoll::surface {

enum class Rounding : uint8_t { nearest_even, toward_zero };

float from_unorm(uint32_t c, unsigned bits);
float from_snorm(int32_t c, unsigned bits);
uint32_t to_unorm(float value, unsigned bits);
int32_t to_snorm(float value, unsigned bits);

// IEEE 754 binary16; NaNs keep the upper bits of their payload and become quiet.
float from_half(uint16_t half);
uint16_t to_half(float value, Rounding rounding = Rounding::nearest_even);

// Unsigned floats with 5 bits of exponent and `mantissa_bits` 6 or 5 (GL_EXT_packed_float): negative values become 0,
// finite values beyond the largest one become the largest one, infinity and NaN stay what they are.
float from_unsigned_float(uint32_t c, unsigned mantissa_bits);
uint32_t to_unsigned_float(float value, unsigned mantissa_bits, Rounding rounding = Rounding::nearest_even);

// The same of 6 bits of mantissa and 4 of exponent, biased by 6, that all stand for numbers (Number::floats_6e4_first): what is
// beyond them becomes the largest one, NaN becomes 0. Rounds to the nearest even.
float from_6e4(uint32_t c);
uint32_t to_6e4(float value);

// The value from 0 to 1 that is nearest to a float; 0 for NaNs (Number::floats_clamped).
float within_one(float value);

// Three values that share an exponent: 9 bits each, the exponent in bits 27 to 31 (GL_EXT_texture_shared_exponent).
struct Rgb {
  float red, green, blue;
};
Rgb from_shared_exponent(uint32_t texel);
uint32_t to_shared_exponent(const Rgb& value);

// The sRGB transfer function of 8-bit components (KDF 1.3 13.3). Encoding gives the code whose interval, bounded by the
// points half-way between codes in encoded space, holds the value.
float from_srgb8(uint8_t c);
uint8_t to_srgb8(float value);
// The same for fields of other widths (5_6_5 and the like).
float from_srgb(uint32_t c, unsigned bits);
float linear_from_srgb(float encoded);
// Tables of it, floats' bits: what a field of 1 to 8 bits decodes to, and a component of a compressed block, which is n / most
// rounded to a float, `most` one of 62, 93, 126, 189 and 255.
const std::array<uint32_t, 256>& srgb_fields(unsigned bits);
const std::array<uint32_t, 256>& srgb_ratios(unsigned most);
uint32_t to_srgb(float value, unsigned bits);

// The 32 bits that a shader sees of a field: a float's, or an integer's.
uint32_t decode_field(uint32_t c, unsigned bits, Number number);
// The inverse. Integers beyond the field's range become its nearest bound.
uint32_t encode_field(uint32_t value, unsigned bits, Number number, Rounding rounding = Rounding::nearest_even);

}  // namespace Atoll::surface
