// From the registers of DB and CB to depth, stencil and blending as the pipeline knows them. Mesa 25.0.7
// src/amd/registers/gfx12.json; meaning: src/gallium/drivers/radeonsi/si_state.c.
#pragma once
#include "gpu/gfx12/state/register_context.h"
#include "pipeline/state.h"

namespace Atoll::gfx12 {

pipeline::DepthStencil depth_stencil_of(RegisterContext& context);
pipeline::ColourOutput colour_output_of(RegisterContext& context);

}  // namespace Atoll::gfx12
