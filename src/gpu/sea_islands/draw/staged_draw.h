// Draws that go through more than a vertex and a pixel shader: tessellation (LS, HS, tessellator), geometry (ES, GS), or both.
// Their output goes to the pipeline as groups of one draw (pipeline/draws/given_primitives.h), as many as thread groups and rings
// require, in order.
#pragma once
#include "gpu/sea_islands/draw/draw_context.h"
#include "gpu/sea_islands/draw/vertex_stage.h"
#include "pipeline/draw.h"

namespace Atoll::sea_islands {

// `draw` as for pipeline::run(), with `vertex_stage` for its last vertices. `deferred` owns it, where its pixels may be deferred;
// null: they are drawn at once. False: the context is lost.
bool run_staged_draw(DrawContext& context, const StageSelection& stages, pipeline::Draw& draw, VertexStage& vertex_stage,
                     std::unique_ptr<pipeline::WaitingDraw> deferred);

}  // namespace Atoll::sea_islands
