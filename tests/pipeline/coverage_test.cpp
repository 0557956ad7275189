// The pixels that are covered: against exact arithmetic written apart from the pipeline, and meshes that must fill without gaps.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "canvas.h"

namespace Atoll::pipeline {
namespace {

// Adds 1 to a byte of the target under every pixel.
void count_in_red(Canvas& canvas) {
  canvas.pixels.function = [](const PixelBatch& batch, PixelResults& results) {
    for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
      for (unsigned k = 0; k < 4; k++) results.colour[0][k][lane] = std::bit_cast<uint32_t>(1.0f / 255);
    results.outputs = 1;
  };
  Blend& blend = canvas.draw.colour.blend[0];
  blend.enable = true;
  blend.source_colour = blend.target_colour = blend.source_alpha = blend.target_alpha = BlendFactor::one;
}

// Is the sample (grid units) inside, with the top-left rule? Corners in any order.
bool covers(const int64_t (&corner)[3][2], int64_t x, int64_t y) {
  __int128 area = __int128(corner[1][0] - corner[0][0]) * (corner[2][1] - corner[0][1]) -
                  __int128(corner[2][0] - corner[0][0]) * (corner[1][1] - corner[0][1]);
  if (area == 0) return false;
  for (int n = 0; n < 3; n++) {
    const int64_t *p = corner[n], *q = corner[(n + 1) % 3];
    if (area < 0) std::swap(p, q);
    __int128 e = __int128(q[0] - p[0]) * (y - p[1]) - __int128(q[1] - p[1]) * (x - p[0]);
    if (e < 0) return false;
    if (e == 0) {
      bool top = p[1] == q[1] && q[0] > p[0], left = q[1] < p[1];
      if (!top && !left) return false;
    }
  }
  return true;
}

TEST(Coverage, RandomTrianglesMatchExactArithmetic) {
  std::mt19937 random(1);
  for (unsigned grid : {12u, 16u, 256u, 4096u}) {
    for (int round = 0; round < 150; round++) {
      Canvas canvas(200, 136);
      count_in_red(canvas);
      canvas.draw.rasterization.grid.denominator = grid;
      float centre = round % 3 == 0 ? 0.0f : 0.5f;
      canvas.draw.rasterization.grid.pixel_centre = centre;
      float extent = round % 5 == 0 ? 4000.0f : round % 5 == 1 ? 20.0f : 260.0f;
      std::uniform_real_distribution<float> place(-extent / 4, extent);
      // Small ones anywhere, at the corners of blocks and tiles as well.
      float from[2] = {};
      if (round % 5 >= 3) {
        place = std::uniform_real_distribution<float>(-4, 4);
        from[0] = round % 2 ? 64 : float(random() % 192), from[1] = round % 4 ? 64 : float(random() % 128);
      }
      int64_t corner[3][2];
      for (auto& c : corner) {
        // On the grid, so that rounding does not matter; often on pixel centres, so that the rule does.
        for (auto& v : c) {
          float pixels = place(random) + from[&v - c];
          v = round % 2 ? std::llround(pixels * 2) * grid / 2 : std::llround(double(pixels) * grid);
        }
        canvas.vertices.add(float(double(c[0]) / grid), float(double(c[1]) / grid));
      }
      // Off the grid at times: rounded as told.
      auto rounding = GridRounding(round % 7 % 3);
      canvas.draw.rasterization.grid.rounding = rounding;
      for (int n = 0; n < 3; n++)
        for (int k = 0; k < 2; k++) {
          float& v = canvas.vertices.vertices[n].position[k];
          if (round % 3 == 1) v += float(random() % 1024) / 1024 / float(grid) - 0.5f / float(grid);
          double scaled = double(v) * grid;
          corner[n][k] = int64_t(rounding == GridRounding::truncate  ? std::trunc(scaled)
                                 : rounding == GridRounding::nearest ? std::floor(scaled + 0.5)
                                                                     : std::nearbyint(scaled));
        }
      ASSERT_TRUE(canvas.run());
      for (unsigned y = 0; y < 136; y++)
        for (unsigned x = 0; x < 200; x++) {
          int64_t shift = centre == 0 ? 0 : grid / 2;
          bool expected = covers(corner, int64_t(x) * grid + shift, int64_t(y) * grid + shift);
          ASSERT_EQ(canvas.colour.word(x, y), expected ? 0x01010101u : 0u)
              << "grid " << grid << " round " << round << " at " << x << "," << y;
        }
    }
  }
}

TEST(Coverage, RandomMeshesCoverEveryPixelOnce) {
  std::mt19937 random(2);
  for (int round = 0; round < 20; round++) {
    constexpr unsigned columns = 17, rows = 13, width = 300, height = 220;
    Canvas canvas(width, height);
    count_in_red(canvas);
    std::uniform_real_distribution<float> jitter(-0.24f, 0.24f);
    for (unsigned r = 0; r <= rows; r++)
      for (unsigned c = 0; c <= columns; c++) {
        // The outer ring lies outside of the target.
        float x = (float(c) + (c && c < columns ? jitter(random) : 0)) * (width + 8.0f) / columns - 4;
        float y = (float(r) + (r && r < rows ? jitter(random) : 0)) * (height + 8.0f) / rows - 4;
        canvas.vertices.add(x, y);
      }
    std::vector<uint32_t> indices;
    for (unsigned r = 0; r < rows; r++)
      for (unsigned c = 0; c < columns; c++) {
        uint32_t a = r * (columns + 1) + c, b = a + 1, d = a + columns + 1, e = d + 1;
        if (random() & 1)
          indices.insert(indices.end(), {a, b, d, b, e, d});
        else
          indices.insert(indices.end(), {a, e, b, a, e, d});  // both windings
      }
    canvas.draw.vertices.indices = reinterpret_cast<const uint8_t*>(indices.data());
    canvas.draw.vertices.index_bytes = 4;
    canvas.draw.vertices.index_limit = canvas.draw.vertices.count = uint32_t(indices.size());
    Workers workers(1 + round % 3);
    ASSERT_TRUE(canvas.run(workers));
    for (unsigned y = 0; y < height; y++)
      for (unsigned x = 0; x < width; x++) ASSERT_EQ(canvas.colour.word(x, y) & 0xff, 1u) << round << " at " << x << "," << y;
    EXPECT_EQ(canvas.counters.vertex_invocations, (rows + 1) * (columns + 1));
    EXPECT_EQ(canvas.counters.pixel_invocations, uint64_t(width) * height);
  }
}

// The corners of what is cut at planes must fit as well: a fan around the eye, cut by w, near plane and guard band.
TEST(Coverage, ClippedMeshesCoverEveryPixelOnce) {
  std::mt19937 random(3);
  for (int round = 0; round < 30; round++) {
    Canvas canvas(160, 160);
    canvas.clip_space();
    count_in_red(canvas);
    canvas.draw.clip.guard_band_x = canvas.draw.clip.guard_band_y = round % 2 ? 1.0f : 8.0f;
    canvas.draw.clip.depth_from_zero = round % 3 == 0;
    canvas.draw.clip.cut_near = canvas.draw.clip.cut_far = round % 4 != 3;
    // A floor of which the eye sees a part: z = -1 .. far behind the eye and far in front, filling the screen below the horizon;
    // here it is stood up so that all of the screen sees it: points of the plane x, y (any) at w = 1 + a x + b y.
    float a = std::uniform_real_distribution<float>(-0.4f, 0.4f)(random),
          b = std::uniform_real_distribution<float>(-0.4f, 0.4f)(random);
    constexpr int n = 9;
    std::vector<uint32_t> indices;
    for (int r = 0; r <= n; r++)
      for (int c = 0; c <= n; c++) {
        float x = float(c - n / 2.0f) * 4, y = float(r - n / 2.0f) * 4;
        canvas.vertices.add(x, y, 0, 1 + a * x + b * y);
      }
    for (int r = 0; r < n; r++)
      for (int c = 0; c < n; c++) {
        uint32_t i = uint32_t(r * (n + 1) + c);
        indices.insert(indices.end(), {i, i + 1, i + n + 1, i + 1, i + n + 2, i + n + 1});
      }
    canvas.draw.vertices.indices = reinterpret_cast<const uint8_t*>(indices.data());
    canvas.draw.vertices.index_bytes = 4;
    canvas.draw.vertices.index_limit = canvas.draw.vertices.count = uint32_t(indices.size());
    ASSERT_TRUE(canvas.run());
    for (unsigned y = 0; y < 160; y++)
      for (unsigned x = 0; x < 160; x++) {
        // The plane's point behind the pixel: x = sx * w with w = 1 + a x + b y, so w = 1 / (1 - a sx - b sy).
        double sx = (x + 0.5) / 80 - 1, sy = 1 - (y + 0.5) / 80;
        double w = 1 / (1 - a * sx - b * sy), px = sx * w, py = sy * w;
        double edge = std::max(std::abs(px), std::abs(py));
        unsigned count = canvas.colour.word(x, y) & 0xff;
        if (w > 0.01 && edge < 17.9) ASSERT_EQ(count, 1u) << round << " at " << x << "," << y;
        if (w < 0 || edge > 18.5) ASSERT_EQ(count, 0u) << round << " at " << x << "," << y;
      }
  }
}

TEST(Coverage, RectanglesOfEveryKind) {
  for (Topology topology : {Topology::quads, Topology::rectangles, Topology::triangle_strip, Topology::triangle_fan,
                            Topology::polygon, Topology::quad_strip}) {
    Canvas canvas(100, 90);
    count_in_red(canvas);
    canvas.draw.assembly.topology = topology;
    const float x0 = 3, y0 = 5, x1 = 77.5f, y1 = 71;
    auto& v = canvas.vertices;
    v.add(x0, y0);
    v.add(x1, y0);
    if (topology == Topology::triangle_strip || topology == Topology::quad_strip)
      v.add(x0, y1), v.add(x1, y1);
    else if (topology == Topology::rectangles)
      v.add(x0, y1);
    else
      v.add(x1, y1), v.add(x0, y1);
    ASSERT_TRUE(canvas.run());
    for (unsigned y = 0; y < 90; y++)
      for (unsigned x = 0; x < 100; x++)
        ASSERT_EQ(canvas.colour.word(x, y) & 0xff, x >= 3 && x < 77 && y >= 5 && y < 71)
            << int(topology) << " at " << x << "," << y;
  }
}

// A rectangle that is cut stays whole, whichever of its corners is missing.
TEST(Coverage, CutRectangles) {
  for (int missing = 0; missing < 4; missing++) {
    Canvas canvas(80, 80);
    canvas.clip_space();
    count_in_red(canvas);
    canvas.draw.assembly.topology = Topology::rectangles;
    const float corner[4][2] = {{-0.5f, -1.75f}, {1.5f, -1.75f}, {1.5f, 0.5f}, {-0.5f, 0.5f}};
    for (int n = 0; n < 4; n++)
      if (n != missing) canvas.vertices.add(corner[n][0] * 2, corner[n][1] * 2, 0, 2);
    ASSERT_TRUE(canvas.run());
    for (unsigned y = 0; y < 80; y++)
      for (unsigned x = 0; x < 80; x++)
        ASSERT_EQ(canvas.colour.word(x, y) & 0xff, x >= 20 && y >= 20) << missing << " at " << x << "," << y;
  }
}

TEST(Coverage, Scissors) {
  Canvas canvas(100, 90);
  count_in_red(canvas);
  canvas.draw.assembly.topology = Topology::rectangles;
  for (auto [x, y] : {std::pair{-10.f, -10.f}, {500.f, -10.f}, {-10.f, 500.f}}) canvas.vertices.add(x, y);
  canvas.draw.rasterization.scissors = {{5, 6, 70, 80}, {9, 0, 200, 77}};
  canvas.draw.scissor_viewports = true;
  canvas.draw.viewport_scissors[0] = {0, 20, 65, 90};
  canvas.draw.rasterization.use_clip_rectangles = true;
  canvas.draw.rasterization.clip_rectangles[0] = {20, 20, 30, 50};
  canvas.draw.rasterization.clip_rectangles[1] = {25, 30, 40, 60};
  canvas.draw.rasterization.clip_rectangle_rule = 0x6666;  // in exactly one of the first two
  ASSERT_TRUE(canvas.run());
  for (int y = 0; y < 90; y++)
    for (int x = 0; x < 100; x++) {
      bool in0 = x >= 20 && x < 30 && y >= 20 && y < 50, in1 = x >= 25 && x < 40 && y >= 30 && y < 60;
      bool in = x >= 9 && x < 65 && y >= 20 && y < 77 && in0 != in1;
      ASSERT_EQ(canvas.colour.word(unsigned(x), unsigned(y)) & 0xff, in) << x << "," << y;
    }
}

// Large and small triangles, rectangles, lines and points, with one sample and several: polygons alone lose the pixels whose bits are 0.
TEST(Coverage, PolygonStipple) {
  for (unsigned samples : {1u, 4u})
    for (Topology topology : {Topology::triangles, Topology::lines, Topology::points}) {
      Canvas plain(150, 140, samples), stippled(150, 140, samples);
      for (Canvas* canvas : {&plain, &stippled}) {
        canvas->draw.assembly.topology = topology;
        canvas->draw.rasterization.point_width = canvas->draw.rasterization.point_height = 9;
        canvas->draw.rasterization.sample_positions = {{{6, 2}, {14, 6}, {2, 10}, {10, 14}}};
        uint32_t random = 1;
        auto next = [&] { return float((random = random * 1664525 + 1013904223) >> 16) / 65536; };
        for (unsigned n = 0; n < 60; n++) {
          const float size = n < 2 ? 150 : n < 20 ? 30 : 5, x = next() * 140 - 5, y = next() * 140 - 5;
          for (unsigned k = 0; k < 3; k++) canvas->vertices.add(x + next() * size, y + next() * size, 0, 1, {1, 1, 1, 1});
        }
      }
      auto& raster = stippled.draw.rasterization;
      raster.polygon_stipple = true;
      for (unsigned y = 0; y < 32; y++) raster.polygon_stipple_rows[y] = 0x8421'f0a3u * (2 * y + 1);
      ASSERT_TRUE(plain.run() && stippled.run());
      unsigned kept = 0, cut = 0;
      for (unsigned y = 0; y < 140; y++)
        for (unsigned x = 0; x < 150; x++)
          for (unsigned s = 0; s < samples; s++) {
            const bool lets = topology != Topology::triangles || (raster.polygon_stipple_rows[y % 32] >> x % 32 & 1);
            const uint32_t before = plain.colour.word(x, y, s);
            ASSERT_EQ(stippled.colour.word(x, y, s), lets ? before : 0) << int(topology) << " at " << x << "," << y;
            (lets ? kept : cut) += before != 0;
          }
      EXPECT_GT(kept, 500u);
      if (topology == Topology::triangles) EXPECT_GT(cut, 1000u);
    }
}

TEST(Coverage, Points) {
  Canvas canvas(64, 64);
  count_in_red(canvas);
  canvas.draw.assembly.topology = Topology::points;
  canvas.draw.rasterization.point_width = 4, canvas.draw.rasterization.point_height = 6;
  canvas.vertices.add(20, 30);
  canvas.vertices.add(63.5f, 0.5f);
  ASSERT_TRUE(canvas.run());
  for (int y = 0; y < 64; y++)
    for (int x = 0; x < 64; x++) {
      bool first = x >= 18 && x < 22 && y >= 27 && y < 33, second = x >= 61 && y < 3;
      ASSERT_EQ(canvas.colour.word(unsigned(x), unsigned(y)) & 0xff, first || second) << x << "," << y;
    }
}

// Round points have the samples that lie in their circles; a lone sample's alpha is multiplied by a ramp from the circle inwards.
TEST(Coverage, RoundPoints) {
  std::mt19937 random(17);
  size_t in = 0, out = 0, partly = 0;
  for (unsigned samples : {1u, 2u, 4u, 8u, 16u})
    for (int round = 0; round < 20; round++) {
      Canvas canvas(64, 64, samples);
      canvas.pixels.function = [](const PixelBatch&, PixelResults& results) {
        for (auto& component : results.colour[0]) component.fill(std::bit_cast<uint32_t>(1.0f));
        results.outputs = 1;
      };
      canvas.draw.assembly.topology = Topology::points;
      Rasterization& raster = canvas.draw.rasterization;
      if (samples > 1) raster.sample_positions = standard_positions;
      raster.round_points = Rasterization::SmoothLines::Ramp{1 + float(random() % 30) / 10, -float(random() % 10) / 20};
      const double size = 1 + double(random() % 200) / 8, x = 10 + double(random() % 300) / 8,
                   y = 10 + double(random() % 300) / 8;
      raster.point_width = raster.point_height = float(size);
      canvas.vertices.add(float(x), float(y));
      ASSERT_TRUE(canvas.run());
      for (unsigned py = 0; py < 64; py++)
        for (unsigned px = 0; px < 64; px++)
          for (unsigned s = 0; s < samples; s++) {
            const double sx = samples > 1 ? standard_positions[s].x / 16.0 : 0.5,
                         sy = samples > 1 ? standard_positions[s].y / 16.0 : 0.5;
            const double inside = size / 2 - std::hypot(px + sx - x, py + sy - y);
            if (std::abs(inside) < 0.02) continue;
            const uint32_t word = canvas.colour.word(px, py, s);
            ASSERT_EQ(word & 0xffffff, inside > 0 ? 0xffffffu : 0) << samples << ": " << px << ", " << py << ", sample " << s;
            (inside > 0 ? in : out)++;
            const double alpha =
                std::clamp(inside * double(raster.round_points->slope) + double(raster.round_points->bias), 0.0, 1.0);
            partly += samples == 1 && alpha > 0 && alpha < 1;
            ASSERT_NEAR(word >> 24, inside < 0 ? 0 : samples > 1 ? 255 : alpha * 255, 8) << px << ", " << py;
          }
    }
  EXPECT_GT(in, 50000u);
  EXPECT_GT(out, 1000000u);
  EXPECT_GT(partly, 300u);
}

TEST(Coverage, PointCoordinates) {
  for (bool bottom : {false, true}) {
    Canvas canvas(64, 64);
    canvas.draw.assembly.topology = Topology::points;
    canvas.draw.rasterization.point_size_from_vertex = true;
    canvas.draw.rasterization.point_most = 16;
    canvas.draw.rasterization.sprite_origin_bottom = bottom;
    unsigned pixels = 0;
    canvas.pixels.function = [&](const PixelBatch& batch, PixelResults&) {
      for (unsigned lane = 0; lane < 4 * batch.quads; lane++) {
        if (!(batch.covered >> lane & 1)) continue;
        pixels++;
        EXPECT_EQ(int(batch.primitive[lane / 4].kind), int(PrimitiveKind::point));
        double s = (batch.x[lane] + 0.5 - 22) / 16, t = (batch.y[lane] + 0.5 - 12) / 16;
        EXPECT_NEAR(batch.barycentric[PERSPECTIVE_CENTRE][0][lane], s, 1e-6);
        EXPECT_NEAR(batch.barycentric[PERSPECTIVE_CENTRE][1][lane], bottom ? 1 - t : t, 1e-6);
      }
    };
    canvas.vertices.add(30, 20);
    canvas.vertices.vertices[0].point_size = 50;  // clamped to 16
    ASSERT_TRUE(canvas.run());
    EXPECT_EQ(pixels, 256u);
  }
}

TEST(Coverage, SamplesMatchExactArithmetic) {
  std::mt19937 random(5);
  for (unsigned samples : {2u, 4u, 8u, 16u})
    for (int round = 0; round < 20; round++) {
      Canvas canvas(72, 72, samples);
      count_in_red(canvas);
      canvas.draw.rasterization.sample_positions = standard_positions;
      unsigned grid = round % 2 ? 12 : 256;
      canvas.draw.rasterization.grid.denominator = grid;
      canvas.draw.rasterization.sample_mask = round % 3 == 0 ? 0x5a5b : 0xffff;
      std::uniform_real_distribution<float> place(-20, 100);
      int64_t corner[3][2];  // in 1/768 pixel: 12 * 64 and 256 * 3
      for (auto& c : corner) {
        float p[2];
        for (int k = 0; k < 2; k++) {
          int64_t v = std::llround(place(random) * float(grid));
          p[k] = float(double(v) / grid);
          c[k] = v * (768 / grid);
        }
        canvas.vertices.add(p[0], p[1]);
      }
      ASSERT_TRUE(canvas.run());
      for (unsigned y = 0; y < 72; y++)
        for (unsigned x = 0; x < 72; x++)
          for (unsigned s = 0; s < samples; s++) {
            bool expected = covers(corner, int64_t(x) * 768 + standard_positions[s].x * 48,
                                   int64_t(y) * 768 + standard_positions[s].y * 48) &&
                            (canvas.draw.rasterization.sample_mask >> s & 1);
            ASSERT_EQ(canvas.colour.word(x, y, s) & 0xff, expected)
                << samples << " samples, round " << round << " at " << x << "," << y << "," << s;
          }
    }
}

}  // namespace
}  // namespace Atoll::pipeline
