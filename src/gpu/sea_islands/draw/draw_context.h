// State that draws keep from one to the next: their targets, and what they counted.
#pragma once
#include <memory>

#include "gpu/amd/draw_counts.h"
#include "gpu/amd/known_state.h"
#include "gpu/sea_islands/shaders/shader_context.h"

namespace Atoll::sea_islands {

class TargetCache;  // targets.h
struct DrawState;   // draw_state.h

struct DrawContext : ShaderContext, gpu::amd::DrawCounts {
  using ShaderContext::ShaderContext;

  std::shared_ptr<TargetCache> targets;
  gpu::amd::KnownState<DrawState, gpu::amd::DrawOrigin> known_state;  // of the last draw that left one
  // Streams 0 to 3: primitives written to stream-out buffers, and that would have been with room for all.
  uint64_t streamout_written[4] = {}, streamout_needed[4] = {};
  uint32_t streamout_vertices[4] = {};  // of each stream, written since a buffer's offset was set
};

}  // namespace Atoll::sea_islands
