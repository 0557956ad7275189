// RDNA4's integer instructions: isa/amd/semantics/valu_integer.h. RDNA4 ISA 16.7, 16.8, 16.12.
#pragma once
#include "isa/amd/semantics/valu_integer.h"
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

// clang-format off: a list
#define ATOLL_VALU_INTEGER(SCALAR, LANES, WHOLE) \
  ATOLL_INTEGER_UNARY(ATOLL_LIST_NAME, LANES) ATOLL_INTEGER_BINARY(ATOLL_LIST_NAME, LANES) \
  ATOLL_INTEGER_TERNARY(ATOLL_LIST_NAME, LANES) ATOLL_DIFFERENCE_SUMS(ATOLL_LIST_NAME, LANES) LANES(v_add_nc_u32) \
  LANES(v_sub_nc_u32) LANES(v_subrev_nc_u32) LANES(v_add_nc_i32) LANES(v_sub_nc_i32) LANES(v_add_co_u32) LANES(v_sub_co_u32) \
  LANES(v_subrev_co_u32) LANES(v_add_co_ci_u32) LANES(v_sub_co_ci_u32) LANES(v_subrev_co_ci_u32) LANES(v_mul_u32_u24) \
  LANES(v_mul_i32_i24) LANES(v_mad_u32_u24) LANES(v_mad_i32_i24) LANES(v_mad_u32_u16) LANES(v_mad_i32_i16) \
  LANES(v_mad_co_u64_u32) LANES(v_mad_co_i64_i32) LANES(v_lshlrev_b64) LANES(v_lshrrev_b64) LANES(v_ashrrev_i64) \
  LANES(v_qsad_pk_u16_u8) LANES(v_mqsad_pk_u16_u8) LANES(v_mqsad_u32_u8) LANES(v_swap_b32)
// clang-format on

}  // namespace Atoll::rdna4
