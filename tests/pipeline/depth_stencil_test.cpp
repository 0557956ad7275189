// Stencil and depth tests against a reference of one pixel; early and late; what the pixel stage exports.
#include <gtest/gtest.h>

#include <random>

#include "canvas.h"

namespace Atoll::pipeline {
namespace {

bool holds(Compare compare, double a, double b) {
  switch (compare) {
    case Compare::never: return false;
    case Compare::less: return a < b;
    case Compare::equal: return a == b;
    case Compare::less_equal: return a <= b;
    case Compare::greater: return a > b;
    case Compare::not_equal: return a != b;
    case Compare::greater_equal: return a >= b;
    case Compare::always: return true;
  }
  return false;
}

unsigned operated(StencilOp op, unsigned old, unsigned reference, unsigned value) {
  switch (op) {
    case StencilOp::keep: return old;
    case StencilOp::zero: return 0;
    case StencilOp::replace: return reference;
    case StencilOp::increment_clamp: return std::min(255u, old + value);
    case StencilOp::decrement_clamp: return old < value ? 0 : old - value;
    case StencilOp::invert: return ~old & 255;
    case StencilOp::increment_wrap: return (old + value) & 255;
    case StencilOp::decrement_wrap: return (old - value) & 255;
    case StencilOp::ones: return 255;
    case StencilOp::replace_op: return value;
    case StencilOp::and_op: return old & value;
    case StencilOp::or_op: return old | value;
    case StencilOp::xor_op: return old ^ value;
    case StencilOp::nand_op: return ~(old & value) & 255;
    case StencilOp::nor_op: return ~(old | value) & 255;
    case StencilOp::xnor_op: return ~(old ^ value) & 255;
  }
  return 0;
}

TEST(DepthStencil, EveryOperationMatchesTheReference) {
  std::mt19937 random(31);
  for (int round = 0; round < 400; round++) {
    constexpr unsigned size = 40;
    Canvas canvas(size, size);
    auto pick = [&](int n) { return int(random() % unsigned(n)); };
    // The layout of depth and stencil: together, apart, or one alone.
    int layout = round % 5;
    unsigned bits = layout <= 1 ? 24 : layout == 2 ? 32 : layout == 3 ? 16 : 0;
    MemoryTarget depth(size, size, bits == 16 ? 2 : 4), stencil(size, size, 1);
    for (unsigned y = 0; y < size; y++)
      for (unsigned x = 0; x < size; x++) {
        uint32_t word = bits == 32   ? std::bit_cast<uint32_t>(float(pick(5)) / 4)
                        : bits == 24 ? uint32_t(double(pick(5)) / 4 * 0xffffff + 0.5) | random() << 24
                                     : uint32_t(double(pick(5)) / 4 * 0xffff + 0.5);
        std::memcpy(depth.at(x, y), &word, depth.bytes);
        *stencil.at(x, y) = uint8_t(random());
      }
    canvas.draw.targets.depth = {bits ? &depth : nullptr, bits, layout ? &stencil : nullptr, layout == 0};
    auto depth_before = depth, stencil_before = stencil;
    DepthStencil& state = canvas.draw.depth_stencil;
    state.early = round % 3;
    state.depth_test = pick(4), state.depth_write = pick(2), state.stencil_test = pick(5);
    state.depth_compare = Compare(pick(8));
    state.bounds_test = pick(4) == 0, state.bounds_low = 0.25f, state.bounds_high = 0.75f;
    state.count_samples = true;
    for (StencilFace* face : {&state.front, &state.back}) {
      face->compare = Compare(pick(8));
      face->fail = StencilOp(pick(16)), face->depth_fail = StencilOp(pick(16)), face->pass = StencilOp(pick(16));
      face->reference = uint8_t(random()), face->compare_mask = pick(2) ? 0xff : uint8_t(random());
      face->write_mask = pick(2) ? 0xff : uint8_t(random()), face->op_value = pick(2) ? 1 : uint8_t(random());
    }
    bool exports_depth = !state.early && round % 7 == 0, exports_stencil = !state.early && round % 8 == 0,
         kills = !state.early && round % 9 == 0;
    canvas.pixels.function = [&](const PixelBatch& batch, PixelResults& results) {
      for (unsigned lane = 0; lane < 4 * batch.quads; lane++) {
        for (int c = 0; c < 4; c++) results.colour[0][c][lane] = std::bit_cast<uint32_t>(1.0f);
        results.depth[lane] = float(batch.x[lane] % 5) / 4;
        results.stencil[lane] = uint32_t(batch.y[lane] * 7);
        if (kills && (batch.x[lane] + batch.y[lane]) % 3 == 0) results.killed |= uint64_t(1) << lane;
      }
      results.outputs = 1;
      results.has_depth = exports_depth, results.has_stencil = exports_stencil;
    };
    bool front = round % 2;
    canvas.draw.rasterization.front_is_clockwise = front;
    canvas.draw.assembly.topology = Topology::rectangles;
    float z = float(pick(5)) / 4;
    canvas.vertices.add(5, 7, z), canvas.vertices.add(33, 7, z), canvas.vertices.add(5, 31, z);
    ASSERT_TRUE(canvas.run());
    const StencilFace& face = front ? state.front : state.back;
    uint64_t passed = 0;
    for (unsigned y = 0; y < size; y++)
      for (unsigned x = 0; x < size; x++) {
        bool inside = x >= 5 && x < 33 && y >= 7 && y < 31 && !(kills && (x + y) % 3 == 0);
        uint32_t word = depth_before.word(x, y), upper = bits == 24 ? word & 0xff000000 : 0;
        double old_depth = bits == 32   ? double(std::bit_cast<float>(word))
                           : bits == 24 ? (word & 0xffffff) / double(0xffffff)
                                        : word / double(0xffff);
        unsigned old_stencil = layout ? stencil_before.word(x, y) : word >> 24;
        double fresh = exports_depth ? double(x % 5) / 4 : double(z);
        // Quarters are no unorm words: compared as they are rounded.
        auto rounded = [&](double v) {
          return bits == 32
                     ? v
                     : std::floor(v * double(bits == 24 ? 0xffffff : 0xffff) + 0.5) / double(bits == 24 ? 0xffffff : 0xffff);
        };
        bool has_stencil = true;
        bool alive = inside, changed_depth = false;
        unsigned fresh_stencil = old_stencil;
        if (inside && state.bounds_test && bits && !(old_depth >= rounded(0.25) && old_depth <= rounded(0.75))) alive = false;
        if (alive) {
          unsigned reference = exports_stencil ? uint8_t(y * 7) : face.reference;
          bool stencil_good = !state.stencil_test || !has_stencil ||
                              holds(face.compare, reference & face.compare_mask, old_stencil & face.compare_mask);
          bool depth_good = !state.depth_test || !bits || holds(state.depth_compare, rounded(fresh), old_depth);
          if (state.stencil_test) {
            StencilOp op = !stencil_good ? face.fail : !depth_good ? face.depth_fail : face.pass;
            unsigned result = operated(op, old_stencil, reference, face.op_value);
            fresh_stencil = (result & face.write_mask) | (old_stencil & ~unsigned(face.write_mask));
          }
          alive = stencil_good && depth_good;
          changed_depth = alive && state.depth_test && state.depth_write && bits;
        }
        passed += alive;
        ASSERT_EQ(canvas.colour.word(x, y), alive ? 0xffffffffu : 0u) << "round " << round << " at " << x << "," << y;
        uint32_t expected = word;
        if (changed_depth)
          expected = bits == 32 ? std::bit_cast<uint32_t>(float(fresh))
                                : uint32_t(rounded(fresh) * (bits == 24 ? 0xffffff : 0xffff) + 0.5) | upper;
        if (layout == 0) expected = (expected & 0xffffff) | fresh_stencil << 24;
        ASSERT_EQ(depth.word(x, y), expected) << "round " << round << " at " << x << "," << y;
        if (layout) ASSERT_EQ(stencil.word(x, y), fresh_stencil) << "round " << round << " at " << x << "," << y;
      }
    ASSERT_EQ(canvas.counters.samples_passed, passed) << round;
  }
}

// Overlapping transparent triangles with a late test: each pixel sees the primitives in order, several of them in one wave.
TEST(DepthStencil, OrderWithinAWave) {
  for (bool early : {false, true}) {
    Canvas canvas(16, 16);
    MemoryTarget stencil(16, 16, 1);
    canvas.draw.targets.depth = {nullptr, 0, &stencil, false};
    auto& state = canvas.draw.depth_stencil;
    state.early = early;
    state.stencil_test = true;
    state.back.pass = state.front.pass = StencilOp::increment_wrap;
    // Primitive n is drawn where the stencil is n: all of them, if each sees the one before.
    canvas.draw.assembly.topology = Topology::points;
    canvas.pixels.function = flat_colour;
    for (int n = 0; n < 200; n++) canvas.vertices.add(5.5f, 6.5f, 0, 1, {float(n) / 255, 0, 0, 0});
    state.front.compare = Compare::always;
    ASSERT_TRUE(canvas.run());
    EXPECT_EQ(stencil.word(5, 6), 200u);
    EXPECT_EQ(canvas.colour.word(5, 6), 199u);
  }
}

TEST(DepthStencil, ClampAndOffset) {
  Canvas canvas(64, 64);
  canvas.clip_space();
  canvas.draw.clip.cut_near = canvas.draw.clip.cut_far = false;
  for (auto& viewport : canvas.draw.viewports) viewport.depth_low = 0.25f, viewport.depth_high = 0.75f;
  MemoryTarget depth(64, 64, 4);
  canvas.draw.targets.depth = {&depth, 32, nullptr, false};
  auto& state = canvas.draw.depth_stencil;
  state.depth_test = state.depth_write = true, state.depth_compare = Compare::always;
  // Depth from -0.5 on the left to 1.5 on the right: clamped to the viewport's range.
  canvas.vertices.add(-1, -1, -2), canvas.vertices.add(3, -1, 6), canvas.vertices.add(-1, 3, -2);
  ASSERT_TRUE(canvas.run());
  for (unsigned x = 0; x < 64; x++) {
    float expected = std::clamp(-0.5f + 2 * (float(x) + 0.5f) / 64, 0.25f, 0.75f);
    ASSERT_NEAR(std::bit_cast<float>(depth.word(x, 40)), expected, 1e-6) << x;
  }
  // Slope 1/32 a pixel; factor 2 moves it by 2/32, 4 units of 2^-24 by next to nothing; the clamp cuts the sum.
  canvas.draw.rasterization.offset_front = canvas.draw.rasterization.offset_back = true;
  for (float clamp : {0.0f, 0.03f}) {
    canvas.draw.rasterization.depth_offset_front = canvas.draw.rasterization.depth_offset_back = {2, 4, clamp};
    ASSERT_TRUE(canvas.run());
    float expected = -0.5f + 2 * 30.5f / 64 + (clamp ? 0.03f : 0.0625f);
    ASSERT_NEAR(std::bit_cast<float>(depth.word(30, 40)), expected, 2e-6);
  }
}

}  // namespace
}  // namespace Atoll::pipeline
