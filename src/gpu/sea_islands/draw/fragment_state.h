// From the registers of DB and CB to depth, stencil and blending as the pipeline knows them.
// Sea Islands 3D/Compute Register Reference, chapters DB and CB.
#pragma once
#include "gpu/sea_islands/state/register_context.h"
#include "pipeline/state.h"

namespace Atoll::sea_islands {

pipeline::DepthStencil depth_stencil_of(RegisterContext& context);
pipeline::ColourOutput colour_output_of(RegisterContext& context);

}  // namespace Atoll::sea_islands
