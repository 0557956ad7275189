// Conservative rasterization: every pixel whose square a triangle overlaps is covered, and none that lies beyond one of its lines or its
// bounds; against exact arithmetic written apart (a triangle and a square overlap where no line of either parts them).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "canvas.h"

namespace Atoll::pipeline {
namespace {

constexpr int64_t grid = 256;
constexpr int size = 64;

struct Triangle {
  int64_t corner[3][2];
};

int64_t twice_area(const Triangle& t) {
  const auto& c = t.corner;
  return (c[1][0] - c[0][0]) * (c[2][1] - c[0][1]) - (c[2][0] - c[0][0]) * (c[1][1] - c[0][1]);
}

// True if no line of the triangle has the square strictly, or with its border, on its outside, and their bounds overlap.
bool overlaps(const Triangle& t, int px, int py, bool with_border) {
  const int64_t x0 = px * grid, y0 = py * grid, x1 = x0 + grid, y1 = y0 + grid;
  const bool clockwise = twice_area(t) > 0;
  auto apart = [&](int64_t gap) { return with_border ? gap < 0 : gap <= 0; };
  int64_t least[2], most[2];
  for (int k = 0; k < 2; k++) {
    least[k] = std::min({t.corner[0][k], t.corner[1][k], t.corner[2][k]});
    most[k] = std::max({t.corner[0][k], t.corner[1][k], t.corner[2][k]});
  }
  if (apart(x1 - least[0]) || apart(most[0] - x0) || apart(y1 - least[1]) || apart(most[1] - y0)) return false;
  for (int n = 0; n < 3; n++) {
    const auto& p = t.corner[n];
    const auto& q = t.corner[(n + 1) % 3];
    int64_t best = INT64_MIN;
    for (int64_t x : {x0, x1})
      for (int64_t y : {y0, y1}) {
        const int64_t e = (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]);
        best = std::max(best, clockwise ? e : -e);
      }
    if (apart(best)) return false;
  }
  return true;
}

TEST(Conservative, EveryPixelThatATriangleTouches) {
  std::mt19937 random(1);
  uint64_t covered = 0, more_than_usual = 0, on_the_border = 0;
  Workers workers(1);
  for (unsigned round = 0; round < 3000; round++) {
    const int64_t extent = round % 3 == 0 ? size * grid : round % 3 == 1 ? 6 * grid : grid;
    Triangle t;
    const int64_t x = int64_t(random() % (size * grid)), y = int64_t(random() % (size * grid));
    for (auto& c : t.corner) {
      c[0] = x + int64_t(random() % uint64_t(2 * extent)) - extent, c[1] = y + int64_t(random() % uint64_t(2 * extent)) - extent;
      if (round % 5 == 0) c[0] &= ~(grid / 2 - 1), c[1] &= ~(grid / 2 - 1);
    }
    if (twice_area(t) == 0) continue;
    const unsigned samples = round % 7 == 0 ? 4 : 1;
    for (const bool conservative : {false, true}) {
      Canvas canvas(size, size, samples);
      canvas.draw.rasterization.conservative = conservative;
      canvas.draw.rasterization.sample_positions.fill({8, 8});
      for (const auto& c : t.corner) canvas.vertices.add(float(c[0]) / grid, float(c[1]) / grid, 0, 1, {1, 1, 1, 1});
      canvas.pixels.function = flat_colour;
      ASSERT_TRUE(canvas.run(workers));
      for (int py = 0; py < size; py++)
        for (int px = 0; px < size; px++)
          for (unsigned s = 0; s < samples; s++) {
            const bool drawn = canvas.colour.word(unsigned(px), unsigned(py), s) != 0;
            if (!conservative) {
              ASSERT_TRUE(!drawn || overlaps(t, px, py, true));
              more_than_usual -= drawn;
              continue;
            }
            const bool inside = overlaps(t, px, py, false), touched = overlaps(t, px, py, true);
            ASSERT_TRUE(drawn || !inside) << round << " " << px << " " << py;
            ASSERT_TRUE(!drawn || touched) << round << " " << px << " " << py;
            covered += drawn, more_than_usual += drawn, on_the_border += touched && !inside;
          }
    }
  }
  EXPECT_GT(covered, 100000u);
  EXPECT_GT(more_than_usual, 10000u);
  EXPECT_GT(on_the_border, 100u);
}

// Attributes and depth go on beyond the triangle as planes do.
TEST(Conservative, PlanesGoOn) {
  Canvas canvas(size, size);
  canvas.draw.rasterization.conservative = true;
  canvas.vertices.add(10.25f, 10.25f, 0, 1, {0, 0, 0, 1});
  canvas.vertices.add(50.25f, 10.25f, 0, 1, {40.0f / 255, 0, 0, 1});
  canvas.vertices.add(10.25f, 50.25f, 0, 1, {0, 40.0f / 255, 0, 1});
  ASSERT_TRUE(canvas.run());
  for (unsigned x = 10; x < 49; x++)
    EXPECT_EQ(canvas.colour.word(x, 10) & 0xff, unsigned(std::lround(double(x) + 0.5 - 10.25))) << x;
}

}  // namespace
}  // namespace Atoll::pipeline
