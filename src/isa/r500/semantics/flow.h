// Flow control instructions as a function on the wave: US_FC_INST, US_FC_ADDR (R5xx Acceleration v1.3, 10.10). All pixels of the
// wave share a program counter; each is active, or inactive in a branch (with a counter), by a break or by a continue.
#pragma once
#include <optional>

#include "base/host_level.h"
#include "isa/r500/registers.h"

namespace Atoll::r500 {

struct FlowResult {
  const char* fault = nullptr;
  std::optional<uint32_t> jump = {};  // number of the instruction to go on with, counted from the beginning of code memory
};
// `number`: of this instruction.
ATOLL_IN_LEVELS(FlowResult flow(wave::Wave& wave, const Words& words, uint32_t number);)

}  // namespace Atoll::r500
