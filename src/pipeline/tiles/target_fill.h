// Fills of targets that have blocks in the tile cache (tile_cache.h): noted there, and carried out later.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/target.h"

namespace Atoll::pipeline {

// A PixelChange that holds its bytes.
struct OwnedChange {
  std::vector<uint8_t> keep, flip;
  unsigned samples = 1;
  bool operator==(const OwnedChange&) const = default;
  bool empty() const { return keep.empty(); }
  PixelChange view() const { return {keep, flip, samples}; }
  unsigned texel_bytes() const { return unsigned(keep.size()) / samples; }
  bool keeps() const { return view().keeps(); }
};

// A fill's change of a cached target: of its colours or depths, and of stencils that have a surface of their own. Empty: none.
struct TargetFill {
  OwnedChange texels, stencils;
  bool operator==(const TargetFill&) const = default;
};

// The change of one sample's depth or stencil of up to 4 bytes.
struct WordChange {
  uint32_t keep = 0, flip = 0;
  WordChange(unsigned sample, const OwnedChange& change);
  uint32_t operator()(uint32_t word) const { return (word & keep) ^ flip; }
};
// True if it sets the lower 24 bits of a depth's words of 4 bytes, whatever they were, and leaves the upper byte.
bool sets_depths_alone(const OwnedChange& change);
// The texels of a block of `samples` samples. Those that the target has not got are as those that it has, in turn.
void load_texels(Target& target, unsigned x, unsigned y, unsigned layer, unsigned samples, unsigned texel_bytes, uint8_t* texels);
// The block's texels, changed; loaded first if the change leaves any of their bits.
void load_filled(Target& target, unsigned x, unsigned y, unsigned layer, const OwnedChange& change, uint8_t* texels);
// The depth of `bits` bits, as the cache has it, that all samples have then. None: it depends on what was there, or is NaN.
std::optional<int32_t> depth_after(const OwnedChange& change, unsigned bits);

}  // namespace Atoll::pipeline
