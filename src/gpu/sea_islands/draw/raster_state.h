// From the registers of VGT, PA and SC to the pipeline's rasterisation state. Sea Islands 3D/Compute Register Reference, chapters
// VGT, PA; meaning where the reference gives only names: Mesa 22.3.6 src/gallium/drivers/radeonsi/si_state.c.
#pragma once
#include "gpu/sea_islands/state/register_context.h"
#include "pipeline/draw.h"
#include "pipeline/front/discard_band.h"

namespace Atoll::sea_islands {

// False: an unknown primitive type (counted).
bool topology_of(RegisterContext& context, pipeline::Topology& topology);
pipeline::Assembly assembly_of(const RegisterFile& registers, pipeline::Topology topology);
void viewports_of(const RegisterFile& registers, pipeline::Draw& draw);
pipeline::DiscardBand discard_band_of(const RegisterFile& registers);
pipeline::Clip clip_of(RegisterContext& context);
pipeline::Rasterization rasterization_of(RegisterContext& context);

}  // namespace Atoll::sea_islands
