// From assembler text to Instruction: LLVM's syntax as llvm-mc-19 -mcpu=gfx1200 accepts it, one instruction, without labels,
// directives and symbols.
#pragma once
#include <string_view>

#include "isa/rdna4/encode.h"

namespace Atoll::rdna4 {

// Without an encoding suffix the shortest encoding that can hold the operands is taken. 16-bit VGPRs may be written v1, v1.l or
// v1.h. Errors say what stands where it cannot.
Expected<Decoded> parse(std::string_view text, CodeOptions options = {});

}  // namespace Atoll::rdna4
