// Several samples a pixel: depth, blending and coverage by sample, sample shading, centroid, alpha to coverage.
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <random>

#include "canvas.h"

namespace Atoll::pipeline {
namespace {

TEST(Samples, SampleShadingAndDepth) {
  for (bool early : {true, false})
    for (unsigned samples : {2u, 4u, 8u}) {
      Canvas canvas(50, 50, samples);
      canvas.draw.rasterization.sample_positions = standard_positions;
      canvas.draw.rasterization.sample_shading = true;
      canvas.pixels.sets = 0x3f;
      MemoryTarget depth(50, 50, 4, samples);
      canvas.draw.targets.depth = {&depth, 32, nullptr, false};
      auto& state = canvas.draw.depth_stencil;
      state.depth_test = state.depth_write = true, state.depth_compare = Compare::always, state.early = early;
      state.count_samples = true;
      unsigned runs = 0;
      canvas.pixels.function = [&](const PixelBatch& batch, PixelResults& results) {
        for (unsigned lane = 0; lane < 4 * batch.quads; lane++) {
          results.colour[0][0][lane] = std::bit_cast<uint32_t>(interpolated(batch, lane, 0, PERSPECTIVE_SAMPLE));
          results.colour[0][1][lane] = std::bit_cast<uint32_t>(interpolated(batch, lane, 1, PERSPECTIVE_SAMPLE));
          results.colour[0][2][lane] = std::bit_cast<uint32_t>(float(batch.sample) / 255);
          results.colour[0][3][lane] = std::bit_cast<uint32_t>(1.0f);
          if (batch.covered >> lane & 1) runs++;
        }
        results.outputs = 1;
      };
      // Colour and depth grow with x and y: 4/255 a pixel.
      auto corner = [&](float x, float y) { canvas.vertices.add(x, y, (x + y) / 128, 1, {x * 4 / 255, y * 4 / 255, 0, 1}); };
      corner(3.3f, 4.7f), corner(46.2f, 9.1f), corner(12.8f, 44.4f);
      ASSERT_TRUE(canvas.run());
      uint64_t covered = 0;
      for (unsigned y = 0; y < 50; y++)
        for (unsigned x = 0; x < 50; x++)
          for (unsigned s = 0; s < samples; s++) {
            if (!canvas.colour.word(x, y, s)) continue;
            covered++;
            double sx = x + standard_positions[s].x / 16.0, sy = y + standard_positions[s].y / 16.0;
            ASSERT_NEAR(canvas.colour.at(x, y, s)[0], sx * 4, 0.51 + 0.05);
            ASSERT_NEAR(canvas.colour.at(x, y, s)[1], sy * 4, 0.51 + 0.05);
            ASSERT_EQ(canvas.colour.at(x, y, s)[2], s);
            ASSERT_NEAR(std::bit_cast<float>(depth.word(x, y, s)), (sx + sy) / 128, 1e-4);
          }
      EXPECT_GT(covered, 700u * samples);
      EXPECT_EQ(covered, runs);
      EXPECT_EQ(covered, canvas.counters.samples_passed);
    }
}

// The centroid lies inside of the primitive where the centre does not: values stay within those of the corners.
TEST(Samples, CentroidStaysInside) {
  Canvas canvas(60, 60, 4);
  canvas.draw.rasterization.sample_positions = standard_positions;
  canvas.pixels.sets = 1 << PERSPECTIVE_CENTROID | 1 << PERSPECTIVE_CENTRE;
  unsigned outside = 0, whole = 0;
  canvas.pixels.function = [&](const PixelBatch& batch, PixelResults&) {
    for (unsigned lane = 0; lane < 4 * batch.quads; lane++) {
      if (!(batch.covered >> lane & 1)) continue;
      for (int k = 0; k < 2; k++) {
        float v = batch.barycentric[PERSPECTIVE_CENTROID][k][lane];
        EXPECT_GE(v, -0.001f);
        EXPECT_LE(v, 1.001f);
        outside += batch.barycentric[PERSPECTIVE_CENTRE][k][lane] < 0;
        if (batch.coverage[lane] == 0xf) {
          whole++;
          EXPECT_EQ(v, batch.barycentric[PERSPECTIVE_CENTRE][k][lane]);
        }
      }
    }
  };
  canvas.vertices.add(5.2f, 3.1f), canvas.vertices.add(55.7f, 21.3f), canvas.vertices.add(14.4f, 58.8f);
  ASSERT_TRUE(canvas.run());
  EXPECT_GT(outside, 10u);
  EXPECT_GT(whole, 100u);
}

TEST(Samples, AlphaAndStageCoverage) {
  for (unsigned samples : {4u, 8u}) {
    for (int way = 0; way < 3; way++) {  // the colour's alpha, the stage's coverage, an alpha beside the colour's
      Canvas canvas(32, 32, samples);
      canvas.draw.rasterization.sample_positions = standard_positions;
      canvas.draw.colour.alpha_to_coverage = way != 1;
      canvas.draw.colour.alpha_to_one = way != 2;
      canvas.pixels.function = [&](const PixelBatch& batch, PixelResults& results) {
        for (unsigned lane = 0; lane < 4 * batch.quads; lane++) {
          for (int c = 0; c < 3; c++) results.colour[0][c][lane] = std::bit_cast<uint32_t>(1.0f);
          results.alpha[lane] = float(batch.x[lane]) / 31;
          results.colour[0][3][lane] = std::bit_cast<uint32_t>(way == 2 ? 1.0f : results.alpha[lane]);
          results.coverage[lane] = uint32_t(batch.y[lane]);
        }
        results.outputs = 1;
        results.has_coverage = way == 1, results.has_alpha = way == 2;
      };
      canvas.draw.assembly.topology = Topology::rectangles;
      canvas.vertices.add(0, 0), canvas.vertices.add(32, 0), canvas.vertices.add(0, 32);
      ASSERT_TRUE(canvas.run());
      for (unsigned y = 0; y < 32; y++)
        for (unsigned x = 0; x < 32; x++) {
          unsigned count = 0;
          for (unsigned s = 0; s < samples; s++) {
            uint32_t word = canvas.colour.word(x, y, s);
            ASSERT_TRUE(word == 0 || word == 0xffffffff);
            count += word != 0;
            if (way == 1) ASSERT_EQ(word != 0, (y >> s & 1) != 0);
          }
          if (way != 1) ASSERT_EQ(count, unsigned(float(x) / 31 * float(samples) + 0.5f)) << x;
        }
    }
  }
}

// For a share of whole samples, neighbours take different ones if they round differently, and the same if all round alike.
TEST(Samples, AlphaIsDithered) {
  for (bool dithers : {false, true}) {
    Canvas canvas(16, 16, 2);
    canvas.draw.rasterization.sample_positions = standard_positions;
    canvas.draw.colour.alpha_to_coverage = canvas.draw.colour.alpha_to_one = true;
    if (dithers) canvas.draw.colour.alpha_rounding = {7, 3, 1, 5};
    canvas.pixels.function = [&](const PixelBatch& batch, PixelResults& results) {
      for (unsigned lane = 0; lane < 4 * batch.quads; lane++) {
        for (int c = 0; c < 3; c++) results.colour[0][c][lane] = std::bit_cast<uint32_t>(1.0f);
        results.colour[0][3][lane] = std::bit_cast<uint32_t>(0.5f);
      }
      results.outputs = 1;
    };
    canvas.draw.assembly.topology = Topology::rectangles;
    canvas.vertices.add(0, 0), canvas.vertices.add(16, 0), canvas.vertices.add(0, 16);
    ASSERT_TRUE(canvas.run());
    for (unsigned y = 0; y < 16; y++)
      for (unsigned x = 0; x < 16; x++) {
        ASSERT_NE(canvas.colour.word(x, y, 0), canvas.colour.word(x, y, 1)) << x << ", " << y;
        bool differs = canvas.colour.word(x, y, 0) != canvas.colour.word(x ^ 1, y, 0);
        ASSERT_EQ(differs, dithers) << x << ", " << y;
      }
  }
}

// Targets of several samples that are drawn to with one: all samples of a pixel take part, at its centre.
// Early tests leave some samples: a stage may ask for the primitive's own, in the upper half of its coverage; those that failed are not
// written, and pixels that failed altogether are not shaded.
TEST(Samples, CoverageBeforeTests) {
  struct Pixels : FunctionPixels {
    using FunctionPixels::FunctionPixels;
    bool wants_coverage_before_tests() const override { return asks; }
    bool asks = false;
  };
  for (const bool asks : {false, true})
    for (const unsigned samples : {2u, 4u, 16u}) {
      const uint32_t all = (1u << samples) - 1;
      Canvas canvas(64, 64, samples);
      canvas.draw.rasterization.sample_positions = standard_positions;
      MemoryTarget depth(64, 64, 4, samples);
      auto left_at = [&](unsigned x, unsigned y) { return (x * 7 + y * 13) & all; };
      for (unsigned y = 0; y < 64; y++)
        for (unsigned x = 0; x < 64; x++)
          for (unsigned s = 0; s < samples; s++) {
            const float there = left_at(x, y) >> s & 1 ? 1 : 0;
            std::memcpy(depth.at(x, y, s), &there, 4);
          }
      canvas.draw.targets.depth = {&depth, 32, nullptr, false};
      auto& state = canvas.draw.depth_stencil;
      state.depth_test = true, state.depth_compare = Compare::less, state.early = true;
      std::vector<uint32_t> seen(64 * 64);
      Pixels pixels([&](const PixelBatch& batch, PixelResults& results) {
        for (uint64_t rest = batch.covered; rest; rest &= rest - 1) {
          const auto lane = unsigned(std::countr_zero(rest));
          seen[size_t(batch.y[lane]) * 64 + size_t(batch.x[lane])] = batch.coverage[lane];
        }
        flat_colour(batch, results);
      });
      pixels.asks = asks;
      canvas.draw.pixel_stage = &pixels;
      for (auto [x, y] : {std::pair{0.0f, 0.0f}, std::pair{128.0f, 0.0f}, std::pair{0.0f, 128.0f}})
        canvas.vertices.add(x, y, 0.5f, 1, {1, 1, 1, 1});
      ASSERT_TRUE(canvas.run());
      unsigned partly = 0;
      for (unsigned y = 0; y < 63; y++)
        for (unsigned x = 0; x < 63; x++) {
          const uint32_t left = left_at(x, y), upper = asks && left ? all << 16 : 0;
          ASSERT_EQ(seen[y * 64 + x], left | upper) << x << ", " << y << " of " << samples;
          partly += left && left != all;
          for (unsigned s = 0; s < samples; s++) ASSERT_EQ(canvas.colour.word(x, y, s) != 0, (left >> s & 1) != 0);
        }
      EXPECT_GT(partly, 1000u);
    }
}

TEST(Samples, OneSampleIntoMany) {
  Canvas one(60, 60), many(60, 60, 4);
  many.draw.rasterization.samples = 1;
  MemoryTarget depth(60, 60, 4, 4);
  many.draw.targets.depth = {&depth, 24, nullptr, false};
  many.draw.depth_stencil.depth_test = many.draw.depth_stencil.depth_write = true;
  many.draw.depth_stencil.early = false;
  for (Canvas* canvas : {&one, &many}) {
    auto& v = canvas->vertices;
    v.add(5.2f, 3.1f, 0.5f, 1, {0.1f, 0.5f, 1, 1}), v.add(55.7f, 21.3f, 0.5f, 1, {1, 0.5f, 1, 1}),
        v.add(14.4f, 58.8f, 0.5f, 1, {0.3f, 0.1f, 1, 1});
    ASSERT_TRUE(canvas->run());
  }
  EXPECT_EQ(one.counters.pixel_invocations, many.counters.pixel_invocations);
  for (unsigned y = 0; y < 60; y++)
    for (unsigned x = 0; x < 60; x++)
      for (unsigned s = 0; s < 4; s++) {
        ASSERT_EQ(many.colour.word(x, y, s), one.colour.word(x, y));
        ASSERT_EQ(depth.word(x, y, s), one.colour.word(x, y) ? 0x800000u : 0u);
      }
}

// A layer beyond the last is the first; one that 11 bits do not hold is none.
TEST(Samples, LayersBeyondTheLast) {
  for (const auto& [layer, drawn] : std::map<uint32_t, bool>{{0, true}, {3, true}, {2047, true}, {2048, false}, {~0u, false}}) {
    Canvas canvas(8, 8);
    canvas.draw.targets.layers = 2;
    canvas.draw.assembly.topology = Topology::points;
    canvas.vertices.add(3.5f, 3.5f, 0, 1, {1, 1, 1, 1});
    canvas.vertices.vertices.back().layer = layer;
    ASSERT_TRUE(canvas.run());
    EXPECT_EQ(canvas.colour.word(3, 3) != 0, drawn) << layer;
    EXPECT_EQ(canvas.counters.pixel_invocations, drawn ? 1u : 0u) << layer;
  }
}

// More tiles of layers than are counted one by one.
TEST(Samples, VeryManyLayers) {
  constexpr unsigned size = 4096, layers = 2000;
  using Place = std::array<unsigned, 3>;
  struct Sink : Target {
    std::mutex mutex;
    std::map<Place, std::vector<uint8_t>> stored;
    void load(unsigned, unsigned, unsigned, uint8_t* texels) override { std::memset(texels, 0, 256); }
    void store(unsigned x, unsigned y, unsigned layer, const uint8_t* texels) override {
      std::lock_guard lock(mutex);
      stored[{layer, y, x}].assign(texels, texels + 256);
    }
  } sink;
  Canvas canvas(8, 8);
  canvas.draw.targets.width = canvas.draw.targets.height = size;
  canvas.draw.targets.layers = layers;
  canvas.draw.targets.colour[0].target = &sink;
  canvas.draw.assembly.topology = Topology::points;
  std::map<Place, std::vector<uint8_t>> expected;
  for (unsigned n = 0; n < 6000; n++) {
    // Everything twice: the second is seen.
    unsigned place = n % 3000, x = place * 31 % size, y = place * 57 % size, layer = place * 7 % layers, red = n % 251;
    canvas.vertices.add(float(x) + 0.5f, float(y) + 0.5f, 0, 1, {float(red) / 255, 0, 0, 0});
    canvas.vertices.vertices.back().layer = layer;
    auto& block = expected[{layer, y / 8, x / 8}];
    block.resize(256);
    block[number_in_block(x % 8, y % 8) * 4] = uint8_t(red);
  }
  Workers workers(2);
  ASSERT_TRUE(canvas.run(workers));
  EXPECT_TRUE(sink.stored == expected);
}

TEST(Samples, LayersAndViewports) {
  Canvas canvas(40, 40);
  MemoryTarget layers(40, 40, 4, 1, 3);
  canvas.draw.targets.colour[0].target = &layers;
  canvas.draw.targets.layers = 3;
  canvas.clip_space();
  canvas.draw.viewports[2].scale = {10, 10, 1}, canvas.draw.viewports[2].offset = {10, 10, 0};
  for (uint32_t layer : {2u, 0u, 7u})
    for (auto [x, y] : {std::pair{-1.f, -1.f}, {3.f, -1.f}, {-1.f, 3.f}}) {
      canvas.vertices.add(x, y, 0, 1, {1, 1, 1, 1});
      canvas.vertices.vertices.back().layer = layer;
      canvas.vertices.vertices.back().viewport = layer == 2 ? 2 : 0;
    }
  canvas.draw.clip.guard_band_x = canvas.draw.clip.guard_band_y = 1;
  ASSERT_TRUE(canvas.run());
  for (unsigned y = 0; y < 40; y++)
    for (unsigned x = 0; x < 40; x++) {
      ASSERT_NE(layers.word(x, y, 0, 0), 0u);
      ASSERT_EQ(layers.word(x, y, 0, 1), 0u);
      ASSERT_EQ(layers.word(x, y, 0, 2) != 0, x < 20 && y < 20);
    }
}

TEST(Samples, ClipAndCullDistances) {
  Canvas canvas(64, 64);
  canvas.clip_space();
  canvas.draw.clip.distances = 0x2;
  canvas.draw.clip.cull_distances = 0x8;
  for (int t = 0; t < 2; t++)
    for (auto [x, y] : {std::pair{-1.f, -1.f}, {3.f, -1.f}, {-1.f, 3.f}}) {
      canvas.vertices.add(x, y, 0, 1, {t ? 1.0f : 0.5f, 1, 1, 1});
      auto& distance = canvas.vertices.vertices.back().clip_distance;
      distance[1] = x + 0.25f;          // right of x = -0.25
      distance[3] = t ? -1.0f : x - 2;  // the second one is dropped
    }
  ASSERT_TRUE(canvas.run());
  for (unsigned x = 0; x < 64; x++) ASSERT_EQ(canvas.colour.word(x, 30) & 0xff, x >= 24 ? 0x80u : 0u) << x;
}

}  // namespace
}  // namespace Atoll::pipeline
