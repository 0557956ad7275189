// Rounding to any binary float format from an exact long double, by arithmetic on integers: what the tests of conversions and of
// small formats compare with. IEEE 754; FP8 and BF8: RDNA4 ISA 7.5.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "wave/float_mode.h"

namespace Atoll::rdna4::test {

// `top`: the largest exponent field of numbers. An exponent of all ones is infinity and NaN, save in FP8 (top 15, only 0x7f is
// NaN).
struct BinaryFormat {
  int exponent_bits, mantissa_bits, top;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  double value(uint64_t bits) const {
    uint64_t mantissa = bits & ((uint64_t(1) << mantissa_bits) - 1);
    int exponent = int(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
    bool negative = bits >> (mantissa_bits + exponent_bits) & 1;
    double x = exponent > top  ? (mantissa ? NAN : INFINITY)
               : exponent == 0 ? std::ldexp(double(mantissa), 1 - bias() - mantissa_bits)
                               : std::ldexp(double(mantissa | uint64_t(1) << mantissa_bits), exponent - bias() - mantissa_bits);
    return negative ? -x : x;
  }
  uint64_t largest() const { return (uint64_t(top) << mantissa_bits) | ((uint64_t(1) << mantissa_bits) - 1); }
};
inline constexpr BinaryFormat half_format{5, 10, 30}, brain_format{8, 7, 254}, single_format{8, 23, 254}, e4m3_format{4, 3, 15},
    e5m2_format{5, 2, 30};

inline long double rounded_integer(long double x, wave::Rounding rounding) {
  long double down = std::floor(x), rest = x - down;
  switch (rounding) {
    case wave::Rounding::Up: return std::ceil(x);
    case wave::Rounding::Down: return down;
    case wave::Rounding::TowardZero: return std::trunc(x);
    default: return rest > 0.5 || (rest == 0.5 && std::fmod(down, 2) != 0) ? down + 1 : down;
  }
}
// Bits of a finite or infinite x; `beyond` is what overflow to infinity gives (the code above the largest number, by default).
inline uint64_t rounded_bits(const BinaryFormat& f, long double x, wave::Rounding rounding) {
  uint64_t sign = std::signbit(x) ? uint64_t(1) << (f.exponent_bits + f.mantissa_bits) : 0;
  if (std::isinf(x)) return sign | (f.largest() + 1);
  if (x == 0) return sign;
  int exponent = std::max(std::ilogb(x), 1 - f.bias());
  long double units = std::fabs(rounded_integer(std::ldexp(x, f.mantissa_bits - exponent), rounding));
  uint64_t bits = uint64_t(exponent + f.bias() - 1) * (uint64_t(1) << f.mantissa_bits) + uint64_t(units);
  if (bits > f.largest()) {
    bool up = rounding == wave::Rounding::NearestEven || (rounding == wave::Rounding::Up && x > 0) ||
              (rounding == wave::Rounding::Down && x < 0);
    bits = up ? f.largest() + 1 : f.largest();
  }
  return sign | bits;
}
inline bool is_denormal(const BinaryFormat& f, uint64_t bits) {
  uint64_t magnitude = bits & ((uint64_t(1) << (f.exponent_bits + f.mantissa_bits)) - 1);
  return magnitude && magnitude < uint64_t(1) << f.mantissa_bits;
}

}  // namespace Atoll::rdna4::test
