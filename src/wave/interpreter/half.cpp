// Half precision without the host's help, for scalars and for hosts without F16C: base/half.h in the wave's rounding.
#include "base/half.h"

#include <xmmintrin.h>

#include "wave/interpreter/lanes.h"

namespace Atoll::wave::ATOLL_LEVEL {

float half_to_float(uint16_t half) { return float_from_half(half); }

uint16_t float_to_half(float value) {
  // Not fegetround(): glibc reads the x87 control word, and the wave's mode is in MXCSR.
  switch (_mm_getcsr() & _MM_ROUND_MASK) {
    case _MM_ROUND_UP: return half_from_float(value, HalfRounding::up);
    case _MM_ROUND_DOWN: return half_from_float(value, HalfRounding::down);
    case _MM_ROUND_TOWARD_ZERO: return half_from_float(value, HalfRounding::toward_zero);
    default: return half_from_float(value);
  }
}

uint16_t float_to_half_toward_zero(float value) { return half_from_float(value, HalfRounding::toward_zero); }

}  // namespace Atoll::wave::ATOLL_LEVEL
