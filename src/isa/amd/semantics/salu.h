// Scalar ALU on integers and bits: SOP1, SOP2, SOPK, SOPC. RDNA4 ISA 6.3-6.7, 16.1-16.4.
// A write of a trap register outside of the trap handler is dropped, and SCC then stays as it was (RDNA4 ISA 3.3.1.3).
#pragma once
#include "isa/amd/adaptor.h"

namespace Atoll::amd {

// clang-format off: one instruction a line
template <class A> void set_result(A& e, const typename A::Instruction& i, typename A::S32 d) { e.set_s32(i, d); }
template <class A> void set_result(A& e, const typename A::Instruction& i, typename A::S64 d) { e.set_s64(i, d); }
template <class A, class D> void set_result(A& e, const typename A::Instruction& i, D d, typename A::S1 scc) {
  set_result(e, i, d);
  if (!e.is_guarded(i.dst)) e.set_scc(scc);
}
// The end of most bit operations: SCC says whether the result is not zero.
template <class A, class D> void set_result_nonzero(A& e, const typename A::Instruction& i, D d) { set_result(e, i, d, d != 0); }

// The destination as it was, for conditional moves and SOPK's two-operand forms.
template <class A> auto old32(A& e, const typename A::Instruction& i) { return e.scalar_register(i.dst); }
template <class A> auto old64(A& e, const typename A::Instruction& i) { return e.scalar_pair(i.dst); }

// --- moves ------------------------------------------------------------------------------------------------------------------
template <class A> void s_mov_b32(A& e, const typename A::Instruction& i) { e.set_s32(i, e.s32(i, 0)); }
template <class A> void s_mov_b64(A& e, const typename A::Instruction& i) { e.set_s64(i, e.s64(i, 0)); }
template <class A> void s_movk_i32(A& e, const typename A::Instruction& i) { e.set_s32(i, e.immediate(i)); }
template <class A> void s_cmov_b32(A& e, const typename A::Instruction& i) { e.set_s32(i, select(e.scc(), e.s32(i, 0), old32(e, i))); }
template <class A> void s_cmov_b64(A& e, const typename A::Instruction& i) { e.set_s64(i, select(e.scc(), e.s64(i, 0), old64(e, i))); }
template <class A> void s_cmovk_i32(A& e, const typename A::Instruction& i) { e.set_s32(i, select(e.scc(), e.immediate(i), old32(e, i))); }
template <class A> void s_cselect_b32(A& e, const typename A::Instruction& i) { e.set_s32(i, select(e.scc(), e.s32(i, 0), e.s32(i, 1))); }
template <class A> void s_cselect_b64(A& e, const typename A::Instruction& i) { e.set_s64(i, select(e.scc(), e.s64(i, 0), e.s64(i, 1))); }
template <class A> void s_version(A&, const typename A::Instruction&) {}  // for tools only

// --- arithmetic -------------------------------------------------------------------------------------------------------------
template <class A> void s_add_co_u32(A& e, const typename A::Instruction& i) {
  auto a = e.s32(i, 0), d = a + e.s32(i, 1);
  set_result(e, i, d, d < a);
}
template <class A> void s_sub_co_u32(A& e, const typename A::Instruction& i) {
  auto a = e.s32(i, 0), b = e.s32(i, 1);
  set_result(e, i, a - b, b > a);
}
template <class A> void s_add_co_i32(A& e, const typename A::Instruction& i) {
  auto a = e.s32(i, 0), b = e.s32(i, 1), d = a + b;
  set_result(e, i, d, slt((a ^ d) & (b ^ d), 0));  // signed overflow
}
template <class A> void s_sub_co_i32(A& e, const typename A::Instruction& i) {
  auto a = e.s32(i, 0), b = e.s32(i, 1), d = a - b;
  set_result(e, i, d, slt((a ^ b) & (a ^ d), 0));
}
template <class A> void s_add_co_ci_u32(A& e, const typename A::Instruction& i) {
  auto sum = widen(e.s32(i, 0)) + widen(e.s32(i, 1)) + widen(e.core.scalar(scc_cell));
  set_result(e, i, low(sum), high(sum) != 0);
}
template <class A> void s_sub_co_ci_u32(A& e, const typename A::Instruction& i) {
  auto difference = widen(e.s32(i, 0)) - widen(e.s32(i, 1)) - widen(e.core.scalar(scc_cell));
  set_result(e, i, low(difference), high(difference) != 0);
}
template <class A> void s_addk_co_i32(A& e, const typename A::Instruction& i) {
  auto a = old32(e, i), b = e.immediate(i), d = a + b;
  set_result(e, i, d, slt((a ^ d) & (b ^ d), 0));
}
template <class A> void s_mulk_i32(A& e, const typename A::Instruction& i) { e.set_s32(i, old32(e, i) * e.immediate(i)); }
template <class A> void s_absdiff_i32(A& e, const typename A::Instruction& i) {
  auto d = e.s32(i, 0) - e.s32(i, 1);
  set_result_nonzero(e, i, select(slt(d, 0), e.core.s32(0) - d, d));
}
template <class A> void s_abs_i32(A& e, const typename A::Instruction& i) {
  auto a = e.s32(i, 0);
  set_result_nonzero(e, i, select(slt(a, 0), e.core.s32(0) - a, a));
}
template <class A> void lshl_add(A& e, const typename A::Instruction& i, int n) {
  auto sum = (widen(e.s32(i, 0)) << n) + widen(e.s32(i, 1));
  set_result(e, i, low(sum), high(sum) != 0);
}
template <class A> void s_lshl1_add_u32(A& e, const typename A::Instruction& i) { lshl_add(e, i, 1); }
template <class A> void s_lshl2_add_u32(A& e, const typename A::Instruction& i) { lshl_add(e, i, 2); }
template <class A> void s_lshl3_add_u32(A& e, const typename A::Instruction& i) { lshl_add(e, i, 3); }
template <class A> void s_lshl4_add_u32(A& e, const typename A::Instruction& i) { lshl_add(e, i, 4); }
// SCC says whether the first source was taken.
template <class A, class C> void choose(A& e, const typename A::Instruction& i, C first) {
  auto a = e.s32(i, 0), b = e.s32(i, 1);
  auto c = first(a, b);
  set_result(e, i, select(c, a, b), c);
}
template <class A> void s_min_i32(A& e, const typename A::Instruction& i) { choose(e, i, [](auto a, auto b) { return slt(a, b); }); }
template <class A> void s_min_u32(A& e, const typename A::Instruction& i) { choose(e, i, [](auto a, auto b) { return a < b; }); }
template <class A> void s_max_i32(A& e, const typename A::Instruction& i) { choose(e, i, [](auto a, auto b) { return sge(a, b); }); }
template <class A> void s_max_u32(A& e, const typename A::Instruction& i) { choose(e, i, [](auto a, auto b) { return a >= b; }); }
template <class A> void s_mul_i32(A& e, const typename A::Instruction& i) { e.set_s32(i, e.s32(i, 0) * e.s32(i, 1)); }
template <class A> void s_mul_hi_u32(A& e, const typename A::Instruction& i) { e.set_s32(i, mul_high_u(e.s32(i, 0), e.s32(i, 1))); }
template <class A> void s_mul_hi_i32(A& e, const typename A::Instruction& i) { e.set_s32(i, mul_high_s(e.s32(i, 0), e.s32(i, 1))); }
template <class A> void s_add_nc_u64(A& e, const typename A::Instruction& i) { e.set_s64(i, e.s64(i, 0) + e.s64(i, 1)); }
template <class A> void s_sub_nc_u64(A& e, const typename A::Instruction& i) { e.set_s64(i, e.s64(i, 0) - e.s64(i, 1)); }
template <class A> void s_mul_u64(A& e, const typename A::Instruction& i) { e.set_s64(i, e.s64(i, 0) * e.s64(i, 1)); }
template <class A> void s_sext_i32_i8(A& e, const typename A::Instruction& i) { e.set_s32(i, ashr(e.s32(i, 0) << 24, 24)); }
template <class A> void s_sext_i32_i16(A& e, const typename A::Instruction& i) { e.set_s32(i, ashr(e.s32(i, 0) << 16, 16)); }
template <class A> void s_pack_ll_b32_b16(A& e, const typename A::Instruction& i) { e.set_s32(i, (e.s32(i, 0) & 0xffffu) | e.s32(i, 1) << 16); }
template <class A> void s_pack_lh_b32_b16(A& e, const typename A::Instruction& i) { e.set_s32(i, (e.s32(i, 0) & 0xffffu) | (e.s32(i, 1) & 0xffff0000u)); }
template <class A> void s_pack_hh_b32_b16(A& e, const typename A::Instruction& i) { e.set_s32(i, e.s32(i, 0) >> 16 | (e.s32(i, 1) & 0xffff0000u)); }
template <class A> void s_pack_hl_b32_b16(A& e, const typename A::Instruction& i) { e.set_s32(i, e.s32(i, 0) >> 16 | e.s32(i, 1) << 16); }

// --- bits: one line gives the two-source form and what it does to EXEC --------------------------------------------------------
// OP(name, result of a (source 0) and b (source 1, or EXEC))
#define ATOLL_SALU_LOGIC(OP)                                                                                          \
  OP(and, a & b) OP(or, a | b) OP(xor, a ^ b) OP(nand, ~(a & b)) OP(nor, ~(a | b)) OP(xnor, ~(a ^ b)) OP(and_not1, a & ~b) \
  OP(or_not1, a | ~b)
#define ATOLL_SALU_LOGIC_ON_EXEC(OP) ATOLL_SALU_LOGIC(OP) OP(and_not0, ~a & b) OP(or_not0, ~a | b)

#define ATOLL_DEFINE_LOGIC(name, expression)                        \
  template <class A> void s_##name##_b32(A& e, const typename A::Instruction& i) { \
    auto a = e.s32(i, 0), b = e.s32(i, 1);                          \
    set_result_nonzero(e, i, expression);                           \
  }                                                                 \
  template <class A> void s_##name##_b64(A& e, const typename A::Instruction& i) { \
    auto a = e.s64(i, 0), b = e.s64(i, 1);                          \
    set_result_nonzero(e, i, expression);                           \
  }
ATOLL_SALU_LOGIC(ATOLL_DEFINE_LOGIC)
#undef ATOLL_DEFINE_LOGIC

// EXEC is written whatever the destination is (RDNA4 ISA 3.3.1.3). The destination gets the mask before, or (wrexec) the new one.
#define ATOLL_DEFINE_SAVEEXEC(name, expression)                                 \
  template <class A> void s_##name##_saveexec_b32(A& e, const typename A::Instruction& i) { \
    auto a = e.s32(i, 0), b = e.scalar_register(EXEC_LO), d = expression;       \
    e.set_scalar_register(EXEC_LO, d);                                          \
    set_result(e, i, b, d != 0);                                                \
  }                                                                             \
  template <class A> void s_##name##_saveexec_b64(A& e, const typename A::Instruction& i) { \
    auto a = e.s64(i, 0), b = e.scalar_pair(EXEC_LO), d = expression;           \
    e.set_scalar_pair(EXEC_LO, d);                                              \
    set_result(e, i, b, d != 0);                                                \
  }
ATOLL_SALU_LOGIC_ON_EXEC(ATOLL_DEFINE_SAVEEXEC)
#undef ATOLL_DEFINE_SAVEEXEC
template <class A, class D> void write_exec(A& e, const typename A::Instruction& i, D d) {
  if constexpr (std::is_same_v<D, typename A::S64>) e.set_scalar_pair(EXEC_LO, d);
  else e.set_scalar_register(EXEC_LO, d);
  set_result_nonzero(e, i, d);
}
template <class A> void s_and_not0_wrexec_b32(A& e, const typename A::Instruction& i) { write_exec(e, i, ~e.s32(i, 0) & e.scalar_register(EXEC_LO)); }
template <class A> void s_and_not0_wrexec_b64(A& e, const typename A::Instruction& i) { write_exec(e, i, ~e.s64(i, 0) & e.scalar_pair(EXEC_LO)); }
template <class A> void s_and_not1_wrexec_b32(A& e, const typename A::Instruction& i) { write_exec(e, i, e.s32(i, 0) & ~e.scalar_register(EXEC_LO)); }
template <class A> void s_and_not1_wrexec_b64(A& e, const typename A::Instruction& i) { write_exec(e, i, e.s64(i, 0) & ~e.scalar_pair(EXEC_LO)); }
template <class A> void s_not_b32(A& e, const typename A::Instruction& i) { set_result_nonzero(e, i, ~e.s32(i, 0)); }
template <class A> void s_not_b64(A& e, const typename A::Instruction& i) { set_result_nonzero(e, i, ~e.s64(i, 0)); }

// --- shifts and bit fields --------------------------------------------------------------------------------------------------
template <class A> auto count32(A& e, const typename A::Instruction& i, int n) { return e.s32(i, n) & 31u; }
template <class A> auto count64(A& e, const typename A::Instruction& i, int n) { return widen(e.s32(i, n) & 63u); }
template <class A> void s_lshl_b32(A& e, const typename A::Instruction& i) { set_result_nonzero(e, i, e.s32(i, 0) << count32(e, i, 1)); }
template <class A> void s_lshl_b64(A& e, const typename A::Instruction& i) { set_result_nonzero(e, i, e.s64(i, 0) << count64(e, i, 1)); }
template <class A> void s_lshr_b32(A& e, const typename A::Instruction& i) { set_result_nonzero(e, i, e.s32(i, 0) >> count32(e, i, 1)); }
template <class A> void s_lshr_b64(A& e, const typename A::Instruction& i) { set_result_nonzero(e, i, e.s64(i, 0) >> count64(e, i, 1)); }
template <class A> void s_ashr_i32(A& e, const typename A::Instruction& i) { set_result_nonzero(e, i, ashr(e.s32(i, 0), count32(e, i, 1))); }
template <class A> void s_ashr_i64(A& e, const typename A::Instruction& i) { set_result_nonzero(e, i, ashr(e.s64_signed(i, 0), count64(e, i, 1))); }
template <class A> void s_bfm_b32(A& e, const typename A::Instruction& i) {
  e.set_s32(i, ((e.core.s32(1) << count32(e, i, 0)) - 1u) << count32(e, i, 1));
}
template <class A> void s_bfm_b64(A& e, const typename A::Instruction& i) {
  e.set_s64(i, ((e.core.s64(1) << count64(e, i, 0)) - 1u) << count64(e, i, 1));
}
// The low `size` (0-127) bits of what was shifted down, extended by moving them to the top and back. A size of the whole width or
// more takes all.
template <class A, class V, class Down> void set_field(A& e, const typename A::Instruction& i, V shifted, V size, unsigned width, Down down) {
  auto zero = size ^ size;
  auto room = select(size < width, zero + width - size, zero);
  set_result_nonzero(e, i, select(size == 0, zero, down((shifted << (room & (width - 1))), room & (width - 1))));
}
template <class A> auto field_size(A& e, const typename A::Instruction& i) { return e.s32(i, 1) >> 16 & 127u; }
template <class A> void s_bfe_u32(A& e, const typename A::Instruction& i) {
  set_field(e, i, e.s32(i, 0) >> count32(e, i, 1), field_size(e, i), 32, [](auto x, auto n) { return x >> n; });
}
template <class A> void s_bfe_i32(A& e, const typename A::Instruction& i) {
  set_field(e, i, ashr(e.s32(i, 0), count32(e, i, 1)), field_size(e, i), 32, [](auto x, auto n) { return ashr(x, n); });
}
template <class A> void s_bfe_u64(A& e, const typename A::Instruction& i) {
  set_field(e, i, e.s64(i, 0) >> count64(e, i, 1), widen(field_size(e, i)), 64, [](auto x, auto n) { return x >> n; });
}
template <class A> void s_bfe_i64(A& e, const typename A::Instruction& i) {
  set_field(e, i, ashr(e.s64_signed(i, 0), count64(e, i, 1)), widen(field_size(e, i)), 64, [](auto x, auto n) { return ashr(x, n); });
}
template <class A> void s_bitset0_b32(A& e, const typename A::Instruction& i) { e.set_s32(i, old32(e, i) & ~(e.core.s32(1) << count32(e, i, 0))); }
template <class A> void s_bitset0_b64(A& e, const typename A::Instruction& i) { e.set_s64(i, old64(e, i) & ~(e.core.s64(1) << count64(e, i, 0))); }
template <class A> void s_bitset1_b32(A& e, const typename A::Instruction& i) { e.set_s32(i, old32(e, i) | e.core.s32(1) << count32(e, i, 0)); }
template <class A> void s_bitset1_b64(A& e, const typename A::Instruction& i) { e.set_s64(i, old64(e, i) | e.core.s64(1) << count64(e, i, 0)); }

// --- counting and reordering bits -------------------------------------------------------------------------------------------
template <class A> void s_brev_b32(A& e, const typename A::Instruction& i) { e.set_s32(i, bitreverse(e.s32(i, 0))); }
template <class A> void s_brev_b64(A& e, const typename A::Instruction& i) { e.set_s64(i, bitreverse(e.s64(i, 0))); }
// The bit scans give -1 when there is nothing to find.
template <class A> void set_found(A& e, const typename A::Instruction& i, typename A::S1 found, typename A::S32 n) { e.set_s32(i, select(found, n, ~0u)); }
template <class A> void s_ctz_i32_b32(A& e, const typename A::Instruction& i) { set_found(e, i, e.s32(i, 0) != 0, ctz(e.s32(i, 0))); }
template <class A> void s_ctz_i32_b64(A& e, const typename A::Instruction& i) { set_found(e, i, e.s64(i, 0) != 0, low(ctz(e.s64(i, 0)))); }
template <class A> void s_clz_i32_u32(A& e, const typename A::Instruction& i) { set_found(e, i, e.s32(i, 0) != 0, clz(e.s32(i, 0))); }
template <class A> void s_clz_i32_u64(A& e, const typename A::Instruction& i) { set_found(e, i, e.s64(i, 0) != 0, low(clz(e.s64(i, 0)))); }
template <class A> void s_cls_i32(A& e, const typename A::Instruction& i) {
  auto unlike = e.s32(i, 0) ^ ashr(e.s32(i, 0), 31);
  set_found(e, i, unlike != 0, clz(unlike));
}
template <class A> void s_cls_i32_i64(A& e, const typename A::Instruction& i) {
  auto unlike = e.s64_signed(i, 0) ^ ashr(e.s64_signed(i, 0), 63);
  set_found(e, i, unlike != 0, low(clz(unlike)));
}
template <class A> void s_bcnt0_i32_b32(A& e, const typename A::Instruction& i) { set_result_nonzero(e, i, popcount(~e.s32(i, 0))); }
template <class A> void s_bcnt0_i32_b64(A& e, const typename A::Instruction& i) { set_result_nonzero(e, i, low(popcount(~e.s64(i, 0)))); }
template <class A> void s_bcnt1_i32_b32(A& e, const typename A::Instruction& i) { set_result_nonzero(e, i, popcount(e.s32(i, 0))); }
template <class A> void s_bcnt1_i32_b64(A& e, const typename A::Instruction& i) { set_result_nonzero(e, i, low(popcount(e.s64(i, 0)))); }
// Bit 4q: whether quad q has a bit set.
template <class A> auto quads32(A& e, const typename A::Instruction& i) {
  auto x = e.s32(i, 0), pairs = x | x >> 1;
  return (pairs | pairs >> 2) & 0x11111111u;
}
template <class A> auto quads64(A& e, const typename A::Instruction& i) {
  auto x = e.s64(i, 0), pairs = x | x >> 1;
  return (pairs | pairs >> 2) & 0x1111111111111111u;
}
template <class A> void s_wqm_b32(A& e, const typename A::Instruction& i) { set_result_nonzero(e, i, quads32(e, i) * 15u); }
template <class A> void s_wqm_b64(A& e, const typename A::Instruction& i) { set_result_nonzero(e, i, quads64(e, i) * 15u); }
template <class A> void s_quadmask_b32(A& e, const typename A::Instruction& i) {
  auto q = quads32(e, i);
  q = (q | q >> 3) & 0x03030303u;  // pairs of quads, fours, all: the gaps close by half each time
  q = (q | q >> 6) & 0x000f000fu;
  set_result_nonzero(e, i, (q | q >> 12) & 0xffu);
}
template <class A> void s_quadmask_b64(A& e, const typename A::Instruction& i) {
  auto q = quads64(e, i);
  q = (q | q >> 3) & 0x0303030303030303u;
  q = (q | q >> 6) & 0x000f000f000f000fu;
  q = (q | q >> 12) & 0x000000ff000000ffu;
  set_result_nonzero(e, i, (q | q >> 24) & 0xffffu);
}
template <class A> void s_bitreplicate_b64_b32(A& e, const typename A::Instruction& i) {
  auto x = widen(e.s32(i, 0));
  x = (x | x << 16) & 0x0000ffff0000ffffu;
  x = (x | x << 8) & 0x00ff00ff00ff00ffu;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
  x = (x | x << 2) & 0x3333333333333333u;
  x = (x | x << 1) & 0x5555555555555555u;
  e.set_s64(i, x | x << 1);
}

// --- comparisons (SOPC) -----------------------------------------------------------------------------------------------------
// OP(name, width, what SCC becomes)
#define ATOLL_SALU_COMPARES(OP)                                                                                                \
  OP(s_cmp_eq_i32, s32, a == b) OP(s_cmp_lg_i32, s32, a != b) OP(s_cmp_gt_i32, s32, sgt(a, b)) OP(s_cmp_ge_i32, s32, sge(a, b)) \
  OP(s_cmp_lt_i32, s32, slt(a, b)) OP(s_cmp_le_i32, s32, sle(a, b)) OP(s_cmp_eq_u32, s32, a == b) OP(s_cmp_lg_u32, s32, a != b) \
  OP(s_cmp_gt_u32, s32, a > b) OP(s_cmp_ge_u32, s32, a >= b) OP(s_cmp_lt_u32, s32, a < b) OP(s_cmp_le_u32, s32, a <= b)        \
  OP(s_cmp_eq_u64, s64, a == b) OP(s_cmp_lg_u64, s64, a != b)
#define ATOLL_DEFINE_COMPARE(name, width, condition)            \
  template <class A> void name(A& e, const typename A::Instruction& i) {    \
    auto a = e.width(i, 0), b = e.width(i, 1);                  \
    e.set_scc(condition);                                       \
  }
ATOLL_SALU_COMPARES(ATOLL_DEFINE_COMPARE)
#undef ATOLL_DEFINE_COMPARE
template <class A> auto bit_of32(A& e, const typename A::Instruction& i) { return e.s32(i, 0) >> count32(e, i, 1) & 1u; }
template <class A> auto bit_of64(A& e, const typename A::Instruction& i) { return e.s64(i, 0) >> count64(e, i, 1) & 1u; }
template <class A> void s_bitcmp0_b32(A& e, const typename A::Instruction& i) { e.set_scc(bit_of32(e, i) == 0); }
template <class A> void s_bitcmp1_b32(A& e, const typename A::Instruction& i) { e.set_scc(bit_of32(e, i) != 0); }
template <class A> void s_bitcmp0_b64(A& e, const typename A::Instruction& i) { e.set_scc(bit_of64(e, i) == 0); }
template <class A> void s_bitcmp1_b64(A& e, const typename A::Instruction& i) { e.set_scc(bit_of64(e, i) != 0); }

// clang-format on

}  // namespace Atoll::amd
