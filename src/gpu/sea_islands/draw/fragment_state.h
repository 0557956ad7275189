// From the registers of DB and CB to depth, stencil and blending as the pipeline knows them.
// Sea Islands 3D/Compute Register Reference, chapters DB and CB.
#pragma once
#include "gpu/sea_islands/context.h"
#include "pipeline/state.h"

namespace Atoll::sea_islands {

pipeline::DepthStencil depth_stencil_of(Context& context);
pipeline::ColourOutput colour_output_of(Context& context);

}  // namespace Atoll::sea_islands
