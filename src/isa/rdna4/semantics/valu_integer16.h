// Vector ALU on 16-bit integers and bits; OPSEL picks the halves. RDNA4 ISA 7.2.3, 7.4, 16.8, 16.12.
#pragma once
#include "isa/amd/semantics/float_rules.h"
#include "isa/amd/semantics/lists.h"
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

template <class A>
auto saturated_s16(A& e, typename A::U32 x) {
  return smin(smax(x, e.core.u32(0xffff8000u)), e.core.u32(0x7fff));
}
template <class A>
auto saturated_u16(A& e, typename A::U32 x) {
  return umin(x, e.core.u32(0xffff));
}

// Sources zero-extended (u) or sign-extended (s) to 32 bits, the exact result, and the same saturated for CLAMP.
#define ATOLL_INTEGER16_BINARY(ROW, P)                                  \
  ROW(P, v_add_nc_u16, u16, a + b, saturated_u16(e, a + b))             \
  ROW(P, v_sub_nc_u16, u16, a - b, select(a < b, e.core.u32(0), a - b)) \
  ROW(P, v_mul_lo_u16, u16, a* b, saturated_u16(e, a* b))               \
  ROW(P, v_add_nc_i16, i16, a + b, saturated_s16(e, a + b))             \
  ROW(P, v_sub_nc_i16, i16, a - b, saturated_s16(e, a - b))             \
  ROW(P, v_max_u16, u16, umax(a, b), umax(a, b))                        \
  ROW(P, v_min_u16, u16, umin(a, b), umin(a, b))                        \
  ROW(P, v_max_i16, i16, smax(a, b), smax(a, b))                        \
  ROW(P, v_min_i16, i16, smin(a, b), smin(a, b))                        \
  ROW(P, v_lshlrev_b16, u16, b << (a & 15u), b << (a & 15u))            \
  ROW(P, v_lshrrev_b16, u16, b >> (a & 15u), b >> (a & 15u))            \
  ROW(P, v_ashrrev_i16, i16, ashr(b, a & 15u), ashr(b, a & 15u))        \
  ROW(P, v_and_b16, u16, a& b, a& b)                                    \
  ROW(P, v_or_b16, u16, a | b, a | b)                                   \
  ROW(P, v_xor_b16, u16, a ^ b, a ^ b)
#define ATOLL_DEFINE(P, name, source, result, saturated) \
  template <class A>                                     \
  void name(A& e, const Instruction& i) {                \
    auto a = e.source(i, 0), b = e.source(i, 1);         \
    e.set_u16(i, i.clamp ? saturated : result);          \
  }
ATOLL_INTEGER16_BINARY(ATOLL_DEFINE, )
#undef ATOLL_DEFINE

#define ATOLL_INTEGER16_TERNARY(ROW, P)                                                                 \
  ROW(P, v_mad_u16, u16, a* b + c, saturated_u16(e, a * b + c))                                         \
  ROW(P, v_mad_i16, i16, a* b + c, saturated_s16(e, a * b + c))                                         \
  ROW(P, v_min3_u16, u16, umin(umin(a, b), c), umin(umin(a, b), c))                                     \
  ROW(P, v_max3_u16, u16, umax(umax(a, b), c), umax(umax(a, b), c))                                     \
  ROW(P, v_min3_i16, i16, smin(smin(a, b), c), smin(smin(a, b), c))                                     \
  ROW(P, v_max3_i16, i16, smax(smax(a, b), c), smax(smax(a, b), c))                                     \
  ROW(P, v_med3_u16, u16, umax(umin(a, b), umin(umax(a, b), c)), umax(umin(a, b), umin(umax(a, b), c))) \
  ROW(P, v_med3_i16, i16, smax(smin(a, b), smin(smax(a, b), c)), smax(smin(a, b), smin(smax(a, b), c)))
#define ATOLL_DEFINE(P, name, source, result, saturated)             \
  template <class A>                                                 \
  void name(A& e, const Instruction& i) {                            \
    auto a = e.source(i, 0), b = e.source(i, 1), c = e.source(i, 2); \
    e.set_u16(i, i.clamp ? saturated : result);                      \
  }
ATOLL_INTEGER16_TERNARY(ATOLL_DEFINE, )
#undef ATOLL_DEFINE

template <class A>
void v_not_b16(A& e, const Instruction& i) {
  e.set_u16(i, ~e.u16(i, 0) & 0xffffu);
}
// Float modifiers are allowed on moved halves, which stay bits otherwise: no NaN is quieted, no denormal flushed.
template <class A>
void v_mov_b16(A& e, const Instruction& i) {
  e.set_u16(i, e.bits16(i, 0));
}
template <class A>
void v_cndmask_b16(A& e, const Instruction& i) {
  e.set_u16(i, select(e.mask(i.src[2]), e.bits16(i, 1), e.bits16(i, 0)));
}
// Its NaNs become quiet and its denormals zeros where MODE says so, as captured on gfx1201 (docs/errata.md, "Conversions").
template <class A>
void v_pack_b32_f16(A& e, const Instruction& i) {
  auto half = [&](int n) {
    auto x = flush_bits16(e.core.float_mode().flush_in64, e.bits16(i, n));
    return select((x & 0x7fffu) > 0x7c00u, x | 0x200u, x);
  };
  e.set_u32(i, half(0) | half(1) << 16);
}
template <class A>
void v_sat_pk_u8_i16(A& e, const Instruction& i) {
  auto x = e.u32(i, 0);
  auto byte = [&](auto n) { return smin(smax(n, e.core.u32(0)), e.core.u32(255)); };
  e.set_u16(i, byte(ashr(x << 16, 16)) | byte(ashr(x, 16)) << 8);
}
// The two halves may be those of one register: the second write merges into what the first one left.
template <class A>
void v_swap_b16(A& e, const Instruction& i) {
  auto put = [&](uint32_t vgpr, bool high_half, auto half) {
    auto old = e.vgpr(vgpr);
    e.set_vgpr(vgpr, high_half ? (old & 0xffffu) | half << 16 : (old & 0xffff0000u) | half);
  };
  bool high_from = i.op_sel & 1, high_to = i.op_sel & 8;
  uint32_t from = i.src[0] - VGPR0;
  auto x = e.u16(i, 0), old = e.vgpr(i.dst), y = high_to ? old >> 16 : old & 0xffffu;
  put(i.dst, high_to, x);
  put(from, high_from, y);
}
template <class A>
void v_cvt_i32_i16(A& e, const Instruction& i) {
  e.set_u32(i, e.i16(i, 0));
}
template <class A>
void v_cvt_u32_u16(A& e, const Instruction& i) {
  e.set_u32(i, e.u16(i, 0));
}

// clang-format off: a list
#define ATOLL_VALU_INTEGER16(SCALAR, LANES, WHOLE) \
  ATOLL_INTEGER16_BINARY(ATOLL_LIST_NAME, LANES) ATOLL_INTEGER16_TERNARY(ATOLL_LIST_NAME, LANES) LANES(v_not_b16) \
  LANES(v_mov_b16) LANES(v_cndmask_b16) LANES(v_pack_b32_f16) LANES(v_sat_pk_u8_i16) LANES(v_swap_b16) LANES(v_cvt_i32_i16) \
  LANES(v_cvt_u32_u16)
// clang-format on

}  // namespace Atoll::rdna4
