// IEEE arithmetic to nearest even with denormals, which ray-tracing instructions have whatever the wave's mode. What computes in it is a
// function of its own that is not inlined: the compiler does not know that arithmetic depends on MXCSR.
#pragma once
#include <xmmintrin.h>

#include <cstdint>

namespace Atoll::rdna4 {
namespace {

struct NearestEven {
  static constexpr uint32_t control = 0x1f80;  // all exceptions masked
  uint32_t saved = _mm_getcsr();
  NearestEven() { _mm_setcsr(control); }
  ~NearestEven() { _mm_setcsr(saved); }
};

}  // namespace
}  // namespace Atoll::rdna4
