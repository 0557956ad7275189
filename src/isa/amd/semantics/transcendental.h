// Vector ALU: reciprocals, roots, exponentials, logarithms, sines of f32 as Sea Islands has them here (RDNA4's are a card's:
// isa/rdna4/semantics/transcendental.h), those of f64, and v_trig_preop. RDNA4 ISA 7.10, 16.8, 16.12. The f32 forms flush denormals in
// every mode (7.2.4), except v_sin_f32, which obeys MODE; f64 forms obey MODE.
#pragma once
#include "isa/amd/semantics/elementary.h"
#include "isa/amd/semantics/lists.h"
#include "isa/amd/semantics/valu_float.h"

namespace Atoll::amd {

// --- special values around elementary.h ---------------------------------------------------------------------------------------
// `flush`: denormal operands and results are zeros.
template <class A, class F>
F reciprocal(A& e, F x, bool flush) {
  if (flush) x = flushed(e, x);
  F r = number<F>(e, 1) / x;
  if (!flush) return r;
  using Format = FloatFormat<A, F>;
  return select(fabs(x) > 0x1p126f, Format::value(Format::bits(x) & Format::sign), r);
}
template <class A, class F>
F square_root(A& e, F x, bool flush) {
  return sqrt(flush ? flushed(e, x) : x);
}
template <class A, class F>
F reciprocal_root(A& e, F x) {
  using Format = FloatFormat<A, F>;
  auto bits = Format::bits(x);
  F r = rsqrt_normal(e, x);
  r = select(x < 0, pattern<F>(e, Format::default_nan), r);
  r = select(bits == Format::infinity, number<F>(e, 0), r);
  // Zeros and denormals. NaNs come out of the arithmetic.
  return select((bits & Format::infinity) == 0u, Format::value((bits & Format::sign) | Format::infinity), r);
}
template <class A, class F>
F exponential(A& e, F x) {
  x = flushed(e, x);
  // (exp2_normal() would make a NaN of an infinity, such as the logarithm of 0, and look at its bits: nobody needs its rule.)
  F r = exp2_normal(e, select((x >= -126) & (x < 128), x, number<F>(e, 0)));
  r = select(x < -126, number<F>(e, 0), r);
  r = select(x >= 128, pattern<F>(e, FloatFormat<A, F>::infinity), r);
  return select(isnan(x), quieted(e, x), r);
}
// In the mode that rounds down, x - x is -0; results that are exactly zero are +0 in all modes.
template <class A, class F>
F positive_zero(A& e, F x) {
  const auto& mode = e.core.float_mode();
  if (mode.round32 != wave::Rounding::Down && mode.round64 != wave::Rounding::Down) return x;
  return select(x == 0, number<F>(e, 0), x);
}
template <class A, class F>
F logarithm(A& e, F x) {
  using Format = FloatFormat<A, F>;
  auto bits = Format::bits(x);
  F r = positive_zero(e, log2_normal(e, x));
  r = select(x < 0, pattern<F>(e, Format::default_nan), r);
  r = select(bits == Format::infinity, x, r);
  r = select((bits & Format::infinity) == 0u, pattern<F>(e, Format::sign | Format::infinity), r);
  return select(isnan(x), quieted(e, x), r);
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
  if (symmetric(e)) return sin_turns(e, x);
  x = read_by_mode(e, x);
  return of_finite(e, x, sin_turns(e, x));
}
template <class A, class F>
F cosine(A& e, F x, bool flush) {
  if (symmetric(e)) return cos_turns(e, x);  // (of a denormal: 1)
  if (flush) x = flushed(e, x);
  return of_finite(e, x, positive_zero(e, cos_turns(e, x)));
}

// ROW(name, type, expression of a)
#define ATOLL_TRANSCENDENTAL_LANES(ROW)             \
  ROW(v_rcp_f32, f32, reciprocal(e, a, true))       \
  ROW(v_rcp_iflag_f32, f32, reciprocal(e, a, true)) \
  ROW(v_rcp_f64, f64, reciprocal(e, a, false))      \
  ROW(v_sqrt_f32, f32, square_root(e, a, true))     \
  ROW(v_sqrt_f64, f64, square_root(e, a, false))    \
  ROW(v_rsq_f32, f32, reciprocal_root(e, a))        \
  ROW(v_rsq_f64, f64, e.core.f64(1) / sqrt(a))      \
  ROW(v_exp_f32, f32, exponential(e, a))            \
  ROW(v_log_f32, f32, logarithm(e, a))
#define ATOLL_DEFINE_TRANSCENDENTAL(name, type, expression) \
  template <class A>                                        \
  void name(A& e, const typename A::Instruction& i) {       \
    auto a = e.type(i, 0);                                  \
    e.set_##type(i, expression);                            \
  }
ATOLL_TRANSCENDENTAL_LANES(ATOLL_DEFINE_TRANSCENDENTAL)
#undef ATOLL_DEFINE_TRANSCENDENTAL

// --- argument reduction in f64

// 2 / pi after the point: 1201 bits, most significant first.
inline constexpr uint32_t two_over_pi[66] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0,
    0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4,
    0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b0000,
};
// 53 bits of 2 / pi from bit `shift` after the point on, in their place: errata F7. Words are picked lane by lane by the bits of
// the shift, from the highest down.
template <class A>
void v_trig_preop_f64(A& e, const typename A::Instruction& i) {
  using U = typename A::U32;
  auto exponent = exponent_field(e, e.f64(i, 0));
  auto segment = e.u32(i, 1) & 31u;
  U shift = segment * 53u + select(exponent > 1077u, exponent - 1077u, e.core.u32(0));
  U index = umin(shift >> 5, e.core.u32(63)), bit = shift & 31u;
  U window[34];
  for (int n = 0; n < 34; n++)
    window[n] = select((index & 32u) != 0u, e.core.u32(two_over_pi[n + 32]), e.core.u32(two_over_pi[n]));
  for (int step = 16, count = 18; step; step /= 2, count = step + 2) {
    auto skip = (index & uint32_t(step)) != 0u;
    for (int n = 0; n < count; n++) window[n] = select(skip, window[n + step], window[n]);
  }
  auto aligned = [&](int n) { return window[n] << bit | (window[n + 1] >> 1) >> (e.core.u32(31) - bit); };
  U upper = aligned(0), lower = aligned(1);
  U scale = e.core.u32(uint32_t(-53)) - shift + select(exponent >= 1968u, e.core.u32(128), e.core.u32(0));
  // "Rounding is toward zero", whatever MODE says: what lies below the least denormal goes first.
  U places = e.core.u32(0) - scale, lost = umin(umax(places, e.core.u32(1074)) - 1074u, e.core.u32(53));
  U high = upper >> 11 & select(lost > 32u, e.core.u32(~0u) << umin(lost - 32u, e.core.u32(31)), e.core.u32(~0u));
  U low = (upper << 21 | lower >> 11) & select(lost < 32u, e.core.u32(~0u) << (lost & 31u), e.core.u32(0));
  auto value = cvt_f64_u32(high) * 0x1p32 + cvt_f64_u32(low);
  e.set_f64(i, scaled_by_power(e, value, scale));
}

}  // namespace Atoll::amd
