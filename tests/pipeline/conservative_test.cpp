// Conservative rasterization. Touched: every pixel whose square a triangle overlaps or touches is covered, and none that lies beyond one
// of its lines or its bounds; whole: those alone that have all four corners inside. Against exact arithmetic written apart (a triangle
// and a square overlap where no line of either parts them).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "canvas.h"

namespace Atoll::pipeline {
namespace {

using Mode = Rasterization::Conservative;
constexpr int64_t grid = 256;
constexpr int size = 64;

// Convex, in order.
using Polygon = std::vector<std::array<int64_t, 2>>;

int64_t twice_area(const Polygon& p) {
  int64_t area = 0;
  for (size_t n = 0; n < p.size(); n++) {
    const auto& q = p[(n + 1) % p.size()];
    area += p[n][0] * q[1] - q[0] * p[n][1];
  }
  return area;
}

// How far the corners of a pixel lie inside of a side: the least and the most.
std::pair<int64_t, int64_t> inside_of(const Polygon& polygon, size_t side, int px, int py) {
  const auto& p = polygon[side];
  const auto& q = polygon[(side + 1) % polygon.size()];
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (int64_t x : {px * grid, (px + 1) * grid})
    for (int64_t y : {py * grid, (py + 1) * grid}) {
      const int64_t e = (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]);
      least = std::min(least, e), most = std::max(most, e);
    }
  return twice_area(polygon) >= 0 ? std::pair(least, most) : std::pair(-most, -least);
}

// True if no line of the polygon has the square on its outside, and their bounds meet.
bool touches(const Polygon& polygon, int px, int py) {
  for (int k = 0; k < 2; k++) {
    const int64_t from = (k ? py : px) * grid;
    const auto [least, most] = std::ranges::minmax(polygon, {}, [&](const auto& c) { return c[size_t(k)]; });
    if (from + grid < least[size_t(k)] || most[size_t(k)] < from) return false;
  }
  for (size_t n = 0; n < polygon.size(); n++) {
    const auto [least, most] = inside_of(polygon, n, px, py);
    if (most < 0 || (twice_area(polygon) == 0 && least > 0)) return false;
  }
  return true;
}

bool holds(const Polygon& polygon, int px, int py) {
  for (size_t n = 0; n < polygon.size(); n++)
    if (inside_of(polygon, n, px, py).first < 0) return false;
  return twice_area(polygon) != 0;
}

TEST(Conservative, PixelsThatATriangleTouchesOrHolds) {
  std::mt19937 random(1);
  uint64_t counted[3] = {}, of_degenerate = 0;
  Workers workers(1);
  for (unsigned round = 0; round < 3000; round++) {
    const int64_t extent = round % 3 == 0 ? size * grid : round % 3 == 1 ? 6 * grid : grid;
    Polygon t(3);
    const int64_t x = int64_t(random() % (size * grid)), y = int64_t(random() % (size * grid));
    for (auto& c : t) {
      c[0] = x + int64_t(random() % uint64_t(2 * extent)) - extent, c[1] = y + int64_t(random() % uint64_t(2 * extent)) - extent;
      if (round % 5 == 0) c[0] &= ~(grid / 2 - 1), c[1] &= ~(grid / 2 - 1);
    }
    // Points, and lines with the third corner at an end or in the middle.
    if (round % 11 == 0)
      for (size_t k = 0; k < 2; k++) {
        t[1][k] -= (t[1][k] - t[0][k]) % 2;
        t[2][k] = round % 3 == 0 ? (t[0][k] + t[1][k]) / 2 : t[round & 1][k];
        if (round % 7 == 0) t[1][k] = t[2][k] = t[0][k];
      }
    const unsigned samples = round % 7 == 0 ? 4 : 1;
    for (const Mode mode : {Mode::off, Mode::touched, Mode::whole}) {
      Canvas canvas(size, size, samples);
      canvas.draw.rasterization.conservative = mode;
      canvas.draw.rasterization.sample_positions.fill({8, 8});
      for (const auto& c : t) canvas.vertices.add(float(c[0]) / grid, float(c[1]) / grid, 0, 1, {1, 1, 1, 1});
      canvas.pixels.function = flat_colour;
      ASSERT_TRUE(canvas.run(workers));
      for (int py = 0; py < size; py++)
        for (int px = 0; px < size; px++)
          for (unsigned s = 0; s < samples; s++) {
            const bool drawn = canvas.colour.word(unsigned(px), unsigned(py), s) != 0;
            counted[int(mode)] += drawn;
            if (mode == Mode::off) {
              ASSERT_TRUE(!drawn || touches(t, px, py));
              ASSERT_TRUE(drawn || !holds(t, px, py));
              continue;
            }
            ASSERT_EQ(drawn, mode == Mode::touched ? touches(t, px, py) : holds(t, px, py)) << round << " " << px << " " << py;
            of_degenerate += drawn && twice_area(t) == 0;
          }
    }
  }
  EXPECT_GT(counted[int(Mode::touched)], counted[int(Mode::off)] + 10000);
  EXPECT_GT(counted[int(Mode::off)], counted[int(Mode::whole)] + 10000);
  EXPECT_GT(counted[int(Mode::whole)], 100000u);
  EXPECT_GT(of_degenerate, 1000u);
}

// A triangle whose last corner the near plane cuts off: what is left has four corners and no seam.
TEST(Conservative, WhatAPlaneLeaves) {
  std::mt19937 random(2);
  uint64_t covered = 0;
  for (unsigned round = 0; round < 200; round++) {
    Polygon t(3);
    for (auto& c : t)
      for (auto& k : c) k = int64_t(random() % (size * grid)) & ~int64_t(1);
    if (twice_area(t) == 0) continue;
    const auto middle = [&](size_t n) { return std::array{(t[n][0] + t[2][0]) / 2, (t[n][1] + t[2][1]) / 2}; };
    const Polygon left = {t[0], t[1], middle(1), middle(0)};
    for (const Mode mode : {Mode::touched, Mode::whole}) {
      Canvas canvas(size, size);
      canvas.clip_space();
      canvas.draw.rasterization.conservative = mode;
      for (size_t n = 0; n < 3; n++)
        canvas.vertices.add(float(t[n][0]) / (grid * size / 2) - 1, 1 - float(t[n][1]) / (grid * size / 2), n == 2 ? -2.0f : 0.0f,
                            1, {1, 1, 1, 1});
      canvas.pixels.function = flat_colour;
      ASSERT_TRUE(canvas.run());
      for (int py = 0; py < size; py++)
        for (int px = 0; px < size; px++) {
          const bool drawn = canvas.colour.word(unsigned(px), unsigned(py)) != 0;
          ASSERT_EQ(drawn, mode == Mode::touched ? touches(left, px, py) : holds(left, px, py))
              << round << " " << px << " " << py;
          covered += drawn;
        }
    }
  }
  EXPECT_GT(covered, 10000u);
}

// Without an area a triangle is seen from behind.
TEST(Conservative, LinesAreSeenFromBehind) {
  for (const bool clockwise : {false, true})
    for (const bool cull_back : {false, true}) {
      Canvas canvas(size, size);
      canvas.draw.rasterization.conservative = Mode::touched;
      canvas.draw.rasterization.front_is_clockwise = clockwise;
      (cull_back ? canvas.draw.rasterization.cull_back : canvas.draw.rasterization.cull_front) = true;
      for (const float x : {10.25f, 20.25f, 30.25f}) canvas.vertices.add(x, 10.25f, 0, 1, {1, 1, 1, 1});
      canvas.pixels.function = flat_colour;
      ASSERT_TRUE(canvas.run());
      EXPECT_EQ(canvas.colour.word(15, 10) != 0, !cull_back);
    }
}

// Attributes and depth go on beyond the triangle as planes do.
TEST(Conservative, PlanesGoOn) {
  Canvas canvas(size, size);
  canvas.draw.rasterization.conservative = Mode::touched;
  canvas.vertices.add(10.25f, 10.25f, 0, 1, {0, 0, 0, 1});
  canvas.vertices.add(50.25f, 10.25f, 0, 1, {40.0f / 255, 0, 0, 1});
  canvas.vertices.add(10.25f, 50.25f, 0, 1, {0, 40.0f / 255, 0, 1});
  ASSERT_TRUE(canvas.run());
  for (unsigned x = 10; x < 49; x++)
    EXPECT_EQ(canvas.colour.word(x, 10) & 0xff, unsigned(std::lround(double(x) + 0.5 - 10.25))) << x;
}

}  // namespace
}  // namespace Atoll::pipeline
