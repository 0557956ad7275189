// The words by which compiled messages name a texture (wave::Environment::sampled_texture): where its states are to be found.
// Their contents are read when a wave names them first; from then on the thread slots keep it, as the hardware's state cache
// does, until whoever runs threads empties these.
#pragma once
#include <cstdint>

namespace Atoll::xe_lp {

// The resource's words. Addresses are the window's, as the ThreadContext of a wave has them, low halves first.
enum TextureKey : uint8_t {
  TEXTURE_BINDING_TABLE = 0,
  TEXTURE_SURFACE_STATE_BASE = 2,
  TEXTURE_DYNAMIC_STATE_BASE = 4,  // what border colours count from
  TEXTURE_ENTRY = 6,               // the binding table index
  TEXTURE_TYPED_READ = 7,          // 1: the format is what a typed read takes texels as (surface_format.h)
};
// The sampler's words; all are 0 where no sampler counts.
enum SamplerKey : uint8_t {
  SAMPLER_ADDRESS = 0,  // of the SAMPLER_STATE, or of its table's first
  SAMPLER_OFFSET = 2,   // what is added to that
};

}  // namespace Atoll::xe_lp
