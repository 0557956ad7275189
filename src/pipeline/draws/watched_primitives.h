// The primitives of a draw whose shape has a watched pixel (pixel_watch.h), and why some of them are not rasterised there.
#pragma once
#include <span>

#include "pipeline/front/setup.h"
#include "pipeline/pixel_watch.h"

namespace Atoll::pipeline {

// `input`: of a segment whose vertices are shaded; sets its primitives up once more, with and without what may take them away.
void watch_primitives(PixelWatch& watch, const SetupInput& input, std::span<const Assembled> primitives);

}  // namespace Atoll::pipeline
