// Accesses of a wave's lanes to the texture that a T# names: the meaning of the coordinates, loads, stores, atomics, sizes, and
// answers where there is no texture. Sea Islands register guide section 4 (SQ_MIMG); RDNA4 ISA 10.2, 10.4, 16.17.
#pragma once
#include <array>

#include "gpu/amd/image_descriptors.h"
#include "wave/image_access.h"

namespace Atoll::gpu::amd {

// Answers an access to a T# without memory behind it: DST_SEL's constants, and 0.
void give_nothing(wave::ImageAccess& access, const surface::Order& order);
// 16 bits each where the instruction asks for such (D16): floats rounded to halves, integers cut off.
void narrow(wave::ImageAccess& access, surface::Number number);

void load(const ImageResource& resource, const surface::Texture& texture, wave::ImageAccess& access);
// The texel that a load, store or atomic reaches in a lane, `more_samples` after its own; null out of range.
const uint8_t* texel_of_access(const ImageResource& resource, const surface::Texture& texture, const wave::ImageAccess& access,
                               unsigned lane, uint32_t more_samples = 0);
void store(const ImageResource& resource, const surface::Texture& texture, wave::ImageAccess& access);
// True if a gather's four texels, which are the base level's, lie below the least level: they are zeros then.
bool gathers_hidden(const ImageResource& resource, const wave::ImageAccess& access);
// Four samples of a component, from the one that is asked for on.
void load_samples(const ImageResource& resource, const surface::Texture& texture, wave::ImageAccess& access);
// Why the atomic cannot be carried out; null if it was.
const char* change(const ImageResource& resource, const surface::Texture& texture, wave::ImageAccess& access);
// Width, height or layers, depth or layers, levels (as D3D11's resinfo has them: a 1D array's layers stand second).
void size(const ImageResource& resource, const surface::Texture& texture, wave::ImageAccess& access);

surface::SampleLanes sample_lanes(const ImageResource& resource, const surface::Texture& texture,
                                  const wave::ImageAccess& access);

}  // namespace Atoll::gpu::amd
