// State that draws keep from one to the next: their targets, and what they counted.
#pragma once
#include <memory>

#include "gpu/amd/known_state.h"
#include "gpu/gfx12/shaders/shader_context.h"
#include "pipeline/draw.h"

namespace Atoll::gfx12 {

class TargetCache;  // targets.h
struct DrawState;   // draw_state.h

// The inputs that a draw's state is found from.
struct DrawOrigin {
  uint64_t registers = 0;    // changes
  uint64_t write_backs = 0;  // nothing else may have changed memory without one, nor surfaces
  uint64_t programs = 0;     // ShaderCache::invalidations()
  bool operator==(const DrawOrigin&) const = default;
};

struct DrawContext : ShaderContext {
  using ShaderContext::ShaderContext;

  std::shared_ptr<TargetCache> targets;
  gpu::amd::KnownState<DrawState, DrawOrigin> known_state;  // of the last draw that left one
  pipeline::Counters counters;                              // of all draws: occlusion and pipeline statistics
  bool counts = true;                                       // of draws that begin now: between PIPELINESTAT_START and _STOP
  pipeline::Counters passed_over;                           // of `counters`, those of draws that began while it did not
  uint64_t mesh_invocations = 0, mesh_primitives = 0;       // of mesh shaders, while `counts`

  // Adds the counts of a draw. `counted`: statistics ran when it began.
  void add(const pipeline::Counters& of_draw, bool counted) {
    counters += of_draw;
    if (!counted) passed_over += of_draw;
  }
};

}  // namespace Atoll::gfx12
