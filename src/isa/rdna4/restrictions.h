// Instructions that the assembler must refuse although they can be encoded: too many scalar values in one instruction, and VOPD halves that meet
// in a register bank (RDNA4 ISA 7.2.2.2, 7.6 of VOPD; 15.3.7).
#pragma once
#include <string>

#include "isa/rdna4/decode.h"

namespace Atoll::rdna4 {

// Empty, or what is wrong with the operands' combination; `wave` is 32 or 64.
std::string combination_problem(const Instruction& i, unsigned wave);

}  // namespace Atoll::rdna4
