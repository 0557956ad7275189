// The primitives of each topology, written out as the specifications list them (Vulkan 1.3 chapter 21.1, "Primitive Topologies"; OpenGL 4.6
// compatibility profile 10.1, table 10.1 for strips with adjacency, table 13.2 for provoking vertices).
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "pipeline/state.h"

namespace Atoll::pipeline {

using Strip = std::vector<uint32_t>;  // vertices between two restarts

// One primitive: its corners in order and the provoking one; with adjacency, all six or four vertices as a geometry shader has them.
struct Listed {
  std::vector<uint32_t> corners;
  uint32_t provoking = 0;
  std::vector<uint32_t> whole;
};

constexpr uint32_t restart = 0xffff;
constexpr unsigned patch = 3;

// How many primitives a strip of `m` vertices has.
inline size_t count_of(Topology topology, size_t m) {
  switch (topology) {
    case Topology::points: return m;
    case Topology::lines: return m / 2;
    case Topology::line_strip: return m < 2 ? 0 : m - 1;
    case Topology::line_loop: return m < 2 ? 0 : m;
    case Topology::triangles:
    case Topology::rectangles: return m / 3;
    case Topology::triangle_strip:
    case Topology::triangle_fan: return m < 3 ? 0 : m - 2;
    case Topology::lines_adjacency:
    case Topology::quads: return m / 4;
    case Topology::line_strip_adjacency: return m < 4 ? 0 : m - 3;
    case Topology::triangles_adjacency: return m / 6;
    case Topology::triangle_strip_adjacency: return m < 6 ? 0 : (m - 4) / 2;
    case Topology::quad_strip: return m < 4 ? 0 : m / 2 - 1;
    case Topology::polygon: return m < 3 ? 0 : 1;
    case Topology::patches: return m / patch;
  }
  return 0;
}

// Primitive i of n of a strip `v`.
inline Listed listed(Topology topology, const Strip& v, size_t i, size_t n, bool first) {
  auto of = [&](std::initializer_list<size_t> places, size_t provoking_first, size_t provoking_last) {
    Listed p;
    for (size_t at : places) p.corners.push_back(v.at(at));
    p.provoking = v.at(first ? provoking_first : provoking_last);
    p.whole = p.corners;
    return p;
  };
  const bool odd = i % 2;
  switch (topology) {
    case Topology::points: return of({i}, i, i);
    case Topology::lines: return of({2 * i, 2 * i + 1}, 2 * i, 2 * i + 1);
    case Topology::line_strip: return of({i, i + 1}, i, i + 1);
    case Topology::line_loop: return of({i, (i + 1) % v.size()}, i, (i + 1) % v.size());
    case Topology::triangles:
    case Topology::rectangles: return of({3 * i, 3 * i + 1, 3 * i + 2}, 3 * i, 3 * i + 2);
    case Topology::triangle_strip: return of({i, i + (odd ? 2 : 1), i + (odd ? 1 : 2)}, i, i + 2);
    case Topology::triangle_fan: return of({i + 1, i + 2, 0}, i + 1, i + 2);
    case Topology::lines_adjacency: {
      Listed p = of({4 * i + 1, 4 * i + 2}, 4 * i + 1, 4 * i + 2);
      p.whole = {v[4 * i], v[4 * i + 1], v[4 * i + 2], v[4 * i + 3]};
      return p;
    }
    case Topology::line_strip_adjacency: {
      Listed p = of({i + 1, i + 2}, i + 1, i + 2);
      p.whole = {v[i], v[i + 1], v[i + 2], v[i + 3]};
      return p;
    }
    case Topology::triangles_adjacency: {
      Listed p = of({6 * i, 6 * i + 2, 6 * i + 4}, 6 * i, 6 * i + 4);
      p.whole.assign(v.begin() + ptrdiff_t(6 * i), v.begin() + ptrdiff_t(6 * i + 6));
      return p;
    }
    case Topology::triangle_strip_adjacency: {
      // Table 10.1, whose vertices count from 1: corners 1, 2, 3 and those across the edges 1/2, 2/3, 3/1, by the triangle's place.
      const size_t b = 2 * i;
      const bool last = i + 1 == n;
      std::array<size_t, 6> row;
      if (i == 0)
        row = last ? std::array<size_t, 6>{1, 3, 5, 2, 6, 4} : std::array<size_t, 6>{1, 3, 5, 2, 7, 4};
      else if (odd)
        row = {b + 3, b + 1, b + 5, b - 1, b + 4, last ? b + 6 : b + 7};
      else
        row = {b + 1, b + 3, b + 5, b - 1, last ? b + 6 : b + 7, b + 4};
      Listed p = of({row[0] - 1, row[1] - 1, row[2] - 1}, b, b + 4);
      p.whole.clear();
      for (size_t k = 0; k < 3; k++) p.whole.push_back(v.at(row[k] - 1)), p.whole.push_back(v.at(row[k + 3] - 1));
      return p;
    }
    case Topology::quads: return of({4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3}, 4 * i, 4 * i + 3);
    case Topology::quad_strip: return of({2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2}, 2 * i, 2 * i + 3);
    case Topology::polygon: {
      Listed p;
      p.corners = v, p.provoking = v[0];
      return p;
    }
    case Topology::patches: {
      Listed p;
      p.whole.assign(v.begin() + ptrdiff_t(patch * i), v.begin() + ptrdiff_t(patch * (i + 1)));
      return p;
    }
  }
  return {};
}

inline std::vector<Listed> list(Topology topology, const std::vector<uint32_t>& indices, bool first) {
  std::vector<Listed> all;
  Strip strip;
  auto end = [&] {
    const size_t n = count_of(topology, strip.size());
    for (size_t i = 0; i < n; i++) all.push_back(listed(topology, strip, i, n, first));
    strip.clear();
  };
  for (uint32_t index : indices) index == restart ? end() : strip.push_back(index);
  end();
  return all;
}

// The smallest first, in the same order around.
inline std::vector<uint32_t> turned(std::vector<uint32_t> corners, size_t by = 1) {
  std::vector<uint32_t> best = corners;
  for (size_t n = 0; n < corners.size(); n += by) {
    std::rotate(corners.begin(), corners.begin() + ptrdiff_t(by), corners.end());
    best = std::min(best, corners);
  }
  return best;
}

// Polygons and quads are filled as triangles around their first corner.
inline std::vector<std::vector<uint32_t>> pieces(const Listed& p) {
  if (p.corners.size() <= 3) return {p.corners};
  std::vector<std::vector<uint32_t>> triangles;
  for (size_t k = 1; k + 1 < p.corners.size(); k++) triangles.push_back({p.corners[0], p.corners[k], p.corners[k + 1]});
  return triangles;
}

}  // namespace Atoll::pipeline
