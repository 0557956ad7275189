// What a program may change besides its own registers.
#pragma once
#include "wave/program.h"

namespace Atoll::sea_islands {

// Whether it does nothing but compute, load and export, so that nobody can tell when its waves run as long as memory stays as it is:
// no stores and atomics, global data share, messages, clocks, traps, and no jump to an address that stands in a register. What is
// not known to be harmless is none of it.
bool only_reads(const wave::Program& program);

}  // namespace Atoll::sea_islands
