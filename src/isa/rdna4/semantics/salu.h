// RDNA4's scalar instructions on integers and bits: isa/amd/semantics/salu.h, and moves by index. RDNA4 ISA 16.1-16.4.
#pragma once
#include "isa/amd/semantics/salu.h"
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

// --- relative moves: the register number is known only when they run (salu_indexed.cpp) ----------------------------------------
void s_movrels_b32(wave::Wave& wave, const Instruction& i);
void s_movrels_b64(wave::Wave& wave, const Instruction& i);
void s_movreld_b32(wave::Wave& wave, const Instruction& i);
void s_movreld_b64(wave::Wave& wave, const Instruction& i);
void s_movrelsd_2_b32(wave::Wave& wave, const Instruction& i);

// clang-format off: a list
#define ATOLL_SALU_MOVES(SCALAR) \
  SCALAR(s_mov_b32) SCALAR(s_mov_b64) SCALAR(s_movk_i32) SCALAR(s_cmov_b32) SCALAR(s_cmov_b64) SCALAR(s_cmovk_i32) \
  SCALAR(s_cselect_b32) SCALAR(s_cselect_b64) SCALAR(s_version)
// clang-format on

// clang-format off: a list
#define ATOLL_SALU_ARITHMETIC(SCALAR) \
  SCALAR(s_add_co_u32) SCALAR(s_sub_co_u32) SCALAR(s_add_co_i32) SCALAR(s_sub_co_i32) SCALAR(s_add_co_ci_u32) \
  SCALAR(s_sub_co_ci_u32) SCALAR(s_addk_co_i32) SCALAR(s_mulk_i32) SCALAR(s_absdiff_i32) SCALAR(s_abs_i32) \
  SCALAR(s_lshl1_add_u32) SCALAR(s_lshl2_add_u32) SCALAR(s_lshl3_add_u32) SCALAR(s_lshl4_add_u32) SCALAR(s_min_i32) \
  SCALAR(s_min_u32) SCALAR(s_max_i32) SCALAR(s_max_u32) SCALAR(s_mul_i32) SCALAR(s_mul_hi_u32) SCALAR(s_mul_hi_i32) \
  SCALAR(s_add_nc_u64) SCALAR(s_sub_nc_u64) SCALAR(s_mul_u64) SCALAR(s_sext_i32_i8) SCALAR(s_sext_i32_i16) \
  SCALAR(s_pack_ll_b32_b16) SCALAR(s_pack_lh_b32_b16) SCALAR(s_pack_hh_b32_b16) SCALAR(s_pack_hl_b32_b16)
// clang-format on

#define ATOLL_LIST_LOGIC(name, expression) ATOLL_SCALAR_ENTRY(s_##name##_b32) ATOLL_SCALAR_ENTRY(s_##name##_b64)

#define ATOLL_LIST_SAVEEXEC(name, expression) \
  ATOLL_SCALAR_ENTRY(s_##name##_saveexec_b32) ATOLL_SCALAR_ENTRY(s_##name##_saveexec_b64)

// clang-format off: a list
#define ATOLL_SALU_LOGIC_LIST(SCALAR) \
  ATOLL_SALU_LOGIC(ATOLL_LIST_LOGIC) ATOLL_SALU_LOGIC_ON_EXEC(ATOLL_LIST_SAVEEXEC) SCALAR(s_and_not0_wrexec_b32) \
  SCALAR(s_and_not0_wrexec_b64) SCALAR(s_and_not1_wrexec_b32) SCALAR(s_and_not1_wrexec_b64) SCALAR(s_not_b32) \
  SCALAR(s_not_b64)
// clang-format on

// clang-format off: a list
#define ATOLL_SALU_SHIFTS(SCALAR) \
  SCALAR(s_lshl_b32) SCALAR(s_lshl_b64) SCALAR(s_lshr_b32) SCALAR(s_lshr_b64) SCALAR(s_ashr_i32) SCALAR(s_ashr_i64) \
  SCALAR(s_bfm_b32) SCALAR(s_bfm_b64) SCALAR(s_bfe_u32) SCALAR(s_bfe_i32) SCALAR(s_bfe_u64) SCALAR(s_bfe_i64) \
  SCALAR(s_bitset0_b32) SCALAR(s_bitset0_b64) SCALAR(s_bitset1_b32) SCALAR(s_bitset1_b64)
// clang-format on

// clang-format off: a list
#define ATOLL_SALU_COUNTS(SCALAR) \
  SCALAR(s_brev_b32) SCALAR(s_brev_b64) SCALAR(s_ctz_i32_b32) SCALAR(s_ctz_i32_b64) SCALAR(s_clz_i32_u32) \
  SCALAR(s_clz_i32_u64) SCALAR(s_cls_i32) SCALAR(s_cls_i32_i64) SCALAR(s_bcnt0_i32_b32) SCALAR(s_bcnt0_i32_b64) \
  SCALAR(s_bcnt1_i32_b32) SCALAR(s_bcnt1_i32_b64) SCALAR(s_wqm_b32) SCALAR(s_wqm_b64) SCALAR(s_quadmask_b32) \
  SCALAR(s_quadmask_b64) SCALAR(s_bitreplicate_b64_b32)
// clang-format on

#define ATOLL_LIST_COMPARE(name, width, condition) ATOLL_SCALAR_ENTRY(name)

#define ATOLL_SALU_COMPARE_LIST(SCALAR) \
  ATOLL_SALU_COMPARES(ATOLL_LIST_COMPARE) SCALAR(s_bitcmp0_b32) SCALAR(s_bitcmp1_b32) SCALAR(s_bitcmp0_b64) SCALAR(s_bitcmp1_b64)

// clang-format off: a list
#define ATOLL_SALU(SCALAR, LANES, WHOLE) \
  ATOLL_SALU_MOVES(SCALAR) ATOLL_SALU_ARITHMETIC(SCALAR) ATOLL_SALU_LOGIC_LIST(SCALAR) ATOLL_SALU_SHIFTS(SCALAR) \
  ATOLL_SALU_COUNTS(SCALAR) ATOLL_SALU_COMPARE_LIST(SCALAR) WHOLE(s_movrels_b32) WHOLE(s_movrels_b64) WHOLE(s_movreld_b32) \
  WHOLE(s_movreld_b64) WHOLE(s_movrelsd_2_b32)
// clang-format on

}  // namespace Atoll::rdna4
