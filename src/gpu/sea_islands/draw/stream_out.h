// Stream-out of the VS stage (for geometry shaders their copy shader): the VGT hands the program whole primitives in their order,
// says how many vertices of a wave still have room in the buffers and where they go, and counts; the program itself stores. Sea
// Islands 3D/Compute Register Reference, VGT_STRMOUT_*; Mesa 22.3.6 src/gallium/drivers/radeonsi/si_shader_llvm.c (what the
// program makes of it).
#pragma once
#include "gpu/sea_islands/draw/draw_context.h"
#include "gpu/sea_islands/draw/vertex_stage.h"
#include "pipeline/draw.h"

namespace Atoll::sea_islands {

// Writes out the draw's primitives of a stream (0, except for geometry shaders) and counts them, if the registers ask
// for either; the draw itself is not changed. False: the context is lost.
bool stream_out(DrawContext& context, VertexStage& stage, const pipeline::Draw& draw, unsigned stream = 0);

}  // namespace Atoll::sea_islands
