// Reports of a tile about the watched pixel's fragments (pixel_watch.h), step by step. Called where Tile::watch is set, which is
// in the tile of that pixel alone.
#pragma once
#include "pipeline/tiles/tile.h"

namespace Atoll::pipeline {

// A primitive covers these pixels of a block, before early tests: a word for each of `places` samples.
void watch_covered(Tile& tile, const Primitive& primitive, unsigned block, const uint64_t* covered, unsigned places);
// The same after early tests.
void watch_tested(Tile& tile, const Primitive& primitive, unsigned block, const uint64_t* covered, unsigned samples);
// True if the sample that is looked at is among these.
bool watches_any(const Tile& tile, uint32_t samples);
// The wave at hand was shaded: Tile::results.
void watch_shaded(Tile& tile);
// Lanes that are left at each sample by kills, the alpha test and coverage; then those that late tests leave of one's.
void watch_left(Tile& tile, const uint64_t* lanes);
void watch_late(Tile& tile, unsigned sample, uint64_t before, uint64_t lanes);
// The wave's colours are written.
void watch_written(Tile& tile);

}  // namespace Atoll::pipeline
