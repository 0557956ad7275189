// Surfaces and samplers for compiled messages (wave/sampled_texture.h).
#include <algorithm>
#include <cstring>

#include "base/removable_check.h"
#include "gpu/dg1/threads/images.h"
#include "gpu/images/texture_slots.h"
#include "isa/xe_lp/surface_format.h"
#include "isa/xe_lp/texture_key.h"
#include "memory/fault.h"

namespace Atoll::dg1 {
namespace {

uint64_t address_at(const uint32_t* words) { return words[0] | uint64_t(words[1]) << 32; }

}  // namespace

void Images::forget_states() {
  gpu::images::empty_slots(texture_slots_);
  round_++;
}

// A mapping that another thread takes away meanwhile is one that was not there.
bool Images::copy(uint64_t window_address, void* to, size_t bytes) const {
  const auto gpu = window_address < space_.window_bytes() ? space_.gpu_address_of(space_.base() + window_address) : std::nullopt;
  if (!gpu || *gpu < 0 || !space_.contains(uint64_t(*gpu), bytes)) return false;
  FaultRecovery recovery;
  if (sigsetjmp(recovery.environment, 0)) return false;
  recovery.activate();
  std::memcpy(to, space_.base() + window_address, bytes);
  recovery.deactivate();
  return true;
}

bool Images::read_states(const uint32_t* resource, const uint32_t* sampler, States& states) const {
  using namespace xe_lp;
  uint32_t entry;
  if (!copy(address_at(resource + TEXTURE_BINDING_TABLE) + resource[TEXTURE_ENTRY] * 4u, &entry, sizeof entry)) return false;
  const uint64_t surface =
      address_at(resource + TEXTURE_SURFACE_STATE_BASE) + structures::BINDING_TABLE_STATE::Surface_State_Pointer::get(&entry);
  if (!copy(surface & ~uint64_t(3), states.surface.data(), sizeof states.surface)) return false;
  if (resource[TEXTURE_TYPED_READ])
    SurfaceState::Surface_Format::set(states.surface, typed_read_format(SurfaceState::Surface_Format::get(states.surface)));
  if (states.use != wave::TextureUse::sampled) return true;
  const uint64_t at = address_at(sampler + SAMPLER_ADDRESS) + sampler[SAMPLER_OFFSET];
  return copy(at & ~uint64_t(15), states.sampler.data(), sizeof states.sampler);
}

// Null wherever access() has something to say that compiled code has no words for.
const wave::SampledTexture* Images::sampled(const uint32_t* resource, const uint32_t* sampler, uint32_t slot,
                                            wave::TextureUse use) {
  if (const wave::SampledTexture* there = gpu::images::in_slot(texture_slots_, slot, resource, sampler, use)) return there;
  const bool stores = use == wave::TextureUse::stored, samples = use == wave::TextureUse::sampled;
  States states;
  states.use = use;
  std::copy_n(resource, 8, states.key.begin()), std::copy_n(sampler, 4, states.key.begin() + 8);
  if (!read_states(resource, sampler, states)) return nullptr;
  if (samples && SamplerState::SRGB_DECODE::get(states.sampler)) states.surface = without_srgb(states.surface);
  if (samples &&
      (SamplerState::Sampler_Disable::get(states.sampler) || SamplerState::Force_gather4_Behavior::get(states.sampler)))
    return nullptr;
  const std::shared_ptr<Entry> entry = find(states.surface);
  if (!entry->error.empty() || !entry->texture || entry->surface.entries || entry->astc) return nullptr;
  if (!ATOLL_CHECK("jit.texture.memory", is_there(*entry, stores))) return nullptr;
  surface::Sampler state;
  if (samples) {
    look_at_fields(states.sampler);
    state = sampler_of(states.sampler, entry->surface, address_at(resource + xe_lp::TEXTURE_DYNAMIC_STATE_BASE));
    states.border = state.border;
  }
  if (!sampling::has_form(*entry->texture, state)) return nullptr;
  if (stores && !sampling::can_store(entry->texture->format())) return nullptr;
  std::lock_guard lock(mutex_);
  auto found = sampled_.find(states);
  if (found == sampled_.end()) {
    if (sampled_.size() >= max_sampled) return nullptr;
    if (!entry->has_tables) {
      entry->tables = sampling::Tables::make(*entry->texture);
      entry->has_tables = true;
      if (entry->tables) table_bytes_ += entry->tables->bytes();
    }
    if (!entry->tables) return nullptr;
    auto made = std::make_unique<wave::SampledTexture>();
    entry->tables->describe(*entry->texture, state, use, *made);
    made->address = uint64_t(made->texels - space_.base());
    std::copy_n(resource, made->resource.size(), made->resource.begin());
    std::copy_n(sampler, made->sampler.size(), made->sampler.begin());
    found = sampled_.emplace(states, std::move(made)).first;
    sampled_entries_.push_back(entry);
  }
  // (What finds it in a slot tells nobody of it; draws that are told of do not wait, and each begins with empty slots.)
  return gpu::images::put_in_slot(texture_slots_, slot, *found->second, resource, sampler, use);
}

}  // namespace Atoll::dg1
