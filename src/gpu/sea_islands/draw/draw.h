// A draw: registers become a pipeline::Draw, the stages' programs are found, the pipeline runs. Draws that only work on surfaces
// (fast clear elimination, decompression, resolves, depth copies) do that instead.
#pragma once
#include <vector>

#include "gpu/sea_islands/draw/draw_context.h"

namespace Atoll::sea_islands {

// One draw as a packet asks for it; the first vertex and instance are in user SGPRs already.
struct DrawCall {
  uint32_t count = 0;  // vertices or indices
  bool indexed = false;
  uint64_t index_address = 0;
  uint32_t index_limit = 0;                  // indices in the buffer
  unsigned index_bytes = 2, index_swap = 0;  // as pipeline::Vertices has them
  uint32_t instances = 1;
  bool explicit_mode = false;  // its primitives are described by the VGT_GROUP registers (grouper.h)
};

// False: the context is lost.
bool draw(DrawContext& context, const DrawCall& call);

// The render targets of the last draw.
std::vector<gpu::Picture> pictures_of(DrawContext& context);

}  // namespace Atoll::sea_islands
