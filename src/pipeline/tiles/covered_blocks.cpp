// The blocks of a tile that a primitive covers whole, or two neighbours together.
#include <algorithm>

#include "pipeline/tiles/tile_work.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

namespace {

// Edges inside of which all samples have to lie, and the pixels that they have to be among.
struct InnerArea {
  Rectangle pixels;
  unsigned edges = 0;
  int64_t a[8], b[8];
  int64_t least[8];  // a sample's least value in the tile's first block

  void add_edges(const DrawConstants& constants, const TilePosition& tile, const Primitive& primitive, unsigned but);
};

// (But for edge number `but`.) Those that the whole tile lies inside of are left out.
void InnerArea::add_edges(const DrawConstants& constants, const TilePosition& tile, const Primitive& primitive, unsigned but) {
  for (unsigned e = 0; e < primitive.edges; e++) {
    if (e == but) continue;
    const int64_t edge_a = primitive.a[e], edge_b = primitive.b[e];
    int64_t first = INT64_MAX;
    for (unsigned s = 0; s < constants.places; s++)
      first = std::min(first,
                       constants.floor_divide(primitive.c[e] + edge_a * constants.sample_x[s] + edge_b * constants.sample_y[s]));
    first += edge_a * tile.x + edge_b * tile.y;
    const int64_t down = std::min<int64_t>(0, edge_a) + std::min<int64_t>(0, edge_b);
    if (first + (tile_size - 1) * down >= 0) continue;
    a[edges] = edge_a, b[edges] = edge_b;
    least[edges++] = first + (int(block_size) - 1) * down;
  }
}

uint64_t blocks_inside(const InnerArea& area, const TilePosition& tile) {
  constexpr int size = int(block_size);
  const int left = std::max(area.pixels.left - tile.x, 0), top = std::max(area.pixels.top - tile.y, 0);
  const int right = std::min(area.pixels.right - tile.x, tile_size), bottom = std::min(area.pixels.bottom - tile.y, tile_size);
  const int columns = right / size, first_column = (left + size - 1) / size, rows = bottom / size;
  if (first_column >= columns) return 0;
  const uint32_t of_columns = (1u << columns) - (1u << first_column);
  uint64_t blocks = 0;
  for (int row = (top + size - 1) / size; row < rows; row++) {
    constexpr i64x8 step = {0, 8, 16, 24, 32, 40, 48, 56};
    uint32_t inside = of_columns;
    for (unsigned e = 0; e < area.edges; e++)
      inside &= ~sign_bits(i64x8(step * area.a[e] + (area.least[e] + area.b[e] * (row * size))));
    blocks |= uint64_t(inside) << row * int(block_row);
  }
  return blocks;
}

// An edge that two primitives have in common, so that each sample lies inside of one of them or of both: by their numbers.
struct CommonEdge {
  unsigned of_first, of_second;
};
// (Of a rectangle's halves two more pairs of edges lie opposite each other, and overlap.)
bool find_common_edge(const Primitive& first, const Primitive& second, CommonEdge& common) {
  int64_t least = INT64_MAX;
  for (unsigned e = 0; e < first.edges; e++)
    for (unsigned f = 0; f < second.edges; f++) {
      // A sample outside of the first has a value below 0 there, times the grid's denominator a whole number. The second's is the negative,
      // plus both constants' sum: -1 where they are neighbours, one of which owns the samples between them.
      const int64_t overlap = first.c[e] + second.c[f];
      if (first.a[e] != -second.a[f] || first.b[e] != -second.b[f] || overlap < -1 || overlap >= least) continue;
      least = overlap, common = {e, f};
    }
  return least != INT64_MAX;
}

Rectangle pixel_bounds(const Primitive& p) { return {p.left, p.top, p.right, p.bottom}; }
Rectangle common_pixels(const Rectangle& a, const Rectangle& b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right), std::min(a.bottom, b.bottom)};
}

}  // namespace

uint64_t covered_blocks(const DrawConstants& constants, const TilePosition& tile, const Primitive& primitive,
                        const Primitive* next) {
  if (primitive.stipple != Primitive::Stipple::none) return 0;
  InnerArea own;
  own.pixels = pixel_bounds(primitive);
  if (std::min(own.pixels.right, tile.x + tile_size) - std::max(own.pixels.left, tile.x) < int(block_size) ||
      std::min(own.pixels.bottom, tile.y + tile_size) - std::max(own.pixels.top, tile.y) < int(block_size))
    return 0;
  constexpr unsigned none = ~0u;
  own.add_edges(constants, tile, primitive, none);
  const uint64_t blocks = blocks_inside(own, tile);
  CommonEdge common;
  if (blocks == ~uint64_t(0) || !own.edges || !next || next->stipple != Primitive::Stipple::none ||
      !find_common_edge(primitive, *next, common))
    return blocks;
  InnerArea both;
  both.pixels = common_pixels(own.pixels, pixel_bounds(*next));
  both.add_edges(constants, tile, primitive, common.of_first);
  both.add_edges(constants, tile, *next, common.of_second);
  return blocks | blocks_inside(both, tile);
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
