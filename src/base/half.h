// Half precision (IEEE 754 binary16) to single precision and back, by the bits: the same on every host, whatever its mode, and
// for vectors of 32-bit words as well. A NaN keeps its sign and the upper part of its payload and becomes quiet, as x86's
// conversions have it (Intel SDM, VCVTPH2PS and VCVTPS2PH).
//
// Two users have rules of their own: isa/amd/buffer_texel (any float format to any other, a chip's own rounding) and the
// interpreter's lanes where the host has F16C, whose results are these.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

namespace Atoll {

enum class HalfRounding : uint8_t { nearest_even, toward_zero, up, down };

// Exact.
constexpr float float_from_half(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000u) << 16, exponent = half >> 10 & 31u, mantissa = half & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13 | (mantissa ? 0x400000u : 0u));
  if (exponent) return std::bit_cast<float>(sign | (exponent + 112u) << 23 | mantissa << 13);
  if (!mantissa) return std::bit_cast<float>(sign);
  int shift = std::countl_zero(mantissa) - 21;  // the leading one comes to bit 10
  return std::bit_cast<float>(sign | uint32_t(113 - shift) << 23 | (mantissa << shift & 0x3ffu) << 13);
}

// Rounds once. What is too large becomes infinity, or the largest half where the rounding leads there.
constexpr uint16_t half_from_float(float value, HalfRounding rounding = HalfRounding::nearest_even) {
  uint32_t bits = std::bit_cast<uint32_t>(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return uint16_t(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
  if (magnitude == 0x7f800000u) return uint16_t(sign | 0x7c00u);
  bool nearest = rounding == HalfRounding::nearest_even;
  bool away = (rounding == HalfRounding::up && !sign) || (rounding == HalfRounding::down && sign);
  // `kept` has the half's bits, `lost` what falls off as a fraction of 2^32.
  uint32_t kept = 0;
  uint64_t lost = 0;
  int exponent = int(magnitude >> 23) - 112;
  if (exponent >= 31) {
    kept = nearest ? 0x7c00u : 0x7bffu, lost = nearest ? 0 : 0xffffffffu;
  } else if (exponent >= 1) {
    kept = uint32_t(exponent) << 10 | (magnitude >> 13 & 0x3ffu), lost = uint64_t(magnitude & 0x1fffu) << 19;
  } else {
    uint32_t significand = (magnitude & 0x7fffffu) | (magnitude >> 23 ? 0x800000u : 0u);
    int shift = 14 - (magnitude >> 23 ? exponent : -111);
    if (shift > 31)
      lost = significand ? 1 : 0;
    else
      kept = significand >> shift, lost = uint64_t(significand & ((1u << shift) - 1)) << (32 - shift);
  }
  bool up = nearest ? lost > 0x80000000u || (lost == 0x80000000u && (kept & 1)) : away && lost;
  return uint16_t(sign | (kept + up));
}

// The same for vectors of words (GCC vector extensions): Words of uint32_t, Integers of int32_t, Floats of float, one width. Only
// to nearest even, and only where the host keeps denormals and rounds to nearest (as the pipeline's threads do).
template <class Floats, class Words>
inline Floats floats_from_halves(const Words& half) {
  // The exponent moves from bias 15 to 127 by a multiplication, which makes denormals right as well.
  Words bits = Words(Floats((half & 0x7fff) << 13) * 0x1p112f);
  Words special = Words((half & 0x7c00) == 0x7c00);
  Words quiet = Words((half & 0x3ff) != 0) & 0x400000;
  bits |= special & (0x7f800000u | quiet);
  return Floats(bits | (half & 0x8000) << 16);
}
template <class Words, class Integers, class Floats>
inline Words halves_from_floats(const Floats& value) {
  Words bits = Words(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  // Rounded to nearest even by hand; below the smallest normal number the sum with 1/2 does it.
  Words normal = (magnitude - 0x38000000u + 0xfff + (magnitude >> 13 & 1)) >> 13;
  Words denormal = Words(Floats(magnitude) + 0.5f) - 0x3f000000u;
  Words half = Integers(magnitude) < 0x38800000 ? denormal : normal;
  half = Integers(magnitude) >= 0x47800000 ? Words{} + 0x7c00 : half;
  half = Integers(magnitude) > 0x7f800000 ? 0x7e00 | (magnitude >> 13 & 0x3ff) : half;
  return half | sign;
}

}  // namespace Atoll
