// Scalar ALU on floats: SOP1, SOP2, SOPC. RDNA4 ISA 6.8, 16.1, 16.3, 16.4. Results are those of the vector instructions of the same
// operation; halves stand in the low 16 bits of a register and results have zeros above.
#pragma once
#include "isa/amd/semantics/float_rules.h"
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

// clang-format off: one instruction a line
template <class A> void set_sf32(A& e, const Instruction& i, typename A::SF32 x) { e.set_s32(i, as_u32(x)); }
template <class A> auto accumulator32(A& e, const Instruction& i) { return as_f32(e.scalar_register(i.dst)); }
template <class A> auto accumulator16(A& e, const Instruction& i) { return e.sf16_of(e.scalar_register(i.dst) & 0xffffu); }

// --- arithmetic: rounded once -------------------------------------------------------------------------------------------------
// A sum or product of halves in f32 rounds to the right half: f32 has more than twice the bits and two more.
#define ATOLL_SCALAR_FLOAT_ARITHMETIC(OP) OP(add, a + b) OP(sub, a - b) OP(mul, a * b)
#define ATOLL_DEFINE_ARITHMETIC(name, expression)                     \
  template <class A> void s_##name##_f32(A& e, const Instruction& i) { \
    auto a = e.sf32(i, 0), b = e.sf32(i, 1);                          \
    set_sf32(e, i, expression);                                       \
  }                                                                   \
  template <class A> void s_##name##_f16(A& e, const Instruction& i) { \
    auto a = e.sf16(i, 0), b = e.sf16(i, 1);                          \
    e.set_sf16(i, expression);                                        \
  }
ATOLL_SCALAR_FLOAT_ARITHMETIC(ATOLL_DEFINE_ARITHMETIC)
#undef ATOLL_DEFINE_ARITHMETIC
template <class A> void s_fmaak_f32(A& e, const Instruction& i) { set_sf32(e, i, fma(e.sf32(i, 0), e.sf32(i, 1), e.sf32(i, 2))); }
template <class A> void s_fmamk_f32(A& e, const Instruction& i) { s_fmaak_f32(e, i); }  // the literal is source 1
template <class A> void s_fmac_f32(A& e, const Instruction& i) { set_sf32(e, i, fma(e.sf32(i, 0), e.sf32(i, 1), accumulator32(e, i))); }
template <class A> void s_fmac_f16(A& e, const Instruction& i) { e.set_sf16(i, fma_f16(e.sf16(i, 0), e.sf16(i, 1), accumulator16(e, i))); }

// --- minimum and maximum ------------------------------------------------------------------------------------------------------
#define ATOLL_SCALAR_EXTREMA(OP) \
  OP(min_num, number_of, false) OP(max_num, number_of, true) OP(minimum, propagating, false) OP(maximum, propagating, true)
#define ATOLL_DEFINE_EXTREMUM(name, choice, largest)                                                         \
  template <class A> void s_##name##_f32(A& e, const Instruction& i) {                                       \
    auto& mode = e.core.float_mode();                                                                        \
    auto a = flush_bits32(mode.flush_in32, e.s32(i, 0)), b = flush_bits32(mode.flush_in32, e.s32(i, 1));     \
    e.set_s32(i, flush_bits32(mode.flush_out32, choice(extremum32(a, b, as_f32(a), as_f32(b), largest))));   \
  }                                                                                                          \
  template <class A> void s_##name##_f16(A& e, const Instruction& i) {                                       \
    auto& mode = e.core.float_mode();                                                                        \
    auto a = flush_bits16(mode.flush_in64, e.s16(i, 0)), b = flush_bits16(mode.flush_in64, e.s16(i, 1));     \
    e.set_s32(i, flush_bits16(mode.flush_out64, choice(extremum16(a, b, cvt_f32_f16(a), cvt_f32_f16(b), largest)))); \
  }
ATOLL_SCALAR_EXTREMA(ATOLL_DEFINE_EXTREMUM)
#undef ATOLL_DEFINE_EXTREMUM

// --- rounding to an integer value ----------------------------------------------------------------------------------------------
#define ATOLL_SCALAR_ROUNDINGS(OP) OP(ceil) OP(floor) OP(trunc) OP(rndne)
#define ATOLL_DEFINE_ROUNDING(name)                                                                \
  template <class A> void s_##name##_f32(A& e, const Instruction& i) {                             \
    set_sf32(e, i, name(as_f32(flush_bits32(e.core.float_mode().flush_in32, e.s32(i, 0)))));       \
  }                                                                                                \
  template <class A> void s_##name##_f16(A& e, const Instruction& i) { e.set_sf16(i, name(e.sf16(i, 0))); }
ATOLL_SCALAR_ROUNDINGS(ATOLL_DEFINE_ROUNDING)
#undef ATOLL_DEFINE_ROUNDING

// --- conversions ----------------------------------------------------------------------------------------------------------------
template <class A> void s_cvt_f32_i32(A& e, const Instruction& i) { set_sf32(e, i, cvt_f32_s32(e.s32(i, 0))); }
template <class A> void s_cvt_f32_u32(A& e, const Instruction& i) { set_sf32(e, i, cvt_f32_u32(e.s32(i, 0))); }
template <class A> void s_cvt_i32_f32(A& e, const Instruction& i) { e.set_s32(i, cvt_s32_f32(e.sf32(i, 0))); }
template <class A> void s_cvt_u32_f32(A& e, const Instruction& i) { e.set_s32(i, cvt_u32_f32(e.sf32(i, 0))); }
template <class A> void s_cvt_f16_f32(A& e, const Instruction& i) {
  const auto& mode = e.core.float_mode();
  e.set_sf16(i, as_f32(narrowing_source(e.s32(i, 0), 0x7f800000u, 0x800000u, mode.flush_in32, mode.flush_in64)));
}
template <class A> void s_cvt_f32_f16(A& e, const Instruction& i) { set_sf32(e, i, e.sf16(i, 0)); }
template <class A> void s_cvt_hi_f32_f16(A& e, const Instruction& i) { set_sf32(e, i, e.sf16_of(e.s32(i, 0) >> 16)); }
template <class A> void s_cvt_pk_rtz_f16_f32(A& e, const Instruction& i) {
  bool flush = e.core.float_mode().flush_out64;
  auto half = [&](int n) { return flush_bits16(flush, half_toward_zero(e.s32(i, n))); };
  e.set_s32(i, half(0) | half(1) << 16);
}

// --- comparisons ----------------------------------------------------------------------------------------------------------------
#define ATOLL_SCALAR_FLOAT_COMPARES(OP)                                                                                             \
  OP(lt, a < b) OP(eq, a == b) OP(le, a <= b) OP(gt, a > b) OP(lg, (a < b) | (a > b)) OP(ge, a >= b) OP(o, ~unordered(a, b))          \
  OP(u, unordered(a, b)) OP(nge, ~(a >= b)) OP(nlg, ~((a < b) | (a > b))) OP(ngt, ~(a > b)) OP(nle, ~(a <= b)) OP(neq, ~(a == b))    \
  OP(nlt, ~(a < b))
#define ATOLL_DEFINE_FLOAT_COMPARE(name, condition)                        \
  template <class A> void s_cmp_##name##_f32(A& e, const Instruction& i) { \
    auto a = e.sf32(i, 0), b = e.sf32(i, 1);                               \
    e.set_scc(condition);                                                  \
  }                                                                        \
  template <class A> void s_cmp_##name##_f16(A& e, const Instruction& i) { \
    auto a = e.sf16(i, 0), b = e.sf16(i, 1);                               \
    e.set_scc(condition);                                                  \
  }
ATOLL_SCALAR_FLOAT_COMPARES(ATOLL_DEFINE_FLOAT_COMPARE)
#undef ATOLL_DEFINE_FLOAT_COMPARE

#define ATOLL_LIST_FLOAT_PAIR(name, ...) ATOLL_SCALAR_ENTRY(s_##name##_f32) ATOLL_SCALAR_ENTRY(s_##name##_f16)
#define ATOLL_LIST_FLOAT_COMPARE(name, condition) ATOLL_SCALAR_ENTRY(s_cmp_##name##_f32) ATOLL_SCALAR_ENTRY(s_cmp_##name##_f16)
#define ATOLL_SALU_FLOAT(SCALAR, LANES, WHOLE)                                                                                       \
  ATOLL_SCALAR_FLOAT_ARITHMETIC(ATOLL_LIST_FLOAT_PAIR) ATOLL_SCALAR_EXTREMA(ATOLL_LIST_FLOAT_PAIR)                                   \
  ATOLL_SCALAR_ROUNDINGS(ATOLL_LIST_FLOAT_PAIR) ATOLL_SCALAR_FLOAT_COMPARES(ATOLL_LIST_FLOAT_COMPARE)                                \
  SCALAR(s_fmaak_f32) SCALAR(s_fmamk_f32) SCALAR(s_fmac_f32) SCALAR(s_fmac_f16) SCALAR(s_cvt_f32_i32) SCALAR(s_cvt_f32_u32)          \
  SCALAR(s_cvt_i32_f32) SCALAR(s_cvt_u32_f32) SCALAR(s_cvt_f16_f32) SCALAR(s_cvt_f32_f16) SCALAR(s_cvt_hi_f32_f16)                   \
  SCALAR(s_cvt_pk_rtz_f16_f32)

// clang-format on

}  // namespace Atoll::rdna4
