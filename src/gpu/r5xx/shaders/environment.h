// The environment of a draw's waves.
#pragma once
#include "gpu/r5xx/context.h"
#include "gpu/r5xx/shaders/textures.h"
#include "isa/r500/registers.h"
#include "wave/environment.h"

namespace Atoll::r5xx {

class QueueEnvironment : public wave::Environment {
public:
  QueueEnvironment(const Context& context, Textures& textures) : context_(context), textures_(textures) {}
  bool mapped(uint64_t address, uint64_t bytes, bool writable) const override {
    return context_.space.contains(address, bytes, writable);
  }
  uint64_t clock() override { return 0; }  // no instruction reads one
  uint64_t message(wave::Wave&, uint32_t, uint32_t) override { return 0; }
  void image(wave::Wave& wave, wave::ImageAccess& access) override {
    if (const uint64_t killed = textures_.image(access) & access.active)
      r500::set_mask_in(wave, r500::killed_cell, r500::mask_in(wave, r500::killed_cell) | killed);
  }
  const wave::SampledTexture* sampled_texture(const uint32_t* resource, const uint32_t*, uint32_t slot,
                                              wave::TextureUse) override {
    return textures_.sampled(resource[0], slot);
  }

private:
  const Context& context_;
  Textures& textures_;
};

}  // namespace Atoll::r5xx
