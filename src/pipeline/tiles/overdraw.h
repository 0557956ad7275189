// Blocks that are covered later are not drawn: blocks of 8x8 pixels in a tile that a later primitive overwrites whole, whatever
// they hold, are left out of the primitives before it. A tile's deferred draws are looked through from the last to the first
// before they are drawn from the first to the last.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/primitive.h"
#include "pipeline/tiles/tile_cache.h"

namespace Atoll::pipeline {

struct DrawOutputs;
struct Tile;

// A draw's pixels beside those of other draws.
struct Overdraw {
  // By colour target: blocks that a primitive covers whole are written there in all samples and all bits, whatever they hold, if its pixel
  // stage writes all pixels there (PixelStage::writes_always()).
  uint8_t covers = 0;
  // Its pixel stage comes to nothing but colours: what overwrites these makes it needless, as long as it may be deferred. (What is tested
  // and counted comes before it.)
  bool colours_alone = false;
  bool reads_colours = false;  // its pixel stage takes what targets hold
};
Overdraw overdraw_of(const DrawConstants& constants, const DrawOutputs& outputs);

// The blocks of a tile that later primitives overwrite, while its lists are drawn one after the other.
class HiddenBlocks {
public:
  // Looks through the lists. False: they hide nothing of each other.
  bool find(std::span<const TilePrimitives> lists, const Primitive* const* places, const TilePosition& tile);
  // The list with that number is drawn next: sets what is hidden of its first primitives (Tile::hidden), up to Tile::hidden_until.
  void begin_list(Tile& tile, const TilePrimitives* lists, size_t number, const Primitive* const* places);
  // Does the same for the next primitives, once those before Tile::hidden_until have been drawn.
  void go_on(Tile& tile);

private:
  // A target's covered blocks before the primitive at `place` covered more of what is drawn before it.
  struct Step {
    uint32_t list, place;
    uint8_t target;  // in the cache
    uint64_t before;
  };
  std::array<uint64_t, TileCache::max_targets> covered_;  // by target in the cache
  std::vector<Step> steps_;                               // from the last primitive to the first
  const TilePrimitives* list_ = nullptr;                  // at hand
  uint32_t number_ = 0;
  const Primitive* const* places_ = nullptr;

  bool has_covered_all(const SceneDraw& draw) const;
  void put(uint32_t list, uint32_t place, uint8_t target, uint64_t blocks);
  void cover(uint32_t number, const TilePrimitives& list, const Primitive* const* places, const TilePosition& tile);
  // Takes back what was covered by lists before number `list`, and by its primitives before `place`.
  void uncover(uint32_t list, uint32_t place);
  void tell(Tile& tile) const;
};

}  // namespace Atoll::pipeline
