// The steps inside a screen tile, as the files of one host level call each other.
#pragma once
#include "pipeline/lanes.h"
#include "pipeline/tile.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

// LevelEntries has them.
unsigned set_up_triangles(const TriangleSetup& setup, const Assembled* assembled, unsigned count, Primitive* out,
                          TriangleState* states);
void to_screen(const DrawConstants& constants, const Viewport& viewport, const GuardBand& guard, const Vertex* vertices,
               size_t count, ScreenVertex* out);

// Finds the primitive's pixels in the tile, tests them early if asked for, and packs them into the tile's wave.
bool rasterize(Tile& tile, const Primitive& primitive);

// Shades and merges the current wave, which is empty afterwards. False: the stage failed.
bool flush(Tile& tile);

// A quad's first pixel, of 16 places in the tile.
struct QuadPixels {
  i32x16 x, y;
};
inline QuadPixels pixels_of(const Tile& tile) {
  const u32x16 place = __builtin_convertvector(load<u16x16>(tile.place), u32x16);
  const u32x16 block = place / quads_in_block, quad = place % quads_in_block;
  return {i32x16(block % block_row * block_size + quad % 4 * 2) + tile.x,
          i32x16(block / block_row * block_size + quad / 4 * 2) + tile.y};
}
// Barycentrics, z and 1/w of the wave; `sample` counts under sample shading.
void interpolate(Tile& tile, unsigned sample);

// Whether no pixel comes twice among the 32 of the current wave that an engine takes at once.
inline bool is_once(const Tile& tile) { return tile.runs <= 1 || (tile.runs == 2 && tile.run_begin[1] == max_quads / 2); }
// How the current wave's pixels can be written by the wave itself, if they can: whether one comes twice among the 32 that an engine
// takes at once.
std::optional<DirectKind> direct_kind(const Tile& tile);
// Feeds the wave, and runs it. False: the stage failed.
bool shade_direct(Tile& tile, DirectKind kind);
// Adds a block that the primitive covers whole to those that wait, and runs their waves.
bool put_whole_block(Tile& tile, const Primitive& primitive, unsigned block);
bool flush_whole_blocks(Tile& tile);

// Depth of 16 pixels (row `row` of quads of the block) at a sample, clamped to the viewport's range.
f32x16 depth_of_row(const Tile& tile, const Primitive& primitive, unsigned block, unsigned row, unsigned sample);

// What the depth test says of eight blocks in a row, a bit each (hierarchical_depth.cpp); neither: it depends on the pixel.
struct BlockVerdicts {
  uint8_t fails = 0, passes = 0;
  int32_t least[block_row], most[block_row];  // of the primitive's depths in them
};
BlockVerdicts test_blocks(const Tile& tile, const Primitive& primitive, unsigned row);

// Whether the primitive fails the depth test everywhere in the tile, of which it touches no other than blocks `touched`.
bool fails_everywhere(Tile& tile, const Primitive& primitive, uint64_t touched);

// Finds the block's least and greatest depth.
void bound_block(Tile& tile, unsigned block);

// Writes the primitive's depths to pixels that pass the depth test. `all`: the one word that all of them get, or -1.
void put_block(Tile& tile, const Primitive& primitive, unsigned block, unsigned sample, uint64_t pixels, int32_t all);

// The tests of a block's pixels at a sample, at the primitive's depth. Returns which pass.
uint64_t test_block(Tile& tile, const Primitive& primitive, unsigned block, unsigned sample, uint64_t pixels);

// Depth bounds, stencil and depth tests of 16 pixels, and their writes. Returns which pass. `references`: 16 stencil references
// of the pixel stage, or null; `op_values`: its values for stencil operations, likewise.
uint32_t test_row(Tile& tile, const Primitive& primitive, unsigned block, unsigned row, unsigned sample, uint32_t pixels,
                  const f32x16& z, const uint8_t* references, const uint8_t* op_values);

// What a stage's shader has left of pixels.
struct ShadedPixels {
  const PixelResults& results;
  uint64_t covered;          // PixelBatch has them
  const uint32_t* coverage;  // by lane
};
// Colours of `lanes` that came in halves become floats.
void expand_halves(PixelResults& results, uint64_t lanes);
// Lanes that are drawn at each sample by coverage, kills, the alpha test and coverage made of alpha, before late tests.
void cover_samples(const Tile& tile, const ShadedPixels& pixels, uint64_t* covered);
// Late tests, where there are any, of quads `first` to `last` of the wave at hand: who is drawn at a sample of those that are covered.
uint64_t drawn_at(Tile& tile, unsigned first, unsigned last, unsigned sample, uint64_t lanes);
// The same of a block that the primitive covers whole.
uint64_t drawn_at(Tile& tile, const Primitive& primitive, unsigned block, unsigned sample, uint64_t lanes);

// Writes the pixel stage's outputs to the targets, of `samples` (a bit each) only.
void merge(Tile& tile, uint32_t samples);

// Colours of quads `first` to `last` into a target: source colours and second sources (or null) as [component][64]; `lanes` of
// the wave are written.
void write_colours(Tile& tile, unsigned target, unsigned first, unsigned last, unsigned sample, uint64_t lanes,
                   const float (*source)[max_pixels], const float (*second)[max_pixels]);

// Blends 16 lanes from `lane` on: source colours [component][64], second sources (or null) and target colours likewise.
void blend_lanes(const Blend& blend, const ColourPath& path, const float (*source)[max_pixels], const float (*second)[max_pixels],
                 const float (*target)[max_pixels], float (*result)[max_pixels], unsigned lane);

}  // namespace Atoll::pipeline::ATOLL_LEVEL
