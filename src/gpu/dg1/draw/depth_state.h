// 3DSTATE_WM_DEPTH_STENCIL, 3DSTATE_DEPTH_BOUNDS and what decides when their tests are made.
#pragma once
#include "gpu/dg1/state/context.h"
#include "pipeline/draw.h"

namespace Atoll::dg1 {

// Buffers that are not there are left to whoever binds them. False: the context is lost.
bool find_depth_stencil(Context& context, pipeline::Draw& draw);

}  // namespace Atoll::dg1
