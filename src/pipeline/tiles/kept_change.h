// Fills of targets that have blocks in the tile cache (kept_blocks.h): noted there, and carried out later.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/target.h"

namespace Atoll::pipeline {

// A PixelChange that holds its bytes.
struct KeptChange {
  std::vector<uint8_t> keep, flip;
  unsigned samples = 1;
  bool operator==(const KeptChange&) const = default;
  bool empty() const { return keep.empty(); }
  PixelChange view() const { return {keep, flip, samples}; }
  unsigned texel_bytes() const { return unsigned(keep.size()) / samples; }
  bool keeps() const { return view().keeps(); }
};

// A fill's change of a cached target: of its colours or depths, and of stencils that have a surface of their own. Empty: none.
struct KeptFill {
  KeptChange texels, stencils;
  bool operator==(const KeptFill&) const = default;
};

// The change of one sample's depth or stencil of up to 4 bytes.
struct WordChange {
  uint32_t keep = 0, flip = 0;
  WordChange(unsigned sample, const KeptChange& change);
  uint32_t operator()(uint32_t word) const { return (word & keep) ^ flip; }
};
// Whether it sets the lower 24 bits of a depth's words of 4 bytes, whatever they were, and leaves the upper byte.
bool sets_depths_alone(const KeptChange& change);
// The texels of a block of `samples` samples. Those that the target has not got are as those that it has, in turn.
void load_texels(Target& target, unsigned x, unsigned y, unsigned layer, unsigned samples, unsigned texel_bytes, uint8_t* texels);
// The block's texels, changed; loaded if something of them is kept.
void load_filled(Target& target, unsigned x, unsigned y, unsigned layer, const KeptChange& change, uint8_t* texels);
// The depth of `bits` bits, as kept blocks have it, that all samples have then. None: it depends on what was there, or is NaN.
std::optional<int32_t> depth_after(const KeptChange& change, unsigned bits);

}  // namespace Atoll::pipeline
