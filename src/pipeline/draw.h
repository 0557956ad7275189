// One draw through the pipeline: vertices are assembled, shaded once each, clipped, set up and binned to screen tiles; each tile
// is rasterised, shaded and merged by one worker in the order of the primitives, so that the result does not depend on the number
// of workers.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>

#include "base/expected.h"
#include "pipeline/stages.h"
#include "pipeline/state.h"
#include "pipeline/target.h"

namespace Atoll::pipeline {

struct Draw {
  Vertices vertices;
  Assembly assembly;
  std::array<Viewport, 16> viewports;
  std::array<Rectangle, 16> viewport_scissors{};  // by viewport; used where scissor_viewports
  bool scissor_viewports = false;
  Clip clip;
  Rasterization rasterization;
  DepthStencil depth_stencil;
  ColourOutput colour;
  Targets targets;
  VertexStage* vertex_stage = nullptr;
  PixelStage* pixel_stage = nullptr;  // null: depth and stencil only
};

// What was counted, added up over draws.
struct Counters {
  uint64_t vertices = 0, primitives = 0;  // read by assembly
  uint64_t vertex_invocations = 0, pixel_invocations = 0;
  uint64_t clipped_primitives_in = 0, clipped_primitives_out = 0;
  uint64_t samples_passed = 0;
};

// Threads that tiles are shared among, kept from draw to draw.
class Workers;

// False: a stage failed (it has the report) or `stop` was raised.
bool run(const Draw& draw, Workers& workers, Counters& counters, const std::atomic<int>& stop);

}  // namespace Atoll::pipeline
