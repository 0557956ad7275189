// How faithful each instruction is: what `atoll fidelity --isa xe-lp` lists. Functions of math and sync have lines of their own.
#pragma once
#include <string>
#include <vector>

#include "isa/xe_lp/instruction.h"

namespace Atoll::xe_lp {

const char* format_name(Format format);

struct FidelityName {
  std::string name;
  Format format;
  unsigned opcode;
};
struct Fidelity {
  const FidelityName* opcode;
  const char* state;   // "exact", "bounded", "unverified", "decode only"
  std::string bound;   // of "bounded"
  std::string source;  // of "unverified": what vouches for it
  std::string reason;
};
std::vector<Fidelity> fidelity();

}  // namespace Atoll::xe_lp
