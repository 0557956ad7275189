// What the fixed functions' state comes to: from 3DSTATE commands and the structures that they point to, to the pipeline's fields.
#pragma once
#include "gpu/dg1/state/context.h"
#include "pipeline/draw.h"

namespace Atoll::dg1 {

// Fills clip, rasterization, viewports, scissors, depth and stencil, colour output, targets and samples. Assembly is there already
// (topology, provoking vertex), stages are not. Its targets stand until the next submission, or the next draw that finds others.
// False: the context is lost.
bool find_fixed_function(Context& context, pipeline::Draw& draw);

}  // namespace Atoll::dg1
