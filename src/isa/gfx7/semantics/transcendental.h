// Vector ALU: reciprocals, roots, exponentials, logarithms, sines. The functions: isa/amd/semantics/transcendental.h; the clamped
// and legacy forms and the bounds of sine and cosine: Sea Islands register guide section 4 (SQ_VOP1).
#pragma once
#include "isa/amd/semantics/transcendental.h"
#include "isa/gfx7/adaptor.h"
#include "isa/gfx7/semantics/called_functions.h"

namespace Atoll::gfx7 {

using namespace amd;

// Infinities become the largest number of their sign.
template <class A, class F>
F within_numbers(A&, F x) {
  using Format = FloatFormat<A, F>;
  using Bits = typename Format::Bits;
  auto bits = Format::bits(x);
  return select((bits & Bits(~Format::sign)) == Format::infinity, Format::value(bits - Bits(1)), x);
}
// Infinities become zeros of their sign.
template <class A, class F>
F infinity_to_zero(A&, F x) {
  using Format = FloatFormat<A, F>;
  auto bits = Format::bits(x);
  return select((bits & typename Format::Bits(~Format::sign)) == Format::infinity, Format::value(bits & Format::sign), x);
}
// Sine and cosine know arguments of 256 turns at most; beyond, infinities included, they give their value at 0.
template <class A, class F>
F sine_within_256(A& e, F x) {
  auto beyond = fabs(x) > 256.0f;
  F inside = select(beyond, number<F>(e, 0), x);
  if (symmetric(e)) return sin_quarters(e, inside, inside);
  return select(beyond, number<F>(e, 0), sine(e, x));
}
template <class A, class F>
F cosine_within_256(A& e, F x) {
  auto beyond = fabs(x) > 256.0f;
  if (symmetric(e)) return cos_quarters(e, select(beyond, number<F>(e, 0), x));
  return select(beyond, number<F>(e, 1), cosine(e, x, true));
}

ATOLL_GFX7_CALLED_FUNCTIONS(ATOLL_OR_CALL)

// ROW(name, type, expression of a)
#define ATOLL_TRANSCENDENTAL_OWN(ROW)                                                                  \
  ROW(v_rcp_clamp_f32, f32, within_numbers(e, reciprocal(e, a, true)))                                 \
  ROW(v_rcp_legacy_f32, f32, infinity_to_zero(e, reciprocal(e, a, true)))                              \
  ROW(v_rcp_clamp_f64, f64, within_numbers(e, reciprocal(e, a, false)))                                \
  ROW(v_rsq_f32, f32, reciprocal_root_or_call(e, a))                                                   \
  ROW(v_rsq_clamp_f32, f32, within_numbers(e, reciprocal_root_or_call(e, a)))                          \
  ROW(v_rsq_legacy_f32, f32, select(flushed(e, a) == 0, e.core.f32(0), reciprocal_root_or_call(e, a))) \
  ROW(v_rsq_clamp_f64, f64, within_numbers(e, e.core.f64(1) / sqrt(a)))                                \
  ROW(v_exp_f32, f32, exponential_or_call(e, a))                                                       \
  ROW(v_log_f32, f32, logarithm_or_call(e, a))                                                         \
  ROW(v_log_clamp_f32, f32, log_clamped(e, logarithm_or_call(e, a)))                                   \
  ROW(v_sin_f32, f32, sine_or_call(e, a))                                                              \
  ROW(v_cos_f32, f32, cosine_or_call(e, a))
template <class A, class F>
F log_clamped(A& e, F x) {
  return select(x < 0, within_numbers(e, x), x);
}
#define ATOLL_DEFINE(name, type, expression) \
  template <class A>                         \
  void name(A& e, const Instruction& i) {    \
    auto a = e.type(i, 0);                   \
    e.set_##type(i, expression);             \
  }
ATOLL_TRANSCENDENTAL_OWN(ATOLL_DEFINE)
#undef ATOLL_DEFINE

#define ATOLL_TRANSCENDENTAL_SAME(SAME) \
  SAME(v_rcp_f32)                       \
  SAME(v_rcp_iflag_f32) SAME(v_rcp_f64) SAME(v_rsq_f64) SAME(v_sqrt_f32) SAME(v_sqrt_f64) SAME(v_trig_preop_f64)
#define ATOLL_LIST_OWN(name, ...) ATOLL_LANES_AS(name, gfx7::name)
#define ATOLL_TRANSCENDENTAL(SCALAR, LANES, WHOLE) \
  ATOLL_TRANSCENDENTAL_SAME(ATOLL_LANES_SHARED)    \
  ATOLL_TRANSCENDENTAL_OWN(ATOLL_LIST_OWN)         \
  ATOLL_LANES_AS(v_log_legacy_f32, gfx7::v_log_f32) ATOLL_LANES_AS(v_exp_legacy_f32, gfx7::v_exp_f32)

}  // namespace Atoll::gfx7
