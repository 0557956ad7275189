// The data that a step of the pixel shader refers to: its words, and for ALU and output instructions their decoded form.
#pragma once
#include "isa/r500/instruction.h"

namespace Atoll::r500 {

// US_CONFIG.ZERO_TIMES_ANYTHING_EQUALS_ZERO: as the wave's register has it, or known when the program is decoded, which spares
// every product a look.
enum class ZeroRule : uint8_t { by_register, off, on };

struct Decoded {
  Words words;
  Pair pair;          // of TYPE ALU and OUT
  bool last = false;  // of its program: behind it the wave ends
  ZeroRule zero_rule = ZeroRule::by_register;
};

}  // namespace Atoll::r500
