// The environment of a queue's waves on AMD's families: the time, and images by their descriptors. A family adds memory, messages and
// traps.
#pragma once
#include <array>

#include "gpu/amd/images.h"
#include "gpu/amd/register_context.h"
#include "gpu/device/fault.h"
#include "wave/environment.h"

namespace Atoll::gpu::amd {

class QueueEnvironment : public wave::Environment {
public:
  // `border_colours`: the address of their table.
  QueueEnvironment(RegisterContext& context, Images& images, uint64_t border_colours)
      : queue_(context), images_(images), border_colours_(border_colours) {}
  uint64_t clock() override { return queue_.clock(); }
  void image(wave::Wave&, wave::ImageAccess& access) override { images_.access(access, border_colours_); }
  const wave::SampledTexture* sampled_texture(const uint32_t* resource, const uint32_t* sampler, uint32_t slot,
                                              wave::TextureUse use) override {
    return images_.sampled(resource, sampler, slot, use);
  }

private:
  RegisterContext& queue_;
  Images& images_;
  const uint64_t border_colours_;
};

// Loses the context and reports the wave's `fault` (gpu::fault_of): instruction, lane, address. `stage` names the kind of shader, `entry`
// is the address of its first instruction. Always false.
bool lose_by_fault(QueueState& context, const wave::Wave& wave, Fault fault, const char* stage, uint64_t entry);

}  // namespace Atoll::gpu::amd
