// A draw: registers become a pipeline::Draw, the stages' programs are found, the pipeline runs. Draws that only work on surfaces
// (fast clear elimination, decompression, resolves, depth copies) do that instead.
#pragma once
#include "gpu/sea_islands/context.h"

namespace Atoll::sea_islands {

// False: the context is lost.
bool draw(Context& context, const DrawCall& call);

// What the last draw went into.
std::vector<gpu::Picture> pictures(Context& context);

}  // namespace Atoll::sea_islands
