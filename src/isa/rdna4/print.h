// The assembler text of an Instruction, in LLVM's syntax (what llvm-mc-19 -mcpu=gfx1200 -disassemble prints, with one blank
// behind the mnemonic).
#pragma once
#include <string>

#include "isa/rdna4/decode.h"

namespace Atoll::rdna4 {

// Beyond LLVM 19, which leaves them out: the high halves of 16-bit operands (`v1.h` in short forms, `op_sel:[…]` in VOP3), and
// the instructions of the manual that LLVM does not know.
std::string print(const Instruction& instruction, CodeOptions options = {});

}  // namespace Atoll::rdna4
