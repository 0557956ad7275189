// Depths in vectors, as the depth buffer has them and as they are compared.
#pragma once
#include "pipeline/lanes.h"
#include "pipeline/target.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

template <class Vector>
inline auto compare(Compare with, const Vector& a, const Vector& b) -> decltype(a < b) {
  using Mask = decltype(a < b);
  switch (with) {
    case Compare::never: return Mask{};
    case Compare::less: return a < b;
    case Compare::equal: return a == b;
    case Compare::less_equal: return a <= b;
    case Compare::greater: return a > b;
    case Compare::not_equal: return a != b;
    case Compare::greater_equal: return a >= b;
    case Compare::always: break;
  }
  return Mask{} == Mask{};
}

// Depths 0 to 1 as unorm words, rounded to nearest. Beyond 16 bits a float's product would lose the last one.
template <class Words, class Doubles, class Floats>
inline Words to_words(const Floats& z, unsigned bits) {
  Floats clamped = z > 0 ? z : Floats{};
  clamped = clamped < 1 ? clamped : Floats{} + 1;
  Doubles scaled = __builtin_convertvector(clamped, Doubles) * double((1u << bits) - 1) + 0.5;
  return __builtin_convertvector(scaled, Words);
}
inline i32x16 to_words(const f32x16& z, unsigned bits) { return to_words<i32x16, f64x16>(z, bits); }

// DepthCode::ones of depths of 24 bits.
template <class Words>
inline Words float_code(const Words& depth) {
  Words ones = {};  // (comparisons give -1)
  for (int n = 1; n <= 7; n++) ones -= depth >> (24 - n) == (1 << n) - 1;
  const Words shift = 10 - (ones < 6 ? ones : Words{} + 6);
  return ones << 13 | (depth >> shift & 0x1fff);
}

// Depths as words of a buffer of integers.
template <class Words, class Doubles, class Floats>
inline Words to_words(const Floats& z, unsigned bits, DepthCode code) {
  if (code == DepthCode::unorm) return to_words<Words, Doubles>(z, bits);
  const Words depth = to_words<Words, Doubles>(z, 24);
  return code == DepthCode::ones ? float_code(depth) : 0xffff & ~float_code(Words(0xffffff & ~depth));
}
inline i32x16 to_words(const f32x16& z, unsigned bits, DepthCode code) { return to_words<i32x16, f64x16>(z, bits, code); }

// Words as the numbers that they are in comparisons.
template <class Words>
inline Words signed_words(const Words& words, unsigned bits, DepthSign sign) {
  if (sign == DepthSign::none) return words;
  const int32_t top = int32_t(1) << (bits - 1);
  if (sign == DepthSign::twos_complement) return (words ^ top) - top;
  const Words size = words & (top - 1);
  return (words & top) != 0 ? -size : size;
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
