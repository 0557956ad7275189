// Packed 16-bit integers: two results from the halves that OP_SEL (low result) and OP_SEL_HI (high result) pick.
// RDNA4 ISA 7.7, 16.10. An inline constant of an integer instruction is its 32 bits (LLVM, AMDGPUBaseInfo:
// getInlineEncodingV216).
#pragma once
#include "isa/rdna4/semantics/valu_integer.h"
#include "isa/rdna4/semantics/valu_integer16.h"

namespace Atoll::rdna4 {

// The half of source n for the low or for the high result, zero- or sign-extended.
template <class A>
auto packed_u16(A& e, const Instruction& i, int n, bool high_result) {
  auto x = e.u32(i, n);
  return (high_result ? i.op_sel_hi : i.op_sel) >> n & 1 ? x >> 16 : x & 0xffffu;
}
template <class A>
auto packed_i16(A& e, const Instruction& i, int n, bool high_result) {
  auto x = e.u32(i, n);
  return ashr((high_result ? i.op_sel_hi : i.op_sel) >> n & 1 ? x : x << 16, 16);
}

// Sources, the exact result, and the same saturated for CLAMP.
#define ATOLL_PACKED_INTEGER_ROWS(ROW, P)                                         \
  ROW(P, v_pk_add_u16, 2, packed_u16, a + b, saturated_u16(e, a + b))             \
  ROW(P, v_pk_add_i16, 2, packed_i16, a + b, saturated_s16(e, a + b))             \
  ROW(P, v_pk_sub_u16, 2, packed_u16, a - b, select(a < b, e.core.u32(0), a - b)) \
  ROW(P, v_pk_sub_i16, 2, packed_i16, a - b, saturated_s16(e, a - b))             \
  ROW(P, v_pk_mul_lo_u16, 2, packed_u16, a* b, saturated_u16(e, a* b))            \
  ROW(P, v_pk_mad_u16, 3, packed_u16, a* b + c, saturated_u16(e, a * b + c))      \
  ROW(P, v_pk_mad_i16, 3, packed_i16, a* b + c, saturated_s16(e, a * b + c))      \
  ROW(P, v_pk_max_u16, 2, packed_u16, umax(a, b), umax(a, b))                     \
  ROW(P, v_pk_max_i16, 2, packed_i16, smax(a, b), smax(a, b))                     \
  ROW(P, v_pk_min_u16, 2, packed_u16, umin(a, b), umin(a, b))                     \
  ROW(P, v_pk_min_i16, 2, packed_i16, smin(a, b), smin(a, b))                     \
  ROW(P, v_pk_lshlrev_b16, 2, packed_u16, b << (a & 15u), b << (a & 15u))         \
  ROW(P, v_pk_lshrrev_b16, 2, packed_u16, b >> (a & 15u), b >> (a & 15u))         \
  ROW(P, v_pk_ashrrev_i16, 2, packed_i16, ashr(b, a & 15u), ashr(b, a & 15u))
#define ATOLL_DEFINE(P, name, sources, source, result, saturated)                                              \
  template <class A>                                                                                           \
  void name(A& e, const Instruction& i) {                                                                      \
    auto half = [&](bool high) {                                                                               \
      auto a = source(e, i, 0, high), b = source(e, i, 1, high), c = sources == 3 ? source(e, i, 2, high) : a; \
      (void)c;                                                                                                 \
      return i.clamp ? saturated : result;                                                                     \
    };                                                                                                         \
    e.set_u32(i, (half(false) & 0xffffu) | half(true) << 16);                                                  \
  }
ATOLL_PACKED_INTEGER_ROWS(ATOLL_DEFINE, )
#undef ATOLL_DEFINE

// --- dot products of bytes and nibbles ---------------------------------------------------------------------------------------
// OP_SEL and OP_SEL_HI pick the halves of a register that stand for the low and the high half of sources 0 and 1; inline
// constants are taken as they are (table of 7.7.2).
template <class A>
auto packed_word(A& e, const Instruction& i, int n) {
  auto x = e.u32(i, n);
  bool low_from_high = i.op_sel >> n & 1, high_from_high = i.op_sel_hi >> n & 1;
  if (is_inline_integer(i.src[n]) || is_inline_float(i.src[n]) || (!low_from_high && high_from_high)) return x;
  if (low_from_high && !high_from_high) return fshr(x, x, e.core.u32(16));
  return low_from_high ? (x & 0xffff0000u) | x >> 16 : (x & 0xffffu) | x << 16;
}
// The exact sum of products is small. NEG says which sources are signed. CLAMP saturates the result: 7.2.3.1 lists the DOT4 forms
// among those that ignore it, but compilers use it (docs/errata.md).
template <class A>
void integer_dot(A& e, const Instruction& i, int bits, bool mixed_signs) {
  auto a = packed_word(e, i, 0), b = packed_word(e, i, 1), c = e.u32(i, 2), sum = e.core.u32(0);
  auto element = [&](auto x, int n, int source) {
    auto at_top = x << (32 - bits * (n + 1));
    return mixed_signs && i.neg >> source & 1 ? ashr(at_top, 32 - bits) : at_top >> (32 - bits);
  };
  for (int n = 0; n < 32 / bits; n++) sum = sum + element(a, n, 0) * element(b, n, 1);
  auto d = sum + c;
  if (i.clamp && mixed_signs) d = saturated_s32(c, d, (c ^ d) & (sum ^ d));
  if (i.clamp && !mixed_signs) d = select(d < c, e.core.u32(~0u), d);
  e.set_u32(i, d);
}
#define ATOLL_INTEGER_DOTS(ROW, P) \
  ROW(P, v_dot4_i32_iu8, 8, true)  \
  ROW(P, v_dot4_u32_u8, 8, false)  \
  ROW(P, v_dot8_i32_iu4, 4, true)  \
  ROW(P, v_dot8_u32_u4, 4, false)
#define ATOLL_DEFINE(P, name, bits, mixed_signs) \
  template <class A>                             \
  void name(A& e, const Instruction& i) {        \
    integer_dot(e, i, bits, mixed_signs);        \
  }
ATOLL_INTEGER_DOTS(ATOLL_DEFINE, )
#undef ATOLL_DEFINE

#define ATOLL_PACKED_INTEGER(SCALAR, LANES, WHOLE) \
  ATOLL_PACKED_INTEGER_ROWS(ATOLL_LIST_NAME, LANES) ATOLL_INTEGER_DOTS(ATOLL_LIST_NAME, LANES)

}  // namespace Atoll::rdna4
