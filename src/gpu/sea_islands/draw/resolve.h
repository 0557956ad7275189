// CB_RESOLVE: from a target with several samples to one.
#pragma once
#include "gpu/sea_islands/draw/targets.h"

namespace Atoll::sea_islands {

// Every pixel of `to`, within width and height, becomes the mean of the samples of `from`; of integers sample 0. False: the
// context is lost.
bool resolve(RegisterContext& context, const ColourSurface& from, const ColourSurface& to, unsigned width, unsigned height);

}  // namespace Atoll::sea_islands
