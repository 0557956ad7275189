// Vector ALU: sums, products, fused multiply-adds, rounding to integers, exponents, of f32, f64 and f16. RDNA4
// ISA 16.7, 16.8, 16.12. Halves are computed in F32 and rounded once when they are written (half.h). Accumulating forms read dst
// as their third source.
#pragma once
#include "isa/amd/semantics/half.h"
#include "isa/amd/semantics/lists.h"

namespace Atoll::amd {

template <class A>
auto accumulator_f32(A& e, const typename A::Instruction& i) {
  return as_f32(e.vgpr(i.dst));
}
template <class A>
auto accumulator_f16(A& e, const typename A::Instruction& i) {
  return e.f16_of(i.op_sel & 8 ? e.vgpr(i.dst) >> 16 : e.vgpr(i.dst) & 0xffffu);
}

// ROW(P, name, type, expression of a, b, c): P is passed on to the macro that expands the row.
#define ATOLL_FLOAT_UNARY(ROW, P)                                \
  ROW(P, v_trunc_f32, f32, trunc(a))                             \
  ROW(P, v_trunc_f64, f64, trunc(a))                             \
  ROW(P, v_trunc_f16, f16, trunc(a))                             \
  ROW(P, v_ceil_f32, f32, ceil(a))                               \
  ROW(P, v_ceil_f64, f64, ceil(a))                               \
  ROW(P, v_ceil_f16, f16, ceil(a))                               \
  ROW(P, v_floor_f32, f32, floor(a))                             \
  ROW(P, v_floor_f64, f64, floor(a))                             \
  ROW(P, v_floor_f16, f16, floor(a))                             \
  ROW(P, v_rndne_f32, f32, rndne(a))                             \
  ROW(P, v_rndne_f64, f64, rndne(a))                             \
  ROW(P, v_rndne_f16, f16, rndne(a))                             \
  ROW(P, v_fract_f32, f32, fraction(e, a, 0x1.fffffep-1))        \
  ROW(P, v_fract_f64, f64, fraction(e, a, 0x1.fffffffffffffp-1)) \
  ROW(P, v_fract_f16, f16, fraction(e, a, 0x1.ffcp-1))           \
  ROW(P, v_frexp_mant_f32, f32, frexp_mantissa(e, a))            \
  ROW(P, v_frexp_mant_f64, f64, frexp_mantissa(e, a))            \
  ROW(P, v_frexp_mant_f16, f16, frexp_mantissa(e, a))
#define ATOLL_FLOAT_BINARY(ROW, P) \
  ROW(P, v_add_f32, f32, a + b)    \
  ROW(P, v_add_f64, f64, a + b)    \
  ROW(P, v_add_f16, f16, a + b)    \
  ROW(P, v_sub_f32, f32, a - b)    \
  ROW(P, v_sub_f16, f16, a - b)    \
  ROW(P, v_subrev_f32, f32, b - a) \
  ROW(P, v_subrev_f16, f16, b - a) \
  ROW(P, v_mul_f32, f32, a* b)     \
  ROW(P, v_mul_f64, f64, a* b)     \
  ROW(P, v_mul_f16, f16, a* b)     \
  ROW(P, v_mul_dx9_zero_f32, f32, mul_dx9_zero(e, a, b))
// v_fmamk and v_fmaak have their constant as a source like any other: its place in the text is its place in the formula.
#define ATOLL_FLOAT_TERNARY(ROW, P)                         \
  ROW(P, v_fma_f32, f32, fma(a, b, c))                      \
  ROW(P, v_fma_f64, f64, fma(a, b, c))                      \
  ROW(P, v_fma_f16, f16, fma16(e, a, b, c))                 \
  ROW(P, v_fmamk_f32, f32, fma(a, b, c))                    \
  ROW(P, v_fmamk_f16, f16, fma16(e, a, b, c))               \
  ROW(P, v_fmaak_f32, f32, fma(a, b, c))                    \
  ROW(P, v_fmaak_f16, f16, fma16(e, a, b, c))               \
  ROW(P, v_fma_dx9_zero_f32, f32, fma_dx9_zero(e, a, b, c)) \
  ROW(P, v_mullit_f32, f32, mullit(e, a, b, c))

// 0 times anything is +0.
template <class A, class F>
F mul_dx9_zero(A& e, F a, F b) {
  return select((a == 0) | (b == 0), number<F>(e, 0), a * b);
}
// Flushes denormals in every mode (RDNA4 ISA 7.2.4).
template <class A, class F>
F fma_dx9_zero(A& e, F a, F b, F c) {
  a = flushed(e, a), b = flushed(e, b), c = flushed(e, c);
  return select((a == 0) | (b == 0), quieted(e, c), flushed_result(e, fma(a, b, c)));
}
// errata F6: the pseudocode leaves out that 0 * x is 0.
template <class A, class F>
F mullit(A& e, F a, F b, F c) {
  F lowest = number<F>(e, -0x1.fffffep127);
  return select((b <= -0x1.fffffep127f) | isnan(b) | (c <= 0) | isnan(c), lowest, mul_dx9_zero(e, a, b));
}
// x - floor(x), kept below 1, which rounding reaches for small negative x; `largest` is the type's largest below 1. errata F4:
// f16 too.
template <class A, class F>
F fraction(A& e, F x, double largest) {
  F r = x - floor(x);
  if constexpr (A::as_gfx1201) r = select(r == 0, number<F>(e, 0), r);  // not -0 where the mode rounds down (docs/errata.md, F4)
  return select(r > number<F>(e, largest), number<F>(e, largest), r);
}
// The significand in [0.5, 1) with the sign; zeros, infinities and NaNs are themselves. Denormals are normalised.
template <class A, class F>
F frexp_mantissa(A& e, F x) {
  using Format = FloatFormat<A, F>;
  using Bits = typename Format::Bits;
  auto bits = Format::bits(x), magnitude = bits & Bits(~Format::sign);
  auto aligned = (magnitude << clz(magnitude)) >> (Format::wide ? 11 : 8);  // a denormal's leading one at the hidden bit
  auto half = (aligned & Bits((Bits(1) << Format::mantissa_bits) - 1)) | Bits(Bits(Format::bias - 1) << Format::mantissa_bits);
  auto in_place = (bits & Bits(~(Format::sign | Format::infinity))) | Bits(Bits(Format::bias - 1) << Format::mantissa_bits);
  auto mantissa = select((bits & Format::infinity) == Bits(0), half, in_place) | (bits & Format::sign);
  auto kept = (magnitude == Bits(0)) | (magnitude >= Format::infinity);
  return select(kept, quieted(e, x), Format::value(mantissa));
}
// The exponent such that x is mantissa * 2^exponent; 0 for zeros, infinities and NaNs (errata F3).
template <class A, class F>
auto frexp_exponent(A& e, F x) {
  using Format = FloatFormat<A, F>;
  using Bits = typename Format::Bits;
  auto magnitude = Format::bits(x) & Bits(~Format::sign);
  auto field = exponent_field(e, x);
  decltype(field) leading;
  if constexpr (Format::wide)
    leading = low(clz(magnitude));
  else
    leading = clz(magnitude);
  using U = decltype(field);
  U denormal = word<U>(e, Format::wide ? 12 : 9) - leading;  // field 0 or below, as if the exponent went on
  U exponent = select(field == 0u, denormal, field) - uint32_t(Format::bias - 1);
  return select((magnitude == Bits(0)) | (magnitude >= Format::infinity), word<U>(e, 0), exponent);
}

#define ATOLL_DEFINE_FLOAT_UNARY(P, name, type, expression) \
  template <class A>                                        \
  void name(A& e, const typename A::Instruction& i) {       \
    auto a = read_by_mode(e, e.type(i, 0));                 \
    e.set_##type(i, expression);                            \
  }
#define ATOLL_DEFINE_FLOAT_BINARY(P, name, type, expression) \
  template <class A>                                         \
  void name(A& e, const typename A::Instruction& i) {        \
    auto a = e.type(i, 0), b = e.type(i, 1);                 \
    e.set_##type(i, expression);                             \
  }
#define ATOLL_DEFINE_FLOAT_TERNARY(P, name, type, expression)  \
  template <class A>                                           \
  void name(A& e, const typename A::Instruction& i) {          \
    auto a = e.type(i, 0), b = e.type(i, 1), c = e.type(i, 2); \
    e.set_##type(i, expression);                               \
  }
ATOLL_FLOAT_UNARY(ATOLL_DEFINE_FLOAT_UNARY, )
ATOLL_FLOAT_BINARY(ATOLL_DEFINE_FLOAT_BINARY, )
ATOLL_FLOAT_TERNARY(ATOLL_DEFINE_FLOAT_TERNARY, )
#undef ATOLL_DEFINE_FLOAT_UNARY
#undef ATOLL_DEFINE_FLOAT_BINARY
#undef ATOLL_DEFINE_FLOAT_TERNARY

template <class A>
void v_fmac_f32(A& e, const typename A::Instruction& i) {
  e.set_f32(i, fma(e.f32(i, 0), e.f32(i, 1), accumulator_f32(e, i)));
}
template <class A>
void v_fmac_f16(A& e, const typename A::Instruction& i) {
  e.set_f16(i, fma16(e, e.f16(i, 0), e.f16(i, 1), accumulator_f16(e, i)));
}

template <class A>
void v_frexp_exp_i32_f32(A& e, const typename A::Instruction& i) {
  e.set_u32(i, frexp_exponent(e, read_by_mode(e, e.f32(i, 0))));
}
template <class A>
void v_frexp_exp_i32_f64(A& e, const typename A::Instruction& i) {
  e.set_u32(i, frexp_exponent(e, read_by_mode(e, e.f64(i, 0))));
}
template <class A>
void v_frexp_exp_i16_f16(A& e, const typename A::Instruction& i) {
  e.set_u16(i, frexp_exponent(e, e.f16(i, 0)));
}

// x * 2^n, rounded once. The steps keep the product of every step but the last normal, unless the end is far below all denormals
// (steps down leave room for the significand) or beyond all numbers.
template <class A, class F, class U>
F scaled_by_power(A& e, F x, U n) {
  using Format = FloatFormat<A, F>;
  constexpr int up = Format::bias, down = -(Format::bias - 1) + Format::mantissa_bits + 1;
  n = smax(smin(n, word<U>(e, uint32_t(3 * up))), word<U>(e, uint32_t(2 * down - Format::bias + 1)));
  auto power = [&](U k) {  // 2^k, k in the normal range
    if constexpr (Format::wide)
      return as_f64(join(word<U>(e, 0), (k + uint32_t(Format::bias)) << 20));
    else
      return as_f32((k + uint32_t(Format::bias)) << 23);
  };
  const auto& mode = e.core.float_mode();
  bool flushes_results = Format::wide ? mode.flush_out64 : mode.flush_out32;
  for (int round = 0; round < 2; round++) {
    U step = select(sgt(n, uint32_t(up)), word<U>(e, uint32_t(up)),
                    select(slt(n, uint32_t(1 - Format::bias)), word<U>(e, uint32_t(down)), word<U>(e, 0)));
    F moved = x * power(step);
    x = flushes_results ? select(step == 0u, x, moved) : moved;  // a denormal operand is no denormal result
    n = n - step;
  }
  return x * power(n);
}
template <class A>
void v_ldexp_f32(A& e, const typename A::Instruction& i) {
  e.set_f32(i, scaled_by_power(e, e.f32(i, 0), e.u32(i, 1)));
}
template <class A>
void v_ldexp_f64(A& e, const typename A::Instruction& i) {
  e.set_f64(i, scaled_by_power(e, e.f64(i, 0), e.u32(i, 1)));
}
// In F32 all that matters is exact: 64 steps take any half to an infinity or below half of the least denormal.
template <class A>
void v_ldexp_f16(A& e, const typename A::Instruction& i) {
  auto n = smax(smin(e.i16(i, 1), e.core.u32(64)), e.core.u32(uint32_t(-64)));
  e.set_f16_narrowed(i, e.f16(i, 0) * as_f32((n + 127u) << 23));
}

}  // namespace Atoll::amd
