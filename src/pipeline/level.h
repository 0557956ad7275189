// The work inside a screen tile is compiled for three host levels (cmake/levels.cmake: baseline, avx2, avx512), each into a
// namespace of its own, `entries` there; draw.cpp and setup.cpp choose one by host_level() (base/host_level.h). All of them compute the same bits.
#pragma once
#include <cstddef>
#include <cstdint>

namespace Atoll::pipeline {

struct Assembled;
struct Tile;
struct Primitive;
struct TriangleSetup;
enum class TriangleState : uint8_t;

struct LevelEntries {
  // Rasterises, shades and merges the primitives, in their order. False: the pixel stage failed.
  bool (*draw_tile)(Tile& tile, const Primitive* const* primitives, size_t count);
  // Sets up as many of up to eight triangles as it can, into the next `Primitive`s, and gives their number.
  unsigned (*set_up_triangles)(const TriangleSetup& setup, const Assembled* assembled, unsigned count, Primitive* out,
                               TriangleState* states);
};
}  // namespace Atoll::pipeline
