// Arithmetic on halves in F32: what is exact, what is rounded twice without harm, and the one operation where it is not.
// A half's sums, products, quotients and roots, rounded to F32 and then to a half, come out as if rounded once (24 >= 2 * 11 + 2
// bits; Figueroa, "When is double rounding innocuous?", 1995); a fused multiply-add does not.
#pragma once
#include "isa/amd/semantics/float_format.h"

namespace Atoll::amd {

// a * b + c of halves (held exactly in F32), such that rounding the result to a half is the only rounding.
// The product is exact. In directed modes rounding twice the same way is rounding once. To nearest, the sum is rounded to odd:
// its error (Knuth's two-sum, exact) tells on which side of the F32 the true sum lies. First NaN operand wins: nan.h.
template <class A, class F>
F fma16(A& e, F a, F b, F c) {
  F sum = fma(a, b, c);
  if (e.core.float_mode().round64 != wave::Rounding::NearestEven) return sum;
  F product = a * b, rest = sum - product, error = (product - (sum - rest)) + (c - rest);
  auto inexact = (error < 0) | (error > 0), overshot = (error < 0) ^ (sum < 0);
  auto bits = as_u32(sum);
  return as_f32(select(inexact, select(overshot, bits - 1u, bits) | 1u, bits));
}

// The half of a float in a rounding mode of its own, by the bits, where it is not the one the host is set to.
template <class A, class F>
auto half_in_mode(A& e, F x, wave::Rounding rounding) {
  auto bits = as_u32(x), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  using U = decltype(bits);
  auto exponent = magnitude >> 23;
  // Below 2^-14 the half's unit is 2^-24: the significand moves right until its unit is that.
  U shift = select(exponent < 113u, umin(word<U>(e, 126) - exponent, word<U>(e, 31)), word<U>(e, 13));
  U significand = (magnitude & 0x7fffffu) | select(exponent == 0u, word<U>(e, 0), word<U>(e, 0x800000));
  U kept = significand >> shift, lost = significand & ((word<U>(e, 1) << shift) - 1u), middle = word<U>(e, 1) << (shift - 1u);
  U base = select(exponent < 113u, word<U>(e, 0), (exponent - 113u) << 10);
  auto negative = sign != 0u, up = lost > middle;
  using enum wave::Rounding;
  if (rounding == NearestEven)
    up = up | ((lost == middle) & ((kept & 1u) != 0u));
  else if (rounding == TowardZero)
    up = lost > 0xffffffffu;
  else
    up = (lost != 0u) & (rounding == Up ? ~negative : negative);
  U half = base + kept + select(up, word<U>(e, 1), word<U>(e, 0));
  U beyond = word<U>(e, 0x7c00);
  if (rounding == TowardZero) beyond = word<U>(e, 0x7bff);
  if (rounding == Up) beyond = select(negative, word<U>(e, 0x7bff), beyond);
  if (rounding == Down) beyond = select(negative, beyond, word<U>(e, 0x7bff));
  half = select(half >= 0x7c00u, beyond, half);
  half = select(exponent > 142u, beyond, half);
  half = select(magnitude == 0x7f800000u, word<U>(e, 0x7c00), half);
  half = select(magnitude > 0x7f800000u, (magnitude >> 13 & 0x3ffu) | 0x7e00u, half);
  return sign | half;
}

}  // namespace Atoll::amd
