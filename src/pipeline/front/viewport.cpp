#include "pipeline/front/viewport.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

namespace {

struct Position {
  float x, y, z, w;
};

Position position_of(const NonFinite& rules, const float given[4]) {
  auto taken = [](float value, bool nan_to_infinity) {
    return nan_to_infinity && std::isnan(value) ? std::numeric_limits<float>::infinity() : value;
  };
  return {taken(given[0], rules.xy_nan_to_infinity), taken(given[1], rules.xy_nan_to_infinity),
          taken(given[2], rules.z_nan_to_infinity), taken(given[3], rules.w_nan_to_infinity)};
}

}  // namespace

uint32_t outcode(const DrawConstants& constants, const Vertex& vertex, const GuardBand& guard) {
  const Clip& clip = constants.draw->clip;
  const NonFinite& rules = clip.non_finite;
  const auto [x, y, z, w] = position_of(rules, vertex.position);
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
    if (std::isnan(x) || std::isnan(y) || std::isnan(z) || (std::isnan(w) && !rules.reciprocal_nan_is_zero)) code |= UNUSABLE;
    if (clip.divide && w == 0) code |= UNUSABLE;
  }
  if (vertex.killed && clip.killed != Killed::never) code |= clip.killed == Killed::by_any_vertex ? UNUSABLE : KILLED;
  for (unsigned n = 0; n < 8; n++) {
    if (rules.drop_infinite_distances && ((clip.distances | clip.cull_distances) >> n & 1) && std::isinf(vertex.clip_distance[n]))
      code |= UNUSABLE;
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
  const NonFinite& rules = mode.non_finite;
  auto [x, y, z, w] = position_of(rules, clip);
  auto times = [&](float a, float b) { return rules.zero_wins && (a == 0 || b == 0) ? 0 : a * b; };
  ScreenVertex vertex;
  const float reciprocal = rules.reciprocal_nan_is_zero && std::isnan(w) ? 0 : 1 / w;
  if (mode.divide) {
    vertex.one_over_w = reciprocal;
    x = times(x, reciprocal);
    y = times(y, reciprocal);
    z = times(z, reciprocal);
  } else {
    vertex.one_over_w = mode.w_is_reciprocal ? w : reciprocal;
  }
  if (rules.drop_infinite_w && std::isinf(vertex.one_over_w)) vertex.outcode |= UNUSABLE;
  if (!std::isfinite(vertex.one_over_w)) vertex.one_over_w = 1;
  if (viewport.depth_is_w) z = 1 / vertex.one_over_w;
  if (mode.viewport_transform) {
    x = times(x, viewport.scale[0]) + viewport.offset[0];
    y = times(y, viewport.scale[1]) + viewport.offset[1];
    z = times(z, viewport.scale[2]) + viewport.offset[2];
  }
  if ((rules.drop_infinite_xy && (std::isinf(x) || std::isinf(y))) || (rules.drop_infinite_z && std::isinf(z)))
    vertex.outcode |= UNUSABLE;
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
  if (one_viewport && !draw.clip.distances && !draw.clip.cull_distances && draw.clip.killed == Killed::never &&
      draw.clip.non_finite == NonFinite())
    return level.to_screen(constants, draw.viewports[0], guards[0], vertices.data(), vertices.size(), out);
  for (const Vertex& vertex : vertices) {
    const unsigned viewport = std::min(vertex.viewport, 15u);
    *out = to_screen(constants, draw.viewports[viewport], vertex.position);
    out++->outcode |= outcode(constants, vertex, guards[viewport]);
  }
}

}  // namespace Atoll::pipeline
