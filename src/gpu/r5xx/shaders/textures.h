// The sixteen texture units: TX_* registers to surface::Texture and surface::Sampler, and lookups of waves through them
// (wave::Environment::image). R5xx Acceleration v1.3, 10.9; what it leaves out of TX_FILTER0, TX_FILTER1: Mesa 22.3.6
// src/gallium/drivers/r300/r300_reg.h.
#pragma once
#include <array>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "gpu/r5xx/context.h"
#include "pipeline/target.h"
#include "surface/sampler.h"
#include "wave/image_access.h"

namespace Atoll::r5xx {

class Textures {
public:
  // Before a draw, on the thread that executes it: the units as the registers have them now.
  void bind(Context& context);

  // Where the units that answer have their texels.
  std::span<const pipeline::MemoryRange> memory() const { return memory_; }

  // A lookup; may be called by several threads at once between calls of bind().
  void image(wave::ImageAccess& access) const;

private:
  struct Kept {
    std::array<uint32_t, 6> words;  // all that decides on the texture
    uint64_t address = 0, bytes = 0;
    surface::Texture texture;
  };
  struct Unit {
    bool answers = false;                 // enabled, in a format that can be read
    std::shared_ptr<const Kept> texture;  // null: `fault`
    const char* fault = nullptr;
    surface::Sampler sampler;
  };
  std::shared_ptr<const Kept> find(Context& context, unsigned n, const struct TexelFormat& format, Unit& unit);

  static constexpr size_t max_kept = 256;
  std::array<Unit, 16> units_;
  std::vector<pipeline::MemoryRange> memory_;
  std::list<std::shared_ptr<const Kept>> kept_;  // the last used first
};

// A unit's sampler; `border` is its border colour.
surface::Sampler sampler_of(Context& context, unsigned n, const surface::Colour& border);

}  // namespace Atoll::r5xx
