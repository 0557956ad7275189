// Half precision without the host's help, for scalars and for hosts without F16C. IEEE 754 binary16.
#include <xmmintrin.h>

#include "wave/interpreter/lanes.h"

namespace Atoll::wave::ATOLL_LEVEL {

float half_to_float(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000u) << 16, exponent = half >> 10 & 31u, mantissa = half & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13 | (mantissa ? quiet_bit32 : 0u));
  if (exponent) return std::bit_cast<float>(sign | (exponent + 112u) << 23 | mantissa << 13);
  if (!mantissa) return std::bit_cast<float>(sign);
  int shift = std::countl_zero(mantissa) - 21;  // the leading one comes to bit 10
  return std::bit_cast<float>(sign | uint32_t(113 - shift) << 23 | (mantissa << shift & 0x3ffu) << 13);
}

uint16_t float_to_half(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return uint16_t(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
  // Not fegetround(): glibc reads the x87 control word, and the wave's mode is in MXCSR.
  uint32_t mode = _mm_getcsr() & _MM_ROUND_MASK;
  bool away = (mode == _MM_ROUND_UP && !sign) || (mode == _MM_ROUND_DOWN && sign), nearest = mode == _MM_ROUND_NEAREST;
  if (magnitude == 0x7f800000u) return uint16_t(sign | 0x7c00u);
  // `kept` has the half's bits, `lost` what falls off as a fraction of 2^32.
  uint32_t kept;
  uint64_t lost;
  int exponent = int(magnitude >> 23) - 112;
  if (exponent >= 31) {
    kept = 0x7bffu, lost = 0xffffffffu;
    if (nearest) kept = 0x7c00u, lost = 0;
  } else if (exponent >= 1) {
    kept = uint32_t(exponent) << 10 | (magnitude >> 13 & 0x3ffu), lost = uint64_t(magnitude & 0x1fffu) << 19;
  } else {
    uint32_t significand = (magnitude & 0x7fffffu) | (magnitude >> 23 ? 0x800000u : 0u);
    int shift = 14 - (magnitude >> 23 ? exponent : -111);
    if (shift > 31)
      kept = 0, lost = significand ? 1 : 0;
    else
      kept = significand >> shift, lost = uint64_t(significand & ((1u << shift) - 1)) << (32 - shift);
  }
  bool up = nearest ? lost > 0x80000000u || (lost == 0x80000000u && (kept & 1)) : away && lost;
  return uint16_t(sign | (kept + up));
}

}  // namespace Atoll::wave::ATOLL_LEVEL
