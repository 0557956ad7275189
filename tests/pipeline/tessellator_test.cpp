// The tessellator against what must hold of any cut of a domain: triangles cover it exactly once and turn one way, edges have the
// points that their factor asks for whatever the rest of the patch does, and counts of the OpenGL specification (4.6, 11.2.2).
#include "pipeline/front/tessellator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

namespace Atoll::pipeline {
namespace {

constexpr Partitioning partitionings[] = {Partitioning::integer, Partitioning::power_of_two, Partitioning::fractional_odd,
                                          Partitioning::fractional_even};

TessellationFactors random_factors(std::mt19937& random) {
  std::uniform_real_distribution<float> small(0.1f, 9), large(0.1f, 70);
  TessellationFactors factors;
  for (float& f : factors.edge) f = random() % 3 ? small(random) : random() % 2 ? large(random) : 1;
  for (float& f : factors.inside) f = random() % 3 ? small(random) : random() % 2 ? large(random) : 1;
  return factors;
}

double area(const Tessellation& t, size_t n) {
  const uint32_t* c = &t.corner[n * 3];
  double ax = t.u[c[1]] - t.u[c[0]], ay = t.v[c[1]] - t.v[c[0]], bx = t.u[c[2]] - t.u[c[0]], by = t.v[c[2]] - t.v[c[0]];
  return (ax * by - ay * bx) / 2;
}

// Positions along an edge of the domain, sorted.
std::set<float> edge_points(const Tessellation& t, Domain domain, unsigned edge) {
  std::set<float> points;
  for (size_t n = 0; n < t.u.size(); n++) {
    float u = t.u[n], v = t.v[n];
    bool triangle = domain == Domain::triangles;
    if (edge == 0 && u == 0) points.insert(v);
    if (edge == 1 && v == 0) points.insert(u);
    if (edge == 2 && (triangle ? u + v == 1 : u == 1)) points.insert(triangle ? u : v);
    if (edge == 3 && v == 1) points.insert(u);
  }
  return points;
}

// Segments of an edge with this factor.
int segments(Partitioning partitioning, float factor) {
  if (partitioning == Partitioning::fractional_odd) {
    int n = int(std::ceil(std::clamp(factor, 1.0f, 63.0f)));
    return n % 2 ? n : n + 1;
  }
  if (partitioning == Partitioning::fractional_even) {
    int n = int(std::ceil(std::clamp(factor, 2.0f, 64.0f)));
    return n % 2 ? n + 1 : n;
  }
  return int(std::ceil(std::clamp(factor, 1.0f, 64.0f)));
}

TEST(Tessellator, TrianglesCoverTheDomainOnceAndTurnOneWay) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; round++)
    for (Domain domain : {Domain::triangles, Domain::quads}) {
      TessellatorState state{domain, partitionings[random() % 4],
                             random() % 2 ? TessellatorOutput::clockwise : TessellatorOutput::counterclockwise};
      TessellationFactors factors = random_factors(random);
      Tessellation t;
      tessellate(state, factors, t);
      ASSERT_EQ(t.corners, 3u);
      double sum = 0, sign = state.output == TessellatorOutput::clockwise ? 1 : -1;
      for (size_t n = 0; n < t.corner.size() / 3; n++) {
        for (int c = 0; c < 3; c++) ASSERT_LT(t.corner[n * 3 + size_t(c)], t.u.size());
        double a = sign * area(t, n);
        ASSERT_GE(a, -1e-4) << "round " << round << " triangle " << n;
        sum += a;
      }
      ASSERT_NEAR(sum, domain == Domain::triangles ? 0.5 : 1.0, 1e-3) << "round " << round;
    }
}

TEST(Tessellator, AnEdgeIsCutByItsOwnFactorAlone) {
  std::mt19937 random(8);
  for (int round = 0; round < 500; round++)
    for (Domain domain : {Domain::triangles, Domain::quads}) {
      TessellatorState state{domain, partitionings[random() % 4], TessellatorOutput::clockwise};
      TessellationFactors a = random_factors(random), b = random_factors(random);
      // With inner factors near 1 points inside fall on the edges.
      for (TessellationFactors* f : {&a, &b})
        for (float& inside : f->inside) inside = std::max(inside, 2.5f);
      for (unsigned edge = 0; edge < (domain == Domain::triangles ? 3u : 4u); edge++) {
        b.edge[edge] = a.edge[edge];
        Tessellation first, second;
        tessellate(state, a, first);
        tessellate(state, b, second);
        auto points = edge_points(first, domain, edge);
        ASSERT_EQ(points, edge_points(second, domain, edge)) << "round " << round;
        ASSERT_EQ(int(points.size()), segments(state.partitioning, a.edge[edge]) + 1)
            << "round " << round << " factor " << a.edge[edge];
        for (float p : points) ASSERT_TRUE(points.contains(1 - p)) << p;
      }
    }
}

TEST(Tessellator, WholeNumbersCutEqually) {
  for (int n = 1; n <= 64; n++) {
    TessellationFactors factors{{float(n), float(n), float(n), float(n)}, {float(n), float(n)}};
    Tessellation t;
    tessellate({Domain::quads, Partitioning::integer, TessellatorOutput::clockwise}, factors, t);
    EXPECT_EQ(t.u.size(), size_t(n + 1) * size_t(n + 1));
    EXPECT_EQ(t.corner.size(), size_t(n) * size_t(n) * 6);
    for (float u : t.u) EXPECT_NEAR(u * float(n), std::round(u * float(n)), 0.02f);
  }
}

TEST(Tessellator, InnermostTriangle) {
  // Odd factors leave a triangle in the middle, even ones a point.
  for (auto [factor, centre] : {std::pair(4.0f, true), std::pair(5.0f, false)}) {
    TessellationFactors factors{{factor, factor, factor, 0}, {factor, 0}};
    Tessellation t;
    tessellate({Domain::triangles, Partitioning::integer, TessellatorOutput::points}, factors, t);
    bool found = false;
    for (size_t n = 0; n < t.u.size(); n++) found |= std::abs(t.u[n] - 1.0f / 3) < 1e-3f && std::abs(t.v[n] - 1.0f / 3) < 1e-3f;
    EXPECT_EQ(found, centre);
    EXPECT_EQ(t.corner.size(), t.u.size());
  }
}

TEST(Tessellator, LinesAndCulledPatches) {
  Tessellation t;
  tessellate({Domain::isolines, Partitioning::integer, TessellatorOutput::lines}, {{5, 3, 0, 0}, {}}, t);
  EXPECT_EQ(t.corners, 2u);
  EXPECT_EQ(t.corner.size(), 3u * 5u * 2u);  // no line at v = 1
  for (float v : t.v) EXPECT_LT(v, 0.7f);
  for (float bad : {0.0f, -1.0f, std::numeric_limits<float>::quiet_NaN()})
    for (Domain domain : {Domain::isolines, Domain::triangles, Domain::quads}) {
      tessellate({domain, Partitioning::fractional_odd, TessellatorOutput::points}, {{2, bad, 2, 2}, {3, 3}}, t);
      EXPECT_TRUE(t.corner.empty());
    }
  // Factors beyond all bounds are cut off.
  tessellate({Domain::triangles, Partitioning::integer, TessellatorOutput::clockwise},
             {{std::numeric_limits<float>::infinity(), 1e30f, 65, 0}, {1e9f, 0}}, t);
  EXPECT_EQ(edge_points(t, Domain::triangles, 0).size(), 65u);
}

}  // namespace
}  // namespace Atoll::pipeline
