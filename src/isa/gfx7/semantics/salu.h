// Scalar ALU on integers and bits: SOP1, SOP2, SOPK, SOPC. The instructions' meaning: isa/amd/semantics/salu.h, mostly
// under RDNA4's names. Sea Islands register guide section 4 (SQ_SOP1, SQ_SOP2, SQ_SOPK, SQ_SOPC).
#pragma once
#include "isa/amd/semantics/salu.h"
#include "isa/gfx7/adaptor.h"

namespace Atoll::gfx7 {

// SCC says whether the first source was taken: of two equal ones it is not.
template <class A>
void s_max_i32(A& e, const Instruction& i) {
  amd::choose(e, i, [](auto a, auto b) { return sgt(a, b); });
}
template <class A>
void s_max_u32(A& e, const Instruction& i) {
  amd::choose(e, i, [](auto a, auto b) { return a > b; });
}
template <class A>
void s_ff0_i32_b32(A& e, const Instruction& i) {
  auto zeros = ~e.s32(i, 0);
  amd::set_found(e, i, zeros != 0, ctz(zeros));
}
template <class A>
void s_ff0_i32_b64(A& e, const Instruction& i) {
  auto zeros = ~e.s64(i, 0);
  amd::set_found(e, i, zeros != 0, low(ctz(zeros)));
}

// Comparisons of the destination with SIMM16, which is sign-extended in the signed ones alone.
// clang-format off: a list
#define ATOLL_COMPARES_K(ROW) \
  ROW(s_cmpk_eq_i32, e.immediate(i), a == b) ROW(s_cmpk_lg_i32, e.immediate(i), a != b) \
  ROW(s_cmpk_gt_i32, e.immediate(i), sgt(a, b)) ROW(s_cmpk_ge_i32, e.immediate(i), sge(a, b)) \
  ROW(s_cmpk_lt_i32, e.immediate(i), slt(a, b)) ROW(s_cmpk_le_i32, e.immediate(i), sle(a, b)) \
  ROW(s_cmpk_eq_u32, e.core.s32(i.simm16), a == b) ROW(s_cmpk_lg_u32, e.core.s32(i.simm16), a != b) \
  ROW(s_cmpk_gt_u32, e.core.s32(i.simm16), a > b) ROW(s_cmpk_ge_u32, e.core.s32(i.simm16), a >= b) \
  ROW(s_cmpk_lt_u32, e.core.s32(i.simm16), a < b) ROW(s_cmpk_le_u32, e.core.s32(i.simm16), a <= b)
// clang-format on
#define ATOLL_DEFINE(name, constant, condition) \
  template <class A>                            \
  void name(A& e, const Instruction& i) {       \
    auto a = e.s32(i, 0), b = constant;         \
    e.set_scc(condition);                       \
  }
ATOLL_COMPARES_K(ATOLL_DEFINE)
#undef ATOLL_DEFINE

// clang-format off: a list
#define ATOLL_SALU_SAME(SAME) \
  SAME(s_mov_b32) SAME(s_mov_b64) SAME(s_movk_i32) SAME(s_cmov_b32) SAME(s_cmov_b64) SAME(s_cmovk_i32) SAME(s_cselect_b32) \
  SAME(s_cselect_b64) SAME(s_min_i32) SAME(s_min_u32) SAME(s_mul_i32) SAME(s_mulk_i32) SAME(s_absdiff_i32) SAME(s_abs_i32) \
  SAME(s_sext_i32_i8) SAME(s_sext_i32_i16) SAME(s_and_b32) SAME(s_and_b64) SAME(s_or_b32) SAME(s_or_b64) SAME(s_xor_b32) \
  SAME(s_xor_b64) SAME(s_nand_b32) SAME(s_nand_b64) SAME(s_nor_b32) SAME(s_nor_b64) SAME(s_xnor_b32) SAME(s_xnor_b64) \
  SAME(s_not_b32) SAME(s_not_b64) SAME(s_lshl_b32) SAME(s_lshl_b64) SAME(s_lshr_b32) SAME(s_lshr_b64) SAME(s_ashr_i32) \
  SAME(s_ashr_i64) SAME(s_bfm_b32) SAME(s_bfm_b64) SAME(s_bfe_u32) SAME(s_bfe_i32) SAME(s_bfe_u64) SAME(s_bfe_i64) \
  SAME(s_bitset0_b32) SAME(s_bitset0_b64) SAME(s_bitset1_b32) SAME(s_bitset1_b64) SAME(s_brev_b32) SAME(s_brev_b64) \
  SAME(s_bcnt0_i32_b32) SAME(s_bcnt0_i32_b64) SAME(s_bcnt1_i32_b32) SAME(s_bcnt1_i32_b64) SAME(s_wqm_b32) SAME(s_wqm_b64) \
  SAME(s_quadmask_b32) SAME(s_quadmask_b64) SAME(s_and_saveexec_b64) SAME(s_or_saveexec_b64) SAME(s_xor_saveexec_b64) \
  SAME(s_nand_saveexec_b64) SAME(s_nor_saveexec_b64) SAME(s_xnor_saveexec_b64) SAME(s_cmp_eq_i32) SAME(s_cmp_lg_i32) \
  SAME(s_cmp_gt_i32) SAME(s_cmp_ge_i32) SAME(s_cmp_lt_i32) SAME(s_cmp_le_i32) SAME(s_cmp_eq_u32) SAME(s_cmp_lg_u32) \
  SAME(s_cmp_gt_u32) SAME(s_cmp_ge_u32) SAME(s_cmp_lt_u32) SAME(s_cmp_le_u32) SAME(s_bitcmp0_b32) SAME(s_bitcmp1_b32) \
  SAME(s_bitcmp0_b64) SAME(s_bitcmp1_b64)
// clang-format on
// s_mov_fed_b32 moves, too; the memory errors that it plants are not modelled.
// clang-format off: a list
#define ATOLL_SALU_RENAMED(AS) \
  AS(s_add_u32, s_add_co_u32) AS(s_sub_u32, s_sub_co_u32) AS(s_add_i32, s_add_co_i32) AS(s_sub_i32, s_sub_co_i32) \
  AS(s_addc_u32, s_add_co_ci_u32) AS(s_subb_u32, s_sub_co_ci_u32) AS(s_addk_i32, s_addk_co_i32) \
  AS(s_andn2_b32, s_and_not1_b32) AS(s_andn2_b64, s_and_not1_b64) AS(s_orn2_b32, s_or_not1_b32) \
  AS(s_orn2_b64, s_or_not1_b64) AS(s_andn2_saveexec_b64, s_and_not1_saveexec_b64) \
  AS(s_orn2_saveexec_b64, s_or_not1_saveexec_b64) AS(s_ff1_i32_b32, s_ctz_i32_b32) AS(s_ff1_i32_b64, s_ctz_i32_b64) \
  AS(s_flbit_i32_b32, s_clz_i32_u32) AS(s_flbit_i32_b64, s_clz_i32_u64) AS(s_flbit_i32, s_cls_i32) \
  AS(s_flbit_i32_i64, s_cls_i32_i64) AS(s_mov_fed_b32, s_mov_b32)
// clang-format on
#define ATOLL_LIST_SCALAR(name, ...) ATOLL_SCALAR_ENTRY(name)
// clang-format off: a list
#define ATOLL_SALU(SCALAR, LANES, WHOLE) \
  ATOLL_SALU_SAME(ATOLL_SCALAR_SHARED) ATOLL_SALU_RENAMED(ATOLL_SCALAR_SHARED_AS) ATOLL_COMPARES_K(ATOLL_LIST_SCALAR) \
  ATOLL_SCALAR_AS(s_max_i32, gfx7::s_max_i32) ATOLL_SCALAR_AS(s_max_u32, gfx7::s_max_u32) SCALAR(s_ff0_i32_b32) \
  SCALAR(s_ff0_i32_b64)
// clang-format on

}  // namespace Atoll::gfx7
