// A compute dispatch: COMPUTE_* registers become work-groups of waves, which run on the queue's workers.
// Sea Islands 3D/Compute Register Reference 11 "Compute registers"; the order of SGPRs: LLVM AMDGPUUsage "Initial Kernel
// Execution State" (GFX6-GFX8).
#pragma once
#include "gpu/sea_islands/context.h"

namespace Atoll::sea_islands {

// False: the context is lost.
bool dispatch(Context& context, const DispatchCall& call);

}  // namespace Atoll::sea_islands
