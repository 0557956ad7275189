// RDNA4's transcendental functions: of f32 and halves as gfx1201's unit computes them (transcendental_unit.h). RDNA4 ISA 7.10, 16.8, 16.12.
#pragma once
#include "isa/amd/semantics/transcendental.h"
#include "isa/rdna4/adaptor.h"
#include "isa/rdna4/semantics/transcendental_unit.h"

namespace Atoll::rdna4 {

// The bits of `x`, a number or an infinity, rounded to those of the nearest half, as an f32's. Nothing is left to round then where the host
// would round another way: halves of these functions do not obey MODE's rounding (captured: every digest is the same in all of them).
template <class A, class U>
U nearest_half(A& e, U x) {
  U size = x & 0x7fffffffu, field = umax(size >> 23, word<U>(e, 113));  // (113: that of the least normal half)
  // The value of a half's last bit in this binade, 2^(field - 137), from whole units of it.
  U places = umin(word<U>(e, 113 + 13) - (size >> 23), word<U>(e, 31)), significand = (size & 0x7fffffu) | 0x800000u;
  places = select(size >= 0x38800000u, word<U>(e, 13), places);
  U units = (significand >> places) + select((significand >> (places - 1u) & 1u) != 0u, word<U>(e, 1), word<U>(e, 0));
  U tie = significand & ((word<U>(e, 1) << places) - 1u);
  units = select((tie == (word<U>(e, 1) << (places - 1u))) & ((units & 1u) != 0u), units - 1u, units);
  U result = as_u32(cvt_f32_s32(units)) + ((field - 137u) << 23);
  result = select(units == 0u, word<U>(e, 0), result);
  result = select(result >= 0x47800000u, word<U>(e, 0x7f800000u), result);
  return select(size >= 0x7f800000u, x, result | (x & 0x80000000u));
}

// A result for an instruction of halves. With FP16_OVFL an infinity of an operand that is none is the largest half.
template <class A, class U>
auto half_result(A& e, U x, U result) {
  const auto& mode = e.core.float_mode();
  if (mode.round64 != wave::Rounding::NearestEven) result = nearest_half(e, result);
  if (mode.clamp_halves) {
    auto beyond = ((result & 0x7fffffffu) == 0x7f800000u) & ((x & 0x7f800000u) != 0x7f800000u);
    result = select(beyond, (result & 0x80000000u) | 0x477fe000u, result);
  }
  return as_f32(result);
}

#define ATOLL_UNIT_FUNCTIONS(ROW, P) \
  ROW(P, rcp, unit_reciprocal)       \
  ROW(P, sqrt, unit_root)            \
  ROW(P, rsq, unit_reciprocal_root)  \
  ROW(P, exp, unit_exponential)      \
  ROW(P, log, unit_logarithm)

#define ATOLL_DEFINE_UNIT(P, name, function)                                                                 \
  template <class A>                                                                                         \
  void v_##name##_f32(A& e, const typename A::Instruction& i) {                                              \
    e.set_f32(i, as_f32(function(e, as_u32(e.f32(i, 0)), false)));                                           \
  }                                                                                                          \
  template <class A>                                                                                         \
  void v_##name##_f16(A& e, const typename A::Instruction& i) {                                              \
    auto x = as_u32(e.f16(i, 0));                                                                            \
    e.set_f16(i, half_result(e, x, function(e, x, true)));                                                   \
  }                                                                                                          \
  /* pseudo-scalar forms: one value, from and to SGPRs, whatever EXEC is; a half's high half becomes zero */ \
  template <class A>                                                                                         \
  void v_s_##name##_f32(A& e, const typename A::Instruction& i) {                                            \
    auto x = e.modified(i, 0, e.sf32(i, 0));                                                                 \
    e.set_s32(i, as_u32(e.output_modified(i, as_f32(function(e, as_u32(x), false)))));                       \
  }                                                                                                          \
  template <class A>                                                                                         \
  void v_s_##name##_f16(A& e, const typename A::Instruction& i) {                                            \
    auto x = as_u32(e.modified(i, 0, e.f16_of(e.s16(i, 0))));                                                \
    auto result = half_result(e, x, function(e, x, true));                                                   \
    e.set_s32(i, e.half_result(i, result));                                                                  \
  }
ATOLL_UNIT_FUNCTIONS(ATOLL_DEFINE_UNIT, )
#undef ATOLL_DEFINE_UNIT

template <class A>
void v_rcp_iflag_f32(A& e, const typename A::Instruction& i) {
  e.set_f32(i, as_f32(unit_reciprocal(e, as_u32(e.f32(i, 0)), false)));
}
template <class A>
void turn_f32(A& e, const typename A::Instruction& i, bool cosine) {
  e.set_f32(i, unit_sine(e, as_u32(e.f32(i, 0)), false, cosine));
}
template <class A>
void turn_f16(A& e, const typename A::Instruction& i, bool cosine) {
  auto x = as_u32(e.f16(i, 0));
  e.set_f16(i, half_result(e, x, as_u32(unit_sine(e, x, true, cosine))));
}
#define ATOLL_DEFINE_TURN(name, function, cosine)     \
  template <class A>                                  \
  void name(A& e, const typename A::Instruction& i) { \
    function(e, i, cosine);                           \
  }
ATOLL_DEFINE_TURN(v_sin_f32, turn_f32, false)
ATOLL_DEFINE_TURN(v_cos_f32, turn_f32, true)
ATOLL_DEFINE_TURN(v_sin_f16, turn_f16, false)
ATOLL_DEFINE_TURN(v_cos_f16, turn_f16, true)
#undef ATOLL_DEFINE_TURN

// f64. The card's roots of powers of two are captured (bjacob/goc, tests/fp64_output_hardware.h, RX 9070): their low words, for
// even exponents and for odd ones, with the true root's high words. No more than five results are published of the numbers
// between them, too few for a rule: those are the true ones rounded (the manual allows 2^29 ulp), as all reciprocals are.
template <class A>
typename A::F64 root_of_power(A& e, typename A::F64 x, typename A::F64 root, uint32_t of_even, uint32_t of_odd) {
  auto bits = as_u64(x), found = as_u64(root);
  auto top = high(bits);
  auto power = (low(bits) == 0u) & ((top & 0xfffffu) == 0u) & (top - 0x100000u < 0x7fe00000u);
  auto word = select((top & 0x100000u) != 0u, e.core.u32(of_even), e.core.u32(of_odd));  // (the bias is odd)
  return as_f64(join(select(power, word, low(found)), high(found)));
}
template <class A>
void v_sqrt_f64(A& e, const typename A::Instruction& i) {
  auto x = e.f64(i, 0);
  e.set_f64(i, root_of_power(e, x, amd::square_root(e, x, false), 0x04000000, 0x64000000));
}
template <class A>
void v_rsq_f64(A& e, const typename A::Instruction& i) {
  auto x = e.f64(i, 0);
  e.set_f64(i, root_of_power(e, x, e.core.f64(1) / sqrt(x), 0, 0x60000000));
}
using amd::v_rcp_f64, amd::v_trig_preop_f64;

#define ATOLL_LIST_UNIT(ENTRY, name, function) ENTRY(v_##name##_f32) ENTRY(v_##name##_f16)
#define ATOLL_LIST_UNIT_SCALAR(ENTRY, name, function) ENTRY(v_s_##name##_f32) ENTRY(v_s_##name##_f16)
#define ATOLL_TRANSCENDENTAL(SCALAR, LANES, WHOLE)     \
  ATOLL_UNIT_FUNCTIONS(ATOLL_LIST_UNIT, LANES)         \
  ATOLL_UNIT_FUNCTIONS(ATOLL_LIST_UNIT_SCALAR, SCALAR) \
  LANES(v_rcp_iflag_f32)                               \
  LANES(v_sin_f32)                                     \
  LANES(v_cos_f32)                                     \
  LANES(v_sin_f16)                                     \
  LANES(v_cos_f16)                                     \
  LANES(v_rcp_f64)                                     \
  LANES(v_rsq_f64)                                     \
  LANES(v_sqrt_f64)                                    \
  LANES(v_trig_preop_f64)

}  // namespace Atoll::rdna4
