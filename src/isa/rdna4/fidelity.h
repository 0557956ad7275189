// How faithful each RDNA4 instruction is: what `atoll fidelity` lists.
#pragma once
#include <string>
#include <vector>

#include "isa/rdna4/table.h"

namespace Atoll::rdna4 {

struct Fidelity {
  const Opcode* opcode;
  const char* state;   // "exact", "bounded", "unverified", "decode only", "not yet"
  std::string bound;   // of "bounded"
  std::string source;  // of "unverified": what vouches for it
  std::string reason;  // of the states that are not "exact"
};

// One for each row of the instruction table, in its order.
std::vector<Fidelity> fidelity();

}  // namespace Atoll::rdna4
