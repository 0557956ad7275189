// a * b + c rounded once, however it is scaled before that or to whatever type it is rounded: with one bit below the last that says
// "there was more" ("round to odd"; Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
#pragma once
#include "isa/amd/semantics/float_format.h"
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

// The f32 in f64, denormals too where the host would read them as zeros.
template <class A>
typename A::F64 exact_f64(A& e, typename A::F32 x, bool host_flushes) {
  auto wide = cvt_f64_f32(x);
  if (!host_flushes) return wide;
  auto bits = as_u32(x), magnitude = bits & 0x7fffffffu;
  auto denormal = as_u64(cvt_f64_u32(magnitude) * 0x1p-149);
  return select(magnitude < 0x800000u, as_f64(join(low(denormal), high(denormal) | (bits & 0x80000000u))), wide);
}

// The sum of an exact product and an addend, of f32 values: 53 bits, the last of which is set if it is inexact. In any rounding mode: what
// the smaller term adds to the larger one (`added`) is exact, and beside the term itself it says on which side of the sum the exact one is.
template <class A>
typename A::F64 odd_sum(A&, typename A::F64 product, typename A::F64 addend) {
  auto swapped = fabs(product) < fabs(addend);
  auto larger = select(swapped, addend, product), smaller = select(swapped, product, addend);
  auto sum = larger + smaller, added = sum - larger;
  auto bits = as_u64(sum);
  auto above = added > smaller, inexact = above | (added < smaller);
  return as_f64(select(inexact, select(above ^ (sum < 0), bits - uint64_t(1), bits) | uint64_t(1), bits));
}

// Below the normal f32, once rounded.
template <class F>
auto is_tiny_f32(F x, wave::Rounding rounding) {
  return amd::is_tiny(x, rounding, 0x1.fffffep-127, 0x1.ffffffp-127, 0x1p-126);
}

// The first NaN of a, b and c, but the default one whatever c is where the product is none (0 * infinity).
template <class A, class F, class M>
F first_nan(A& e, F a, F b, F c, M no_product, F otherwise) {
  F nan = select(isnan(a), a, select(isnan(b), b, select(no_product, pattern<F>(e, FloatFormat<A, F>::default_nan), c)));
  return select(no_product | isnan(c), quieted(e, nan), otherwise);
}

// --- f64: of significands in [1, 2), so that nothing leaves the range between

template <class A>
struct Unpacked {
  typename A::F64 significand;  // with the sign; 0 of a zero
  typename A::U32 exponent;
};
template <class A>
Unpacked<A> unpacked(A& e, typename A::F64 x) {
  auto bits = as_u64(x), magnitude = bits & ~(uint64_t(1) << 63), zeros = clz(magnitude);
  auto field = high(bits) >> 20 & 0x7ffu;
  auto denormal = field == 0u;
  auto fraction = select(denormal, magnitude << ((zeros - uint64_t(11)) & uint64_t(63)), magnitude) & ((uint64_t(1) << 52) - 1);
  auto one = fraction | uint64_t(1023) << 52 | (bits & uint64_t(1) << 63);
  return {select(magnitude == uint64_t(0), x, as_f64(one)),
          select(denormal, e.core.u32(uint32_t(-1011)) - low(zeros), field - 1023u)};
}
template <class A>
typename A::F64 power_of_two(A& e, typename A::U32 n) {
  return as_f64(join(e.core.u32(0), (n + 1023u) << 20));
}

template <class F>
struct TwoSum {
  F sum, error;
};
template <class F>
TwoSum<F> two_sum(F a, F b) {
  F sum = a + b, rest = sum - a;
  return {sum, (a - (sum - rest)) + (b - rest)};
}

// |significand| * 2^(exponent - 55), of 55 or 56 bits the last of which stands for all that is below, as an f64 in MODE's rounding.
// Below the normal numbers it is 0 if `flush`: also what only the coarser unit there would round up to the first of them.
template <class A>
typename A::F64 rounded_f64(A& e, typename A::U64 significand, typename A::U32 exponent, typename A::M negative, bool flush) {
  using U64 = typename A::U64;
  const auto rounding = e.core.float_mode().round64;
  auto n = [&](uint64_t x) { return e.core.u64(x); };
  auto rounded = [&](U64 places) {
    U64 kept = significand >> places, lost = significand & ((n(1) << places) - uint64_t(1)),
        middle = n(1) << (places - uint64_t(1));
    auto up = e.core.m(false);
    if (rounding == wave::Rounding::NearestEven)
      up = (lost > middle) | ((lost == middle) & ((kept & uint64_t(1)) != uint64_t(0)));
    else if (rounding != wave::Rounding::TowardZero)
      up = (lost != uint64_t(0)) & (rounding == wave::Rounding::Up ? ~negative : negative);
    return kept + select(up, n(1), n(0));
  };
  auto is_short = significand < uint64_t(1) << 55;
  U64 places = select(is_short, n(2), n(3));
  auto field = exponent + 1023u - select(is_short, e.core.u32(1), e.core.u32(0));
  auto below = sle(field, 0u);
  auto deeper = widen(umin(select(below, e.core.u32(1) - field, e.core.u32(0)), e.core.u32(58)));
  U64 base = select(below, n(0), widen(field - 1u) << 52);
  U64 bits = base + rounded(places + deeper);
  if (flush) bits = select(below & ((field != 0u) | (rounded(places) < uint64_t(1) << 53)), n(0), bits);
  const uint64_t infinity = uint64_t(0x7ff) << 52;
  U64 beyond = n(rounding == wave::Rounding::NearestEven ? infinity : infinity - 1);
  if (rounding == wave::Rounding::Up) beyond = select(negative, beyond, n(infinity));
  if (rounding == wave::Rounding::Down) beyond = select(negative, n(infinity), beyond);
  bits = select(sge(field, 0x7ffu) | (bits >= infinity), beyond, bits);
  return as_f64(bits | select(negative, n(uint64_t(1) << 63), n(0)));
}

// (a * b + c) * 2^scale of finite numbers; the host rounds to nearest. `flush` as above.
template <class A>
typename A::F64 scaled_fma_f64(A& e, typename A::F64 a, typename A::F64 b, typename A::F64 c, typename A::U32 scale, bool flush) {
  using F64 = typename A::F64;
  const auto x = unpacked(e, a), y = unpacked(e, b), z = unpacked(e, c);
  auto no_product = (a == 0) | (b == 0);
  auto exponent_c = z.exponent, exponent = select(no_product, exponent_c, x.exponent + y.exponent);
  exponent_c = select(c == 0, exponent, exponent_c);
  // Beyond 200 places one of the two is no more than a bit that was lost.
  auto apart = exponent_c - exponent, near = smax(smin(apart, e.core.u32(200)), e.core.u32(uint32_t(-200)));
  exponent = select(sgt(apart, 200u), exponent_c - 200u, exponent);
  F64 addend = z.significand * power_of_two(e, near);
  F64 product = x.significand * y.significand, product_error = fma(x.significand, y.significand, -product);
  auto [low_sum, low_error] = two_sum(addend, product_error);
  auto [high_sum, high_error] = two_sum(product, low_sum);
  auto rest = two_sum(low_error, high_error);
  auto rest_bits = as_u64(rest.sum);
  auto odd = select((rest.error < 0) ^ (rest.sum < 0), rest_bits - uint64_t(1), rest_bits) | uint64_t(1);
  auto [sum, below] = two_sum(high_sum, as_f64(select((rest.error < 0) | (rest.error > 0), odd, rest_bits)));
  auto negative = sum < 0;
  auto bits = as_u64(sum), one = e.core.u64(1), none = e.core.u64(0);
  auto significand = ((bits & ((uint64_t(1) << 52) - 1)) | uint64_t(1) << 52) << 3;
  auto less = ((below < 0) & ~negative) | ((below > 0) & negative), more = ((below > 0) & ~negative) | ((below < 0) & negative);
  significand = significand + select(more, one, none) - select(less, one, none);
  auto result = rounded_f64(e, significand, exponent + (high(bits) >> 20 & 0x7ffu) - 1023u + scale, negative, flush);
  // Zero: of the terms' sign if they have one, else -0 where the mode rounds down.
  auto signs = as_u64(a) ^ as_u64(b);
  auto zero = e.core.float_mode().round64 == wave::Rounding::Down ? signs | as_u64(c) : signs & as_u64(c);
  return select(sum == 0, as_f64(zero & uint64_t(1) << 63), result);
}

}  // namespace Atoll::rdna4
