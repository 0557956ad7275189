// A queue's context: what packets set that stands in no register, on top of what draws and dispatches keep.
#pragma once
#include "gpu/amd/packets/family.h"
#include "gpu/sea_islands/compute/dispatch.h"
#include "gpu/sea_islands/draw/draw_context.h"

namespace Atoll::sea_islands {

class ShaderFiles;  // shader_files.h

// The values of INDEX_BASE, INDEX_BUFFER_SIZE, INDEX_TYPE.
struct IndexBuffer {
  uint64_t base = 0;
  uint32_t limit = 0;  // indices in the buffer
  uint32_t type = 0;   // INDEX_TYPE of VGT_INDEX_TYPE and VGT_DMA_INDEX_TYPE, whichever was written last
  uint32_t swap = 0;   // SWAP_MODE of the latter
};

struct Context : DrawContext {
  using DrawContext::DrawContext;

  DispatchState dispatches;
  IndexBuffer index;
  uint32_t instances = 1;      // NUM_INSTANCES
  uint64_t indirect_base = 0;  // SET_BASE: of DRAW_INDIRECT and DISPATCH_INDIRECT
  gpu::amd::Predicate predicate;

  ShaderFiles* shader_files = nullptr;  // of the device; null: programs are not written to files
};

}  // namespace Atoll::sea_islands
