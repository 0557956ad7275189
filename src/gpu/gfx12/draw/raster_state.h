// From the registers of GE, PA and SC to the pipeline's assembly and rasterisation state. Mesa 25.0.7 src/amd/registers/gfx12.json;
// meaning: src/gallium/drivers/radeonsi/si_state.c, src/amd/vulkan/radv_cmd_buffer.c.
#pragma once
#include "gpu/gfx12/state/register_context.h"
#include "pipeline/draw.h"
#include "pipeline/front/discard_band.h"

namespace Atoll::gfx12 {

// False: an unknown primitive type (counted).
bool topology_of(RegisterContext& context, pipeline::Topology& topology);
pipeline::Assembly assembly_of(const RegisterFile& registers, pipeline::Topology topology, bool indexed, unsigned index_bytes);
void viewports_of(const RegisterFile& registers, pipeline::Draw& draw);
// The band without its distances: the stage that takes the vertices gives each its own (pipeline::DiscardBand::give_distances).
pipeline::DiscardBand discard_band_of(const RegisterFile& registers);
pipeline::Clip clip_of(RegisterContext& context);
pipeline::Rasterization rasterization_of(RegisterContext& context);

}  // namespace Atoll::gfx12
