#include "pipeline/tiles/target_fill.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace Atoll::pipeline {

WordChange::WordChange(unsigned sample, const OwnedChange& change) {
  const size_t bytes = std::min<size_t>(change.texel_bytes(), 4);
  std::memcpy(&keep, change.keep.data() + sample * bytes, bytes);
  std::memcpy(&flip, change.flip.data() + sample * bytes, bytes);
}

bool sets_depths_alone(const OwnedChange& change) {
  if (change.texel_bytes() != 4) return false;
  for (unsigned s = 0; s < change.samples; s++) {
    const uint8_t *keep = change.keep.data() + s * 4, *flip = change.flip.data() + s * 4;
    if (keep[0] || keep[1] || keep[2] || keep[3] != 0xff || flip[3]) return false;
  }
  return true;
}

void load_texels(Target& target, unsigned x, unsigned y, unsigned layer, unsigned samples, unsigned texel_bytes,
                 uint8_t* texels) {
  target.load(x, y, layer, texels);
  const unsigned there = target.samples_there();
  if (!there) return;
  const size_t bytes = size_t(pixels_in_block) * texel_bytes;
  for (unsigned s = there; s < samples; s++) std::memcpy(texels + s * bytes, texels + s % there * bytes, bytes);
}

void load_filled(Target& target, unsigned x, unsigned y, unsigned layer, const OwnedChange& change, uint8_t* texels) {
  const bool keeps = change.keeps();
  if (keeps) load_texels(target, x, y, layer, change.samples, change.texel_bytes(), texels);
  change_block(texels, change.view(), keeps);
}

std::optional<int32_t> depth_after(const OwnedChange& change, unsigned bits) {
  const uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1, first = WordChange(0, change)(0) & mask;
  for (unsigned s = 0; s < change.samples; s++)
    for (uint32_t before : {0u, ~0u})
      if ((WordChange(s, change)(before) & mask) != first) return {};
  if (bits == 32 && std::isnan(std::bit_cast<float>(first))) return {};
  return int32_t(first);
}

}  // namespace Atoll::pipeline
