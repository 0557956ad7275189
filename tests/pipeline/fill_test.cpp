// Draws that are clears in effect: filled where they may be, with the bits that drawing gives, and drawn where they may not.
#include <gtest/gtest.h>

#include <random>

#include "canvas.h"
#include "pipeline/draws/given_primitives.h"

namespace Atoll::pipeline {
namespace {

constexpr unsigned width = 90, height = 75;

// Says how often it was filled.
class CountingTarget : public MemoryTarget {
public:
  using MemoryTarget::MemoryTarget;
  void fill_area(const Rectangle& area, unsigned layer, const PixelChange& change) override {
    fills++;
    MemoryTarget::fill_area(area, layer, change);
  }
  void randomize(unsigned seed) {
    std::mt19937 random(seed);
    for (auto& texel : texels) texel = uint8_t(random());
  }
  unsigned fills = 0;
};

struct Picture {
  explicit Picture(unsigned samples = 1)
      : canvas(width, height, samples), colour(width, height, 4, samples), depth(width, height, 4, samples) {
    canvas.draw.targets.colour[0].target = &colour;
    canvas.draw.rasterization.sample_positions = {{{2, 6}, {6, 14}, {10, 2}, {14, 10}}};
    if (samples == 1) canvas.draw.rasterization.sample_positions[0] = {8, 8};
    canvas.draw.rasterization.sample_mask = (1u << samples) - 1;
    colour.randomize(1);
    depth.randomize(2);
    canvas.draw.depth_stencil.count_samples = true;
    canvas.draw.rasterization.point_least = 0;
  }
  void bind_depth() { canvas.draw.targets.depth = {&depth, 24, nullptr, true}; }
  // Corners in order around the rectangle, all with the same attribute.
  void rectangle(Topology topology, float left, float top, float right, float bottom, float z = 0.25f, bool mirrored = false) {
    const std::vector<float> paint{1, 0, 0.5f, 1};
    canvas.draw.assembly.topology = topology;
    if (topology == Topology::points) {
      canvas.draw.rasterization.point_width = right - left, canvas.draw.rasterization.point_height = bottom - top;
      canvas.vertices.add((left + right) / 2, (top + bottom) / 2, z, 1, paint);
      return;
    }
    float x[4] = {left, right, right, left}, y[4] = {top, top, bottom, bottom};
    for (unsigned n = 0; n < 4; n++) {
      unsigned at = mirrored ? 3 - n : n;
      if (topology == Topology::triangle_strip && at >= 2) at = 5 - at;
      canvas.vertices.add(x[at], y[at], z, 1, paint);
    }
  }
  bool run(bool alike) {
    canvas.draw.uniform_pixels = alike;
    return canvas.run();
  }
  // The same vertices and primitives, given to the pipeline, under the word that it may fill.
  bool run_given() {
    canvas.draw.vertices.count = uint32_t(canvas.vertices.vertices.size());
    Draw draw = canvas.draw;
    draw.vertex_stage = nullptr, draw.given_attributes = canvas.vertices.attribute_count(), draw.uniform_pixels = true;
    Workers workers(1);
    GivenDraw given(draw, workers, canvas.stop);
    Assembler assembler(canvas.draw, given.cache());
    Segment segment;
    while (assembler.next(segment)) {
      const GivenVertices vertices = given.vertices(segment.number.size());
      canvas.vertices.shade(0, {segment.number, segment.instance}, vertices.vertices.data(), vertices.attributes);
      if (!given.add(segment.primitives)) return false;
    }
    canvas.counters.vertices = assembler.vertices_read(), canvas.counters.primitives = assembler.primitives_read();
    return given.end(canvas.counters);
  }

  Canvas canvas;
  CountingTarget colour, depth;
};

// Drawn once as all draws are and once under the word that it may be filled, its vertices shaded by the pipeline or given: the same bits,
// the same count of samples.
template <class Setup>
void expect_the_same(unsigned samples, bool filled, bool given, Setup&& setup, const std::string& what) {
  Picture drawn(samples), other(samples);
  setup(drawn), setup(other);
  ASSERT_TRUE(drawn.run(false)) << what;
  ASSERT_TRUE(given ? other.run_given() : other.run(true)) << what;
  EXPECT_EQ(drawn.colour.fills + drawn.depth.fills, 0u) << what;
  EXPECT_EQ(other.colour.fills + other.depth.fills > 0, filled) << what;
  ASSERT_EQ(drawn.colour.texels, other.colour.texels) << what;
  ASSERT_EQ(drawn.depth.texels, other.depth.texels) << what;
  EXPECT_EQ(drawn.canvas.counters.samples_passed, other.canvas.counters.samples_passed) << what;
  EXPECT_EQ(drawn.canvas.counters.vertices, other.canvas.counters.vertices) << what;
  EXPECT_EQ(drawn.canvas.counters.primitives, other.canvas.counters.primitives) << what;
  EXPECT_EQ(drawn.canvas.counters.clipped_primitives_out, other.canvas.counters.clipped_primitives_out) << what;
  if (samples == 1) {
    EXPECT_EQ(drawn.canvas.counters.pixel_invocations, other.canvas.counters.pixel_invocations) << what;
  }
}

template <class Setup>
void expect_the_same(unsigned samples, bool filled, Setup&& setup, const std::string& what) {
  expect_the_same(samples, filled, false, setup, what);
  expect_the_same(samples, filled, true, setup, what + ", given");
}

constexpr Topology topologies[] = {Topology::points, Topology::quads, Topology::polygon, Topology::triangle_fan,
                                   Topology::triangle_strip};

TEST(Fill, ARectangleHasItsPixelsAndNoOthers) {
  for (Topology topology : topologies) {
    Picture picture;
    picture.colour.MemoryTarget::fill(0x12345678);
    picture.rectangle(topology, 5, 7, 45, 37);
    ASSERT_TRUE(picture.run(true));
    EXPECT_EQ(picture.colour.fills, 1u);
    EXPECT_EQ(picture.canvas.counters.samples_passed, 40u * 30);
    for (unsigned y = 0; y < height; y++)
      for (unsigned x = 0; x < width; x++) {
        bool inside = x >= 5 && x < 45 && y >= 7 && y < 37;
        ASSERT_EQ(picture.colour.word(x, y), inside ? 0xff8000ffu : 0x12345678u) << int(topology) << ": " << x << ", " << y;
      }
  }
}

TEST(Fill, PlacesAndScissors) {
  struct Place {
    float left, top, right, bottom;
  };
  // On pixels' borders, on their centres, between, and beyond the target.
  const Place places[] = {
      {0, 0, 90, 75},       {3, 5, 80, 70},          {3.5f, 5.5f, 80.5f, 70.5f}, {2.25f, 7.75f, 61.0625f, 60.5f},
      {-20, -10, 120, 100}, {-7.5f, 9, 200, 74.25f}, {10, 10, 42, 42},           {11, 0, 31, 75}};
  unsigned pairs = 0;
  for (Topology topology : topologies)
    for (auto& p : places)
      for (bool mirrored : {false, true})
        for (bool scissored : {false, true}) {
          // Mesa's clears scissor quads; here to odd borders.
          expect_the_same(
              1, true,
              [&](Picture& picture) {
                picture.rectangle(topology, p.left, p.top, p.right, p.bottom, 0.25f, mirrored);
                if (scissored) picture.canvas.draw.rasterization.scissors = {{1, 3, 79, 90}, {5, 0, 100, 61}};
                picture.canvas.draw.rasterization.grid.limit = 256;
              },
              std::to_string(int(topology)) + " at " + std::to_string(p.left) + ", " + std::to_string(p.top));
          pairs++;
        }
  EXPECT_EQ(pairs, 160u);
}

TEST(Fill, Samples) {
  for (Topology topology : topologies)
    for (uint32_t mask : {0xfu, 0x5u, 0x8u})
      for (bool on_borders : {true, false}) {
        auto setup = [&](Picture& picture) {
          picture.bind_depth();
          picture.canvas.draw.depth_stencil.depth_test = picture.canvas.draw.depth_stencil.depth_write = true;
          picture.canvas.draw.rasterization.sample_mask = mask;
          float shift = on_borders ? 0 : 0.5f;
          picture.rectangle(topology, 3 + shift, 5 + shift, 80 + shift, 70 + shift);
        };
        // Pixels of which some samples are inside are drawn; of mask 8 there is one sample, all or nothing.
        expect_the_same(4, on_borders || mask == 8, setup, std::to_string(int(topology)) + " mask " + std::to_string(mask));
      }
}

TEST(Fill, DepthStencilAndMasks) {
  unsigned states = 0;
  for (Topology topology : {Topology::points, Topology::quads})
    for (bool early : {true, false})
      for (Compare compare : {Compare::always, Compare::never, Compare::less, Compare::equal})
        for (bool write : {true, false})
          for (Compare stencil_compare : {Compare::always, Compare::never, Compare::less})
            for (StencilOp op :
                 {StencilOp::keep, StencilOp::zero, StencilOp::replace, StencilOp::invert, StencilOp::increment_wrap})
              for (uint8_t stencil_mask : {0xff, 0x3c, 0})
                for (uint8_t colour_mask : {0xf, 0x5, 0}) {
                  bool tested = compare == Compare::less || compare == Compare::equal || stencil_compare == Compare::less ||
                                op == StencilOp::increment_wrap;
                  Picture drawn, other;
                  for (Picture* picture : {&drawn, &other}) {
                    picture->bind_depth();
                    auto& state = picture->canvas.draw.depth_stencil;
                    state.early = early;
                    state.depth_test = state.stencil_test = true;
                    state.depth_write = write, state.depth_compare = compare;
                    state.front.compare = stencil_compare;
                    state.front.fail = state.front.pass = state.front.depth_fail = op;
                    state.front.reference = 0x5a, state.front.write_mask = stencil_mask;
                    state.back = state.front;
                    picture->canvas.draw.colour.blend[0].write_mask = colour_mask;
                    picture->rectangle(topology, 3, 5, 60, 70, 0.375f);
                  }
                  ASSERT_TRUE(drawn.run(false));
                  ASSERT_TRUE(other.run(true));
                  ASSERT_EQ(drawn.colour.texels, other.colour.texels);
                  ASSERT_EQ(drawn.depth.texels, other.depth.texels);
                  ASSERT_EQ(drawn.canvas.counters.samples_passed, other.canvas.counters.samples_passed);
                  if (tested) {
                    ASSERT_EQ(other.colour.fills + other.depth.fills, 0u);
                  }
                  states++;
                }
  EXPECT_EQ(states, 2u * 2 * 4 * 2 * 3 * 5 * 3 * 3);
}

TEST(Fill, PixelsThatAreKilled) {
  expect_the_same(
      1, false,
      [](Picture& picture) {
        picture.rectangle(Topology::quads, 3, 5, 60, 70);
        picture.canvas.pixels.function = [](const PixelBatch& batch, PixelResults& results) {
          attribute_colour(batch, results);
          results.killed = batch.covered;
        };
      },
      "killed");
}

// Draws that may not be filled, for one reason each.
TEST(Fill, WhatDependsOnThePixelIsDrawn) {
  struct Case {
    const char* name;
    std::function<void(Picture&)> change;
  };
  const Case cases[] = {
      {"attributes differ", [](Picture& p) { p.canvas.vertices.attributes[4] = 0; }},
      {"one is no number",
       [](Picture& p) {
         for (unsigned n = 0; n < 4; n++) p.canvas.vertices.attributes[4 * n] = NAN;
       }},
      {"one is -0",
       [](Picture& p) {
         for (unsigned n = 0; n < 4; n++) p.canvas.vertices.attributes[4 * n] = -0.0f;
       }},
      {"depths differ", [](Picture& p) { p.canvas.vertices.vertices[2].position[2] = 0.75f; }},
      {"a corner is off", [](Picture& p) { p.canvas.vertices.vertices[2].position[0] += 1; }},
      {"crossed", [](Picture& p) { std::swap(p.canvas.vertices.vertices[2].position, p.canvas.vertices.vertices[3].position); }},
      {"blending", [](Picture& p) { p.canvas.draw.colour.blend[0].enable = true; }},
      {"logic", [](Picture& p) { p.canvas.draw.colour.logic_op_enable = true, p.canvas.draw.colour.logic_op = 6; }},
      {"alpha to coverage", [](Picture& p) { p.canvas.draw.colour.alpha_to_coverage = true; }},
      {"clip rectangles",
       [](Picture& p) {
         p.canvas.draw.rasterization.use_clip_rectangles = true;
         p.canvas.draw.rasterization.clip_rectangles[0] = {10, 10, 20, 20};
         p.canvas.draw.rasterization.clip_rectangle_rule = 0x5555;
       }},
      {"culled", [](Picture& p) { p.canvas.draw.rasterization.cull_front = p.canvas.draw.rasterization.cull_back = true; }},
      {"lines", [](Picture& p) { p.canvas.draw.rasterization.fill_front = p.canvas.draw.rasterization.fill_back = Fill::lines; }},
      {"two quads", [](Picture& p) { p.rectangle(Topology::quads, 20, 20, 50, 50); }},
      {"triangle", [](Picture& p) { p.canvas.vertices.vertices.pop_back(); }},
      {"two instances", [](Picture& p) { p.canvas.draw.vertices.instances = 2; }},
      {"small", [](Picture& p) { p.canvas.draw.rasterization.scissors = {{10, 10, 40, 40}}; }},
      {"nowhere", [](Picture& p) { p.canvas.draw.rasterization.scissors = {{70, 10, 90, 40}}; }},
  };
  for (auto& c : cases)
    for (Topology topology : {Topology::quads, Topology::triangle_fan}) {
      if (c.name == std::string("two quads") && topology != Topology::quads) continue;
      expect_the_same(
          1, false,
          [&](Picture& picture) {
            picture.rectangle(topology, 3, 5, 60, 70);
            c.change(picture);
          },
          c.name);
    }
}

// A target that is not there for all of the area, and one of other sizes of texels.
TEST(Fill, SizesOfTexels) {
  for (auto [layout, bytes] : {std::pair{surface::Layout::bits_8, 1u},
                               {surface::Layout::bits_5_6_5, 2u},
                               {surface::Layout::bits_16_16_16_16, 8u},
                               {surface::Layout::bits_32_32_32_32, 16u}}) {
    surface::Number number = bytes == 16 ? surface::Number::floating : surface::Number::unorm;
    CountingTarget drawn(width, height, bytes), filled(width, height, bytes);
    for (CountingTarget* target : {&drawn, &filled}) {
      target->randomize(3);
      Picture picture;
      picture.canvas.draw.targets.colour[0] = {target, {layout, number, surface::natural_order}, bytes, false};
      picture.canvas.draw.colour.blend[0].write_mask = 0xb;
      picture.rectangle(Topology::points, 9, 11, 71, 64);
      ASSERT_TRUE(picture.run(target == &filled));
    }
    EXPECT_EQ(filled.fills, 1u) << bytes;
    EXPECT_EQ(drawn.texels, filled.texels) << bytes;
  }
}

}  // namespace
}  // namespace Atoll::pipeline
