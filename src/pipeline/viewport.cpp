#include "pipeline/viewport.h"

#include <algorithm>
#include <cmath>

#include "base/host_level.h"
#include "pipeline/level.h"

namespace Atoll::pipeline {

ATOLL_IN_LEVELS(extern const LevelEntries entries;)

GuardBand guard_band(const DrawConstants& constants, const Viewport& viewport) {
  const Clip& clip = constants.draw->clip;
  auto within_limit = [&](float given, float scale, float offset) {
    double room = constants.limit - std::abs(double(offset));
    double most = scale != 0 ? room / std::abs(double(scale)) : 1e30;
    if (!(most > 1)) most = 1;
    double band = given > 0 ? double(given) : 1;
    return float(std::min(band, most));
  };
  return {within_limit(clip.guard_band_x, viewport.scale[0], viewport.offset[0]),
          within_limit(clip.guard_band_y, viewport.scale[1], viewport.offset[1])};
}

uint32_t outcode(const DrawConstants& constants, const Vertex& vertex, const GuardBand& guard) {
  const Clip& clip = constants.draw->clip;
  float x = vertex.position[0], y = vertex.position[1], z = vertex.position[2], w = vertex.position[3];
  uint32_t code = 0;
  if (clip.enable && clip.divide) {
    float gx = guard.x * w, gy = guard.y * w;
    if (!(x >= -gx)) code |= OUTSIDE_LEFT;
    if (!(x <= gx)) code |= OUTSIDE_RIGHT;
    if (!(y >= -gy)) code |= OUTSIDE_TOP;
    if (!(y <= gy)) code |= OUTSIDE_BOTTOM;
    if (clip.cut_near && !(clip.depth_from_zero ? z >= 0 : z >= -w)) code |= OUTSIDE_NEAR;
    if (clip.cut_far && !(z <= w)) code |= OUTSIDE_FAR;
    if (!(w > 0)) code |= OUTSIDE_W;
    if (!(std::isfinite(x) && std::isfinite(y) && std::isfinite(z) && std::isfinite(w))) code |= UNUSABLE;
  } else {
    if (std::isnan(x) || std::isnan(y) || std::isnan(z) || std::isnan(w)) code |= UNUSABLE;
    if (clip.divide && w == 0) code |= UNUSABLE;
  }
  if (vertex.killed && clip.killed != Killed::never) code |= clip.killed == Killed::by_any_vertex ? UNUSABLE : KILLED;
  for (unsigned n = 0; n < 8; n++) {
    if ((clip.distances >> n & 1) && !(vertex.clip_distance[n] >= 0)) code |= OUTSIDE_DISTANCE_0 << n;
    if ((clip.cull_distances >> n & 1) && !(vertex.clip_distance[n] >= 0)) code |= CULLED_DISTANCE_0 << n;
  }
  return code;
}

int32_t to_grid(const DrawConstants& constants, double pixels) {
  const Grid& grid = constants.draw->rasterization.grid;
  pixels = std::clamp(pixels, -constants.limit, constants.limit);
  double scaled = pixels * grid.denominator;
  switch (grid.rounding) {
    case GridRounding::truncate: scaled = std::trunc(scaled); break;
    case GridRounding::nearest: scaled = std::floor(scaled + 0.5); break;
    case GridRounding::nearest_even: scaled = std::nearbyint(scaled); break;
  }
  return without_bits(grid, int32_t(scaled)) * constants.grid_factor;
}

ScreenVertex to_screen(const DrawConstants& constants, const Viewport& viewport, const float clip[4]) {
  const Clip& mode = constants.draw->clip;
  float x = clip[0], y = clip[1], z = clip[2], w = clip[3];
  ScreenVertex vertex;
  if (mode.divide) {
    float reciprocal = 1 / w;
    vertex.one_over_w = reciprocal;
    x *= reciprocal;
    y *= reciprocal;
    z *= reciprocal;
  } else {
    vertex.one_over_w = mode.w_is_reciprocal ? w : 1 / w;
  }
  if (!std::isfinite(vertex.one_over_w)) vertex.one_over_w = 1;
  if (viewport.depth_is_w) z = 1 / vertex.one_over_w;
  if (mode.viewport_transform) {
    x = x * viewport.scale[0] + viewport.offset[0];
    y = y * viewport.scale[1] + viewport.offset[1];
    z = z * viewport.scale[2] + viewport.offset[2];
  }
  vertex.z = std::isfinite(z) ? z : z > 0 ? 1e30f : z < 0 ? -1e30f : 0;
  if (std::isnan(x) || std::isnan(y)) {
    vertex.outcode |= UNUSABLE;
    return vertex;
  }
  vertex.x = to_grid(constants, x);
  vertex.y = to_grid(constants, y);
  return vertex;
}

void to_screen(const DrawConstants& constants, std::span<const GuardBand> guards, std::span<const Vertex> vertices,
               ScreenVertex* out) {
  static const LevelEntries& level = ATOLL_AT_LEVEL(entries);
  const Draw& draw = *constants.draw;
  const bool one_viewport = std::ranges::all_of(vertices, [](const Vertex& vertex) { return vertex.viewport == 0; });
  if (one_viewport && !draw.clip.distances && !draw.clip.cull_distances && draw.clip.killed == Killed::never)
    return level.to_screen(constants, draw.viewports[0], guards[0], vertices.data(), vertices.size(), out);
  for (const Vertex& vertex : vertices) {
    const unsigned viewport = std::min(vertex.viewport, 15u);
    *out = to_screen(constants, draw.viewports[viewport], vertex.position);
    out++->outcode |= outcode(constants, vertex, guards[viewport]);
  }
}

}  // namespace Atoll::pipeline
