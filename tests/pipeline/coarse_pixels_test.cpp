// Coarse pixels: each is shaded once by a primitive that covers any of it, at its middle, and what comes of that is written where the same
// primitive writes single pixels.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "canvas.h"

namespace Atoll::pipeline {
namespace {

struct CoarseStage : FunctionPixels {
  using FunctionPixels::FunctionPixels;
  bool one_primitive() const override { return true; }
};

constexpr unsigned size = 96;

// A triangle whose attribute is where its pixels are, on the target.
void add_triangle(Canvas& canvas, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> place(-20, size + 20.0f), depth(0, 1);
  const bool small = seed % 3 == 0;
  const float x = place(random), y = place(random);
  for (int n = 0; n < 3; n++) {
    const float px = small ? x + place(random) / 8 : place(random), py = small ? y + place(random) / 8 : place(random);
    canvas.vertices.add(px, py, depth(random), 1, {px, py, 0, 0});
  }
}

struct Shaded {
  unsigned times = 0;
  int x = 0, y = 0;
  float at_x = 0, at_y = 0;
};

TEST(CoarsePixels, AreShadedOnce) {
  unsigned several = 0, partly = 0;
  for (unsigned samples : {1u, 4u})
    for (uint8_t width : {1, 2, 4})
      for (uint8_t height : {1, 2, 4})
        for (uint32_t seed = 0; seed < 40; seed++) {
          // As the same triangle is drawn with single pixels, with a depth test that half of it passes.
          Canvas single(size, size, samples), coarse(size, size, samples);
          std::vector<MemoryTarget> depths(2, MemoryTarget(size, size, 4, samples));
          unsigned n = 0;
          for (Canvas* canvas : {&single, &coarse}) {
            canvas->draw.rasterization.sample_positions = standard_positions;
            if (samples == 1) canvas->draw.rasterization.sample_positions.fill({8, 8});
            canvas->draw.targets.depth = {&depths[n], 32, nullptr, false};
            depths[n].fill(std::bit_cast<uint32_t>(0.5f));
            auto& state = canvas->draw.depth_stencil;
            state.depth_test = state.depth_write = true, state.depth_compare = Compare::less, state.early = seed % 2;
            add_triangle(*canvas, seed), n++;
          }
          CoarseStage ones([](const PixelBatch& batch, PixelResults& results) {
            for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
              for (unsigned c = 0; c < 4; c++) results.colour[0][c][lane] = std::bit_cast<uint32_t>(1.0f);
            results.outputs = 1;
          });
          single.draw.pixel_stage = &ones;
          ASSERT_TRUE(single.run());

          std::map<std::pair<int, int>, Shaded> shaded;
          unsigned number = 0;
          const unsigned lanes = seed % 4 < 2 ? 64 : 32;
          CoarseStage stage([&](const PixelBatch& batch, PixelResults& results) {
            EXPECT_EQ(batch.coarse, (CoarsePixel{width, height}));
            EXPECT_LE(4 * batch.quads, lanes);
            for (unsigned lane = 0; lane < 4 * batch.quads; lane++) {
              const int x = batch.x[lane], y = batch.y[lane];
              EXPECT_EQ(x, batch.x[lane & ~3u] + int(lane & 1) * width);
              EXPECT_EQ(y, batch.y[lane & ~3u] + int(lane >> 1 & 1) * height);
              EXPECT_TRUE(batch.x[lane & ~3u] % (2 * width) == 0 && batch.y[lane & ~3u] % (2 * height) == 0);
              const bool killed = (x / width + y / height) % 5 == 0;
              number++;
              for (unsigned c = 0; c < 4; c++)
                results.colour[0][c][lane] = std::bit_cast<uint32_t>(float((number >> 8 * c & 255)) / 255);
              (seed % 8 < 4 ? results.killed : results.unwritten[0]) |= uint64_t(killed) << lane;
              if (!(batch.covered >> lane & 1)) continue;
              Shaded& s = shaded[{x / width, y / height}];
              s.times++, s.x = int(number), s.at_x = interpolated(batch, lane, 0), s.at_y = interpolated(batch, lane, 1);
            }
            results.outputs = 1;
          });
          stage.lanes = lanes;
          coarse.draw.pixel_stage = &stage;
          coarse.draw.rasterization.coarse.fill({width, height});
          coarse.draw.rasterization.has_coarse_pixels = width * height > 1;
          if (width * height == 1) continue;
          ASSERT_TRUE(coarse.run());
          EXPECT_EQ(coarse.counters.pixel_invocations, shaded.size());
          std::map<std::pair<int, int>, unsigned> written;
          for (unsigned y = 0; y < size; y++)
            for (unsigned x = 0; x < size; x++)
              for (unsigned s = 0; s < samples; s++) {
                const std::pair place{int(x / width), int(y / height)};
                const bool killed = (place.first + place.second) % 5 == 0;
                const bool there = single.colour.word(x, y, s) != 0;
                ASSERT_EQ(coarse.colour.word(x, y, s) != 0, there && !killed) << x << ", " << y << " " << seed;
                if (!there) continue;
                ASSERT_TRUE(shaded.contains(place));
                if (!killed) {
                  ASSERT_EQ(coarse.colour.word(x, y, s), uint32_t(shaded[place].x)) << x << ", " << y << " " << seed;
                }
                written[place]++;
              }
          for (const auto& [place, s] : shaded) {
            ASSERT_EQ(s.times, 1u) << place.first << ", " << place.second << " " << seed;
            EXPECT_NEAR(s.at_x, (float(place.first) + 0.5f) * width, 2e-2f);
            EXPECT_NEAR(s.at_y, (float(place.second) + 0.5f) * height, 2e-2f);
            several += written[place] > samples, partly += written[place] > 0 && written[place] < samples * width * height;
          }
        }
  EXPECT_GT(several, 10000u);
  EXPECT_GT(partly, 1000u);
}

// Centroids are places that are covered; of what is covered whole they are the middle.
TEST(CoarsePixels, CentroidsAreCovered) {
  for (unsigned samples : {1u, 4u}) {
    Canvas canvas(64, 64, samples);
    canvas.draw.rasterization.sample_positions = standard_positions;
    if (samples == 1) canvas.draw.rasterization.sample_positions.fill({8, 8});
    // Left of x + y / 3 = 40 (beyond 1/16 pixel of rounding)
    for (auto [x, y] : {std::pair{0.0f, 0.0f}, std::pair{40.0f, 0.0f}, std::pair{0.0f, 120.0f}})
      canvas.vertices.add(x, y, 0, 1, {x, y, 0, 0});
    unsigned whole = 0, parts = 0;
    CoarseStage stage([&](const PixelBatch& batch, PixelResults& results) {
      for (uint64_t rest = batch.covered; rest; rest &= rest - 1) {
        const auto lane = unsigned(std::countr_zero(rest));
        const float x = interpolated(batch, lane, 0, PERSPECTIVE_CENTROID),
                    y = interpolated(batch, lane, 1, PERSPECTIVE_CENTROID);
        EXPECT_LT(x + y / 3, 40.07f) << x << ", " << y;
        EXPECT_TRUE(x >= float(batch.x[lane]) && y >= float(batch.y[lane]));
        EXPECT_TRUE(x <= float(batch.x[lane] + 4) && y <= float(batch.y[lane] + 4));
        const bool all = float(batch.x[lane] + 4) + float(batch.y[lane] + 4) / 3 < 40;
        (all ? whole : parts)++;
        if (all) EXPECT_NEAR(x, float(batch.x[lane]) + 2, 1e-3f);
      }
      results.outputs = 0;
    });
    stage.sets = 1 << PERSPECTIVE_CENTROID;
    canvas.draw.pixel_stage = &stage;
    canvas.draw.rasterization.coarse.fill({4, 4}), canvas.draw.rasterization.has_coarse_pixels = true;
    ASSERT_TRUE(canvas.run());
    EXPECT_GT(whole, 50u);
    EXPECT_GT(parts, 10u);
  }
}

// Each viewport has a size of its own.
TEST(CoarsePixels, HaveTheirViewportsSize) {
  Canvas canvas(64, 64);
  canvas.draw.assembly.topology = Topology::triangles;
  for (uint32_t viewport = 0; viewport < 3; viewport++)
    for (auto [x, y] : {std::pair{0.0f, 0.0f}, std::pair{64.0f, 0.0f}, std::pair{0.0f, 64.0f}}) {
      canvas.vertices.add(x, y);
      canvas.vertices.vertices.back().viewport = viewport;
    }
  std::map<int, unsigned> seen;
  CoarseStage stage([&](const PixelBatch& batch, PixelResults& results) {
    seen[batch.coarse.width * 10 + batch.coarse.height] += unsigned(std::popcount(batch.covered));
    results.outputs = 0;
  });
  canvas.draw.pixel_stage = &stage;
  canvas.draw.rasterization.has_coarse_pixels = true;
  canvas.draw.rasterization.coarse[1] = {2, 2}, canvas.draw.rasterization.coarse[2] = {4, 1};
  ASSERT_TRUE(canvas.run());
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_NEAR(seen[11], 2048, 64);
  EXPECT_NEAR(seen[22], 512 + 16, 32);
  EXPECT_NEAR(seen[41], 512 + 24, 48);
}

// Sizes by the rates of places, of primitives and of their provoking vertices.
TEST(CoarsePixels, HaveTheSizeOfRates) {
  constexpr unsigned across = 128, down = 72;
  for (unsigned lanes : {32u, 64u}) {
    Canvas canvas(across, down);
    std::mt19937 random(7);
    for (unsigned n = 0; n < 40; n++) {
      const uint8_t rate = uint8_t(random() % 16);
      for (unsigned corner = 0; corner < 3; corner++) {
        canvas.vertices.add(float(random() % 160) - 16, float(random() % 100) - 16, 0, 1, {float(n), 0, 0, 0});
        canvas.vertices.vertices.back().rate = rate;
      }
    }
    auto places = std::make_shared<CoarsePlaces>();
    places->columns = across / 8 - 1, places->rows = down / 8;  // (the last column has none: 0)
    for (unsigned n = 0; n < places->columns * places->rows; n++) places->rate.push_back(uint8_t(random() % 4));
    Rasterization& raster = canvas.draw.rasterization;
    for (CoarsePixel& size : raster.coarse) size = {uint8_t(1 << random() % 3), uint8_t(1 << random() % 3)};
    raster.coarse_by_rate = raster.has_coarse_pixels = true, raster.coarse_places = places;
    std::map<std::array<int, 3>, unsigned> shaded;  // by primitive and the first pixel
    std::array<unsigned, 64> seen{};
    CoarseStage stage([&](const PixelBatch& batch, PixelResults& results) {
      ASSERT_LE(4 * batch.quads, lanes);
      for (uint64_t left = batch.covered; left; left &= left - 1) {
        const auto lane = unsigned(std::countr_zero(left));
        const auto n = unsigned(batch.primitive[lane / 4].a[0]);
        const unsigned column = unsigned(batch.x[lane]) / 8, row = unsigned(batch.y[lane]) / 8;
        const unsigned place = column < places->columns ? places->rate[row * places->columns + column] : 0,
                       rate = canvas.vertices.vertices[n * 3].rate;
        ASSERT_EQ(batch.coarse, raster.coarse[place * 16 + rate]) << "place " << place << ", primitive " << rate;
        seen[place * 16 + rate]++, shaded[{int(n), batch.x[lane], batch.y[lane]}]++;
      }
      for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
        for (unsigned c = 0; c < 4; c++) results.colour[0][c][lane] = std::bit_cast<uint32_t>(1.0f);
      results.outputs = 1;
    });
    stage.lanes = lanes;
    canvas.draw.pixel_stage = &stage;
    Workers workers(1);
    ASSERT_TRUE(canvas.run(workers));
    EXPECT_GT(std::ranges::count_if(seen, [](unsigned times) { return times > 20; }), 30);
    for (const auto& [place, times] : shaded) ASSERT_EQ(times, 1u);
    EXPECT_EQ(canvas.counters.pixel_invocations, shaded.size());
    // The same pixels as single ones.
    Canvas single(across, down);
    single.vertices.vertices = canvas.vertices.vertices, single.vertices.attributes = canvas.vertices.attributes;
    single.draw.pixel_stage = &stage;
    stage.function = [](const PixelBatch& batch, PixelResults& results) {
      for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
        for (unsigned c = 0; c < 4; c++) results.colour[0][c][lane] = std::bit_cast<uint32_t>(1.0f);
      results.outputs = 1;
    };
    ASSERT_TRUE(single.run(workers));
    EXPECT_TRUE(single.colour.texels == canvas.colour.texels);
  }
}

}  // namespace
}  // namespace Atoll::pipeline
