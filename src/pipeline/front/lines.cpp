// Lines. With one sample a pixel, or all at one place: OpenGL's aliased lines (OpenGL 4.6 compatibility 14.5.1, diamond exit;
// wide ones are the line of width 1 repeated across its minor axis). With several, or where the GPU is told so: rectangles around
// the line (14.5.4).
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "pipeline/front/setup.h"

namespace Atoll::pipeline {

namespace {

// Rasterization::line_coordinate at a line's ends.
struct Coordinates {
  double from = 0, to = 0;
};

// Returns this line's coordinates; the next line continues behind them. `length`: along the line, or its major axis; `whole`: the same in whole pixels;
// `first_pixel`: the distance of the first pixel's centre from the line's begin.
Coordinates take_coordinates(const SetupTarget& target, double length, uint32_t whole, double first_pixel) {
  const auto& along = target.input.constants.draw->rasterization.line_coordinate;
  if (!along) return {};
  using Reset = Rasterization::LineCoordinate::Reset;
  LineProgress& lines = target.part.lines;
  const bool side = target.assembled.kind == PrimitiveKind::triangle;
  if (along->reset == Reset::strips && lines.begun && !side && target.assembled.stipple == 0) lines.coordinate = 0;
  lines.begun = true;
  const double from = lines.coordinate / 256.0 - first_pixel;
  const bool ends = along->reset == Reset::lines || (along->reset == Reset::outlines && side);
  const uint32_t step = along->fractions ? uint32_t(std::llround(length * 256)) : whole * 256;
  lines.coordinate = ends ? 0 : (lines.coordinate + step) & 0xffffff;
  return {from * double(along->scale), (from + length) * double(along->scale)};
}

void set_line_planes(const SetupTarget& target, Primitive& primitive, const Corner& from, const Corner& to, double gx, double gy,
                     const Coordinates& coordinates) {
  const DrawConstants& constants = target.input.constants;
  double d = double(constants.denominator);
  primitive.x = from.x / d;
  primitive.y = from.y / d;
  auto plane = [&](double v0, double v1) { return Plane{v0, (v1 - v0) * gx, (v1 - v0) * gy}; };
  primitive.z = plane(from.z, to.z);
  primitive.one_over_w = plane(from.one_over_w, to.one_over_w);
  primitive.perspective[0] = plane(from.i * from.one_over_w, to.i * to.one_over_w);
  primitive.perspective[1] = plane(from.j * from.one_over_w, to.j * to.one_over_w);
  primitive.linear[0] = plane(from.linear_i, to.linear_i);
  primitive.linear[1] = plane(from.linear_j, to.linear_j);
  primitive.line_coordinate = plane(coordinates.from, coordinates.to);
  const Viewport& viewport = constants.draw->viewports[target.viewport];
  primitive.depth_low = std::min(viewport.depth_low, viewport.depth_high);
  primitive.depth_high = std::max(viewport.depth_low, viewport.depth_high);
  const Rasterization& raster = constants.draw->rasterization;
  if (target.assembled.kind == PrimitiveKind::triangle) {
    primitive.z.at += target.polygon_offset;
  } else if (raster.offset_points_and_lines) {
    double slope = std::max(std::abs(primitive.z.x), std::abs(primitive.z.y));
    const auto& offset = primitive.attributes.front ? raster.depth_offset_front : raster.depth_offset_back;
    primitive.z.at += depth_offset(constants, offset, slope, std::max(std::abs(from.z), std::abs(to.z)));
  }
}

// Along the major axis, in the direction of the line: which pixels' centres count.
struct Run {
  int64_t first, last;  // pixels; empty where (last - first) * direction < 0
  int direction;
};

// Direct3D's diamonds (Direct3D 11.3 functional specification, 3.4.1.4) have their lower edges. (Which corners they have besides makes
// no difference: those are at centres and between pixels.)
Run diamond_exit(const DrawConstants& constants, bool by_x, int64_t major0, int64_t minor0, int64_t major1, int64_t minor1,
                 int64_t major_sample, int64_t minor_sample) {
  const Rasterization& raster = constants.draw->rasterization;
  int64_t d = constants.denominator;
  int direction = major1 >= major0 ? 1 : -1;
  // Mirrored, so that the line always runs upwards.
  int64_t start = (major0 - major_sample) * direction, end = (major1 - major_sample) * direction;
  auto in_diamond = [&](int64_t pixel, int64_t along, int64_t minor) {
    int64_t across = minor - minor_sample;
    int64_t row = constants.floor_divide(across + d / 2);
    const int64_t from_centre = along - pixel * d, from_row = across - row * d;
    const int64_t distance = std::abs(from_centre) + std::abs(from_row);
    if (distance != d / 2 || !raster.direct3d_diamonds) return distance < d / 2;
    return (by_x ? from_row : from_centre * direction) > 0;
  };
  int64_t first = -constants.floor_divide(-start);   // first centre at or after the start
  int64_t last = -constants.floor_divide(-end) - 1;  // last centre before the end
  if (in_diamond(first - 1, start, minor0)) first--;
  if (raster.last_line_pixel)
    last = constants.floor_divide(end + d / 2);
  else if (in_diamond(last, end, minor1))
    last--;
  return {first * direction, last * direction, direction};
}

}  // namespace

static void set_up_sorted_line(const SetupTarget& target, const Corner& from, const Corner& to,
                               const PrimitiveAttributes& attributes);

void set_up_line(const SetupTarget& target, const Corner& from, const Corner& to, const PrimitiveAttributes& attributes) {
  const bool turned = to.x < from.x || (to.x == from.x && to.y < from.y);
  if (!target.input.constants.draw->rasterization.sort_lines || !turned || attributes.kind != PrimitiveKind::line)
    return set_up_sorted_line(target, from, to, attributes);
  PrimitiveAttributes other = attributes;
  other.a = other.c = attributes.b, other.b = attributes.a;
  auto seen_from_b = [](Corner corner) {
    corner.i = 1 - corner.i, corner.linear_i = 1 - corner.linear_i;
    return corner;
  };
  set_up_sorted_line(target, seen_from_b(to), seen_from_b(from), other);
}

// How far the line's vertices are along it, of which it may be a part.
static void measure(const SetupTarget& target, const Corner& from, const Corner& to, double length, PrimitiveAttributes& line) {
  const Rasterization& raster = target.input.constants.draw->rasterization;
  double& counted = target.part.line_length;
  const double start = raster.line_start + (raster.measure_each_line ? 0 : counted), by_weight = length / (to.i - from.i);
  counted += length;
  if (std::isfinite(by_weight)) line.along = {float(start - from.i * by_weight), float(start + (1 - from.i) * by_weight)};
}

static void set_up_sorted_line(const SetupTarget& target, const Corner& from, const Corner& to,
                               const PrimitiveAttributes& attributes) {
  const DrawConstants& constants = target.input.constants;
  const Rasterization& raster = constants.draw->rasterization;
  int64_t d = constants.denominator;
  int64_t x0 = from.x, y0 = from.y, x1 = to.x, y1 = to.y;
  int64_t dx = x1 - x0, dy = y1 - y0;
  double width = raster.line_width > 0 ? std::min(raster.line_width, 8192.0f) : 1;
  const bool by_x = std::abs(dx) >= std::abs(dy);
  const EdgeRule& rule = raster.line_edges[by_x ? 2 * (dx < 0) + (dy < 0) : 4 + 2 * (dy < 0) + (dx < 0)];
  Primitive primitive;
  primitive.attributes = attributes;
  if (raster.measure_lines) measure(target, from, to, double(std::abs(by_x ? dx : dy)) / double(d), primitive.attributes);
  primitive.edges = 4;
  using Reset = Rasterization::StippleReset;
  const uint32_t before = raster.line_stipple_reset == Reset::strips ? target.assembled.stipple : 0;  // in its strip
  if (raster.line_stipple && raster.line_stipple_reset != Reset::none && before == 0 &&
      target.assembled.kind == PrimitiveKind::line)
    target.part.lines.pattern = 0;

  const bool smooth = raster.smooth_lines && !constants.samples_differ;
  if (constants.samples_differ || raster.rectangular_lines || smooth) {
    double length = std::hypot(double(dx), double(dy));
    if (!(length > 0)) return;
    double half = width * double(d) / 2 / length;
    int64_t nx = std::llround(-double(dy) * half), ny = std::llround(double(dx) * half);
    const bool along_axis = raster.lines_end_along_axis && !raster.rectangular_lines && !smooth;
    const double major = double(by_x ? dx : dy);
    if (along_axis) {
      const double across =
          std::copysign(width * double(d) / 2 * (raster.line_width_expanded ? length / std::abs(major) : 1), major);
      nx = by_x ? 0 : std::llround(-across), ny = by_x ? std::llround(across) : 0;
    }
    const double beyond = smooth ? double(raster.smooth_lines->beyond) * double(d) / length : 0;
    const int64_t ex = std::llround(double(dx) * beyond), ey = std::llround(double(dy) * beyond);
    int64_t corner[4][2] = {
        {x0 - ex - nx, y0 - ey - ny}, {x1 + ex - nx, y1 + ey - ny}, {x1 + ex + nx, y1 + ey + ny}, {x0 - ex + nx, y0 - ey + ny}};
    for (unsigned n = 0; n < 4; n++) {
      unsigned next = (n + 1) & 3;
      set_edge(primitive, rule, n, corner[n][0], corner[n][1], corner[next][0], corner[next][1], 1);
    }
    double scale = double(d) / (length * length);
    const int64_t begin = by_x ? x0 : y0, end = by_x ? x1 : y1;
    const auto whole = uint32_t(std::abs(constants.floor_divide(end) - constants.floor_divide(begin)));
    const bool full = raster.line_coordinate && raster.line_coordinate->full_length;
    const Coordinates coordinates = take_coordinates(target, (full ? length : std::abs(major)) / double(d), whole, 0);
    if (along_axis)
      set_line_planes(target, primitive, from, to, by_x ? double(d) / major : 0, by_x ? 0 : double(d) / major, coordinates);
    else
      set_line_planes(target, primitive, from, to, double(dx) * scale, double(dy) * scale, coordinates);
    if (raster.line_stipple) {
      primitive.stipple = by_x ? Primitive::Stipple::by_x : Primitive::Stipple::by_y;
      primitive.stipple_start = int(constants.floor_divide(begin));
      primitive.stipple_step = end >= begin ? 1 : -1;
      primitive.stipple_phase = target.part.lines.pattern;
      target.part.lines.pattern += whole;
    }
    auto bounds = std::minmax({corner[0][0], corner[1][0], corner[2][0], corner[3][0]});
    auto rows = std::minmax({corner[0][1], corner[1][1], corner[2][1], corner[3][1]});
    return bound_and_bin(target, primitive, bounds.first, rows.first, bounds.second, rows.second);
  }

  int64_t sx = constants.sample_x[0], sy = constants.sample_y[0];
  Run run = by_x ? diamond_exit(constants, true, x0, y0, x1, y1, sx, sy) : diamond_exit(constants, false, y0, x0, y1, x1, sy, sx);
  if ((run.last - run.first) * run.direction < 0) return;
  int64_t low = std::min(run.first, run.last) * d - d / 2, high = std::max(run.first, run.last) * d + d / 2;
  int64_t half = std::max<int64_t>(1, std::llround(width)) * d / 2;
  const auto pixels = uint32_t(std::abs(run.last - run.first) + 1);
  const int64_t first_centre = run.first * d + (by_x ? sx : sy), begin = by_x ? x0 : y0;
  const bool from_first = raster.line_coordinate && raster.line_coordinate->from_first_pixel;
  const Coordinates coordinates = take_coordinates(target, double(std::abs(by_x ? dx : dy)) / double(d), pixels,
                                                   from_first ? double((first_centre - begin) * run.direction) / double(d) : 0);
  if (by_x) {
    low += sx, high += sx;
    int sign = dx >= 0 ? 1 : -1;
    if (dx == 0) x1 = x0 + 1, dx = 1;  // a point drawn for its last pixel
    set_edge(primitive, rule, 0, x0, y0 - half, x1, y1 - half, sign);
    set_edge(primitive, rule, 1, x0, y0 + half, x1, y1 + half, -sign);
    set_edge(primitive, {}, 2, low, 0, low, d, -1);
    set_edge(primitive, {}, 3, high, 0, high, d, 1);
    set_line_planes(target, primitive, from, to, double(d) / double(dx), 0, coordinates);
  } else {
    low += sy, high += sy;
    int sign = dy >= 0 ? -1 : 1;
    set_edge(primitive, rule, 0, x0 - half, y0, x1 - half, y1, sign);
    set_edge(primitive, rule, 1, x0 + half, y0, x1 + half, y1, -sign);
    set_edge(primitive, {}, 2, 0, low, d, low, 1);
    set_edge(primitive, {}, 3, 0, high, d, high, -1);
    set_line_planes(target, primitive, from, to, 0, double(d) / double(dy), coordinates);
  }
  if (raster.line_stipple) {
    primitive.stipple = by_x ? Primitive::Stipple::by_x : Primitive::Stipple::by_y;
    primitive.stipple_start = int(run.first);
    primitive.stipple_step = run.direction;
    primitive.stipple_phase = target.part.lines.pattern;
    target.part.lines.pattern += pixels;
  }
  int64_t minor_low = (by_x ? std::min(y0, y1) : std::min(x0, x1)) - half - d,
          minor_high = (by_x ? std::max(y0, y1) : std::max(x0, x1)) + half + d;
  if (by_x)
    bound_and_bin(target, primitive, low, minor_low, high, minor_high);
  else
    bound_and_bin(target, primitive, minor_low, low, minor_high, high);
}

}  // namespace Atoll::pipeline
