// State that draws keep from one to the next: their targets, and what they counted.
#pragma once
#include <memory>

#include "gpu/amd/draw_counts.h"
#include "gpu/amd/known_state.h"
#include "gpu/gfx12/shaders/shader_context.h"

namespace Atoll::gfx12 {

class TargetCache;  // targets.h
struct DrawState;   // draw_state.h

struct DrawContext : ShaderContext, gpu::amd::DrawCounts {
  using ShaderContext::ShaderContext;

  std::shared_ptr<TargetCache> targets;
  gpu::amd::KnownState<DrawState, gpu::amd::DrawOrigin> known_state;  // of the last draw that left one
  uint64_t mesh_invocations = 0, mesh_primitives = 0;                 // of mesh shaders, while `counts`
};

}  // namespace Atoll::gfx12
