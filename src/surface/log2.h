// log2 for levels of detail.
#pragma once
#include <cstdint>

namespace Atoll::surface {

// log2 of a number that is not negative, to about 1e-9: the same bits on every host, and no branches, so that loops over lanes
// may be vectorised. Denormals are taken as some number below 2^-1022; what is beyond all numbers gives infinity.
__attribute__((always_inline)) inline double log2_of(double value) {
  uint64_t bits = __builtin_bit_cast(uint64_t, value);
  int64_t exponent = int64_t(bits >> 52) - 1023;
  double mantissa = __builtin_bit_cast(double, (bits & 0xfffffffffffff) | 0x3ff0000000000000);  // 1 to 2
  bool upper = mantissa > 1.4142135623730951;
  mantissa = upper ? mantissa * 0.5 : mantissa;
  // 2 atanh(t) = ln m, t = (m - 1) / (m + 1), at most 0.1716
  double t = (mantissa - 1) / (mantissa + 1), t2 = t * t, sum = 1.0 / 11;
  sum = sum * t2 + 1.0 / 9;
  sum = sum * t2 + 1.0 / 7;
  sum = sum * t2 + 1.0 / 5;
  sum = sum * t2 + 1.0 / 3;
  sum = sum * t2 + 1.0;
  double result = double(int(exponent + upper)) + 2 * t * sum * 1.4426950408889634;
  result = value == 0 ? -__builtin_huge_val() : result;
  return value < __builtin_huge_val() ? result : __builtin_huge_val();
}

}  // namespace Atoll::surface
