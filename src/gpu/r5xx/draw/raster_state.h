// Registers of VAP and VTE become primitives, viewport and clipping; those of GA, SU, SC and GB the pipeline's rasterisation
// state. R5xx Acceleration v1.3, 10.4, 10.5, 10.7, 10.8, 10.11.
#pragma once
#include <array>

#include "gpu/r5xx/context.h"
#include "gpu/r5xx/shaders/routing.h"
#include "pipeline/draw.h"
#include "pipeline/front/discard_band.h"

namespace Atoll::r5xx {

// Null for a primitive type that draws nothing (None and the unused ones).
struct PrimitiveRow {
  uint32_t type;
  pipeline::Topology topology;
  DrawnKind kind;
};
const PrimitiveRow* primitive_row(uint32_t primitive_type);

unsigned sample_count(const RegisterFile& registers);
// The user's planes that VAP_CLIP_CNTL enables: bit n, plane n.
uint8_t user_clip_planes(const RegisterFile& registers);

pipeline::Assembly assembly_of(const RegisterFile& registers, const PrimitiveRow& primitive);
pipeline::Viewport viewport_of(const RegisterFile& registers);
// The user's planes are used for points; vertices have their distances from the vertex stage.
pipeline::Clip clip_of(Context& context);
pipeline::Rasterization rasterization_of(Context& context, const VertexOutputs& outputs);

// True if GA_LINE_STIPPLE_VALUE goes on from draw to draw; accumulate() adds what a draw has moved it by.
bool goes_on_measuring(const RegisterFile& registers);
void accumulate(RegisterFile& registers, double pixels);

pipeline::DiscardBand discard_band_of(const RegisterFile& registers);

}  // namespace Atoll::r5xx
