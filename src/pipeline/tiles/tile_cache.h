// Blocks of the targets that stay with the pipeline from draw to draw, as colour and depth caches of a chip do: a block is read
// from its target when a draw first needs it, and written when the blocks are written back, however many draws lie between.
// They are cached by screen tile, and draws work in them directly.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/worker_pool.h"
#include "pipeline/primitive.h"
#include "pipeline/tiles/target_fill.h"

namespace Atoll::pipeline {

inline constexpr unsigned block_row = tile_size / block_size, blocks_in_tile = block_row * block_row;

// The position of a screen tile.
struct TilePosition {
  int x = 0, y = 0;  // its first pixel
  unsigned layer = 0;
  bool operator==(const TilePosition&) const = default;
};

// Texels of one colour target in a tile: of block n from n * block_bytes on, as Target::load() leaves them.
struct ColourBlocks {
  Target* target = nullptr;
  unsigned texel_bytes = 0, samples = 1;
  size_t block_bytes = 0;
  uint8_t* texels = nullptr;
  uint64_t present = 0, dirty = 0;  // a bit a block
  uint16_t* written = nullptr;      // by block, where not present: quads that were written whole
  uint64_t filled = 0;              // where neither: memory lacks `fill`
  const OwnedChange* fill = nullptr;
  uint8_t* block(unsigned n) { return texels + n * block_bytes; }
};
// The block's texels, loaded.
uint8_t* load_block(ColourBlocks& blocks, const TilePosition& tile, unsigned block);

// Depth as words (unorm, or floats' bits) and stencil as bytes, whatever the targets hold.
struct DepthBlocks {
  Target *depth = nullptr, *stencil = nullptr;
  unsigned bits = 0, samples = 1;
  bool stencil_in_upper_byte = false;
  std::span<uint32_t> depths;  // of block n from n * samples * 64 on
  std::span<uint8_t> stencils;
  // The least and greatest depth of block n, as `depths` has them (without what a word has above its 24 bits), where bit n of
  // `bounded` says that they are known. NaN both where a float is NaN.
  std::span<int32_t> least, most;
  uint64_t present = 0, depth_dirty = 0, stencil_dirty = 0, bounded = 0;
  uint64_t filled = 0;  // not present: memory lacks `fill`
  const TargetFill* fill = nullptr;
  uint64_t upper_absent = 0;  // of present blocks of 24 bits of depth: what their words have above them is in memory only
  // The least and greatest depth of all blocks that are or were bounded; valid if `tile_bounded`.
  int32_t tile_least = 0, tile_most = 0;
  bool tile_bounded = false;
  void set_bound(unsigned block, int32_t low, int32_t high) {
    least[block] = low, most[block] = high;
    bounded |= uint64_t(1) << block;
    tile_bounded = false;
  }
};
void load_block(DepthBlocks& blocks, const TilePosition& tile, unsigned block);
// The stencils of a present block, where its depths were filled without them.
void load_stencils(DepthBlocks& blocks, const TilePosition& tile, unsigned block);

// A target as the cache has it: colours, or depth and stencil together.
struct CachedTarget {
  Target *target = nullptr, *stencil = nullptr;  // colours, or depths (or null) and stencils (or null)
  bool is_depth = false;
  unsigned texel_bytes = 0;  // of colours
  unsigned depth_bits = 0;
  bool stencil_in_upper_byte = false;
  unsigned samples = 1;
  bool operator==(const CachedTarget&) const = default;
  size_t texels() const { return size_t(pixels_in_block) * samples * blocks_in_tile; }  // of a tile
  size_t bytes() const { return is_depth ? texels() * 5 + blocks_in_tile * 2 * sizeof(int32_t) : texels() * texel_bytes; }
};

struct SceneDraw;
// A draw's primitives in a tile that are still to be drawn: places in the scene's list (scene.h).
struct TilePrimitives {
  SceneDraw* draw;
  uint32_t segment;  // of all that there have been
  uint32_t begin, end;
};

// The targets that a draw reads or writes.
struct DrawTargets {
  std::array<CachedTarget, 8> colour;  // those whose `target` is not null
  CachedTarget depth;                  // where depth or stencil is
  bool has_depth = false;
};

// A fill's change of each of a draw's targets.
struct TargetChanges {
  std::array<TargetFill, 8> colour;
  TargetFill depth;
};

// While other threads work on tiles that are open, one may bind targets and open tiles, the same ones as well.
class TileCache {
public:
  // At most `max_bytes` are cached, but always one tile of a draw's targets.
  explicit TileCache(size_t max_bytes = size_t(64) << 20);
  ~TileCache();
  TileCache(const TileCache&) = delete;
  TileCache& operator=(const TileCache&) = delete;

  static constexpr unsigned max_targets = 10;
  struct Tile {
    struct Part {
      uint8_t* texels = nullptr;  // null: none yet
      uint64_t present = 0, dirty = 0, stencil_dirty = 0, bounded = 0, filled = 0, upper_absent = 0;
      int32_t tile_least = 0, tile_most = 0;
      bool tile_bounded = false;
      uint16_t written[blocks_in_tile];
    };
    TilePosition place;
    size_t slot = 0;                                     // in the index
    std::array<std::vector<TilePrimitives>, 2> waiting;  // in the order of their draws: what waits, what is being drawn
    std::array<Part, max_targets> part;
  };
  // A draw's targets among those of the cache, by number. Valid until blocks are written back.
  struct Binding {
    static constexpr uint8_t none = 0xff;
    std::array<uint8_t, 8> colour = {none, none, none, none, none, none, none, none};
    uint8_t depth = none;
    // Targets of the draw lie in the same memory as each other: what one writes, the other is to see in the next draw.
    bool overlapping = false;
  };

  // True if a draw's targets, which stay alive until blocks are written back, can be bound before that: no blocks are cached of
  // other targets that lie in the same memory as one of them.
  bool has_room(const DrawTargets& targets) const;
  const Binding& bind(const DrawTargets& targets);
  const Binding& bound() const { return bound_; }  // the last one
  // The tile, with memory for all bound targets. Null: there is none left before blocks are written back and targets bound again.
  Tile* open(const TilePosition& place, const Binding& binding);
  // The tile's blocks of a bound target, to be worked on by one thread, and put back when it is done.
  ColourBlocks colour(Tile& tile, const Binding& binding, unsigned n) const;
  DepthBlocks depth(Tile& tile, const Binding& binding) const;
  void put(Tile& tile, const Binding& binding, unsigned n, const ColourBlocks& blocks) const;
  void put(Tile& tile, const Binding& binding, const DepthBlocks& blocks) const;

  // Changes the pixels of the area in all bound targets, in layer 0. Blocks that are not present are only noted, and filled when
  // they are loaded or stored. Nobody works on tiles meanwhile. False: that cannot be noted, and nothing has been done.
  bool fill(const Binding& binding, const Rectangle& area, const TargetChanges& changes);

  // True if a target with cached blocks reaches into the range.
  bool lies_in(const MemoryRange& range) const;
  bool empty() const { return tiles_in_use_ == 0; }
  // All tiles, in the order in which they were opened.
  std::span<const std::unique_ptr<Tile>> tiles() const { return {tiles_.data(), tiles_in_use_}; }
  // Stores a tile's blocks that were changed: any thread, other tiles meanwhile. All of them, and forget() to end it.
  void store(Tile& tile) const;
  void forget();
  void write_back(WorkerPool& workers);

private:
  static constexpr uint8_t none = Binding::none;
  class Memory;

  const size_t max_bytes_;
  std::vector<CachedTarget> targets_;          // that there are blocks of
  std::array<TargetFill, max_targets> fills_;  // of each: what its blocks' `filled` stand for
  Binding bound_;
  std::vector<std::unique_ptr<Tile>> tiles_;  // the first tiles_in_use_ of them
  size_t tiles_in_use_ = 0;
  std::vector<uint32_t> index_;  // hash of the place -> number in tiles_, plus 1
  std::unique_ptr<Memory> memory_;

  // The bound ones of a draw in their order: colours, depth. Their number.
  static unsigned in_order(const DrawTargets& draw, std::array<const CachedTarget*, 9>& bound);
  Tile& tile_at(const TilePosition& place);
  bool can_note(unsigned number, const TargetFill& fill) const;
  void note_fill(Tile& tile, unsigned number, const Rectangle& area);
};

}  // namespace Atoll::pipeline
