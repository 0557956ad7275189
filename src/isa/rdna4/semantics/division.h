// RDNA4's division steps as cards of gfx1201 do them: isa/amd/semantics/division.h has what Sea Islands shares. RDNA4 ISA 16.12; where the
// manual has it otherwise: rocjitsu's division.h, checked with goc's captured digests (docs/errata.md, F1, F2, F5, F11).
#pragma once
#include "isa/amd/semantics/division.h"
#include "isa/rdna4/semantics/exact_sum.h"

namespace Atoll::rdna4 {

using namespace amd;

// `post` is set on lanes whose quotient v_div_fmas must scale back. The cases are told by the exponents' fields, of denormals 0, of
// infinities and NaNs the largest; `apart` is how far the numerator's lies above the denominator's.
template <class A, class F>
F card_div_scale(A& e, F value, F denominator, F numerator, typename A::M& post) {
  using Format = FloatFormat<A, F>;
  constexpr uint32_t threshold = Format::wide ? 768 : 96, tiny = Format::wide ? 53 : 24, large = 2 * Format::bias - 1;
  value = read_by_mode(e, value), denominator = read_by_mode(e, denominator), numerator = read_by_mode(e, numerator);
  F none = number<F>(e, 1), up = number<F>(e, Format::wide ? 0x1p128 : 0x1p64),
    down = number<F>(e, Format::wide ? 0x1p-128 : 0x1p-64);
  auto field_n = exponent_field(e, numerator), field_d = exponent_field(e, denominator), apart = field_n - field_d;
  auto is_denominator = Format::bits(value) == Format::bits(denominator);
  auto above = sge(apart, threshold), below = sle(apart, uint32_t(-int(threshold)));
  F scale = select(field_n <= tiny, up, none);
  scale = select(below, select(is_denominator, none, up), scale);
  scale = select(field_d >= large, select(below & ~is_denominator, none, down), scale);
  scale = select(field_d == 0u, up, scale);
  scale = select(above, select(is_denominator, up, none), scale);
  post = above | (below & (field_d != 0u));
  auto zero = (numerator == 0) | (denominator == 0);
  return select(zero, pattern<F>(e, Format::default_nan), value * scale);
}
template <class A>
void v_div_scale_f32(A& e, const Instruction& i) {
  typename A::M post;
  auto scaled = card_div_scale(e, e.f32(i, 0), e.f32(i, 1), e.f32(i, 2), post);
  e.set_f32(i, scaled);
  e.set_mask(i.sdst, post);
}
template <class A>
void v_div_scale_f64(A& e, const Instruction& i) {
  typename A::M post;
  auto scaled = card_div_scale(e, e.f64(i, 0), e.f64(i, 1), e.f64(i, 2), post);
  e.set_f64(i, scaled);
  e.set_mask(i.sdst, post);
}

// a * b + c, where VCC is set scaled before the one rounding: up if c, the approximate quotient, is large, else down. Denormal operands
// count in every mode.
template <class A>
void v_div_fmas_f32(A& e, const Instruction& i) {
  auto a = e.f32(i, 0), b = e.f32(i, 1), c = e.f32(i, 2);
  const auto& mode = e.core.float_mode();
  auto product = exact_f64(e, a, mode.flush_in32) * exact_f64(e, b, mode.flush_in32);
  auto sum = odd_sum(e, product, exact_f64(e, c, mode.flush_in32));
  auto scale = select(exponent_field(e, c) > 127u, e.core.f64(0x1p64), e.core.f64(0x1p-64));
  sum = sum * select(e.mask(VCC_LO), scale, e.core.f64(1));
  auto result = cvt_f32_f64(sum);
  if (i.omod) result = select(is_tiny_f32(sum, mode.round32), e.core.f32(0), result);
  e.set_f32(i, first_nan(e, a, b, c, isnan(product), result));
}
template <class A>
void v_div_fmas_f64(A& e, const Instruction& i) {
  auto a = e.f64(i, 0), b = e.f64(i, 1), c = e.f64(i, 2);
  auto scale = select(exponent_field(e, c) > 1023u, e.core.u32(128), e.core.u32(uint32_t(-128)));
  scale = select(e.mask(VCC_LO), scale, e.core.u32(0));
  auto result = scaled_fma_f64(e, a, b, c, scale, i.omod || e.core.float_mode().flush_out64);
  auto infinity = e.core.f64(std::numeric_limits<double>::infinity());
  auto finite = (fabs(a) < infinity) & (fabs(b) < infinity) & (fabs(c) < infinity);
  e.set_f64(i, first_nan(e, a, b, c, isnan(a * b), select(finite, result, fma(a, b, c))));
}

// A NaN quotient between ordinary operands is an infinity of the quotient's sign. FP16_OVFL makes that, and a quotient that came
// infinite, the largest number, but not x / 0 and infinity / x.
template <class A>
void v_div_fixup_f16(A& e, const Instruction& i) {
  using Format = FloatFormat<A, typename A::F32>;
  auto quotient = e.f16(i, 0), denominator = e.f16(i, 1), numerator = e.f16(i, 2);
  auto sign = (as_u32(denominator) ^ as_u32(numerator)) & Format::sign;
  auto magnitude_d = fabs(denominator), magnitude_n = fabs(numerator), infinity = pattern<typename A::F32>(e, Format::infinity);
  auto largest = e.core.float_mode().clamp_halves ? e.core.f32(65504) : infinity;
  auto magnitude = select(fabs(quotient) < infinity, fabs(quotient), largest);
  magnitude = select((magnitude_n == 0) | (magnitude_d == infinity), e.core.f32(0), magnitude);
  magnitude = select((magnitude_d == 0) | (magnitude_n == infinity), infinity, magnitude);
  auto result = as_f32(as_u32(magnitude) | sign);
  auto none = ((magnitude_d == 0) & (magnitude_n == 0)) | ((magnitude_d == infinity) & (magnitude_n == infinity));
  result = select(none, pattern<typename A::F32>(e, Format::default_nan), result);
  result = select(isnan(denominator), quieted(e, denominator), result);
  e.set_f16(i, select(isnan(numerator), quieted(e, numerator), result));
}

#define ATOLL_DIVISION(SCALAR, LANES, WHOLE) \
  LANES(v_div_scale_f32)                     \
  LANES(v_div_scale_f64)                     \
  LANES(v_div_fmas_f32) LANES(v_div_fmas_f64) LANES(v_div_fixup_f32) LANES(v_div_fixup_f64) LANES(v_div_fixup_f16)

}  // namespace Atoll::rdna4
