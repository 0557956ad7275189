// From clip space to the screen's grid, once per vertex (Vulkan 1.3 "Controlling the Viewport"; the grid: Sea Islands
// PA_SU_VTX_CNTL, R5xx GA and SU). Also which planes a vertex lies beyond.
#pragma once
#include <cstdint>
#include <span>

#include "pipeline/primitive.h"

namespace Atoll::pipeline {

enum Outcode : uint32_t {
  OUTSIDE_LEFT = 1,
  OUTSIDE_RIGHT = 2,
  OUTSIDE_TOP = 4,
  OUTSIDE_BOTTOM = 8,
  OUTSIDE_NEAR = 16,
  OUTSIDE_FAR = 32,
  OUTSIDE_W = 64,            // w is not above 0
  OUTSIDE_DISTANCE_0 = 256,  // 8 bits, one a clip distance
  UNUSABLE = 1u << 16,       // NaN, infinite where nothing is cut, w = 0, killed: primitives with it are dropped
  KILLED = 1u << 17,         // primitives are dropped if all vertices have it
  CULLED_DISTANCE_0 = 1u << 24,
};
inline constexpr uint32_t clip_planes = 0xffff, cull_planes = 0xff000000u | KILLED;

struct ScreenVertex {
  int32_t x = 0, y = 0;  // grid units (DrawConstants::denominator)
  float z = 0;
  float one_over_w = 1;
  uint32_t outcode = 0;
};

// The guard band in which a viewport's positions stay within the grid's limit, in multiples of w.
struct GuardBand {
  float x, y;
};
GuardBand guard_band(const DrawConstants& constants, const Viewport& viewport);

uint32_t outcode(const DrawConstants& constants, const Vertex& vertex, const GuardBand& guard);

// The position of `clip` (four floats) on the screen, as the draw's Clip says; `outcode` is not computed.
ScreenVertex to_screen(const DrawConstants& constants, const Viewport& viewport, const float clip[4]);

// Both, for vertices one after the other; each has its own viewport.
void to_screen(const DrawConstants& constants, std::span<const GuardBand> guards, std::span<const Vertex> vertices,
               ScreenVertex* out);

// A coordinate on the GPU's own grid without the sub-pixel bits that Grid::dropped_bits names.
inline int32_t without_bits(const Grid& grid, int32_t parts) {
  if (!grid.dropped_bits) return parts;
  const int32_t pixel = int32_t(grid.denominator), part = ((parts % pixel) + pixel) % pixel;
  return parts - int32_t(unsigned(part) & grid.dropped_bits);
}

// A coordinate in pixels on the grid.
int32_t to_grid(const DrawConstants& constants, double pixels);

}  // namespace Atoll::pipeline
