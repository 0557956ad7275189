// Cutting triangles and lines at the planes they cross (Sutherland and Hodgman, "Reentrant polygon clipping", 1974). Attributes
// are not cut: a corner carries its weights of the original vertices instead.
#pragma once
#include "pipeline/front/viewport.h"

namespace Atoll::pipeline {

// In clip space: position = original vertices' positions weighted by 1 - i - j, i, j.
struct ClipCorner {
  double position[4];
  double i, j;
  double distance[8];
  bool edge;  // the edge that begins here is one of the primitive's own
};
inline constexpr unsigned max_clip_corners = 4 + 7 + 8;

// `planes`: Outcode bits of the planes to cut at. `corners` holds `count` (3 or 4, convex), room for max_clip_corners, and is
// replaced; returns how many remain (0, or 3 and more).
unsigned clip_polygon(const DrawConstants& constants, const GuardBand& guard, uint32_t planes, ClipCorner* corners,
                      unsigned count);
// The same for the two ends of a line; returns 0 or 2.
unsigned clip_line(const DrawConstants& constants, const GuardBand& guard, uint32_t planes, ClipCorner* corners);

}  // namespace Atoll::pipeline
