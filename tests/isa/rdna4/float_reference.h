// Scalar references for float instructions, written from the manual's pseudocode apart from the semantics: host floats for f32
// and f64, integers of 128 bits for halves, in any rounding and denormal mode.
#pragma once
#include <xmmintrin.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>

namespace Atoll::rdna4::test {

// MODE bits 3:0 as two roundings, 7:4 as what is allowed (RDNA4 ISA 7.2.4).
struct Mode {
  uint32_t bits;
  int round32() const { return int(bits & 3); }
  int round64() const { return int(bits >> 2 & 3); }
  bool keep_in32() const { return bits >> 4 & 1; }
  bool keep_out32() const { return bits >> 5 & 1; }
  bool keep_in64() const { return bits >> 6 & 1; }
  bool keep_out64() const { return bits >> 7 & 1; }
};

class HostRounding {
public:
  explicit HostRounding(int rounding) : saved_(std::fegetround()) {
    constexpr int host[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    std::fesetround(host[rounding]);
  }
  ~HostRounding() { std::fesetround(saved_); }

private:
  int saved_;
};

template <class Bits>
struct FloatLayout;
template <>
struct FloatLayout<uint16_t> {
  static constexpr uint16_t sign = 0x8000, infinity = 0x7c00, quiet = 0x200, nan = 0xfe00, fraction = 0x3ff;
};
template <>
struct FloatLayout<uint32_t> {
  using Float = float;
  static constexpr uint32_t sign = 0x80000000, infinity = 0x7f800000, quiet = 0x400000, nan = 0xffc00000, fraction = 0x7fffff;
};
template <>
struct FloatLayout<uint64_t> {
  using Float = double;
  static constexpr uint64_t sign = 1ull << 63, infinity = 0x7ffull << 52, quiet = 1ull << 51, nan = 0xfff8ull << 48,
                            fraction = (1ull << 52) - 1;
};
template <class Bits>
bool is_nan(Bits x) {
  return Bits(x & ~FloatLayout<Bits>::sign) > FloatLayout<Bits>::infinity;
}
template <class Bits>
bool is_signaling(Bits x) {
  return is_nan(x) && !(x & FloatLayout<Bits>::quiet);
}
template <class Bits>
Bits quiet(Bits x) {
  return x | FloatLayout<Bits>::quiet;
}
template <class Bits>
Bits zero_denormal(Bits x, bool keep) {
  return keep || (x & FloatLayout<Bits>::infinity) ? x : Bits(x & FloatLayout<Bits>::sign);
}
template <class Bits>
bool negative(Bits x) {
  return x & FloatLayout<Bits>::sign;
}

// The value of a half in units of 2^-24; finite ones only.
inline __int128 half_units(uint16_t x) {
  int exponent = x >> 10 & 31;
  __int128 size = exponent ? __int128(1024 + (x & 1023)) << (exponent - 1) : x & 1023;
  return x & 0x8000 ? -size : size;
}
inline double half_value(uint16_t x) {
  if (is_nan(x)) return std::bit_cast<double>(uint64_t(x & 0x8000) << 48 | 0x7ffull << 52 | uint64_t(x & 0x3ff) << 42);
  if ((x & 0x7fff) == 0x7c00) return x & 0x8000 ? -INFINITY : INFINITY;
  return std::copysign(std::ldexp(double(half_units(x)), -24), x & 0x8000 ? -1 : 1);
}
// size * 2^exponent as a half in a rounding mode.
inline uint16_t round_half(bool minus, unsigned __int128 size, int exponent, int rounding) {
  uint16_t sign = minus ? 0x8000 : 0;
  if (!size) return sign;
  int top = 127;
  while (!(size >> top)) top--;
  int unit = std::max(top + exponent - 10, -24), shift = unit - exponent;
  unsigned __int128 kept = 0, lost = size, half = 0;
  if (shift <= 0)
    kept = size << -shift, lost = 0;
  else if (shift < 127)
    kept = size >> shift, lost = size - (kept << shift), half = (unsigned __int128)1 << (shift - 1);
  bool up = rounding == 0   ? shift < 127 && lost && (lost > half || (lost == half && (kept & 1)))
            : rounding == 1 ? lost && !minus
            : rounding == 2 ? lost && minus
                            : false;
  int64_t bits = int64_t(unit + 24) * 1024 + int64_t(kept) + up;
  if (bits < 0x7c00) return uint16_t(sign | bits);
  bool infinite = rounding == 0 || (rounding == 1 && !minus) || (rounding == 2 && minus);
  return sign | (infinite ? 0x7c00 : 0x7bff);
}
inline uint16_t round_half(double x, int rounding) {
  if (std::isnan(x)) {
    auto bits = std::bit_cast<uint64_t>(x);
    return uint16_t((bits >> 48 & 0x8000) | 0x7e00 | (bits >> 42 & 0x3ff));
  }
  if (std::isinf(x)) return x < 0 ? 0xfc00 : 0x7c00;
  int exponent;
  double fraction = std::frexp(std::fabs(x), &exponent);
  return round_half(std::signbit(x), (unsigned __int128)std::ldexp(fraction, 53), exponent - 53, rounding);
}

// wave/nan.h: the first NaN operand made quiet, else the default NaN.
template <class Bits>
Bits chosen_nan(std::initializer_list<Bits> operands) {
  for (Bits x : operands)
    if (is_nan(x)) return quiet(x);
  return FloatLayout<Bits>::nan;
}

// An operation of host floats on bits, in the mode's rounding, with its flushes.
template <class Bits, class Operation>
Bits host_float(Mode mode, Operation operation, std::initializer_list<Bits> raw) {
  using Float = typename FloatLayout<Bits>::Float;
  constexpr bool wide = sizeof(Bits) == 8;
  Bits x[3] = {};
  size_t n = 0;
  for (Bits bits : raw) x[n++] = zero_denormal(bits, wide ? mode.keep_in64() : mode.keep_in32());
  HostRounding rounding(wide ? mode.round64() : mode.round32());
  volatile Float a = std::bit_cast<Float>(x[0]), b = std::bit_cast<Float>(x[1]), c = std::bit_cast<Float>(x[2]);
  // The host tells after rounding whether a result is denormal: it flushes by itself.
  bool flushes = !(wide ? mode.keep_out64() : mode.keep_out32());
  uint32_t control = _mm_getcsr();
  if (flushes) _mm_setcsr(control | 0x8000);
  volatile Float result = operation(Float(a), Float(b), Float(c));
  _mm_setcsr(control);
  Bits bits = std::bit_cast<Bits>(Float(result));
  if (is_nan(bits)) return chosen_nan(raw);
  return zero_denormal(bits, wide ? mode.keep_out64() : mode.keep_out32());
}

}  // namespace Atoll::rdna4::test
