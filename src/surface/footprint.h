// How large a pixel is on a texture: the level of detail before biases, and the longer axis of its footprint for anisotropic
// filters. OpenGL 4.6 8.14.1 (scale factor), EXT_texture_filter_anisotropic (its sample placement).
#pragma once
#include "surface/sampler.h"

namespace Atoll::surface {

// Where a lane samples, after the choice of a cube's face.
struct SamplePlace {
  std::array<float, 3> at = {};  // s t r; of cubes s and t on the face, 0 to 1
  unsigned face = 0;
  unsigned slice = 0;  // layer of an array, first face of the cube
};

struct Footprint {
  float level = 0;                 // log2 of the scale factor, per tap; -inf to inf
  unsigned taps = 1;               // along the longer axis
  std::array<float, 3> axis = {};  // its length in coordinates, where taps > 1
};

// log2 of a non-negative number: the same bits on every host, to about 1e-9.
double log2_of(double value);

// The places of all active lanes.
void find_places(const Texture& texture, const SampleLanes& call, std::array<SamplePlace, most_lanes>& places);
// The footprints of all active lanes in texels of the first level, for modes implicit, bias and derivatives.
void find_footprints(const Texture& texture, const Sampler& sampler, const SampleLanes& call,
                     const std::array<SamplePlace, most_lanes>& places, std::array<Footprint, most_lanes>& footprints);

}  // namespace Atoll::surface
