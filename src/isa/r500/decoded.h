// What a step of the pixel shader refers to: its words, and for ALU and output instructions their decoded form.
#pragma once
#include "isa/r500/instruction.h"

namespace Atoll::r500 {

struct Decoded {
  Words words;
  Pair pair;          // of TYPE ALU and OUT
  bool last = false;  // of its program: behind it the wave ends
};

}  // namespace Atoll::r500
