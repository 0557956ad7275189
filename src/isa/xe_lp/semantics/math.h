// The extended math unit. Special values: DG1 PRM volume 2b, MathFC, whose logarithm and exponential are of base 2 as compilers use
// them, and whose cosine of 0 is 1. Denormals of f32 are kept or count as zeros, as results too, as bit 7 of cr0 says; those of halves
// are always kept (docs/xe-lp-assembly.md has the sources). MathFC's first table of each function, with "+0 / +Denorm" in one column,
// is read as that of f32 whose denormals are flushed, the second one, without denormals and without ALT mode, as that of halves.
// Logarithms, exponentials and large angles are computed in f64 and rounded once, so that they err by hardly more than half an ulp; the
// PRM promises less.
#pragma once
#include <array>

#include "isa/xe_lp/semantics/called_functions.h"
#include "isa/xe_lp/semantics/results.h"
#include "wave/nan.h"

namespace Atoll::xe_lp {

// c[0] + x * (c[1] + x * (...))
template <class A, size_t N>
typename A::F64 polynomial(A& e, typename A::F64 x, const std::array<double, N>& c) {
  auto sum = e.core.f64(c[N - 1]);
  for (size_t n = N - 1; n-- > 0;) sum = fma(sum, x, e.core.f64(c[n]));
  return sum;
}

// 2^f for |f| <= 1/2: ln(2)^k / k!
inline constexpr auto exp2_terms = [] {
  std::array<double, 12> c{1};
  for (size_t k = 1; k < c.size(); k++) c[k] = c[k - 1] * 0x1.62e42fefa39efp-1 / double(k);
  return c;
}();
// NaNs give any result. Operands are clamped to +-200, where every f32 is infinite or 0 already.
template <class A>
typename A::F64 exponential(A& e, typename A::F32 operand) {
  auto x = cvt_f64_f32(select(fabs(operand) < 200.0f, operand, select(operand > 0.0f, e.core.f32(200), e.core.f32(-200))));
  auto n = rndne(x), r = polynomial(e, x - n, exp2_terms);
  auto exponent = low(as_u64(n + 0x1.8p52)) + 1023u;
  return r * as_f64(join(e.core.u32(0), exponent << 20));
}

// log2(m) = 2 / ln(2) * atanh(s), s = (m - 1) / (m + 1): 1, 1/3, 1/5, ... of s^2
inline constexpr auto log2_terms = [] {
  std::array<double, 13> c{};
  for (size_t k = 0; k < c.size(); k++) c[k] = 2 * 0x1.71547652b82fep+0 / double(2 * k + 1);
  return c;
}();
// For positive finite numbers.
template <class A>
typename A::F64 logarithm(A& e, typename A::F32 operand) {
  auto usable = (operand > 0.0f) & (operand < as_f32(e.core.u32(0x7f800000)));
  auto bits = as_u64(cvt_f64_f32(select(usable, operand, e.core.f32(1))));
  auto from_root = high(bits) - 0x3fe6a09eu;  // sqrt(1/2)
  auto n = ashr(from_root, 20);
  auto m = as_f64(join(low(bits), high(bits) - (n << 20)));
  auto s = (m - 1.0) / (m + 1.0);
  return cvt_f64_s32(n) + s * polynomial(e, s * s, log2_terms);
}

// sin(x) / x in x^2 for |x| <= pi / 2: (-1)^k / (2k + 1)!
inline constexpr auto sine_terms = [] {
  std::array<double, 12> c{1};
  for (size_t k = 1; k < c.size(); k++) c[k] = -c[k - 1] / double((2 * k) * (2 * k + 1));
  return c;
}();
// sin(x + quarter * pi / 2). Turns in two floats, of which whole ones fall away; what lies beyond a quarter is mirrored into it.
template <class A>
typename A::F64 sine(A& e, typename A::F32 operand, double quarters) {
  auto inverse = e.core.f64(0x1.45f306dc9c883p-3);  // 1 / (2 pi)
  auto x = cvt_f64_f32(operand), turns = x * inverse;
  auto rest = fma(x, e.core.f64(-0x1.6b01ec5417056p-57), fma(x, inverse, -turns));
  auto r = (turns - rndne(turns)) + (rest + quarters / 4);
  r = r - rndne(r);
  r = select(r > 0.25, e.core.f64(0.5) - r, select(r < -0.25, e.core.f64(-0.5) - r, r));
  auto angle = r * 0x1.921fb54442d18p+2;
  return angle * polynomial(e, angle * angle, sine_terms);
}

// The same of |x| < 2^16 in f32, rounding to the nearest: quarter turns in three floats, of which the first takes away what x has of it
// without an error, then a polynomial of at most an eighth of a turn, a sine's or a cosine's. It errs by at most 1.6 ulp. All else,
// zeros with their signs among it, is sine()'s.
inline constexpr uint32_t near_turns_end = 0x47800000;  // 2^16
template <class A>
typename A::F32 near_sine(A& e, typename A::F32 x, bool cosine) {
  auto number = [&](float c) { return e.core.f32(c); };
  auto n = rndne(x * 0x1.45f306p-1f);
  auto r = fma(n, number(0x1.ee59dap-50f), fma(n, number(0x1.777a5cp-25f), fma(n, number(-0x1.921fb6p+0f), x)));
  auto square = r * r;
  auto sum = fma(fma(number(-0x1.991aep-13f), square, number(0x1.1106c4p-7f)), square, number(-0x1.555544p-3f));
  auto of_sine = fma(r, square * sum, r);
  sum = fma(fma(number(0x1.99dc7ap-16f), square, number(-0x1.6c0c1p-10f)), square, number(0x1.55554ap-5f));
  auto of_cosine = fma(square, fma(square, sum, number(-0.5f)), number(1));
  // The low bits of n + 1.5 * 2^23 are n.
  auto quarters = as_u32(n + (cosine ? 0x1.800002p23f : 0x1.8p23f));
  return as_f32(as_u32(select((quarters & 1u) != 0u, of_cosine, of_sine)) ^ (quarters << 30 & 0x80000000u));
}

// 1 / sqrt(x), in f32: a guess from the bits, at 2^(-1/3) of the root, where a step of second order needs no factor (its two constants
// are those of the least error, 9e-4 of the root), and a step of third order in what is left (1 - x y^2), whose 1/2 is so much larger that
// it takes half of the next order along. To the nearest it errs by less than an ulp (0.995; tried with all significands). A NaN comes
// through as itself: it is the first NaN operand of every step, and only the other one is negated.
//
// `denormals`: they do not count as zeros, and are brought among the normal numbers first: (17/16)^2 2^126 times as much, whose root is
// 17/16 2^63 times as large (they err by less than two ulps). That is as much as makes a zero's root, which comes out as 3.6e19 with the
// sign of the zero, infinite. The results are no denormals.
template <class A>
typename A::F32 reciprocal_root(A& e, typename A::F32 operand, bool denormals) {
  auto pattern = [&](uint32_t bits) { return as_f32(e.core.u32(bits)); };
  auto is_small = (as_u32(operand) & 0x7f800000u) == 0u;
  auto x = denormals ? select(is_small, operand * 0x1.21p126f, operand) : operand;
  auto bits = as_u32(x);
  auto y = as_f32(e.core.u32(0x5f0b38e0) - (denormals ? ashr(bits, 1) & 0xbfffffffu : bits >> 1));
  y = y * fma(x * y, -y, e.core.f32(1.89098978f));
  auto left = fma(x * y, -y, e.core.f32(1));
  y = fma(y * left, fma(left, e.core.f32(0.375f), pattern(0x3f00000e)), y);
  y = select(bits == 0x7f800000u, e.core.f32(0), y);
  y = select(x < 0.0f, pattern(wave::default_nan32), y);
  if (denormals) return select(is_small, y * 0x1.1p63f, y);
  return select(is_small, as_f32((bits & 0x80000000u) | 0x7f800000u), y);
}

// An operand as the alternate mode takes it: fmax for an infinity, and for logarithms and roots the magnitude (alternate_floats.h).
// NaNs stay (MathFC's rows "ALT mode").
template <class A>
typename A::F32 alternate_operand(A& e, MathFunction f, typename A::F32 x) {
  x = as_f32(e.largest_for_infinity(as_u32(x)));
  return f == MathFunction::Log || f == MathFunction::Sqt || f == MathFunction::Rsqt ? fabs(x) : x;
}

// Sine and cosine.
template <class A>
typename A::F32 circle_function(A& e, typename A::F32 x, bool cosine) {
  auto infinity = as_f32(e.core.u32(0x7f800000)), none = as_f32(e.core.u32(wave::default_nan32)), zero = e.core.f32(0);
  auto anywhere = [&] {
    auto is_infinite = fabs(x) == infinity;
    auto r = cvt_f32_f64(sine(e, select(is_infinite, zero, x), cosine ? 1 : 0));
    if (!cosine) r = select(x == 0.0f, x, r);
    return as_u32(select(isnan(x), as_f32(as_u32(x) | wave::quiet_bit32), select(is_infinite, none, r)));
  };
  if (e.core.float_mode().round32 != wave::Rounding::NearestEven) return as_f32(anywhere());
  // (A zero wraps round to what is largest.)
  auto elsewhere = (as_u32(x) & 0x7fffffffu) - 1u >= near_turns_end - 1u;
  return as_f32(e.core.seldom(elsewhere, as_u32(near_sine(e, select(elsewhere, zero, x), cosine)), anywhere));
}

// The base 2 logarithm and exponential, with their special values.
template <class A>
typename A::F32 whole_logarithm(A& e, typename A::F32 x) {
  auto pattern = [&](uint32_t bits) { return as_f32(e.core.u32(bits)); };
  auto infinity = pattern(0x7f800000);
  auto r = cvt_f32_f64(logarithm(e, x));
  r = select(x < 0.0f, pattern(wave::default_nan32),
             select(x == 0.0f, pattern(0xff800000), select(fabs(x) == infinity, infinity, r)));
  return select(isnan(x), as_f32(as_u32(x) | wave::quiet_bit32), r);
}
template <class A>
typename A::F32 whole_exponential(A& e, typename A::F32 x) {
  return select(isnan(x), as_f32(as_u32(x) | wave::quiet_bit32), cvt_f32_f64(exponential(e, x)));
}

template <class A>
typename A::F32 without_denormal(A&, typename A::F32 x) {
  auto bits = as_u32(x);
  return as_f32(select((bits & 0x7f800000u) == 0u, bits & 0x80000000u, bits));
}

// The functions of one float of a type whose denormals `flushes` takes for zeros, or `denormals` for numbers: neither where it has none.
template <class A>
typename A::F32 function_steps(A& e, MathFunction f, typename A::F32 x, bool flushes, bool denormals) {
  if (f == MathFunction::Rsqt) return reciprocal_root(e, x, denormals);
  if (flushes) x = without_denormal(e, x);
  auto r = x;
  switch (f) {
    case MathFunction::Inv: r = e.core.f32(1) / x; break;
    case MathFunction::Sqt: r = sqrt(x); break;
    case MathFunction::Sin: r = circle_function(e, x, false); break;
    case MathFunction::Cos: r = circle_function(e, x, true); break;
    case MathFunction::Log: r = whole_logarithm(e, x); break;
    default: r = whole_exponential(e, x); break;
  }
  return flushes ? without_denormal(e, r) : r;
}
template <class A>
typename A::F32 float_function(A& e, MathFunction f, typename A::F32 x, bool is_f32) {
  const bool flushes = is_f32 && e.core.float_mode().flush_in32;
  auto steps = [&](typename A::F32 operand) { return function_steps(e, f, operand, flushes, is_f32 && !flushes); };
  // (as f32s halves are no denormals, and have the same results in either mode)
  const wave::LaneFunctions* called = called_functions(f);
  return called ? wave::called_or(e, x, *called, steps) : steps(x);
}

// Quotients are exact in f64: what lies below the next integer lies more than an ulp below it. By 0: the largest number of the
// dividend's sign, as remainder too.
template <class A>
void integer_division(A& e, const Instruction& i) {
  using U32 = typename A::U32;
  auto on = e.enabled(i);
  const bool negative = is_signed(i.src[0].type);
  U32 a = e.template integer<U32>(i, 0), b = e.template integer<U32>(i, 1);
  U32 sign_a = negative ? ashr(a, 31) : e.core.u32(0), sign_b = negative ? ashr(b, 31) : e.core.u32(0);
  U32 size_a = (a ^ sign_a) - sign_a, size_b = (b ^ sign_b) - sign_b;
  U32 size = cvt_u32_f64(cvt_f64_u32(size_a) / cvt_f64_u32(size_b));
  U32 rest = size_a - size * size_b, sign = sign_a ^ sign_b;
  U32 largest = negative ? (e.core.u32(0x7fffffff) ^ sign_a) : e.core.u32(~0u);
  U32 quotient = select(b == 0u, largest, (size ^ sign) - sign);
  U32 remainder = select(b == 0u, largest, (rest ^ sign_a) - sign_a);
  const auto f = MathFunction(i.function);
  e.put(i, on, f == MathFunction::Irem ? remainder : quotient);
  if (f != MathFunction::Idiv) return;
  e.put(i, remainder_of(i), on, remainder);
}

// invm, rsqtm: first steps of divisions and roots that the following ones refine. Here they give the result itself, rounded by the
// mode, and tell so: the flag (early out) is set, and what follows is for channels without it.
template <class A>
void macro(A& e, const Instruction& i) {
  auto on = e.enabled(i);
  auto a = e.real(i, 0);
  auto r = MathFunction(i.function) == MathFunction::Invm ? a / e.real(i, 1) : cvt_f32_f64(e.core.f64(1) / sqrt(cvt_f64_f32(a)));
  Instruction plain = i;
  plain.condition = Condition::None;
  put_real(e, plain, on, r);
  e.set_flag(i, on, e.core.m(true));
}

template <class A>
void math(A& e, const Instruction& i) {
  const auto f = MathFunction(i.function);
  if (f >= MathFunction::Idiv && f <= MathFunction::Irem) return integer_division(e, i);
  if (is_macro(i)) return macro(e, i);
  auto on = e.enabled(i);
  auto x = e.real(i, 0);
  if (is_alternate(e.core.float_mode(), i)) x = alternate_operand(e, f, x);
  put_real(e, i, on, float_function(e, f, x, i.src[0].type == Type::F));
}

}  // namespace Atoll::xe_lp
