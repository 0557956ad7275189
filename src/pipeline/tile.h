// A worker's copy of the screen tile it works on: the blocks of the targets that were touched, in an order of pixels that
// suits quads, and the wave of pixels that is being packed.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "pipeline/level.h"
#include "pipeline/primitive.h"
#include "surface/number.h"

namespace Atoll::pipeline {

// Pixels of a block are numbered by quads: pixel 4q + l is number l (top left, top right, bottom left, bottom right) of quad q,
// and quads go by rows of four.
inline constexpr unsigned blocks_in_tile = (tile_size / block_size) * (tile_size / block_size), pixels_in_block = 64,
                          quads_in_block = 16;
inline constexpr unsigned block_row = tile_size / block_size;

// Texels of one colour target: of block n from n * block_bytes on, sample after sample, pixels by quads.
struct ColourBlocks {
  Target* target = nullptr;
  unsigned texel_bytes = 0, samples = 1;
  size_t block_bytes = 0;
  std::vector<uint8_t> texels;
  uint64_t present = 0, dirty = 0;        // a bit a block
  uint16_t written[blocks_in_tile] = {};  // where not present: quads that were written whole
  uint8_t* block(unsigned n) { return texels.data() + n * block_bytes; }
};

// Depth as words (unorm, or floats' bits) and stencil as bytes, whatever the targets hold.
struct DepthBlocks {
  Target *depth = nullptr, *stencil = nullptr;
  unsigned bits = 0, samples = 1;
  bool stencil_in_upper_byte = false;
  std::vector<uint32_t> depths;  // of block n from n * samples * 64 on
  std::vector<uint8_t> stencils;
  uint64_t present = 0, depth_dirty = 0, stencil_dirty = 0;
};

// The position of a colour component in a texel; 0 bits: it is not stored.
struct ColourField {
  uint8_t word = 0, shift = 0, bits = 0;
  bool encoded = false;  // (a field that several components are drawn from takes the first)
  float otherwise = 0;   // what it reads as if it is not stored
  surface::Number number = surface::Number::unorm;
};

// How a colour target is written.
struct ColourPath {
  enum class Kind : uint8_t {
    none,    // not at all
    bytes,   // 8_8_8_8 unorm in lanes
    fields,  // others of small fields, in lanes
    texels,  // a texel at a time
  } kind = Kind::none;
  bool reads_target = false;
  bool blends = false;  // (not where a logic operation takes its place)
  bool logic = false;
  bool target_alpha_is_one = false;
  ColourField field[4];                                      // of red, green, blue, alpha
  uint32_t word_mask[4] = {};                                // bits of a texel that are written
  bool clamp_low_zero = false, clamp_low_minus_one = false;  // of what is blended: unorm, snorm
  float constant[4] = {};
  surface::Rounding rounding = surface::Rounding::nearest_even;
};

struct Tile {
  const DrawConstants* constants = nullptr;
  unsigned worker = 0;
  int x = 0, y = 0;  // its first pixel
  unsigned layer = 0;

  unsigned colours = 0;  // targets in use, from 0
  ColourBlocks colour[8];
  ColourPath path[8];
  DepthBlocks depth;
  bool depth_stencil = false;  // any test or write
  bool copies = false;         // of depth or stencil into colour target 0
  bool early = true;

  // The wave at hand.
  unsigned max_quads_now = 16;
  const Primitive* primitive[max_quads];
  uint16_t place[max_quads];  // block * 16 + quad
  uint8_t run_begin[max_quads + 1];
  unsigned runs = 0;  // stretches of quads in which no pixel comes twice
  uint32_t stamp_now = 0;
  std::vector<uint32_t> stamp;  // by place
  PixelBatch batch;
  PixelResults results;

  uint64_t samples_passed = 0, pixel_invocations = 0;

  // Prepares for a draw's tiles; `worker` as the stages know it.
  void begin_draw(const DrawConstants& constants, unsigned worker);
  void begin_tile(int x, int y, unsigned layer);
  void end_tile();  // stores the changed blocks

  // The block's texels, loaded.
  uint8_t* present_colour(unsigned target, unsigned block);
  void present_depth(unsigned block);
};

}  // namespace Atoll::pipeline
