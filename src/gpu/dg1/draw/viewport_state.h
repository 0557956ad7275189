// 3DSTATE_CLIP and the viewports: what is cut off of primitives, and how clip space becomes the screen.
#pragma once
#include "gpu/dg1/state/context.h"
#include "pipeline/draw.h"

namespace Atoll::dg1 {

// SF_CLIP_VIEWPORT, CC_VIEWPORT, SCISSOR_RECT of all viewports, 3DSTATE_DRAWING_RECTANGLE. False: the context is lost.
bool find_viewports(Context& context, pipeline::Draw& draw);
// SCISSOR_RECT `n`; what two rectangles have in common.
bool read_scissor(Context& context, unsigned n, pipeline::Rectangle& area);
pipeline::Rectangle both(const pipeline::Rectangle& a, const pipeline::Rectangle& b);
bool find_clip(Context& context, pipeline::Draw& draw);

}  // namespace Atoll::dg1
