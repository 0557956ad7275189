// Instructions as the Intel Graphics Assembler (iga64 -p=12p1) writes them, columns included.
#pragma once
#include <string>

#include "isa/xe_lp/instruction.h"

namespace Atoll::xe_lp {

struct PrintOptions {
  bool comments = true;                                           // what a send's descriptors say
  std::string (*label)(int64_t offset, void* context) = nullptr;  // of a target so many bytes behind the instruction's first
  void* context = nullptr;
};
std::string print(const Instruction& instruction, const PrintOptions& options = {});

}  // namespace Atoll::xe_lp
