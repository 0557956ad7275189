#include "surface/gfx12_tiling.h"

#include <bit>

namespace Atoll::surface {

namespace {

// The source of each bit of an offset inside a block, from an element's size up: the next bit of column, row, slice or sample.
// Smaller blocks have the first of them. A row for each size of an element, 1 to 16 bytes.
using Pattern = std::string_view;
constexpr Pattern patterns_2d[4][5] = {
    // one sample
    {"xxyxyyxyyxyxyxyxyx", "xyxyxyxyxyxyxyxyx", "xyxyxyyxyxyxyxyx", "xyxxyyxyxyxyxyx", "xyxyyxyxyxyxyx"},
    // 2, 4, 8 samples
    {"sxyxyxyxyxyxyxyxyx", "sxyxyxyyxyxyxyxyx", "sxyxyxyxyxyxyxyx", "sxyxyyxyxyxyxyx", "sxyxyxyxyxyxyx"},
    {"ssxyxyxyyxyxyxyxyx", "ssxyxyxyxyxyxyxyx", "ssxyxyyxyxyxyxyx", "ssxyxyxyxyxyxyx", "ssxyyxyxyxyxyx"},
    {"sssxyxyxyxyxyxyxyx", "sssxyxyyxyxyxyxyx", "sssxyxyxyxyxyxyx", "sssxyyxyxyxyxyx", "sssxyxyxyxyxyx"},
};
constexpr Pattern patterns_3d[5] = {"xxzyyzxzyxzyxzyxzy", "xzyxzyzyxzyxzyxzy", "xyxzyzyxzyxzyxzy", "xyzxzyxzyxzyxzy",
                                    "xzyzyxzyxzyxzy"};

unsigned log2(unsigned power_of_two) { return unsigned(std::countr_zero(power_of_two)); }

Pattern pattern_of(Gfx12Swizzle swizzle, unsigned element_bytes, unsigned samples, unsigned bits) {
  unsigned element = log2(element_bytes);
  Pattern all = is_3d(swizzle) ? patterns_3d[element] : patterns_2d[log2(samples)][element];
  return all.substr(0, bits - element);
}

Gfx12Block extent_of(Pattern pattern) {
  Gfx12Block block;
  for (char c : pattern) {
    if (c == 'x') block.width *= 2;
    if (c == 'y') block.height *= 2;
    if (c == 'z') block.depth *= 2;
  }
  return block;
}

}  // namespace

unsigned block_bits(Gfx12Swizzle swizzle) {
  static constexpr uint8_t bits[gfx12_swizzle_count] = {7, 8, 12, 16, 18, 12, 16, 18};
  return bits[unsigned(swizzle)];
}

Gfx12Block block_of(Gfx12Swizzle swizzle, unsigned element_bytes, unsigned samples) {
  return extent_of(pattern_of(swizzle, element_bytes, samples, block_bits(swizzle)));
}
Gfx12Block small_block_of(Gfx12Swizzle swizzle, unsigned element_bytes, unsigned samples) {
  return extent_of(pattern_of(swizzle, element_bytes, samples, 8));
}

Expected<void> check(const Gfx12Surface& s) {
  if (s.swizzle == Gfx12Swizzle::linear || int(s.swizzle) >= gfx12_swizzle_count)
    return fail("swizzle mode {} has no blocks", int(s.swizzle));
  if (!std::has_single_bit(s.element_bytes) || s.element_bytes > 16)
    return fail("elements of {} bytes in blocks", s.element_bytes);
  if (!std::has_single_bit(s.samples) || s.samples > 8 || (s.samples > 1 && is_3d(s.swizzle)))
    return fail("{} samples in swizzle mode {}", s.samples, int(s.swizzle));
  const Gfx12Block block = block_of(s.swizzle, s.element_bytes, s.samples);
  constexpr unsigned most = 1u << 16;
  if (!s.blocks_in_row || !s.rows || s.blocks_in_row > most || s.rows > most)
    return fail("{} rows of {} blocks", s.rows, s.blocks_in_row);
  if (s.first_x >= block.width || s.first_y >= block.height || s.first_z > most)
    return fail("a level at {}, {}, {} of blocks of {} x {} x {}", s.first_x, s.first_y, s.first_z, block.width, block.height,
                block.depth);
  if (s.start_bits >> block_bits(s.swizzle) || s.start_bits & 255) return fail("a start at {:#x} of a block", s.start_bits);
  return {};
}

uint64_t address(const Gfx12Surface& s, const ElementPlace& place) {
  const unsigned bits = block_bits(s.swizzle), element = log2(s.element_bytes);
  const Pattern pattern = pattern_of(s.swizzle, s.element_bytes, s.samples, bits);
  uint32_t x = s.first_x + place.x, y = s.first_y + place.y, z = s.first_z + place.slice, sample = place.sample;
  if (!is_3d(s.swizzle)) z = 0;
  uint32_t offset = 0;
  for (unsigned n = 0; n < pattern.size(); n++) {
    uint32_t& from = pattern[n] == 'x' ? x : pattern[n] == 'y' ? y : pattern[n] == 'z' ? z : sample;
    offset |= (from & 1) << (element + n);
    from >>= 1;
  }
  // The remaining bits count blocks.
  if (!is_3d(s.swizzle)) z = s.first_z + place.slice;
  return z * s.slice_bytes + ((uint64_t(y) * s.blocks_in_row + x) << bits) + (offset ^ s.start_bits);
}

}  // namespace Atoll::surface
