// A compute dispatch: COMPUTE_* registers become work-groups of waves, which run on the queue's workers.
// Sea Islands 3D/Compute Register Reference 11 "Compute registers"; the order of SGPRs: LLVM AMDGPUUsage "Initial Kernel
// Execution State" (GFX6-GFX8).
#pragma once
#include "gpu/sea_islands/shaders/shader_context.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {

struct DispatchCall {
  uint32_t groups[3] = {1, 1, 1};  // or threads, as the initiator says
  registers::access::Word<COMPUTE_DISPATCH_INITIATOR> initiator{0};
};

// State that a queue keeps from dispatch to dispatch.
struct DispatchState {
  uint32_t order = 0;        // waves launched so far with ORDERED_APPEND_ENBL, modulo their ids
  uint64_t invocations = 0;  // threads
  uint64_t uncounted = 0;    // those of dispatches that began while PIPELINESTAT_STOP held
};

// False: the context is lost.
bool dispatch(ShaderContext& context, DispatchState& state, const DispatchCall& call);

}  // namespace Atoll::sea_islands
