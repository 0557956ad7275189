// Draws whose shaded vertices and primitives are given: the same bits as when the pipeline assembles and shades the same list, however
// it is cut into groups; what primitives have of their own; hostile slots; draws that fail.
#include "pipeline/draws/given_primitives.h"

#include <gtest/gtest.h>

#include <random>

#include "canvas.h"

namespace Atoll::pipeline {
namespace {

constexpr unsigned width = 96, height = 64;

// A deferred draw of a canvas's state, whose counters and success are told.
struct Told {
  unsigned times = 0;
  bool good = false;
  Counters counters;
};
class Deferred : public WaitingDraw {
public:
  Deferred(const Draw& from, Told& told) : WaitingDraw(from), told_(told) { draw.stays_open = true; }
  void finished(const Counters& counters, bool good) override { told_.times++, told_.good = good, told_.counters = counters; }

private:
  Told& told_;
};

// Vertices of one attribute and primitives between them.
struct Model {
  std::vector<Vertex> vertices;
  std::vector<float> attributes;
  std::vector<Assembled> primitives;

  uint32_t vertex(float x, float y, float z, const std::array<float, 4>& attribute) {
    Vertex vertex;
    vertex.position[0] = x, vertex.position[1] = y, vertex.position[2] = z, vertex.position[3] = 1;
    vertices.push_back(vertex);
    attributes.insert(attributes.end(), attribute.begin(), attribute.end());
    return uint32_t(vertices.size() - 1);
  }
  // Two triangles over the rectangle; their provoking corners are the last ones.
  void rectangle(float left, float top, float right, float bottom, const std::array<float, 4>& colour) {
    const uint32_t a = vertex(left, top, 0, colour), b = vertex(right, top, 0, colour), c = vertex(right, bottom, 0, colour),
                   d = vertex(left, bottom, 0, colour);
    triangle(a, b, c), triangle(a, c, d);
  }
  void triangle(uint32_t a, uint32_t b, uint32_t c) {
    primitives.push_back({{a, b, c}, c, uint32_t(primitives.size()), ~0u, PrimitiveKind::triangle});
  }
};

// Vertices `first` on of a list of triangles, as a group of their own.
bool give(GivenDraw& draw, const Model& model, size_t first, size_t count) {
  const GivenVertices given = draw.vertices(3 * count);
  std::copy_n(model.vertices.begin() + ptrdiff_t(3 * first), 3 * count, given.vertices.begin());
  std::copy_n(model.attributes.begin() + ptrdiff_t(12 * first), 12 * count, given.attributes);
  std::vector<Assembled> primitives(model.primitives.begin() + ptrdiff_t(first),
                                    model.primitives.begin() + ptrdiff_t(first + count));
  for (Assembled& p : primitives) {
    for (uint32_t& slot : p.slot) slot -= uint32_t(3 * first);
    p.provoking -= uint32_t(3 * first);
  }
  return draw.add(primitives);
}
bool give(GivenDraw& draw, const Model& model, std::span<const PrimitiveValues> values = {}, const float* own = nullptr,
          unsigned own_attributes = 0) {
  const GivenVertices given = draw.vertices(model.vertices.size());
  std::ranges::copy(model.vertices, given.vertices.begin());
  std::ranges::copy(model.attributes, given.attributes);
  return draw.add(model.primitives, values, own, own_attributes);
}

class GivenPrimitivesTest : public testing::Test {
protected:
  GivenPrimitivesTest() { to_given(canvas.draw); }
  static void to_given(Draw& draw) { draw.vertex_stage = nullptr, draw.given_attributes = 1; }

  Canvas canvas{width, height};
  std::atomic<int> stop{0};
};

TEST_F(GivenPrimitivesTest, TheSameBitsAsAssembledHoweverTheyAreGrouped) {
  std::mt19937 random(7);
  auto unit = [&] { return float(random() % 4096) / 4096; };
  Model model;
  Canvas assembled(width, height);
  assembled.draw.assembly.topology = Topology::triangles;
  assembled.draw.assembly.provoking = ProvokingVertex::last;
  for (unsigned n = 0; n < 3 * 700; n++) {
    const float x = unit() * 140 - 20, y = unit() * 100 - 20, z = unit();
    const std::array<float, 4> colour{unit(), unit(), unit(), unit()};
    model.vertex(x, y, z, colour);
    assembled.vertices.add(x, y, z, 1, {colour.begin(), colour.end()});
    if (n % 3 == 2) model.triangle(n - 2, n - 1, n);
  }
  ASSERT_TRUE(assembled.run());
  for (unsigned threads : {1u, 3u})
    for (size_t most : {1u, 7u, 300u, 700u})
      for (unsigned way : {0u, 1u, 2u, 3u}) {
        const bool deferred = way & 1;
        canvas.draw.uniform_pixels = way & 2;  // a word that lets the pipeline wait for what comes (fill.h)
        SCOPED_TRACE(testing::Message() << threads << " threads, groups of " << most << (deferred ? ", deferred" : "")
                                        << (canvas.draw.uniform_pixels ? ", alike" : ""));
        canvas.colour.fill(0);
        Workers workers(threads);
        Counters counters;
        Told told;
        {
          auto draw = deferred ? std::make_unique<GivenDraw>(std::make_unique<Deferred>(canvas.draw, told), workers, stop)
                               : std::make_unique<GivenDraw>(canvas.draw, workers, stop);
          for (size_t first = 0; first < 700; first += most)
            ASSERT_TRUE(give(*draw, model, first, std::min<size_t>(most, 700 - first)));
          EXPECT_TRUE(draw->end(counters));
        }
        ASSERT_TRUE(write_back(workers));
        if (deferred) {
          EXPECT_EQ(told.times, 1u);
          EXPECT_TRUE(told.good);
          counters = told.counters;
        }
        EXPECT_EQ(canvas.colour.texels, assembled.colour.texels);
        EXPECT_EQ(counters.pixel_invocations, assembled.counters.pixel_invocations);
        EXPECT_EQ(counters.clipped_primitives_in, 700u);
        EXPECT_EQ(counters.clipped_primitives_out, assembled.counters.clipped_primitives_out);
        EXPECT_EQ(counters.vertices, 0u);  // whoever gives them counts them
      }
}

// Two primitives between the same vertices go to two layers and through two viewports' scissors, with attributes of their own.
TEST_F(GivenPrimitivesTest, PrimitivesHaveLayersViewportsAndAttributesOfTheirOwn) {
  MemoryTarget layers(width, height, 4, 1, 3);
  canvas.draw.targets.layers = 3;
  canvas.draw.targets.colour[0].target = &layers;
  canvas.draw.scissor_viewports = true;
  for (auto& scissor : canvas.draw.viewport_scissors) scissor = {0, 0, width, height};
  canvas.draw.viewport_scissors[5] = {8, 8, 16, 16};
  canvas.pixels.function = [](const PixelBatch& batch, PixelResults& results) {
    for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
      for (unsigned k = 0; k < 4; k++) results.colour[0][k][lane] = std::bit_cast<uint32_t>(batch.primitive[lane / 4].own[4 + k]);
    results.outputs = 1;
  };
  Model model;
  model.rectangle(0, 0, width, height, {});
  model.primitives.push_back(model.primitives[0]);
  model.primitives.push_back(model.primitives[1]);
  const std::vector<PrimitiveValues> values{{1, 0}, {1, 0}, {2, 5}, {2, 5}};
  std::vector<float> own(4 * 8, 0.0f);  // two attributes each; the second is the colour
  for (unsigned p = 0; p < 4; p++)
    for (unsigned k = 0; k < 4; k++) own[p * 8 + 4 + k] = p < 2 ? 1.0f : k == 3 ? 1.0f : 0.2f;
  Workers workers(2);
  Counters counters;
  {
    GivenDraw draw(canvas.draw, workers, stop);
    ASSERT_TRUE(give(draw, model, values, own.data(), 2));
    own.assign(own.size(), 0.0f);  // they were copied
    ASSERT_TRUE(draw.end(counters));
  }
  for (unsigned y = 0; y < height; y++)
    for (unsigned x = 0; x < width; x++) {
      ASSERT_EQ(layers.word(x, y, 0, 0), 0u) << x << ' ' << y;
      ASSERT_EQ(layers.word(x, y, 0, 1), ~0u) << x << ' ' << y;
      const bool inside = x >= 8 && x < 16 && y >= 8 && y < 16;
      ASSERT_EQ(layers.word(x, y, 0, 2), inside ? 0xff333333 : 0u) << x << ' ' << y;
    }
}

TEST_F(GivenPrimitivesTest, FlatAttributesAreTheProvokingCorners) {
  canvas.pixels.function = flat_colour;
  for (unsigned corner = 0; corner < 3; corner++) {
    Model model;
    const uint32_t a = model.vertex(0, 0, 0, {1, 0, 0, 0}), b = model.vertex(64, 0, 0, {0, 1, 0, 0}),
                   c = model.vertex(0, 64, 0, {0, 0, 1, 0});
    model.triangle(a, b, c);
    model.primitives[0].provoking = model.primitives[0].slot[corner];
    Workers workers(1);
    Counters counters;
    GivenDraw draw(canvas.draw, workers, stop);
    ASSERT_TRUE(give(draw, model));
    ASSERT_TRUE(draw.end(counters));
    EXPECT_EQ(canvas.colour.word(5, 5), 0xffu << 8 * corner);
  }
}

// A line's stipple goes on from group to group, as it does in one strip.
TEST_F(GivenPrimitivesTest, LinesGoOnFromGroupToGroup) {
  Rasterization& raster = canvas.draw.rasterization;
  raster.line_stipple = true;
  raster.line_stipple_pattern = 0x0f0f;
  raster.line_stipple_factor = 1;
  raster.line_stipple_reset = Rasterization::StippleReset::none;
  Canvas strip(width, height);
  strip.draw.rasterization = raster;
  strip.draw.assembly.topology = Topology::line_strip;
  const float at[] = {0.5f, 5.5f, 11.5f, 40.5f, 43.5f, 90.5f};
  for (float x : at) strip.vertices.add(x, 10.5f, 0, 1, {1, 1, 1, 1});
  ASSERT_TRUE(strip.run());
  LineProgress end;
  canvas.draw.lines_end = &end;
  Workers workers(2);
  Counters counters;
  GivenDraw draw(canvas.draw, workers, stop);
  for (unsigned n = 0; n + 1 < std::size(at); n++) {
    Model model;
    model.vertex(at[n], 10.5f, 0, {1, 1, 1, 1}), model.vertex(at[n + 1], 10.5f, 0, {1, 1, 1, 1});
    model.primitives.push_back({{0, 1, 0}, 1, n, n ? 1u : 0u, PrimitiveKind::line});
    ASSERT_TRUE(give(draw, model));
  }
  ASSERT_TRUE(draw.end(counters));
  EXPECT_EQ(canvas.colour.texels, strip.colour.texels);
  EXPECT_EQ(end.pattern, 90u);
  unsigned lit = 0;
  for (unsigned x = 0; x < width; x++) lit += canvas.colour.word(x, 10) != 0;
  EXPECT_GT(lit, 40u);
  EXPECT_LT(lit, 50u);
}

TEST_F(GivenPrimitivesTest, PrimitivesOfVerticesThatAreNotThereAreDropped) {
  Model model;
  model.rectangle(0, 0, width, height, {1, 1, 1, 1});
  std::vector<Assembled> hostile;
  for (unsigned n = 0; n < 4; n++) {
    Assembled p = model.primitives[0];
    (n < 3 ? p.slot[n] : p.provoking) = n == 1 ? ~0u : 4;
    hostile.push_back(p);
  }
  model.primitives.insert(model.primitives.begin(), hostile.begin(), hostile.end());
  Workers workers(1);
  Counters counters;
  GivenDraw draw(canvas.draw, workers, stop);
  ASSERT_TRUE(give(draw, model));
  ASSERT_TRUE(draw.end(counters));
  EXPECT_EQ(counters.clipped_primitives_in, 2u);
  EXPECT_EQ(counters.pixel_invocations, width * height);
  for (unsigned n = 0; n < width * height; n++) ASSERT_EQ(canvas.colour.word(n % width, n / width), ~0u);
}

// Draws of rectangles that the pipeline may fill (fill.h), and so holds until more comes: whatever comes behind, and in whatever way they
// end, is as with those that it may not.
TEST_F(GivenPrimitivesTest, WhatMayBeFilledIsDrawnAsTheOthers) {
  Model whole, left, hostile;
  whole.rectangle(0, 0, width, height, {1, 1, 1, 1});
  left.rectangle(0, 0, 40, height, {0, 0.25f, 0.5f, 1});
  hostile.rectangle(0, 0, width, height, {1, 1, 1, 1});
  hostile.primitives[1].slot[2] = 4;
  const std::vector<PrimitiveValues> values{{0, 0}, {0, 0}};
  struct Case {
    const char* name;
    std::function<bool(GivenDraw&)> give_all;
    bool ends = true;
  };
  const Case cases[] = {
      {"one", [&](GivenDraw& d) { return give(d, whole); }},
      {"two groups", [&](GivenDraw& d) { return give(d, whole) && give(d, left); }},
      {"three groups", [&](GivenDraw& d) { return give(d, left) && give(d, whole) && give(d, left); }},
      {"values", [&](GivenDraw& d) { return give(d, whole, values); }},
      {"values behind", [&](GivenDraw& d) { return give(d, left) && give(d, left, values); }},
      {"a corner that is not there", [&](GivenDraw& d) { return give(d, hostile); }},
      {"nothing", [](GivenDraw&) { return true; }},
      {"no primitives", [](GivenDraw& d) { return d.vertices(4).vertices.size() == 4 && d.add(std::span<const Assembled>()); }},
      {"not ended", [&](GivenDraw& d) { return give(d, whole); }, false},
  };
  for (const Case& c : cases)
    for (bool deferred : {false, true}) {
      std::vector<uint8_t> pictures[2];
      Counters counters[2];
      for (bool alike : {false, true}) {
        SCOPED_TRACE(testing::Message() << c.name << (deferred ? ", deferred" : "") << (alike ? ", alike" : ""));
        canvas.colour.fill(0x12345678);
        canvas.draw.uniform_pixels = alike;
        Workers workers(2);
        Told before, told;
        {
          GivenDraw draw(std::make_unique<Deferred>(canvas.draw, before), workers, stop);
          ASSERT_TRUE(give(draw, left));
          ASSERT_TRUE(draw.end(counters[alike]));
        }
        {
          auto draw = deferred ? std::make_unique<GivenDraw>(std::make_unique<Deferred>(canvas.draw, told), workers, stop)
                               : std::make_unique<GivenDraw>(canvas.draw, workers, stop);
          EXPECT_TRUE(c.give_all(*draw));
          if (c.ends) EXPECT_TRUE(draw->end(counters[alike]));
        }
        EXPECT_TRUE(write_back(workers));
        EXPECT_EQ(before.times, 1u);
        EXPECT_TRUE(before.good);
        EXPECT_EQ(told.times, deferred ? 1u : 0u);
        EXPECT_EQ(told.good, deferred && c.ends);
        if (deferred) counters[alike] = told.counters;
        pictures[alike] = canvas.colour.texels;
      }
      if (!c.ends) continue;
      EXPECT_EQ(pictures[0], pictures[1]) << c.name;
      EXPECT_EQ(counters[0].pixel_invocations, counters[1].pixel_invocations) << c.name;
      EXPECT_EQ(counters[0].clipped_primitives_in, counters[1].clipped_primitives_in) << c.name;
    }
}

// A draw that is not ended has failed; those before it are drawn, those behind it are as good as any.
TEST_F(GivenPrimitivesTest, WhatIsNotEndedHasFailed) {
  Workers workers(2);
  Model model;
  model.rectangle(0, 0, width, height, {1, 1, 1, 1});
  std::array<Told, 3> told;
  for (unsigned n = 0; n < 3; n++) {
    Counters counters;
    GivenDraw draw(std::make_unique<Deferred>(canvas.draw, told[n]), workers, stop);
    ASSERT_TRUE(give(draw, model));
    if (n != 1) EXPECT_TRUE(draw.end(counters));
  }
  EXPECT_TRUE(write_back(workers));
  for (unsigned n = 0; n < 3; n++) {
    EXPECT_EQ(told[n].times, 1u) << n;
    EXPECT_EQ(told[n].good, n != 1) << n;
  }
  EXPECT_EQ(canvas.colour.word(3, 3), ~0u);
  stop = 1;
  Told stopped;
  {
    Counters counters;
    GivenDraw draw(std::make_unique<Deferred>(canvas.draw, stopped), workers, stop);
    EXPECT_FALSE(give(draw, model));
    EXPECT_FALSE(draw.end(counters));
  }
  EXPECT_EQ(stopped.times, 1u);
  EXPECT_FALSE(stopped.good);
}

// If an earlier draw has failed, which is found when targets are bound over its memory, nothing of the draw is drawn.
TEST_F(GivenPrimitivesTest, ADrawBehindOneThatFailedDrawsNothing) {
  class Fails : public FunctionPixels {
  public:
    using FunctionPixels::FunctionPixels;
    bool shade(unsigned, const PixelBatch&, PixelResults&) override { return false; }
  } fails{attribute_colour};
  Workers workers(2);
  Model model;
  model.rectangle(0, 0, width, height, {1, 1, 1, 1});
  Told failed, behind;
  Counters counters;
  View first(canvas.colour), second(canvas.colour);  // other blocks over the same memory
  canvas.draw.targets.colour[0].target = &first;
  {
    auto draw = std::make_unique<Deferred>(canvas.draw, failed);
    draw->draw.pixel_stage = &fails;
    GivenDraw given(std::move(draw), workers, stop);
    ASSERT_TRUE(give(given, model));
    EXPECT_TRUE(given.end(counters));  // its pixels are still to be drawn
  }
  canvas.draw.targets.colour[0].target = &second;
  {
    GivenDraw given(std::make_unique<Deferred>(canvas.draw, behind), workers, stop);
    EXPECT_FALSE(give(given, model));
    EXPECT_FALSE(given.end(counters));
  }
  EXPECT_EQ(failed.times, 1u);
  EXPECT_FALSE(failed.good);
  EXPECT_EQ(behind.times, 1u);
  EXPECT_FALSE(behind.good);
  write_back(workers);
  EXPECT_EQ(std::ranges::count(canvas.colour.texels, 0), ptrdiff_t(canvas.colour.texels.size()));
  // The next draw is as good as any.
  Told good;
  {
    GivenDraw given(std::make_unique<Deferred>(canvas.draw, good), workers, stop);
    ASSERT_TRUE(give(given, model));
    EXPECT_TRUE(given.end(counters));
  }
  EXPECT_TRUE(write_back(workers));
  EXPECT_TRUE(good.good);
  EXPECT_EQ(canvas.colour.word(5, 5), ~0u);
}

// Blocks are written back in the middle of a draw, as before stream-out.
TEST_F(GivenPrimitivesTest, TargetsMayBeWrittenBackBetweenGroups) {
  Workers workers(2);
  Told told;
  Model left, right;
  left.rectangle(0, 0, 32, height, {1, 1, 1, 1}), right.rectangle(32, 0, width, height, {1, 1, 1, 1});
  Counters counters;
  GivenDraw draw(std::make_unique<Deferred>(canvas.draw, told), workers, stop);
  ASSERT_TRUE(give(draw, left));
  ASSERT_TRUE(write_back(workers));
  EXPECT_EQ(canvas.colour.word(0, 0), ~0u);
  EXPECT_EQ(canvas.colour.word(40, 0), 0u);
  ASSERT_TRUE(give(draw, right));
  ASSERT_TRUE(draw.end(counters));
  ASSERT_TRUE(write_back(workers));
  EXPECT_EQ(canvas.colour.word(40, 0), ~0u);
  EXPECT_TRUE(told.good);
  EXPECT_EQ(told.counters.pixel_invocations, width * height);
}

}  // namespace
}  // namespace Atoll::pipeline
