// Waves run under their own rounding and denormal modes (MXCSR); code of this room computes to nearest, with denormals.
#pragma once
#include <immintrin.h>

namespace Atoll::surface {

class FloatEnvironment {
public:
  FloatEnvironment() : saved_(_mm_getcsr()) {
    if ((saved_ & ~flags) != standard) _mm_setcsr(standard);
  }
  ~FloatEnvironment() {
    if ((saved_ & ~flags) != standard) _mm_setcsr(saved_);
  }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

private:
  static constexpr unsigned standard = 0x1f80, flags = 0x3f;  // all exceptions masked; sticky flags
  unsigned saved_;
};

}  // namespace Atoll::surface
