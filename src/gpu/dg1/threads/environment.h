// The environment of threads: mapped memory, the time, images.
#pragma once
#include "gpu/device/reports.h"
#include "gpu/dg1/threads/images.h"
#include "memory/address_space.h"
#include "wave/environment.h"

namespace Atoll::dg1 {

class ThreadEnvironment : public wave::Environment {
public:
  explicit ThreadEnvironment(AddressSpace& space) : space_(space), images_(space) {}
  bool mapped(uint64_t window_address, uint64_t bytes, bool writable) const override;
  uint64_t clock() override;  // at 19.2 MHz, the timestamp's rate on DG1
  uint64_t message(wave::Wave&, uint32_t, uint32_t) override { return 0; }
  void image(wave::Wave& wave, wave::ImageAccess& access) override;
  const wave::SampledTexture* sampled_texture(const uint32_t* resource, const uint32_t* sampler, uint32_t slot,
                                              wave::TextureUse use) override {
    return images_.sampled(resource, sampler, slot, use);
  }

  // Threads of another grid are about to run: what surface and sampler states say is read anew. Waves get the slots in Wave::textures.
  // While no thread runs.
  const wave::TextureSlots& begin_threads() {
    states_may_change();
    return begin_draw_threads();
  }
  // The same for a draw, beside whose threads those of others may run: anew only where something may have changed states since.
  const wave::TextureSlots& begin_draw_threads() {
    if (states_may_have_changed_) images_.forget_states();
    states_may_have_changed_ = false;
    return images_.texture_slots();
  }
  // Surface and sampler states in memory may change next. Called while no thread runs; none may run before they have changed.
  void states_may_change() { states_may_have_changed_ = true; }

  // 3DSTATE_SAMPLER_PALETTE_LOAD0 or 1. While no thread runs.
  void load_palette(unsigned palette, std::span<const uint32_t> colours) {
    images_.load_palette(palette, colours);
    states_may_change();
  }

  // 3DSTATE_CHROMA_KEY. While no thread runs.
  void load_chroma_key(unsigned index, uint32_t low, uint32_t high) {
    images_.load_chroma_key(index, low, high);
    states_may_change();
  }

  // Mappings may have changed. `reports`: who is told of what images do not do yet; null: nobody. While no thread runs.
  void begin_submission(gpu::Reports* reports) { images_.begin_submission(reports); }

  // Whoever watches what threads use; null: nobody. Before any thread runs.
  void tell(const gpu::Uses* uses) { images_.tell(uses); }

private:
  AddressSpace& space_;
  Images images_;
  bool states_may_have_changed_ = true;
};

}  // namespace Atoll::dg1
