// The steps from a primitive to covered, tested pixels in a screen tile, as the files of one host level call each other; and what
// the floor above (pixels/) does with the wave that they pack.
#pragma once
#include "pipeline/lanes.h"
#include "pipeline/tiles/tile.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

// Finds the primitive's pixels in the tile, tests them early if asked for, and packs them into the tile's wave.
bool rasterize(Tile& tile, const Primitive& primitive);

// LevelEntries has it.
uint64_t covered_blocks(const DrawConstants& constants, const TilePosition& tile, const Primitive& primitive,
                        const Primitive* next);

// Depth of 16 pixels (row `row` of quads of the block) at a sample, clamped to the viewport's range.
f32x16 depth_of_row(const Tile& tile, const Primitive& primitive, unsigned block, unsigned row, unsigned sample);

// The depth test's result for eight blocks in a row, a bit each (hierarchical_depth.cpp); neither bit: it depends on the pixel.
struct BlockVerdicts {
  uint8_t fails = 0, passes = 0;
  int32_t least[block_row], most[block_row];  // of the primitive's depths in them
};
BlockVerdicts test_blocks(const Tile& tile, const Primitive& primitive, unsigned row);

// True if the primitive, which touches only the blocks `touched`, fails the depth test everywhere in the tile.
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

// True if no pixel comes twice among the 32 of the current wave that an engine takes at once.
inline bool is_once(const Tile& tile) { return tile.runs <= 1 || (tile.runs == 2 && tile.run_begin[1] == max_quads / 2); }

// --- implemented in pixels/
// Shades and merges the current wave, which is empty afterwards. False: the stage failed.
bool flush(Tile& tile);
// Adds a block that the primitive covers whole to those that wait, and runs their waves.
bool put_whole_block(Tile& tile, const Primitive& primitive, unsigned block);
bool flush_whole_blocks(Tile& tile);
// The size of the primitive's coarse pixels in a block. All of a wave's are of one size.
CoarsePixel coarse_pixel(const Tile& tile, const Primitive& primitive, unsigned block);

}  // namespace Atoll::pipeline::ATOLL_LEVEL
