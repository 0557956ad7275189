// Operations on lanes of f32 that hosts of SSE2 alone need many instructions for, as functions that compiled code calls: for up to 16
// lanes at once, so that LLVM has little to do. In line they are those of baseline_floats.h, with the same bits.
#pragma once
#include <cstdint>

namespace Atoll::wave {

enum class Toward : uint8_t { down, up, zero, nearest_even };

enum class LaneCall : uint8_t {
  multiply_add,           // x * y + z, rounded once
  flushing_multiply_add,  // the same where results that are denormals are zeros
  careful_multiply_add,   // the same as either, slowly
  floor,
  ceil,
  trunc,
  nearest_even,
  nearest_half,   // in the low 16 bits of a word
  from_half,      // of the low 16 bits of a word
  lane_function,  // one of lane_function.h, which is a last argument
};
// The function for 4, 8 or 16 lanes, with the calling convention regcall: all lanes of an operand, four in a register, then those of the
// next one; the results likewise.
const void* called_for_lanes(LaneCall call, unsigned lanes);

}  // namespace Atoll::wave
