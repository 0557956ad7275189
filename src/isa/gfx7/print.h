// Assembler text of an instruction, as llvm-mc-19 -mcpu=bonaire -show-encoding prints it back; where that text would not assemble
// to the same bytes, the shortest that does.
#pragma once
#include <string>

#include "isa/gfx7/instruction.h"

namespace Atoll::gfx7 {

std::string print(const Instruction& instruction);

}  // namespace Atoll::gfx7
