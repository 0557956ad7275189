// Fills of targets with blocks in the tile cache: noted, carried out when a block is loaded or stored, the bits that drawing gives.
#include <gtest/gtest.h>

#include <random>

#include "canvas.h"

namespace Atoll::pipeline {
namespace {

constexpr unsigned width = 150, height = 139;  // three tiles each way, the last of them cut, and blocks cut in them

// A fill's own loads do not count.
class Counted : public CountedTarget {
public:
  using CountedTarget::CountedTarget;
  void fill_area(const Rectangle& area, unsigned layer, const PixelChange& change) override {
    const unsigned before = loads;
    MemoryTarget::fill_area(area, layer, change);
    loads = before;
  }
  bool is_all_there() const override { return there; }
  bool there = true;
};

struct Scenery {
  explicit Scenery(unsigned samples, unsigned depth_bits, bool stencil)
      : canvas(width, height, samples),
        colour(width, height, 4, samples),
        depth(width, height, depth_bits == 16 ? 2 : 4, samples) {
    canvas.draw.targets.colour[0].target = &colour;
    canvas.draw.targets.depth = {&depth, depth_bits, nullptr, stencil};
    canvas.draw.rasterization.sample_positions = {{{2, 6}, {6, 14}, {10, 2}, {14, 10}}};
    if (samples == 1) canvas.draw.rasterization.sample_positions[0] = {8, 8};
    canvas.draw.rasterization.sample_mask = (1u << samples) - 1;
    std::mt19937 random(5);
    for (auto* target : {&colour, &depth})
      for (auto& texel : target->texels) texel = uint8_t(random());
    // No depth is NaN.
    if (depth_bits == 32)
      for (size_t n = 3; n < depth.texels.size(); n += 4) depth.texels[n] &= 0x3e;
  }
  Canvas canvas;
  Counted colour, depth;
};

// One of the draws that a sequence is made of: often a rectangle of equal pixels, with state that may be filled or not.
void next_draw(Scenery& s, std::mt19937& random, bool may_fill) {
  auto pick = [&](unsigned n) { return random() % n; };
  Draw& draw = s.canvas.draw;
  s.canvas.vertices.vertices.clear(), s.canvas.vertices.attributes.clear();
  const bool alike = pick(3) != 0;
  static constexpr std::array<float, 4> paints[] = {{0, 0, 0, 1}, {1, 0, 0.5f, 1}};
  const auto& paint = paints[pick(2)];
  const float z = alike ? float(pick(2)) : float(pick(64)) / 64;
  float left = 0, top = 0, right = width, bottom = height;
  if (pick(3) == 0)
    left = float(pick(70)), top = float(pick(70)), right = left + 34 + float(pick(60)), bottom = top + 34 + float(pick(60));
  const std::array<float, 2> corners[] = {{left, top}, {right, top}, {right, bottom}, {left, bottom}};
  for (unsigned n = 0; n < 4; n++) {
    std::vector<float> attribute(paint.begin(), paint.end());
    if (!alike) attribute[n % 3] = float(n) / 4;
    s.canvas.vertices.add(corners[n][0], corners[n][1], alike ? z : z / 2 + float(n) / 8, 1, attribute);
  }
  draw.assembly.topology = Topology::quads;
  draw.uniform_pixels = may_fill && alike;
  DepthStencil& state = draw.depth_stencil;
  state = {};
  state.early = pick(2);
  state.depth_test = pick(4) != 0;
  state.depth_write = pick(4) != 0;
  state.depth_compare = alike ? Compare::always : pick(2) ? Compare::less : Compare::greater_equal;
  state.stencil_test = pick(2);
  state.front.compare = Compare::always;
  state.front.pass = pick(2) ? StencilOp::replace : StencilOp::invert;
  state.front.reference = uint8_t(pick(256)), state.front.write_mask = pick(2) ? 0xff : 0x3c;
  state.back = state.front;
  draw.colour.blend[0] = {};
  draw.colour.blend[0].write_mask = pick(3) ? 0xf : uint8_t(pick(16));
  if (!alike && pick(2)) {
    draw.colour.blend[0].enable = true;
    draw.colour.blend[0].source_colour = BlendFactor::source_alpha, draw.colour.blend[0].target_colour = BlendFactor::one;
  }
}

TEST(NotedFill, SequencesOfDrawsAndFillsHaveTheBitsOfDraws) {
  unsigned sequences = 0;
  for (unsigned samples : {1u, 4u})
    for (auto [bits, stencil] : {std::pair{16u, false}, {24u, true}, {24u, false}, {32u, false}})
      for (unsigned threads : {1u, 2u})
        for (unsigned seed = 1; seed <= 40; seed++) {
          Scenery drawn(samples, bits, stencil), noted(samples, bits, stencil);
          Workers one(threads), other(threads);
          std::mt19937 random(seed), same(seed), pauses(seed);
          for (unsigned n = 0; n < 7; n++) {
            next_draw(drawn, random, false);
            next_draw(noted, same, true);
            noted.canvas.draw.stays_open = true;
            ASSERT_TRUE(drawn.canvas.run(one));
            ASSERT_TRUE(noted.canvas.run(other));
            if (pauses() % 5 == 0) {
              ASSERT_TRUE(write_back(other));
            }
          }
          ASSERT_TRUE(write_back(other));
          const auto what = ::testing::Message() << samples << " samples, depth of " << bits << ", seed " << seed;
          ASSERT_EQ(drawn.colour.texels, noted.colour.texels) << what;
          ASSERT_EQ(drawn.depth.texels, noted.depth.texels) << what;
          ASSERT_EQ(drawn.canvas.counters.samples_passed, noted.canvas.counters.samples_passed) << what;
          sequences++;
        }
  EXPECT_EQ(sequences, 2u * 4 * 2 * 40);
}

// A clear of both targets, then a small rectangle: nothing is read, and blocks under the rectangle are written once.
TEST(NotedFill, NothingIsReadOfWhatIsFilled) {
  for (bool there : {true, false}) {
    Scenery s(1, 24, true);
    s.colour.there = s.depth.there = there;
    Workers workers(1);
    auto draw = [&](float left, float top, float right, float bottom, bool alike) {
      s.canvas.vertices.vertices.clear(), s.canvas.vertices.attributes.clear();
      for (auto [x, y] : {std::pair{left, top}, {right, top}, {right, bottom}, {left, bottom}})
        s.canvas.vertices.add(x, y, alike ? 1.0f : 0.5f, 1, {1, 0, 0, 1});
      s.canvas.draw.assembly.topology = Topology::quads;
      s.canvas.draw.uniform_pixels = alike;
      s.canvas.draw.stays_open = true;
      ASSERT_TRUE(s.canvas.run(workers));
    };
    DepthStencil& state = s.canvas.draw.depth_stencil;
    state.depth_test = state.depth_write = state.stencil_test = true;
    state.front.pass = StencilOp::zero;
    state.back = state.front;
    draw(0, 0, 128, 128, true);
    if (there) {
      EXPECT_EQ(s.colour.loads + s.depth.loads + s.colour.stores + s.depth.stores, 0u);
    }
    state.depth_compare = Compare::less, state.stencil_test = false;
    s.colour.loads = s.depth.loads = s.colour.stores = s.depth.stores = 0;
    draw(18, 18, 38, 30, false);
    ASSERT_TRUE(write_back(workers));
    EXPECT_EQ(s.colour.loads == 0 && s.depth.loads == 0, there);
    EXPECT_EQ(s.colour.word(127, 127), 0xff0000ffu);
    EXPECT_EQ(s.depth.word(127, 127), 0x00ffffffu);
    EXPECT_EQ(s.depth.word(20, 20), 0x007fffffu + 1);
  }
}

// Depths that are filled beside stencils, which stay in memory until something asks for them: nothing, a test, or another fill.
TEST(NotedFill, StencilsBesideFilledDepthsAreReadLate) {
  enum class Then { nothing, stencil_test, fill_of_half_a_block };
  for (unsigned samples : {1u, 4u})
    for (Then then : {Then::nothing, Then::stencil_test, Then::fill_of_half_a_block}) {
      Scenery s(samples, 24, true);
      Scenery before(samples, 24, true);  // the same random texels
      Workers workers(1);
      auto draw = [&](float left, float top, float right, float bottom, float z) {
        s.canvas.vertices.vertices.clear(), s.canvas.vertices.attributes.clear();
        for (auto [x, y] : {std::pair{left, top}, {right, top}, {right, bottom}, {left, bottom}})
          s.canvas.vertices.add(x, y, z, 1, {1, 0, 0, 1});
        s.canvas.draw.assembly.topology = Topology::quads;
        s.canvas.draw.stays_open = true;
        ASSERT_TRUE(s.canvas.run(workers));
      };
      DepthStencil& state = s.canvas.draw.depth_stencil;
      state.depth_test = state.depth_write = true;
      state.depth_compare = Compare::always;
      s.canvas.draw.uniform_pixels = true;
      draw(0, 0, 128, 128, 1);
      s.canvas.draw.uniform_pixels = false;
      state.depth_compare = Compare::less;
      draw(16, 16, 28, 32, 0.5f);
      EXPECT_EQ(s.depth.loads, 0u);
      if (then == Then::stencil_test) {
        state.stencil_test = true;
        state.front.pass = StencilOp::invert;
        state.back = state.front;
        draw(16, 16, 20, 20, 0.25f);
        EXPECT_EQ(s.depth.loads, 1u);
      } else if (then == Then::fill_of_half_a_block) {
        state.depth_compare = Compare::always;
        s.canvas.draw.uniform_pixels = true;
        draw(16, 16, 52, 52, 0.25f);
      }
      ASSERT_TRUE(write_back(workers));
      for (unsigned y : {0u, 16u, 19u, 20u, 31u, 127u})
        for (unsigned x : {0u, 16u, 19u, 20u, 51u, 127u})
          for (unsigned sample = 0; sample < samples; sample++) {
            const bool second = x >= 16 && y >= 16 && x < 28 && y < 32;
            const unsigned end = then == Then::stencil_test ? 20 : then == Then::nothing ? 0 : 52;
            const bool third = x >= 16 && y >= 16 && x < end && y < end;
            const uint32_t flipped = then == Then::stencil_test && third ? 0xff000000u : 0u;
            const uint32_t depth = third ? 0x400000 : second ? 0x800000 : 0xffffff;
            EXPECT_EQ(s.depth.word(x, y, sample), ((before.depth.word(x, y, sample) & 0xff000000) ^ flipped) | depth)
                << x << ", " << y << ", sample " << sample << ", " << int(then);
          }
    }
}

}  // namespace
}  // namespace Atoll::pipeline
