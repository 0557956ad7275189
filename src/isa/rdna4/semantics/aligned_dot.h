// Sums of products and an addend as gfx1201 forms them, two products in DOT2, four a step in WMMA: products are exact, each term is cut
// to the grid of the largest, and the sum is rounded once. Captured on cards: ROCm/rocm-systems, emulation/rocjitsu, shared/gfx12_dot.h
// and shared/dot_packed16.h with tests/fixtures/float_dot (the rule in numbers: docs/errata.md, D1).
//
// Numbers are integers on a grid, whose exponent g stands for units of 2^(g - grid_bias).
#pragma once
#include <cstdint>

#include "isa/amd/semantics/float_rules.h"

namespace Atoll::rdna4 {

constexpr uint32_t grid_bias = 512;
constexpr uint32_t factor_nan = 0xffc00a3d, invalid_nan = 0xffc00000;  // of a NaN among the factors; of 0 * inf and inf - inf

// The two formats of factors.
template <bool bf16>
struct FactorFormat {
  static constexpr uint32_t fraction_bits = bf16 ? 7 : 10, fraction = (1u << fraction_bits) - 1,
                            infinity = bf16 ? 0x7f80 : 0x7c00;
  // A product's grid lies 24 below the sum of its factors' exponents, with more bits below the product's last.
  static constexpr uint32_t spare_bits = 24 - 2 * fraction_bits;
  static constexpr uint32_t grid_of_fields = grid_bias - 24 - 2 * (bf16 ? 127 : 15);
};

// A product on its grid, of two factors in the low 16 bits.
template <class Bits, class Truth>
struct AlignedProduct {
  Bits units, grid;  // the grid of 0 is 0, below all others
  Truth negative, nan, infinite, invalid;
};
template <bool bf16, class Bits>
auto aligned_product(Bits x, Bits y) {
  using F = FactorFormat<bf16>;
  const auto a = x & 0x7fffu, b = y & 0x7fffu;
  auto exponent = [](Bits v) { return v >> F::fraction_bits; };
  auto significand = [&](Bits v) {
    return (v & F::fraction) | select(exponent(v) != 0u, amd::constant_like(v, F::fraction + 1), amd::constant_like(v, 0));
  };
  const auto one = amd::constant_like(a, 1), none = amd::constant_like(a, 0);
  const auto zero = (a == 0u) | (b == 0u), infinite = (a == F::infinity) | (b == F::infinity);
  const auto grid = umax(exponent(a), one) + umax(exponent(b), one) + F::grid_of_fields;
  return AlignedProduct<Bits, decltype(zero)>{(significand(a) * significand(b)) << F::spare_bits,
                                              select(zero, none, grid),
                                              ((x ^ y) & 0x8000u) != 0u,
                                              (a > F::infinity) | (b > F::infinity),
                                              infinite,
                                              infinite & zero};
}

// Signed units moved to a coarser grid, toward minus infinity.
template <class Bits>
Bits coarser(Bits units, Bits from, Bits to) {
  return ashr(units, umin(to - from, amd::constant_like(units, 31)));
}
template <class Bits, class Truth>
Bits with_sign(Bits magnitude, Truth negative) {
  return select(negative, amd::constant_like(magnitude, 0) - magnitude, magnitude);
}

// The addend, an f32's bits, on the grid of the sum. A negative one that keeps no bit there adds nothing if the grid lies above
// the addend's smallest exponent, 2^-126, or 2^-14 where results are halves.
template <class Bits>
struct AlignedAddend {
  Bits magnitude, own_grid, negative_word;
};
template <class Bits>
AlignedAddend<Bits> aligned_addend(Bits c) {
  const auto field = c >> 23 & 0xffu;
  const auto hidden = select(field != 0u, amd::constant_like(c, 0x800000), amd::constant_like(c, 0));
  return {((c & 0x7fffffu) | hidden) << 3, umax(field, amd::constant_like(c, 1)) + (grid_bias - 127 - 26), c};
}
template <class Bits>
Bits on_grid(const AlignedAddend<Bits>& c, Bits grid, uint32_t smallest_exponent) {
  const auto shift = umin(grid - c.own_grid, amd::constant_like(grid, 31));
  const auto lost = ((c.magnitude >> shift) == 0u) & (grid > smallest_exponent);
  return select(lost, amd::constant_like(grid, 0), ashr(with_sign(c.magnitude, slt(c.negative_word, 0u)), shift));
}

// Signed units to a float's bits, to the nearest even; 0 is +0, also of what underflows. `bits`: of the significand, with its leading one; `infinity` its pattern.
template <class Bits>
Bits rounded_units(Bits units, Bits grid, uint32_t bits, uint32_t bias, uint32_t infinity, bool largest_for_infinity) {
  const auto negative = slt(units, 0u);
  const auto magnitude = with_sign(units, negative), leading = umin(clz(magnitude), amd::constant_like(units, 31));
  auto normal = magnitude << leading;                                   // its leading one is bit 31
  const auto scaled = grid + (31 + bias), below = leading + grid_bias;  // the exponent field: scaled - below
  const auto one = amd::constant_like(units, 1), none = amd::constant_like(units, 0);
  const auto is_denormal = scaled <= below;
  const auto shift = select(is_denormal, umin(below + 1 - scaled, amd::constant_like(units, 31)), none);
  const auto kept = normal >> shift;
  normal = kept | select((kept << shift) != normal, one, none);
  const auto base = select(is_denormal, none, (scaled - below - 1) << (bits - 1));
  const auto quotient = normal >> (32 - bits), rest = normal & ((1u << (32 - bits)) - 1);
  const auto up = (rest + ((1u << (31 - bits)) - 1) + (quotient & 1u)) >> (32 - bits);
  const auto number = umin(base + quotient + up, amd::constant_like(units, infinity - uint32_t(largest_for_infinity)));
  // (a zero has no leading one, whatever `base` makes of that)
  const auto sign = select(negative, amd::constant_like(units, bits == 24 ? 0x80000000u : 0x8000u), none);
  return select((magnitude == 0u) | (number == 0u), none, number | sign);
}

enum class DotResult : uint8_t { f32, f16, bf16 };
// The sum of N products, two by two, and the addend `c`, an f32's bits. Factors are halves in the low bits of a and b, and so is a 16-bit result.
// Rounding and denormals follow no MODE.
template <bool bf16, DotResult result, unsigned N, class Bits>
Bits aligned_dot(const Bits (&a)[N], const Bits (&b)[N], Bits c, bool largest_for_infinity) {
  constexpr bool half = result == DotResult::f16;
  const auto none = amd::constant_like(c, 0);
  const auto magnitude = c & 0x7fffffffu;
  const auto never = magnitude > 0x7fffffffu;
  auto nan = never, invalid = never, plus = never, minus = never;
  Bits pairs[N / 2] = {}, pair_grids[N / 2] = {};
  const auto addend = aligned_addend(c);
  constexpr uint32_t smallest_exponent = grid_bias - (half ? 14 : 126);
  auto grid = umax(addend.own_grid, amd::constant_like(c, smallest_exponent - 26));
  for (unsigned n = 0; n < N; n += 2) {
    const auto p = aligned_product<bf16>(a[n], b[n]), q = aligned_product<bf16>(a[n + 1], b[n + 1]);
    const auto pair_grid = umax(p.grid, q.grid);
    pairs[n / 2] =
        coarser(with_sign(p.units, p.negative), p.grid, pair_grid) + coarser(with_sign(q.units, q.negative), q.grid, pair_grid);
    pair_grids[n / 2] = pair_grid;
    grid = umax(grid, pair_grid);
    nan = nan | p.nan | q.nan;
    invalid = invalid | p.invalid | q.invalid;
    plus = plus | (p.infinite & ~p.negative) | (q.infinite & ~q.negative);
    minus = minus | (p.infinite & p.negative) | (q.infinite & q.negative);
  }
  auto sum = on_grid(addend, grid, smallest_exponent);
  for (unsigned n = 0; n < N / 2; n++) sum = sum + coarser(pairs[n], pair_grids[n], grid);
  auto bits = half ? rounded_units(sum, grid, 11, 15, 0x7c00, largest_for_infinity)
                   : rounded_units(sum, grid, 24, 127, 0x7f800000, false);
  if constexpr (result == DotResult::bf16) bits = bits >> 16;  // cut

  // Infinities and NaNs, in the order of precedence from the last on.
  auto word = [&](uint32_t x) {  // an f32's infinity or NaN in the result's format
    return amd::constant_like(c, result == DotResult::f32 ? x : half ? (x >> 16 & 0x8000) | 0x7c00 | (x >> 13 & 0x3ff) : x >> 16);
  };
  invalid = invalid | (plus & minus);
  const auto addend_infinite = magnitude == 0x7f800000u, negative = slt(c, 0u);
  plus = plus | (addend_infinite & ~negative);
  minus = minus | (addend_infinite & negative);
  bits = select(plus, word(0x7f800000), bits);
  bits = select(minus, select(plus, word(invalid_nan), word(0xff800000)), bits);
  const auto quieted = c | 0x400000u;
  const auto kept = result == DotResult::f32 ? quieted
                    : half                   ? (c >> 16 & 0x8000u) | (quieted >> 13 & 0x3ffu) | 0x7c00u
                                             : quieted >> 16;
  bits = select(magnitude > 0x7f800000u, kept, bits);
  bits = select(invalid, word(invalid_nan), bits);
  // The payload of a factor's NaN is another one in 16 bits.
  return select(nan, result == DotResult::f32 ? word(factor_nan) : none | (half ? 0xfe3du : 0xfffdu), bits);
}

}  // namespace Atoll::rdna4
