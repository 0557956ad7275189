// A watched pixel: targets are those of draws that nobody watches, and what is told of each fragment follows from how the draw was made.
#include "pipeline/pixel_watch.h"

#include <gtest/gtest.h>

#include <random>

#include "canvas.h"

namespace Atoll::pipeline {
namespace {

constexpr unsigned width = 96, height = 80;

// One large triangle of a colour at a depth; `turned`: the other way round.
void triangle(Canvas& canvas, float z, std::vector<float> colour, bool turned = false) {
  const float corners[3][2] = {{-200, -200}, {500, -200}, {-200, 500}};
  for (int n = 0; n < 3; n++) {
    const float* c = corners[turned ? 2 - n : n];
    canvas.vertices.add(c[0], c[1], z, 1, colour);
  }
}

struct Watched {
  PixelWatch watch;
  std::vector<WatchedDraw> draws;
  Workers workers{2};
  Watched(int x, int y) {
    watch.x = x, watch.y = y, watch.active = true;
    watch.ended = [this](const WatchedDraw& draw) { draws.push_back(draw); };
    workers.look_at(&watch);
  }
};

struct WatchedPixel : testing::Test {
  Canvas canvas{width, height};
  MemoryTarget depth{width, height, 4};
  Watched w{40, 50};
  void with_depth(Compare compare) {
    depth.fill(std::bit_cast<uint32_t>(0.5f));
    canvas.draw.targets.depth.depth = &depth, canvas.draw.targets.depth.depth_bits = 32;
    canvas.draw.depth_stencil.depth_test = canvas.draw.depth_stencil.depth_write = true;
    canvas.draw.depth_stencil.depth_compare = compare;
  }
  const WatchedDraw& run() {
    EXPECT_TRUE(canvas.run(w.workers));
    EXPECT_EQ(w.draws.size(), 1u);
    return w.draws.at(0);
  }
};

TEST_F(WatchedPixel, TellsWhatEachPrimitiveWroteInTheirOrder) {
  triangle(canvas, 0.25f, {1, 0, 0, 1});
  triangle(canvas, 0.5f, {0, 1, 0, 0.5f});
  canvas.draw.colour.blend[0].enable = true;
  canvas.draw.colour.blend[0].source_colour = BlendFactor::source_alpha;
  canvas.draw.colour.blend[0].target_colour = BlendFactor::one_minus_source_alpha;
  const WatchedDraw& draw = run();
  ASSERT_EQ(draw.fragments.size(), 2u);
  EXPECT_EQ(draw.primitives, 2u);
  for (const Fragment& f : draw.fragments) EXPECT_EQ(f.end, FragmentEnd::drawn);
  EXPECT_EQ(draw.fragments[0].primitive, 0u);
  EXPECT_EQ(draw.fragments[1].primitive, 1u);
  EXPECT_EQ(draw.fragments[0].texel_before[0].data[0], 0);
  EXPECT_EQ(draw.fragments[0].texel_after[0], draw.fragments[1].texel_before[0]);
  EXPECT_EQ(draw.fragments[0].texel_after[0].data[0], 255);
  EXPECT_EQ(draw.fragments[1].texel_after[0].data[0], 128);
  EXPECT_EQ(draw.fragments[1].replaced, 0) << "blending reads the target";
  EXPECT_EQ(draw.targets[0].after, draw.fragments[1].texel_after[0]);
  EXPECT_EQ(canvas.colour.word(40, 50) & 0xff, 128u);
  EXPECT_EQ(std::bit_cast<float>(draw.fragments[1].output[0][3]), 0.5f);
}

TEST_F(WatchedPixel, NamesTheDepthTestEarlyAndLate) {
  for (bool early : {true, false}) {
    w.draws.clear(), canvas.vertices.vertices.clear(), canvas.vertices.attributes.clear();
    with_depth(Compare::less);
    canvas.draw.depth_stencil.early = early;
    triangle(canvas, 0.75f, {1, 0, 0, 1});
    triangle(canvas, 0.25f, {0, 1, 0, 1});
    const WatchedDraw& draw = run();
    ASSERT_EQ(draw.fragments.size(), 2u) << early;
    EXPECT_EQ(draw.fragments[0].end, FragmentEnd::depth);
    EXPECT_EQ(draw.fragments[0].depth, 0.75f);
    EXPECT_EQ(draw.fragments[0].before.depth, 0.5f);
    EXPECT_EQ(draw.fragments[0].shaded, !early);
    EXPECT_EQ(draw.fragments[1].end, FragmentEnd::drawn);
    EXPECT_EQ(draw.fragments[1].after.depth, 0.25f);
    EXPECT_EQ(draw.targets.back().depth_after.depth, 0.25f);
  }
}

TEST_F(WatchedPixel, NamesStencilAndBounds) {
  with_depth(Compare::always);
  MemoryTarget stencil(width, height, 1);
  stencil.fill(7);
  canvas.draw.targets.depth.stencil = &stencil;
  canvas.draw.depth_stencil.stencil_test = true;
  canvas.draw.depth_stencil.front.compare = canvas.draw.depth_stencil.back.compare = Compare::equal;
  canvas.draw.depth_stencil.front.reference = canvas.draw.depth_stencil.back.reference = 6;
  triangle(canvas, 0.25f, {1, 1, 1, 1});
  EXPECT_EQ(run().fragments.at(0).end, FragmentEnd::stencil);
  EXPECT_EQ(w.draws[0].fragments[0].before.stencil, 7);
  w.draws.clear();
  canvas.draw.depth_stencil.bounds_test = true;
  canvas.draw.depth_stencil.bounds_low = 0.75f;
  EXPECT_EQ(run().fragments.at(0).end, FragmentEnd::depth_bounds);
}

TEST_F(WatchedPixel, NamesWhatHappensBeforeFragments) {
  triangle(canvas, 0, {1, 1, 1, 1}, true);
  canvas.draw.rasterization.cull_front = canvas.draw.rasterization.cull_back = true;
  const FragmentEnd culled = run().not_covered.at(0).end;
  EXPECT_TRUE(culled == FragmentEnd::culled_front || culled == FragmentEnd::culled_back);
  EXPECT_TRUE(w.draws[0].fragments.empty());
  w.draws.clear();
  canvas.draw.rasterization.cull_front = culled == FragmentEnd::culled_back;
  canvas.draw.rasterization.cull_back = culled == FragmentEnd::culled_front;
  EXPECT_EQ(run().fragments.at(0).end, FragmentEnd::drawn) << "of the other face";
  w.draws.clear();
  canvas.draw.rasterization.cull_front = canvas.draw.rasterization.cull_back = false;
  canvas.draw.rasterization.scissors = {{0, 0, 40, int(height)}};
  EXPECT_EQ(run().not_covered.at(0).end, FragmentEnd::scissor);
  w.draws.clear();
  canvas.draw.rasterization.scissors.clear();
  canvas.draw.rasterization.use_clip_rectangles = true;
  canvas.draw.rasterization.clip_rectangles[0] = {0, 0, 8, 8};
  canvas.draw.rasterization.clip_rectangle_rule = 0xaaaa;
  EXPECT_EQ(run().not_covered.at(0).end, FragmentEnd::masked);
}

TEST_F(WatchedPixel, NamesWhatHappensBehindTheShader) {
  triangle(canvas, 0, {1, 1, 1, 0.25f});
  canvas.draw.colour.alpha_test = true;
  canvas.draw.colour.alpha_compare = Compare::greater, canvas.draw.colour.alpha_reference = 0.5f;
  EXPECT_EQ(run().fragments.at(0).end, FragmentEnd::alpha_test);
  w.draws.clear();
  canvas.draw.colour.alpha_test = false;
  canvas.draw.colour.blend[0].write_mask = 0;
  EXPECT_EQ(run().fragments.at(0).end, FragmentEnd::write_mask);
  w.draws.clear();
  canvas.draw.colour.blend[0].write_mask = 0xf;
  const auto colours = canvas.pixels.function;
  canvas.pixels.function = [](const PixelBatch& batch, PixelResults& results) { results.killed = batch.covered; };
  EXPECT_EQ(run().fragments.at(0).end, FragmentEnd::shader);
  w.draws.clear();
  canvas.pixels.function = [](const PixelBatch&, PixelResults& results) { results.outputs = 0; };
  EXPECT_EQ(run().fragments.at(0).end, FragmentEnd::no_output);
}

// Random triangles, with and without a watched pixel: the same texels, and each fragment begins with what the one before left.
TEST(PixelWatching, ChangesNoBit) {
  std::mt19937 dice(44);
  auto number = [&](float low, float high) { return std::uniform_real_distribution<float>(low, high)(dice); };
  unsigned fragments = 0;
  for (int turn = 0; turn < 60; turn++) {
    const unsigned samples = turn % 3 == 2 ? 4 : 1;
    Canvas plain(width, height, samples), seen(width, height, samples);
    MemoryTarget plain_depth(width, height, 4, samples), seen_depth(width, height, 4, samples);
    std::vector<std::array<float, 8>> all;
    for (int n = 0; n < 90; n++)
      all.push_back(
          {number(-50, 150), number(-50, 150), number(0, 1), number(0, 1), number(0, 1), number(0, 1), number(0, 1), 1});
    const bool early = turn & 1;
    for (auto* c : {&plain, &seen}) {
      for (auto& v : all) c->vertices.add(v[0], v[1], v[2], 1, {v[3], v[4], v[5], v[6]});
      MemoryTarget& depth = c == &plain ? plain_depth : seen_depth;
      depth.fill(0x800000);
      c->draw.targets.depth.depth = &depth, c->draw.targets.depth.depth_bits = 24;
      c->draw.rasterization.sample_positions = standard_positions;
      c->draw.depth_stencil.depth_test = c->draw.depth_stencil.depth_write = true;
      c->draw.depth_stencil.depth_compare = Compare::less_equal;
      c->draw.depth_stencil.early = early;
      c->draw.colour.blend[0].enable = turn & 4;
      c->draw.colour.blend[0].source_colour = BlendFactor::source_alpha;
      c->draw.colour.blend[0].target_colour = BlendFactor::one_minus_source_alpha;
    }
    ASSERT_TRUE(plain.run());
    Watched w(int(number(0, float(width) - 1)), int(number(0, float(height) - 1)));
    w.watch.sample = samples - 1;
    ASSERT_TRUE(seen.run(w.workers));
    ASSERT_EQ(plain.colour.texels, seen.colour.texels) << turn;
    ASSERT_EQ(plain_depth.texels, seen_depth.texels) << turn;
    ASSERT_EQ(w.draws.size(), 1u);
    const WatchedDraw& draw = w.draws[0];
    WatchedTexel holds = draw.targets[0].before;
    for (const Fragment& f : draw.fragments) {
      fragments++;
      EXPECT_TRUE(f.end == FragmentEnd::drawn || f.end == FragmentEnd::depth || (samples > 1 && f.end == FragmentEnd::coverage))
          << turn << " " << name(f.end);
      if (!f.shaded) continue;
      EXPECT_EQ(f.texel_before[0], holds) << turn;
      holds = f.texel_after[0];
    }
    EXPECT_EQ(draw.targets[0].after, holds) << turn;
    EXPECT_TRUE(draw.not_covered.empty()) << name(draw.not_covered[0].end);
  }
  EXPECT_GT(fragments, 100u);
}

}  // namespace
}  // namespace Atoll::pipeline
