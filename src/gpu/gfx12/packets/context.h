// A queue's context: what packets set that stands in no register, on top of what draws and dispatches keep.
#pragma once
#include "gpu/amd/packets/family.h"
#include "gpu/gfx12/compute/dispatch.h"
#include "gpu/gfx12/draw/draw_context.h"

namespace Atoll::gfx12 {

// The values of INDEX_BASE, INDEX_BUFFER_SIZE, INDEX_TYPE.
struct IndexBuffer {
  uint64_t base = 0;
  uint32_t limit = 0;  // indices in the buffer
};

struct Context : DrawContext {
  using DrawContext::DrawContext;

  DispatchState dispatches;
  IndexBuffer index;
  uint32_t instances = 1;      // NUM_INSTANCES
  uint64_t indirect_base = 0;  // SET_BASE: of DRAW_INDIRECT and DISPATCH_INDIRECT
  gpu::amd::Predicate predicate;
  uint64_t task_control = 0;  // DISPATCH_TASK_STATE_INIT: where the ring's numbers stand; 0: nothing said it
};

}  // namespace Atoll::gfx12
