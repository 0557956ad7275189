// Rules of float arithmetic that scalar and vector instructions share, over values of either kind (S32/SF32/SF64 or U32/F32/F64).
// RDNA4 ISA 3.4.3 (MODE), 16.1 (S_MIN_NUM_F32, S_MINIMUM_F32), 16.12 (V_FMA_F16).
#pragma once
#include "isa/amd/adaptor.h"

namespace Atoll::amd {

// clang-format off: one instruction a line
// A constant of the same kind as a value.
template <class V> V constant_like(V x, uint32_t n) { return (x ^ x) | n; }

// Denormals to zero of the same sign, where MODE asks for it.
template <class Bits> Bits flush_bits32(bool flush, Bits x) { return flush ? select((x & 0x7f800000u) == 0u, x & 0x80000000u, x) : x; }
template <class Bits> Bits flush_bits16(bool flush, Bits x) { return flush ? select((x & 0x7c00u) == 0u, x & 0x8000u, x) : x; }

// Facts of two operands of a minimum or maximum. `a`, `b` are their bits; the comparison came from their values.
template <class Bits, class Truth>
struct Extremum {
  Bits a, b;
  Truth a_wins;               // by value; of two zeros, -0 is the smaller
  Truth a_nan, b_nan;
  uint32_t quiet;             // the bit that makes a NaN quiet
};
template <class Bits, class Float>
auto extremum32(Bits a, Bits b, Float x, Float y, bool maximum) {
  auto smaller = (x < y) | ((x == y) & slt(a, 0u)), larger = (x > y) | ((x == y) & ~slt(a, 0u));
  auto a_nan = isnan(x), b_nan = isnan(y);
  return Extremum<Bits, decltype(a_nan)>{
      a, b, maximum ? larger : smaller, a_nan, b_nan, 0x400000u};
}
// Halves in the low bits; x and y are the same values as F32.
template <class Bits, class Float>
auto extremum16(Bits a, Bits b, Float x, Float y, bool maximum) {
  auto negative = (a & 0x8000u) != 0u;
  auto smaller = (x < y) | ((x == y) & negative), larger = (x > y) | ((x == y) & ~negative);
  auto a_nan = isnan(x), b_nan = isnan(y);
  return Extremum<Bits, decltype(a_nan)>{
      a, b, maximum ? larger : smaller, a_nan, b_nan, 0x200u};
}
// minimumNumber, maximumNumber: a number is preferred to a NaN; two NaNs give the first, quieted.
template <class Bits, class Truth>
Bits number_of(const Extremum<Bits, Truth>& e) {
  return select(e.a_nan, select(e.b_nan, e.a | e.quiet, e.b), select(e.b_nan | e.a_wins, e.a, e.b));
}
// minimum, maximum: a NaN wins, the first, quieted (docs/errata.md, F16).
template <class Bits, class Truth>
Bits propagating(const Extremum<Bits, Truth>& e) {
  return select(e.a_nan, e.a | e.quiet, select(e.b_nan, e.b | e.quiet, select(e.a_wins, e.a, e.b)));
}

// fma of halves, still to be rounded: an F32 that rounds to the half that a*b + c rounds to. The product is exact in f64. The sum loses
// bits only where more than 53 lie between its ends, and then the smaller term lies so far below the larger one's last bit that it
// decides nothing but a directed rounding, which f64 has done in the same direction. On the way to f32 the lost bits go into the last
// one ("round to odd"): 24 bits are more than twice 11, so the half comes out right in every mode.
template <class F> F fma_f16(F a, F b, F c) {
  auto addend = cvt_f64_f32(c), sum = cvt_f64_f32(a) * cvt_f64_f32(b) + addend;
  auto bits = as_u64(sum);
  constexpr uint64_t lost = 0x1fffffffu;  // f64 bits that f32 has not
  auto odd = select((bits & lost) != 0u, bits | (lost + 1), bits) & ~lost;
  // inf * 0 + NaN: the NaN that was an operand. (Its quiet bit is set again because compilers take a half's way to f64 and back for
  // no change at all.)
  odd = select(isnan(c) & ~unordered(a, b), as_u64(addend) | 0x0008000000000000u, odd);
  return cvt_f32_f64(as_f64(odd));
}

// The half nearest to zero from the f32 with these bits, whatever MODE says.
template <class Bits> Bits half_toward_zero(Bits x) {
  auto magnitude = x & 0x7fffffffu, sign = x >> 16 & 0x8000u, exponent = magnitude >> 23;
  auto largest = constant_like(magnitude, 0x477fe000u);  // 65504
  auto normal = (umin(magnitude, largest) >> 13) - (112u << 10);
  // Below 2^-14 a half counts in units of 2^-24.
  auto shift = umin(constant_like(exponent, 126) - umin(exponent, constant_like(exponent, 112)), constant_like(exponent, 31));
  auto denormal = ((magnitude & 0x7fffffu) | 0x800000u) >> shift;
  auto finite = select(exponent > 112u, normal, denormal);
  auto special = select(magnitude > 0x7f800000u, (magnitude >> 13 & 0x3ffu) | 0x7e00u, constant_like(magnitude, 0x7c00u));
  return sign | select(magnitude >= 0x7f800000u, special, finite);
}

// The operand of a conversion to a narrower format. Denormal f32 and f64 lie below half of the smallest number of the narrower one, and so
// does the smallest normal number, which the host's own flushing leaves alone: where denormals count, it stands for them (directed
// rounding can tell them from 0).
template <class Bits, class Number>
Bits narrowing_source(Bits x, Number exponent_field, Number smallest_normal, bool flush, bool host_flushes) {
  const Number sign = ~(~Number(0) >> 1);
  auto denormal = ((x & exponent_field) == Number(0)) & ((x & ~sign) != Number(0));
  if (flush) return select(denormal, x & sign, x);
  return host_flushes ? select(denormal, (x & sign) | smallest_normal, x) : x;
}
// clang-format on

}  // namespace Atoll::amd
