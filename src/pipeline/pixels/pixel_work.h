// The steps from a packed wave of quads to the targets' texels, as the files of one host level call each other.
#pragma once
#include <optional>

#include "pipeline/tiles/tile_work.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

// A quad's first pixel, of 16 places in the tile.
struct QuadPixels {
  i32x16 x, y;
};
inline QuadPixels pixels_of(const Tile& tile, const uint16_t* of) {
  const u32x16 place = __builtin_convertvector(load<u16x16>(of), u32x16);
  const u32x16 block = place / quads_in_block, quad = place % quads_in_block;
  return {i32x16(block % block_row * block_size + quad % 4 * 2) + tile.x,
          i32x16(block / block_row * block_size + quad / 4 * 2) + tile.y};
}
inline QuadPixels pixels_of(const Tile& tile) { return pixels_of(tile, tile.place); }
// Barycentrics, z and 1/w of the wave; `sample` counts under sample shading.
void interpolate(Tile& tile, unsigned sample);

// The kind of wave that can write the current wave's pixels itself, if any: one for pixels that come twice among the 32 that an
// engine takes at once, or not.
std::optional<DirectKind> direct_kind(const Tile& tile);
// Feeds the wave, and runs it. False: the stage failed.
bool shade_direct(Tile& tile, DirectKind kind);
// Leaves it for later (Tile::queues_waves): flush_whole_blocks() runs it. False: the stage failed in what was run to make room.
bool queue_wave(Tile& tile);

// Has the wave shaded as coarse pixels, and writes them. False: the stage failed.
bool shade_coarse(Tile& tile);

// The results of a wave's shader.
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

// Multiplies the alphas of pixels of antialiased lines and points by their coverage.
void soften(Tile& tile);

// Writes the pixel stage's outputs to the targets, of `samples` (a bit each) only.
void merge(Tile& tile, uint32_t samples);

// Colours of quads `first` to `last` into a target: source colours and second sources (or null) as [component][64]; `lanes` of
// the wave are written.
void write_colours(Tile& tile, unsigned target, unsigned first, unsigned last, unsigned sample, uint64_t lanes,
                   const float (*source)[max_pixels], const float (*second)[max_pixels]);

// Reads the targets (a bit each) at the pixels of the current wave into its results, as its shader takes them. A target that is
// not bound holds 0.
void read_colours(Tile& tile, uint8_t targets, unsigned sample);

// Blends 16 lanes from `lane` on: source colours [component][64], second sources (or null) and target colours likewise.
void blend_lanes(const Blend& blend, const ColourPath& path, const float (*source)[max_pixels], const float (*second)[max_pixels],
                 const float (*target)[max_pixels], float (*result)[max_pixels], unsigned lane);

}  // namespace Atoll::pipeline::ATOLL_LEVEL
