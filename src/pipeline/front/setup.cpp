#include "pipeline/front/setup.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/host_level.h"
#include "pipeline/level.h"

namespace Atoll::pipeline {

ATOLL_IN_LEVELS(extern const LevelEntries entries;)

namespace {

// Sets the positions of a pixel's samples, of which the draw's state has `places`, and the mask of those that are drawn.
void place_samples(DrawConstants& constants, std::span<const SamplePosition> positions, uint32_t mask, unsigned places) {
  const Rasterization& raster = constants.draw->rasterization;
  constants.sample_mask = places > 1 ? mask & ((1u << places) - 1) : mask & 1;
  for (unsigned n = places; n < constants.samples; n *= 2) constants.sample_mask |= constants.sample_mask << n;
  constants.sample_mask &= (1u << constants.places) - 1;
  const int64_t sample_grid = std::clamp(raster.sample_grid, 1u, 16u);
  const int64_t shifted = std::llround((double(raster.grid.pixel_centre) - 0.5) * double(constants.denominator));
  constants.least_sample_x = constants.least_sample_y = INT64_MAX;
  constants.max_sample_x = constants.max_sample_y = INT64_MIN;
  for (unsigned s = 0; s < constants.places; s++) {
    const SamplePosition& place = positions[s % places];
    constants.sample_x[s] = place.x * constants.denominator / sample_grid + shifted;
    constants.sample_y[s] = place.y * constants.denominator / sample_grid + shifted;
    constants.sample_dx[s] = double(constants.sample_x[s]) / double(constants.denominator);
    constants.sample_dy[s] = double(constants.sample_y[s]) / double(constants.denominator);
    constants.least_sample_x = std::min(constants.least_sample_x, constants.sample_x[s]);
    constants.max_sample_x = std::max(constants.max_sample_x, constants.sample_x[s]);
    constants.least_sample_y = std::min(constants.least_sample_y, constants.sample_y[s]);
    constants.max_sample_y = std::max(constants.max_sample_y, constants.sample_y[s]);
  }
  if (constants.places > constants.samples) constants.sample_dx[0] = constants.sample_dy[0] = constants.centre;
  const unsigned depths = raster.depth_samples ? std::min(raster.depth_samples, places) : places;
  for (unsigned s = 0; s < constants.samples; s++) {
    constants.depth_dx[s] = constants.sample_dx[s % places % depths];
    constants.depth_dy[s] = constants.sample_dy[s % places % depths];
  }
  const auto dx = std::ranges::minmax(std::span(constants.sample_dx, constants.samples));
  const auto dy = std::ranges::minmax(std::span(constants.sample_dy, constants.samples));
  constants.least_dx = dx.min, constants.most_dx = dx.max, constants.least_dy = dy.min, constants.most_dy = dy.max;
}

// How many places of samples the draw's state gives a pixel.
unsigned places_of(const Rasterization& raster, const DrawConstants& constants) {
  return std::clamp(raster.samples, 1u, constants.places);
}

}  // namespace

std::array<DrawConstants, 4> constants_by_pixel(const std::array<Rasterization::PixelSamples, 3>& others,
                                                DrawConstants& constants) {
  const Rasterization& raster = constants.draw->rasterization;
  const unsigned places = places_of(raster, constants);
  std::array<DrawConstants, 4> all;
  all.fill(constants);
  place_samples(all[0], raster.sample_positions, raster.sample_mask, places);
  for (unsigned n = 1; n < 4; n++) place_samples(all[n], others[n - 1].positions, others[n - 1].mask, places);
  // Bounds of a primitive hold for every pixel.
  for (const DrawConstants& pixel : all) {
    constants.sample_mask |= pixel.sample_mask;
    constants.least_sample_x = std::min(constants.least_sample_x, pixel.least_sample_x);
    constants.max_sample_x = std::max(constants.max_sample_x, pixel.max_sample_x);
    constants.least_sample_y = std::min(constants.least_sample_y, pixel.least_sample_y);
    constants.max_sample_y = std::max(constants.max_sample_y, pixel.max_sample_y);
  }
  return all;
}

bool make_constants(const Draw& draw, DrawConstants& constants) {
  const Rasterization& raster = draw.rasterization;
  constants.draw = &draw;
  // Fewer than 16 parts a pixel or more than 4096 no GPU has; both would overflow nothing, but the edges' bounds count on it.
  int64_t grid = std::clamp(raster.grid.denominator, 1u, 4096u);
  int64_t sample_grid = std::clamp(raster.sample_grid, 1u, 16u);
  constants.denominator = std::lcm(std::lcm(grid, int64_t(16)), sample_grid);
  constants.grid_factor = int32_t(constants.denominator / grid);
  constants.shift = std::has_single_bit(uint64_t(constants.denominator)) ? std::countr_zero(uint64_t(constants.denominator)) : -1;
  // Edges' coefficients stay below 2^26, so that the steps to any pixel and sample of a block fit in 32 bits (raster.cpp).
  double most = double(1 << 25) / double(constants.denominator);
  constants.limit = raster.grid.limit > 1 ? std::min(double(raster.grid.limit), most) : most;
  // Targets of several samples that are drawn to with fewer: all samples of a pixel at the places of those.
  constants.samples = std::clamp(draw.targets.samples, 1u, 16u);
  const bool over = raster.over_rasterize && constants.samples == 1 && raster.samples > 1;
  const unsigned places = std::clamp(raster.samples, 1u, over ? 16u : constants.samples);
  constants.places = over ? places : constants.samples;
  constants.samples_differ = places > 1;
  constants.centre = raster.grid.pixel_centre;
  place_samples(constants, raster.sample_positions, raster.sample_mask, places);
  constexpr unsigned max_size = 32768;
  Rectangle area{0, 0, int(std::min(draw.targets.width, max_size)), int(std::min(draw.targets.height, max_size))};
  for (const Rectangle& scissor : raster.scissors) {
    area.left = std::max(area.left, scissor.left);
    area.top = std::max(area.top, scissor.top);
    area.right = std::min(area.right, scissor.right);
    area.bottom = std::min(area.bottom, scissor.bottom);
  }
  constants.area = area;
  constants.attribute_floats = std::min(draw.attribute_count(), max_attributes) * 4;
  constants.tiles_x = (std::min(draw.targets.width, max_size) + tile_size - 1) / tile_size;
  constants.tiles_y = (std::min(draw.targets.height, max_size) + tile_size - 1) / tile_size;
  const bool any = constants.sample_mask || raster.other_pixels;
  return area.left < area.right && area.top < area.bottom && any && draw.targets.samples <= 16;
}

Plane plane_through(const DrawConstants& constants, const Corner corners[3], double v0, double v1, double v2) {
  double d = double(constants.denominator);
  double x1 = double(corners[1].x - corners[0].x), y1 = double(corners[1].y - corners[0].y);
  double x2 = double(corners[2].x - corners[0].x), y2 = double(corners[2].y - corners[0].y);
  const double doubled_area = x1 * y2 - x2 * y1;
  if (doubled_area == 0) return {v0, 0, 0};  // of polygons that are touched (Rasterization::conservative)
  double scale = d / doubled_area;
  double e1 = v1 - v0, e2 = v2 - v0;
  return {v0, (e1 * y2 - e2 * y1) * scale, (e2 * x1 - e1 * x2) * scale};
}

static bool has_its_samples(const EdgeRule& rule, int64_t a, int64_t b) {
  const bool across = a > 0 ? rule.left : rule.right, along = b > 0 ? rule.top : rule.bottom;
  return rule.by_rows ? (b != 0 ? along : across) : (a != 0 ? across : along);
}

void set_edge(Primitive& primitive, const EdgeRule& rule, unsigned edge, int64_t x0, int64_t y0, int64_t x1, int64_t y1,
              int sign) {
  int64_t a = (y0 - y1) * sign, b = (x1 - x0) * sign;
  int64_t c = -(a * x0 + b * y0);
  primitive.a[edge] = int32_t(a);
  primitive.b[edge] = int32_t(b);
  primitive.c[edge] = has_its_samples(rule, a, b) ? c : c - 1;
}

double depth_offset(const DrawConstants& constants, const Rasterization::DepthOffset& offset, double slope, double max_z) {
  const Rasterization& raster = constants.draw->rasterization;
  int exponent = 1;
  if (raster.offset_of_floats) std::frexp(max_z, &exponent);
  double unit = std::ldexp(1.0, std::max(exponent - 1, -126) + raster.offset_exponent);
  double value = double(offset.factor) * slope + double(offset.units) * unit;
  if (offset.clamp > 0) value = std::min(value, double(offset.clamp));
  if (offset.clamp < 0) value = std::max(value, double(offset.clamp));
  return std::isfinite(value) ? value : 0;
}

PrimitiveAttributes attributes_of(const SetupInput& input, const Assembled& assembled) {
  auto of = [&](uint32_t slot) { return input.attributes + size_t(slot) * input.constants.attribute_floats; };
  PrimitiveAttributes attributes;
  attributes.a = of(assembled.slot[0]);
  attributes.b = assembled.kind == PrimitiveKind::point ? attributes.a : of(assembled.slot[1]);
  attributes.c = assembled.kind == PrimitiveKind::triangle ? of(assembled.slot[2]) : attributes.a;
  attributes.provoking = of(assembled.provoking);
  attributes.kind = assembled.kind;
  attributes.front = !input.constants.draw->rasterization.faces_back;  // (polygons have their own)
  attributes.primitive = assembled.number;
  const PrimitiveValues target = input.target_of(assembled);
  attributes.layer = target.layer;
  attributes.viewport = std::min(target.viewport, 15u);
  attributes.rate = target.rate & 15;
  if (input.given.own) attributes.own = input.given.own + size_t(assembled.given) * input.given.own_floats;
  return attributes;
}

Rectangle area_of(const DrawConstants& constants, unsigned viewport) {
  const Draw& draw = *constants.draw;
  Rectangle area = constants.area;
  if (draw.scissor_viewports) {
    const Rectangle& scissor = draw.viewport_scissors[viewport];
    area.left = std::max(area.left, scissor.left);
    area.top = std::max(area.top, scissor.top);
    area.right = std::min(area.right, scissor.right);
    area.bottom = std::min(area.bottom, scissor.bottom);
  }
  return area;
}

void bound_and_bin(const SetupTarget& target, Primitive& primitive, int64_t left, int64_t top, int64_t right, int64_t bottom) {
  const DrawConstants& constants = target.input.constants;
  const Rectangle area = area_of(constants, target.viewport);
  // Pixels with a sample in the rectangle.
  auto first = [&](int64_t least, int64_t max_sample) { return -constants.floor_divide(max_sample - least); };
  auto last = [&](int64_t most, int64_t least_sample) { return constants.floor_divide(most - least_sample) + 1; };
  primitive.left = int(std::max<int64_t>(area.left, first(left, constants.max_sample_x)));
  primitive.top = int(std::max<int64_t>(area.top, first(top, constants.max_sample_y)));
  primitive.right = int(std::min<int64_t>(area.right, last(right, constants.least_sample_x)));
  primitive.bottom = int(std::min<int64_t>(area.bottom, last(bottom, constants.least_sample_y)));
  if (primitive.left >= primitive.right || primitive.top >= primitive.bottom) return;

  SetupPart& part = target.part;
  *part.room_for(1) = primitive;
  if (put_in_bins(constants, part, uint32_t(part.count))) part.count++, part.out++;
}

bool put_in_bins(const DrawConstants& constants, SetupPart& part, uint32_t index) {
  const Primitive& primitive = part.primitives[index];
  // An index of layers has 11 bits; a primitive whose number they do not hold is not drawn (docs/errata.md). A layer beyond the
  // targets' last one goes to their first (Sea Islands: CB_COLOR_VIEW.SLICE_MAX).
  constexpr uint32_t most_layers = 2048;
  if (primitive.attributes.layer >= most_layers) return false;
  uint32_t layer = primitive.attributes.layer < constants.draw->targets.layers ? primitive.attributes.layer : 0;
  uint32_t layer_base = layer * constants.tiles_x * constants.tiles_y;
  part.large |= primitive.right - primitive.left >= int(block_size) && primitive.bottom - primitive.top >= int(block_size);
  // (Bounds begin at 0 or above.)
  constexpr unsigned size = tile_size;
  const unsigned x0 = unsigned(primitive.left) / size, x1 = unsigned(primitive.right - 1) / size;
  const unsigned y0 = unsigned(primitive.top) / size, y1 = unsigned(primitive.bottom - 1) / size;
  if (x0 == x1 && y0 == y1) {
    part.bins.push_back({layer_base + y0 * constants.tiles_x + x0, index});
    return true;
  }
  bool many = x1 > x0 && y1 > y0;
  size_t before = part.bins.size();
  for (unsigned y = y0; y <= y1; y++) {
    for (unsigned x = x0; x <= x1; x++) {
      if (many) {
        bool outside = false;
        for (unsigned e = 0; e < primitive.edges && !outside; e++) {
          // The sample of the tile that lies deepest inside, anywhere in its pixels.
          int64_t a = primitive.a[e], b = primitive.b[e];
          int64_t px = int64_t(x) * tile_size + (a > 0 ? tile_size - 1 : 0),
                  py = int64_t(y) * tile_size + (b > 0 ? tile_size - 1 : 0);
          int64_t sx = a > 0 ? constants.max_sample_x : constants.least_sample_x;
          int64_t sy = b > 0 ? constants.max_sample_y : constants.least_sample_y;
          outside = a * (px * constants.denominator + sx) + b * (py * constants.denominator + sy) + primitive.c[e] < 0;
        }
        if (outside) continue;
      }
      part.bins.push_back({layer_base + y * constants.tiles_x + x, index});
    }
  }
  return part.bins.size() > before;
}

void set_planes(const SetupTarget& target, Primitive& primitive, const Corner corners[3]) {
  const DrawConstants& constants = target.input.constants;
  double d = double(constants.denominator);
  primitive.x = corners[0].x / d;
  primitive.y = corners[0].y / d;
  auto plane = [&](auto&& value) {
    return plane_through(constants, corners, value(corners[0]), value(corners[1]), value(corners[2]));
  };
  primitive.z = plane([](const Corner& c) { return c.z; });
  primitive.one_over_w = plane([](const Corner& c) { return c.one_over_w; });
  primitive.perspective[0] = plane([](const Corner& c) { return c.i * c.one_over_w; });
  primitive.perspective[1] = plane([](const Corner& c) { return c.j * c.one_over_w; });
  primitive.linear[0] = plane([](const Corner& c) { return c.linear_i; });
  primitive.linear[1] = plane([](const Corner& c) { return c.linear_j; });
  const Viewport& viewport = constants.draw->viewports[target.viewport];
  primitive.depth_low = std::min(viewport.depth_low, viewport.depth_high);
  primitive.depth_high = std::max(viewport.depth_low, viewport.depth_high);
}

namespace {

// `outer`: a bit for each edge that is the polygon's own, not one between two of the parts that it is cut into.
void bin_corners(const SetupTarget& target, Primitive& primitive, const int64_t (*corner)[2], unsigned count, unsigned outer) {
  int64_t left = corner[0][0], right = left, top = corner[0][1], bottom = top;
  for (unsigned n = 1; n < count; n++) {
    left = std::min(left, corner[n][0]), right = std::max(right, corner[n][0]);
    top = std::min(top, corner[n][1]), bottom = std::max(bottom, corner[n][1]);
  }
  const DrawConstants& constants = target.input.constants;
  using Conservative = Rasterization::Conservative;
  if (const Conservative mode = constants.draw->rasterization.conservative; mode != Conservative::off) {
    // A pixel is touched where its centre is inside of edges that lie half of its extent across them further out ("GPU Gems 2",
    // chapter 42, Hasselgren, Akenine-Moeller, Ohlsson: "Conservative Rasterization", the first algorithm), and lies inside whole where
    // its centre is inside of edges that lie so much further in.
    const int64_t half = mode == Conservative::touched ? constants.denominator / 2 : -constants.denominator / 2;
    for (unsigned n = 0; n < count; n++) {
      if (!(outer >> n & 1)) continue;
      const int64_t a = primitive.a[n], b = primitive.b[n];
      // (The pixel's sides and the polygon's belong to both: Vulkan 1.4, "Conservative Rasterization". Of two corners at one place
      // nothing lies outside.)
      primitive.c[n] = -(a * corner[n][0] + b * corner[n][1]) + (std::abs(a) + std::abs(b)) * half;
    }
    if (mode == Conservative::touched) left -= half, right += half, top -= half, bottom += half;
  }
  bound_and_bin(target, primitive, left, top, right, bottom);
}

// The depth offset of a polygon, from the plane through its corners.
double polygon_offset(const DrawConstants& constants, const Corner corners[3], bool front) {
  const Rasterization& raster = constants.draw->rasterization;
  if (!(front ? raster.offset_front : raster.offset_back)) return 0;
  Plane z = plane_through(constants, corners, corners[0].z, corners[1].z, corners[2].z);
  double slope = std::max(std::abs(z.x), std::abs(z.y));
  double most = std::max({std::abs(corners[0].z), std::abs(corners[1].z), std::abs(corners[2].z)});
  return depth_offset(constants, front ? raster.depth_offset_front : raster.depth_offset_back, slope, most);
}

// The corner of a rectangle that lies opposite of the one which is missing: with right angles, that is the one opposite of the
// longest side.
struct Place {
  double x, y;
};
unsigned middle_corner(Place a, Place b, Place c) {
  auto length = [](Place from, Place to) { return (to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y); };
  double side[3] = {length(b, c), length(c, a), length(a, b)};  // opposite of corner n
  return side[0] >= side[1] && side[0] >= side[2] ? 0 : side[1] >= side[2] ? 1 : 2;
}

int64_t doubled_area(const Corner& a, const Corner& b, const Corner& c) {
  return (int64_t(b.x) - a.x) * (int64_t(c.y) - a.y) - (int64_t(c.x) - a.x) * (int64_t(b.y) - a.y);
}

// True if polygons without an area cover pixels.
bool without_area(const SetupTarget& target) {
  return target.input.constants.draw->rasterization.conservative == Rasterization::Conservative::touched;
}

}  // namespace

static Primitive filled_primitive(const SetupTarget& target, bool front, unsigned edges) {
  Primitive primitive;
  primitive.attributes = attributes_of(target.input, target.assembled);
  primitive.attributes.front = front;
  primitive.edges = edges;
  return primitive;
}

void set_up_triangle(const SetupTarget& target, const Corner corners[3], bool front, unsigned outer) {
  int64_t area = doubled_area(corners[0], corners[1], corners[2]);
  if (area == 0 && (!without_area(target) || (outer & 7) != 7)) return;
  Primitive primitive = filled_primitive(target, front, 3);
  int64_t positions[3][2];
  const Rasterization& raster = target.input.constants.draw->rasterization;
  const EdgeRule& rule = target.assembled.rectangle ? raster.rectangle_edges : raster.triangle_edges;
  for (unsigned n = 0; n < 3; n++) {
    const Corner &from = corners[n], &to = corners[n == 2 ? 0 : n + 1];
    set_edge(primitive, rule, n, from.x, from.y, to.x, to.y, area > 0 ? 1 : -1);
    positions[n][0] = from.x, positions[n][1] = from.y;
  }
  set_planes(target, primitive, corners);
  primitive.z.at += polygon_offset(target.input.constants, corners, front);
  bin_corners(target, primitive, positions, 3, outer);
}

namespace {

// Four corners in order, convex: what a plane cuts off a triangle.
void set_up_quad(const SetupTarget& target, const Corner corners[4], bool front) {
  // The half that its planes go through is the larger one.
  const int64_t areas[2] = {doubled_area(corners[0], corners[1], corners[2]), doubled_area(corners[0], corners[2], corners[3])};
  const bool second = std::abs(areas[1]) > std::abs(areas[0]);
  const Corner half[3] = {corners[0], corners[second ? 2 : 1], corners[second ? 3 : 2]};
  Primitive primitive = filled_primitive(target, front, 4);
  int64_t positions[4][2];
  for (unsigned n = 0; n < 4; n++) {
    const Corner &from = corners[n], &to = corners[(n + 1) & 3];
    set_edge(primitive, target.input.constants.draw->rasterization.triangle_edges, n, from.x, from.y, to.x, to.y,
             areas[0] + areas[1] > 0 ? 1 : -1);
    positions[n][0] = from.x, positions[n][1] = from.y;
  }
  set_planes(target, primitive, half);
  primitive.z.at += polygon_offset(target.input.constants, half, front);
  bin_corners(target, primitive, positions, 4, all_outer);
}

}  // namespace

void set_up_rectangle(const SetupTarget& target, const Corner corners[3], bool front) {
  int64_t area = doubled_area(corners[0], corners[1], corners[2]);
  if (area == 0) return;
  Primitive primitive = filled_primitive(target, front, 4);
  auto place = [&](unsigned n) { return Place{double(corners[n].x), double(corners[n].y)}; };
  unsigned middle = middle_corner(place(0), place(1), place(2));
  unsigned after = (middle + 1) % 3, before = (middle + 2) % 3;
  int64_t positions[4][2] = {{corners[middle].x, corners[middle].y},
                             {corners[after].x, corners[after].y},
                             {0, 0},
                             {corners[before].x, corners[before].y}};
  for (int n = 0; n < 2; n++) positions[2][n] = positions[1][n] + positions[3][n] - positions[0][n];
  for (unsigned n = 0; n < 4; n++) {
    unsigned next = (n + 1) & 3;
    set_edge(primitive, target.input.constants.draw->rasterization.rectangle_edges, n, positions[n][0], positions[n][1],
             positions[next][0], positions[next][1], area > 0 ? 1 : -1);
  }
  set_planes(target, primitive, corners);
  primitive.z.at += polygon_offset(target.input.constants, corners, front);
  bin_corners(target, primitive, positions, 4, all_outer);
}

namespace {

Corner corner_of(const ScreenVertex& vertex, unsigned index) {
  double i = index == 1, j = index == 2;
  return {vertex.x, vertex.y, double(vertex.z), double(vertex.one_over_w), i, j, i, j, true};
}

// Weights of a polygon's three vertices.
struct Weights {
  double perspective[3], linear[3];
};
Weights weights_of(const Corner& c) { return {{1 - c.i - c.j, c.i, c.j}, {1 - c.linear_i - c.linear_j, c.linear_i, c.linear_j}}; }
bool is_zero(double weight) { return std::abs(weight) < 1e-9; }

// A side of a polygon, or what is left of it, as a line between the vertices at its ends.
void set_up_side(const SetupTarget& target, Corner from, Corner to, const PrimitiveAttributes& polygon) {
  const float* vertex[3] = {polygon.a, polygon.b, polygon.c};
  Weights of_from = weights_of(from), of_to = weights_of(to);
  PrimitiveAttributes line = polygon;
  for (unsigned a = 0; a < 3; a++) {
    unsigned b = (a + 1) % 3, other = (a + 2) % 3;
    if (!is_zero(of_from.perspective[other]) || !is_zero(of_to.perspective[other])) continue;
    line.kind = PrimitiveKind::line;
    line.a = line.c = vertex[a];
    line.b = vertex[b];
    from.i = of_from.perspective[b], from.linear_i = of_from.linear[b];
    to.i = of_to.perspective[b], to.linear_i = of_to.linear[b];
    from.j = from.linear_j = to.j = to.linear_j = 0;
    break;
  }
  set_up_line(target, from, to, line);
}

// A polygon's vertex as a point. One that cutting made keeps the polygon's own attributes.
void set_up_corner(const SetupTarget& target, const Corner& corner, const PrimitiveAttributes& polygon) {
  const float* vertex[3] = {polygon.a, polygon.b, polygon.c};
  Weights weights = weights_of(corner);
  PrimitiveAttributes point = polygon;
  float size = target.input.vertices[target.assembled.slot[0]].point_size;
  for (unsigned n = 0; n < 3; n++) {
    if (!is_zero(weights.perspective[n] - 1)) continue;
    point.kind = PrimitiveKind::point;
    point.a = point.b = point.c = vertex[n];
    size = target.input.vertices[target.assembled.slot[n]].point_size;
  }
  set_up_point(target, corner, size, point);
}

// A triangle's or rectangle's polygon of corners, filled or by its edges or corners.
void set_up_polygon(const SetupTarget& target, const Corner* corners, unsigned count) {
  const Rasterization& raster = target.input.constants.draw->rasterization;
  int64_t area = 0;
  for (unsigned n = 2; n < count; n++) area += doubled_area(corners[0], corners[n - 1], corners[n]);
  // (Without an area they are seen from behind: Vulkan 1.4, "Basic Polygon Rasterization".)
  bool front = (area > 0) == raster.front_is_clockwise && (area || !without_area(target));
  if (front ? raster.cull_front : raster.cull_back) return;
  Fill fill = front ? raster.fill_front : raster.fill_back;
  if (fill == Fill::triangles || target.assembled.rectangle) {
    if (area == 0 && (!without_area(target) || count != 3)) return;
    if (target.whole_rectangle) return set_up_rectangle(target, corners, front);
    if (count == 4 && raster.conservative != Rasterization::Conservative::off) return set_up_quad(target, corners, front);
    for (unsigned n = 2; n < count; n++) {
      Corner triangle[3] = {corners[0], corners[n - 1], corners[n]};
      set_up_triangle(target, triangle, front, (n == 2 ? 1u : 0u) | 2u | (n == count - 1 ? 4u : 0u));
    }
    return;
  }
  PrimitiveAttributes polygon = attributes_of(target.input, target.assembled);
  polygon.front = front;
  // Lines and corners of a polygon are moved as it is.
  SetupTarget part = target;
  part.polygon_offset = polygon_offset(target.input.constants, corners, front);
  const auto reset = target.input.constants.draw->rasterization.line_stipple_reset;
  if (target.assembled.edges & 1 && reset != Rasterization::StippleReset::none)
    target.part.lines.pattern = 0;  // an outline's pattern begins with it
  for (unsigned n = 0; n < count; n++) {
    if (!corners[n].edge) continue;
    if (fill == Fill::lines) {
      set_up_side(part, corners[n], corners[n + 1 == count ? 0 : n + 1], polygon);
    } else {
      set_up_corner(part, corners[n], polygon);
    }
  }
}

}  // namespace

void set_up(const SetupInput& input, const Assembled& assembled, SetupPart& part) {
  const DrawConstants& constants = input.constants;
  const Draw& draw = *constants.draw;
  part.in++;
  unsigned count = assembled.kind == PrimitiveKind::point ? 1 : assembled.kind == PrimitiveKind::line ? 2 : 3;
  unsigned viewport = std::min(input.target_of(assembled).viewport, 15u);
  ScreenVertex screen[3];
  uint32_t any = 0, all = ~0u;
  for (unsigned n = 0; n < count; n++) {
    uint32_t slot = assembled.slot[n];
    const Vertex& vertex = input.vertices[slot];
    screen[n] = input.screen[slot];
    // A primitive goes through one viewport.
    if (std::min(vertex.viewport, 15u) != viewport && !draw.clip.viewport_by_vertex) {
      uint32_t code = outcode(constants, vertex, input.guards[viewport]);
      screen[n] = to_screen(constants, draw.viewports[viewport], vertex.position);
      screen[n].outcode |= code;
    }
    any |= screen[n].outcode;
    all &= screen[n].outcode;
  }
  const bool cut_point = count == 1 && draw.clip.cut_points;
  const uint32_t sized = count == 1 ? draw.clip.point_planes : 0;  // set_up_point() looks at them
  const uint32_t dropped_by = cut_point ? clip_planes & (OUTSIDE_DISTANCE_0 - 1) : clip_planes & ~(sized * OUTSIDE_DISTANCE_0);
  if (any & UNUSABLE || all & dropped_by || all & cull_planes & ~(sized * CULLED_DISTANCE_0)) return;
  SetupTarget target{input, assembled, part, viewport, assembled.rectangle && !(any & clip_planes)};
  uint32_t planes = any & clip_planes;
  if (count == 1) {
    return set_up_point(target, corner_of(screen[0], 0), input.vertices[assembled.slot[0]].point_size,
                        attributes_of(input, assembled));
  }
  Corner corners[max_clip_corners];
  if (!planes) {
    for (unsigned n = 0; n < count; n++) corners[n] = corner_of(screen[n], n);
    if (count == 2) return set_up_line(target, corners[0], corners[1], attributes_of(input, assembled));
    for (unsigned n = 0; n < 3; n++) corners[n].edge = (assembled.edges >> n & 1) && input.vertices[assembled.slot[n]].edge;
    return set_up_polygon(target, corners, 3);
  }
  ClipCorner cut[max_clip_corners];
  double w[3] = {1, 1, 1};
  for (unsigned n = 0; n < count; n++) {
    const Vertex& vertex = input.vertices[assembled.slot[n]];
    for (int k = 0; k < 4; k++) cut[n].position[k] = vertex.position[k];
    for (int k = 0; k < 8; k++)
      cut[n].distance[k] = std::isfinite(vertex.clip_distance[k]) ? vertex.clip_distance[k]
                           : vertex.clip_distance[k] > 0          ? 1e30
                                                                  : -1e30;
    cut[n].i = n == 1, cut[n].j = n == 2;
    cut[n].edge = (assembled.edges >> n & 1) && vertex.edge;
    w[n] = vertex.position[3];
  }
  const GuardBand& guard = input.guards[viewport];
  unsigned polygon = count;
  if (assembled.rectangle) {
    // Its fourth corner goes between the two that are not opposite of it.
    auto place = [&](unsigned n) { return Place{cut[n].position[0] / w[n], cut[n].position[1] / w[n]}; };
    unsigned middle = middle_corner(place(0), place(1), place(2)), after = (middle + 1) % 3, before = (middle + 2) % 3;
    ClipCorner corner[4] = {cut[middle], cut[after], {}, cut[before]};
    auto fourth = [&](auto&& of) { return of(corner[1]) + of(corner[3]) - of(corner[0]); };
    for (int k = 0; k < 4; k++) corner[2].position[k] = fourth([&](const ClipCorner& c) { return c.position[k]; });
    for (int k = 0; k < 8; k++) corner[2].distance[k] = fourth([&](const ClipCorner& c) { return c.distance[k]; });
    corner[2].i = fourth([](const ClipCorner& c) { return c.i; });
    corner[2].j = fourth([](const ClipCorner& c) { return c.j; });
    std::copy_n(corner, 4, cut);
    // (It may lie beyond planes that the three do not.)
    planes |= constants.draw->clip.enable && constants.draw->clip.divide
                  ? 0x7f & ~unsigned(draw.clip.cut_near ? 0 : OUTSIDE_NEAR) & ~unsigned(draw.clip.cut_far ? 0 : OUTSIDE_FAR)
                  : 0;
    planes |= unsigned(draw.clip.distances) * OUTSIDE_DISTANCE_0;
    polygon = 4;
  }
  unsigned kept = count == 2 ? clip_line(constants, guard, planes, cut) : clip_polygon(constants, guard, planes, cut, polygon);
  // Corners that cutting made go through the primitive's viewport all the same.
  auto viewport_of = [&](const ClipCorner& corner) -> const Viewport& {
    const unsigned which = corner.i == 1 ? 1 : corner.j == 1 ? 2 : corner.i == 0 && corner.j == 0 ? 0 : 3;
    if (!draw.clip.viewport_by_vertex || which == 3) return draw.viewports[viewport];
    return draw.viewports[std::min(input.vertices[assembled.slot[which]].viewport, 15u)];
  };
  for (unsigned n = 0; n < kept; n++) {
    float position[4];
    for (int k = 0; k < 4; k++) position[k] = float(cut[n].position[k]);
    if (draw.clip.divide && !(position[3] > 1e-30f)) position[3] = 1e-30f;
    ScreenVertex vertex = to_screen(constants, viewport_of(cut[n]), position);
    if (vertex.outcode & UNUSABLE) return;
    corners[n] = {vertex.x, vertex.y, double(vertex.z), double(vertex.one_over_w), cut[n].i, cut[n].j,
                  cut[n].i, cut[n].j, cut[n].edge};
    if (draw.clip.divide) {
      // Weights on the screen: those in clip space, each times its vertex's w.
      corners[n].linear_i = cut[n].i * w[1] * corners[n].one_over_w;
      corners[n].linear_j = cut[n].j * w[2] * corners[n].one_over_w;
    }
  }
  if (!kept) return;
  if (count == 2)
    set_up_line(target, corners[0], corners[1], attributes_of(input, assembled));
  else
    set_up_polygon(target, corners, kept);
}

void set_up(const SetupInput& input, std::span<const Assembled> assembled, bool one_layer, SetupPart& part) {
  static const LevelEntries& level = ATOLL_AT_LEVEL(entries);
  const Rasterization& raster = input.constants.draw->rasterization;
  if (!one_layer || raster.fill_front != Fill::triangles || raster.fill_back != Fill::triangles || raster.offset_front ||
      raster.offset_back || raster.conservative != Rasterization::Conservative::off || raster.triangle_edges != EdgeRule{}) {
    for (const Assembled& primitive : assembled) set_up(input, primitive, part);
    return;
  }
  const PixelStage* stage = input.constants.draw->pixel_stage;
  const uint32_t weights = stage ? stage->barycentrics() : 0;
  const TriangleSetup setup{input, area_of(input.constants, 0), (weights & 7) != 0, (weights >> 3 & 7) != 0};
  constexpr size_t at_once = 8;
  for (size_t first = 0; first < assembled.size(); first += at_once) {
    const auto some = assembled.subspan(first, std::min(at_once, assembled.size() - first));
    TriangleState states[at_once];
    uint32_t index = uint32_t(part.count);
    part.count += level.set_up_triangles(setup, some.data(), unsigned(some.size()), part.room_for(at_once), states);
    for (size_t n = 0; n < some.size(); n++) {
      if (states[n] == TriangleState::other) {
        set_up(input, some[n], part);
        continue;
      }
      part.in++;
      if (states[n] == TriangleState::uncovered) part.out++;
      if (states[n] == TriangleState::set_up) part.out += put_in_bins(input.constants, part, index++);
    }
  }
}

}  // namespace Atoll::pipeline
