// Triangles of a scene, and a tree over them as the builders of RDNA4's nodes take it.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

struct Vector {
  float x = 0, y = 0, z = 0;
  float operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
};
inline Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vector operator*(Vector a, float s) { return {a.x * s, a.y * s, a.z * s}; }

struct Triangle {
  Vector corner[3];
  uint32_t colour = 0;  // RGB, 8 bits each, red lowest
};
// An atoll with palms and a lighthouse; `grid` is the number of squares along the land's side.
std::vector<Triangle> atoll_scene(int grid);

struct Box {
  float low[3] = {1e30f, 1e30f, 1e30f}, high[3] = {-1e30f, -1e30f, -1e30f};
  void add(Vector p);
  void add(const Box& other);
  float area() const;
};
// A tree of nodes of up to `width` children; leaves have up to `leaf` triangles.
struct TreeNode {
  Box box;
  std::vector<uint32_t> children;   // nodes; none: a leaf
  std::vector<uint32_t> triangles;  // of a leaf
};
std::vector<TreeNode> build_tree(const std::vector<Triangle>& triangles, unsigned width, unsigned leaf);  // the root first

// The bytes of trees, to be put at an address that is a multiple of 128; the root is at 0.
std::vector<uint32_t> nodes_of_four(const std::vector<Triangle>& triangles);
std::vector<uint32_t> nodes_of_eight(const std::vector<Triangle>& triangles);
