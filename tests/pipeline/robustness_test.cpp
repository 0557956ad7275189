// Input that makes no sense must end, and leave memory alone.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "canvas.h"

namespace Atoll::pipeline {
namespace {

float odd_float(std::mt19937& random) {
  constexpr float huge = 1e38f, tiny = 1e-42f, infinity = std::numeric_limits<float>::infinity(),
                  nan = std::numeric_limits<float>::quiet_NaN();
  const float values[] = {0,        -0.0f,     1,   -1,    huge,   -huge, tiny,   -tiny,
                          infinity, -infinity, nan, 1e10f, -1e10f, 32768, -32768, 0.5f};
  if (random() % 3) return std::uniform_real_distribution<float>(-3, 3)(random);
  return values[random() % 16];
}

TEST(Robustness, OddPositionsInEveryTopology) {
  std::mt19937 random(23);
  Workers workers(2);
  for (int round = 0; round < 600; round++) {
    Canvas canvas(100, 70, round % 4 == 0 ? 4 : 1);
    canvas.clip_space();
    if (round % 3 == 0) canvas.draw.clip.enable = false;
    if (round % 5 == 0) canvas.draw.clip.divide = false;
    if (round % 7 == 0) canvas.draw.clip.viewport_transform = false;
    canvas.draw.clip.cut_near = round % 2;
    canvas.draw.clip.cut_far = round % 4 < 2;
    canvas.draw.clip.distances = round % 3 == 1 ? uint8_t(random()) : 0;
    canvas.draw.clip.cull_distances = round % 8 == 1 ? uint8_t(random()) : 0;
    canvas.draw.clip.guard_band_x = round % 11 ? 1 : odd_float(random);
    canvas.draw.assembly.topology = Topology(round % 16);
    canvas.draw.rasterization.fill_front = Fill(round / 16 % 3);
    canvas.draw.rasterization.fill_back = Fill(round / 48 % 3);
    canvas.draw.rasterization.grid.denominator = (const unsigned[]){12, 16, 256, 4096}[round % 4];
    canvas.draw.rasterization.line_width = round % 13 == 0 ? odd_float(random) : float(round % 9);
    canvas.draw.rasterization.line_stipple = round % 6 == 0;
    canvas.draw.rasterization.point_size_from_vertex = round % 2;
    canvas.draw.rasterization.offset_front = canvas.draw.rasterization.offset_back = round % 2;
    canvas.draw.rasterization.depth_offset_front = {odd_float(random), odd_float(random), odd_float(random)};
    MemoryTarget z(100, 70, 4, canvas.colour.samples);
    canvas.draw.targets.depth = {&z, round % 2 ? 24u : 32u, nullptr, false};
    canvas.draw.depth_stencil.depth_test = canvas.draw.depth_stencil.depth_write = true;
    for (int n = 0; n < 300; n++) {
      canvas.vertices.add(odd_float(random), odd_float(random), odd_float(random), odd_float(random));
      Vertex& v = canvas.vertices.vertices.back();
      v.point_size = odd_float(random);
      v.viewport = n % 9 == 0 ? random() : 0;
      v.layer = n % 9 == 1 ? random() : 0;
      for (float& d : v.clip_distance) d = odd_float(random);
    }
    ASSERT_TRUE(canvas.run(workers));
  }
}

TEST(Robustness, IndicesBeyondTheirBuffer) {
  Canvas canvas(32, 32);
  for (int n = 0; n < 3; n++) canvas.vertices.add(float(n * 10), float(n * n * 7), 0, 1, {1, 1, 1, 1});
  std::vector<uint16_t> indices = {0, 1, 2, 0xffff, 9, 2};
  canvas.draw.vertices.indices = reinterpret_cast<const uint8_t*>(indices.data());
  canvas.draw.vertices.index_bytes = 2;
  canvas.draw.vertices.index_limit = indices.size();
  canvas.draw.vertices.count = 300000;
  canvas.draw.vertices.base_vertex = -7;
  canvas.draw.vertices.lowest = 0, canvas.draw.vertices.highest = 2;
  ASSERT_TRUE(canvas.run());
  EXPECT_EQ(canvas.counters.vertices, 300000u);
  EXPECT_EQ(canvas.counters.primitives, 100000u);
}

TEST(Robustness, AStopEndsADrawWithoutEnd) {
  Canvas canvas(64, 64);
  canvas.draw.assembly.topology = Topology::points;
  canvas.vertices.add(5, 5);
  canvas.draw.vertices.instances = ~0u;
  std::atomic<unsigned> waves{0};
  canvas.pixels.function = [&](const PixelBatch&, PixelResults&) {
    if (++waves == 100) canvas.stop = 1;
  };
  EXPECT_FALSE(canvas.run());
  // Neither primitives nor pixels.
  canvas.stop = 0;
  canvas.draw.assembly.topology = Topology::triangles;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    canvas.stop = 1;
  });
  EXPECT_FALSE(canvas.run());
  stopper.join();
}

TEST(Robustness, AFailingStageEndsTheDraw) {
  struct Failing : PixelStage {
    unsigned batch_size() const override { return 64; }
    uint8_t barycentrics() const override { return 0; }
    bool shade(unsigned, const PixelBatch&, PixelResults&) override { return false; }
  } failing;
  Canvas canvas(64, 64);
  canvas.draw.pixel_stage = &failing;
  canvas.vertices.add(0, 0), canvas.vertices.add(60, 0), canvas.vertices.add(0, 60);
  EXPECT_FALSE(canvas.run());
}

}  // namespace
}  // namespace Atoll::pipeline
