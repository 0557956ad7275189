#include "scene_vertices.h"

#include <limits>

namespace Atoll::ledger {

Vertex at(float x, float y, float z, float w) {
  Vertex v;
  v.position[0] = x, v.position[1] = y, v.position[2] = z, v.position[3] = w;
  v.misc[0].size = 3;
  for (unsigned n = 0; n < 8; n++) v.distance[n] = (n < 4 ? x + 0.1f * float(n) + 0.2f : y - 0.1f * float(n) + 0.5f);
  return v;
}

std::vector<Vertex> triangles() {
  std::vector<Vertex> v = {at(-1, -1, 0.1f),       at(0.9f, -0.9f, 0.7f), at(-0.7f, 1, 0.4f),    //
                           at(1, -1, 0.6f),        at(-0.5f, -1, 0.2f),   at(0.8f, 0.9f, 0.3f),  //
                           at(-0.8f, 0.7f, -1.4f), at(0.9f, 0.9f, 0.9f),  at(-0.2f, -0.5f, 0.5f, 1.5f), at(-30, -0.5f, 0.5f),
                           at(30, -0.2f, 1.6f),    at(3, 0.6f, 0.5f, 2),  at(0.1f, -40, 0.5f),          at(0.3f, 40, 0.6f),
                           at(0.4f, 1, 0.5f, 2),   at(-1, -0.3f, 0.8f),   at(1, -0.4f, 0.1f),           at(0, 0.8f, 0.5f)};
  for (unsigned n = 15; n < 18; n++) v[n].misc[2].word = 1, v[n].misc[3].word = 1;
  for (unsigned n = 0; n < 18; n += 2) v[n].misc[1].word = 1;
  return v;
}

std::vector<Vertex> two_triangles() {
  std::vector<Vertex> v(6);
  const float xy[6][2] = {{-0.95f, -0.9f}, {0.9f, -0.7f}, {-0.6f, 0.95f}, {-0.4f, 0.8f}, {0.93f, 0.86f}, {0.7f, -0.8f}};
  for (unsigned n = 0; n < 6; n++) {
    v[n].position[0] = xy[n][0], v[n].position[1] = xy[n][1], v[n].position[2] = 0.1f * float(n) - 0.2f;
    v[n].misc[2].word = n / 3;
  }
  return v;
}

std::vector<Vertex> triangles_beyond_numbers() {
  constexpr float infinite = std::numeric_limits<float>::infinity(), none = std::numeric_limits<float>::quiet_NaN();
  std::vector<Vertex> v;
  auto triangle = [&](const Vertex& first) {
    const float left = -0.9f + 0.05f * float(v.size() / 3);
    v.push_back(first), v.push_back(at(left, -0.8f, 0.4f)), v.push_back(at(left + 0.2f, 0.9f, 0.6f));
  };
  triangle(at(none, 0, 0.5f)), triangle(at(0.4f, 0, none)), triangle(at(0.4f, 0, 0.5f, none));
  triangle(at(infinite, 0, 0.5f)), triangle(at(0.4f, 0.2f, infinite)), triangle(at(infinite, 0, 0.5f, infinite));
  triangle(at(0.4f, 0.3f, 0.5f, 0));
  v[4].distance[0] = infinite;
  return v;
}

}  // namespace Atoll::ledger
