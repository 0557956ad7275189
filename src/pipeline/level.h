// The work inside a screen tile is compiled for three host levels (cmake/levels.cmake: baseline, avx2, avx512), each into a
// namespace of its own, `entries` there; draw.cpp chooses one by host_level() (base/host_level.h). All of them compute the same bits.
#pragma once
#include <cstddef>

namespace Atoll::pipeline {

struct Tile;
struct Primitive;

struct LevelEntries {
  // Rasterises, shades and merges the primitives, in their order. False: the pixel stage failed.
  bool (*draw_tile)(Tile& tile, const Primitive* const* primitives, size_t count);
};
}  // namespace Atoll::pipeline
