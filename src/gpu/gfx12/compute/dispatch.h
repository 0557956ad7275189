// A compute dispatch: COMPUTE_* registers become work-groups of waves, which run on the queue's workers. Fields: Mesa 25.0.7
// src/amd/registers/gfx12.json; what waves begin with: RDNA4 ISA 3.5.
#pragma once
#include <functional>

#include "gpu/gfx12/shaders/shader_context.h"

namespace Atoll::gfx12 {

struct DispatchCall {
  using CountsInvocations = COMPUTE_PIPELINESTAT_ENABLE::PIPELINESTAT_ENABLE;  // on compute queues
  uint32_t groups[3] = {1, 1, 1};                                              // or threads, as the initiator says
  registers::access::Word<COMPUTE_DISPATCH_INITIATOR> initiator{0};
  // How many of the groups that are left, in the order of their numbers, may run now (it may wait); 0: no more. Null: all.
  std::function<uint64_t(uint64_t left)> room = {};
};

// State that a queue keeps from dispatch to dispatch.
struct DispatchState {
  uint64_t invocations = 0;  // threads
  uint64_t uncounted = 0;    // those of dispatches that began while PIPELINESTAT_STOP held
};

// False: the context is lost.
bool dispatch(ShaderContext& context, DispatchState& state, const DispatchCall& call);

}  // namespace Atoll::gfx12
