// gfx1201's sums of products of f16 or bf16 and an addend (DOT2 with two products, a step of WMMA with four), from the rule in
// words (docs/errata.md, D1), in whole numbers: apart from the code under test, for tests.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "exact_floats.h"
#include "half_reference.h"

namespace Atoll::rdna4::test {

enum class SumResult { single, half, brain };  // f32, f16, bf16; the last two have an addend of the same format

struct ExactNumber {
  int64_t units;
  int exponent;  // of the unit
  // Toward minus infinity on units of 2^grid.
  int64_t cut(int grid) const {
    int shift = exponent - grid;
    if (shift >= 0) return units * (int64_t(1) << shift);
    return shift < -62 ? (units < 0 ? -1 : 0) : units >> -shift;
  }
};
inline ExactNumber exact_number(const BinaryFormat& f, uint32_t bits) {
  int field = int(bits >> f.mantissa_bits) & ((1 << f.exponent_bits) - 1);
  int64_t m = bits & ((1u << f.mantissa_bits) - 1);
  if (field) m |= int64_t(1) << f.mantissa_bits;
  return {bits >> (f.mantissa_bits + f.exponent_bits) & 1 ? -m : m, std::max(field, 1) - f.bias() - f.mantissa_bits};
}
inline bool is_nan(const BinaryFormat& f, uint32_t bits) {
  return (bits & ((1u << (f.exponent_bits + f.mantissa_bits)) - 1)) > uint32_t(f.top + 1) << f.mantissa_bits;
}
inline bool is_infinite(const BinaryFormat& f, uint32_t bits) {
  return (bits & ((1u << (f.exponent_bits + f.mantissa_bits)) - 1)) == uint32_t(f.top + 1) << f.mantissa_bits;
}

inline uint32_t card_sum(bool brain, SumResult result, std::span<const std::array<uint32_t, 2>> factors, uint32_t addend,
                         bool largest_for_infinity = false) {
  const BinaryFormat& f = brain ? brain_format : half_format;
  const BinaryFormat& to = result == SumResult::single ? single_format : result == SumResult::half ? half_format : brain_format;
  const int width = to.exponent_bits + to.mantissa_bits;
  const uint32_t infinity = uint32_t(to.top + 1) << to.mantissa_bits, sign = 1u << width, quiet = 1u << (to.mantissa_bits - 1);
  bool invalid = false, plus = false, minus = false;
  for (auto [a, b] : factors)
    if (is_nan(f, a) || is_nan(f, b))
      return result == SumResult::single ? 0xffc00a3d : result == SumResult::half ? 0xfe3d : 0xfffd;
  for (auto [a, b] : factors) {
    const bool negative = (a ^ b) & 0x8000, infinite = is_infinite(f, a) || is_infinite(f, b);
    if (infinite && (!(a & 0x7fff) || !(b & 0x7fff))) invalid = true;
    if (infinite) (negative ? minus : plus) = true;
  }
  const uint32_t default_nan = sign | infinity | quiet;
  if (invalid || (plus && minus)) return default_nan;
  if (is_nan(to, addend)) return addend | quiet;
  if (is_infinite(to, addend)) (addend & sign ? minus : plus) = true;
  if (plus || minus) return plus && minus ? default_nan : plus ? infinity : sign | infinity;

  // The grids: of each product, of each pair, of the sum.
  constexpr int none = -100000;
  auto exponent = [&](uint32_t x) { return exact_number(f, x).exponent + f.mantissa_bits; };
  auto grid_of = [&](auto& p) { return (p[0] & 0x7fff) && (p[1] & 0x7fff) ? exponent(p[0]) + exponent(p[1]) - 24 : none; };
  const ExactNumber c = exact_number(to, addend);
  const int least = result == SumResult::half ? -14 : -126;
  const int leading = c.units ? c.exponent + int(std::ilogb(double(c.units))) : none;
  int grid = std::max(least, leading) - 26;
  for (auto& p : factors) grid = std::max(grid, grid_of(p));
  int64_t sum = 0;
  for (size_t n = 0; n < factors.size(); n += 2) {
    const int pair_grid = std::max(grid_of(factors[n]), grid_of(factors[n + 1]));
    if (pair_grid == none) continue;
    int64_t pair = 0;
    for (auto& p : {factors[n], factors[n + 1]}) {
      const ExactNumber a = exact_number(f, p[0]), b = exact_number(f, p[1]);
      pair += ExactNumber{a.units * b.units, a.exponent + b.exponent}.cut(pair_grid);
    }
    sum += ExactNumber{pair, pair_grid}.cut(grid);
  }
  const bool lost = c.units < 0 && ExactNumber{-c.units, c.exponent}.cut(grid) == 0 && grid > least;
  if (!lost) sum += c.cut(grid);
  if (sum == 0) return 0;
  const long double exact = std::ldexp((long double)sum, grid);
  if (result != SumResult::half) {
    uint32_t bits = uint32_t(rounded_bits(single_format, exact, wave::Rounding::NearestEven));
    if (!(bits & 0x7fffffff)) bits = 0;  // what underflows is +0
    return result == SumResult::brain ? bits >> 16 : bits;
  }
  const uint32_t bits = uint32_t(rounded_bits(half_format, exact, wave::Rounding::NearestEven));
  if (!(bits & 0x7fff)) return 0;
  return (bits & 0x7fff) == 0x7c00 && largest_for_infinity ? bits - 1 : bits;
}

}  // namespace Atoll::rdna4::test
