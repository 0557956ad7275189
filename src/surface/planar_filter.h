// The common ways to sample two-dimensional textures, arrays and cubes, many lanes at once: no comparison, no border texels, no
// anisotropy. sampler.cpp does the rest lane by lane.
#pragma once
#include "surface/footprint.h"

namespace Atoll::surface {

// Fills the results of the lanes that it can do and returns the other active ones. The choice depends on the texture, the
// sampler and the lane's own coordinates only.
uint64_t filter_planar(const Texture& texture, const Sampler& sampler, const SampleLanes& call, const SamplePlaces& places,
                       const Footprints& footprints, std::array<Lanes, 4>& result);

}  // namespace Atoll::surface
