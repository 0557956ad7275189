// Sines and cosines as they were first written, whose bits the present ones keep (elementary_test.cpp). Nothing else uses them.
#pragma once
#include "isa/amd/semantics/transcendental.h"
#include "isa/r500/semantics/functions.h"

namespace Atoll::former {

namespace amd {
using namespace Atoll::amd;
// x counts turns. Whole turns fall away exactly; then the nearest quarter turn is taken out, exactly too.
template <class A, class F>
struct FormerTurn {
  F r, a, z;  // x less whole turns, its size (at most 1/2), what is left beyond the nearest quarter turn, mirrored into it
  decltype(r < r) middle, back;  // |r| nearest to 1/4, to 1/2
  FormerTurn(A& e, F x) : r(x - rndne(x)), a(fabs(r)), z(a), middle(a > 0.125f), back(a > 0.375f) {
    z = select(back, number<F>(e, 0.5) - a, select(middle, number<F>(e, 0.25) - a, a));
    middle = middle & ~back;
  }
};
template <class A, class F>
F sin_turns(A& e, F x) {
  FormerTurn<A, F> t(e, x);
  F size = select(t.middle, cos_octant(e, t.z), sin_octant(e, t.z));
  F result = select(t.r < 0, -size, size);
  result = select((t.z == 0) & ~t.middle, number<F>(e, 0), result);  // whole and half turns
  return select(fabs(x) < 0x1p-126f, x * 0x1.921fb6p+2f, result);
}
template <class A, class F>
F cos_turns(A& e, F x) {
  FormerTurn<A, F> t(e, x);
  F c = cos_octant(e, t.z);
  return select(t.middle, sin_octant(e, t.z), select(t.back, -c, c));
}

// Infinities give the default NaN.
template <class A, class F>
F of_finite(A& e, F x, F result) {
  using Format = FloatFormat<A, F>;
  F special = select(isnan(x), quieted(e, x), pattern<F>(e, Format::default_nan));
  return select(fabs(x) < pattern<F>(e, Format::infinity), result, special);
}
template <class A, class F>
F sine(A& e, F x) {
  x = read_by_mode(e, x);
  return of_finite(e, x, former::amd::sin_turns(e, x));
}
template <class A, class F>
F cosine(A& e, F x, bool flush) {
  if (flush) x = flushed(e, x);
  return of_finite(e, x, positive_zero(e, former::amd::cos_turns(e, x)));
}

// Sine and cosine know arguments of 256 turns at most; beyond, infinities included, they give their value at 0.
template <class A, class F>
F within_256(A& e, F x, F result, double beyond) {
  return select(fabs(x) > 256.0f, number<F>(e, beyond), result);
}

}  // namespace amd

namespace r500 {
using namespace Atoll::r500;
// Taylor's series of sin(2 pi r) / r in r^2, for |r| <= 1/4.
inline constexpr auto sine_terms = [] {
  std::array<double, 11> c{0x1.921fb54442d18p+2};
  for (size_t k = 1; k < c.size(); k++) c[k] = -c[k - 1] * c[0] * c[0] / double((2 * k) * (2 * k + 1));
  return c;
}();
// sin(2 pi (x + shift)), x finite, in turns: shift 0 gives sin, 1/4 gives cos.
template <class A>
typename A::F32 sine_of_turns(A& e, typename A::F64 x, double shift) {
  x = x - rndne(x);  // exact: -1/2 to 1/2
  if (shift != 0) {
    x = x + shift;
    x = x - rndne(x);
  }
  x = select(x > 0.25, e.core.f64(0.5) - x, select(x < -0.25, e.core.f64(-0.5) - x, x));
  return cvt_f32_f64(x * Atoll::r500::polynomial(e, x * x, former::r500::sine_terms));
}
template <class A>
typename A::F32 sine(A& e, typename A::F32 operand, double shift) {
  auto finite = fabs(operand) < as_f32(e.core.u32(0x7f800000));
  auto r = sine_of_turns(e, cvt_f64_f32(select(finite, operand, e.core.f32(0))), shift);
  if (shift == 0) r = select(operand == 0, as_f32(as_u32(operand) & 0x80000000u), r);
  return Atoll::r500::keep_nan(e, operand, select(finite, r, as_f32(e.core.u32(wave::default_nan32))));
}

// The sine or cosine of an angle in radians from -pi to pi; what lies outside is taken to the nearer end.
template <class A>
typename A::F32 sine_of_angle(A& e, typename A::F32 a, double shift) {
  constexpr float pi = 0x1.921fb6p+1f;
  auto x = select(a > pi, e.core.f32(pi), select(a < -pi, e.core.f32(-pi), a));
  auto usable = fabs(x) <= pi;
  auto turns = cvt_f64_f32(select(usable, x, e.core.f32(0))) * 0x1.45f306dc9c883p-3;
  return Atoll::r500::keep_nan(e, a, sine_of_turns(e, turns, shift));
}

}  // namespace r500

}  // namespace Atoll::former
