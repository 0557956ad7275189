// The sixteen texture units: TX_* registers to surface::Texture and surface::Sampler, and lookups of waves through them
// (wave::Environment::image). R5xx Acceleration v1.3, 10.9; what it leaves out of TX_FILTER0, TX_FILTER1: Mesa 22.3.6
// src/gallium/drivers/r300/r300_reg.h.
#pragma once
#include <array>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "gpu/r5xx/context.h"
#include "pipeline/target.h"
#include "sampling/form.h"
#include "surface/sampler.h"
#include "wave/image_access.h"
#include "wave/sampled_texture.h"

namespace Atoll::r5xx {

// Textures that units have met, of all draws.
class TextureCache {
private:
  friend class Textures;
  struct Kept {
    std::array<uint32_t, 6> words;  // all that decides on the texture
    uint64_t address = 0, bytes = 0;
    surface::Texture texture;
    // Made when a unit is bound of which there may be code.
    std::unique_ptr<sampling::Tables> tables = {};
    bool has_tables = false;
  };
  static constexpr size_t max_kept = 256;
  std::list<std::shared_ptr<Kept>> kept_;  // the last used first
  std::mutex mutex_;                       // tables: draws that wait share them
};

// The texture units as they are when a draw begins.
class Textures {
public:
  explicit Textures(std::shared_ptr<TextureCache> cache = std::make_shared<TextureCache>()) : cache_(std::move(cache)) {}

  // Before a draw, on the thread that executes it: the units as the registers have them now.
  void bind(Context& context);

  // Memory of the texels of the units that answer.
  std::span<const pipeline::MemoryRange> memory() const { return memory_; }

  // The form that compiled code has to be specialised by where it samples unit n (sampling::Form); 0: it calls image().
  uint64_t form(unsigned n) const { return units_[n].form; }

  // True if a lookup may kill pixels, by a chroma key.
  bool may_kill() const;
  // A lookup; gives the pixels that it kills. This and what follows may be called by several threads at once between
  // calls of bind().
  uint64_t image(wave::ImageAccess& access) const;
  // The unit that `word` names (r500::unit_word) for compiled code, which looks into the slots first; null where image() has
  // something to say that there is no code for.
  const wave::SampledTexture* sampled(uint32_t word, uint32_t slot);
  const wave::TextureSlots& slots() const { return slots_; }

private:
  using Kept = TextureCache::Kept;
  struct Unit {
    bool answers = false;           // enabled, in a format that can be read
    std::shared_ptr<Kept> texture;  // null: `fault`
    const char* fault = nullptr;
    surface::Sampler sampler;
    std::array<float, 3> scale{1, 1, 1};  // of coordinates that are not in texels
    bool projected = false;               // coordinates are divided by q whatever the instruction is
    uint8_t yuv = 0;                      // TX_FORMAT1.YUV_TO_RGB
    // True if compiled code has no form of it: it calls image().
    bool is_called() const { return projected || yuv || scale != std::array<float, 3>{1, 1, 1}; }
    uint64_t form = 0;
    std::array<std::unique_ptr<wave::SampledTexture>, 2> sampled;  // coordinates in units of the texture, in texels
  };
  const sampling::Tables* tables_of(Kept& kept);
  std::shared_ptr<Kept> find(Context& context, unsigned n, const struct TexelFormat& format, Unit& unit);

  const std::shared_ptr<TextureCache> cache_;
  std::array<Unit, 16> units_;
  uint32_t bound_ = 0;  // bit n: unit n is not as new
  std::vector<pipeline::MemoryRange> memory_;
  std::mutex mutex_;  // Unit::sampled
  wave::TextureSlots slots_;
  std::atomic<bool> slots_used_{true};  // since the last bind()
};

// A unit's sampler.
surface::Sampler sampler_of(Context& context, unsigned n, const struct TexelFormat& format);

}  // namespace Atoll::r5xx
