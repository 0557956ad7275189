// Points as squares (Vulkan 1.3 "Points"; OpenGL 4.6 compatibility 14.4): i and j run from 0 to 1 across them.
#include <algorithm>
#include <cmath>

#include "pipeline/setup.h"

namespace Atoll::pipeline {
namespace {

struct Place {
  double x, y;  // grid units
};
constexpr unsigned max_places = 4 + 8;

// Cuts the polygon to what lies inside of the draw's planes. The vertex stands at `middle`. The number of corners that are left.
unsigned cut_by_planes(const SetupTarget& target, const Vertex& vertex, Place middle, Place* places, unsigned count) {
  const DrawConstants& constants = target.input.constants;
  const Clip& clip = constants.draw->clip;
  const Viewport& viewport = constants.draw->viewports[target.viewport];
  const double d = double(constants.denominator), w = clip.divide ? double(vertex.position[3]) : 1;
  // From the screen to clip space, at the vertex's depth.
  const double x = w / (double(viewport.scale[0]) * d), y = w / (double(viewport.scale[1]) * d);
  if (!std::isfinite(x) || !std::isfinite(y)) return 0;
  for (unsigned plane = 0; plane < 8; plane++) {
    if (!(clip.distances >> plane & 1)) continue;
    const auto& p = clip.planes[plane];
    auto distance = [&](const Place& at) {
      return double(vertex.clip_distance[plane]) + (at.x - middle.x) * x * double(p[0]) + (at.y - middle.y) * y * double(p[1]);
    };
    Place kept[max_places];
    unsigned many = 0;
    for (unsigned n = 0; n < count; n++) {
      const Place &from = places[n], &to = places[n + 1 == count ? 0 : n + 1];
      const double here = distance(from), there = distance(to);
      if (here >= 0 && many < max_places) kept[many++] = from;
      if ((here >= 0) != (there >= 0) && many < max_places) {
        double t = here / (here - there);
        if (!(t >= 0 && t <= 1)) t = 0;  // distances that are no numbers
        kept[many++] = {from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)};
      }
    }
    std::copy_n(kept, many, places);
    count = many;
  }
  return count;
}

}  // namespace

void set_up_point(const SetupTarget& target, const Corner& corner, float size_from_vertex,
                  const PrimitiveAttributes& attributes) {
  const DrawConstants& constants = target.input.constants;
  const Rasterization& raster = constants.draw->rasterization;
  auto extent = [&](float size) {
    size = raster.point_size_from_vertex ? size_from_vertex : size;
    size = size > raster.point_least ? std::min(size, raster.point_most) : raster.point_least;  // NaN becomes the least
    return std::clamp(double(size), 0.0, 16384.0) * double(constants.denominator);
  };
  double width = extent(raster.point_width), height = extent(raster.point_height);
  int64_t left = std::llround(corner.x - width / 2), right = std::llround(corner.x + width / 2);
  int64_t top = std::llround(corner.y - height / 2), bottom = std::llround(corner.y + height / 2);
  if (left >= right || top >= bottom) return;

  Primitive primitive;
  primitive.attributes = attributes;
  primitive.edges = 4;
  set_edge(primitive, raster.point_edges, 0, left, top, right, top, 1);
  set_edge(primitive, raster.point_edges, 1, right, top, right, bottom, 1);
  set_edge(primitive, raster.point_edges, 2, right, bottom, left, bottom, 1);
  set_edge(primitive, raster.point_edges, 3, left, bottom, left, top, 1);

  double d = double(constants.denominator), w = corner.one_over_w;
  primitive.x = double(left) / d;
  primitive.y = double(top) / d;
  primitive.z = {corner.z, 0, 0};
  primitive.one_over_w = {w, 0, 0};
  Plane s, t;
  if (attributes.kind == PrimitiveKind::point) {
    s = {0, d / double(right - left), 0};
    t = {0, 0, d / double(bottom - top)};
    if (raster.sprite_origin_bottom) t = {1, 0, -t.y};
    primitive.linear[0] = s, primitive.linear[1] = t;
  } else {  // a corner that cutting made
    s = {corner.i, 0, 0}, t = {corner.j, 0, 0};
    primitive.linear[0] = {corner.linear_i, 0, 0}, primitive.linear[1] = {corner.linear_j, 0, 0};
  }
  primitive.perspective[0] = {s.at * w, s.x * w, s.y * w};
  primitive.perspective[1] = {t.at * w, t.x * w, t.y * w};
  const Viewport& viewport = constants.draw->viewports[target.viewport];
  primitive.depth_low = std::min(viewport.depth_low, viewport.depth_high);
  primitive.depth_high = std::max(viewport.depth_low, viewport.depth_high);
  if (target.assembled.kind == PrimitiveKind::triangle) {
    primitive.z.at += target.polygon_offset;
  } else if (raster.offset_points_and_lines) {
    primitive.z.at += depth_offset(constants, raster.depth_offset_front, 0, std::abs(corner.z));
  }
  const Clip& clip = constants.draw->clip;
  if (!clip.cut_points || !clip.distances || attributes.kind != PrimitiveKind::point ||
      target.assembled.kind != PrimitiveKind::point)
    return bound_and_bin(target, primitive, left, top, right, bottom);

  Place places[max_places] = {
      {double(left), double(top)}, {double(right), double(top)}, {double(right), double(bottom)}, {double(left), double(bottom)}};
  const Vertex& vertex = target.input.vertices[target.assembled.slot[0]];
  const unsigned count = cut_by_planes(target, vertex, {double(corner.x), double(corner.y)}, places, 4);
  primitive.edges = 3;
  for (unsigned n = 2; n < count; n++) {
    int64_t x[3], y[3];
    for (unsigned k = 0; k < 3; k++) {
      const Place& place = places[k == 0 ? 0 : n - 2 + k];
      x[k] = std::llround(place.x), y[k] = std::llround(place.y);
    }
    if ((x[1] - x[0]) * (y[2] - y[0]) == (x[2] - x[0]) * (y[1] - y[0])) continue;
    for (unsigned k = 0; k < 3; k++) set_edge(primitive, raster.point_edges, k, x[k], y[k], x[(k + 1) % 3], y[(k + 1) % 3], 1);
    auto [x0, x1] = std::minmax({x[0], x[1], x[2]});
    auto [y0, y1] = std::minmax({y[0], y[1], y[2]});
    bound_and_bin(target, primitive, x0, y0, x1, y1);
  }
}

}  // namespace Atoll::pipeline
