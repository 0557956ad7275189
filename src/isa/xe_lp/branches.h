// The targets of branches, and the places where channels that left the flow come back.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "isa/xe_lp/instruction.h"

namespace Atoll::xe_lp {

// Brings a branch's targets to the places where its channels go on. The UIP of break is the while of its loop, behind which they
// do. `code` begins with the instruction.
void place_targets(std::span<const uint32_t> code, Instruction& instruction);

// Places (a bit for each code word) to which a branch may send channels that wait: found by following all code from the first
// word on, and from each 64th byte that nothing led to, where other kernels may begin.
std::vector<bool> places_to_rejoin(std::span<const uint32_t> code);

}  // namespace Atoll::xe_lp
