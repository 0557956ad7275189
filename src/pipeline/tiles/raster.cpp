// Rasterisation: finds the blocks of a tile that a primitive touches, tests them early, and packs their quads into waves. Blocks of
// 8x8 pixels are accepted or rejected by the edges at their corners first; what is covered inside of them is coverage.h's.
#include <algorithm>
#include <bit>

#include "pipeline/front/setup_lanes.h"
#include "pipeline/tiles/coverage.h"
#include "pipeline/tiles/tile_work.h"
#include "pipeline/tiles/watched_tile.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

namespace {

// The wave's next run of quads in which no pixel comes twice begins at quad `q`.
void begin_run(Tile& tile, unsigned q) {
  tile.run_begin[tile.runs++] = uint8_t(q);
  tile.run_blocks = 0;
}
// Quads of a block go to the wave at hand: `quads` by first_pixels.
void note_quads(Tile& tile, unsigned block, uint64_t quads) {
  const uint64_t bit = uint64_t(1) << block;
  tile.run_quads[block] = quads | (tile.run_blocks & bit ? tile.run_quads[block] : 0);
  tile.run_blocks |= bit, tile.blocks |= bit;
}

// A wave of a block's quads from `first` on, as many as a wave takes, all of them covered.
void pack_rows(Tile& tile, const Primitive& primitive, unsigned block, unsigned first) {
  PixelBatch& batch = tile.batch;
  const unsigned quads = batch.quads = tile.max_quads_now;
  batch.covered = ~uint64_t(0) >> (64 - 4 * quads);
  tile.whole_rows = true;
  tile.blocks = 0;
  begin_run(tile, 0);
  note_quads(tile, block, (first_pixels >> (64 - 4 * quads)) << 4 * first);
  constexpr u16x16 number = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  store(tile.place, u16x16(number + uint16_t(block * quads_in_block + first)));
  std::fill_n(tile.primitive, quads, &primitive);
}

// From as many pixels of a block on, it is worth knowing the range of its depths for what comes.
constexpr int bounded_from = pixels_in_block / 2;

// Writes the depths of what passes: all of the block, if it is `whole`.
void put_passed(Tile& tile, const Primitive& primitive, unsigned block, const uint64_t* covered, const BlockVerdicts& verdicts,
                bool whole) {
  const unsigned samples = tile.constants->samples, column = block % block_row;
  const int32_t least = verdicts.least[column], most = verdicts.most[column];
  // (Zeros may have either sign.)
  const int32_t all = least == most && (tile.depth.bits != 32 || least) ? least : -1;
  for (unsigned s = 0; s < samples; s++)
    if (covered[s]) put_block(tile, primitive, block, s, covered[s], all);
  if (whole) tile.depth.set_bound(block, least, most);
}

// Depth and stencil tests of a block; `covered` becomes what passes. `verdicts`: of the block's row, or null.
void test_early(Tile& tile, const Primitive& primitive, unsigned block, uint64_t* covered, const BlockVerdicts* verdicts) {
  const unsigned samples = tile.constants->samples, column = block % block_row;
  DepthBlocks& depth = tile.depth;
  uint64_t any = 0, whole = ~uint64_t(0);
  for (unsigned s = 0; s < samples; s++) any |= covered[s], whole &= covered[s];
  if (verdicts && (verdicts->passes >> column & 1)) {
    if (!tile.constants->draw->depth_stencil.depth_write) return;
    put_passed(tile, primitive, block, covered, *verdicts, whole == ~uint64_t(0));
  } else {
    for (unsigned s = 0; s < samples; s++)
      if (covered[s]) covered[s] = test_block(tile, primitive, block, s, covered[s]);
  }
  if (tile.rejects[primitive.attributes.front] && !(depth.bounded >> block & 1) && std::popcount(any) >= bounded_from)
    bound_block(tile, block);
}

// Depths that are copied when their wave has ended (merge.cpp) are those that its own primitives left: it ends before another one
// tests early what it has of the block.
bool before_early_tests(Tile& tile, unsigned block) {
  if (!tile.copies || !tile.early || !tile.batch.quads) return true;
  return !(tile.run_blocks >> block & 1) || flush(tile);
}

// The first `count` of a block's quads, by first_pixels.
uint64_t first_of(uint64_t quads, unsigned count) {
  if (unsigned(std::popcount(quads)) <= count) return quads;
  uint64_t later = quads;
  for (unsigned n = 0; n < count; n++) later &= later - 1;
  return quads ^ later;
}

// An engine takes half a wave at once. If the next quad's pixels are in the current half, the next half begins, or the next wave,
// from this many quads on: quads that draw nothing cost less than writing the pixels in a second pass does.
constexpr unsigned fill_of_half = 3;
bool end_half(Tile& tile) {
  PixelBatch& batch = tile.batch;
  constexpr unsigned half = max_quads / 2;
  if (batch.quads >= half) return flush(tile);
  const unsigned last = batch.quads - 1;
  std::fill(tile.primitive + last + 1, tile.primitive + half, tile.primitive[last]);
  std::fill(tile.place + last + 1, tile.place + half, tile.place[last]);
  std::fill(batch.coverage.begin() + 4 * (last + 1), batch.coverage.begin() + 4 * half, 0);
  batch.quads = half;
  return true;
}

// Packs the quads of one block. `covered`: pixels that passed early tests, one word a sample; `any`: of any sample; `inside`: those at
// places that are one sample together, or (Tile::covered_before) those before the tests.
template <bool multisample>
bool pack(Tile& tile, const Primitive& primitive, unsigned block, uint64_t any, const uint64_t* covered, const uint64_t* inside) {
  const DrawConstants& constants = *tile.constants;
  const unsigned samples = multisample ? constants.samples : 1, places = multisample ? constants.places : 1;
  if (tile.hidden >> block & 1) {
    tile.count_pixels(PixelPath::hidden, unsigned(std::popcount(any)));
    return true;
  }
  PixelBatch& batch = tile.batch;
  if (any == ~uint64_t(0) && tile.direct.blocks) {
    bool whole = true;
    for (unsigned s = 0; multisample && s < samples; s++) whole &= covered[s] == any;
    if (whole) return put_whole_block(tile, primitive, block);
  }
  if constexpr (!multisample) {
    if (any == ~uint64_t(0) && tile.max_quads_now % 4 == 0 && quads_in_block % tile.max_quads_now == 0) {
      for (unsigned first = 0; first < quads_in_block; first += tile.max_quads_now) {
        if (batch.quads && !flush(tile)) return false;
        pack_rows(tile, primitive, block, first);
      }
      return true;
    }
  }
  if (tile.whole_block_count && !tile.queues_waves && tile.whole_blocks[0].primitive != &primitive &&
      !(flush_whole_blocks(tile) && flush(tile)))
    return false;
  if (tile.one_primitive && batch.quads && tile.primitive[0] != &primitive && !flush(tile)) return false;
  const uint64_t all_quads = (any | any >> 1 | any >> 2 | any >> 3) & first_pixels;
  if (tile.has_coarse_pixels && batch.quads &&
      (batch.quads + unsigned(std::popcount(all_quads)) > tile.max_quads_now ||
       coarse_pixel(tile, primitive, block) != coarse_pixel(tile, primitive, tile.place[0] / quads_in_block)) &&
      !flush(tile))
    return false;
  for (uint64_t left = all_quads; left;) {
    if (batch.quads == tile.max_quads_now && !flush(tile)) return false;
    // As many as there is room for.
    const unsigned first = batch.quads;
    const bool in_halves = tile.in_halves && is_once(tile), in_first_half = in_halves && first < max_quads / 2;
    const unsigned room = (in_first_half ? max_quads / 2 : tile.max_quads_now) - first;
    uint64_t quads = first_of(left, room);
    uint64_t in_run = quads;  // pixels that are in the run already begin another
    bool half_ends = false;
    if (first == 0) {
      batch.covered = 0, tile.blocks = 0;
      begin_run(tile, 0);
    } else if (in_halves && first == max_quads / 2) {
      begin_run(tile, first);
    } else if (tile.run_blocks >> block & 1) {
      // (Quads before them belong to the run before, which nobody asks for any more.)
      if (const uint64_t again = tile.run_quads[block] & quads) {
        const uint64_t before = quads & ((again & -again) - 1);
        const unsigned at = first + unsigned(std::popcount(before));
        half_ends = in_halves && at % (max_quads / 2) >= fill_of_half;
        if (half_ends)
          quads = in_run = before;
        else
          begin_run(tile, at), in_run ^= before;
      }
    }
    left ^= quads;
    note_quads(tile, block, in_run);
    tile.whole_rows = false;
    unsigned q = first;
    for (uint64_t each = quads; each; each &= each - 1, q++) {
      const unsigned quad = unsigned(std::countr_zero(each)) / 4;
      tile.primitive[q] = &primitive;
      tile.place[q] = uint16_t(block * quads_in_block + quad);
      batch.covered |= (any >> 4 * quad & 0xf) << 4 * q;
      if constexpr (multisample) {
        uint32_t coverage[4] = {};
        const uint64_t* of = places > samples ? inside : covered;
        for (unsigned s = 0; s < places; s++)
          for (int lane = 0; lane < 4; lane++) coverage[lane] |= uint32_t((of[s] & any) >> (4 * quad + lane) & 1) << s;
        if (tile.covered_before)
          for (unsigned s = 0; s < samples && places == samples; s++)
            for (int lane = 0; lane < 4; lane++)
              coverage[lane] |= uint32_t((inside[s] & any) >> (4 * quad + lane) & 1) << (16 + s);
        std::memcpy(&batch.coverage[4 * q], coverage, sizeof coverage);
      }
    }
    batch.quads = q;
    if (half_ends && !end_half(tile)) return false;
  }
  return true;
}

// Tests early, counts, and packs the quads of one block. `covered`: pixels, one word a sample.
template <bool multisample>
bool emit(Tile& tile, const Primitive& primitive, unsigned block, uint64_t* covered, const BlockVerdicts* verdicts) {
  const DrawConstants& constants = *tile.constants;
  unsigned samples = multisample ? constants.samples : 1, places = multisample ? constants.places : 1;
  uint64_t inside[16];  // at places that are one sample together, or before early tests
  if (multisample && places > samples) {
    std::copy_n(covered, places, inside);
    for (unsigned s = 1; s < places; s++) covered[0] |= inside[s];
  } else if (multisample && tile.covered_before) {
    std::copy_n(covered, samples, inside);
  }
  uint64_t any = 0;
  if (!before_early_tests(tile, block)) return false;
  if (tile.watch) watch_covered(tile, primitive, block, places > samples ? inside : covered, places);
  if (tile.early && tile.depth_stencil) test_early(tile, primitive, block, covered, verdicts);
  if (tile.watch && tile.early) watch_tested(tile, primitive, block, covered, samples);
  for (unsigned s = 0; s < samples; s++) {
    if (tile.early && tile.counts) tile.samples_passed += unsigned(std::popcount(covered[s]));
    any |= covered[s];
  }
  if (!any || !constants.draw->pixel_stage) return true;

  return pack<multisample>(tile, primitive, block, any, covered, inside);
}

// The block's pixels whose sample lies in a point's circle: its coordinates are 0 to 1 across.
uint64_t in_circle(const DrawConstants& constants, const Primitive& point, int x, int y, unsigned sample) {
  uint64_t pixels = 0;
  for (unsigned n = 0; n < pixels_in_block; n++) {
    const double dx = x + int(x_in_block(n)) + constants.sample_dx[sample] - point.x,
                 dy = y + int(y_in_block(n)) + constants.sample_dy[sample] - point.y;
    const double s = point.linear[0].at + point.linear[0].x * dx - 0.5, t = point.linear[1].at + point.linear[1].y * dy - 0.5;
    pixels |= uint64_t(s * s + t * t < 0.25) << n;
  }
  return pixels;
}

// The first bits of a row of blocks.
constexpr uint32_t columns_before(int column) { return (1u << column) - 1; }

// Blocks of a row that a primitive covers whole and that pass the depth test, or have none: `columns` of them.
bool emit_whole(Tile& tile, const Primitive& primitive, unsigned row, uint32_t columns, const BlockVerdicts* verdicts) {
  const Draw& draw = *tile.constants->draw;
  const uint64_t all = ~uint64_t(0);
  for (; columns; columns &= columns - 1) {
    const unsigned column = unsigned(std::countr_zero(columns)), block = row * block_row + column;
    if (!before_early_tests(tile, block)) return false;
    if (verdicts && draw.depth_stencil.depth_write) put_passed(tile, primitive, block, &all, *verdicts, true);
    if (tile.early && tile.counts) tile.samples_passed += pixels_in_block;
    if (draw.pixel_stage && !pack<false>(tile, primitive, block, all, &all, nullptr)) return false;
  }
  return true;
}

template <bool multisample>
bool cover(Tile& tile, const Primitive& primitive) {
  const DrawConstants& constants = *tile.constants;
  const Rasterization& raster = constants.draw->rasterization;
  int left = std::max(primitive.left, tile.x), right = std::min(primitive.right, tile.x + tile_size);
  int top = std::max(primitive.top, tile.y), bottom = std::min(primitive.bottom, tile.y + tile_size);
  if (left >= right || top >= bottom) return true;
  unsigned samples = multisample ? constants.places : 1;

  const bool by_block = (tile.rejects[primitive.attributes.front] || tile.accepts) &&
                        (right - left >= int(block_size) || bottom - top >= int(block_size));
  const Compare compare = constants.draw->depth_stencil.depth_compare;
  const bool decided = compare == Compare::never || compare == Compare::always;

  int bx0 = (left - tile.x) / int(block_size), bx1 = (right - 1 - tile.x) / int(block_size);
  const uint32_t whole_columns =
      columns_before((right - tile.x) / int(block_size)) & ~columns_before((left - tile.x + 7) / int(block_size));
  int by0 = (top - tile.y) / int(block_size), by1 = (bottom - 1 - tile.y) / int(block_size);
  // Large ones that lie behind all: a sixteenth of the tile, or more.
  if (by_block && !decided && tile.rejects[primitive.attributes.front] && (bx1 - bx0) * (by1 - by0) >= 2) {
    uint64_t touched = 0;
    for (int by = by0; by <= by1; by++)
      touched |= uint64_t(columns_before(bx1 + 1) & ~columns_before(bx0)) << by * int(block_row);
    if (fails_everywhere(tile, primitive, touched)) return true;
  }

  CrossingEdges edges;
  find_edges<multisample>(tile, primitive, samples, edges);
  // Only edges and bounds take pixels away: blocks inside of both are covered whole.
  const bool whole_blocks = !multisample && !tile.watch && !raster.use_clip_rectangles &&
                            primitive.stipple == Primitive::Stipple::none && !is_stippled(primitive, raster) &&
                            !is_round(primitive, raster);

  if (whole_blocks && !edges.count && tile.hidden == ~uint64_t(0) && !tile.depth_stencil && right - left == tile_size &&
      bottom - top == tile_size) {
    constexpr unsigned pixels = tile_size * tile_size;
    if (tile.early && tile.counts) tile.samples_passed += pixels;
    tile.count_pixels(PixelPath::hidden, pixels);
    return true;
  }
  for (int by = by0; by <= by1; by++) {
    // A row of blocks at once: which of them the primitive touches, and which of its edges cross them.
    constexpr i64x8 step_x = {0, 8, 16, 24, 32, 40, 48, 56};
    uint32_t touched = columns_before(bx1 + 1) & ~columns_before(bx0), crossed[4];
    i64x8 value[4];
    for (unsigned e = 0; e < edges.count; e++) {
      value[e] = step_x * int64_t(edges.a[e]) + (edges.at_tile[e] + int64_t(edges.b[e]) * (by * int64_t(block_size)));
      touched &= ~sign_bits(i64x8(value[e] + edges.highest[e]));
      crossed[e] = sign_bits(i64x8(value[e] + edges.lowest[e]));
    }
    // Blocks that lie inside of bounds and edges.
    const bool whole_row = tile.y + by * int(block_size) >= top && tile.y + (by + 1) * int(block_size) <= bottom;
    uint32_t whole = whole_row ? whole_columns & touched : 0;
    for (unsigned e = 0; e < edges.count; e++) whole &= ~crossed[e];
    BlockVerdicts verdicts;
    const BlockVerdicts* with_verdicts = nullptr;
    if (by_block) {
      // The depths of blocks that the primitive may cover whole are worth knowing before the test.
      uint32_t unknown = decided ? 0 : whole & ~uint32_t(tile.depth.bounded >> by * int(block_row));
      for (; unknown; unknown &= unknown - 1) bound_block(tile, unsigned(by) * block_row + unsigned(std::countr_zero(unknown)));
      if (decided || (uint32_t(tile.depth.bounded >> by * int(block_row)) & touched)) {
        verdicts = test_blocks(tile, primitive, unsigned(by));
        if (tile.rejects[primitive.attributes.front]) touched &= ~uint32_t(verdicts.fails);
        if (tile.accepts) with_verdicts = &verdicts;
      }
    }
    if (whole_blocks) {
      whole &= touched;
      if (tile.early && tile.depth_stencil) whole &= with_verdicts ? verdicts.passes : 0;
      touched &= ~whole;
      if (whole && !emit_whole(tile, primitive, unsigned(by), whole, with_verdicts)) return false;
    }
    for (; touched; touched &= touched - 1) {
      const int bx = std::countr_zero(touched);
      unsigned crossing = 0;
      int32_t crossing_at[4];
      for (unsigned e = 0; e < edges.count; e++) {
        crossing |= (crossed[e] >> bx & 1) << e;
        crossing_at[e] = int32_t(value[e][bx]);  // exact where the edge crosses the block
      }
      const int x = tile.x + bx * int(block_size), y = tile.y + by * int(block_size);
      const uint64_t pixels = allowed_pixels(tile, primitive, {left, top, right, bottom}, x, y);
      if (!pixels) continue;
      uint64_t covered[16];
      if (!cover_block<multisample>(constants, edges, crossing, crossing_at, pixels, samples, covered)) continue;
      for (unsigned s = 0; s < samples && is_round(primitive, raster); s++)
        covered[s] &= in_circle(constants, primitive, x, y, s);
      if (!emit<multisample>(tile, primitive, unsigned(by) * block_row + unsigned(bx), covered, with_verdicts)) return false;
    }
  }
  return true;
}

// Pixels numbered as in a block, but from pixel (x0, y0) on, which is even: of up to four blocks of the tile.
bool emit_compact(Tile& tile, const Primitive& primitive, uint64_t pixels, int x0, int y0) {
  const Rasterization& raster = tile.constants->draw->rasterization;
  const unsigned quad_x = unsigned(x0 - tile.x) / 2, quad_y = unsigned(y0 - tile.y) / 2;
  auto emit_block = [&](unsigned bx, unsigned by, uint64_t covered) {
    if (raster.use_clip_rectangles && covered)
      covered &= clip_rectangle_mask(raster, tile.x + int(bx * block_size), tile.y + int(by * block_size));
    if (is_stippled(primitive, raster))
      covered &= polygon_stipple_mask(raster, tile.x + int(bx * block_size), tile.y + int(by * block_size));
    return !covered || emit<false>(tile, primitive, by * block_row + bx, &covered, nullptr);
  };
  // Quads move to the right in their rows; what leaves these is in the next block.
  const unsigned right = quad_x % 4, down = quad_y % 4;
  const uint64_t stays = block_masks.left_of[8 - 2 * right], at_left = (pixels & stays) << 4 * right;
  const uint64_t at_right = right ? (pixels & ~stays) >> 4 * (4 - right) : 0;
  const unsigned bx = quad_x / 4, by = quad_y / 4;
  if (!emit_block(bx, by, at_left << 16 * down) || (at_right && !emit_block(bx + 1, by, at_right << 16 * down))) return false;
  if (!down || !(pixels >> 16 * (4 - down))) return true;
  return emit_block(bx, by + 1, at_left >> 16 * (4 - down)) &&
         (!at_right || emit_block(bx + 1, by + 1, at_right >> 16 * (4 - down)));
}

// One within 8x8 pixels that begin at even ones, wherever the blocks lie: `area` of them.
bool cover_compact(Tile& tile, const Primitive& primitive, const Rectangle& area) {
  const DrawConstants& constants = *tile.constants;
  const int x0 = area.left & ~1, y0 = area.top & ~1;
  i32x16 outside[4] = {};
  for (unsigned e = 0; e < primitive.edges; e++) {
    const int64_t a = primitive.a[e], b = primitive.b[e];
    const int64_t first =
        constants.floor_divide(primitive.c[e] + a * constants.sample_x[0] + b * constants.sample_y[0]) + a * x0 + b * y0;
    if (first + 7 * (std::max<int64_t>(0, a) + std::max<int64_t>(0, b)) < 0) return true;
    if (first + 7 * (std::min<int64_t>(0, a) + std::min<int64_t>(0, b)) >= 0) continue;
    const i32x16 row = lane_x * primitive.a[e] + (lane_y * primitive.b[e] + int32_t(first));  // exact: the edge crosses them
    for (int n = 0; n < 4; n++) outside[n] |= row + 2 * n * primitive.b[e];
  }
  uint64_t pixels = 0;
  for (int n = 0; n < 4; n++) pixels |= uint64_t(sign_bits(outside[n])) << 16 * n;
  pixels = ~pixels & pixels_inside(area, x0, y0);
  return emit_compact(tile, primitive, pixels, x0, y0);
}

// For quads whose pixels have sample positions of their own: the top left pixels first, then the others.
bool cover_by_pixel(Tile& tile, const Primitive& primitive) {
  for (unsigned pixel = 0; pixel < 4; pixel++) {
    tile.pixel = pixel, tile.constants = &(*tile.by_pixel)[pixel];
    if (!tile.constants->sample_mask) continue;
    if (!cover<true>(tile, primitive) || !flush_whole_blocks(tile) || !flush(tile)) return false;
  }
  return true;
}

bool draw_tile(Tile& tile, const Primitive* const* primitives, size_t count) {
  for (size_t n = 0; n < count; n++) {
    // The next primitives lie anywhere in memory.
    if (n + 3 < count)
      for (size_t byte = 0; byte < sizeof(Primitive); byte += 64)
        __builtin_prefetch(reinterpret_cast<const char*>(primitives[n + 3]) + byte);
    if (primitives + n == tile.hidden_until) tile.hidden_blocks.go_on(tile);
    if (!rasterize(tile, *primitives[n])) return false;
  }
  return (!tile.queues_waves || flush(tile)) && flush_whole_blocks(tile) && flush(tile);
}

}  // namespace

bool rasterize(Tile& tile, const Primitive& primitive) {
  if (tile.by_pixel) return cover_by_pixel(tile, primitive);
  if (tile.constants->places > 1) return cover<true>(tile, primitive);
  const Rasterization& raster = tile.constants->draw->rasterization;
  if (raster.has_margins() || is_round(primitive, raster)) return cover<false>(tile, primitive);
  if (primitive.inside && primitive.left >= tile.x && primitive.right <= tile.x + tile_size && primitive.top >= tile.y &&
      primitive.bottom <= tile.y + tile_size)
    return emit_compact(tile, primitive, primitive.inside, primitive.left & ~1, primitive.top & ~1);
  const Rectangle area = {std::max(primitive.left, tile.x), std::max(primitive.top, tile.y),
                          std::min(primitive.right, tile.x + tile_size), std::min(primitive.bottom, tile.y + tile_size)};
  if (area.right - (area.left & ~1) <= int(block_size) && area.bottom - (area.top & ~1) <= int(block_size) &&
      primitive.stipple == Primitive::Stipple::none)
    return area.left >= area.right || area.top >= area.bottom || cover_compact(tile, primitive, area);
  return cover<false>(tile, primitive);
}

extern const LevelEntries entries;
const LevelEntries entries = {draw_tile, covered_blocks, set_up_triangles, to_screen};

}  // namespace Atoll::pipeline::ATOLL_LEVEL
