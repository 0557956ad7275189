// An instruction set that can name its registers, for people who read what the JIT made of code (jit/node_text.h).
#pragma once
#include <cstdint>
#include <string>

namespace Atoll::wave {

class NamedRegisters {
public:
  virtual ~NamedRegisters() = default;
  // The name in assembler text of the register at `cell`. `words`: how much of it is meant, a scalar's one word, the one or two of
  // a mask, the lanes of a lane register. Empty where the register has no name.
  virtual std::string register_name(uint32_t cell, uint32_t words) const = 0;
};

}  // namespace Atoll::wave
