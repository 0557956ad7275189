// Lines against OpenGL's rule written as a loop over columns, in whole numbers; stipple; triangles filled as lines and points.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "canvas.h"

namespace Atoll::pipeline {
namespace {

void count_in_red(Canvas& canvas) {
  canvas.pixels.function = [](const PixelBatch& batch, PixelResults& results) {
    for (int c = 0; c < 4; c++) results.colour[0][c].fill(std::bit_cast<uint32_t>(1.0f / 255));
    results.outputs = 1;
  };
  Blend& blend = canvas.draw.colour.blend[0];
  blend.enable = true;
  blend.source_colour = blend.target_colour = BlendFactor::one;
}

// OpenGL 4.6 compatibility 14.5.1: pixel f belongs to the line if the line leaves the diamond |x - xf| + |y - yf| < 1/2. Ends on
// a fine grid, all in 1/256 pixel; the pixel whose diamond holds the end is not drawn. Here by walking along the line in small
// steps.
std::set<std::pair<int, int>> pixels_of_line(double x0, double y0, double x1, double y1) {
  std::set<std::pair<int, int>> touched;
  bool by_x = std::abs(x1 - x0) >= std::abs(y1 - y0);
  auto in_diamond = [](double x, double y, int px, int py) { return std::abs(x - px - 0.5) + std::abs(y - py - 0.5) < 0.5; };
  // Main rule of Bresenham's line: one pixel a column, where the line crosses the column's centre; the ends by the diamonds.
  double m0 = by_x ? x0 : y0, m1 = by_x ? x1 : y1, n0 = by_x ? y0 : x0, n1 = by_x ? y1 : x1;
  for (int column = int(std::floor(std::min(m0, m1))) - 1; column <= int(std::floor(std::max(m0, m1))) + 1; column++) {
    double centre = column + 0.5, t = (centre - m0) / (m1 - m0);
    double across = n0 + t * (n1 - n0);
    int row = int(std::floor(across));
    double along_from_start = (centre - m0) * (m1 > m0 ? 1 : -1), along_to_end = (m1 - centre) * (m1 > m0 ? 1 : -1);
    auto end_in = [&](double m, double n) {
      int r = int(std::floor(n));
      return by_x ? in_diamond(m, n, column, r) : in_diamond(n, m, r, column);
    };
    bool begins = along_from_start >= 0 || end_in(m0, n0), ends = along_to_end > 0 && !end_in(m1, n1);
    if (begins && ends) touched.insert(by_x ? std::pair{column, row} : std::pair{row, column});
  }
  return touched;
}

TEST(Lines, MatchTheDiamondRule) {
  std::mt19937 random(51);
  std::uniform_real_distribution<float> place(-10, 90);
  for (int round = 0; round < 1500; round++) {
    Canvas canvas(80, 80);
    count_in_red(canvas);
    canvas.draw.assembly.topology = Topology::lines;
    float p[4];
    // Never through a corner between pixels: odd multiples of 1/256 make ties unlikely.
    for (float& v : p) v = std::floor(place(random) * 256) / 256 + (round % 2 ? 0 : 1.0f / 256);
    if (round % 10 == 0) p[2] = p[0] + (p[2] > p[0] ? 1 : -1), p[3] = p[1] + 0.5f;
    canvas.vertices.add(p[0], p[1]), canvas.vertices.add(p[2], p[3]);
    ASSERT_TRUE(canvas.run());
    auto expected = pixels_of_line(p[0], p[1], p[2], p[3]);
    for (int y = 0; y < 80; y++)
      for (int x = 0; x < 80; x++) {
        // Ties: where the line passes between two pixels exactly, either is right.
        unsigned is = canvas.colour.word(unsigned(x), unsigned(y)) & 0xff;
        if (is != expected.count({x, y})) {
          bool by_x = std::abs(p[2] - p[0]) >= std::abs(p[3] - p[1]);
          double t = by_x ? (x + 0.5 - p[0]) / (double(p[2]) - p[0]) : (y + 0.5 - p[1]) / (double(p[3]) - p[1]);
          double across = by_x ? p[1] + t * (double(p[3]) - p[1]) : p[0] + t * (double(p[2]) - p[0]);
          ASSERT_LT(std::abs(across - std::round(across)), 1e-9)
              << "round " << round << " at " << x << "," << y << ": " << p[0] << "," << p[1] << " to " << p[2] << "," << p[3];
        }
      }
  }
}

// A strip's pieces join: no pixel twice, none missing (x-major, going right).
TEST(Lines, StripsJoin) {
  std::mt19937 random(53);
  for (int round = 0; round < 200; round++) {
    Canvas canvas(120, 60);
    count_in_red(canvas);
    canvas.draw.assembly.topology = Topology::line_strip;
    float x = 2.3f, y = 30;
    float first = x;
    for (int n = 0; n < 30; n++) {
      canvas.vertices.add(x, y);
      float dx = 1 + float(random() % 700) / 256;
      x += dx, y = std::clamp(y + dx * (float(random() % 200) / 100 - 1), 5.0f, 55.0f);
    }
    ASSERT_TRUE(canvas.run());
    float last = canvas.vertices.vertices.back().position[0];
    for (int column = int(first) + 2; column < int(last) - 1 && column < 120; column++) {
      unsigned sum = 0;
      for (unsigned row = 0; row < 60; row++) sum += canvas.colour.word(unsigned(column), row) & 0xff;
      ASSERT_EQ(sum, 1u) << round << " column " << column;
    }
  }
}

TEST(Lines, WidthAndAttributes) {
  Canvas canvas(64, 64);
  canvas.draw.assembly.topology = Topology::lines;
  canvas.draw.rasterization.line_width = 3;
  canvas.vertices.add(4.5f, 20.5f, 0, 1, {0, 0, 0, 1}), canvas.vertices.add(44.5f, 20.5f, 0, 1, {40.0f / 255, 0, 0, 1});
  ASSERT_TRUE(canvas.run());
  for (unsigned y = 0; y < 64; y++)
    for (unsigned x = 0; x < 64; x++) {
      bool inside = x >= 4 && x < 44 && y >= 19 && y <= 21;
      ASSERT_EQ(canvas.colour.word(x, y), inside ? 0xff000000u | (x - 4) : 0u) << x << "," << y;
    }
}

TEST(Lines, Stipple) {
  Canvas canvas(100, 20);
  count_in_red(canvas);
  canvas.draw.assembly.topology = Topology::line_strip;
  canvas.draw.rasterization.line_stipple = true;
  canvas.draw.rasterization.line_stipple_pattern = 0x0f35;
  canvas.draw.rasterization.line_stipple_factor = 2;
  canvas.vertices.add(5.5f, 3.5f), canvas.vertices.add(18.5f, 3.5f), canvas.vertices.add(90.5f, 3.5f);
  ASSERT_TRUE(canvas.run());
  for (unsigned x = 0; x < 100; x++) {
    bool in = x >= 5 && x < 90 && (0x0f35 >> ((x - 5) / 2 % 16) & 1);
    ASSERT_EQ(canvas.colour.word(x, 3) & 0xff, in) << x;
  }
}

// The pattern runs along the line, whichever way it goes.
TEST(Lines, StippleBothWays) {
  for (int way = 0; way < 4; way++)
    for (unsigned samples : {1u, 4u}) {
      Canvas canvas(64, 64, samples);
      count_in_red(canvas);
      canvas.draw.assembly.topology = Topology::lines;
      canvas.draw.rasterization.line_stipple = true;
      canvas.draw.rasterization.line_stipple_pattern = 0x0013;
      float low = 10.5f, high = 50.5f;
      if (way == 0) canvas.vertices.add(low, 20.5f), canvas.vertices.add(high, 20.5f);
      if (way == 1) canvas.vertices.add(high, 20.5f), canvas.vertices.add(low, 20.5f);
      if (way == 2) canvas.vertices.add(20.5f, low), canvas.vertices.add(20.5f, high);
      if (way == 3) canvas.vertices.add(20.5f, high), canvas.vertices.add(20.5f, low);
      ASSERT_TRUE(canvas.run());
      for (unsigned n = 12; n < 49; n++) {
        unsigned step = way & 1 ? 50 - n : n - 10;
        bool on = 0x0013 >> step % 16 & 1;
        ASSERT_EQ((way < 2 ? canvas.colour.word(n, 20) : canvas.colour.word(20, n)) & 0xff, on) << way << " at " << n;
      }
    }
}

// Pixels of a polygon's sides and corners know lines and points, with the attributes of their vertices; also of what is cut.
TEST(Lines, SidesAndCornersHaveTheirVertices) {
  for (Fill fill : {Fill::lines, Fill::points})
    for (bool cut : {false, true}) {
      Canvas canvas(64, 64);
      canvas.clip_space();
      canvas.draw.rasterization.fill_front = canvas.draw.rasterization.fill_back = fill;
      canvas.draw.rasterization.point_width = canvas.draw.rasterization.point_height = 8;
      float right = cut ? 2.0f : 0.5f;
      // Attribute 0 is x.
      for (auto [x, y] : {std::pair{-0.5f, -0.5f}, {right, -0.5f}, {-0.5f, 0.75f}}) canvas.vertices.add(x, y, 0, 1, {x, y, 0, 1});
      unsigned pixels = 0;
      canvas.pixels.function = [&](const PixelBatch& batch, PixelResults&) {
        for (unsigned lane = 0; lane < 4 * batch.quads; lane++) {
          if (!(batch.covered >> lane & 1)) continue;
          pixels++;
          const PrimitiveAttributes& p = batch.primitive[lane / 4];
          float x = (float(batch.x[lane]) + 0.5f) / 32 - 1, y = 1 - (float(batch.y[lane]) + 0.5f) / 32;
          if (fill == Fill::lines) {
            EXPECT_EQ(int(p.kind), int(PrimitiveKind::line));
            EXPECT_NEAR(interpolated(batch, lane, 0), x, 0.06);
            EXPECT_NEAR(interpolated(batch, lane, 1), y, 0.06);
          } else if (p.kind == PrimitiveKind::point) {
            EXPECT_NEAR(p.a[0], x, 0.15);
            EXPECT_NEAR(p.a[1], y, 0.15);
            EXPECT_NEAR(p.a[0] + (batch.barycentric[PERSPECTIVE_CENTRE][0][lane] - 0.5f) / 4, x, 1e-5);
          } else {
            EXPECT_TRUE(cut);
            EXPECT_NEAR(interpolated(batch, lane, 0), x, 0.15);
          }
        }
      };
      ASSERT_TRUE(canvas.run());
      EXPECT_GT(pixels, 80u);
    }
}

// Sides and corners of a polygon are moved by the polygon's offset: factor 8 times its slope of 1/256 a pixel.
TEST(Lines, DepthOffsetOfPolygons) {
  for (Fill fill : {Fill::triangles, Fill::lines, Fill::points})
    for (bool on : {false, true}) {
      Canvas canvas(64, 64);
      MemoryTarget depth(64, 64, 4);
      canvas.draw.targets.depth = {&depth, 32, nullptr, false};
      auto& state = canvas.draw.depth_stencil;
      state.depth_test = state.depth_write = true, state.depth_compare = Compare::always;
      auto& raster = canvas.draw.rasterization;
      raster.fill_front = raster.fill_back = fill;
      raster.offset_front = raster.offset_back = on;
      raster.offset_points_and_lines = !on;  // which is for other points and lines
      raster.depth_offset_front = raster.depth_offset_back = {8, 0, 0};
      for (auto [x, y] : {std::pair{8.5f, 8.5f}, {40.5f, 8.5f}, {8.5f, 48.5f}}) canvas.vertices.add(x, y, (x - 0.5f) / 256);
      ASSERT_TRUE(canvas.run());
      EXPECT_NEAR(std::bit_cast<float>(depth.word(8, 8)), 8.0f / 256 + (on ? 8.0f / 256 : 0), 1e-6) << int(fill);
      if (fill != Fill::points)
        EXPECT_NEAR(std::bit_cast<float>(depth.word(20, 8)), 20.0f / 256 + (on ? 8.0f / 256 : 0), 1e-6) << int(fill);
    }
}

// A polygon's outline is closed, and nothing is drawn inside.
TEST(Lines, PolygonsAreClosed) {
  Canvas canvas(64, 64);
  count_in_red(canvas);
  canvas.draw.assembly.topology = Topology::polygon;
  canvas.draw.rasterization.fill_front = canvas.draw.rasterization.fill_back = Fill::lines;
  const float corners[5][2] = {{30.5f, 4.5f}, {56.5f, 24.5f}, {46.5f, 56.5f}, {14.5f, 56.5f}, {4.5f, 24.5f}};
  for (auto& c : corners) canvas.vertices.add(c[0], c[1]);
  ASSERT_TRUE(canvas.run());
  for (int n = 0; n < 5; n++) {
    auto &a = corners[n], &b = corners[(n + 1) % 5];
    // Half-way along each edge.
    int x = int((a[0] + b[0]) / 2), y = int((a[1] + b[1]) / 2);
    EXPECT_NE(canvas.colour.word(unsigned(x), unsigned(y)), 0u) << n;
  }
  for (unsigned y = 30; y < 50; y++)
    for (unsigned x = 20; x < 40; x++) EXPECT_EQ(canvas.colour.word(x, y), 0u);
}

TEST(Lines, TrianglesAsLinesAndPoints) {
  for (Fill fill : {Fill::lines, Fill::points}) {
    Canvas canvas(64, 64);
    count_in_red(canvas);
    canvas.draw.rasterization.fill_front = canvas.draw.rasterization.fill_back = fill;
    canvas.draw.assembly.topology = Topology::quads;
    canvas.vertices.add(10.5f, 10.5f), canvas.vertices.add(50.5f, 10.5f), canvas.vertices.add(50.5f, 40.5f),
        canvas.vertices.add(10.5f, 40.5f);
    ASSERT_TRUE(canvas.run());
    for (unsigned y = 0; y < 64; y++)
      for (unsigned x = 0; x < 64; x++) {
        bool across = x >= 10 && x <= 50 && (y == 10 || y == 40), down = y >= 10 && y <= 40 && (x == 10 || x == 50);
        bool corner = (x == 10 || x == 50) && (y == 10 || y == 40);
        bool expected = fill == Fill::lines ? across || down : corner;
        ASSERT_EQ((canvas.colour.word(x, y) & 0xff) != 0, expected) << int(fill) << " at " << x << "," << y;
      }
    EXPECT_EQ(canvas.colour.word(30, 25), 0u);  // the diagonal is not drawn
  }
}

}  // namespace
}  // namespace Atoll::pipeline
