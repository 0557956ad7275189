#include "wave/jit/called_floats.h"

#include "wave/lane_function.h"
#include "wave/rounded_once.h"

namespace Atoll::wave {
namespace {

// Called from the middle of code that keeps its values in registers.
__attribute__((preserve_all)) FourFloats multiply_add_four(FourFloats x, FourFloats y, FourFloats z) {
  FourFloats result;
  for (int lane = 0; lane < 4; lane++) result[lane] = rounded_once(x[lane], y[lane], z[lane]);
  return result;
}

}  // namespace

const void* called_multiply_add() { return reinterpret_cast<const void*>(&multiply_add_four); }

}  // namespace Atoll::wave
