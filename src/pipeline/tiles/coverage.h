// Coverage: which pixels (or samples) of a block lie inside of a primitive's edges. Exact in integers: see Primitive. Included by
// raster.cpp, once a host level.
#pragma once
#include <algorithm>
#include <bit>

#include "pipeline/block_pixels.h"
#include "pipeline/tiles/tile_work.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

// Pixels of the block at (x, y) that the clip rectangles' rule lets through.
inline uint64_t clip_rectangle_mask(const Rasterization& raster, int x, int y) {
  uint64_t in[4], mask = 0;
  for (int n = 0; n < 4; n++) in[n] = pixels_inside(raster.clip_rectangles[n], x, y);
  for (unsigned combination = 0; combination < 16; combination++) {
    if (!(raster.clip_rectangle_rule >> combination & 1)) continue;
    uint64_t these = ~uint64_t(0);
    for (int n = 0; n < 4; n++) these &= combination >> n & 1 ? in[n] : ~in[n];
    mask |= these;
  }
  return mask;
}

// Pixels of the block at (x, y) that a stippled line's pattern lets through.
inline uint64_t stipple_mask(const Primitive& primitive, const Rasterization& raster, int x, int y) {
  uint64_t mask = 0;
  bool by_x = primitive.stipple == Primitive::Stipple::by_x;
  unsigned factor = std::max(1u, raster.line_stipple_factor);
  for (int n = 0; n < 8; n++) {
    int step = ((by_x ? x : y) + n - primitive.stipple_start) * primitive.stipple_step;
    uint32_t counter = primitive.stipple_phase + uint32_t(std::max(step, 0));
    if (!(raster.line_stipple_pattern >> (counter / factor % 16) & 1)) continue;
    mask |= by_x ? block_masks.left_of[n + 1] & ~block_masks.left_of[n] : block_masks.above[n + 1] & ~block_masks.above[n];
  }
  return mask;
}

// True if the primitive is a point that covers a circle instead of a square.
inline bool is_round(const Primitive& primitive, const Rasterization& raster) {
  return raster.round_points && primitive.attributes.kind == PrimitiveKind::point;
}
// True if the polygons' stipple takes pixels of the primitive away.
inline bool is_stippled(const Primitive& primitive, const Rasterization& raster) {
  return raster.polygon_stipple && primitive.attributes.kind == PrimitiveKind::triangle;
}
// Pixels of the block at (x, y) that it leaves.
inline uint64_t polygon_stipple_mask(const Rasterization& raster, int x, int y) {
  uint64_t mask = 0;
  for (unsigned n = 0; n < pixels_in_block; n++) {
    const uint32_t row = raster.polygon_stipple_rows[(unsigned(y) + y_in_block(n)) % 32];
    mask |= uint64_t(row >> (unsigned(x) + x_in_block(n)) % 32 & 1) << n;
  }
  return mask;
}

// True if the primitive's edges leave anything of a square of `size` pixels but for margins (grid units) at its borders.
inline bool reaches(const DrawConstants& constants, const Primitive& primitive, int x, int y, int size, int64_t margin_x,
                    int64_t margin_y) {
  const int64_t d = constants.denominator, half = size * d / 2;
  const int64_t in_x = std::min(margin_x, half), in_y = std::min(margin_y, half);
  for (unsigned e = 0; e < primitive.edges; e++) {
    const int64_t a = primitive.a[e], b = primitive.b[e];
    const int64_t px = x * d + (a > 0 ? size * d - in_x : in_x), py = y * d + (b > 0 ? size * d - in_y : in_y);
    if (a * px + b * py + primitive.c[e] < 0) return false;
  }
  return true;
}

// Pixels of a block that are found though its borders and those of its quads are not looked at (Rasterization::has_margins).
inline uint64_t within_margins(const DrawConstants& constants, const Primitive& primitive, int x, int y) {
  const Rasterization& raster = constants.draw->rasterization;
  auto margin = [&](unsigned parts) { return parts * constants.denominator / std::clamp(raster.sample_grid, 1u, 16u); };
  if (!reaches(constants, primitive, x, y, int(block_size), margin(raster.block_margin_x), margin(raster.block_margin_y)))
    return 0;
  uint64_t found = 0;
  const int64_t of_quad = margin(raster.quad_margin);
  for (unsigned quad = 0; quad < quads_in_block; quad++)
    if (reaches(constants, primitive, x + int(quad % 4 * 2), y + int(quad / 4 * 2), 2, of_quad, of_quad))
      found |= uint64_t(0xf) << 4 * quad;
  return found;
}

// The first pixel's bit of each of a block's quads.
inline constexpr uint64_t first_pixels = 0x1111111111111111u;

// The edges of a primitive that cross the tile.
struct CrossingEdges {
  unsigned count = 0;
  int32_t a[4], b[4];
  int64_t at_tile[4];             // at the tile's first pixel, for sample 0
  int32_t sample_step[4][16];     // from there to the other samples
  int64_t lowest[4], highest[4];  // a block's other pixels and samples differ from its first by no less and no more
  // From a block's first pixel to all its pixels, in rows of quads; computed when the first block is crossed.
  alignas(64) i32x16 steps[4][4];
  unsigned steps_made = 0;  // a bit an edge

  void make_steps(unsigned crossing) {
    for (unsigned missing = crossing & ~steps_made; missing; missing &= missing - 1) {
      const unsigned e = unsigned(std::countr_zero(missing));
      const i32x16 row = lane_x * a[e] + lane_y * b[e];
      for (int n = 0; n < 4; n++) steps[e][n] = row + 2 * n * b[e];
    }
    steps_made |= crossing;
  }
};
template <bool multisample>
[[gnu::always_inline]] inline void find_edges(const Tile& tile, const Primitive& primitive, unsigned samples,
                                              CrossingEdges& edges) {
  const DrawConstants& constants = *tile.constants;
  for (unsigned n = 0; n < primitive.edges; n++) {
    const unsigned e = edges.count;
    int64_t a = primitive.a[n], b = primitive.b[n], least_step = 0, max_step = 0;
    int64_t first = constants.floor_divide(primitive.c[n] + a * constants.sample_x[0] + b * constants.sample_y[0]);
    if constexpr (multisample) {
      for (unsigned s = 0; s < samples; s++) {
        int64_t step = constants.floor_divide(primitive.c[n] + a * constants.sample_x[s] + b * constants.sample_y[s]) - first;
        edges.sample_step[e][s] = int32_t(step);
        least_step = std::min(least_step, step);
        max_step = std::max(max_step, step);
      }
    }
    const int64_t at = first + a * tile.x + b * tile.y, down = std::min<int64_t>(0, a) + std::min<int64_t>(0, b);
    if (at + least_step + (tile_size - 1) * down >= 0) continue;  // the tile lies inside
    edges.a[e] = primitive.a[n], edges.b[e] = primitive.b[n];
    edges.at_tile[e] = at;
    edges.lowest[e] = 7 * down + least_step;
    edges.highest[e] = 7 * (std::max<int64_t>(0, a) + std::max<int64_t>(0, b)) + max_step;
    edges.count++;
  }
}

// Pixels of the block at (x, y) that everything but the primitive's edges leaves.
[[gnu::always_inline]] inline uint64_t allowed_pixels(const Tile& tile, const Primitive& primitive, const Rectangle& bounds,
                                                      int x, int y) {
  const Rasterization& raster = tile.constants->draw->rasterization;
  uint64_t pixels = tile.by_pixel ? first_pixels << tile.pixel : ~uint64_t(0);
  if (x < bounds.left || y < bounds.top || x + int(block_size) > bounds.right || y + int(block_size) > bounds.bottom)
    pixels &= pixels_inside(bounds, x, y);
  if (raster.use_clip_rectangles) pixels &= clip_rectangle_mask(raster, x, y);
  if (primitive.stipple != Primitive::Stipple::none) pixels &= stipple_mask(primitive, raster, x, y);
  if (is_stippled(primitive, raster)) pixels &= polygon_stipple_mask(raster, x, y);
  if (raster.has_margins()) pixels &= within_margins(*tile.constants, primitive, x, y);
  return pixels;
}

// The covered ones of a block's `pixels`, by sample; returns those with any. `crossing`: the edges that cross the block, a bit each;
// `value`: their values at its first pixel.
template <bool multisample>
[[gnu::always_inline]] inline uint64_t cover_block(const DrawConstants& constants, CrossingEdges& edges, unsigned crossing,
                                                   const int32_t* value, uint64_t pixels, unsigned samples, uint64_t* covered) {
  edges.make_steps(crossing);
  uint64_t any = 0;
  for (unsigned s = 0; s < samples; s++) {
    uint64_t mask = pixels;
    if constexpr (multisample)
      if (!(constants.sample_mask >> s & 1)) mask = 0;
    if (crossing && mask) {
      i32x16 outside_of[4] = {};
      for (unsigned left_edges = crossing; left_edges; left_edges &= left_edges - 1) {
        unsigned e = unsigned(std::countr_zero(left_edges));
        int32_t at = value[e];
        if constexpr (multisample) at += edges.sample_step[e][s];
        for (int n = 0; n < 4; n++) outside_of[n] |= edges.steps[e][n] + at;
      }
      uint64_t out = 0;
      for (int n = 0; n < 4; n++) out |= uint64_t(sign_bits(outside_of[n])) << 16 * n;
      mask &= ~out;
    }
    covered[s] = mask;
    any |= mask;
  }
  return any;
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
