// An access of a wave's lanes to a texture, once a family has said which of its coordinates are what and what its descriptors are: what all
// families do the same.
#pragma once
#include <array>
#include <bit>
#include <cstdint>

#include "surface/sampler.h"
#include "surface/texture.h"
#include "wave/image_access.h"

namespace Atoll::gpu::images {

// The positions of coordinates in ImageAccess::coordinate, or -1: y, the third of a volume (or of a cube's direction), the slice
// (a layer, or a cube's face), the sample. x is the first.
struct Coordinates {
  int y = -1, z = -1, slice = -1, sample = -1;
};

template <class Body>
void for_active(const wave::ImageAccess& access, Body body) {
  for (uint64_t rest = access.active; rest; rest &= rest - 1) body(unsigned(std::countr_zero(rest)));
}

// The components that are wanted, one after the other.
void give(wave::ImageAccess& access, const std::array<surface::Lanes, 4>& colour);

// --- by integer coordinates
surface::TexelLanes texel_lanes(const wave::ImageAccess& access, const Coordinates& at);
// The bytes of the texel that a lane reaches, `more_samples` after its own; null out of range.
uint8_t* texel_of_lane(const surface::Texture& texture, const surface::TexelLanes& call, unsigned lane,
                       uint32_t more_samples = 0);
// Lanes of `hidden` read what is out of range.
void load(const surface::Texture& texture, const Coordinates& at, uint64_t hidden, wave::ImageAccess& access);
// The colour that is stored: components that the access does not have are 0, or the first one's where it says so.
std::array<surface::Lanes, 4> colour_given(const wave::ImageAccess& access);
// An atomic on texels of 4 * `dwords` bytes, 4 or 8. Out of range, and where a texel is not aligned to its size, it does nothing and gives 0.
void change(const surface::Texture& texture, const Coordinates& at, unsigned dwords, wave::ImageAccess& access);

// --- filtered
// `axes`: how many derivatives count. Helper lanes and a cube's faces are the family's to say.
surface::SampleLanes sample_lanes(const wave::ImageAccess& access, const Coordinates& at, unsigned axes);
// A sample, a gather or a query of the level. The four texels of a gather are not packed.
void sample(const surface::Texture& texture, const surface::Sampler& sampler, const surface::SampleLanes& call,
            wave::ImageAccess& access);

}  // namespace Atoll::gpu::images
