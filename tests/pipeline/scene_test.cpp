// Draws that wait: the same bits as when each is drawn at once, whatever makes them be drawn, on any number of threads; which of them
// has failed; what may wait at most.
#include "pipeline/tiles/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "canvas.h"

namespace Atoll::pipeline {
namespace {

// The ends of draws, in the order in which they end.
struct Ended {
  unsigned draw;
  bool good;
  Counters counters;
};

// A draw with copies of its stages, as families have them.
class OwnDraw : public WaitingDraw {
public:
  OwnDraw(const Draw& from, const TableVertices& from_vertices, FunctionPixels::Function function, unsigned number,
          std::vector<Ended>& ended)
      : pixels_(std::move(function)), number_(number), ended_(ended) {
    vertices_.vertices = from_vertices.vertices, vertices_.attributes = from_vertices.attributes;
    draw = from;
    draw.stays_open = true;
    draw.vertex_stage = &vertices_;
    if (from.pixel_stage) draw.pixel_stage = &pixels_;
    draw.vertices.count = uint32_t(vertices_.vertices.size());
  }
  void finished(const Counters& counters, bool good) override { ended_.push_back({number_, good, counters}); }

  // Colours, until told otherwise.
  struct Stage : FunctionPixels {
    using FunctionPixels::FunctionPixels;
    std::function<bool(const PixelBatch&)> fails;
    bool shade(unsigned worker, const PixelBatch& batch, PixelResults& results) override {
      return (!fails || !fails(batch)) && FunctionPixels::shade(worker, batch, results);
    }
  };
  Stage& stage() { return pixels_; }

private:
  TableVertices vertices_;
  Stage pixels_;
  const unsigned number_;
  std::vector<Ended>& ended_;
};

void add_quad(TableVertices& vertices, float left, float top, float right, float bottom, float z,
              const std::vector<float>& colour) {
  for (auto [x, y] : {std::pair{left, top}, {right, top}, {right, bottom}, {left, bottom}}) vertices.add(x, y, z, 1, colour);
}

class SceneTest : public testing::Test {
protected:
  Canvas canvas{256, 128};
  std::vector<Ended> ended;
  std::atomic<unsigned> shaded{0};  // batches
  unsigned draws = 0;
  std::atomic<int> stop{0};

  void SetUp() override { canvas.draw.assembly.topology = Topology::quads; }
  void TearDown() override { scene_limits() = {}; }

  std::unique_ptr<OwnDraw> quad(float left, float top, float right, float bottom, const std::vector<float>& colour) {
    TableVertices vertices;
    add_quad(vertices, left, top, right, bottom, 0, colour);
    return std::make_unique<OwnDraw>(
        canvas.draw, vertices,
        [this](const PixelBatch& batch, PixelResults& results) {
          shaded++;
          attribute_colour(batch, results);
        },
        draws++, ended);
  }
  std::unique_ptr<OwnDraw> whole(float value) { return quad(0, 0, 256, 128, {value, value, value, value}); }
  bool run(Workers& workers, std::unique_ptr<OwnDraw> draw) { return pipeline::run(std::move(draw), workers, stop); }
};

TEST_F(SceneTest, PixelsWaitUntilTheyAreAskedFor) {
  for (unsigned threads : {1u, 2u, 5u}) {
    ended.clear(), draws = 0, shaded = 0;
    canvas.colour.fill(0);
    Workers workers(threads);
    for (float value : {0.25f, 0.5f, 1.0f}) ASSERT_TRUE(run(workers, whole(value)));
    EXPECT_EQ(shaded, 0u);
    EXPECT_TRUE(ended.empty());
    EXPECT_TRUE(draw_waiting(workers));
    EXPECT_GE(shaded, 3u * 256 * 128 / 64);
    EXPECT_EQ(canvas.colour.word(255, 127), 0u);  // blocks stay
    ASSERT_EQ(ended.size(), 3u);
    for (unsigned n = 0; n < 3; n++) {
      EXPECT_EQ(ended[n].draw, n);
      EXPECT_TRUE(ended[n].good);
      EXPECT_EQ(ended[n].counters.pixel_invocations, 256u * 128);
      EXPECT_EQ(ended[n].counters.vertex_invocations, 4u);
      EXPECT_EQ(ended[n].counters.primitives, 1u);  // a quad
    }
    EXPECT_TRUE(write_back(workers));
    EXPECT_EQ(canvas.colour.word(255, 127), ~0u);
    EXPECT_EQ(ended.size(), 3u);
  }
}

// A tile's pixels of all draws come one after the other.
TEST_F(SceneTest, ATileIsDrawnFromItsFirstDrawToItsLast) {
  Workers workers(1);
  std::vector<std::pair<int, unsigned>> order;  // tile, draw
  for (unsigned n = 0; n < 3; n++) {
    auto draw = whole(0.5f);
    draw->stage().fails = [&order, n](const PixelBatch& batch) {
      const std::pair here{batch.x[0] / tile_size + batch.y[0] / tile_size * 4, n};
      if (order.empty() || order.back() != here) order.push_back(here);
      return false;
    };
    ASSERT_TRUE(run(workers, std::move(draw)));
  }
  ASSERT_TRUE(write_back(workers));
  ASSERT_EQ(order.size(), 8u * 3);
  for (size_t n = 0; n < order.size(); n++) EXPECT_EQ(order[n].second, n % 3) << n;
}

// Reasons for which waiting draws are drawn: each alone.
TEST_F(SceneTest, ReasonsToDraw) {
  Workers workers(2);
  auto waits = [&] {
    shaded = 0;
    EXPECT_TRUE(run(workers, quad(0, 0, 64, 64, {1, 1, 1, 1})));
    EXPECT_EQ(shaded, 0u);
  };
  waits();
  EXPECT_TRUE(write_back(workers));
  EXPECT_NE(shaded, 0u);
  // Somebody looks at the targets' memory, or at other memory.
  waits();
  MemoryTarget elsewhere(64, 64, 4);
  EXPECT_TRUE(write_back(workers));
  View first(canvas.colour), second(canvas.colour), other(elsewhere);
  canvas.draw.targets.colour[0].target = &first;
  waits();
  EXPECT_TRUE(write_back(workers, other.memory()));
  EXPECT_EQ(shaded, 0u);
  EXPECT_TRUE(write_back(workers, second.memory()));
  EXPECT_NE(shaded, 0u);
  // Targets in memory of their own may change; others over the same memory are to find what was drawn.
  waits();
  canvas.draw.targets.colour[0].target = &other;
  waits();
  canvas.draw.targets.colour[0].target = &second;
  EXPECT_TRUE(run(workers, quad(0, 0, 64, 64, {1, 1, 1, 1})));
  EXPECT_NE(shaded, 0u);
  EXPECT_TRUE(write_back(workers));
  // A draw that does not wait.
  waits();
  canvas.draw.stays_open = true;
  canvas.draw.targets.colour[0].target = &first;
  canvas.pixels.function = [&](const PixelBatch& batch, PixelResults& results) {
    EXPECT_NE(shaded, 0u);
    attribute_colour(batch, results);
  };
  add_quad(canvas.vertices, 0, 0, 64, 64, 0, {1, 1, 1, 1});
  EXPECT_TRUE(canvas.run(workers));
  EXPECT_NE(shaded, 0u);
  // A fill.
  waits();
  auto fill = whole(0.5f);
  fill->draw.uniform_pixels = true;
  EXPECT_TRUE(run(workers, std::move(fill)));
  EXPECT_NE(shaded, 0u);
  EXPECT_EQ(canvas.colour.word(0, 0), 0x80808080u);
  EXPECT_EQ(ended.back().draw, draws - 1);
  EXPECT_EQ(ended.back().counters.pixel_invocations, 256u * 128);
  EXPECT_TRUE(write_back(workers));
  for (unsigned n = 0; n < draws; n++) EXPECT_EQ(ended[n].draw, n);
}

TEST_F(SceneTest, WhatWaitsHasABound) {
  // So many draws; where there are other threads, as many are being drawn.
  scene_limits() = {};
  scene_limits().draws = 5;
  for (unsigned threads : {1u, 2u, 5u}) {
    ended.clear(), draws = 0;
    Workers workers(threads);
    for (unsigned n = 1; n <= 17; n++) {
      EXPECT_TRUE(run(workers, quad(0, 0, 8, 8, {1, 1, 1, 1})));
      EXPECT_EQ(ended.size(), threads == 1 ? n / 5 * 5 : n < 5 ? 0 : n / 5 * 5 - 5);
    }
    EXPECT_TRUE(write_back(workers));
    EXPECT_EQ(ended.size(), 17u);
  }
  // So many primitives, attributes, and places of primitives in tiles: of one draw too, which is drawn in parts.
  struct {
    size_t SceneLimits::* limit;
    size_t value;
  } limits[] = {{&SceneLimits::primitives, 16}, {&SceneLimits::attributes, 600}, {&SceneLimits::places, 16}};
  for (auto [limit, value] : limits) {
    scene_limits() = {};
    scene_limits().*limit = value;
    ended.clear(), draws = 0;
    Workers workers(2);
    unsigned before = 0;
    for (unsigned n = 0; n < 40; n++) {
      EXPECT_TRUE(run(workers, whole(1)));
      EXPECT_LE(draws - ended.size(), 16u);
      before += ended.size() < draws;
    }
    EXPECT_GT(before, 0u);
    EXPECT_TRUE(write_back(workers));
    EXPECT_EQ(ended.size(), 40u);
  }
}

// Random triangles with blending, depth and stencil into targets that change.
struct Series {
  Canvas canvas{300, 200};
  MemoryTarget other{300, 200, 4}, depth{300, 200, 4}, stencil{300, 200, 1};
  std::vector<Ended> ended;
  uint64_t passed = 0;

  void draw(Workers& workers) {
    std::mt19937 random(11);
    std::uniform_real_distribution<float> x(-50, 350), y(-50, 250), unit(0, 1);
    std::atomic<int> stop{0};
    depth.fill(0xffffff);
    for (unsigned n = 0; n < 40; n++) {
      TableVertices vertices;
      const unsigned triangles = random() % 8 ? 1 + random() % 10 : 100;
      for (unsigned v = 0; v < 3 * triangles; v++)
        vertices.add(x(random), y(random), unit(random), 1, {unit(random), unit(random), unit(random), unit(random)});
      Draw& d = canvas.draw;
      d.targets.colour[0].target = random() % 4 ? &canvas.colour : &other;
      d.colour.blend[0] = {};
      if (random() % 2) {
        Blend& blend = d.colour.blend[0];
        blend.enable = true;
        blend.source_colour = blend.source_alpha = BlendFactor::source_alpha;
        blend.target_colour = blend.target_alpha = BlendFactor::one_minus_source_alpha;
      }
      const bool has_depth = random() % 4;
      d.targets.depth = has_depth ? DepthTarget{&depth, 24, &stencil, false} : DepthTarget{};
      d.depth_stencil = {};
      d.depth_stencil.depth_test = d.depth_stencil.depth_write = has_depth;
      d.depth_stencil.depth_compare = Compare::less_equal;
      d.depth_stencil.stencil_test = has_depth && random() % 2;
      d.depth_stencil.count_samples = random() % 2;
      for (StencilFace* face : {&d.depth_stencil.front, &d.depth_stencil.back})
        face->compare = Compare::always, face->pass = StencilOp::increment_wrap, face->depth_fail = StencilOp::invert;
      d.pixel_stage = random() % 5 ? &canvas.pixels : nullptr;
      ASSERT_TRUE(run(std::make_unique<OwnDraw>(d, vertices, attribute_colour, n, ended), workers, stop));
      if (random() % 25 == 0) ASSERT_TRUE(write_back(workers));
    }
    ASSERT_TRUE(write_back(workers));
    for (const Ended& draw : ended) passed += draw.counters.samples_passed;
  }
  bool operator==(const Series& s) const {
    for (size_t n = 0; n < ended.size(); n++) {
      const Counters &a = ended[n].counters, &b = s.ended[n].counters;
      if (ended[n].draw != n || !ended[n].good || a.samples_passed != b.samples_passed ||
          a.pixel_invocations != b.pixel_invocations || a.clipped_primitives_out != b.clipped_primitives_out)
        return false;
    }
    return ended.size() == s.ended.size() && canvas.colour.texels == s.canvas.colour.texels && other.texels == s.other.texels &&
           depth.texels == s.depth.texels && stencil.texels == s.stencil.texels;
  }
};

TEST_F(SceneTest, SameBitsHoweverManyWait) {
  scene_limits().draws = 1;
  Series at_once;
  Workers one(1);
  at_once.draw(one);
  EXPECT_NE(at_once.passed, 0u);
  EXPECT_NE(at_once.canvas.colour.texels, std::vector<uint8_t>(at_once.canvas.colour.texels.size()));
  for (unsigned threads : {1u, 2u, 5u})
    for (SceneLimits limits : {SceneLimits{}, SceneLimits{.draws = 7}, SceneLimits{.primitives = 1},
                               SceneLimits{.primitives = 50}, SceneLimits{.places = 100}}) {
      scene_limits() = limits;
      Workers workers(threads);
      Series series;
      series.draw(workers);
      EXPECT_TRUE(series == at_once) << threads << " threads, " << limits.draws << " draws, " << limits.primitives
                                     << " primitives, " << limits.places << " places";
    }
}

// Draws in tiles that are drawn late fail as well as such in early ones: the first of them is who has failed.
TEST_F(SceneTest, TheFirstDrawInOrderHasFailed) {
  for (unsigned threads : {1u, 2u, 5u})
    for (bool flush_by_write_back : {false, true}) {
      ended.clear(), draws = 0;
      canvas.colour.fill(0);
      Workers workers(threads);
      for (unsigned n = 0; n < 8; n++) {
        auto draw = whole(n == 2 ? 1.0f : 0.5f);
        // Draw 5 fails in the first tile, draw 3 in the last, draw 6 everywhere.
        draw->stage().fails = [n](const PixelBatch& batch) {
          const int tile = batch.x[0] / tile_size + batch.y[0] / tile_size * 4;
          return n == 6 || (n == 5 && tile == 0) || (n == 3 && tile == 7);
        };
        ASSERT_TRUE(run(workers, std::move(draw)));
      }
      EXPECT_FALSE(flush_by_write_back ? write_back(workers) : draw_waiting(workers));
      EXPECT_TRUE(write_back(workers));
      ASSERT_EQ(ended.size(), 8u);
      for (unsigned n = 0; n < 8; n++) {
        EXPECT_EQ(ended[n].draw, n);
        EXPECT_EQ(ended[n].good, n < 3) << n;
      }
      // Draws before are whole.
      EXPECT_EQ(canvas.colour.word(255, 127), ~0u);
    }
}

// The other threads draw while the caller's adds draws; who is first in order has failed, whenever it is found.
TEST_F(SceneTest, PixelsAreDrawnWhileDrawsAreAdded) {
  scene_limits().draws = 2;
  for (unsigned threads : {2u, 5u}) {
    ended.clear(), draws = 0, shaded = 0;
    canvas.colour.fill(0);
    Workers workers(threads);
    for (unsigned n = 0; n < 2; n++) ASSERT_TRUE(run(workers, whole(0.5f)));
    constexpr unsigned all = 2 * 256 * 128 / 64;
    for (unsigned n = 0; shaded < all && n < 60'000; n++) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_GE(shaded, all);
    EXPECT_TRUE(ended.empty());
    // Draws into the same tiles, meanwhile.
    for (unsigned n = 0; n < 21; n++) ASSERT_TRUE(run(workers, whole(n == 20 ? 1 : 0.25f)));
    EXPECT_TRUE(write_back(workers));
    ASSERT_EQ(ended.size(), 23u);
    for (unsigned n = 0; n < 23; n++) EXPECT_TRUE(ended[n].draw == n && ended[n].good) << n;
    EXPECT_EQ(canvas.colour.word(255, 127), ~0u);
  }
  for (unsigned failing = 0; failing < 6; failing++) {
    ended.clear(), draws = 0;
    canvas.colour.fill(0);
    Workers workers(2);
    bool good = true;
    for (unsigned n = 0; good && n < 9; n++) {
      auto draw = whole(n < failing ? 1.0f : 0.5f);
      draw->stage().fails = [=](const PixelBatch& batch) { return n == failing + 1 || (n == failing && batch.x[0] > 200); };
      good = run(workers, std::move(draw));
    }
    EXPECT_FALSE(good);
    EXPECT_TRUE(write_back(workers));
    ASSERT_EQ(ended.size(), draws);
    EXPECT_LE(draws, failing + 5);
    for (unsigned n = 0; n < draws; n++) EXPECT_TRUE(ended[n].draw == n && ended[n].good == (n < failing)) << failing << " " << n;
    EXPECT_EQ(canvas.colour.word(255, 127), failing ? ~0u : 0u);
  }
}

// Vertices are shaded when a draw begins, but what fails in pixels before came before.
TEST_F(SceneTest, ADrawWhoseVerticesFailComesBehindThoseThatWait) {
  struct Failing : TableVertices {
    bool shade(unsigned, const VertexBatch&, Vertex*, float*) override { return false; }
  } failing;
  for (bool pixels_fail : {false, true}) {
    ended.clear(), draws = 0, shaded = 0;
    canvas.colour.fill(0);
    Workers workers(2);
    for (unsigned n = 0; n < 3; n++) {
      auto draw = whole(1);
      draw->stage().fails = [=](const PixelBatch&) { return pixels_fail && n == 1; };
      ASSERT_TRUE(run(workers, std::move(draw)));
    }
    auto last = whole(0.5f);
    last->draw.vertex_stage = &failing;
    EXPECT_FALSE(run(workers, std::move(last)));
    ASSERT_EQ(ended.size(), 4u);
    for (unsigned n = 0; n < 4; n++) EXPECT_EQ(ended[n].good, n < (pixels_fail ? 1u : 3u)) << n;
    write_back(workers);
    EXPECT_EQ(canvas.colour.word(255, 127), ~0u);
  }
}

TEST_F(SceneTest, AStopEndsWhatWaits) {
  Workers workers(2);
  for (unsigned n = 0; n < 3; n++) ASSERT_TRUE(run(workers, whole(1)));
  stop = 1;
  EXPECT_FALSE(write_back(workers));
  EXPECT_EQ(shaded, 0u);
  ASSERT_EQ(ended.size(), 3u);
  for (const Ended& draw : ended) EXPECT_FALSE(draw.good);
}

// A stage is told when a worker's waves become its own: others have used the same memory meanwhile.
TEST_F(SceneTest, StagesAreToldWhenTheyAreTakenUp) {
  struct Taken : OwnDraw::Stage {
    using Stage::Stage;
    std::vector<unsigned>* log = nullptr;
    unsigned number = 0;
    void bind_worker(unsigned) override { log->push_back(number); }
  };
  Workers workers(1);
  std::vector<unsigned> log;
  std::vector<std::unique_ptr<Taken>> stages;
  for (unsigned n = 0; n < 2; n++) {
    auto draw = whole(1);
    auto& stage = *stages.emplace_back(std::make_unique<Taken>(attribute_colour));
    stage.log = &log, stage.number = n;
    draw->draw.pixel_stage = &stage;
    ASSERT_TRUE(run(workers, std::move(draw)));
  }
  ASSERT_TRUE(write_back(workers));
  ASSERT_EQ(log.size(), 16u);  // both, in each of eight tiles
  for (size_t n = 0; n < log.size(); n++) EXPECT_EQ(log[n], n % 2);
}

}  // namespace
}  // namespace Atoll::pipeline
