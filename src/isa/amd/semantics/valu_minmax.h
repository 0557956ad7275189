// Vector ALU: minima, maxima and medians of f32, f64 and f16. RDNA4 ISA 16.7, 16.12 (IEEE 754-2019 minimumNumber, minimum ...).
// Zeros are ordered -0 < +0. Operands' denormals are flushed by MODE's input control alone; results are not. Every NaN result is
// quiet.
#pragma once
#include "isa/amd/semantics/float_format.h"
#include "isa/amd/semantics/lists.h"

namespace Atoll::amd {

// A half as an F32 that is signaling when the half is, so that one text serves all types (written, a NaN becomes quiet).
template <class A>
auto signaling_half(A& e, typename A::U32 half) {
  auto x = as_u32(e.f16_of(half)), magnitude = half & 0x7fffu;
  return as_f32(select((magnitude > 0x7c00u) & (magnitude < 0x7e00u), x & ~wave::quiet_bit32, x));
}

// The smaller or larger of two that are no NaNs; equal ones differ at most in the sign of zero: -0 wins the minimum.
template <class A, class F>
F lesser(A&, F a, F b, decltype(a < b) else_a) {
  using Format = FloatFormat<A, F>;
  return select(a == b, Format::value(Format::bits(a) | Format::bits(b)), select((a < b) | else_a, a, b));
}
template <class A, class F>
F greater(A&, F a, F b, decltype(a < b) else_a) {
  using Format = FloatFormat<A, F>;
  return select(a == b, Format::value(Format::bits(a) & Format::bits(b)), select((a > b) | else_a, a, b));
}
// A number is preferred to a NaN; of two NaNs it is the first.
template <class A, class F>
F min_num(A& e, F a, F b) {
  return quieted(e, lesser(e, a, b, isnan(b)));
}
template <class A, class F>
F max_num(A& e, F a, F b) {
  return quieted(e, greater(e, a, b, isnan(b)));
}
// A NaN is preferred to a number, the first to the second. (The manual prefers signaling ones; cards of gfx1201 do not: docs/errata.md,
// F16.)
template <class A, class F>
F propagated(A& e, F a, F b, F otherwise) {
  auto take_a = isnan(a);
  return select(unordered(a, b), quieted(e, select(take_a, a, b)), otherwise);
}
template <class A, class F>
F minimum(A& e, F a, F b) {
  return propagated(e, a, b, lesser(e, a, b, isnan(b)));
}
template <class A, class F>
F maximum(A& e, F a, F b) {
  return propagated(e, a, b, greater(e, a, b, isnan(b)));
}
template <class A, class F>
F med3_num(A& e, F a, F b, F c) {
  auto any_nan = unordered(a, b) | isnan(c);
  F median = a;
  if constexpr (A::as_gfx1201) {  // zeros are ordered here, too: the median of -0, +0 and -0 is -0 (docs/errata.md, F17)
    median = greater(e, lesser(e, a, b, any_nan), lesser(e, greater(e, a, b, any_nan), c, any_nan), any_nan);
  } else {
    F largest = max_num(e, max_num(e, a, b), c);
    median = select(largest == a, max_num(e, b, c), select(largest == b, max_num(e, a, c), max_num(e, a, b)));
  }
  return select(any_nan, min_num(e, min_num(e, a, b), c), median);
}

#define ATOLL_MINMAX_BINARY(ROW, P)            \
  ROW(P, v_min_num_f32, f32, min_num(e, a, b)) \
  ROW(P, v_min_num_f64, f64, min_num(e, a, b)) \
  ROW(P, v_min_num_f16, f16, min_num(e, a, b)) \
  ROW(P, v_max_num_f32, f32, max_num(e, a, b)) \
  ROW(P, v_max_num_f64, f64, max_num(e, a, b)) \
  ROW(P, v_max_num_f16, f16, max_num(e, a, b)) \
  ROW(P, v_minimum_f32, f32, minimum(e, a, b)) \
  ROW(P, v_minimum_f64, f64, minimum(e, a, b)) \
  ROW(P, v_minimum_f16, f16, minimum(e, a, b)) \
  ROW(P, v_maximum_f32, f32, maximum(e, a, b)) \
  ROW(P, v_maximum_f64, f64, maximum(e, a, b)) \
  ROW(P, v_maximum_f16, f16, maximum(e, a, b))
#define ATOLL_MINMAX_TERNARY(ROW, P)                                 \
  ROW(P, v_min3_num_f32, f32, min_num(e, min_num(e, a, b), c))       \
  ROW(P, v_min3_num_f16, f16, min_num(e, min_num(e, a, b), c))       \
  ROW(P, v_max3_num_f32, f32, max_num(e, max_num(e, a, b), c))       \
  ROW(P, v_max3_num_f16, f16, max_num(e, max_num(e, a, b), c))       \
  ROW(P, v_minimum3_f32, f32, minimum(e, minimum(e, a, b), c))       \
  ROW(P, v_minimum3_f16, f16, minimum(e, minimum(e, a, b), c))       \
  ROW(P, v_maximum3_f32, f32, maximum(e, maximum(e, a, b), c))       \
  ROW(P, v_maximum3_f16, f16, maximum(e, maximum(e, a, b), c))       \
  ROW(P, v_med3_num_f32, f32, med3_num(e, a, b, c))                  \
  ROW(P, v_med3_num_f16, f16, med3_num(e, a, b, c))                  \
  ROW(P, v_minmax_num_f32, f32, max_num(e, min_num(e, a, b), c))     \
  ROW(P, v_minmax_num_f16, f16, max_num(e, min_num(e, a, b), c))     \
  ROW(P, v_maxmin_num_f32, f32, min_num(e, max_num(e, a, b), c))     \
  ROW(P, v_maxmin_num_f16, f16, min_num(e, max_num(e, a, b), c))     \
  ROW(P, v_minimummaximum_f32, f32, maximum(e, minimum(e, a, b), c)) \
  ROW(P, v_minimummaximum_f16, f16, maximum(e, minimum(e, a, b), c)) \
  ROW(P, v_maximumminimum_f32, f32, minimum(e, maximum(e, a, b), c)) \
  ROW(P, v_maximumminimum_f16, f16, minimum(e, maximum(e, a, b), c))

template <class A>
auto operand_f32(A& e, const typename A::Instruction& i, int n) {
  return read_by_mode(e, e.f32(i, n));
}
template <class A>
auto operand_f64(A& e, const typename A::Instruction& i, int n) {
  return read_by_mode(e, e.f64(i, n));
}
template <class A>
auto operand_f16(A& e, const typename A::Instruction& i, int n) {
  return e.modified(i, n, signaling_half(e, e.u16(i, n)));
}
#define ATOLL_SET_SELECTED_f32 set_f32
#define ATOLL_SET_SELECTED_f64 set_f64
#define ATOLL_SET_SELECTED_f16 set_f16_selected
#define ATOLL_DEFINE_MINMAX_BINARY(P, name, type, expression)      \
  template <class A>                                               \
  void name(A& e, const typename A::Instruction& i) {              \
    auto a = operand_##type(e, i, 0), b = operand_##type(e, i, 1); \
    e.ATOLL_SET_SELECTED_##type(i, expression);                    \
  }
#define ATOLL_DEFINE_MINMAX_TERNARY(P, name, type, expression)                                  \
  template <class A>                                                                            \
  void name(A& e, const typename A::Instruction& i) {                                           \
    auto a = operand_##type(e, i, 0), b = operand_##type(e, i, 1), c = operand_##type(e, i, 2); \
    e.ATOLL_SET_SELECTED_##type(i, expression);                                                 \
  }
ATOLL_MINMAX_BINARY(ATOLL_DEFINE_MINMAX_BINARY, )
ATOLL_MINMAX_TERNARY(ATOLL_DEFINE_MINMAX_TERNARY, )
#undef ATOLL_DEFINE_MINMAX_BINARY
#undef ATOLL_DEFINE_MINMAX_TERNARY

}  // namespace Atoll::amd
