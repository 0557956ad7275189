// Assembler text (LLVM's syntax for Sea Islands) to an instruction.
#pragma once
#include <string_view>

#include "base/expected.h"
#include "isa/gfx7/instruction.h"

namespace Atoll::gfx7 {

// One instruction; comments may follow it. Labels and directives are errors. If a mnemonic has several encodings and no _e32
// or _e64, the shortest that holds the operands is taken.
Expected<Instruction> parse(std::string_view line);

}  // namespace Atoll::gfx7
