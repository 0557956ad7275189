// RDNA4's float arithmetic: isa/amd/semantics/valu_float.h. RDNA4 ISA 16.7, 16.8, 16.12.
#pragma once
#include "isa/amd/semantics/valu_float.h"
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

// clang-format off: a list
#define ATOLL_VALU_FLOAT(SCALAR, LANES, WHOLE) \
  ATOLL_FLOAT_UNARY(ATOLL_LIST_NAME, LANES) ATOLL_FLOAT_BINARY(ATOLL_LIST_NAME, LANES) \
  ATOLL_FLOAT_TERNARY(ATOLL_LIST_NAME, LANES) LANES(v_fmac_f32) LANES(v_fmac_f16) LANES(v_frexp_exp_i32_f32) \
  LANES(v_frexp_exp_i32_f64) LANES(v_frexp_exp_i16_f16) LANES(v_ldexp_f32) LANES(v_ldexp_f64) LANES(v_ldexp_f16)
// clang-format on

}  // namespace Atoll::rdna4
