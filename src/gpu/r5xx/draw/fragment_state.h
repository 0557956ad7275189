// From the registers of ZB, FG and RB3D to depth, stencil and blending as the pipeline knows them. R5xx Acceleration v1.3, 10.2,
// 10.3, 10.12.
#pragma once
#include "gpu/r5xx/context.h"
#include "gpu/r5xx/draw/targets.h"
#include "pipeline/state.h"

namespace Atoll::r5xx {

pipeline::DepthStencil depth_stencil_of(Context& context);
// `buffers`: the render targets, for the components that they store.
pipeline::ColourOutput colour_output_of(Context& context, const std::array<ColourBuffer, 4>& buffers);

}  // namespace Atoll::r5xx
