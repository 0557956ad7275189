// The steps of a division: v_div_scale, v_div_fmas, v_div_fixup. RDNA4 ISA 16.12.
// The compiler's sequence around them is  d' = scale(d, d, n), n' = scale(n, d, n), r ~ 1/d', q ~ n' * r refined, fmas(residue,
// r, q), fixup(q, d, n), and gives the correctly rounded n / d; where the manual's text would not (errata F1, F2), it is read so
// that it does.
#pragma once
#include "isa/amd/semantics/float_format.h"

namespace Atoll::amd {

// Scales `value` (the denominator or the numerator) where the refinement would lose bits; `post` is set on lanes whose quotient
// v_div_fmas must scale back.
template <class A, class F>
F div_scale(A& e, F value, F denominator, F numerator, typename A::M& post) {
  constexpr bool wide = is_double<A, F>;
  constexpr double least_normal = wide ? 0x1p-1022 : 0x1p-126;
  constexpr uint32_t near_overflow = wide ? 768 : 96, tiny = wide ? 53 : 23;
  F least = number<F>(e, least_normal), up = number<F>(e, wide ? 0x1p128 : 0x1p64),
    down = number<F>(e, wide ? 0x1p-128 : 0x1p-64);
  F none = number<F>(e, 1);
  F quotient = fabs(numerator / denominator);
  auto exponent_n = exponent_field(e, numerator), exponent_d = exponent_field(e, denominator);
  auto zero = (numerator == 0) | (denominator == 0);
  auto is_denominator = value == denominator, is_numerator = value == numerator;
  auto large_quotient = sge(exponent_n - exponent_d, near_overflow);
  auto denormal_denominator = fabs(denominator) < least;
  auto denormal_reciprocal =
      (fabs(denominator) > number<F>(e, 1 / least_normal)) & (fabs(denominator) < pattern<F>(e, FloatFormat<A, F>::infinity));
  auto denormal_quotient = quotient < least;
  auto tiny_numerator = exponent_n <= tiny;
  F scale = select(tiny_numerator, up, none);
  scale = select(denormal_quotient, select(is_numerator, up, none), scale);
  scale = select(denormal_reciprocal, down, scale);
  scale = select(denormal_reciprocal & denormal_quotient, select(is_denominator, down, none), scale);
  scale = select(denormal_denominator, up, scale);
  scale = select(large_quotient, select(is_denominator, up, none), scale);
  post = ~zero & (large_quotient | (~denormal_denominator & denormal_quotient));
  return select(zero, pattern<F>(e, FloatFormat<A, F>::default_nan), value * scale);
}
template <class A>
void v_div_scale_f32(A& e, const typename A::Instruction& i) {
  typename A::M post;
  auto scaled = div_scale(e, e.f32(i, 0), e.f32(i, 1), e.f32(i, 2), post);
  e.set_f32(i, scaled);
  e.set_mask(i.sdst, post);
}
template <class A>
void v_div_scale_f64(A& e, const typename A::Instruction& i) {
  typename A::M post;
  auto scaled = div_scale(e, e.f64(i, 0), e.f64(i, 1), e.f64(i, 2), post);
  e.set_f64(i, scaled);
  e.set_mask(i.sdst, post);
}

// errata F1: a large quotient was divided by 2^64 (2^128) and is brought back up, a small one was multiplied and is brought down;
// the approximate quotient (c) tells which. Rounded once: where the way down rounds a second time, into a denormal, and meets the
// middle of two, what the sum lost decides (a * b is a correction of c, so that sum - c is exact).
template <class A, class F>
F div_fmas(A& e, F a, F b, F c, typename A::M post) {
  constexpr bool wide = is_double<A, F>;
  auto large = exponent_field(e, c) > (wide ? 1023u : 127u);
  F up = number<F>(e, wide ? 0x1p128 : 0x1p64), down = number<F>(e, wide ? 0x1p-128 : 0x1p-64);
  F sum = fma(a, b, c), scaled = sum * down, left = sum - scaled * up, lost = fma(a, b, c - sum);
  const auto& mode = e.core.float_mode();
  if ((wide ? mode.round64 : mode.round32) == wave::Rounding::NearestEven) {
    F least = pattern<F>(e, 1);
    auto middle = fabs(left) == number<F>(e, wide ? 0x1p-947 : 0x1p-86);
    scaled = select(middle & (left > 0) & (lost > 0), scaled + least,
                    select(middle & (left < 0) & (lost < 0), scaled - least, scaled));
  }
  return select(post, select(large, sum * up, scaled), sum);
}
template <class A>
void v_div_fmas_f32(A& e, const typename A::Instruction& i) {
  e.set_f32(i, div_fmas(e, e.f32(i, 0), e.f32(i, 1), e.f32(i, 2), e.mask(VCC_LO)));
}
template <class A>
void v_div_fmas_f64(A& e, const typename A::Instruction& i) {
  e.set_f64(i, div_fmas(e, e.f64(i, 0), e.f64(i, 1), e.f64(i, 2), e.mask(VCC_LO)));
}

// The quotient with the cases that no refinement gets right. The text's OVERFLOW case cannot be reached: infinite and NaN
// denominators are told before it. UNDERFLOW is the least denormal where the mode rounds away from zero, else zero (errata F5).
template <class A, class F>
F div_fixup(A& e, F quotient, F denominator, F numerator, bool is_half) {
  using Format = FloatFormat<A, F>;
  using Bits = typename Format::Bits;
  quotient = read_by_mode(e, quotient), denominator = read_by_mode(e, denominator), numerator = read_by_mode(e, numerator);
  auto sign = (Format::bits(denominator) ^ Format::bits(numerator)) & Format::sign;
  auto magnitude_d = Format::bits(denominator) & Bits(~Format::sign), magnitude_n = Format::bits(numerator) & Bits(~Format::sign);
  auto zero_d = magnitude_d == Bits(0), zero_n = magnitude_n == Bits(0);
  auto infinite_d = magnitude_d == Format::infinity, infinite_n = magnitude_n == Format::infinity;
  F result = Format::value(Format::bits(fabs(quieted(e, quotient))) | sign);
  if (!is_half) {
    result = select(isnan(quotient), Format::value(sign | Format::infinity), result);  // errata F5
    const auto& mode = e.core.float_mode();
    auto rounding = Format::wide ? mode.round64 : mode.round32;
    bool kept = !(Format::wide ? mode.flush_out64 : mode.flush_out32);
    F least = pattern<F>(e, kept && rounding == wave::Rounding::Up),
      least_negative = pattern<F>(e, Format::sign | Bits(kept && rounding == wave::Rounding::Down));
    auto underflow =
        slt(exponent_field(e, numerator) - exponent_field(e, denominator), Format::wide ? uint32_t(-1075) : uint32_t(-150));
    result = select(underflow, select(sign == Bits(0), least, least_negative), result);
  }
  result = select(infinite_d | zero_n, Format::value(sign), result);
  result = select(zero_d | infinite_n, Format::value(sign | Format::infinity), result);
  result = select((zero_d & zero_n) | (infinite_d & infinite_n), pattern<F>(e, Format::default_nan), result);
  result = select(isnan(denominator), quieted(e, denominator), result);
  return select(isnan(numerator), quieted(e, numerator), result);
}
template <class A>
void v_div_fixup_f32(A& e, const typename A::Instruction& i) {
  e.set_f32(i, div_fixup(e, e.f32(i, 0), e.f32(i, 1), e.f32(i, 2), false));
}
template <class A>
void v_div_fixup_f64(A& e, const typename A::Instruction& i) {
  e.set_f64(i, div_fixup(e, e.f64(i, 0), e.f64(i, 1), e.f64(i, 2), false));
}
template <class A>
void v_div_fixup_f16(A& e, const typename A::Instruction& i) {
  e.set_f16(i, div_fixup(e, e.f16(i, 0), e.f16(i, 1), e.f16(i, 2), true));
}

}  // namespace Atoll::amd
