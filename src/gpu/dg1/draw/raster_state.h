// 3DSTATE_RASTER, 3DSTATE_SF, 3DSTATE_WM and what belongs to them: which pixels and samples a primitive covers.
#pragma once
#include "gpu/dg1/state/context.h"
#include "pipeline/draw.h"

namespace Atoll::dg1 {

// The draw's topology is known. False: the context is lost.
bool find_rasterization(Context& context, pipeline::Draw& draw);

// Samples of the targets: 3DSTATE_MULTISAMPLE.
inline unsigned samples_of(const GraphicsState& g) {
  return 1u << std::min<uint32_t>(g.get<commands::_3DSTATE_MULTISAMPLE::Number_of_Multisamples>(), 4);
}

}  // namespace Atoll::dg1
