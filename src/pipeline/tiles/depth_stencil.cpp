// Depth bounds, stencil and depth tests of a row of quads (Vulkan 1.3 27.12 to 27.14; Sea Islands DB_DEPTH_CONTROL,
// DB_STENCIL_CONTROL; R5xx ZB_CNTL, ZB_ZSTENCILCNTL).
#include <algorithm>
#include <bit>

#include "pipeline/tiles/depth_words.h"
#include "pipeline/tiles/tile_work.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

namespace {

u8x16 spread(uint8_t value) { return u8x16{} + value; }

u8x16 apply(StencilOp op, const u8x16& old, const u8x16& reference, const u8x16& value) {
  switch (op) {
    case StencilOp::keep: return old;
    case StencilOp::zero: return u8x16{};
    case StencilOp::replace: return reference;
    case StencilOp::increment_clamp: {
      u8x16 sum = old + value;
      return sum < old ? spread(255) : sum;
    }
    case StencilOp::decrement_clamp: return old < value ? u8x16{} : old - value;
    case StencilOp::invert: return ~old;
    case StencilOp::increment_wrap: return old + value;
    case StencilOp::decrement_wrap: return old - value;
    case StencilOp::ones: return spread(255);
    case StencilOp::replace_op: return value;
    case StencilOp::and_op: return old & value;
    case StencilOp::or_op: return old | value;
    case StencilOp::xor_op: return old ^ value;
    case StencilOp::nand_op: return ~(old & value);
    case StencilOp::nor_op: return ~(old | value);
    case StencilOp::xnor_op: return ~(old ^ value);
  }
  return old;
}

// Depths in the rows of a block.
class BlockDepths {
public:
  BlockDepths(const Tile& tile, const Primitive& primitive, unsigned block, unsigned sample) : plane_(primitive.z) {
    const DrawConstants& constants = *tile.constants;
    double x = double(tile.x + int(block % block_row) * int(block_size)) + constants.depth_dx[sample] - primitive.x;
    y_ = double(tile.y + int(block / block_row) * int(block_size)) + constants.depth_dy[sample] - primitive.y;
    along_ = plane_.x * (lane_dx + x);
    low_ = f32x16{} + primitive.depth_low;
    high_ = f32x16{} + primitive.depth_high;
  }
  f32x16 row(unsigned n) const {
    f64x16 exact = plane_.at + plane_.y * (lane_dy + (y_ + double(n * 2))) + along_;
    f32x16 z = __builtin_convertvector(exact, f32x16);
    z = z > low_ ? z : low_;
    return z < high_ ? z : high_;
  }

private:
  const Plane& plane_;
  double y_;
  f64x16 along_;
  f32x16 low_, high_;
};

void written(DepthBlocks& blocks, unsigned block) {
  blocks.depth_dirty |= uint64_t(1) << block;
  blocks.bounded &= ~(uint64_t(1) << block);
}

// Depth alone, of pixels of one quad.
template <bool is_float>
uint64_t test_quad(Tile& tile, const Primitive& primitive, unsigned block, unsigned sample, unsigned quad, uint32_t lanes) {
  const DrawConstants& constants = *tile.constants;
  const DepthStencil& state = constants.draw->depth_stencil;
  DepthBlocks& blocks = tile.depth;
  uint32_t* depths = blocks.depths.data() + (size_t(block) * blocks.samples + sample) * pixels_in_block + quad * 4;
  const double x = double(tile.x + int(block % block_row) * int(block_size)) + constants.depth_dx[sample] - primitive.x;
  const double y = double(tile.y + int(block / block_row) * int(block_size)) + constants.depth_dy[sample] - primitive.y;
  const Plane& plane = primitive.z;
  // (BlockDepths' steps)
  const unsigned column = quad % 4, row = quad / 4;
  const f64x4 dx = f64x4{0, 1, 0, 1} + double(column * 2), dy = {0, 0, 1, 1};
  const f64x4 exact = plane.at + plane.y * (dy + (y + double(row * 2))) + plane.x * (dx + x);
  f32x4 z = __builtin_convertvector(exact, f32x4);
  z = z > primitive.depth_low ? z : f32x4{} + primitive.depth_low;
  z = z < primitive.depth_high ? z : f32x4{} + primitive.depth_high;
  const int32_t upper_bytes = blocks.bits == 24 ? int32_t(0xff000000u) : 0;
  const i32x4 old = load<i32x4>(depths);
  i32x4 words, passed;
  if constexpr (is_float) {
    words = i32x4(z);
    passed = compare(state.depth_compare, z, f32x4(old));
  } else {
    words = to_words<i32x4, f64x4>(z, blocks.bits, constants.draw->targets.depth.code);
    passed = compare(state.depth_compare, signed_words(words, blocks.bits, state.depth_sign),
                     signed_words(i32x4(old & ~upper_bytes), blocks.bits, state.depth_sign));
  }
  passed &= i32x4((u32x4{1, 2, 4, 8} & lanes) != 0);
  const uint32_t good = sign_bits(passed);
  if (state.depth_write && good) {
    store(depths, i32x4(((words | (old & upper_bytes)) & passed) | (old & ~passed)));
    written(blocks, block);
  }
  return uint64_t(good) << 4 * quad;
}

// Depth alone.
template <bool is_float>
uint64_t test_depths(Tile& tile, const Primitive& primitive, unsigned block, unsigned sample, uint64_t pixels) {
  const unsigned first_quad = unsigned(std::countr_zero(pixels)) / 4;
  if (const uint64_t lanes = pixels >> 4 * first_quad; lanes < 16)
    return test_quad<is_float>(tile, primitive, block, sample, first_quad, uint32_t(lanes));
  const DepthStencil& state = tile.constants->draw->depth_stencil;
  DepthBlocks& blocks = tile.depth;
  uint32_t* depths = blocks.depths.data() + (size_t(block) * blocks.samples + sample) * pixels_in_block;
  BlockDepths of(tile, primitive, block, sample);
  Compare with = state.depth_compare;
  bool write = state.depth_write;
  int32_t upper_bytes = blocks.bits == 24 ? int32_t(0xff000000u) : 0;
  uint64_t all = 0;
  for (unsigned n = 0; n < 4; n++) {
    uint32_t row = uint32_t(pixels >> 16 * n & 0xffff);
    if (!row) continue;
    f32x16 z = of.row(n);
    i32x16 old = load<i32x16>(depths + 16 * n), words, passed;
    if constexpr (is_float) {
      words = i32x16(z);
      passed = compare(with, z, f32x16(old));
    } else {
      words = to_words(z, blocks.bits, tile.constants->draw->targets.depth.code);
      passed = compare(with, signed_words(words, blocks.bits, state.depth_sign),
                       signed_words(i32x16(old & ~upper_bytes), blocks.bits, state.depth_sign));
    }
    row &= sign_bits(passed);
    all |= uint64_t(row) << 16 * n;
    if (write && row) {
      i32x16 lanes = mask_of(row);
      store(depths + 16 * n, i32x16(((words | (old & upper_bytes)) & lanes) | (old & ~lanes)));
    }
  }
  if (write && all) written(blocks, block);
  return all;
}

bool keeps_stencils(const StencilFace& face) {
  constexpr StencilOp keep = StencilOp::keep;
  return !face.write_mask || (face.fail == keep && face.depth_fail == keep && face.pass == keep);
}
// Pixels of a block that pass the stencil test.
uint64_t test_stencils(const StencilFace& face, const uint8_t* stencils, uint64_t pixels) {
  const u8x16 mask = spread(face.compare_mask), reference = spread(face.reference) & mask;
  uint64_t passed = 0;
  for (unsigned n = 0; n < 4; n++) {
    const u8x16 old = load<u8x16>(stencils + 16 * n);
    passed |= uint64_t(sign_bits(i8x16(compare(face.compare, reference, u8x16(old & mask))))) << 16 * n;
  }
  return passed & pixels;
}

}  // namespace

f32x16 depth_of_row(const Tile& tile, const Primitive& primitive, unsigned block, unsigned row, unsigned sample) {
  return BlockDepths(tile, primitive, block, sample).row(row);
}

void put_block(Tile& tile, const Primitive& primitive, unsigned block, unsigned sample, uint64_t pixels, int32_t all) {
  DepthBlocks& blocks = tile.depth;
  tile.present_depth(block);
  uint32_t* depths = blocks.depths.data() + (size_t(block) * blocks.samples + sample) * pixels_in_block;
  // (Words of 24 bits have nothing above them where stencil is taken from there.)
  const int32_t upper_bytes = blocks.bits == 24 && !blocks.stencil_in_upper_byte ? int32_t(0xff000000u) : 0;
  auto put = [&](unsigned n, uint32_t row, i32x16 words) {
    if (row != 0xffff || upper_bytes) {
      const i32x16 old = load<i32x16>(depths + 16 * n), lanes = mask_of(row);
      words = ((words | (old & upper_bytes)) & lanes) | (old & ~lanes);
    }
    store(depths + 16 * n, words);
  };
  if (all >= 0 && pixels == ~uint64_t(0) && !upper_bytes) {
    for (unsigned n = 0; n < 4; n++) store(depths + 16 * n, i32x16{} + all);
  } else if (all >= 0) {
    for (unsigned n = 0; n < 4; n++) put(n, uint32_t(pixels >> 16 * n & 0xffff), i32x16{} + all);
  } else {
    BlockDepths of(tile, primitive, block, sample);
    for (unsigned n = 0; n < 4; n++) {
      f32x16 z = of.row(n);
      put(n, uint32_t(pixels >> 16 * n & 0xffff), blocks.bits == 32 ? i32x16(z) : to_words(z, blocks.bits));
    }
  }
  written(blocks, block);
}

uint64_t test_block(Tile& tile, const Primitive& primitive, unsigned block, unsigned sample, uint64_t pixels) {
  const DepthStencil& state = tile.constants->draw->depth_stencil;
  DepthBlocks& blocks = tile.depth;
  tile.present_depth(block);
  // A test of stencils that stay as they are comes before that of depths.
  const bool by_stencil = state.stencil_test && (blocks.stencil || blocks.stencil_in_upper_byte);
  const StencilFace& face = primitive.attributes.front ? state.front : state.back;
  if (!state.bounds_test && !tile.counts_fails && !(by_stencil && !keeps_stencils(face))) {
    if (by_stencil) {
      tile.present_stencil(block);
      pixels = test_stencils(face, blocks.stencils.data() + (size_t(block) * blocks.samples + sample) * pixels_in_block, pixels);
    }
    if (!pixels || !state.depth_test || !blocks.depth) return pixels;
    return blocks.bits == 32 ? test_depths<true>(tile, primitive, block, sample, pixels)
                             : test_depths<false>(tile, primitive, block, sample, pixels);
  }
  BlockDepths of(tile, primitive, block, sample);
  uint64_t passed = 0;
  for (unsigned n = 0; n < 4; n++) {
    uint32_t row = uint32_t(pixels >> 16 * n & 0xffff);
    if (row) passed |= uint64_t(test_row(tile, primitive, block, n, sample, row, of.row(n), nullptr, nullptr)) << 16 * n;
  }
  return passed;
}

uint32_t test_row(Tile& tile, const Primitive& primitive, unsigned block, unsigned row, unsigned sample, uint32_t pixels,
                  const f32x16& z, const uint8_t* references, const uint8_t* op_values) {
  const DepthStencil& state = tile.constants->draw->depth_stencil;
  tile.present_depth(block);
  DepthBlocks& blocks = tile.depth;
  size_t at = (size_t(block) * blocks.samples + sample) * pixels_in_block + row * 16;
  uint32_t* depths = blocks.depths.data() + at;
  bool has_stencil = blocks.stencil || blocks.stencil_in_upper_byte;
  bool is_float = blocks.bits == 32;
  bool depth_test = state.depth_test && blocks.depth;

  i32x16 old_words = {}, words = {};
  uint32_t upper_bytes = blocks.bits == 24 ? 0xff000000u : 0;
  if (blocks.depth) {
    old_words = load<i32x16>(depths);
    if (state.bounds_test) {
      f32x16 low = f32x16{} + state.bounds_low, high = f32x16{} + state.bounds_high;
      i32x16 within;
      if (is_float) {
        f32x16 old = f32x16(old_words);
        within = (old >= low) & (old <= high);
      } else {
        i32x16 old = old_words & int32_t(~upper_bytes);
        within = (old >= to_words(low, blocks.bits)) & (old <= to_words(high, blocks.bits));
      }
      const uint32_t outside = pixels & ~sign_bits(within);
      if (tile.counts_fails && state.count_bounds_fails) tile.samples_passed += unsigned(std::popcount(outside));
      pixels &= ~outside;
      if (!pixels) return 0;
    }
  }
  // With no depth buffer, or no test, the depth test is passed and nothing is written.
  uint32_t depth_passed = pixels;
  if (depth_test) {
    i32x16 passed;
    if (is_float) {
      words = i32x16(z);
      passed = compare(state.depth_compare, z, f32x16(old_words));
    } else {
      words = to_words(z, blocks.bits, tile.constants->draw->targets.depth.code);
      passed = compare(state.depth_compare, signed_words(words, blocks.bits, state.depth_sign),
                       signed_words(i32x16(old_words & int32_t(~upper_bytes)), blocks.bits, state.depth_sign));
    }
    depth_passed &= sign_bits(passed);
  }
  uint32_t passed = depth_passed, stencil_passed = pixels;
  if (state.stencil_test && has_stencil) {
    const StencilFace& face = primitive.attributes.front ? state.front : state.back;
    tile.present_stencil(block);
    uint8_t* stencils = blocks.stencils.data() + at;
    u8x16 old = load<u8x16>(stencils);
    u8x16 reference = references ? load<u8x16>(references) : spread(face.reference);
    u8x16 mask = spread(face.compare_mask);
    const u8x16 value = op_values ? load<u8x16>(op_values) : spread(face.op_value);
    stencil_passed &= sign_bits(i8x16(compare(face.compare, u8x16(reference & mask), u8x16(old & mask))));
    passed &= stencil_passed;
    u8x16 fresh = old;
    auto write = [&](uint32_t which, StencilOp op) {
      if (!which || op == StencilOp::keep) return;
      u8x16 lanes = byte_mask_of(which);
      fresh = (apply(op, old, reference, value) & lanes) | (fresh & ~lanes);
    };
    write(pixels & ~stencil_passed, face.fail);
    write(stencil_passed & ~depth_passed, face.depth_fail);
    write(passed, face.pass);
    u8x16 writable = spread(face.write_mask);
    fresh = (fresh & writable) | (old & ~writable);
    if (sign_bits(i8x16(fresh != old))) {
      store(stencils, fresh);
      blocks.stencil_dirty |= uint64_t(1) << block;
    }
  }
  if (tile.counts_fails) {
    if (state.count_stencil_fails) tile.samples_passed += unsigned(std::popcount(pixels & ~stencil_passed));
    if (state.count_depth_fails) tile.samples_passed += unsigned(std::popcount(stencil_passed & ~depth_passed));
  }
  if (depth_test && state.depth_write && passed) {
    i32x16 lanes = mask_of(passed);
    i32x16 fresh = words | (old_words & int32_t(upper_bytes));
    store(depths, i32x16((fresh & lanes) | (old_words & ~lanes)));
    written(blocks, block);
  }
  return passed;
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
