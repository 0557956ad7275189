// The text form, after the Intel Graphics Assembler's: docs/xe-lp-assembly.md.
#pragma once
#include <string>
#include <vector>

#include "base/expected.h"
#include "isa/xe_lp/instruction.h"

namespace Atoll::xe_lp {

// A whole program, lines in order, labels resolved: its code words. An error names the line.
Expected<std::vector<uint32_t>> assemble(std::span<const std::string> lines);
// For messages; branch targets as word offsets.
std::string print(const Instruction& instruction);

}  // namespace Atoll::xe_lp
