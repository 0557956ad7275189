// Draws that go through more than a vertex and a pixel shader: tessellation (LS, HS, tessellator), geometry (ES, GS), or both.
// The results of these stages are drawn like any other primitives, in as many parts as thread groups and rings require, in order.
#pragma once
#include "gpu/sea_islands/draw/draw_context.h"
#include "gpu/sea_islands/draw/vertex_stage.h"
#include "pipeline/draw.h"

namespace Atoll::sea_islands {

// `draw` as for pipeline::run(), with `vertex_stage` for its last vertices. False: the context is lost.
bool run_staged_draw(DrawContext& context, const StageSelection& stages, pipeline::Draw& draw, VertexStage& vertex_stage);

}  // namespace Atoll::sea_islands
