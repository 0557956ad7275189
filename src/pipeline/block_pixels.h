// The pixels of a block of 8x8 that lie in a rectangle: a bit each, numbered as in a block (target.h).
#pragma once
#include <algorithm>
#include <cstdint>

#include "pipeline/target.h"

namespace Atoll::pipeline {

// Pixels that lie left of column n, or above row n.
struct BlockMasks {
  uint64_t left_of[block_size + 1], above[block_size + 1];
};
constexpr BlockMasks make_block_masks() {
  BlockMasks masks{};
  for (unsigned n = 0; n <= block_size; n++)
    for (unsigned pixel = 0; pixel < pixels_in_block; pixel++) {
      if (x_in_block(pixel) < n) masks.left_of[n] |= uint64_t(1) << pixel;
      if (y_in_block(pixel) < n) masks.above[n] |= uint64_t(1) << pixel;
    }
  return masks;
}
inline constexpr BlockMasks block_masks = make_block_masks();

// The pixels of the block at (x, y) that the rectangle holds.
[[gnu::always_inline]] inline uint64_t pixels_inside(const Rectangle& rectangle, int x, int y) {
  auto edge = [](int n) { return std::clamp(n, 0, int(block_size)); };
  return block_masks.left_of[edge(rectangle.right - x)] & ~block_masks.left_of[edge(rectangle.left - x)] &
         block_masks.above[edge(rectangle.bottom - y)] & ~block_masks.above[edge(rectangle.top - y)];
}

}  // namespace Atoll::pipeline
