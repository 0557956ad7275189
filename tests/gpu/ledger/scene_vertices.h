// Vertices that the scenes of AMD's families draw, and the size of what they draw into.
#pragma once
#include <string>
#include <vector>

#include "pm4_scene.h"

namespace Atoll::ledger {

inline constexpr unsigned width = 64, height = 16;  // of targets

struct Vertex {
  float position[4] = {0, 0, 0, 1};
  union Word {
    float size;
    uint32_t word;
  } misc[4] = {};  // point size, edge flag, layer, viewport
  float distance[8] = {};
};

// A point of size 3 with distances that planes of clipping go through.
Vertex at(float x, float y, float z = 0.2f, float w = 1);
// Front and back faces that overlap, one that leaves the near plane, one far out, one in the second viewport; 18 vertices.
std::vector<Vertex> triangles();
// The second one in another layer.
std::vector<Vertex> two_triangles();
// A triangle each whose first vertex has a NaN or an infinity; nothing else of it is out of the ordinary.
std::vector<Vertex> triangles_beyond_numbers();

inline std::string literal(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", value);
  return text;
}

inline std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace Atoll::ledger
