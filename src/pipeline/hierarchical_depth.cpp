// Hierarchical depth: what the depth test says of whole blocks, from the least and greatest depths that a block holds and those
// that the primitive has in it. No family's own: registers and metadata of the chips' (HTILE and the like) play no part.
//
// The range of a primitive's depths in a block is exact: every step from a pixel's place to its depth is monotone, rounding
// included, so that the extremes are what the corner pixels get in the same steps (BlockDepths in depth_stencil.cpp).
#include <bit>

#include "pipeline/depth_words.h"
#include "pipeline/tile_work.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

namespace {

constexpr f64x8 block_x = {0, 8, 16, 24, 32, 40, 48, 56};

template <class Vector>
Vector lesser(const Vector& a, const Vector& b) {
  return a < b ? a : b;
}
template <class Vector>
Vector greater(const Vector& a, const Vector& b) {
  return a > b ? a : b;
}

struct Decided {
  i32x8 fails, passes;
};
// A test of depths from `low` to `high` where `least` to `most` is stored.
template <class Vector>
Decided decide(Compare with, const Vector& low, const Vector& high, const Vector& least, const Vector& most) {
  const i32x8 none = {}, all = none - 1;
  const i32x8 apart = (low > most) | (high < least), same = (low == high) & (least == most) & (low == least);
  switch (with) {
    case Compare::never: return {all, none};
    case Compare::less: return {low >= most, high < least};
    case Compare::equal: return {apart, same};
    case Compare::less_equal: return {low > most, high <= least};
    case Compare::greater: return {high <= least, low > most};
    case Compare::not_equal: return {same, apart};
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

}  // namespace

BlockVerdicts test_blocks(const Tile& tile, const Primitive& primitive, unsigned row) {
  const DrawConstants& constants = *tile.constants;
  const DepthBlocks& blocks = tile.depth;
  const Plane& plane = primitive.z;
  const Compare with = constants.draw->depth_stencil.depth_compare;
  // The terms of depth that first and last columns add, and first and last rows.
  const f64x8 left = plane.x * (0.0 + (block_x + double(tile.x) + constants.least_dx - primitive.x));
  const f64x8 right = plane.x * (7.0 + (block_x + double(tile.x) + constants.most_dx - primitive.x));
  const double y = double(tile.y + int(row * block_size));
  const double top = plane.y * (0.0 + (y + constants.least_dy - primitive.y));
  const double bottom = plane.y * (1.0 + (y + constants.most_dy - primitive.y + 6.0));
  const f64x8 exact_low = plane.at + lesser(top, bottom) + lesser(left, right);
  const f64x8 exact_high = plane.at + greater(top, bottom) + greater(left, right);
  // (Infinite depths are NaN somewhere between.)
  const i64x8 finite = (exact_low - exact_low == 0) & (exact_high - exact_high == 0);
  auto clamped = [&](const f64x8& exact) {
    f32x8 z = __builtin_convertvector(exact, f32x8);
    z = z > primitive.depth_low ? z : f32x8{} + primitive.depth_low;
    return z < primitive.depth_high ? z : f32x8{} + primitive.depth_high;
  };
  const f32x8 low = clamped(exact_low), high = clamped(exact_high);
  const i32x8 least = load<i32x8>(&blocks.least[row * block_row]), most = load<i32x8>(&blocks.most[row * block_row]);
  Decided decided;
  BlockVerdicts verdicts;
  if (blocks.bits == 32) {
    decided = decide(with, low, high, f32x8(least), f32x8(most));
    store(verdicts.least, low);
    store(verdicts.most, high);
  } else {
    const i32x8 low_words = to_words<i32x8, f64x8>(low, blocks.bits), high_words = to_words<i32x8, f64x8>(high, blocks.bits);
    decided = decide(with, low_words, high_words, least, most);
    store(verdicts.least, low_words);
    store(verdicts.most, high_words);
  }
  uint32_t known = sign_bits(finite);
  if (with != Compare::never && with != Compare::always) known &= uint32_t(blocks.bounded >> row * block_row);
  verdicts.fails = uint8_t(sign_bits(decided.fails) & known);
  verdicts.passes = uint8_t(sign_bits(decided.passes) & known);
  return verdicts;
}

void bound_block(Tile& tile, unsigned block) {
  DepthBlocks& blocks = tile.depth;
  tile.present_depth(block);
  const size_t count = size_t(blocks.samples) * pixels_in_block;
  const uint32_t* words = blocks.depths.data() + block * count;
  if (blocks.bits == 32)
    bound<f32x16, float>(words, count / 16, ~0u, blocks.least[block], blocks.most[block]);
  else
    bound<i32x16, int32_t>(words, count / 16, (1u << blocks.bits) - 1, blocks.least[block], blocks.most[block]);
  blocks.bounded |= uint64_t(1) << block;
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
