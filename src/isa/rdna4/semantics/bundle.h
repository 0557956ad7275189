// VOPD: two ordinary instructions as one. They have no semantics of their own. RDNA4 ISA 7.8.
#pragma once
#include "isa/rdna4/instruction.h"
#include "wave/program.h"

namespace Atoll::rdna4 {

struct Bundle {
  Instruction instruction;  // first: a step's instruction is the bundle's, too
  wave::Step x, y;
  bool overlaps = false;  // Y reads what X writes
};

}  // namespace Atoll::rdna4
