// Points as squares (Vulkan 1.3 "Points"; OpenGL 4.6 compatibility 14.4): i and j run from 0 to 1 across them.
#include <algorithm>
#include <cmath>

#include "pipeline/front/setup.h"

namespace Atoll::pipeline {
namespace {

struct Place {
  double x, y;  // grid units
};
constexpr unsigned max_places = 4 + 8;

// The result of clipping a point at the planes by Clip::point_planes.
enum class AtPlanes : uint8_t { dropped, drawn, rectangle };

float size_at_planes(const Draw& draw, const Vertex& vertex) {
  return draw.rasterization.point_size_from_vertex ? vertex.point_size : draw.clip.point_size;
}

AtPlanes at_planes(const Draw& draw, const Vertex& vertex) {
  const Clip& clip = draw.clip;
  if (!clip.point_planes) return AtPlanes::drawn;
  const float w = clip.divide ? vertex.position[3] : 1, radius = w * size_at_planes(draw, vertex) * clip.point_cull_radius;
  bool across = false;
  for (unsigned plane = 0; plane < 8; plane++) {
    if (!(clip.point_planes >> plane & 1)) continue;
    if (!(vertex.clip_distance[plane] + radius >= 0)) return AtPlanes::dropped;
    across |= !(vertex.clip_distance[plane] - radius >= 0);
  }
  // (A rectangle of no size is none: drivers leave the radii at 0.)
  const bool cut = clip.point_planes & clip.distances && clip.point_radius_x != 0 && clip.point_radius_y != 0;
  const bool rectangle =
      clip.point_at_planes == PointAtPlanes::rectangle || (clip.point_at_planes == PointAtPlanes::rectangle_across && across);
  return cut && rectangle ? AtPlanes::rectangle : AtPlanes::drawn;
}

// Cuts the polygon to what lies inside of `planes` of the draw's. The vertex stands at `middle`. The number of corners that are left.
unsigned cut_by_planes(const SetupTarget& target, const Vertex& vertex, Place middle, uint8_t planes, Place* places,
                       unsigned count) {
  const DrawConstants& constants = target.input.constants;
  const Clip& clip = constants.draw->clip;
  const Viewport& viewport = constants.draw->viewports[target.viewport];
  const double d = double(constants.denominator), w = clip.divide ? double(vertex.position[3]) : 1;
  // From the screen to clip space, at the vertex's depth.
  const double x = w / (double(viewport.scale[0]) * d), y = w / (double(viewport.scale[1]) * d);
  if (!std::isfinite(x) || !std::isfinite(y)) return 0;
  for (unsigned plane = 0; plane < 8; plane++) {
    if (!(planes >> plane & 1)) continue;
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
  const Clip& clip = constants.draw->clip;
  const Viewport& viewport = constants.draw->viewports[target.viewport];
  const Vertex& vertex = target.input.vertices[target.assembled.slot[0]];
  const bool own = attributes.kind == PrimitiveKind::point && target.assembled.kind == PrimitiveKind::point;
  const AtPlanes at = own ? at_planes(*constants.draw, vertex) : AtPlanes::drawn;
  if (at == AtPlanes::dropped) return;
  // From the edges that s and t are 0 at to the opposite ones.
  double width = extent(raster.point_width), height = extent(raster.point_height);
  if (at == AtPlanes::rectangle) {
    auto diameter = [&](float radius, float scale) {
      const double pixels = 2 * double(size_at_planes(*constants.draw, vertex)) * double(radius) * double(scale);
      return std::clamp(std::isnan(pixels) ? 0 : pixels, -16384.0, 16384.0) * double(constants.denominator);
    };
    width = diameter(clip.point_radius_x, viewport.scale[0]), height = diameter(clip.point_radius_y, viewport.scale[1]);
    if (clip.point_top_is_positive) height = -height;
  }
  const bool turned = width < 0, upside_down = (height < 0) != raster.sprite_origin_bottom;
  width = std::abs(width), height = std::abs(height);
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
    if (turned) s = {1, -s.x, 0};
    if (upside_down) t = {1, 0, -t.y};
    primitive.linear[0] = s, primitive.linear[1] = t;
  } else {  // a corner that cutting made
    s = {corner.i, 0, 0}, t = {corner.j, 0, 0};
    primitive.linear[0] = {corner.linear_i, 0, 0}, primitive.linear[1] = {corner.linear_j, 0, 0};
  }
  primitive.perspective[0] = {s.at * w, s.x * w, s.y * w};
  primitive.perspective[1] = {t.at * w, t.x * w, t.y * w};
  primitive.depth_low = std::min(viewport.depth_low, viewport.depth_high);
  primitive.depth_high = std::max(viewport.depth_low, viewport.depth_high);
  if (target.assembled.kind == PrimitiveKind::triangle) {
    primitive.z.at += target.polygon_offset;
  } else if (raster.offset_points_and_lines) {
    primitive.z.at += depth_offset(constants, raster.depth_offset_front, 0, std::abs(corner.z));
  }
  const auto planes = uint8_t(at == AtPlanes::rectangle ? clip.distances & clip.point_planes
                              : clip.cut_points         ? clip.distances
                                                        : 0);
  if (!own || !planes) return bound_and_bin(target, primitive, left, top, right, bottom);

  Place places[max_places] = {
      {double(left), double(top)}, {double(right), double(top)}, {double(right), double(bottom)}, {double(left), double(bottom)}};
  const unsigned count = cut_by_planes(target, vertex, {double(corner.x), double(corner.y)}, planes, places, 4);
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
