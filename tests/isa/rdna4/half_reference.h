// Half precision by exact integers, for tests: a finite half is a whole number of 2^-24, a product one of 2^-48; results are rounded
// once from there. Rounding: 0 nearest even, 1 up, 2 down, 3 toward zero (MODE's numbers). NaNs: the first operand's, quieted; else
// 0xfe00 (wave/nan.h).
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace Atoll::rdna4::test {

inline bool half_is_nan(uint16_t h) { return (h & 0x7fff) > 0x7c00; }
inline bool half_is_inf(uint16_t h) { return (h & 0x7fff) == 0x7c00; }
inline uint16_t flush16(bool flush, uint16_t h) { return flush && !(h & 0x7c00) ? h & 0x8000 : h; }

// In units of 2^-24.
inline int64_t half_units(uint16_t h) {
  int64_t mantissa = h & 0x3ff, exponent = h >> 10 & 31;
  int64_t units = exponent ? (mantissa | 0x400) << (exponent - 1) : mantissa;
  return h & 0x8000 ? -units : units;
}
inline double half_value(uint16_t h) {
  if (half_is_nan(h)) return std::nan("");
  if (half_is_inf(h)) return h & 0x8000 ? -INFINITY : INFINITY;
  double v = std::ldexp(double(half_units(h)), -24);
  return h & 0x8000 && v == 0 ? -0.0 : v;
}

// `magnitude` in units of 2^-(24 + extra).
inline uint16_t half_from_units(bool negative, unsigned __int128 magnitude, int extra, int round) {
  uint16_t sign = negative ? 0x8000 : 0;
  int top = -1;
  for (int k = 0; k < 128; k++)
    if (magnitude >> k & 1) top = k;
  int shift = top - 10 > extra ? top - 10 : extra;
  unsigned __int128 q = magnitude >> shift, rest = magnitude - (q << shift),
                    half_unit = shift ? (unsigned __int128)1 << (shift - 1) : 0;
  bool up = false;
  if (round == 0) up = shift && (rest > half_unit || (rest == half_unit && (q & 1)));
  if (round == 1) up = rest && !negative;
  if (round == 2) up = rest && negative;
  q += up;
  uint64_t bits = q < 1024 ? uint64_t(q)
                           : uint64_t(q - 1024) + (uint64_t(shift - extra + 1) << 10);  // a carry to 2048 counts the exponent up
  if (bits >= 0x7c00) bits = round == 0 || (round == 1 && !negative) || (round == 2 && negative) ? 0x7c00 : 0x7bff;
  return uint16_t(sign | bits);
}
inline uint16_t half_sum(bool zero_negative, __int128 units, int extra, int round) {
  if (units == 0) return zero_negative ? 0x8000 : 0;
  return half_from_units(units < 0, units < 0 ? (unsigned __int128)-units : (unsigned __int128)units, extra, round);
}

inline uint16_t half_fma(uint16_t a, uint16_t b, uint16_t c, int round) {
  for (uint16_t h : {a, b, c})
    if (half_is_nan(h)) return h | 0x200;
  bool negative = (a ^ b) & 0x8000;
  bool zero_a = !(a & 0x7fff), zero_b = !(b & 0x7fff);
  if (half_is_inf(a) || half_is_inf(b)) {
    if (zero_a || zero_b || (half_is_inf(c) && negative != bool(c & 0x8000))) return 0xfe00;
    return negative ? 0xfc00 : 0x7c00;
  }
  if (half_is_inf(c)) return c;
  __int128 product = (__int128)half_units(a) * half_units(b), sum = product + ((__int128)half_units(c) << 24);
  bool c_negative = c & 0x8000;
  return half_sum(negative == c_negative ? negative : round == 2, sum, 24, round);
}
inline uint16_t half_add(uint16_t a, uint16_t b, int round) {
  if (half_is_nan(a)) return a | 0x200;
  if (half_is_nan(b)) return b | 0x200;
  return half_fma(a, 0x3c00, b, round);
}
inline uint16_t half_sub(uint16_t a, uint16_t b, int round) {
  if (half_is_nan(a)) return a | 0x200;
  if (half_is_nan(b)) return b | 0x200;
  return half_fma(a, 0x3c00, b ^ 0x8000, round);
}
inline uint16_t half_mul(uint16_t a, uint16_t b, int round) {
  uint16_t zero = (a ^ b) & 0x8000;
  if (half_is_nan(a)) return a | 0x200;
  if (half_is_nan(b)) return b | 0x200;
  return half_fma(a, b, zero, round);
}
inline uint16_t half_from_float(uint32_t x, int round) {
  uint32_t magnitude = x & 0x7fffffff, exponent = magnitude >> 23;
  uint16_t sign = uint16_t(x >> 16 & 0x8000);
  if (magnitude > 0x7f800000) return uint16_t(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  if (magnitude == 0x7f800000) return uint16_t(sign | 0x7c00);
  if (!magnitude) return sign;
  uint32_t significand = (x & 0x7fffff) | (exponent ? 0x800000 : 0);
  int unit = int(exponent ? exponent : 1) - 150;  // of the last place: 2^unit
  // In units of 2^-(24 + 80) where that fits, else far too large or too small to matter.
  if (unit > 0) return half_from_units(sign, (unsigned __int128)1 << 60, 0, round);
  if (unit < -104) return half_from_units(sign, 1, 80, round);
  return half_from_units(sign, (unsigned __int128)significand << (unit + 104), 80, round);
}

}  // namespace Atoll::rdna4::test
