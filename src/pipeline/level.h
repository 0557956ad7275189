// The inner loops are compiled for three host levels (cmake/levels.cmake: baseline, avx2, avx512), each into a namespace of its own
// with its `entries`; tiles/scene.cpp, front/setup.cpp and front/viewport.cpp choose one by host_level() (base/host_level.h). All of
// them compute the same bits.
#pragma once
#include <cstddef>
#include <cstdint>

namespace Atoll::pipeline {

struct Assembled;
struct DrawConstants;
struct GuardBand;
struct ScreenVertex;
struct Tile;
struct Primitive;
struct TriangleSetup;
struct TilePosition;
struct Vertex;
struct Viewport;
enum class TriangleState : uint8_t;

struct LevelEntries {
  // Rasterises, shades and merges the primitives, in their order. False: the pixel stage failed.
  bool (*draw_tile)(Tile& tile, const Primitive* const* primitives, size_t count);
  // Blocks of a tile whose samples all lie inside the primitive, or inside it and the next one of its draw (or null) together.
  uint64_t (*covered_blocks)(const DrawConstants& constants, const TilePosition& tile, const Primitive& primitive,
                             const Primitive* next);
  // Sets up as many of up to eight triangles as it can, into the next `Primitive`s, and gives their number.
  unsigned (*set_up_triangles)(const TriangleSetup& setup, const Assembled* assembled, unsigned count, Primitive* out,
                               TriangleState* states);
  // Puts vertices without clip and cull distances on the screen, outcodes and all (viewport_lanes.cpp).
  void (*to_screen)(const DrawConstants& constants, const Viewport& viewport, const GuardBand& guard, const Vertex* vertices,
                    size_t count, ScreenVertex* out);
};
}  // namespace Atoll::pipeline
