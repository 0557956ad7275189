// How large a pixel is on a texture: the level of detail before biases, and the longer axis of its footprint for anisotropic
// filters. OpenGL 4.6 8.14.1 (scale factor), EXT_texture_filter_anisotropic (its sample placement).
#pragma once
#include "surface/sampler.h"

namespace Atoll::surface {

// The coordinates of lanes' samples, after a cube's face has been chosen.
struct SamplePlaces {
  alignas(64) float at[3][max_lanes];     // s t r; of cubes s and t on the face, 0 to 1
  alignas(64) uint32_t slice[max_lanes];  // layer of an array, first face of the cube
  uint8_t face[max_lanes];                // 0 but on cubes
};

struct Footprints {
  float level[max_lanes];    // log2 of the scale factor, per tap; -inf to inf
  uint8_t taps[max_lanes];   // along the longer axis; 1 without anisotropy
  float axis[3][max_lanes];  // its length in coordinates, where taps > 1
};

// The places of the active lanes; those of other lanes are filled in too, inside the texture's layers.
void find_places(const Texture& texture, const SampleLanes& call, SamplePlaces& places);
// The footprints of all active lanes in texels of the first level, for modes implicit, bias and derivatives.
void find_footprints(const Texture& texture, const Sampler& sampler, const SampleLanes& call, const SamplePlaces& places,
                     Footprints& footprints);

}  // namespace Atoll::surface
