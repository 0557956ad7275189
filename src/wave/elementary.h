// Elementary functions in the words of the engines that more than one family's instructions have: the same bits on every host, for
// lanes and scalars alike.
#pragma once
#include <cstdint>

namespace Atoll::wave {

// 1 / sqrt(x) of a positive normal f32. A guess from the bits (3.5 % off), one step of fourth order in what is left (2e-8), one
// Newton step in which x * y is held in two floats, so that only the last rounding is seen: correctly rounded for all operands but
// 4^k (1 - 2^-23), of which it gives 2^-k instead of the next number, a tie but for 1e-7 ulp. Coefficients: a minimax fit made for
// this file.
// A NaN comes through as itself: it is the first NaN operand of every step, and only the other one is negated.
// `number(c)`: the constant c as an F, `word(w)`: as F's bits.
template <class F, class Number, class Word>
F reciprocal_root_of_normal(F x, Number number, Word word) {
  const F half = number(0.5), one = number(1);
  F y = as_f32(word(0x5f374000) - (as_u32(x) >> 1));
  const F left = fma(x * y, -y, one);
  F sum = number(0x1.19f96ap-2f);
  for (float c : {0x1.417624p-2f, 0x1.7fff0ap-2f, 0x1.ffff92p-2f}) sum = fma(sum, left, number(c));
  y = fma(y * left, sum, y);
  const F product = x * y, lost = fma(x, y, -product);
  return fma(y * half, fma(lost, -y, fma(product, -y, one)), y);
}

}  // namespace Atoll::wave
