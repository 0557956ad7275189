// Vector ALU on 32- and 64-bit integers and bits: VOP1, VOP2, VOP3, VOP3SD. RDNA4 ISA 7.2.3 (integer CLAMP), 16.7, 16.8, 16.12.
// 64-bit values are two 32-bit halves (carry: sum < addend); only multiplies widen.
#pragma once
#include "isa/amd/adaptor.h"
#include "isa/amd/semantics/lists.h"

namespace Atoll::amd {

// --- one expression ----------------------------------------------------------------------------------------------------------
template <class U>
U signed24(U x) {
  return ashr(x << 8, 8);
}
template <class U>
U absolute_difference(U x, U y) {
  return umax(x, y) - umin(x, y);
}
// Ones in the lowest n bits, n below 32.
template <class A>
auto low_ones(A& e, typename A::U32 n) {
  return (e.core.u32(1) << n) - 1u;
}
// `count` where any bit decides it, else -1.
template <class A>
auto count_or_minus_1(A& e, typename A::U32 bits, typename A::U32 count) {
  return select(bits == 0u, e.core.u32(~0u), count);
}

#define ATOLL_INTEGER_UNARY(ROW, P)                     \
  ROW(P, v_not_b32, ~a)                                 \
  ROW(P, v_bfrev_b32, bitreverse(a))                    \
  ROW(P, v_clz_i32_u32, count_or_minus_1(e, a, clz(a))) \
  ROW(P, v_ctz_i32_b32, count_or_minus_1(e, a, ctz(a))) \
  ROW(P, v_cls_i32, count_or_minus_1(e, a ^ ashr(a, 31), clz(a ^ ashr(a, 31))))
#define ATOLL_DEFINE(P, name, ...)                    \
  template <class A>                                  \
  void name(A& e, const typename A::Instruction& i) { \
    auto a = e.u32(i, 0);                             \
    e.set_u32(i, __VA_ARGS__);                        \
  }
ATOLL_INTEGER_UNARY(ATOLL_DEFINE, )
#undef ATOLL_DEFINE

#define ATOLL_INTEGER_BINARY(ROW, P)                                 \
  ROW(P, v_and_b32, a& b)                                            \
  ROW(P, v_or_b32, a | b)                                            \
  ROW(P, v_xor_b32, a ^ b)                                           \
  ROW(P, v_xnor_b32, ~(a ^ b))                                       \
  ROW(P, v_lshlrev_b32, b << (a & 31u))                              \
  ROW(P, v_lshrrev_b32, b >> (a & 31u))                              \
  ROW(P, v_ashrrev_i32, ashr(b, a & 31u))                            \
  ROW(P, v_min_i32, smin(a, b))                                      \
  ROW(P, v_max_i32, smax(a, b))                                      \
  ROW(P, v_min_u32, umin(a, b))                                      \
  ROW(P, v_max_u32, umax(a, b))                                      \
  ROW(P, v_mul_hi_i32_i24, mul_high_s(signed24(a), signed24(b)))     \
  ROW(P, v_mul_hi_u32_u24, mul_high_u(a & 0xffffffu, b & 0xffffffu)) \
  ROW(P, v_mul_lo_u32, a* b)                                         \
  ROW(P, v_mul_hi_u32, mul_high_u(a, b))                             \
  ROW(P, v_mul_hi_i32, mul_high_s(a, b))                             \
  ROW(P, v_bfm_b32, low_ones(e, a & 31u) << (b & 31u))               \
  ROW(P, v_bcnt_u32_b32, popcount(a) + b)                            \
  ROW(P, v_mbcnt_lo_u32_b32, popcount(a& lanes_below(e, 0)) + b)     \
  ROW(P, v_mbcnt_hi_u32_b32, popcount(a& lanes_below(e, 32)) + b)
// A bit for each of the lanes first..first+31 that is below this lane.
template <class A>
auto lanes_below(A& e, uint32_t first) {
  auto lane = e.core.lane_id();
  auto ones = low_ones(e, lane & 31u);
  return first ? select(lane < 32u, e.core.u32(0), ones) : select(lane < 32u, ones, e.core.u32(~0u));
}
#define ATOLL_DEFINE(P, name, ...)                    \
  template <class A>                                  \
  void name(A& e, const typename A::Instruction& i) { \
    auto a = e.u32(i, 0), b = e.u32(i, 1);            \
    e.set_u32(i, __VA_ARGS__);                        \
  }
ATOLL_INTEGER_BINARY(ATOLL_DEFINE, )
#undef ATOLL_DEFINE

#define ATOLL_INTEGER_TERNARY(ROW, P)                                                       \
  ROW(P, v_bfe_u32, (a >> (b & 31u)) & low_ones(e, c & 31u))                                \
  ROW(P, v_bfe_i32, signed_field(ashr(a, b & 31u), c & 31u))                                \
  ROW(P, v_bfi_b32, (a & b) | (~a & c))                                                     \
  ROW(P, v_lerp_u8, (a & b) + (((a ^ b) >> 1) & 0x7f7f7f7fu) + ((a ^ b) & c & 0x01010101u)) \
  ROW(P, v_alignbit_b32, fshr(a, b, e.align_count(i, c) & 31u))                             \
  ROW(P, v_alignbyte_b32, fshr(a, b, (e.align_count(i, c) & 3u) << 3))                      \
  ROW(P, v_min3_i32, smin(smin(a, b), c))                                                   \
  ROW(P, v_min3_u32, umin(umin(a, b), c))                                                   \
  ROW(P, v_max3_i32, smax(smax(a, b), c))                                                   \
  ROW(P, v_max3_u32, umax(umax(a, b), c))                                                   \
  ROW(P, v_med3_i32, smax(smin(a, b), smin(smax(a, b), c)))                                 \
  ROW(P, v_med3_u32, umax(umin(a, b), umin(umax(a, b), c)))                                 \
  ROW(P, v_maxmin_i32, smin(smax(a, b), c))                                                 \
  ROW(P, v_maxmin_u32, umin(umax(a, b), c))                                                 \
  ROW(P, v_minmax_i32, smax(smin(a, b), c))                                                 \
  ROW(P, v_minmax_u32, umax(umin(a, b), c))                                                 \
  ROW(P, v_xor3_b32, a ^ b ^ c)                                                             \
  ROW(P, v_or3_b32, a | b | c)                                                              \
  ROW(P, v_and_or_b32, (a & b) | c)                                                         \
  ROW(P, v_xad_u32, (a ^ b) + c)                                                            \
  ROW(P, v_add3_u32, a + b + c)                                                             \
  ROW(P, v_lshl_add_u32, (a << (b & 31u)) + c)                                              \
  ROW(P, v_add_lshl_u32, (a + b) << (c & 31u))                                              \
  ROW(P, v_lshl_or_b32, (a << (b & 31u)) | c)                                               \
  ROW(P, v_perm_b32,                                                                        \
      permuted_byte(e, a, b, c & 0xffu) | permuted_byte(e, a, b, c >> 8 & 0xffu) << 8 |     \
          permuted_byte(e, a, b, c >> 16 & 0xffu) << 16 | permuted_byte(e, a, b, c >> 24) << 24)
// The lowest `width` bits of x, sign-extended; 0 when width is 0.
template <class U>
U signed_field(U x, U width) {
  U n = (~width + 1u) & 31u;
  return select(width == 0u, width, ashr(x << n, n));
}
// One byte of v_perm_b32: 0-7 a byte of {high, low}, 8-11 the sign of one of their halves, 12 zeros, above ones.
template <class A, class U>
U permuted_byte(A& e, U high, U low, U selector) {
  U byte = (select((selector & 4u) != 0u, high, low) >> ((selector & 3u) << 3)) & 0xffu;
  U half = select((selector & 2u) != 0u, high, low);
  U sign = ashr(select((selector & 1u) != 0u, half, half << 16), 31) & 0xffu;
  return select(selector < 8u, byte, select(selector < 12u, sign, select(selector == 12u, e.core.u32(0), e.core.u32(0xff))));
}
#define ATOLL_DEFINE(P, name, ...)                          \
  template <class A>                                        \
  void name(A& e, const typename A::Instruction& i) {       \
    auto a = e.u32(i, 0), b = e.u32(i, 1), c = e.u32(i, 2); \
    e.set_u32(i, __VA_ARGS__);                              \
  }
ATOLL_INTEGER_TERNARY(ATOLL_DEFINE, )
#undef ATOLL_DEFINE

// --- sums that may saturate ---------------------------------------------------------------------------------------------------
template <class A>
void v_add_nc_u32(A& e, const typename A::Instruction& i) {
  auto a = e.u32(i, 0), d = a + e.u32(i, 1);
  e.set_u32(i, i.clamp ? select(d < a, e.core.u32(~0u), d) : d);
}
template <class A>
void subtract_u32(A& e, const typename A::Instruction& i, int from, int what) {
  auto a = e.u32(i, from), b = e.u32(i, what), d = a - b;
  e.set_u32(i, i.clamp ? select(a < b, e.core.u32(0), d) : d);
}
template <class A>
void v_sub_nc_u32(A& e, const typename A::Instruction& i) {
  subtract_u32(e, i, 0, 1);
}
template <class A>
void v_subrev_nc_u32(A& e, const typename A::Instruction& i) {
  subtract_u32(e, i, 1, 0);
}
// d, or the limit on a's side where the signed sum or difference overflowed.
template <class U>
U saturated_s32(U a, U d, U overflow_sign) {
  return select(slt(overflow_sign, 0u), ashr(a, 31) ^ 0x7fffffffu, d);
}
template <class A>
void v_add_nc_i32(A& e, const typename A::Instruction& i) {
  auto a = e.u32(i, 0), b = e.u32(i, 1), d = a + b;
  e.set_u32(i, i.clamp ? saturated_s32(a, d, (a ^ d) & (b ^ d)) : d);
}
template <class A>
void v_sub_nc_i32(A& e, const typename A::Instruction& i) {
  auto a = e.u32(i, 0), b = e.u32(i, 1), d = a - b;
  e.set_u32(i, i.clamp ? saturated_s32(a, d, (a ^ d) & (a ^ b)) : d);
}

template <class A>
void v_add_co_u32(A& e, const typename A::Instruction& i) {
  auto a = e.u32(i, 0), d = a + e.u32(i, 1);
  auto carry = d < a;
  e.set_u32(i, i.clamp ? select(carry, e.core.u32(~0u), d) : d);
  e.set_mask(i.sdst, carry);
}
template <class A>
void subtract_co_u32(A& e, const typename A::Instruction& i, int from, int what) {
  auto a = e.u32(i, from), b = e.u32(i, what), d = a - b;
  auto borrow = a < b;
  e.set_u32(i, i.clamp ? select(borrow, e.core.u32(0), d) : d);
  e.set_mask(i.sdst, borrow);
}
template <class A>
void v_sub_co_u32(A& e, const typename A::Instruction& i) {
  subtract_co_u32(e, i, 0, 1);
}
template <class A>
void v_subrev_co_u32(A& e, const typename A::Instruction& i) {
  subtract_co_u32(e, i, 1, 0);
}
template <class A>
void v_add_co_ci_u32(A& e, const typename A::Instruction& i) {
  auto a = e.u32(i, 0), sum = a + e.u32(i, 1), d = sum + select(e.mask(i.src[2]), e.core.u32(1), 0u);
  auto carry = (sum < a) | (d < sum);
  e.set_u32(i, i.clamp ? select(carry, e.core.u32(~0u), d) : d);
  e.set_mask(i.sdst, carry);
}
template <class A>
void subtract_co_ci_u32(A& e, const typename A::Instruction& i, int from, int what) {
  auto a = e.u32(i, from), b = e.u32(i, what), in = select(e.mask(i.src[2]), e.core.u32(1), 0u), difference = a - b,
       d = difference - in;
  auto borrow = (a < b) | (difference < in);
  e.set_u32(i, i.clamp ? select(borrow, e.core.u32(0), d) : d);
  e.set_mask(i.sdst, borrow);
}
template <class A>
void v_sub_co_ci_u32(A& e, const typename A::Instruction& i) {
  subtract_co_ci_u32(e, i, 0, 1);
}
template <class A>
void v_subrev_co_ci_u32(A& e, const typename A::Instruction& i) {
  subtract_co_ci_u32(e, i, 1, 0);
}

// --- multiply and add ---------------------------------------------------------------------------------------------------------
// a * b + c of numbers that already are 32 bits wide; the exact result is needed only to saturate.
template <class A>
void multiply_add_u32(A& e, const typename A::Instruction& i, typename A::U32 a, typename A::U32 b, typename A::U32 c) {
  auto d = a * b + c;
  if (i.clamp) d = select(high(widen(a) * widen(b) + widen(c)) != 0u, e.core.u32(~0u), d);
  e.set_u32(i, d);
}
template <class A>
void multiply_add_s32(A& e, const typename A::Instruction& i, typename A::U32 a, typename A::U32 b, typename A::U32 c) {
  auto d = a * b + c;
  if (i.clamp) {
    auto exact_high = high(sign_widen(a) * sign_widen(b) + sign_widen(c));
    d = select(exact_high == ashr(d, 31), d, ashr(exact_high, 31) ^ 0x7fffffffu);
  }
  e.set_u32(i, d);
}
template <class A>
void v_mul_u32_u24(A& e, const typename A::Instruction& i) {
  multiply_add_u32(e, i, e.u32(i, 0) & 0xffffffu, e.u32(i, 1) & 0xffffffu, e.core.u32(0));
}
template <class A>
void v_mul_i32_i24(A& e, const typename A::Instruction& i) {
  multiply_add_s32(e, i, signed24(e.u32(i, 0)), signed24(e.u32(i, 1)), e.core.u32(0));
}
template <class A>
void v_mad_u32_u24(A& e, const typename A::Instruction& i) {
  multiply_add_u32(e, i, e.u32(i, 0) & 0xffffffu, e.u32(i, 1) & 0xffffffu, e.u32(i, 2));
}
template <class A>
void v_mad_i32_i24(A& e, const typename A::Instruction& i) {
  multiply_add_s32(e, i, signed24(e.u32(i, 0)), signed24(e.u32(i, 1)), e.u32(i, 2));
}
template <class A>
void v_mad_u32_u16(A& e, const typename A::Instruction& i) {
  multiply_add_u32(e, i, e.u16(i, 0), e.u16(i, 1), e.u32(i, 2));
}
template <class A>
void v_mad_i32_i16(A& e, const typename A::Instruction& i) {
  multiply_add_s32(e, i, e.i16(i, 0), e.i16(i, 1), e.u32(i, 2));
}

// 64 bits plus a product, in halves, with the carry out of bit 63.
template <class A>
struct WideSum {
  typename A::U32 low, high;
  typename A::M carry;
};
template <class A>
WideSum<A> add_wide(A& e, typename A::U64 product, typename A::Pair c) {
  auto lo = low(product) + c.low, sum = high(product) + c.high, hi = sum + select(lo < c.low, e.core.u32(1), 0u);
  return {lo, hi, (sum < c.high) | (hi < sum)};
}
template <class A>
void v_mad_co_u64_u32(A& e, const typename A::Instruction& i) {
  auto d = add_wide(e, widen(e.u32(i, 0)) * widen(e.u32(i, 1)), e.pair(i, 2));
  auto ones = e.core.u32(~0u);
  if (i.clamp)
    e.set_pair(i, select(d.carry, ones, d.low), select(d.carry, ones, d.high));
  else
    e.set_pair(i, d.low, d.high);
  e.set_mask(i.sdst, d.carry);
}
// The mask result is bit 64 of the exact sum: its sign.
template <class A>
void v_mad_co_i64_i32(A& e, const typename A::Instruction& i) {
  auto product = sign_widen(e.u32(i, 0)) * sign_widen(e.u32(i, 1));
  auto c = e.signed_pair(i, 2);
  auto d = add_wide(e, product, c);
  auto negative = slt(high(product) ^ c.high, 0u) ^ d.carry;
  if (i.clamp) {
    auto overflow = negative ^ slt(d.high, 0u);
    auto limit = select(negative, e.core.u32(0), e.core.u32(~0u));
    e.set_pair(i, select(overflow, limit, d.low), select(overflow, limit ^ 0x80000000u, d.high));
  } else {
    e.set_pair(i, d.low, d.high);
  }
  e.set_mask(i.sdst, negative);
}

// --- 64-bit shifts of source `what` by source `by`; in the REV forms source 0 is the count
template <class A>
void shift_lshl_b64(A& e, const typename A::Instruction& i, int what, int by) {
  auto count = e.u32(i, by), n = count & 31u;
  auto x = e.pair(i, what);
  auto far = (count & 32u) != 0u;
  auto up = x.low << n, across = select(n == 0u, x.high, fshr(x.high, x.low, (~n + 1u) & 31u));
  e.set_pair(i, select(far, e.core.u32(0), up), select(far, up, across));
}
template <class A>
void v_lshlrev_b64(A& e, const typename A::Instruction& i) {
  shift_lshl_b64(e, i, 1, 0);
}
template <class A>
void shift_lshr_b64(A& e, const typename A::Instruction& i, int what, int by) {
  auto count = e.u32(i, by), n = count & 31u;
  auto x = e.pair(i, what);
  auto far = (count & 32u) != 0u;
  auto down = x.high >> n;
  e.set_pair(i, select(far, down, fshr(x.high, x.low, n)), select(far, e.core.u32(0), down));
}
template <class A>
void v_lshrrev_b64(A& e, const typename A::Instruction& i) {
  shift_lshr_b64(e, i, 1, 0);
}
template <class A>
void shift_ashr_i64(A& e, const typename A::Instruction& i, int what, int by) {
  auto count = e.u32(i, by), n = count & 31u;
  auto x = e.signed_pair(i, what);
  auto far = (count & 32u) != 0u;
  auto down = ashr(x.high, n);
  e.set_pair(i, select(far, down, fshr(x.high, x.low, n)), select(far, ashr(x.high, 31), down));
}
template <class A>
void v_ashrrev_i64(A& e, const typename A::Instruction& i) {
  shift_ashr_i64(e, i, 1, 0);
}

// --- sums of absolute differences
template <class U>
U element(U x, int n, int bits) {
  return (x >> (n * bits)) & ((1u << bits) - 1u);
}
template <class U>
U byte_differences(U a, U b) {
  U sum = absolute_difference(element(a, 0, 8), element(b, 0, 8));
  for (int n = 1; n < 4; n++) sum = sum + absolute_difference(element(a, n, 8), element(b, n, 8));
  return sum;
}
// Bytes where the reference b is 0 do not count.
template <class A, class U>
U masked_differences(A& e, U a, U b) {
  U sum = e.core.u32(0);
  for (int n = 0; n < 4; n++) {
    U y = element(b, n, 8);
    sum = sum + select(y == 0u, y, absolute_difference(element(a, n, 8), y));
  }
  return sum;
}
template <class A, class U>
U accumulated(A& e, const typename A::Instruction& i, U sum, U c) {
  U d = sum + c;
  return i.clamp ? select(d < c, e.core.u32(~0u), d) : d;
}
#define ATOLL_DIFFERENCE_SUMS(ROW, P)                                                                      \
  ROW(P, v_sad_u8, byte_differences(a, b))                                                                 \
  ROW(P, v_sad_hi_u8, byte_differences(a, b) << 16)                                                        \
  ROW(P, v_sad_u16, absolute_difference(a & 0xffffu, b & 0xffffu) + absolute_difference(a >> 16, b >> 16)) \
  ROW(P, v_sad_u32, absolute_difference(a, b))                                                             \
  ROW(P, v_msad_u8, masked_differences(e, a, b))
#define ATOLL_DEFINE(P, name, ...)                          \
  template <class A>                                        \
  void name(A& e, const typename A::Instruction& i) {       \
    auto a = e.u32(i, 0), b = e.u32(i, 1), c = e.u32(i, 2); \
    e.set_u32(i, accumulated(e, i, __VA_ARGS__, c));        \
  }
ATOLL_DIFFERENCE_SUMS(ATOLL_DEFINE, )
#undef ATOLL_DEFINE

// Four sums over bytes n..n+3 of the 64-bit source 0, each added to a 16-bit element of the 64-bit source 2.
template <bool masked, class A>
void four_sums_u16(A& e, const typename A::Instruction& i) {
  auto a = e.pair(i, 0);
  auto b = e.u32(i, 1);
  auto c = e.pair(i, 2);
  auto sum = [&](int n) {
    auto slice = fshr(a.high, a.low, e.core.u32(uint32_t(n) * 8));
    auto addend = element(n < 2 ? c.low : c.high, n & 1, 16);
    auto d = (masked ? masked_differences(e, slice, b) : byte_differences(slice, b)) + addend;
    return i.clamp ? umin(d, e.core.u32(0xffff)) : d & 0xffffu;
  };
  auto lo = sum(0) | sum(1) << 16, hi = sum(2) | sum(3) << 16;
  e.set_pair(i, lo, hi);
}
template <class A>
void v_qsad_pk_u16_u8(A& e, const typename A::Instruction& i) {
  four_sums_u16<false>(e, i);
}
template <class A>
void v_mqsad_pk_u16_u8(A& e, const typename A::Instruction& i) {
  four_sums_u16<true>(e, i);
}
template <class A>
void v_mqsad_u32_u8(A& e, const typename A::Instruction& i) {
  if (i.src[2] < VGPR0) return e.core.illegal("v_mqsad_u32_u8: source 2 must be four VGPRs");
  auto a = e.pair(i, 0);
  auto b = e.u32(i, 1);
  auto sum = [&](uint32_t n) {
    auto slice = fshr(a.high, a.low, e.core.u32(n * 8));
    return accumulated(e, i, masked_differences(e, slice, b), e.vgpr(i.src[2] - VGPR0 + n));
  };
  auto d0 = sum(0), d1 = sum(1), d2 = sum(2), d3 = sum(3);
  e.set_pair(i, d0, d1);
  e.set_vgpr(i.dst + 2u, d2);
  e.set_vgpr(i.dst + 3u, d3);
}

// --- moves
template <class A>
void v_swap_b32(A& e, const typename A::Instruction& i) {
  auto from = e.vgpr(i.src[0] - VGPR0), to = e.vgpr(i.dst);
  e.set_vgpr(i.dst, from);
  e.set_vgpr(i.src[0] - VGPR0, to);
}

}  // namespace Atoll::amd
