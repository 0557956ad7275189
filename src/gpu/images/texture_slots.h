// The slots in which compiled code looks for textures first (wave/sampled_texture.h), as a family's Environment::sampled_texture() fills them.
#pragma once
#include "wave/sampled_texture.h"

namespace Atoll::gpu::images {

// Empties the slots, so that all waves look for their textures anew. While no wave runs.
void empty_slots(wave::TextureSlots& slots);
// True if the texture is what these words name (8 of the resource, 4 of the sampler) for this use.
bool is_named(const wave::SampledTexture& texture, const uint32_t* resource, const uint32_t* sampler, wave::TextureUse use);
// The slot's texture, if it is that; else null.
const wave::SampledTexture* in_slot(const wave::TextureSlots& slots, uint32_t slot, const uint32_t* resource,
                                    const uint32_t* sampler, wave::TextureUse use);
// Leaves the texture in the slot, if it is what the words name, and gives it; else null.
const wave::SampledTexture* put_in_slot(wave::TextureSlots& slots, uint32_t slot, const wave::SampledTexture& texture,
                                        const uint32_t* resource, const uint32_t* sampler, wave::TextureUse use);

}  // namespace Atoll::gpu::images
