// Dot products of small floats: f16, bf16, FP8, BF8. RDNA4 ISA 7.2.2, 7.2.4, 7.7, 16.10, 16.12.
// DOT2 sums as the card does (aligned_dot.h). Nothing is captured of DOT4: the accumulator takes one product after the other, in
// the pseudocode's order; each product is exact before it is added.
#pragma once
#include "isa/amd/semantics/float_rules.h"
#include "isa/amd/semantics/lists.h"
#include "isa/rdna4/semantics/aligned_dot.h"
#include "isa/rdna4/semantics/fp8.h"

namespace Atoll::rdna4 {

// A register of two 16-bit floats; an inline constant stands in both halves (7.2.2), in bf16 as the upper half of its f32.
template <class A>
auto float_pair(A& e, const Instruction& i, int n, bool bf16) {
  uint32_t operand = i.src[n];
  if (is_inline_float(operand)) return e.core.u32((bf16 ? inline_bf16 : inline_f16)[operand - FLOAT_HALF] * 0x10001u);
  if (is_inline_integer(operand)) return e.core.u32((uint32_t(inline_integer(operand)) & 0xffffu) * 0x10001u);
  return e.u32(i, n);
}

// --- into f32

// Element of source n for the low (0) or the high (1) product. VOP3P: OP_SEL picks halves, NEG and NEG_HI negate them.
template <bool bf16, class A>
auto dot2_element(A& e, const Instruction& i, int n, int product) {
  auto x = float_pair(e, i, n, bf16);
  bool from_high = (product ? i.op_sel_hi : i.op_sel) >> n & 1, negated = (product ? i.neg_hi : i.neg) >> n & 1;
  x = from_high ? x >> 16 : x & 0xffffu;
  return negated ? x ^ 0x8000u : x;
}
template <bool bf16, class A>
auto dot2_sum(A& e, const Instruction& i, typename A::U32 sum) {
  typename A::U32 a[2] = {dot2_element<bf16>(e, i, 0, 0), dot2_element<bf16>(e, i, 0, 1)};
  typename A::U32 b[2] = {dot2_element<bf16>(e, i, 1, 0), dot2_element<bf16>(e, i, 1, 1)};
  return aligned_dot<bf16, DotResult::f32>(a, b, sum, false);
}
template <bool bf16, class A>
void dot2_f32(A& e, const Instruction& i) {
  auto c = e.u32(i, 2);
  e.set_u32(i, dot2_sum<bf16>(e, i, i.neg & 4 ? c ^ 0x80000000u : c));
}
template <bool bf16, class A>
void dot2_accumulated(A& e, const Instruction& i) {  // VOPD, and nothing else: their rows have no ordinary instruction
  Instruction plain = i;
  plain.op_sel = plain.neg = plain.neg_hi = 0;
  plain.op_sel_hi = 7;
  e.set_u32(i, dot2_sum<bf16>(e, plain, e.vgpr(i.dst)));
}
template <class A>
void v_dot2_f32_f16(A& e, const Instruction& i) {
  dot2_f32<false>(e, i);
}
template <class A>
void v_dot2_f32_bf16(A& e, const Instruction& i) {
  dot2_f32<true>(e, i);
}
template <class A>
void v_dot2acc_f32_f16(A& e, const Instruction& i) {
  dot2_accumulated<false>(e, i);
}
template <class A>
void v_dot2acc_f32_bf16(A& e, const Instruction& i) {
  dot2_accumulated<true>(e, i);
}

// Four bytes each. NEG_HI of source 2 is its absolute value; CLAMP is not supported.
#define ATOLL_FLOAT8_DOTS(ROW, P)                    \
  ROW(P, v_dot4_f32_fp8_bf8, fp8_to_f32, bf8_to_f32) \
  ROW(P, v_dot4_f32_bf8_fp8, bf8_to_f32, fp8_to_f32) \
  ROW(P, v_dot4_f32_fp8_fp8, fp8_to_f32, fp8_to_f32) \
  ROW(P, v_dot4_f32_bf8_bf8, bf8_to_f32, bf8_to_f32)
#define ATOLL_DEFINE(P, name, from_a, from_b)                                                                     \
  template <class A>                                                                                              \
  void name(A& e, const Instruction& i) {                                                                         \
    auto a = e.u32(i, 0), b = e.u32(i, 1);                                                                        \
    auto sum = as_f32(e.u32(i, 2));                                                                               \
    if (i.neg_hi & 4) sum = fabs(sum);                                                                            \
    if (i.neg & 4) sum = -sum;                                                                                    \
    for (int n = 0; n < 4; n++) sum = fma(from_a(e, a >> (8 * n) & 0xffu), from_b(e, b >> (8 * n) & 0xffu), sum); \
    e.set_u32(i, as_u32(sum));                                                                                    \
  }
ATOLL_FLOAT8_DOTS(ATOLL_DEFINE, )
#undef ATOLL_DEFINE

// --- into 16 bits: VOP3, OPSEL[2] and [3] pick the halves of source 2 and of the destination
template <class A>
auto negated_pair(A& e, const Instruction& i, int n, bool bf16) {
  auto x = float_pair(e, i, n, bf16);
  return i.neg >> n & 1 ? x ^ 0x80008000u : x;
}
template <bool bf16, class A>
auto dot2_of_pairs(A& e, const Instruction& i, typename A::U32 c) {
  auto x = negated_pair(e, i, 0, bf16), y = negated_pair(e, i, 1, bf16);
  typename A::U32 a[2] = {x & 0xffffu, x >> 16}, b[2] = {y & 0xffffu, y >> 16};
  return aligned_dot<bf16, bf16 ? DotResult::bf16 : DotResult::f16>(a, b, c, e.core.float_mode().clamp_halves);
}
template <class A>
void v_dot2_f16_f16(A& e, const Instruction& i) {
  e.set_u16(i, dot2_of_pairs<false>(e, i, as_u32(cvt_f32_f16(e.bits16(i, 2)))));
}
template <class A>
void v_dot2_bf16_bf16(A& e, const Instruction& i) {
  auto c = is_inline_float(i.src[2]) ? e.core.u32(inline_bf16[i.src[2] - FLOAT_HALF]) : e.u16(i, 2);
  if (i.abs & 4) c = c & 0x7fffu;
  if (i.neg & 4) c = c ^ 0x8000u;
  e.set_u16(i, dot2_of_pairs<true>(e, i, c << 16));
}

// clang-format off: a list
#define ATOLL_FLOAT_DOT(SCALAR, LANES, WHOLE) \
  ATOLL_FLOAT8_DOTS(ATOLL_LIST_NAME, LANES) LANES(v_dot2_f32_f16) LANES(v_dot2_f32_bf16) LANES(v_dot2acc_f32_f16) \
  LANES(v_dot2acc_f32_bf16) LANES(v_dot2_f16_f16) LANES(v_dot2_bf16_bf16) \
  ATOLL_LANES_AS(v_dual_dot2acc_f32_f16, v_dot2acc_f32_f16) ATOLL_LANES_AS(v_dual_dot2acc_f32_bf16, v_dot2acc_f32_bf16)
// clang-format on

}  // namespace Atoll::rdna4
