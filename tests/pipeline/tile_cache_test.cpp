// Blocks of targets between draws: read once, written once, the same bits as when every draw writes back.
#include "pipeline/tiles/tile_cache.h"

#include <gtest/gtest.h>

#include <random>

#include "canvas.h"

namespace Atoll::pipeline {
namespace {

void add_quad(Canvas& canvas, float left, float top, float right, float bottom, float z, const std::vector<float>& colour) {
  for (auto [x, y] : {std::pair{left, top}, {right, top}, {right, bottom}, {left, bottom}})
    canvas.vertices.add(x, y, z, 1, colour);
  canvas.draw.assembly.topology = Topology::quads;
}

void add_rectangle(Canvas& canvas, float left, float top, float right, float bottom, const std::vector<float>& colour) {
  for (auto [x, y] : {std::pair{left, top}, {right, top}, {left, bottom}}) canvas.vertices.add(x, y, 0, 1, colour);
  canvas.draw.assembly.topology = Topology::rectangles;
}

void clear(Canvas& canvas) { canvas.vertices.vertices.clear(), canvas.vertices.attributes.clear(); }

void source_over(Blend& blend) {
  blend.enable = true;
  blend.source_colour = blend.source_alpha = BlendFactor::source_alpha;
  blend.target_colour = blend.target_alpha = BlendFactor::one_minus_source_alpha;
}

TEST(TileCache, TargetsAreReadOnceAndWrittenOnce) {
  Canvas canvas(128, 64);
  CountedTarget colour(128, 64, 4), depth(128, 64, 4);
  canvas.draw.targets.colour[0].target = &colour;
  canvas.draw.targets.depth = {&depth, 32, nullptr, false};
  canvas.draw.depth_stencil.depth_test = canvas.draw.depth_stencil.depth_write = true;
  canvas.draw.depth_stencil.depth_compare = Compare::always;
  source_over(canvas.draw.colour.blend[0]);
  add_quad(canvas, 0, 0, 128, 64, 0.25f, {1, 0.5f, 0, 0.5f});
  canvas.draw.stays_open = true;
  Workers workers(2);
  for (int n = 0; n < 5; n++) ASSERT_TRUE(canvas.run(workers));
  const unsigned blocks = 128 / 8 * 64 / 8;
  for (CountedTarget* target : {&colour, &depth}) {
    EXPECT_EQ(target->loads, blocks);
    EXPECT_EQ(target->stores, 0u);
    EXPECT_EQ(target->word(5, 5), 0u);
  }
  write_back(workers);
  for (CountedTarget* target : {&colour, &depth}) EXPECT_EQ(target->stores, blocks);
  EXPECT_EQ(depth.word(127, 63), std::bit_cast<uint32_t>(0.25f));
  EXPECT_NE(colour.word(127, 63), 0u);
  write_back(workers);
  EXPECT_EQ(colour.stores, blocks);
  // Blocks that were forgotten are read again.
  canvas.run(workers);
  EXPECT_EQ(colour.loads, 2 * blocks);
}

TEST(TileCache, QuadsWrittenWholeStayUnread) {
  Canvas canvas(64, 64);
  CountedTarget colour(64, 64, 4);
  colour.fill(0x11223344);
  canvas.draw.targets.colour[0].target = &colour;
  canvas.draw.stays_open = true;
  Workers workers(1);
  // Half of a block, then the other half: nothing of what memory holds is left.
  for (float top : {0.0f, 4.0f}) {
    clear(canvas);
    add_rectangle(canvas, 0, top, 8, top + 4, {1, 1, 1, 1});
    ASSERT_TRUE(canvas.run(workers));
  }
  // Half of another one, blended over in the next draw, which needs all of it.
  clear(canvas);
  add_rectangle(canvas, 8, 0, 16, 4, {1, 1, 1, 1});
  ASSERT_TRUE(canvas.run(workers));
  EXPECT_EQ(colour.loads, 0u);
  clear(canvas);
  add_rectangle(canvas, 8, 0, 16, 8, {0, 0, 0, 0});
  source_over(canvas.draw.colour.blend[0]);
  ASSERT_TRUE(canvas.run(workers));
  EXPECT_EQ(colour.loads, 1u);
  write_back(workers);
  EXPECT_EQ(colour.loads, 1u);
  EXPECT_EQ(colour.stores, 2u);
  EXPECT_EQ(colour.word(0, 7), 0xffffffffu);
  EXPECT_EQ(colour.word(8, 3), 0xffffffffu);
  EXPECT_EQ(colour.word(8, 4), 0x11223344u);
  EXPECT_EQ(colour.word(16, 0), 0x11223344u);
}

// Draws of random triangles with blending, depth and stencil into two layers of targets that change from draw to draw.
struct Series {
  Canvas canvas{500, 300};
  MemoryTarget other{500, 300, 4}, depth{500, 300, 4}, stencil{500, 300, 1};
  template <class Run>
  void draw(Run run) {
    std::mt19937 random(5);
    std::uniform_real_distribution<float> x(-50, 550), y(-50, 350), unit(0, 1);
    depth.fill(0xffffff);
    for (int n = 0; n < 40; n++) {
      clear(canvas);
      for (unsigned v = 0; v < 3 * (1 + random() % 20); v++)
        canvas.vertices.add(x(random), y(random), unit(random), 1, {unit(random), unit(random), unit(random), unit(random)});
      Draw& d = canvas.draw;
      d.targets.colour[0].target = random() % 3 ? &canvas.colour : &other;
      d.colour.blend[0] = {};
      if (random() % 2) source_over(d.colour.blend[0]);
      const bool has_depth = random() % 4;
      d.targets.depth = has_depth ? DepthTarget{&depth, 24, &stencil, false} : DepthTarget{};
      d.depth_stencil = {};
      d.depth_stencil.depth_test = d.depth_stencil.depth_write = has_depth;
      d.depth_stencil.depth_compare = Compare::less_equal;
      d.depth_stencil.stencil_test = has_depth && random() % 2;
      for (StencilFace* face : {&d.depth_stencil.front, &d.depth_stencil.back}) {
        face->compare = Compare::always, face->pass = StencilOp::increment_wrap, face->depth_fail = StencilOp::invert;
        face->op_value = 1;
      }
      d.pixel_stage = random() % 5 ? &canvas.pixels : nullptr;
      d.vertices.count = uint32_t(canvas.vertices.vertices.size());
      ASSERT_TRUE(run(d));
    }
  }
  bool operator==(const Series& s) const {
    return canvas.colour.texels == s.canvas.colour.texels && other.texels == s.other.texels && depth.texels == s.depth.texels &&
           stencil.texels == s.stencil.texels && canvas.counters.samples_passed == s.canvas.counters.samples_passed;
  }
};

TEST(TileCache, SameBitsHoweverLongTheyAreKept) {
  Series closed;
  Workers one(1);
  closed.draw([&](Draw& d) { return run(d, one, closed.canvas.counters, closed.canvas.stop); });
  EXPECT_NE(closed.canvas.colour.texels, std::vector<uint8_t>(closed.canvas.colour.texels.size()));
  // Room for everything, for a part of the tiles, and for none but the one at hand.
  for (size_t bytes : {size_t(64) << 20, size_t(400) << 10, size_t(1)})
    for (unsigned threads : {1u, 2u, 5u}) {
      Series open;
      Workers workers(threads);
      TileCache cache(bytes);
      open.draw([&](Draw& d) { return run(d, workers, cache, open.canvas.counters, open.canvas.stop); });
      cache.write_back(workers);
      EXPECT_TRUE(open == closed) << bytes << " bytes, " << threads << " threads";
    }
  // Written back now and then.
  Series mixed;
  Workers workers(2);
  unsigned n = 0;
  mixed.draw([&](Draw& d) {
    d.stays_open = true;
    if (n++ % 7 == 0) write_back(workers);
    return run(d, workers, mixed.canvas.counters, mixed.canvas.stop);
  });
  write_back(workers);
  EXPECT_TRUE(mixed == closed);
}

TEST(TileCache, TargetsOverTheSameMemory) {
  for (bool open : {false, true}) {
    Canvas canvas(64, 64);
    View first(canvas.colour), second(canvas.colour);
    Workers workers(2);
    canvas.draw.stays_open = open;
    source_over(canvas.draw.colour.blend[0]);
    for (Target* target : {&first, &second, &first}) {
      clear(canvas);
      add_quad(canvas, 0, 0, 64, 64, 0, {1, 1, 1, 0.5f});
      canvas.draw.targets.colour[0].target = target;
      ASSERT_TRUE(canvas.run(workers));
    }
    // In one draw: each works on its own, and the last one's blocks are what stays; the next draw sees them.
    canvas.draw.targets.colour[0].target = &first;
    canvas.draw.targets.colour[1] = canvas.draw.targets.colour[0];
    canvas.draw.targets.colour[1].target = &second;
    canvas.draw.colour.blend[1] = {};
    canvas.pixels.function = [](const PixelBatch&, PixelResults& results) {
      for (auto& output : {0, 1})
        for (auto& component : results.colour[size_t(output)]) component.fill(std::bit_cast<uint32_t>(0.25f));
      results.outputs = 3;
    };
    ASSERT_TRUE(canvas.run(workers));
    canvas.draw.targets.colour[1] = {};
    canvas.pixels.function = [](const PixelBatch&, PixelResults& results) {
      for (auto& component : results.colour[0]) component.fill(std::bit_cast<uint32_t>(0.5f));
      results.outputs = 1;
    };
    ASSERT_TRUE(canvas.run(workers));
    write_back(workers);
    EXPECT_EQ(canvas.colour.word(33, 12), 0x60606060u) << open;  // (1/4 + 1/2) / 2
  }
}

// A depth buffer that was drawn into, then is drawn over as colours.
TEST(TileCache, DepthThenColoursInTheSameMemory) {
  for (bool open : {false, true}) {
    Canvas canvas(64, 64);
    MemoryTarget memory(64, 64, 4);
    View depth(memory), colour(memory);
    Workers workers(1);
    canvas.draw.stays_open = open;
    canvas.draw.targets.depth = {&depth, 32, nullptr, false};
    canvas.draw.depth_stencil.depth_test = canvas.draw.depth_stencil.depth_write = true;
    canvas.draw.depth_stencil.depth_compare = Compare::always;
    add_quad(canvas, 0, 0, 64, 64, 0.5f, {1, 1, 1, 1});
    ASSERT_TRUE(canvas.run(workers));
    canvas.draw.targets.depth = {};
    canvas.draw.depth_stencil = {};
    canvas.draw.targets.colour[0].target = &colour;
    canvas.draw.colour.blend[0].write_mask = 1;
    clear(canvas);
    add_quad(canvas, 0, 0, 64, 32, 0.5f, {1, 1, 1, 1});
    ASSERT_TRUE(canvas.run(workers));
    write_back(workers);
    EXPECT_EQ(memory.word(3, 31), 0x3f0000ffu) << open;
    EXPECT_EQ(memory.word(3, 32), 0x3f000000u) << open;
  }
}

TEST(TileCache, WhoeverLooksAtARangeOfMemory) {
  Canvas canvas(64, 64);
  View view(canvas.colour);
  canvas.draw.targets.colour[0].target = &view;
  canvas.draw.stays_open = true;
  add_quad(canvas, 0, 0, 64, 64, 0, {1, 1, 1, 1});
  Workers workers(1);
  ASSERT_TRUE(canvas.run(workers));
  const std::vector<uint8_t>& texels = canvas.colour.texels;
  const MemoryRange before{texels.data() - 16, 16}, behind{texels.data() + texels.size(), 16},
      last{texels.data() + texels.size() - 1, 1};
  write_back(workers, std::array{before, behind});
  EXPECT_EQ(canvas.colour.word(63, 63), 0u);
  write_back(workers, std::array{before, last});
  EXPECT_EQ(canvas.colour.word(63, 63), ~0u);
}

TEST(TileCache, AfterADrawThatFailsTargetsHaveThoseBefore) {
  class Failing : public FunctionPixels {
  public:
    using FunctionPixels::FunctionPixels;
    bool shade(unsigned, const PixelBatch&, PixelResults&) override { return false; }
  };
  Canvas canvas(64, 64);
  canvas.draw.stays_open = true;
  add_quad(canvas, 0, 0, 64, 32, 0, {1, 1, 1, 1});
  Workers workers(2);
  ASSERT_TRUE(canvas.run(workers));
  Failing failing{attribute_colour};
  canvas.draw.pixel_stage = &failing;
  clear(canvas);
  add_quad(canvas, 0, 32, 64, 64, 0, {1, 1, 1, 1});
  EXPECT_FALSE(canvas.run(workers));
  write_back(workers);
  EXPECT_EQ(canvas.colour.word(63, 31), ~0u);
  EXPECT_EQ(canvas.colour.word(63, 32), 0u);
}

// A fill goes to memory itself.
TEST(TileCache, FillsComeBehindWhatIsKept) {
  Canvas canvas(128, 128);
  canvas.draw.stays_open = true;
  Workers workers(1);
  add_quad(canvas, 0, 0, 128, 128, 0, {1, 1, 1, 1});
  ASSERT_TRUE(canvas.run(workers));
  clear(canvas);
  add_quad(canvas, 0, 0, 128, 64, 0, {0.5f, 0.5f, 0.5f, 0.5f});
  canvas.draw.uniform_pixels = true;
  ASSERT_TRUE(canvas.run(workers));
  canvas.draw.uniform_pixels = false;
  source_over(canvas.draw.colour.blend[0]);
  clear(canvas);
  add_quad(canvas, 0, 0, 128, 128, 0, {0, 0, 0, 0.5f});
  ASSERT_TRUE(canvas.run(workers));
  write_back(workers);
  EXPECT_EQ(canvas.colour.word(9, 63) & 0xff, 0x40u);
  EXPECT_EQ(canvas.colour.word(9, 64) & 0xff, 0x80u);
}

}  // namespace
}  // namespace Atoll::pipeline
