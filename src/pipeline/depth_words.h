// Depths in vectors, as the depth buffer has them and as they are compared.
#pragma once
#include "pipeline/lanes.h"
#include "pipeline/state.h"

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

}  // namespace Atoll::pipeline::ATOLL_LEVEL
