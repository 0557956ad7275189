#include "pipeline/front/clip.h"

#include <utility>

namespace Atoll::pipeline {

namespace {

// w above which a vertex counts as in front of the eye.
constexpr double least_w = 1e-20;

// How far a corner lies inside of the plane that is bit `plane` of an outcode.
double inside(const Clip& clip, const GuardBand& guard, unsigned plane, const ClipCorner& corner) {
  const double* p = corner.position;
  switch (1u << plane) {
    case OUTSIDE_LEFT: return p[0] + double(guard.x) * p[3];
    case OUTSIDE_RIGHT: return double(guard.x) * p[3] - p[0];
    case OUTSIDE_TOP: return p[1] + double(guard.y) * p[3];
    case OUTSIDE_BOTTOM: return double(guard.y) * p[3] - p[1];
    case OUTSIDE_NEAR: return clip.depth_from_zero ? p[2] : p[2] + p[3];
    case OUTSIDE_FAR: return p[3] - p[2];
    case OUTSIDE_W: return p[3] - least_w;
  }
  return corner.distance[(plane - 8) & 7];
}

// The point at which the edge crosses the plane. Always computed from the inner end, so that both triangles at an edge get the same
// corner.
ClipCorner cut(const ClipCorner& in, double distance_in, const ClipCorner& out, double distance_out) {
  double t = distance_in / (distance_in - distance_out);
  auto between = [t](double from, double to) { return from + t * (to - from); };
  ClipCorner corner;
  for (int n = 0; n < 4; n++) corner.position[n] = between(in.position[n], out.position[n]);
  for (int n = 0; n < 8; n++) corner.distance[n] = between(in.distance[n], out.distance[n]);
  corner.i = between(in.i, out.i);
  corner.j = between(in.j, out.j);
  corner.edge = true;
  return corner;
}

// w first: what lies behind the eye would turn the other planes' cuts around.
constexpr uint32_t plane_order[] = {6, 4, 5, 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15};

}  // namespace

unsigned clip_polygon(const DrawConstants& constants, const GuardBand& guard, uint32_t planes, ClipCorner* corners,
                      unsigned count) {
  ClipCorner other[max_clip_corners];
  ClipCorner *from = corners, *to = other;
  for (unsigned plane : plane_order) {
    if (!(planes >> plane & 1)) continue;
    double distance[max_clip_corners];
    for (unsigned n = 0; n < count; n++) distance[n] = inside(constants.draw->clip, guard, plane, from[n]);
    unsigned kept = 0;
    for (unsigned n = 0; n < count; n++) {
      unsigned next = n + 1 == count ? 0 : n + 1;
      bool in = distance[n] >= 0, next_in = distance[next] >= 0;
      if (in && kept < max_clip_corners) to[kept++] = from[n];
      if (in != next_in && kept < max_clip_corners) {
        // The new edge along the plane is none of the primitive's, unless it is to be.
        to[kept] =
            in ? cut(from[n], distance[n], from[next], distance[next]) : cut(from[next], distance[next], from[n], distance[n]);
        to[kept].edge = in ? constants.draw->clip.cuts_are_edges : from[n].edge;
        kept++;
      }
    }
    count = kept;
    if (count < 3) return 0;
    std::swap(from, to);
  }
  if (from != corners)
    for (unsigned n = 0; n < count; n++) corners[n] = from[n];
  return count;
}

unsigned clip_line(const DrawConstants& constants, const GuardBand& guard, uint32_t planes, ClipCorner* corners) {
  for (unsigned plane : plane_order) {
    if (!(planes >> plane & 1)) continue;
    double d0 = inside(constants.draw->clip, guard, plane, corners[0]),
           d1 = inside(constants.draw->clip, guard, plane, corners[1]);
    bool in0 = d0 >= 0, in1 = d1 >= 0;
    if (!in0 && !in1) return 0;
    if (in0 && in1) continue;
    if (in0)
      corners[1] = cut(corners[0], d0, corners[1], d1);
    else
      corners[0] = cut(corners[1], d1, corners[0], d0);
  }
  return 2;
}

}  // namespace Atoll::pipeline
