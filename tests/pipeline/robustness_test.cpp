// Input that makes no sense must end, and leave memory alone.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "canvas.h"
#include "heap_bytes.h"

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

// Everything that a draw can be made under, at random.
TEST(Robustness, OddStates) {
  std::mt19937 random(29);
  Workers workers(2);
  auto pick = [&](int n) { return int(random() % unsigned(n)); };
  auto flag = [&] { return random() % 2 != 0; };
  auto rectangle = [&] { return Rectangle{pick(140) - 20, pick(140) - 20, pick(140) - 20, pick(140) - 20}; };
  for (int round = 0; round < 500; round++) {
    unsigned samples = 1u << (round % 3 ? 0 : pick(5));
    Canvas canvas(unsigned(1 + pick(130)), unsigned(1 + pick(130)), samples);
    Draw& draw = canvas.draw;
    unsigned width = canvas.colour.width, height = canvas.colour.height;
    canvas.clip_space();
    draw.assembly.topology = Topology(pick(16));
    draw.assembly.provoking = ProvokingVertex(pick(2));
    draw.assembly.provoking_of_quads_is_last = flag();
    draw.vertices.instances = unsigned(pick(4));
    std::vector<std::unique_ptr<MemoryTarget>> targets;
    for (unsigned n = 1; n < 8; n++) {
      if (pick(3)) continue;
      auto& layout = surface::layouts()[size_t(pick(surface::layout_count))];
      auto format = surface::make_format(layout.layout, surface::Number(pick(surface::number_count)),
                                         flag() ? surface::bgra_order : surface::natural_order);
      if (!format) continue;
      targets.push_back(std::make_unique<MemoryTarget>(width, height, layout.bytes, samples));
      draw.targets.colour[n] = {targets.back().get(), *format, layout.bytes, flag()};
    }
    unsigned bits = (const unsigned[]){0, 16, 24, 32}[pick(4)];
    MemoryTarget depth(width, height, bits == 16 ? 2 : 4, samples), stencil(width, height, 1, samples);
    for (auto& byte : depth.texels) byte = uint8_t(random());
    draw.targets.depth = {flag() ? &depth : nullptr, bits, flag() ? &stencil : nullptr, pick(3) == 0};
    Rasterization& raster = draw.rasterization;
    raster.samples = 1u << pick(5);
    for (auto& p : raster.sample_positions) p = {int8_t(pick(16)), int8_t(pick(16))};
    raster.sample_mask = flag() ? 0xffff : random();
    raster.sample_shading = pick(3) == 0;
    raster.cull_front = pick(4) == 0, raster.cull_back = pick(4) == 0, raster.front_is_clockwise = flag();
    raster.fill_front = Fill(pick(3)), raster.fill_back = Fill(pick(3));
    raster.offset_front = flag(), raster.offset_back = flag(), raster.offset_points_and_lines = flag();
    raster.depth_offset_front = raster.depth_offset_back = {odd_float(random), odd_float(random), odd_float(random)};
    raster.line_width = float(pick(20)), raster.line_stipple = pick(3) == 0, raster.line_stipple_factor = unsigned(pick(5));
    raster.point_width = float(pick(40)), raster.point_height = float(pick(40));
    raster.last_line_pixel = flag();
    for (int n = pick(3); n > 0; n--) raster.scissors.push_back(rectangle());
    raster.use_clip_rectangles = pick(3) == 0, raster.clip_rectangle_rule = uint16_t(random());
    for (auto& r : raster.clip_rectangles) r = rectangle();
    draw.scissor_viewports = pick(3) == 0;
    for (auto& r : draw.viewport_scissors) r = rectangle();
    DepthStencil& state = draw.depth_stencil;
    state.depth_test = flag(), state.depth_write = flag(), state.stencil_test = flag(), state.bounds_test = pick(4) == 0,
    state.early = flag();
    state.depth_compare = Compare(pick(8));
    for (auto* face : {&state.front, &state.back}) {
      face->compare = Compare(pick(8)), face->fail = StencilOp(pick(16)), face->pass = StencilOp(pick(16)),
      face->depth_fail = StencilOp(pick(16));
    }
    for (auto& blend : draw.colour.blend) {
      blend.enable = flag();
      blend.source_colour = any_factor(pick(19)), blend.target_colour = any_factor(pick(19)),
      blend.source_alpha = any_factor(pick(19)), blend.target_alpha = any_factor(pick(19));
      blend.colour = BlendOp(pick(5)), blend.alpha = BlendOp(pick(5)), blend.write_mask = uint8_t(pick(16));
    }
    draw.colour.logic_op_enable = pick(5) == 0, draw.colour.logic_op = LogicOp(pick(16));
    draw.colour.alpha_to_coverage = pick(4) == 0, draw.colour.alpha_to_one = pick(4) == 0, draw.colour.alpha_test = pick(4) == 0;
    draw.colour.alpha_compare = Compare(pick(8)), draw.colour.alpha_reference = 0.5f;
    canvas.pixels.sets = uint8_t(pick(64));
    canvas.pixels.lanes = unsigned(pick(70));
    uint32_t seed = random();
    canvas.pixels.function = [seed](const PixelBatch& batch, PixelResults& results) {
      uint32_t mixed = seed + uint32_t(batch.x[0]) * 977 + uint32_t(batch.y[0]) * 131 + batch.quads;
      for (auto& output : results.colour)
        for (auto& component : output)
          for (auto& value : component) value = (mixed = mixed * 1664525 + 1013904223);
      for (auto& value : results.depth) value = std::bit_cast<float>(mixed = mixed * 1664525 + 1013904223);
      for (auto& value : results.coverage) value = (mixed = mixed * 1664525 + 1013904223);
      results.stencil.fill(mixed);
      results.killed = mixed * 0x9e3779b97f4a7c15u;
      results.outputs = uint8_t(mixed >> 8);
      results.has_second_source = mixed & 1, results.has_depth = mixed & 2, results.has_stencil = mixed & 4,
      results.has_coverage = mixed & 8;
    };
    if (pick(8) == 0) draw.pixel_stage = nullptr;
    for (int n = 0; n < 120; n++) {
      std::uniform_real_distribution<float> place(-1.5f, 1.5f);
      canvas.vertices.add(place(random), place(random), place(random), pick(9) ? 1.0f : odd_float(random));
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

// Primitives that cover a very large target are drawn some at a time: the lists of its tiles would take gigabytes.
TEST(Robustness, LargePrimitivesOnALargeTarget) {
  Workers workers(2);
  Canvas canvas(8, 8);
  canvas.clip_space();
  canvas.draw.targets = {};
  canvas.draw.targets.width = canvas.draw.targets.height = 4096;
  canvas.draw.targets.samples = 1;
  canvas.draw.assembly.topology = Topology::triangles;
  for (int n = 0; n < 8000; n++)
    for (auto [x, y] : {std::pair(-1.0f, -1.0f), {3.0f, -1.0f}, {-1.0f, 3.0f}}) canvas.vertices.add(x, y, 0, 1);
  // The first pixels end it: it is the lists that matter.
  struct Ends : FunctionPixels {
    using FunctionPixels::FunctionPixels;
    bool shade(unsigned, const PixelBatch&, PixelResults&) override { return false; }
  } ends(attribute_colour);
  canvas.draw.pixel_stage = &ends;
  for (auto& viewport : canvas.draw.viewports) viewport.scale = {2048, 2048, 0.5f}, viewport.offset = {2048, 2048, 0.5f};
  size_t before = heap_bytes();
  canvas.draw.vertices.count = 24000;
  Counters counters;
  std::atomic<int> stop{0};
  EXPECT_FALSE(run(canvas.draw, workers, counters, stop));
  EXPECT_LT(heap_bytes(), before + (size_t(300) << 20));
}

}  // namespace
}  // namespace Atoll::pipeline
