// Tests of whole blocks by their least and greatest depths (hierarchical_depth.cpp), against the same draws with late tests, which
// look at every pixel.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>

#include "canvas.h"
#include "pipeline/tiles/tile_cache.h"

namespace Atoll::pipeline {
namespace {

constexpr unsigned width = 150, height = 90;

// One way of drawing: its targets, and the blocks that stay between draws.
struct Way {
  Way(unsigned samples, unsigned bits, bool early)
      : canvas(width, height, samples), depth(width, height, bits == 16 ? 2 : 4, samples), stencil(width, height, 1, samples) {
    canvas.draw.depth_stencil.early = early;
    canvas.draw.stays_open = true;
    canvas.pixels.function = flat_colour;
  }
  Canvas canvas;
  MemoryTarget depth, stencil;
  Workers workers{1};
};

struct Random {
  std::mt19937 engine;
  int pick(int n) { return int(engine() % unsigned(n)); }
  float of(std::initializer_list<float> values) { return values.begin()[pick(int(values.size()))]; }
  float real(float from, float to) { return from + (to - from) * float(pick(10001)) / 10000; }
};

void choose_state(Random& random, Draw& draw) {
  DepthStencil& state = draw.depth_stencil;
  bool early = state.early;
  state = {};
  state.early = early, state.count_samples = true;
  state.depth_test = random.pick(8), state.depth_write = random.pick(4);
  state.depth_compare = Compare(random.pick(8));
  state.bounds_test = random.pick(8) == 0, state.bounds_low = 0.25f, state.bounds_high = 0.75f;
  state.stencil_test = random.pick(4) == 0;
  for (StencilFace* face : {&state.front, &state.back}) {
    face->compare = random.pick(2) ? Compare::always : Compare(random.pick(8));
    if (random.pick(2)) face->fail = StencilOp(random.pick(16));
    if (random.pick(2)) face->depth_fail = StencilOp(random.pick(16));
    face->pass = StencilOp(random.pick(16));
    face->reference = uint8_t(random.pick(4)), face->write_mask = random.pick(4) ? 0xff : 0;
  }
  Rasterization& raster = draw.rasterization;
  raster.offset_front = raster.offset_back = random.pick(4) == 0;
  raster.depth_offset_front = {random.of({0, 1, -2}), random.of({0, 4, -4e6f}), 0};
  raster.depth_offset_back = raster.depth_offset_front;
  raster.use_clip_rectangles = random.pick(8) == 0;
  raster.clip_rectangles[0] = {20, 10, 90, 80};
  raster.clip_rectangle_rule = 0xaaaa;
  raster.sample_mask = random.pick(4) ? 0xffff : 0x5;
  for (Viewport& viewport : draw.viewports) {
    viewport.depth_low = 0, viewport.depth_high = 1;
    if (random.pick(4)) continue;
    viewport.depth_low = random.of({-std::numeric_limits<float>::infinity(), -1, 0.25f, NAN});
    viewport.depth_high = random.of({std::numeric_limits<float>::infinity(), 2, 0.5f, NAN});
  }
  draw.assembly.topology = random.pick(3) ? Topology::triangles : random.pick(4) ? Topology::rectangles : Topology::points;
  raster.point_width = raster.point_height = 40;
}

// Primitives of one size and some slope, layer upon layer.
void add_vertices(Random& random, TableVertices& to) {
  to.vertices.clear(), to.attributes.clear();
  const float reach = random.of({4, 30, 200}), slope = random.of({0, 0, 1e-6f, 0.01f, 0.5f});
  for (int n = 0, count = 3 * (1 + random.pick(6)); n < count; n += 3) {
    float x = random.real(-20, width), y = random.real(-20, height), z = random.real(-0.1f, 1.1f);
    if (random.pick(8) == 0) z = random.of({INFINITY, -INFINITY, 3e38f, -3e38f, 0, -0.0f, -0.0f});
    std::vector<float> colour{random.real(0, 1), random.real(0, 1), random.real(0, 1), 1};
    bool aligned = random.pick(2);
    for (int corner = 0; corner < 3; corner++) {
      float dx = aligned ? float(corner == 1) * reach : random.real(-reach, reach);
      float dy = aligned ? float(corner == 2) * reach : random.real(-reach, reach);
      to.add(x + dx, y + dy, z + slope * random.real(-1, 1), 1, colour);
    }
  }
}

uint32_t stored_depth(Random& random, unsigned bits) {
  if (bits != 32) return random.engine() >> (bits == 16 ? 16 : 0);
  return random.pick(20) ? std::bit_cast<uint32_t>(random.real(0, 1)) : random.pick(2) ? random.engine() : 0x80000000;
}

TEST(HierarchicalDepth, TheSameAsTestsOfEveryPixel) {
  Random random{std::mt19937(7)};
  for (int round = 0; round < 200; round++) {
    const unsigned samples = round % 3 ? 1 : 1u << random.pick(4), bits = round % 5 == 0 ? 16 : round % 5 < 3 ? 24 : 32;
    const bool together = bits == 24 && random.pick(2), has_stencil = random.pick(4);
    Way early(samples, bits, true), late(samples, bits, false);
    const bool noise = random.pick(4) == 0;
    const uint32_t cleared = bits == 32 ? std::bit_cast<uint32_t>(1.0f) : (1u << bits) - 1;
    for (size_t n = 0; n < early.depth.texels.size(); n += early.depth.bytes) {
      uint32_t word = noise ? stored_depth(random, bits) : cleared;
      std::memcpy(&early.depth.texels[n], &word, early.depth.bytes);
    }
    late.depth.texels = early.depth.texels;
    for (int number = 0; number < 12; number++) {
      const Random before = random;
      for (Way* way : {&early, &late}) {
        random = before;
        Draw& draw = way->canvas.draw;
        draw.targets.depth = {&way->depth, bits, has_stencil && !together ? &way->stencil : nullptr, has_stencil && together};
        for (unsigned s = 0; s < samples; s++) {
          auto place = [&] { return int8_t(samples == 1 ? 8 : random.pick(16)); };
          draw.rasterization.sample_positions[s] = {place(), place()};
        }
        choose_state(random, draw);
        add_vertices(random, way->canvas.vertices);
        ASSERT_TRUE(way->canvas.run(way->workers));
        if (random.pick(6) == 0 || number == 11) write_back(way->workers);
      }
      ASSERT_EQ(early.canvas.counters.samples_passed, late.canvas.counters.samples_passed) << round << "." << number;
    }
    ASSERT_EQ(early.canvas.colour.texels, late.canvas.colour.texels) << round;
    ASSERT_EQ(early.depth.texels, late.depth.texels) << round;
    ASSERT_EQ(early.stencil.texels, late.stencil.texels) << round;
  }
}

// The bounds that are known of a block after draws: they hold at all times, and are there at all.
TEST(HierarchicalDepth, BoundsHoldAllDepthsOfTheirBlock) {
  Random random{std::mt19937(11)};
  unsigned bounded = 0, tight = 0;
  for (int round = 0; round < 60; round++) {
    const unsigned samples = round % 4 ? 1 : 4, bits = round % 2 ? 32 : 24;
    Way way(samples, bits, true);
    way.depth.fill(bits == 32 ? std::bit_cast<uint32_t>(1.0f) : 0xffffff);
    TileCache cache;
    Draw& draw = way.canvas.draw;
    draw.targets.depth = {&way.depth, bits, nullptr, false};
    for (int number = 0; number < 6; number++) {
      choose_state(random, draw);
      for (Viewport& viewport : draw.viewports) viewport.depth_low = 0, viewport.depth_high = 1;
      draw.depth_stencil.depth_test = true, draw.depth_stencil.stencil_test = false;
      add_vertices(random, way.canvas.vertices);
      draw.vertices.count = uint32_t(way.canvas.vertices.vertices.size());
      ASSERT_TRUE(run(draw, way.workers, cache, way.canvas.counters, way.canvas.stop));
      if (cache.empty()) continue;
      for (int y = 0; y < int(height); y += tile_size)
        for (int x = 0; x < int(width); x += tile_size) {
          DepthBlocks blocks = cache.depth(*cache.open({x, y, 0}, cache.bound()), cache.bound());
          for (unsigned block = 0; block < blocks_in_tile; block++) {
            if (!(blocks.bounded >> block & 1)) continue;
            ASSERT_TRUE(blocks.present >> block & 1);
            const uint32_t* words = &blocks.depths[size_t(block) * samples * pixels_in_block];
            auto value = [&](uint32_t word) { return bits == 32 ? double(std::bit_cast<float>(word)) : double(word); };
            double least = value(uint32_t(blocks.least[block])), most = value(uint32_t(blocks.most[block]));
            double low = value(words[0]), high = low;
            for (size_t n = 0; n < samples * pixels_in_block; n++)
              low = std::min(low, value(words[n])), high = std::max(high, value(words[n]));
            ASSERT_LE(least, low) << round;
            ASSERT_GE(most, high) << round;
            bounded++, tight += least == low && most == high;
          }
        }
    }
    cache.write_back(way.workers);
  }
  EXPECT_GT(bounded, 5000u);
  EXPECT_GT(tight, bounded / 2);
}

}  // namespace
}  // namespace Atoll::pipeline
