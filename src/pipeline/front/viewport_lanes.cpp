// Eight vertices at once from clip space to the screen's grid, with their outcodes: the steps of to_screen() and outcode()
// (viewport.cpp), to the bit.
#include "pipeline/front/setup_lanes.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

namespace {

constexpr unsigned lanes = 8;

struct Positions {
  f32x8 x, y, z, w;
};

// Two vertices' vectors in one, from which four of them give all.
f32x8 pair(const f32x4& a, const f32x4& b) { return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7); }
Positions by_component(const f32x4 (&v)[lanes]) {
  const f32x8 one = pair(v[0], v[4]), two = pair(v[1], v[5]), three = pair(v[2], v[6]), four = pair(v[3], v[7]);
  const f32x8 xy_low = __builtin_shufflevector(one, two, 0, 8, 1, 9, 4, 12, 5, 13);
  const f32x8 zw_low = __builtin_shufflevector(one, two, 2, 10, 3, 11, 6, 14, 7, 15);
  const f32x8 xy_high = __builtin_shufflevector(three, four, 0, 8, 1, 9, 4, 12, 5, 13);
  const f32x8 zw_high = __builtin_shufflevector(three, four, 2, 10, 3, 11, 6, 14, 7, 15);
  return {__builtin_shufflevector(xy_low, xy_high, 0, 1, 8, 9, 4, 5, 12, 13),
          __builtin_shufflevector(xy_low, xy_high, 2, 3, 10, 11, 6, 7, 14, 15),
          __builtin_shufflevector(zw_low, zw_high, 0, 1, 8, 9, 4, 5, 12, 13),
          __builtin_shufflevector(zw_low, zw_high, 2, 3, 10, 11, 6, 7, 14, 15)};
}

i32x8 is_finite(const f32x8& v) { return v - v == 0; }
i32x8 is_nan(const f32x8& v) { return v != v; }

i32x8 outcodes(const Clip& clip, const GuardBand& guard, const Positions& p) {
  i32x8 code = {};
  auto add = [&](const i32x8& where, uint32_t bit) { code |= where & int32_t(bit); };
  if (clip.enable && clip.divide) {
    const f32x8 gx = guard.x * p.w, gy = guard.y * p.w;
    add(~(p.x >= -gx), OUTSIDE_LEFT);
    add(~(p.x <= gx), OUTSIDE_RIGHT);
    add(~(p.y >= -gy), OUTSIDE_TOP);
    add(~(p.y <= gy), OUTSIDE_BOTTOM);
    if (clip.cut_near) add(~(clip.depth_from_zero ? p.z >= 0 : p.z >= -p.w), OUTSIDE_NEAR);
    if (clip.cut_far) add(~(p.z <= p.w), OUTSIDE_FAR);
    add(~(p.w > 0), OUTSIDE_W);
    add(~(is_finite(p.x) & is_finite(p.y) & is_finite(p.z) & is_finite(p.w)), UNUSABLE);
  } else {
    add(is_nan(p.x) | is_nan(p.y) | is_nan(p.z) | is_nan(p.w), UNUSABLE);
    if (clip.divide) add(p.w == 0, UNUSABLE);
  }
  return code;
}

i32x8 to_grid(const DrawConstants& constants, const f32x8& pixels) {
  const Grid& grid = constants.draw->rasterization.grid;
  f64x8 scaled = __builtin_convertvector(pixels, f64x8);
  scaled = scaled < -constants.limit ? f64x8{} - constants.limit : scaled;
  scaled = scaled > constants.limit ? f64x8{} + constants.limit : scaled;
  scaled *= double(grid.denominator);
  switch (grid.rounding) {
    case GridRounding::truncate: break;  // as the conversion does
    case GridRounding::nearest: scaled = __builtin_elementwise_floor(scaled + 0.5); break;
    case GridRounding::nearest_even: scaled = __builtin_elementwise_roundeven(scaled); break;
  }
  i32x8 parts = __builtin_convertvector(scaled, i32x8);
  for (unsigned n = 0; grid.dropped_bits && n < lanes; n++) parts[n] = without_bits(grid, parts[n]);
  return parts * constants.grid_factor;
}

}  // namespace

void to_screen(const DrawConstants& constants, const Viewport& viewport, const GuardBand& guard, const Vertex* vertices,
               size_t count, ScreenVertex* out) {
  const Clip& mode = constants.draw->clip;
  const f32x8 one = f32x8{} + 1;
  for (size_t first = 0; first < count; first += lanes) {
    const size_t here = count - first < lanes ? count - first : lanes;
    f32x4 position[lanes];
    for (unsigned n = 0; n < lanes; n++) position[n] = load<f32x4>(vertices[first + (n < here ? n : 0)].position);
    Positions p = by_component(position);
    i32x8 code = outcodes(mode, guard, p);
    f32x8 one_over_w = !mode.divide && mode.w_is_reciprocal ? p.w : one / p.w;
    if (mode.divide) p.x *= one_over_w, p.y *= one_over_w, p.z *= one_over_w;
    one_over_w = is_finite(one_over_w) ? one_over_w : one;
    if (viewport.depth_is_w) p.z = one / one_over_w;
    if (mode.viewport_transform) {
      p.x = p.x * viewport.scale[0] + viewport.offset[0];
      p.y = p.y * viewport.scale[1] + viewport.offset[1];
      p.z = p.z * viewport.scale[2] + viewport.offset[2];
    }
    const f32x8 beyond = p.z > 0 ? f32x8{} + 1e30f : p.z < 0 ? f32x8{} - 1e30f : f32x8{};
    p.z = is_finite(p.z) ? p.z : beyond;
    const i32x8 nowhere = is_nan(p.x) | is_nan(p.y);
    code |= nowhere & int32_t(UNUSABLE);
    alignas(32) int32_t x[lanes], y[lanes], codes[lanes];
    alignas(32) float z[lanes], w[lanes];
    store(x, i32x8(to_grid(constants, p.x) & ~nowhere));
    store(y, i32x8(to_grid(constants, p.y) & ~nowhere));
    store(z, p.z);
    store(w, one_over_w);
    store(codes, code);
    for (unsigned n = 0; n < here; n++) out[first + n] = {x[n], y[n], z[n], w[n], uint32_t(codes[n])};
  }
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
