// A model of Xe-LP's instructions, one channel at a time, written apart from src/isa/xe_lp/semantics: integers in 128 bits,
// floats by the host, halves through doubles. Rounding to nearest even, denormals kept.
#pragma once
#include <cstdint>
#include <vector>

#include "isa/xe_lp/instruction.h"

namespace Atoll::xe_lp::test {

struct Eu {
  std::vector<uint8_t> grf = std::vector<uint8_t>(4096), a0 = std::vector<uint8_t>(32);
  // Accumulators, and the upper halves that integers have there.
  std::vector<uint8_t> acc = std::vector<uint8_t>(512), acc_high = std::vector<uint8_t>(512);
  uint32_t flags[2] = {};
  uint32_t active = ~0u;
  // Everything else that an operand may read: by file, as it is.
  std::vector<uint8_t> control = std::vector<uint8_t>(32), state = std::vector<uint8_t>(64);
  bool operator==(const Eu&) const = default;
};

// True if the model knows what the operands are (times and addresses of code it does not), and bits of results alone are right.
bool is_modelled(const Instruction& instruction);
void step(Eu& eu, const Instruction& instruction);

}  // namespace Atoll::xe_lp::test
