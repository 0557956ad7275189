// What draws keep from one to the next: their targets, and what they counted.
#pragma once
#include <memory>

#include "gpu/sea_islands/shaders/shader_context.h"
#include "pipeline/draw.h"

namespace Atoll::sea_islands {

class TargetCache;  // targets.h

struct DrawContext : ShaderContext {
  using ShaderContext::ShaderContext;

  std::shared_ptr<TargetCache> targets;
  pipeline::Counters counters;  // of all draws: occlusion and pipeline statistics
  // Streams 0 to 3: primitives written to stream-out buffers, and that would have been with room for all.
  uint64_t streamout_written[4] = {}, streamout_needed[4] = {};
  bool counts_streamout = true;         // between PIPELINESTAT_START and _STOP
  uint32_t streamout_vertices[4] = {};  // of each stream, written since a buffer's offset was set
};

}  // namespace Atoll::sea_islands
