// Loops over several regions, mostly because they write EXEC, compiled as one function that runs all lanes together: what a wave
// does between two regions (registers to memory and back, a jump) costs more than the few instructions of a divergent loop.
//
// Such a loop stores nothing to memory and calls nothing: until it ends it has no visible effect, so that it can be given up and run
// again (a NaN whose payload matters, an address that its guard refuses, a fault, an interrupt) from the state that the wave still has.
#pragma once
#include "wave/jit/regions.h"

namespace Atoll::wave {

// Fills `loop` of the regions where such loops are entered. `entry`: where the code is entered from outside; `lanes`: of a wave.
void find_loops(std::vector<CodeRegion>& regions, uint64_t entry, uint32_t lanes, const FloatMode& mode);

}  // namespace Atoll::wave
