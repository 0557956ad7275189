// Draws that only work on surfaces: their metadata is expanded, fast clears are eliminated, or samples resolved.
#pragma once
#include "gpu/sea_islands/draw/draw_context.h"

namespace Atoll::sea_islands {

// True: that was all that the draw is for, or the context is lost.
bool work_on_surfaces(DrawContext& context);
// True if planes of depth or stencil are not to be compressed: then a draw expands them, and is drawn as well.
bool depth_is_plain(const RegisterFile& registers);

}  // namespace Atoll::sea_islands
