// A draw: registers become a pipeline::Draw, the stages' programs are found, waves give primitives, the pipeline draws them.
#pragma once
#include <vector>

#include "gpu/gfx12/draw/draw_context.h"

namespace Atoll::gfx12 {

// One draw as a packet asks for it; the first vertex, the first instance and the draw's number are in user SGPRs already.
struct DrawCall {
  uint32_t count = 0;  // vertices or indices
  bool indexed = false;
  uint64_t index_address = 0;
  uint32_t index_limit = 0;  // indices in the buffer
  unsigned index_bytes = 2;  // 1, 2 or 4
  uint32_t instances = 1;
  // DISPATCH_MESH_*: groups of mesh shaders instead of vertices; s2 to s4 come from these.
  bool mesh = false;
  uint32_t groups[3] = {1, 1, 1};
};

// False: the context is lost.
bool draw(DrawContext& context, const DrawCall& call);

// The render targets of the last draw.
std::vector<gpu::Picture> pictures_of(DrawContext& context);

}  // namespace Atoll::gfx12
