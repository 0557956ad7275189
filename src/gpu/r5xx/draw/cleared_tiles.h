// Tiles that a mask says are cleared (tile_mask.h) have their value written before a draw looks at them: fast clears of depth and
// stencil (ZB_BW_CNTL.FAST_FILL, ZB_DEPTHCLEARVALUE) and of multisampled colours (RB3D_CCTL.CMASK_ENABLE, RB3D_COLOR_CLEAR_VALUE*).
// On the chip a tile is written when its cache line is; here all of them that the draw's scissors let it reach are, when the first
// draw comes that has the mask on (docs/errata.md, "R5xx cleared tiles").
#pragma once
#include "gpu/r5xx/draw/draw.h"

namespace Atoll::r5xx {

// Called when a draw's targets are set up. False: the context is lost, or a deferred draw has failed.
bool clear_depth_tiles(Context& context, DrawEngine& engine, pipeline::Workers& workers, const DepthBuffer& buffer);
bool clear_colour_tiles(Context& context, DrawEngine& engine, pipeline::Workers& workers, const ColourBuffer& buffer, unsigned n);

}  // namespace Atoll::r5xx
