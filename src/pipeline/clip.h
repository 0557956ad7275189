// Cutting triangles and lines at the planes they cross (Sutherland and Hodgman, "Reentrant polygon clipping", 1974). Attributes
// are not cut: a corner carries its weights of the original vertices instead.
#pragma once
#include "pipeline/viewport.h"

namespace Atoll::pipeline {

// In clip space: position = original vertices' positions weighted by 1 - i - j, i, j.
struct ClipCorner {
  double position[4];
  double i, j;
  double distance[8];
  bool edge;  // the edge that begins here is one of the primitive's own
};
inline constexpr unsigned most_clip_corners = 3 + 7 + 8;

// `planes`: Outcode bits of the planes to cut at. `corners` holds 3 and is replaced; returns how many remain (0, or 3 and more).
unsigned clip_triangle(const DrawConstants& constants, const GuardBand& guard, uint32_t planes, ClipCorner* corners);
// The same for the two ends of a line; returns 0 or 2.
unsigned clip_line(const DrawConstants& constants, const GuardBand& guard, uint32_t planes, ClipCorner* corners);

}  // namespace Atoll::pipeline
