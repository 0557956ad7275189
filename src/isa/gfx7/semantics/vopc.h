// Comparisons into lane masks: V_CMP_* and V_CMPS_* write a pair of SGPRs (VCC in the short form), V_CMPX_* and V_CMPSX_* EXEC as
// well. The S forms would signal NaNs, which is not modelled. Sea Islands register guide section 4 (SQ_VOPC);
// isa/amd/semantics/vopc.h.
#pragma once
#include "isa/amd/semantics/vopc.h"
#include "isa/gfx7/adaptor.h"

namespace Atoll::gfx7 {

template <class A>
void never(A& e, const Instruction& i) {
  e.set_comparison(i, e.core.m(false));
}
template <class A>
void always(A& e, const Instruction& i) {
  e.set_comparison(i, e.core.m(true));
}

// `TRUE` is the name of the condition that always holds.
#define ATOLL_INTEGER_COMPARES(CMP, type)                 \
  ATOLL_LANES_AS(CMP##_f_##type, never)                   \
  ATOLL_LANES_SHARED_AS(CMP##_lt_##type, v_cmp_lt_##type) \
  ATOLL_LANES_SHARED_AS(CMP##_eq_##type, v_cmp_eq_##type) \
  ATOLL_LANES_SHARED_AS(CMP##_le_##type, v_cmp_le_##type) \
  ATOLL_LANES_SHARED_AS(CMP##_gt_##type, v_cmp_gt_##type) \
  ATOLL_LANES_SHARED_AS(CMP##_ne_##type, v_cmp_ne_##type) \
  ATOLL_LANES_SHARED_AS(CMP##_ge_##type, v_cmp_ge_##type) \
  ATOLL_LANES_AS(CMP##_t_##type, always)
#define ATOLL_FLOAT_COMPARES(CMP, type)                     \
  ATOLL_LANES_AS(CMP##_f_##type, never)                     \
  ATOLL_LANES_SHARED_AS(CMP##_lt_##type, v_cmp_lt_##type)   \
  ATOLL_LANES_SHARED_AS(CMP##_eq_##type, v_cmp_eq_##type)   \
  ATOLL_LANES_SHARED_AS(CMP##_le_##type, v_cmp_le_##type)   \
  ATOLL_LANES_SHARED_AS(CMP##_gt_##type, v_cmp_gt_##type)   \
  ATOLL_LANES_SHARED_AS(CMP##_lg_##type, v_cmp_lg_##type)   \
  ATOLL_LANES_SHARED_AS(CMP##_ge_##type, v_cmp_ge_##type)   \
  ATOLL_LANES_SHARED_AS(CMP##_o_##type, v_cmp_o_##type)     \
  ATOLL_LANES_SHARED_AS(CMP##_u_##type, v_cmp_u_##type)     \
  ATOLL_LANES_SHARED_AS(CMP##_nge_##type, v_cmp_nge_##type) \
  ATOLL_LANES_SHARED_AS(CMP##_nlg_##type, v_cmp_nlg_##type) \
  ATOLL_LANES_SHARED_AS(CMP##_ngt_##type, v_cmp_ngt_##type) \
  ATOLL_LANES_SHARED_AS(CMP##_nle_##type, v_cmp_nle_##type) \
  ATOLL_LANES_SHARED_AS(CMP##_neq_##type, v_cmp_neq_##type) \
  ATOLL_LANES_SHARED_AS(CMP##_nlt_##type, v_cmp_nlt_##type) \
  ATOLL_LANES_AS(CMP##_tru_##type, always)
// clang-format off: a list
#define ATOLL_COMPARES(CMP) \
  ATOLL_INTEGER_COMPARES(CMP, i32) ATOLL_INTEGER_COMPARES(CMP, u32) ATOLL_INTEGER_COMPARES(CMP, i64) \
  ATOLL_INTEGER_COMPARES(CMP, u64) ATOLL_LANES_SHARED_AS(CMP##_class_f32, v_cmp_class_f32) \
  ATOLL_LANES_SHARED_AS(CMP##_class_f64, v_cmp_class_f64)
// clang-format on
#define ATOLL_ALL_FLOAT_COMPARES(CMP) ATOLL_FLOAT_COMPARES(CMP, f32) ATOLL_FLOAT_COMPARES(CMP, f64)
#define ATOLL_VOPC(SCALAR, LANES, WHOLE) \
  ATOLL_COMPARES(v_cmp)                  \
  ATOLL_COMPARES(v_cmpx)                 \
  ATOLL_ALL_FLOAT_COMPARES(v_cmp)        \
  ATOLL_ALL_FLOAT_COMPARES(v_cmpx) ATOLL_ALL_FLOAT_COMPARES(v_cmps) ATOLL_ALL_FLOAT_COMPARES(v_cmpsx)

}  // namespace Atoll::gfx7
