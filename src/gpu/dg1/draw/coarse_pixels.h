// Shaders of coarse pixels: how large these are.
#pragma once
#include "gpu/dg1/state/context.h"
#include "pipeline/state.h"

namespace Atoll::dg1 {

// By viewport, where the pixel shader is one of coarse pixels. False: the context is lost.
bool find_coarse_pixels(Context& context, pipeline::Rasterization& raster);

}  // namespace Atoll::dg1
