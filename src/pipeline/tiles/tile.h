// The screen tile that a worker works on: the targets' blocks in the tile cache, and the wave of pixels that
// is being packed.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "pipeline/colour_path.h"
#include "pipeline/level.h"
#include "pipeline/primitive.h"
#include "pipeline/tiles/overdraw.h"
#include "pipeline/tiles/tile_cache.h"

namespace Atoll::pipeline {

// The targets that a draw reads or writes, and how.
struct DrawOutputs {
  DrawTargets targets;
  ColourPath path[8];
  DirectKinds direct;                        // the waves that write their pixels themselves
  PixelPath pixel_path = PixelPath::direct;  // of pixels that go by the pipeline: why
  Overdraw overdraw;
};
DrawTargets targets_of(const DrawConstants& constants);
// `has_overlaps`: DirectOutputs has it.
DrawOutputs outputs_of(const DrawConstants& constants, bool has_overlaps);

struct SceneDraw;
struct PixelWatch;

struct Tile {
  SceneDraw* draw = nullptr;
  PixelWatch* watch = nullptr;               // if the tile has a pixel that is looked at
  const DrawConstants* constants = nullptr;  // of the draw, or of the pixels at hand
  // Set if the pixels of a quad have sample positions of their own: the constants of each pixel, and the pixel at hand. Primitives are
  // rasterised and drawn by these then.
  const std::array<DrawConstants, 4>* by_pixel = nullptr;
  unsigned pixel = 0;
  unsigned worker = 0;
  int x = 0, y = 0;  // its first pixel
  unsigned layer = 0;

  unsigned colours = 0;  // targets in use, from 0
  ColourBlocks colour[8];
  const ColourPath* path = nullptr;  // of each
  DepthBlocks depth;
  bool depth_stencil = false;  // any test or write
  bool rejects[2] = {};        // a block whose depth test fails everywhere is left out: of back and front faces
  bool accepts = false;        // a block whose depth test is passed everywhere needs no other test
  bool copies = false;         // of depth or stencil into colour target 0
  bool early = true;
  bool counts = false, counts_fails = false;  // samples that pass, and that fail, of the layer at hand
  DirectKinds direct;                         // the waves that write their pixels themselves
  PixelPath pixel_path = PixelPath::direct;   // of the others: why
  bool perspective = false, linear = false;   // the planes in their payload
  // Blocks that later primitives overwrite, a bit each: of the primitives before place `hidden_until` in the scene's list, or (null) of all
  // that are left.
  uint64_t hidden = 0;
  const Primitive* const* hidden_until = nullptr;
  HiddenBlocks hidden_blocks;
  uint8_t* texels[8] = {};               // of the targets, in this tile
  const Primitive* slopes_of = nullptr;  // whose slopes the worker's payload has in all lanes
  // Blocks that a primitive covers whole and whose waves are still to be run, in order. There are quads in the wave at hand besides
  // only if all of both are of one primitive. If waves of others are queued as well, they stand between them: numbers from
  // blocks_in_tile on.
  struct WholeBlock {
    const Primitive* primitive;
    unsigned block;
  };
  std::array<WholeBlock, blocks_in_tile> whole_blocks;
  unsigned whole_block_count = 0;
  // A wave of a primitive's quads; the members are those of the wave at hand below.
  struct QueuedWave {
    uint64_t covered, blocks;
    unsigned quads;
    uint16_t place[max_quads];
  };
  std::array<QueuedWave, blocks_in_tile / 2> queued;
  unsigned queued_count = 0;

  // The wave at hand.
  unsigned max_quads_now = 16;
  bool covered_before = false;  // PixelStage::wants_coverage_before_tests()
  bool one_primitive = false;   // its quads have to be of one
  bool queues_waves = false;    // it is run together with others behind it and before it, of whichever primitives
  bool in_halves = false;       // it writes its pixels itself if none comes twice in either half
  const Primitive* primitive[max_quads];
  uint16_t place[max_quads] = {};  // block * 16 + quad
  uint8_t run_begin[max_quads + 1];
  unsigned runs = 0;                   // stretches of quads in which no pixel comes twice
  uint64_t blocks = 0;                 // that it has quads of, a bit each
  uint64_t run_blocks = 0;             // those that the last run has quads of
  uint64_t run_quads[blocks_in_tile];  // which, by their first pixels
  bool whole_rows = false;             // the wave is whole rows of one block, quad after quad, all covered
  PixelBatch batch;
  PixelResults results;
  bool has_coarse_pixels = false;  // quads of a block are not parted
  struct Coarse {
    PixelBatch batch;
    PixelResults results;
  };
  std::unique_ptr<Coarse> coarse;  // of those who shade coarse pixels

  // Counters of the draw at hand; when the tile leaves it they are added to its worker's counters of each draw of the scene, by number.
  uint64_t samples_passed = 0, pixel_invocations = 0;
  uint64_t pixels_by_path[pixel_paths] = {};
  std::vector<Counters> counted;
  void count_pixels(PixelPath by, uint64_t pixels) { pixel_invocations += pixels, pixels_by_path[size_t(by)] += pixels; }

  // Prepares for a draw; `worker` as the stages know it.
  void begin_draw(SceneDraw& draw, unsigned worker);
  // How its waves and blocks go; in the tile of a watched pixel nothing at once.
  void find_paths();
  // Takes the tile's blocks for it, and puts them back.
  void begin_tile(const TileCache& cache, TileCache::Tile& blocks);
  void end_tile(const TileCache& cache, TileCache::Tile& blocks);

  // The block's texels, loaded.
  uint8_t* present_colour(unsigned target, unsigned block) { return load_block(colour[target], {x, y, layer}, block); }
  void present_depth(unsigned block) {
    if (!(depth.present >> block & 1)) load_block(depth, {x, y, layer}, block);
  }
  // The block's depths are present already.
  void present_stencil(unsigned block) { load_stencils(depth, {x, y, layer}, block); }
};

}  // namespace Atoll::pipeline
