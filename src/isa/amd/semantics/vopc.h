// Comparisons into lane masks: V_CMP_* writes i.sdst (VCC in the short form), V_CMPX_* writes EXEC. RDNA4 ISA 7.2.3, 16.9.
// Bits of inactive lanes become 0. CLAMP only asks for signalling, which is not modelled.
#pragma once
#include "isa/amd/adaptor.h"
#include "isa/amd/semantics/lists.h"

namespace Atoll::amd {

template <class A>
void set_comparison(A& e, const typename A::Instruction& i, typename A::M m) {
  e.set_comparison(i, m);
}

// 64-bit integers are compared by halves.
template <class P>
auto pair_equal(P a, P b) {
  return (a.low == b.low) & (a.high == b.high);
}
template <class P>
auto pair_below(P a, P b, bool is_signed) {
  return (is_signed ? slt(a.high, b.high) : a.high < b.high) | ((a.high == b.high) & (a.low < b.low));
}

// --- integers: six conditions of six types. LESS(a, b), EQUAL(a, b) and the sources are the type's.
#define ATOLL_LESS_U(a, b) a < b
#define ATOLL_LESS_S(a, b) slt(a, b)
#define ATOLL_LESS_U64(a, b) pair_below(a, b, false)
#define ATOLL_LESS_S64(a, b) pair_below(a, b, true)
#define ATOLL_EQUAL_32(a, b) a == b
#define ATOLL_EQUAL_64(a, b) pair_equal(a, b)
#define ATOLL_INTEGER_TYPES(ROW, CMP)                        \
  ROW(CMP, i16, i16, ATOLL_LESS_S, ATOLL_EQUAL_32)           \
  ROW(CMP, u16, u16, ATOLL_LESS_U, ATOLL_EQUAL_32)           \
  ROW(CMP, i32, u32, ATOLL_LESS_S, ATOLL_EQUAL_32)           \
  ROW(CMP, u32, u32, ATOLL_LESS_U, ATOLL_EQUAL_32)           \
  ROW(CMP, i64, signed_pair, ATOLL_LESS_S64, ATOLL_EQUAL_64) \
  ROW(CMP, u64, pair, ATOLL_LESS_U64, ATOLL_EQUAL_64)
#define ATOLL_INTEGER_CONDITIONS(ROW, CMP, type, source, LESS, EQUAL) \
  ROW(CMP##_lt_##type, source, LESS(a, b))                            \
  ROW(CMP##_eq_##type, source, EQUAL(a, b))                           \
  ROW(CMP##_le_##type, source, ~(LESS(b, a)))                         \
  ROW(CMP##_gt_##type, source, LESS(b, a))                            \
  ROW(CMP##_ne_##type, source, ~(EQUAL(a, b)))                        \
  ROW(CMP##_ge_##type, source, ~(LESS(a, b)))

// --- floats: fourteen conditions of three types; those named N are true when unordered.
#define ATOLL_FLOAT_TYPES(ROW, CMP) ROW(CMP, f16) ROW(CMP, f32) ROW(CMP, f64)
#define ATOLL_FLOAT_CONDITIONS(ROW, CMP, type)      \
  ROW(CMP##_lt_##type, type, a < b)                 \
  ROW(CMP##_eq_##type, type, a == b)                \
  ROW(CMP##_le_##type, type, a <= b)                \
  ROW(CMP##_gt_##type, type, a > b)                 \
  ROW(CMP##_lg_##type, type, (a < b) | (a > b))     \
  ROW(CMP##_ge_##type, type, a >= b)                \
  ROW(CMP##_o_##type, type, ~unordered(a, b))       \
  ROW(CMP##_u_##type, type, unordered(a, b))        \
  ROW(CMP##_nge_##type, type, ~(a >= b))            \
  ROW(CMP##_nlg_##type, type, ~((a < b) | (a > b))) \
  ROW(CMP##_ngt_##type, type, ~(a > b))             \
  ROW(CMP##_nle_##type, type, ~(a <= b))            \
  ROW(CMP##_neq_##type, type, ~(a == b))            \
  ROW(CMP##_nlt_##type, type, ~(a < b))

#define ATOLL_DEFINE(name, source, ...)               \
  template <class A>                                  \
  void name(A& e, const typename A::Instruction& i) { \
    auto a = e.source(i, 0), b = e.source(i, 1);      \
    set_comparison(e, i, __VA_ARGS__);                \
  }
#define ATOLL_DEFINE_INTEGER(CMP, type, source, LESS, EQUAL) \
  ATOLL_INTEGER_CONDITIONS(ATOLL_DEFINE, CMP, type, source, LESS, EQUAL)
#define ATOLL_DEFINE_FLOAT(CMP, type) ATOLL_FLOAT_CONDITIONS(ATOLL_DEFINE, CMP, type)
ATOLL_INTEGER_TYPES(ATOLL_DEFINE_INTEGER, v_cmp)
ATOLL_INTEGER_TYPES(ATOLL_DEFINE_INTEGER, v_cmpx)
ATOLL_FLOAT_TYPES(ATOLL_DEFINE_FLOAT, v_cmp)
ATOLL_FLOAT_TYPES(ATOLL_DEFINE_FLOAT, v_cmpx)
#undef ATOLL_DEFINE_FLOAT
#undef ATOLL_DEFINE_INTEGER
#undef ATOLL_DEFINE

// --- class: bit n of source 1 asks for class n. Looks at the bits; MODE does not flush what it reads.
// `magnitude` has no sign; infinity and the quiet bit are those of the format's high word, `rest` the bits below it.
template <class A>
void set_class(A& e, const typename A::Instruction& i, typename A::M negative, typename A::U32 magnitude, typename A::U32 rest,
               uint32_t infinity, uint32_t quiet, typename A::U32 wanted) {
  auto u = [&](uint32_t n) { return e.core.u32(n); };
  uint32_t smallest_normal = infinity & (~infinity + 1u);  // the exponent's lowest bit
  auto nan = (magnitude > infinity) | ((magnitude == infinity) & (rest != 0u));
  auto zero = (magnitude | rest) == 0u;
  auto number = select(zero, select(negative, u(5), u(6)),
                       select(magnitude < smallest_normal, select(negative, u(4), u(7)),
                              select(magnitude < infinity, select(negative, u(3), u(8)), select(negative, u(2), u(9)))));
  auto which = select(nan, select((magnitude & quiet) != 0u, u(1), u(0)), number);
  set_comparison(e, i, ((wanted >> which) & 1u) != 0u);
}
template <class A>
void class_f16(A& e, const typename A::Instruction& i) {
  auto x = e.bits16(i, 0), wanted = e.u32(i, 1);
  if (i.op_sel & 2) wanted = wanted >> 16;
  set_class(e, i, (x & 0x8000u) != 0u, x & 0x7fffu, e.core.u32(0), 0x7c00, 0x200, wanted);
}
template <class A>
void class_f32(A& e, const typename A::Instruction& i) {
  auto x = as_u32(e.f32(i, 0));
  set_class(e, i, slt(x, 0u), x & 0x7fffffffu, e.core.u32(0), 0x7f800000, 0x400000, e.u32(i, 1));
}
template <class A>
void class_f64(A& e, const typename A::Instruction& i) {
  auto x = as_u64(e.f64(i, 0));
  set_class(e, i, slt(high(x), 0u), high(x) & 0x7fffffffu, low(x), 0x7ff00000, 0x80000, e.u32(i, 1));
}
template <class A>
void v_cmp_class_f16(A& e, const typename A::Instruction& i) {
  class_f16(e, i);
}
template <class A>
void v_cmp_class_f32(A& e, const typename A::Instruction& i) {
  class_f32(e, i);
}
template <class A>
void v_cmp_class_f64(A& e, const typename A::Instruction& i) {
  class_f64(e, i);
}
template <class A>
void v_cmpx_class_f16(A& e, const typename A::Instruction& i) {
  class_f16(e, i);
}
template <class A>
void v_cmpx_class_f32(A& e, const typename A::Instruction& i) {
  class_f32(e, i);
}
template <class A>
void v_cmpx_class_f64(A& e, const typename A::Instruction& i) {
  class_f64(e, i);
}

// Registered as four groups of names to keep each .cpp's list a plain expansion.
#define ATOLL_VOPC_INTEGER_NAMES(CMP, LANES, type) \
  LANES(CMP##_lt_##type)                           \
  LANES(CMP##_eq_##type) LANES(CMP##_le_##type) LANES(CMP##_gt_##type) LANES(CMP##_ne_##type) LANES(CMP##_ge_##type)
// clang-format off: a list
#define ATOLL_VOPC_FLOAT_NAMES(CMP, LANES, type) \
  LANES(CMP##_lt_##type) LANES(CMP##_eq_##type) LANES(CMP##_le_##type) LANES(CMP##_gt_##type) LANES(CMP##_lg_##type) \
  LANES(CMP##_ge_##type) LANES(CMP##_o_##type) LANES(CMP##_u_##type) LANES(CMP##_nge_##type) LANES(CMP##_nlg_##type) \
  LANES(CMP##_ngt_##type) LANES(CMP##_nle_##type) LANES(CMP##_neq_##type) LANES(CMP##_nlt_##type) LANES(CMP##_class_##type)
#define ATOLL_VOPC_NAMES(CMP, LANES) \
  ATOLL_VOPC_INTEGER_NAMES(CMP, LANES, i16) ATOLL_VOPC_INTEGER_NAMES(CMP, LANES, u16) \
  ATOLL_VOPC_INTEGER_NAMES(CMP, LANES, i32) ATOLL_VOPC_INTEGER_NAMES(CMP, LANES, u32) \
  ATOLL_VOPC_INTEGER_NAMES(CMP, LANES, i64) ATOLL_VOPC_INTEGER_NAMES(CMP, LANES, u64) \
  ATOLL_VOPC_FLOAT_NAMES(CMP, LANES, f16) ATOLL_VOPC_FLOAT_NAMES(CMP, LANES, f32) ATOLL_VOPC_FLOAT_NAMES(CMP, LANES, f64)
// clang-format on

}  // namespace Atoll::amd
