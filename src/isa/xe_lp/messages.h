// The meaning of a send's descriptors, in IGA's words.
#pragma once
#include <string>

#include "isa/xe_lp/instruction.h"

namespace Atoll::xe_lp {

std::string describe_send(const Instruction& instruction);

}  // namespace Atoll::xe_lp
