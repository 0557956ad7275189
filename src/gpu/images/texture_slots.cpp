#include "gpu/images/texture_slots.h"

#include <cstring>

#include "sampling/form.h"

namespace Atoll::gpu::images {

void empty_slots(wave::TextureSlots& slots) {
  for (auto& slot : slots) slot.store(&wave::no_texture, std::memory_order_relaxed);
}

bool is_named(const wave::SampledTexture& texture, const uint32_t* resource, const uint32_t* sampler, wave::TextureUse use) {
  return texture.form && sampling::Form::from(texture.form).use == uint64_t(use) &&
         !std::memcmp(texture.resource.data(), resource, sizeof texture.resource) &&
         !std::memcmp(texture.sampler.data(), sampler, sizeof texture.sampler);
}

const wave::SampledTexture* in_slot(const wave::TextureSlots& slots, uint32_t slot, const uint32_t* resource,
                                    const uint32_t* sampler, wave::TextureUse use) {
  const wave::SampledTexture* there = slots[slot % slots.size()].load(std::memory_order_acquire);
  return is_named(*there, resource, sampler, use) ? there : nullptr;
}

const wave::SampledTexture* put_in_slot(wave::TextureSlots& slots, uint32_t slot, const wave::SampledTexture& texture,
                                        const uint32_t* resource, const uint32_t* sampler, wave::TextureUse use) {
  if (!is_named(texture, resource, sampler, use)) return nullptr;
  slots[slot % slots.size()].store(&texture, std::memory_order_release);
  return &texture;
}

}  // namespace Atoll::gpu::images
