// The answers of the sampler's resinfo for a surface, without a look at its memory or its format.
#pragma once
#include <array>
#include <cstdint>

#include "base/expected.h"
#include "gpu/dg1/threads/surface_state.h"

namespace Atoll::dg1 {

// Red, green, blue and alpha of resinfo: texels along each axis at `level` of the view (0 beyond the last), behind them the layers of an
// array, in alpha the view's levels. Buffers have red alone: their entries, which are bytes if the format is RAW.
Expected<std::array<uint32_t, 4>> surface_size(const SurfaceWords& words, uint32_t level);

}  // namespace Atoll::dg1
