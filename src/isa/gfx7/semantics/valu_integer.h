// Vector ALU on integers and bits. Sea Islands register guide section 4 (SQ_VOP1, SQ_VOP2, SQ_VOP3); what the instructions do:
// isa/amd/semantics/valu_integer.h. Additions here carry out into VCC or an SGPR pair, and CLAMP does not exist.
#pragma once
#include "isa/amd/semantics/valu_integer.h"
#include "isa/gfx7/adaptor.h"

namespace Atoll::gfx7 {

// Shifts with the value first; the count's low 5 (6) bits.
template <class A>
void v_lshl_b32(A& e, const Instruction& i) {
  e.set_u32(i, e.u32(i, 0) << (e.u32(i, 1) & 31u));
}
template <class A>
void v_lshr_b32(A& e, const Instruction& i) {
  e.set_u32(i, e.u32(i, 0) >> (e.u32(i, 1) & 31u));
}
template <class A>
void v_ashr_i32(A& e, const Instruction& i) {
  e.set_u32(i, ashr(e.u32(i, 0), e.u32(i, 1) & 31u));
}
template <class A>
void v_lshl_b64(A& e, const Instruction& i) {
  shift_lshl_b64(e, i, 0, 1);
}
template <class A>
void v_lshr_b64(A& e, const Instruction& i) {
  shift_lshr_b64(e, i, 0, 1);
}
template <class A>
void v_ashr_i64(A& e, const Instruction& i) {
  shift_ashr_i64(e, i, 0, 1);
}

// SAME: isa/amd has it by this name. AS: by another one.
// clang-format off: a list
#define ATOLL_VALU_INTEGER_SAME(SAME) \
  SAME(v_not_b32) SAME(v_bfrev_b32) SAME(v_and_b32) SAME(v_or_b32) SAME(v_xor_b32) SAME(v_lshlrev_b32) SAME(v_lshrrev_b32) \
  SAME(v_ashrrev_i32) SAME(v_min_i32) SAME(v_max_i32) SAME(v_min_u32) SAME(v_max_u32) SAME(v_mul_i32_i24) \
  SAME(v_mul_hi_i32_i24) SAME(v_mul_u32_u24) SAME(v_mul_hi_u32_u24) SAME(v_mul_lo_u32) SAME(v_mul_hi_u32) SAME(v_mul_hi_i32) \
  SAME(v_bfm_b32) SAME(v_bcnt_u32_b32) SAME(v_mbcnt_lo_u32_b32) SAME(v_mbcnt_hi_u32_b32) SAME(v_bfe_u32) SAME(v_bfe_i32) \
  SAME(v_bfi_b32) SAME(v_lerp_u8) SAME(v_alignbit_b32) SAME(v_alignbyte_b32) SAME(v_min3_i32) SAME(v_min3_u32) \
  SAME(v_max3_i32) SAME(v_max3_u32) SAME(v_med3_i32) SAME(v_med3_u32) SAME(v_sad_u8) SAME(v_sad_hi_u8) SAME(v_sad_u16) \
  SAME(v_sad_u32) SAME(v_msad_u8) SAME(v_qsad_pk_u16_u8) SAME(v_mqsad_pk_u16_u8) SAME(v_mqsad_u32_u8) SAME(v_mad_i32_i24) \
  SAME(v_mad_u32_u24)
#define ATOLL_VALU_INTEGER_RENAMED(AS) \
  AS(v_add_i32, v_add_co_u32) AS(v_sub_i32, v_sub_co_u32) AS(v_subrev_i32, v_subrev_co_u32) AS(v_addc_u32, v_add_co_ci_u32) \
  AS(v_subb_u32, v_sub_co_ci_u32) AS(v_subbrev_u32, v_subrev_co_ci_u32) AS(v_mul_lo_i32, v_mul_lo_u32) \
  AS(v_mad_u64_u32, v_mad_co_u64_u32) AS(v_mad_i64_i32, v_mad_co_i64_i32) AS(v_ffbh_u32, v_clz_i32_u32) \
  AS(v_ffbl_b32, v_ctz_i32_b32) AS(v_ffbh_i32, v_cls_i32)
// clang-format on
#define ATOLL_VALU_INTEGER(SCALAR, LANES, WHOLE)    \
  ATOLL_VALU_INTEGER_SAME(ATOLL_LANES_SHARED)       \
  ATOLL_VALU_INTEGER_RENAMED(ATOLL_LANES_SHARED_AS) \
  LANES(v_lshl_b32) LANES(v_lshr_b32) LANES(v_ashr_i32) LANES(v_lshl_b64) LANES(v_lshr_b64) LANES(v_ashr_i64)

}  // namespace Atoll::gfx7
