// Hierarchical depth: what the depth test says of whole blocks, from the least and greatest depths that a block holds and those
// that the primitive has in it. No family's own: registers and metadata of the chips' (HTILE and the like) play no part.
//
// The range of a primitive's depths in a block is exact: every step from a pixel's place to its depth is monotone, rounding
// included, so that the extremes are what the corner pixels get in the same steps (BlockDepths in depth_stencil.cpp).
#include <bit>

#include "pipeline/tiles/depth_words.h"
#include "pipeline/tiles/tile_work.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

namespace {

constexpr f64x8 block_x = {0, 8, 16, 24, 32, 40, 48, 56};

template <class T>
T lesser(const T& a, const T& b) {
  return a < b ? a : b;
}
template <class T>
T greater(const T& a, const T& b) {
  return a > b ? a : b;
}

struct Decided {
  i32x8 fails, passes;
};
// A test of depths from `low` to `high` where `least` to `most` is stored.
template <class Vector>
Decided decide(Compare with, const Vector& low, const Vector& high, const Vector& least, const Vector& most) {
  const i32x8 none = {}, all = none - 1;
  const i32x8 disjoint = (low > most) | (high < least), same = (low == high) & (least == most) & (low == least);
  switch (with) {
    case Compare::never: return {all, none};
    case Compare::less: return {low >= most, high < least};
    case Compare::equal: return {disjoint, same};
    case Compare::less_equal: return {low > most, high <= least};
    case Compare::greater: return {high <= least, low > most};
    case Compare::not_equal: return {same, disjoint};
    case Compare::greater_equal: return {high < least, low >= most};
    case Compare::always: break;
  }
  return {none, all};
}

// The least and greatest of rows of words, as T compares them; NaN both if any is.
template <class Vector, class T>
void bound(const uint32_t* words, size_t rows, uint32_t bits, int32_t& least, int32_t& most) {
  auto row = [&](size_t n) { return Vector(load<u32x16>(words + 16 * n) & bits); };
  Vector low = row(0), high = low;
  i32x16 unordered = low != low;
  for (size_t n = 1; n < rows; n++) {
    Vector v = row(n);
    low = lesser(low, v), high = greater(high, v);
    unordered |= v != v;
  }
  T from = low[0], to = high[0];
  for (int n = 1; n < 16; n++) from = low[n] < from ? low[n] : from, to = high[n] > to ? high[n] : to;
  least = std::bit_cast<int32_t>(from), most = std::bit_cast<int32_t>(to);
  if (sign_bits(unordered)) least = most = 0x7fc00000;
}

// The primitive's least and greatest depths in eight rectangles of pixels, from the first of the block at `first` to the last of
// that at `last`.
struct Depths {
  f32x8 low, high;
  i64x8 known;
};
Depths depths_of(const DrawConstants& constants, const Primitive& primitive, const f64x8& first_x, const f64x8& last_x,
                 double first_y, double last_y) {
  const Plane& plane = primitive.z;
  // The depth's change from the reference point to the first and last columns, and to the first and last rows.
  const f64x8 left = plane.x * (0.0 + (first_x + constants.least_dx - primitive.x));
  const f64x8 right = plane.x * (7.0 + (last_x + constants.most_dx - primitive.x));
  const double top = plane.y * (0.0 + (first_y + constants.least_dy - primitive.y));
  const double bottom = plane.y * (1.0 + (last_y + constants.most_dy - primitive.y + 6.0));
  const f64x8 low = plane.at + lesser(top, bottom) + lesser(left, right);
  const f64x8 high = plane.at + greater(top, bottom) + greater(left, right);
  auto clamped = [&](const f64x8& exact) {
    f32x8 z = __builtin_convertvector(exact, f32x8);
    z = z > primitive.depth_low ? z : f32x8{} + primitive.depth_low;
    return z < primitive.depth_high ? z : f32x8{} + primitive.depth_high;
  };
  // (Infinite depths are NaN somewhere between.)
  return {clamped(low), clamped(high), (low - low == 0) & (high - high == 0)};
}

// The test of what the primitive has in eight rectangles, by what is stored there.
BlockVerdicts judge(const DrawConstants& constants, const DepthBlocks& blocks, const Depths& depths, const i32x8& least,
                    const i32x8& most) {
  const Compare with = constants.draw->depth_stencil.depth_compare;
  Decided decided;
  BlockVerdicts verdicts;
  if (blocks.bits == 32) {
    decided = decide(with, depths.low, depths.high, f32x8(least), f32x8(most));
    store(verdicts.least, depths.low);
    store(verdicts.most, depths.high);
  } else {
    const i32x8 low = to_words<i32x8, f64x8>(depths.low, blocks.bits), high = to_words<i32x8, f64x8>(depths.high, blocks.bits);
    decided = decide(with, low, high, least, most);
    store(verdicts.least, low);
    store(verdicts.most, high);
  }
  const uint32_t known = sign_bits(depths.known);
  verdicts.fails = uint8_t(sign_bits(decided.fails) & known);
  verdicts.passes = uint8_t(sign_bits(decided.passes) & known);
  return verdicts;
}

void bound(const DepthBlocks& blocks, const void* words, size_t rows, int32_t& least, int32_t& most) {
  if (blocks.bits == 32)
    bound<f32x16, float>(static_cast<const uint32_t*>(words), rows, ~0u, least, most);
  else
    bound<i32x16, int32_t>(static_cast<const uint32_t*>(words), rows, (1u << blocks.bits) - 1, least, most);
}

}  // namespace

bool fails_everywhere(Tile& tile, const Primitive& primitive, uint64_t touched) {
  const DrawConstants& constants = *tile.constants;
  DepthBlocks& blocks = tile.depth;
  if (touched & ~blocks.bounded) return false;
  if (!blocks.tile_bounded) {
    int32_t unused;
    bound(blocks, blocks.least.data(), blocks_in_tile / 16, blocks.tile_least, unused);
    bound(blocks, blocks.most.data(), blocks_in_tile / 16, unused, blocks.tile_most);
    blocks.tile_bounded = true;
  }
  constexpr int last = tile_size - int(block_size);
  const f64x8 x = f64x8{} + double(tile.x);
  const Depths depths = depths_of(constants, primitive, x, x + double(last), tile.y, tile.y + last);
  return judge(constants, blocks, depths, i32x8{} + blocks.tile_least, i32x8{} + blocks.tile_most).fails & 1;
}

BlockVerdicts test_blocks(const Tile& tile, const Primitive& primitive, unsigned row) {
  const DepthBlocks& blocks = tile.depth;
  const f64x8 x = block_x + double(tile.x);
  const double y = double(tile.y + int(row * block_size));
  BlockVerdicts verdicts = judge(*tile.constants, blocks, depths_of(*tile.constants, primitive, x, x, y, y),
                                 load<i32x8>(&blocks.least[row * block_row]), load<i32x8>(&blocks.most[row * block_row]));
  const Compare with = tile.constants->draw->depth_stencil.depth_compare;
  if (with == Compare::never || with == Compare::always) return verdicts;
  const auto bounded = uint8_t(blocks.bounded >> row * block_row);
  verdicts.fails &= bounded, verdicts.passes &= bounded;
  return verdicts;
}

void bound_block(Tile& tile, unsigned block) {
  DepthBlocks& blocks = tile.depth;
  tile.present_depth(block);
  const size_t count = size_t(blocks.samples) * pixels_in_block;
  int32_t least, most;
  bound(blocks, blocks.depths.data() + block * count, count / 16, least, most);
  blocks.set_bound(block, least, most);
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
