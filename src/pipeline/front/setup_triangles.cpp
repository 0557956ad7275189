// Setup of eight triangles at once: those that are filled and need no cutting. Each lane takes the steps that set_up() takes for
// one (setup.cpp), to the bit. Products of places on the grid stay below 2^53 (DrawConstants::limit), so that doubles have them
// exactly where set_up() takes integers.
#include <algorithm>
#include <bit>

#include "pipeline/block_pixels.h"
#include "pipeline/front/setup_lanes.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

namespace {

constexpr unsigned lanes = 8;

f64x8 doubles(const i32x8& v) { return __builtin_convertvector(v, f64x8); }
f64x8 doubles(const f32x8& v) { return __builtin_convertvector(v, f64x8); }
f64x8 lesser(const f64x8& a, const f64x8& b) { return a < b ? a : b; }
f64x8 greater(const f64x8& a, const f64x8& b) { return a > b ? a : b; }
f64x8 floor(const f64x8& v) { return __builtin_elementwise_floor(v); }

// One corner of each triangle.
struct Corners {
  f64x8 x, y, z, one_over_w;
};

// One plane of each triangle, where single lanes are taken from.
struct Planes {
  alignas(64) double at[lanes], x[lanes], y[lanes];
};
Plane lane(const Planes& planes, unsigned n) { return {planes.at[n], planes.x[n], planes.y[n]}; }

struct Edges {
  f64x8 a[3], b[3], c[3];
};
struct Bounds {
  f64x8 left, top, right, bottom, width, height;
};
// Primitive::inside. `small`: lanes whose bounds are at most 4x4.
i64x8 covered(const DrawConstants& constants, const Edges& edges, const Bounds& bounds, const i64x8& small) {
  int width = 1, height = 1;
  while (width < 4 && sign_bits(i64x8(small & (bounds.width > double(width))))) width++;
  while (height < 4 && sign_bits(i64x8(small & (bounds.height > double(height))))) height++;
  const double d = double(constants.denominator);
  const f64x8 x = bounds.left * d + double(constants.sample_x[0]), y = bounds.top * d + double(constants.sample_y[0]);
  f64x8 first[3], step_x[3], step_y[3];
  for (unsigned e = 0; e < 3; e++) {
    first[e] = edges.a[e] * x + edges.b[e] * y + edges.c[e];
    step_x[e] = edges.a[e] * d, step_y[e] = edges.b[e] * d;
  }
  // The numbers of a column's or row's pixels in a block depend on whether the bounds begin at an even pixel or an odd one.
  const i64x8 left_odd = -(__builtin_convertvector(bounds.left, i64x8) & 1),
              top_odd = -(__builtin_convertvector(bounds.top, i64x8) & 1);
  auto number = [](const i64x8& odd, unsigned even_number, unsigned odd_number) {
    return (odd & int64_t(odd_number)) | (~odd & int64_t(even_number));
  };
  i64x8 inside = {};
  for (unsigned py = 0; py < unsigned(height); py++)
    for (unsigned px = 0; px < unsigned(width); px++) {
      i64x8 in = (bounds.width > double(px)) & (bounds.height > double(py));
      for (unsigned e = 0; e < 3; e++) in &= first[e] + step_x[e] * double(px) + step_y[e] * double(py) >= 0;
      const i64x8 place = number(left_odd, number_in_block(px, 0), number_in_block(px + 1, 0)) +
                          number(top_odd, number_in_block(0, py), number_in_block(0, py + 1));
      inside |= (in & 1) << place;
    }
  return inside;
}

// The corners of up to eight triangles.
struct Triangles {
  Corners corner[3];
  uint32_t others = 0;  // those that are no triangle to be filled as it is, a bit each
};
// `count` of them; lanes behind the last have its corners.
[[gnu::always_inline]] inline Triangles take_corners(const SetupInput& input, const Assembled* assembled, unsigned count) {
  alignas(64) int32_t grid_x[3][lanes], grid_y[3][lanes];
  alignas(64) float depth[3][lanes], one_over_w[3][lanes];
  Triangles triangles;
  for (unsigned n = 0; n < lanes; n++) {
    const Assembled& triangle = assembled[n < count ? n : count - 1];
    uint32_t outcodes = triangle.kind != PrimitiveKind::triangle || triangle.rectangle;
    for (unsigned k = 0; k < 3; k++) {
      const ScreenVertex& vertex = input.screen[triangle.slot[k]];
      grid_x[k][n] = vertex.x, grid_y[k][n] = vertex.y;
      depth[k][n] = vertex.z, one_over_w[k][n] = vertex.one_over_w;
      outcodes |= vertex.outcode;
    }
    triangles.others |= uint32_t(outcodes != 0) << n;
  }
  for (unsigned k = 0; k < 3; k++)
    triangles.corner[k] = {doubles(load<i32x8>(grid_x[k])), doubles(load<i32x8>(grid_y[k])), doubles(load<f32x8>(depth[k])),
                           doubles(load<f32x8>(one_over_w[k]))};
  return triangles;
}

// The pixels of `area` (scissors and targets) that have a sample's position within the corners' bounds.
[[gnu::always_inline]] inline Bounds bounds_of(const DrawConstants& constants, const Rectangle& area,
                                               const Corners (&corner)[3]) {
  const double d = double(constants.denominator);
  const f64x8 least_x = lesser(lesser(corner[0].x, corner[1].x), corner[2].x);
  const f64x8 most_x = greater(greater(corner[0].x, corner[1].x), corner[2].x);
  const f64x8 least_y = lesser(lesser(corner[0].y, corner[1].y), corner[2].y);
  const f64x8 most_y = greater(greater(corner[0].y, corner[1].y), corner[2].y);
  auto at_least = [](const f64x8& v, int low) { return greater(v, f64x8{} + double(low)); };
  auto at_most = [](const f64x8& v, int high) { return lesser(v, f64x8{} + double(high)); };
  const f64x8 left = at_least(-floor((double(constants.max_sample_x) - least_x) / d), area.left);
  const f64x8 top = at_least(-floor((double(constants.max_sample_y) - least_y) / d), area.top);
  const f64x8 right = at_most(floor((most_x - double(constants.least_sample_x)) / d) + 1, area.right);
  const f64x8 bottom = at_most(floor((most_y - double(constants.least_sample_y)) / d) + 1, area.bottom);
  return {left, top, right, bottom, right - left, bottom - top};
}

// By the top-left rule.
[[gnu::always_inline]] inline Edges edges_of(const Corners (&corner)[3], const i64x8& clockwise) {
  Edges edges;
  for (unsigned e = 0; e < 3; e++) {
    const Corners &from = corner[e], &to = corner[e == 2 ? 0 : e + 1];
    const f64x8 a = from.y - to.y, b = to.x - from.x;
    edges.a[e] = clockwise ? a : -a, edges.b[e] = clockwise ? b : -b;
    const f64x8 c = -(edges.a[e] * from.x + edges.b[e] * from.y);
    const i64x8 top_left = (edges.a[e] > 0) | ((edges.a[e] == 0) & (edges.b[e] > 0));
    edges.c[e] = top_left ? c : c - 1;
  }
  return edges;
}

// All that goes into the primitives, where single lanes are taken from.
struct Lanes {
  alignas(64) int32_t left[lanes], top[lanes], right[lanes], bottom[lanes];
  alignas(64) int64_t inside[lanes] = {};
  alignas(64) double x[lanes], y[lanes];
  alignas(64) int32_t edge_a[3][lanes], edge_b[3][lanes];
  alignas(64) int64_t edge_c[3][lanes];
  Planes z, one_over_w, i, j, linear_i, linear_j;

  void set_bounds(const Bounds& bounds) {
    store(left, __builtin_convertvector(bounds.left, i32x8));
    store(top, __builtin_convertvector(bounds.top, i32x8));
    store(right, __builtin_convertvector(bounds.right, i32x8));
    store(bottom, __builtin_convertvector(bounds.bottom, i32x8));
  }
  void set_edges(const Edges& edges) {
    for (unsigned e = 0; e < 3; e++) {
      store(edge_a[e], __builtin_convertvector(edges.a[e], i32x8));
      store(edge_b[e], __builtin_convertvector(edges.b[e], i32x8));
      store(edge_c[e], __builtin_convertvector(edges.c[e], i64x8));
    }
  }
};

// Finds the covered pixels of those of `alive` that are small, pixel by pixel. Returns the ones of `alive` that cover a sample; the
// others' state is set.
[[gnu::always_inline]] inline uint32_t cover_small(const DrawConstants& constants, const Edges& edges, const Bounds& bounds,
                                                   uint32_t alive, Lanes& out, TriangleState* states) {
  const i64x8 all_small = (bounds.width <= 4) & (bounds.height <= 4);
  const uint32_t small = alive & sign_bits(all_small);
  if (!small) return alive;
  store(out.inside, covered(constants, edges, bounds, all_small));
  for (unsigned n = 0; n < lanes; n++) {
    if (!(small >> n & 1)) {
      out.inside[n] = 0;
    } else if (!out.inside[n]) {
      // One that lies in several tiles' columns and rows is binned by its edges.
      const int x0 = out.left[n], y0 = out.top[n], x1 = out.right[n] - 1, y1 = out.bottom[n] - 1;
      if (x0 / tile_size != x1 / tile_size && y0 / tile_size != y1 / tile_size) continue;
      alive &= ~(1u << n);
      states[n] = TriangleState::uncovered;
    }
  }
  return alive;
}

// One triangle of the eight as a primitive.
[[gnu::always_inline]] inline void put_primitive(const TriangleSetup& setup, const Assembled& triangle, const Lanes& from,
                                                 unsigned n, bool front, Primitive& primitive) {
  const SetupInput& input = setup.input;
  const DrawConstants& constants = input.constants;
  const Viewport& viewport = constants.draw->viewports[0];
  auto attributes_at = [&](uint32_t slot) { return input.attributes + size_t(slot) * constants.attribute_floats; };
  primitive.edges = 3;
  for (unsigned e = 0; e < 3; e++) {
    primitive.a[e] = from.edge_a[e][n], primitive.b[e] = from.edge_b[e][n];
    primitive.c[e] = from.edge_c[e][n];
  }
  primitive.left = from.left[n], primitive.top = from.top[n], primitive.right = from.right[n], primitive.bottom = from.bottom[n];
  primitive.inside = uint64_t(from.inside[n]);
  primitive.x = from.x[n], primitive.y = from.y[n];
  primitive.z = lane(from.z, n), primitive.one_over_w = lane(from.one_over_w, n);
  if (setup.perspective) primitive.perspective[0] = lane(from.i, n), primitive.perspective[1] = lane(from.j, n);
  if (setup.linear) primitive.linear[0] = lane(from.linear_i, n), primitive.linear[1] = lane(from.linear_j, n);
  primitive.depth_low = std::min(viewport.depth_low, viewport.depth_high);
  primitive.depth_high = std::max(viewport.depth_low, viewport.depth_high);
  primitive.attributes = {attributes_at(triangle.slot[0]),
                          attributes_at(triangle.slot[1]),
                          attributes_at(triangle.slot[2]),
                          attributes_at(triangle.provoking),
                          PrimitiveKind::triangle,
                          front,
                          triangle.number,
                          0,
                          0};
  primitive.stipple = Primitive::Stipple::none;
}

}  // namespace

unsigned set_up_triangles(const TriangleSetup& setup, const Assembled* assembled, unsigned count, Primitive* out,
                          TriangleState* states) {
  const DrawConstants& constants = setup.input.constants;
  const Rasterization& raster = constants.draw->rasterization;
  const Triangles triangles = take_corners(setup.input, assembled, count);
  const Corners(&corner)[3] = triangles.corner;

  // Their winding, and whether it is culled.
  const f64x8 x1 = corner[1].x - corner[0].x, y1 = corner[1].y - corner[0].y;
  const f64x8 x2 = corner[2].x - corner[0].x, y2 = corner[2].y - corner[0].y;
  const f64x8 area = x1 * y2 - x2 * y1;
  const i64x8 clockwise = area > 0;
  const uint32_t front = sign_bits(clockwise) ^ (raster.front_is_clockwise ? 0 : 0xff);
  uint32_t alive = ~triangles.others & ~sign_bits(i64x8(area == 0)) & ((1u << count) - 1);
  if (raster.cull_front) alive &= ~front;
  if (raster.cull_back) alive &= front;

  const Bounds bounds = bounds_of(constants, setup.area, corner);
  alive &= sign_bits(i64x8((bounds.left < bounds.right) & (bounds.top < bounds.bottom)));
  for (unsigned n = 0; n < count; n++) states[n] = triangles.others >> n & 1 ? TriangleState::other : TriangleState::dropped;
  if (!alive) return 0;

  const Edges edges = edges_of(corner, clockwise);
  Lanes to;
  to.set_bounds(bounds);
  if (constants.places == 1) {
    alive = cover_small(constants, edges, bounds, alive, to, states);
    if (!alive) return 0;
  }

  const double d = double(constants.denominator);
  const f64x8 scale = d / area;
  auto plane = [&](const f64x8& v0, const f64x8& v1, const f64x8& v2) {
    const f64x8 e1 = v1 - v0, e2 = v2 - v0;
    Planes planes;
    store(planes.at, v0);
    store(planes.x, f64x8((e1 * y2 - e2 * y1) * scale));
    store(planes.y, f64x8((e2 * x1 - e1 * x2) * scale));
    return planes;
  };
  const f64x8 none = {}, one = none + 1;
  const f64x8 &w0 = corner[0].one_over_w, &w1 = corner[1].one_over_w, &w2 = corner[2].one_over_w;
  to.z = plane(corner[0].z, corner[1].z, corner[2].z);
  store(to.z.at, corner[0].z + 0.0);  // as with an offset of none: not -0
  to.one_over_w = plane(w0, w1, w2);
  if (setup.perspective) to.i = plane(0.0 * w0, w1, 0.0 * w2), to.j = plane(0.0 * w0, 0.0 * w1, w2);
  if (setup.linear) to.linear_i = plane(none, one, none), to.linear_j = plane(none, none, one);
  store(to.x, corner[0].x / d);
  store(to.y, corner[0].y / d);
  to.set_edges(edges);

  Primitive* next = out;
  for (unsigned n = 0; n < count; n++) {
    if (!(alive >> n & 1)) continue;
    states[n] = TriangleState::set_up;
    put_primitive(setup, assembled[n], to, n, front >> n & 1, *next++);
  }
  return unsigned(next - out);
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
