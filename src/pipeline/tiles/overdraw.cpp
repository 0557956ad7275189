#include "pipeline/tiles/overdraw.h"

#include <algorithm>

#include "base/host_level.h"
#include "pipeline/level.h"
#include "pipeline/tiles/scene.h"

namespace Atoll::pipeline {

ATOLL_IN_LEVELS(extern const LevelEntries entries;)

namespace {

// Primitives of a list that are looked at, from its last one: of many small ones between few large ones that is enough.
constexpr unsigned most_looked_at = 256;

template <class Function>
void each_target(uint8_t targets, Function function) {
  for (unsigned n = 0; n < 8; n++)
    if (targets >> n & 1) function(n);
}

// No test can fail.
bool passes_all_tests(const DepthStencil& state) {
  if (state.depth_test && state.depth_compare != Compare::always) return false;
  if (state.stencil_test && (state.front.compare != Compare::always || state.back.compare != Compare::always)) return false;
  return !state.bounds_test && !state.selects_colour();
}

uint8_t targets_covered(const DrawConstants& constants, const DrawOutputs& outputs) {
  const Draw& draw = *constants.draw;
  const Rasterization& raster = draw.rasterization;
  const ColourOutput& colour = draw.colour;
  const uint32_t samples = (uint32_t(2) << (constants.samples - 1)) - 1;
  if (raster.use_clip_rectangles || raster.polygon_stipple || raster.round_points || raster.has_margins() ||
      raster.other_pixels || (constants.sample_mask & samples) != samples)
    return 0;
  if (colour.alpha_test || colour.alpha_to_coverage || draw.depth_stencil.copy_depth || draw.depth_stencil.copy_stencil ||
      !passes_all_tests(draw.depth_stencil))
    return 0;
  uint8_t covered = 0;
  each_target(0xff, [&](unsigned n) {
    const ColourPath& path = outputs.path[n];
    if (outputs.targets.colour[n].target && path.kind != ColourPath::Kind::none && !path.reads_target && !path.flips)
      covered |= uint8_t(1u << n);
  });
  return covered;
}

bool has_colours_alone(const DrawConstants& constants, const DrawOutputs& outputs) {
  const Draw& draw = *constants.draw;
  const DepthStencil& state = draw.depth_stencil;
  const Rasterization& raster = draw.rasterization;
  // Late tests and counts want to know what the stage does. If it runs more than once a pixel, for one pixel of a quad after the
  // other, or once for several, its pixels are counted as it runs.
  if (!state.early && (outputs.targets.has_depth || state.count_samples || state.counts_fails())) return false;
  if (state.copy_depth || state.copy_stencil || raster.other_pixels || raster.sample_shading || raster.has_coarse_pixels)
    return false;
  return std::ranges::any_of(outputs.targets.colour, [](const CachedTarget& colour) { return colour.target != nullptr; });
}

}  // namespace

Overdraw overdraw_of(const DrawConstants& constants, const DrawOutputs& outputs) {
  const PixelStage* stage = constants.draw->pixel_stage;
  if (!stage) return {};
  if (stage->reads_colours()) return {.reads_colours = true};
  return {.covers = targets_covered(constants, outputs), .colours_alone = has_colours_alone(constants, outputs)};
}

bool HiddenBlocks::has_covered_all(const SceneDraw& draw) const {
  bool all = true;
  each_target(draw.outputs.overdraw.covers, [&](unsigned n) { all &= covered_[draw.binding.colour[n]] == ~uint64_t(0); });
  return all;
}

void HiddenBlocks::put(uint32_t list, uint32_t place, uint8_t target, uint64_t blocks) {
  if (blocks == covered_[target]) return;
  steps_.push_back({list, place, target, covered_[target]});
  covered_[target] = blocks;
}

// Marks the blocks that a list's primitives cover, for the primitives before them.
void HiddenBlocks::cover(uint32_t number, const TilePrimitives& list, const Primitive* const* places, const TilePosition& tile) {
  static const LevelEntries& level = ATOLL_AT_LEVEL(entries);
  const SceneDraw& draw = *list.draw;
  unsigned looked_at = 0;
  for (uint32_t place = list.end; place-- > list.begin && looked_at < most_looked_at && !has_covered_all(draw); looked_at++) {
    const Primitive* next = place + 1 < list.end ? places[place + 1] : nullptr;
    const uint64_t blocks = level.covered_blocks(draw.constants, tile, *places[place], next);
    if (!blocks) continue;
    each_target(draw.outputs.overdraw.covers, [&](unsigned n) {
      const uint8_t target = draw.binding.colour[n];
      put(number, place, target, covered_[target] | blocks);
    });
  }
}

bool HiddenBlocks::find(std::span<const TilePrimitives> lists, const Primitive* const* places, const TilePosition& tile) {
  // The lists between the first that something may be left out of and the last that covers anything.
  size_t first = 0, end = lists.size();
  while (first < end && !lists[first].draw->may_be_hidden()) first++;
  while (end > first && !lists[end - 1].draw->covers()) end--;
  if (first == end || (end == first + 1 && lists[first].end - lists[first].begin < 2)) return false;
  covered_ = {};
  steps_.clear();
  for (size_t n = end; n-- > first;) {
    const TilePrimitives& list = lists[n];
    const SceneDraw& draw = *list.draw;
    if (draw.outputs.overdraw.reads_colours) {
      // It is drawn, over all that was drawn before it.
      for (const uint8_t target : draw.binding.colour)
        if (target != TileCache::Binding::none) put(uint32_t(n), list.begin, target, 0);
      continue;
    }
    if (draw.covers()) cover(uint32_t(n), list, places, tile);
  }
  return !steps_.empty();
}

void HiddenBlocks::uncover(uint32_t list, uint32_t place) {
  for (; !steps_.empty(); steps_.pop_back()) {
    const Step& step = steps_.back();
    if (step.list > list || (step.list == list && step.place >= place)) return;
    covered_[step.target] = step.before;
  }
}

void HiddenBlocks::begin_list(Tile& tile, const TilePrimitives* lists, size_t number, const Primitive* const* places) {
  list_ = lists + number, number_ = uint32_t(number), places_ = places;
  uncover(number_, 0);
  tell(tile);
}

void HiddenBlocks::go_on(Tile& tile) {
  uncover(number_, uint32_t(tile.hidden_until - places_) + 1);
  tell(tile);
}

void HiddenBlocks::tell(Tile& tile) const {
  const SceneDraw& draw = *list_->draw;
  tile.hidden = 0, tile.hidden_until = nullptr;
  if (!draw.may_be_hidden()) return;
  tile.hidden = ~uint64_t(0);
  for (unsigned n = 0; n < 8; n++)
    if (draw.outputs.targets.colour[n].target) tile.hidden &= covered_[draw.binding.colour[n]];
  if (!steps_.empty() && steps_.back().list == number_) tile.hidden_until = places_ + steps_.back().place;
}

}  // namespace Atoll::pipeline
