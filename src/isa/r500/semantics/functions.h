// The alpha unit's functions in the value language: the same bits on every host. All but rcp and rsq, which are rounded correctly, are
// computed in f64 and rounded to f32 once at the end, so that they err by hardly more than half an ulp. The R5xx document gives no
// accuracy (docs/errata.md).
#pragma once
#include <array>

#include "isa/r500/adaptor.h"
#include "isa/r500/semantics/called_functions.h"
#include "wave/elementary.h"
#include "wave/nan.h"

namespace Atoll::r500 {

// c[0] + x * (c[1] + x * (...))
template <class A, size_t N>
typename A::F64 polynomial(A& e, typename A::F64 x, const std::array<double, N>& c) {
  auto sum = e.core.f64(c[N - 1]);
  for (size_t n = N - 1; n-- > 0;) sum = fma(sum, x, e.core.f64(c[n]));
  return sum;
}
template <class A>
typename A::F32 keep_nan(A&, typename A::F32 x, typename A::F32 result) {
  return select(isnan(x), as_f32(as_u32(x) | wave::quiet_bit32), result);
}

// A denormal as the 0 that it counts as, where a compiler may look at bits instead of comparing (it takes all of them for
// numbers).
template <class A>
typename A::F32 flushed(A&, typename A::F32 x) {
  auto bits = as_u32(x);
  return as_f32(select((bits & 0x7f800000u) == 0u, bits & 0x80000000u, bits));
}
template <class A>
typename A::F32 larger(A& e, typename A::F32 a, typename A::F32 b) {
  a = flushed(e, a), b = flushed(e, b);
  return select(a >= b, a, b);
}
template <class A>
typename A::F32 smaller(A& e, typename A::F32 a, typename A::F32 b) {
  a = flushed(e, a), b = flushed(e, b);
  return select(a < b, a, b);
}

// Taylor's series of 2^f on [-1/2, 1/2]: ln(2)^k / k!
inline constexpr auto exp2_terms = [] {
  std::array<double, 14> c{1};
  for (size_t k = 1; k < c.size(); k++) c[k] = c[k - 1] * 0x1.62e42fefa39efp-1 / double(k);
  return c;
}();
// 2^x; beyond +-200, where every f32 is infinite or 0, as there; of a NaN: 1.
template <class A>
typename A::F32 exp2_of(A& e, typename A::F64 x) {
  x = select(x > 200, e.core.f64(200), select(x < -200, e.core.f64(-200), x));
  x = select(isnan(x), e.core.f64(0), x);
  auto n = rndne(x), r = polynomial(e, x - n, exp2_terms);
  auto exponent = low(as_u64(n + 0x1.8p52)) + 1023u;
  return cvt_f32_f64(r * as_f64(join(e.core.u32(0), exponent << 20)));
}
template <class A>
typename A::F32 ex2(A& e, typename A::F32 operand) {
  return keep_nan(e, operand, exp2_of(e, cvt_f64_f32(operand)));
}

// log2(m) = 2 / ln(2) * atanh(s), s = (m - 1) / (m + 1): 1, 1/3, 1/5, ... of s^2
inline constexpr auto log2_terms = [] {
  std::array<double, 13> c{};
  for (size_t k = 0; k < c.size(); k++) c[k] = 2 * 0x1.71547652b82fep+0 / double(2 * k + 1);
  return c;
}();
// 0 for operands that are not positive or not finite.
template <class A>
typename A::F64 log2_of(A& e, typename A::F32 operand) {
  auto usable = (operand > 0) & (operand < as_f32(e.core.u32(0x7f800000)));
  auto bits = as_u64(cvt_f64_f32(select(usable, operand, e.core.f32(1))));
  auto from_root = high(bits) - 0x3fe6a09eu;  // sqrt(1/2)
  auto n = ashr(from_root, 20);
  auto m = as_f64(join(low(bits), high(bits) - (n << 20)));
  auto s = (m - 1.0) / (m + 1.0);
  return cvt_f64_s32(n) + s * polynomial(e, s * s, log2_terms);
}
template <class A>
typename A::F32 ln2(A& e, typename A::F32 operand) {
  operand = flushed(e, operand);
  auto r = cvt_f32_f64(log2_of(e, operand));
  r = select(operand < 0, as_f32(e.core.u32(wave::default_nan32)), r);
  r = select(operand == 0, as_f32(e.core.u32(0xff800000)), r);
  r = select(operand == as_f32(e.core.u32(0x7f800000)), operand, r);
  return keep_nan(e, operand, r);
}

template <class A>
typename A::F32 rcp(A& e, typename A::F32 x) {
  return e.core.f32(1.0f) / x;
}
template <class A>
typename A::F32 rsq(A& e, typename A::F32 x) {
  auto bits = as_u32(x), exponent = bits & 0x7f800000u;
  auto usable = (x > 0) & (exponent != 0x7f800000u);
  auto r = wave::reciprocal_root_of_normal(
      select(usable, x, e.core.f32(1)), [&](double c) { return e.core.f32(float(c)); },
      [&](uint32_t w) { return e.core.u32(w); });
  r = select((bits & 0xffffffu) == 0x7ffffeu, r + r * 0x1p-23f, r);  // 4^k (1 - 2^-23)
  r = select(exponent == 0x7f800000u, e.core.f32(0), r);
  r = select(exponent == 0u, as_f32((bits & 0x80000000u) | 0x7f800000u), r);  // denormals count as 0
  return keep_nan(e, x, select(x < 0, as_f32(e.core.u32(wave::default_nan32)), r));
}

// sin(2 pi r) / r in r^2, for |r| <= 1/4: a minimax fit made for this file, off by 2^-61 of the value at most
inline constexpr std::array sine_terms = {0x1.921fb54442d18p+2,  -0x1.4abbce625be52p+5, 0x1.466bc6775aa6ep+6,
                                          -0x1.32d2cce627543p+6, 0x1.50783485190efp+5,  -0x1.e3074ddd1e8c9p+3,
                                          0x1.e8f35e9daaa94p+1,  -0x1.6f7977188bfe9p-1, 0x1.9d1b88179ce9fp-4};
// sin(2 pi r), |r| <= 1/4, NaNs as they are
template <class A>
typename A::F32 sine_of_part(A& e, typename A::F64 r) {
  return cvt_f32_f64(r * polynomial(e, r * r, sine_terms));
}
// sin(2 pi x) and cos(2 pi x), x in turns. Whole turns fall away exactly, and so does what lies beyond a quarter.
template <class A>
typename A::F32 sine_of_turns(A& e, typename A::F32 x) {
  auto r = x - rndne(x), z = select(r > 0.25f, e.core.f32(0.5f) - r, r);
  z = select(r < -0.25f, e.core.f32(-0.5f) - r, z);
  return select(x == 0, x * 0x1.921fb6p+2f, sine_of_part(e, cvt_f64_f32(z)));
}
template <class A>
typename A::F32 cosine_of_turns(A& e, typename A::F32 x) {
  auto r = x - rndne(x);
  return sine_of_part(e, e.core.f64(0.25) - cvt_f64_f32(select(r < 0, -r, r)));  // (a NaN's sign stays)
}

// The sine or cosine of an angle in radians from -pi to pi; what lies outside is taken to the nearer end.
template <class A>
typename A::F32 sine_of_angle(A& e, typename A::F32 a, double shift) {
  constexpr float pi = 0x1.921fb6p+1f;
  auto angle = select(a > pi, e.core.f32(pi), select(a < -pi, e.core.f32(-pi), a));
  auto x = cvt_f64_f32(angle) * 0x1.45f306dc9c883p-3;
  x = x - rndne(x);
  if (shift != 0) {
    x = x + shift;
    x = x - rndne(x);
  }
  x = select(x > 0.25, e.core.f64(0.5) - x, select(x < -0.25, e.core.f64(-0.5) - x, x));
  return sine_of_part(e, x);
}

ATOLL_R500_CALLED_FUNCTIONS(ATOLL_OR_CALL)

}  // namespace Atoll::r500
