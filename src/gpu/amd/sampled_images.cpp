// Images and samplers for compiled sampling (wave/sampled_texture.h).
#include <algorithm>

#include "base/removable_check.h"
#include "gpu/amd/images.h"
#include "gpu/images/texture_slots.h"

namespace Atoll::gpu::amd {

// Null wherever access() has something to say that compiled code has no words for: faults, what is not known, integers that are no
// colours. The result is only found through the slots and here, both of which begin anew with each submission.
const wave::SampledTexture* Images::sampled(const uint32_t* resource, const uint32_t* sampler, uint32_t slot,
                                            wave::TextureUse use) {
  if (uses_) tell_use(resource, std::tuple_size_v<ImageResourceWords>, use == wave::TextureUse::sampled ? sampler : nullptr);
  if (const wave::SampledTexture* there = images::in_slot(texture_slots_, slot, resource, sampler, use)) return there;
  wave::ImageAccess access;
  access.operation = wave::ImageOperation::sample;
  access.resource = resource;
  access.sampler = sampler;
  Entry& entry = const_cast<Entry&>(*find(access));
  if (!entry.stays || !entry.texture || entry.resource.partially_resident) return nullptr;  // (those have status)
  const bool stores = use == wave::TextureUse::stored, samples = use == wave::TextureUse::sampled;
  if (!ATOLL_CHECK("jit.texture.memory", check_memory(entry, stores, access))) return nullptr;
  if (space_.has_absent(entry.resource.address, entry.resource.bytes)) return nullptr;  // (TFE wants to know of it)
  SamplerWords words;
  std::copy_n(sampler, words.size(), words.begin());
  ImageSampler decoded = descriptors_.sampler(words);
  // Colours of the table are read when they are needed; reports are made when they are met.
  if (decoded.border == ImageSampler::Border::table || !descriptors_.is_whole(resource, false, sampler, nullptr)) return nullptr;
  surface::Sampler state = sampler_of(access, entry, 0);
  if (!sampling::has_form(*entry.texture, state)) return nullptr;
  if (stores && !sampling::can_store(entry.texture->format())) return nullptr;
  if (!samples && entry.resource.fragment_mask.samples) return nullptr;
  std::lock_guard lock(mutex_);
  if (!entry.has_tables) {
    entry.tables = sampling::Tables::make(*entry.texture);
    entry.has_tables = true;
    if (entry.tables) table_bytes_ += entry.tables->bytes();
  }
  if (!entry.tables) return nullptr;
  auto found = entry.sampled.find({use, words});
  // The words without a meaning are compared by code as well: those that came first stay.
  if (found == entry.sampled.end()) {
    if (entry.sampled.size() >= max_samplers) return nullptr;
    auto made = std::make_unique<wave::SampledTexture>();
    entry.tables->describe(*entry.texture, state, use, *made);
    if (auto form = sampling::Form::from(made->form); form.valid && !stores && entry.resource.least_level()) {
      form.hides_levels = 1;
      made->form = form.bits(), made->least_level = entry.resource.least_level();
    }
    if (stores) made->address = entry.resource.address + uint64_t(made->texels - space_.host(entry.resource.address));
    std::copy_n(resource, made->resource.size(), made->resource.begin());
    made->sampler = words;
    found = entry.sampled.emplace(std::pair(use, words), std::move(made)).first;
  }
  // (What finds it in a slot tells nobody of it.)
  if (uses_) return images::is_named(*found->second, resource, sampler, use) ? found->second.get() : nullptr;
  return images::put_in_slot(texture_slots_, slot, *found->second, resource, sampler, use);
}

}  // namespace Atoll::gpu::amd
