// Dot products of small floats: f16, bf16, FP8, BF8. RDNA4 ISA 7.2.2, 7.2.4, 7.7, 16.10, 16.12.
// The accumulator takes one product after the other, in the pseudocode's order; each product is exact before it is added.
#pragma once
#include "isa/amd/semantics/float_rules.h"
#include "isa/amd/semantics/lists.h"
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
template <class A>
auto bf16_to_f32(A&, typename A::U32 half) {
  return as_f32(half << 16);
}

// --- into f32

// Element of source n for the low (0) or the high (1) product. VOP3P: OP_SEL picks halves, NEG and NEG_HI negate them.
template <bool bf16, class A>
auto dot2_element(A& e, const Instruction& i, int n, int product) {
  auto x = float_pair(e, i, n, bf16);
  bool from_high = (product ? i.op_sel_hi : i.op_sel) >> n & 1, negated = (product ? i.neg_hi : i.neg) >> n & 1;
  x = from_high ? x >> 16 : x & 0xffffu;
  if (negated) x = x ^ 0x8000u;
  if constexpr (bf16)
    return bf16_to_f32(e, x);
  else
    return e.f16_of(x);
}
template <bool bf16, class A>
auto dot2_sum(A& e, const Instruction& i, typename A::F32 sum) {
  for (int product = 0; product < 2; product++)
    sum = fma(dot2_element<bf16>(e, i, 0, product), dot2_element<bf16>(e, i, 1, product), sum);
  return as_u32(sum);
}
template <bool bf16, class A>
void dot2_f32(A& e, const Instruction& i) {
  auto c = as_f32(e.u32(i, 2));
  e.set_u32(i, dot2_sum<bf16>(e, i, i.neg & 4 ? -c : c));
}
template <bool bf16, class A>
void dot2_accumulated(A& e, const Instruction& i) {  // VOPD, and nothing else: their rows have no ordinary instruction
  Instruction plain = i;
  plain.op_sel = plain.neg = plain.neg_hi = 0;
  plain.op_sel_hi = 7;
  e.set_u32(i, dot2_sum<bf16>(e, plain, as_f32(e.vgpr(i.dst))));
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
// Each sum is rounded to a half; denormals are kept (7.2.4).
template <class A>
void v_dot2_f16_f16(A& e, const Instruction& i) {
  auto a = negated_pair(e, i, 0, false), b = negated_pair(e, i, 1, false), sum = e.bits16(i, 2);
  for (int shift : {0, 16}) {
    auto x = cvt_f32_f16(a >> shift & 0xffffu), y = cvt_f32_f16(b >> shift & 0xffffu);
    auto wide = fma_f16(x, y, cvt_f32_f16(sum));
    sum = e.held(wide, cvt_f16_f32(wide));
  }
  e.set_u16(i, sum);
}
// A sum is rounded to bf16, to nearest even, and denormals are flushed. It is taken in f64; where that is not exact, its error
// (Knuth's two-sum) tells on which side of it the true sum lies, and an odd last bit keeps that for the second rounding.
template <class A>
auto bf16_fma(A& e, typename A::U32 a, typename A::U32 b, typename A::U32 c) {
  auto wide = [&](auto x) { return cvt_f64_f32(bf16_to_f32(e, x)); };
  auto product = wide(a) * wide(b), addend = wide(c), sum = product + addend;
  auto rest = sum - product, error = (product - (sum - rest)) + (addend - rest);
  auto inexact = (error < 0) | (error > 0), overshot = (error < 0) ^ (sum < 0);
  auto bits = as_u64(sum), odd = select(inexact, select(overshot, bits - 1, bits) | 1, bits);
  auto magnitude = (high(odd) & 0x7fffffffu) | select(low(odd) != 0u, e.core.u32(1), 0u), sign = high(odd) >> 16 & 0x8000u;
  auto rounded = (magnitude + 0xfffu + (magnitude >> 13 & 1u)) >> 13;  // f64's exponent and 7 bits
  constexpr uint32_t bias = (1023 - 127) << 7, smallest = bias + 0x80, infinity = 0x7f80;
  auto number = select(rounded < smallest, e.core.u32(0), umin(rounded - bias, e.core.u32(infinity)));
  auto nan = (magnitude >> 13 & 0x7fu) | 0x7fc0u;
  return sign | select(magnitude > 0x7ff00000u, nan, number);
}
template <class A>
void v_dot2_bf16_bf16(A& e, const Instruction& i) {
  auto flushed = [&](auto x) { return select((x & 0x7f80u) == 0u, x & 0x8000u, x); };
  auto c = is_inline_float(i.src[2]) ? e.core.u32(inline_bf16[i.src[2] - FLOAT_HALF]) : e.u16(i, 2);
  if (i.abs & 4) c = c & 0x7fffu;
  if (i.neg & 4) c = c ^ 0x8000u;
  auto a = negated_pair(e, i, 0, true), b = negated_pair(e, i, 1, true), sum = flushed(c);
  for (int shift : {0, 16}) sum = bf16_fma(e, flushed(a >> shift & 0xffffu), flushed(b >> shift & 0xffffu), sum);
  e.set_u16(i, sum);
}

// clang-format off: a list
#define ATOLL_FLOAT_DOT(SCALAR, LANES, WHOLE) \
  ATOLL_FLOAT8_DOTS(ATOLL_LIST_NAME, LANES) LANES(v_dot2_f32_f16) LANES(v_dot2_f32_bf16) LANES(v_dot2acc_f32_f16) \
  LANES(v_dot2acc_f32_bf16) LANES(v_dot2_f16_f16) LANES(v_dot2_bf16_bf16) \
  ATOLL_LANES_AS(v_dual_dot2acc_f32_f16, v_dot2acc_f32_f16) ATOLL_LANES_AS(v_dual_dot2acc_f32_bf16, v_dot2acc_f32_bf16)
// clang-format on

}  // namespace Atoll::rdna4
