// Vector ALU: packed halves, fused multiply-adds of mixed halves and floats. RDNA4 ISA 16.10, 16.12; cube map coordinates: cube.h.
// NEG and NEG_HI of a VOP3P instruction negate the halves for the low and for the high result; OP_SEL and OP_SEL_HI pick them.
#pragma once
#include <bit>

#include "isa/amd/semantics/cube.h"
#include "isa/amd/semantics/half.h"
#include "isa/rdna4/semantics/exact_sum.h"
#include "isa/rdna4/semantics/valu_minmax.h"

namespace Atoll::rdna4 {

// --- packed halves ----------------------------------------------------------------------------------------------------------
// The 16 bits that source n gives to the low or the high result. An inline float constant stands in the low half of its 32 bits.
template <class A>
auto packed_bits(A& e, const Instruction& i, int n, bool high_result) {
  auto x = is_inline_float(i.src[n]) ? e.core.u32(inline_f16[i.src[n] - FLOAT_HALF]) : e.u32(i, n);
  bool high_half = (high_result ? i.op_sel_hi : i.op_sel) >> n & 1, negated = (high_result ? i.neg_hi : i.neg) >> n & 1;
  x = high_half ? x >> 16 : x & 0xffffu;
  return negated ? x ^ 0x8000u : x;
}
template <class A>
auto packed_f16(A& e, const Instruction& i, int n, bool high_result) {
  return e.f16_of(packed_bits(e, i, n, high_result));
}
template <class A>
auto packed_signaling_f16(A& e, const Instruction& i, int n, bool high_result) {
  return signaling_half(e, packed_bits(e, i, n, high_result));
}
template <class A, class F>
F packed_clamped(A& e, const Instruction& i, F x) {
  return i.clamp ? e.clamped(x) : x;
}

// ROW(P, name, sources, how a half is written, expression of the sources a, b, c)
#define ATOLL_PACKED_FLOAT(ROW, P)                                                 \
  ROW(P, v_pk_add_f16, 2, packed_f16, e.half_of, a + b)                            \
  ROW(P, v_pk_mul_f16, 2, packed_f16, e.half_of, a* b)                             \
  ROW(P, v_pk_fma_f16, 3, packed_f16, e.half_of, fma16(e, a, b, c))                \
  ROW(P, v_pk_min_num_f16, 2, packed_signaling_f16, cvt_f16_f32, min_num(e, a, b)) \
  ROW(P, v_pk_max_num_f16, 2, packed_signaling_f16, cvt_f16_f32, max_num(e, a, b)) \
  ROW(P, v_pk_minimum_f16, 2, packed_signaling_f16, cvt_f16_f32, minimum(e, a, b)) \
  ROW(P, v_pk_maximum_f16, 2, packed_signaling_f16, cvt_f16_f32, maximum(e, a, b))
#define ATOLL_DEFINE_PACKED_FLOAT(P, name, sources, source, write, expression)                                 \
  template <class A>                                                                                           \
  void name(A& e, const Instruction& i) {                                                                      \
    auto half = [&](bool high) {                                                                               \
      auto a = source(e, i, 0, high), b = source(e, i, 1, high), c = sources == 3 ? source(e, i, 2, high) : a; \
      (void)c;                                                                                                 \
      return write(packed_clamped(e, i, expression));                                                          \
    };                                                                                                         \
    auto low_half = half(false), high_half = half(true);                                                       \
    e.set_u32(i, low_half | high_half << 16);                                                                  \
  }
ATOLL_PACKED_FLOAT(ATOLL_DEFINE_PACKED_FLOAT, )
#undef ATOLL_DEFINE_PACKED_FLOAT

// VOP2: whole registers, no modifiers. A constant is the same 32 bits that v_pk_fma_f16 would read.
inline Instruction whole_registers(const Instruction& i) {
  Instruction packed = i;
  packed.op_sel = 0, packed.op_sel_hi = 3, packed.neg = packed.neg_hi = 0;
  return packed;
}
template <class A>
void v_pk_fmac_f16(A& e, const Instruction& i) {
  const Instruction packed = whole_registers(i);
  auto old = e.vgpr(i.dst);
  auto half = [&](bool high) {
    return e.half_of(
        fma16(e, packed_f16(e, packed, 0, high), packed_f16(e, packed, 1, high), e.f16_of(high ? old >> 16 : old & 0xffffu)));
  };
  auto low_half = half(false), high_half = half(true);
  e.set_u32(i, low_half | high_half << 16);
}

// --- mixed ------------------------------------------------------------------------------------------------------------------
// OP_SEL_HI: the source is a half (which one: OP_SEL), else a float. The decoder makes NEG_HI the ABS that it means here.
template <class A>
auto mixed_bits(A& e, const Instruction& i, int n) {
  auto bit = [&](uint8_t field) { return (field >> n & 1) != 0; };
  if (!bit(i.op_sel_hi)) return e.u32(i, n);
  auto x = is_inline_float(i.src[n]) ? e.core.u32(inline_f16[i.src[n] - FLOAT_HALF]) : e.u32(i, n);
  return bit(i.op_sel) ? x >> 16 : x & 0xffffu;
}
template <class A>
auto mixed_f32(A& e, const Instruction& i, int n) {
  auto bit = [&](uint8_t field) { return (field >> n & 1) != 0; };
  auto bits = mixed_bits(e, i, n);
  auto x = bit(i.op_sel_hi) ? e.f16_of(bits) : as_f32(bits);
  if (bit(i.abs)) x = fabs(x);
  if (bit(i.neg)) x = -x;
  return x;
}
template <class A>
void v_fma_mix_f32(A& e, const Instruction& i) {
  auto a = mixed_f32(e, i, 0), b = mixed_f32(e, i, 1), c = mixed_f32(e, i, 2);
  auto x = first_nan(e, a, b, c, isnan(a * b), fma(a, b, c));
  e.set_u32(i, as_u32(i.clamp ? e.clamped(x) : x));
}
// Rounded once, from the exact sum, in the half's mode: captured on gfx1201 (docs/errata.md, "Conversions"); the text rounds to f32
// first. The rows obey no mode (float=nearest).
template <class A>
auto mixed_half(A& e, const Instruction& i) {
  const auto& mode = e.core.float_mode();
  auto source = [&](int n) {
    auto x = mixed_f32(e, i, n);
    return mode.flush_in32 ? flushed(e, x) : x;  // (a half's denormals are no f32's)
  };
  auto a = source(0), b = source(1), c = source(2);
  auto product = cvt_f64_f32(a) * cvt_f64_f32(b), addend = cvt_f64_f32(c), sum = odd_sum(e, product, addend);
  // In f32 for the half's rounding: what is too large or too small for that is so for a half, too.
  auto bits = as_u64(sum), sign = bits & uint64_t(1) << 63, magnitude = bits ^ sign;
  constexpr uint64_t lost = 0x1fffffffu, large = std::bit_cast<uint64_t>(0x1p100), small = std::bit_cast<uint64_t>(0x1p-100);
  magnitude = select((magnitude & lost) != uint64_t(0), magnitude | (lost + 1), magnitude) & ~lost;
  auto finite = magnitude < uint64_t(0x7ff) << 52;
  magnitude = select(finite & (magnitude > large), e.core.u64(large), magnitude);
  magnitude = select((magnitude != uint64_t(0)) & (magnitude < small), e.core.u64(small), magnitude);
  // A sum of nothing: of the terms' sign if they have one, else -0 where the half's mode rounds down.
  auto signs = mode.round64 == wave::Rounding::Down ? as_u64(product) | as_u64(addend) : as_u64(product) & as_u64(addend);
  sign = select(magnitude == uint64_t(0), signs & uint64_t(1) << 63, sign);
  auto x = first_nan(e, a, b, c, isnan(product), cvt_f32_f64(as_f64(magnitude | sign)));
  auto half = e.held(x, half_in_mode(e, x, mode.round64));
  if (mode.flush_out64) half = select(e.is_tiny_half(x), half & 0x8000u, half);
  return e.half_modified(i, x, half);
}
template <class A>
void v_fma_mixlo_f16(A& e, const Instruction& i) {
  auto half = mixed_half(e, i);
  e.set_u32(i, (e.vgpr(i.dst) & 0xffff0000u) | half);
}
template <class A>
void v_fma_mixhi_f16(A& e, const Instruction& i) {
  auto half = mixed_half(e, i);
  e.set_u32(i, (e.vgpr(i.dst) & 0xffffu) | half << 16);
}

#define ATOLL_VALU_PACKED_FLOAT(SCALAR, LANES, WHOLE) \
  ATOLL_PACKED_FLOAT(ATOLL_LIST_NAME, LANES)          \
  LANES(v_pk_fmac_f16)                                \
  LANES(v_fma_mix_f32)                                \
  LANES(v_fma_mixlo_f16) LANES(v_fma_mixhi_f16) LANES(v_cubeid_f32) LANES(v_cubesc_f32) LANES(v_cubetc_f32) LANES(v_cubema_f32)

}  // namespace Atoll::rdna4
