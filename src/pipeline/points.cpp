// Points as squares (Vulkan 1.3 "Points"; OpenGL 4.6 compatibility 14.4): i and j run from 0 to 1 across them.
#include <algorithm>
#include <cmath>

#include "pipeline/setup.h"

namespace Atoll::pipeline {

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
  set_edge(primitive, 0, left, top, right, top, 1);
  set_edge(primitive, 1, right, top, right, bottom, 1);
  set_edge(primitive, 2, right, bottom, left, bottom, 1);
  set_edge(primitive, 3, left, bottom, left, top, 1);

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
  bound_and_bin(target, primitive, left, top, right, bottom);
}

}  // namespace Atoll::pipeline
