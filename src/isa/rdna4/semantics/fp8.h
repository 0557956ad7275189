// FP8 (sign, 4 exponent bits, bias 7, 3 mantissa bits, no infinity) and BF8 (5, 15, 2). RDNA4 ISA 7.5, 7.6.
#pragma once
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

// The byte in the low 8 bits as an F32, exactly. A NaN keeps sign and payload; FP8's only one has all bits set.
template <class A>
auto fp8_to_f32(A& e, typename A::U32 byte) {
  auto magnitude = byte & 0x7fu, sign = (byte & 0x80u) << 24;
  auto denormal = as_u32(cvt_f32_s32(magnitude) * 0x1p-9f);
  auto normal = select(magnitude == 0x7fu, e.core.u32(0x7ff00000), (magnitude << 20) + (120u << 23));
  return as_f32(sign | select(magnitude < 8u, denormal, normal));
}
// BF8 is the high byte of a half.
template <class A>
auto bf8_to_f32(A&, typename A::U32 byte) {
  return cvt_f32_f16(byte << 8);
}

struct Float8 {
  int mantissa_bits, bias;
  uint32_t largest, overflow;  // the code of the largest number, and what stands above it: NaN, infinity
};
inline constexpr Float8 fp8_format{3, 7, 0x7e, 0x7f}, bf8_format{2, 15, 0x7b, 0x7c};

// The 8-bit float of an F32, rounded to nearest even, or cut off. Beyond the largest number, and for infinity, it is the format's
// overflow code, with MODE.FP16_OVFL the largest number (table of 7.6.2); a NaN gives all ones and its sign.
template <class A>
auto float8_of(A& e, const Float8& format, bool truncate, typename A::U32 bits) {
  auto u = [&](uint32_t n) { return e.core.u32(n); };
  auto magnitude = bits & 0x7fffffffu, exponent = magnitude >> 23;
  const int dropped = 23 - format.mantissa_bits, smallest = 128 - format.bias;  // exponent field of the smallest normal number
  auto rounded = [&](auto x, auto n) {
    if (truncate) return x >> n;
    return (x + ((u(1) << (n - 1u)) - 1u) + ((x >> n) & 1u)) >> n;
  };
  auto normal = rounded(magnitude, u(uint32_t(dropped))) - (uint32_t(127 - format.bias) << format.mantissa_bits);
  // Below: the significand moves right until its unit is the smallest denormal. 25 places leave nothing.
  auto places = umin(u(uint32_t(dropped + smallest)) - umin(exponent, u(uint32_t(smallest))), u(25));
  auto denormal = rounded((magnitude & 0x7fffffu) | 0x800000u, places);
  auto number = select(exponent < uint32_t(smallest), denormal, normal);
  auto clamps = (e.core.splat(e.core.scalar(mode_cell)) & MODE_FP16_OVFL) != 0u;
  auto beyond = select(clamps, u(format.largest), u(format.overflow));
  auto code = select(number > format.largest, beyond, number);
  return select(magnitude > 0x7f800000u, u(0x7f), code) | (bits >> 24 & 0x80u);
}

}  // namespace Atoll::rdna4
