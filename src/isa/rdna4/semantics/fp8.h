// FP8 (sign, 4 exponent bits, bias 7, 3 mantissa bits, no infinity) and BF8 (5, 15, 2). RDNA4 ISA 7.5, 7.6; NaNs and infinities as
// rocjitsu's conversions have them from measurements on gfx1201 (docs/errata.md, "Conversions").
#pragma once
#include "isa/rdna4/adaptor.h"
#include "wave/nan.h"

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
// As conversions have it: every NaN is the default one.
template <class A>
typename A::U32 converted_float8(A& e, typename A::F32 x) {
  return select(isnan(x), e.core.u32(wave::default_nan32), as_u32(x));
}

struct Float8 {
  int mantissa_bits, bias;
  uint32_t largest, overflow, nan;  // the code of the largest number, what stands above it (NaN, infinity), and that of all NaNs
};
inline constexpr Float8 fp8_format{3, 7, 0x7e, 0x7f, 0xff}, bf8_format{2, 15, 0x7b, 0x7c, 0xfe};

// The code of a rounded magnitude: beyond the largest number the overflow code, with MODE.FP16_OVFL the largest number (table of 7.6.2).
// An infinity is the overflow code in either case.
template <class A>
auto float8_code(A& e, const Float8& format, typename A::U32 bits, typename A::U32 number) {
  auto u = [&](uint32_t n) { return e.core.u32(n); };
  auto magnitude = bits & 0x7fffffffu, sign = bits >> 24 & 0x80u;
  auto clamps = (e.core.splat(e.core.scalar(mode_cell)) & MODE_FP16_OVFL) != 0u;
  auto beyond = select(clamps & (magnitude < 0x7f800000u), u(format.largest), u(format.overflow));
  auto code = sign | select((number > format.largest) | (magnitude == 0x7f800000u), beyond, number);
  return select(magnitude > 0x7f800000u, u(format.nan), code);
}
// The 8-bit float of an F32, rounded to nearest even; or, with random bits, cut off after those were added below the last bit that
// stays. They are as many as a normal number loses: a value that becomes a denormal is first cut to what they reach.
template <class A>
auto float8_of(A& e, const Float8& format, typename A::U32 bits, const typename A::U32* random = nullptr) {
  auto u = [&](uint32_t n) { return e.core.u32(n); };
  auto magnitude = bits & 0x7fffffffu, exponent = magnitude >> 23;
  const int dropped = 23 - format.mantissa_bits, smallest = 128 - format.bias;  // exponent field of the smallest normal number
  auto rounded = [&](auto x, auto n) {
    if (random) return ((x >> (n - uint32_t(dropped))) + (*random >> (32 - dropped))) >> dropped;
    return (x + ((u(1) << (n - 1u)) - 1u) + ((x >> n) & 1u)) >> n;
  };
  auto normal = rounded(magnitude, u(uint32_t(dropped))) - (uint32_t(127 - format.bias) << format.mantissa_bits);
  // Below: the significand moves right until its unit is the smallest denormal. 25 places leave nothing.
  // (with random bits 45 at most: 25 and as many as those are)
  auto places =
      umin(u(uint32_t(dropped + smallest)) - umin(exponent, u(uint32_t(smallest))), u(uint32_t(random ? 25 + dropped : 25)));
  auto denormal = rounded((magnitude & 0x7fffffu) | 0x800000u, places);
  return float8_code(e, format, bits, select(exponent < uint32_t(smallest), denormal, normal));
}

}  // namespace Atoll::rdna4
