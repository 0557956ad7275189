#include "surface/gfx12_mips.h"

#include <algorithm>
#include <bit>

namespace Atoll::surface {

namespace {

constexpr unsigned max_levels = 17;

uint64_t round_up(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }
unsigned blocks(unsigned elements, unsigned block) { return (elements + block - 1) / block; }
// The size of a level: halved and rounded up.
unsigned reduced(unsigned size, unsigned level) { return std::max(1u, (size + (1u << level) - 1) >> level); }

Gfx12Levels linear_levels(const Gfx12Texture& t) {
  // Rows begin at multiples of 128 bytes, but levels are as large as if they did at multiples of 256; the only slice of a texture
  // that is none of several is not, unless its bytes would be no multiple of 256.
  constexpr uint64_t row_multiple = 128, level_multiple = 256;
  Gfx12Levels made;
  made.levels.resize(t.levels);
  uint64_t chain = 0;
  for (unsigned n = t.levels; n-- > 0;) {
    const uint64_t row = uint64_t(reduced(t.width, n)) * t.element_bytes, rows = reduced(t.height, n);
    uint64_t pitch = round_up(row, row_multiple), bytes = round_up(row, level_multiple) * rows;
    if (t.pitch && t.levels == 1) {
      pitch = uint64_t(t.pitch) * t.element_bytes;
      bytes = pitch * rows;
    } else if (n == 0 && !t.volume && t.slices == 1 && pitch * rows % level_multiple == 0) {
      bytes = pitch * rows;
    }
    made.levels[n] = {chain, LinearSurface{pitch, 0}};
    chain += bytes;
  }
  made.slice_bytes = chain;
  for (TextureLevel& level : made.levels) {
    std::get<LinearSurface>(level.place).slice_bytes = chain;
    if (t.volume) level.offset += chain * t.first_slice;
  }
  return made;
}

// The largest level that may stand in a tail: half a block.
Gfx12Block tail_of(Gfx12Swizzle swizzle, Gfx12Block block) {
  const unsigned bits = block_bits(swizzle);
  if (!is_3d(swizzle))
    (bits % 2 ? block.height : block.width) /= 2;
  else
    (bits % 3 == 0 ? block.height : bits % 3 == 1 ? block.width : block.depth) /= 2;
  return block;
}

unsigned most_in_tail(Gfx12Swizzle swizzle) {
  unsigned bits = block_bits(swizzle);
  if (is_3d(swizzle)) bits -= (bits - 8) / 3;
  return bits <= 8 ? 1 : bits <= 11 ? 1 + (1u << (bits - 9)) : bits - 4;
}

// Sets the start of the nth level of a tail. Its offset in units of 256 bytes has bits of the row and of the column in turn.
void place_in_tail(Gfx12Surface& s, unsigned nth) {
  const int from_end = int(most_in_tail(s.swizzle)) - 1 - int(nth);
  const unsigned m = unsigned(std::max(0, from_end)), offset = m > 6 ? 16u << m : m << 8;
  unsigned column = 0, row = 0;
  for (unsigned bit = 0; bit < 6; bit++) {
    row |= (offset >> (8 + 2 * bit) & 1) << bit;
    column |= (offset >> (9 + 2 * bit) & 1) << bit;
  }
  // (addrlib multiplies those of 3D blocks by the size of 4 KiB, which leads out of smaller blocks: docs/errata.md.)
  const Gfx12Block small = small_block_of(s.swizzle, s.element_bytes, s.samples);
  s.first_x = column * small.width;
  s.first_y = row * small.height;
}

}  // namespace

Expected<Gfx12Levels> mip_levels(const Gfx12Texture& t) {
  if (t.levels == 0 || t.levels > max_levels || !t.width || !t.height || !t.slices || t.width > 65536 || t.height > 65536)
    return fail("{} levels of {} x {} elements", t.levels, t.width, t.height);
  if (t.swizzle == Gfx12Swizzle::linear) {
    if (t.samples > 1) return fail("{} samples in rows", t.samples);
    return linear_levels(t);
  }
  Gfx12Surface like;
  like.swizzle = t.swizzle;
  like.element_bytes = t.element_bytes;
  like.samples = t.samples;
  like.start_bits = t.start_bits;
  if (auto checked = check(like); !checked) return std::unexpected(checked.error());
  const uint64_t block_bytes = uint64_t(1) << block_bits(t.swizzle);
  const Gfx12Block block = block_of(t.swizzle, t.element_bytes, t.samples), tail = tail_of(t.swizzle, block);
  const unsigned most = most_in_tail(t.swizzle);
  unsigned first_in_tail = t.levels;
  if (block_bytes > 256)
    for (unsigned n = t.levels; n-- > 0;)
      if (reduced(t.width, n) <= tail.width && reduced(t.height, n) <= tail.height && t.levels - n <= most) first_in_tail = n;

  Gfx12Levels made;
  made.levels.resize(t.levels);
  uint64_t chain = first_in_tail < t.levels ? block_bytes : 0;
  for (unsigned n = t.levels; n-- > 0;) {
    Gfx12Surface s = like;
    s.blocks_in_row = blocks(reduced(t.width, n), block.width);
    s.rows = blocks(reduced(t.height, n), block.height);
    if (t.volume) s.first_z = t.first_slice;
    uint64_t offset = 0;
    if (n >= first_in_tail) {
      if (t.levels > 1) place_in_tail(s, n - first_in_tail);
    } else {
      offset = chain;
      chain += s.blocks_in_row * uint64_t(s.rows) * block_bytes;
    }
    made.levels[n] = {offset, s};
  }
  made.slice_bytes = chain;
  for (TextureLevel& level : made.levels) std::get<Gfx12Surface>(level.place).slice_bytes = chain;
  return made;
}

uint64_t end_of(const TextureLevel& level, unsigned element_bytes, uint64_t columns, uint64_t rows, uint64_t slices) {
  if (const auto* linear = std::get_if<LinearSurface>(&level.place))
    return level.offset + (slices - 1) * linear->slice_bytes + (rows - 1) * linear->pitch_bytes + columns * element_bytes;
  const auto& s = std::get<Gfx12Surface>(level.place);
  const unsigned depth = block_of(s.swizzle, s.element_bytes, s.samples).depth;
  return level.offset + (s.first_z + slices - 1) / depth * s.slice_bytes +
         ((uint64_t(s.rows) * s.blocks_in_row) << block_bits(s.swizzle));
}

}  // namespace Atoll::surface
