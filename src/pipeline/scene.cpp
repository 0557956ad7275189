#include "pipeline/scene.h"

#include <algorithm>
#include <utility>

#include "base/host_level.h"
#include "pipeline/level.h"
#include "pipeline/workers.h"

namespace Atoll::pipeline {

ATOLL_IN_LEVELS(extern const LevelEntries entries;)

namespace {

constexpr size_t max_counted_tiles = 1 << 20;
constexpr size_t chunk_floats = 1 << 16, max_kept_floats = 1 << 22;

size_t tiles_of(const DrawConstants& constants) { return size_t(constants.tiles_x) * constants.tiles_y; }

TilePlace place_of(const DrawConstants& constants, uint32_t tile) {
  const uint32_t tiles = constants.tiles_x * constants.tiles_y, in_layer = tile % tiles;
  return {int(in_layer % constants.tiles_x) * tile_size, int(in_layer / constants.tiles_x) * tile_size, tile / tiles};
}

}  // namespace

SceneLimits& scene_limits() {
  static SceneLimits limits;
  return limits;
}

SceneDraw& Scene::begin(const Draw& draw, const std::atomic<int>& stop, std::atomic<uint64_t>* progress) {
  if (draws_.size() == count_) draws_.push_back(std::make_unique<SceneDraw>());
  SceneDraw& d = *draws_[count_];
  d.draw = &draw, d.stop = &stop, d.progress = progress;
  d.number = uint32_t(count_);
  d.outputs.targets = {};
  d.counters = {};
  d.samples_passed = d.pixel_invocations = 0;
  for (auto& pixels : d.pixels_by_way) pixels = 0;
  open_ = &d;
  return d;
}

bool Scene::bind_targets(SceneDraw& draw, KeptBlocks& kept, Workers& workers) {
  if (!kept.has_room(draw.outputs.targets)) return flush(kept, workers, true);
  draw.binding = kept.bind(draw.outputs.targets);
  return true;
}

float* Scene::begin_segment(size_t floats) {
  in_segment_ = true;
  attributes_ += floats;
  for (Chunk& chunk : chunks_) {
    if (chunk.size - chunk.used < floats) continue;
    float* taken = chunk.floats.get() + chunk.used;
    chunk.used += floats;
    return taken;
  }
  const size_t size = std::max(floats, chunk_floats);
  return chunks_.emplace_back(Chunk{std::make_unique_for_overwrite<float[]>(size), size, floats}).floats.get();
}

void Scene::end_segment() {
  in_segment_ = false;
  segments_++;
  if (waiting_.empty()) free_attributes();
}

void Scene::free_attributes() {
  size_t kept = 0;
  for (Chunk& chunk : chunks_) chunk.used = 0, kept += chunk.size;
  if (kept > max_kept_floats) chunks_.clear();
  attributes_ = 0;
}

size_t Scene::add_parts(size_t count) {
  const size_t first = parts_in_use_;
  parts_in_use_ += count;
  if (parts_.size() < parts_in_use_) parts_.resize(parts_in_use_);
  return first;
}

// Lists of primitives a tile, in their order: tile_end_[n] is where the list of busy_tiles_[n] ends in places_. Gives where the
// first begins.
size_t Scene::sort(const SceneDraw& draw, size_t first) {
  const size_t tiles = tiles_of(draw.constants) * std::max(1u, draw.draw->targets.layers), begin = places_.size();
  busy_tiles_.clear();
  tile_end_.clear();
  size_t total = begin;
  for (size_t n = first; n < parts_in_use_; n++) total += parts_[n].bins.size(), primitives_ += parts_[n].count;
  places_.resize(total);
  if (tiles > max_counted_tiles) return sort_many(first, begin), begin;
  // All counts are 0 between draws: only tiles that are met are counted, and put back at the end.
  if (tile_count_.size() < tiles) tile_count_.resize(tiles);
  for (size_t n = first; n < parts_in_use_; n++)
    for (const Binned& bin : parts_[n].bins)
      if (tile_count_[bin.tile]++ == 0) busy_tiles_.push_back(bin.tile);
  std::ranges::sort(busy_tiles_);
  uint32_t at = uint32_t(begin);
  for (uint32_t tile : busy_tiles_) {
    const uint32_t here = tile_count_[tile];
    tile_count_[tile] = at;
    at += here;
    tile_end_.push_back(at);
  }
  for (size_t n = first; n < parts_in_use_; n++)
    for (const Binned& bin : parts_[n].bins) places_[tile_count_[bin.tile]++] = &parts_[n].primitives[bin.primitive];
  for (uint32_t tile : busy_tiles_) tile_count_[tile] = 0;
  return begin;
}

// The same where there are too many tiles for a counter each (very large targets of very many layers).
void Scene::sort_many(size_t first, size_t begin) {
  struct Entry {
    uint32_t tile, number;
    const Primitive* primitive;
  };
  std::vector<Entry> all;
  for (size_t n = first; n < parts_in_use_; n++)
    for (const Binned& bin : parts_[n].bins)
      all.push_back({bin.tile, uint32_t(all.size()), &parts_[n].primitives[bin.primitive]});
  std::ranges::sort(all, [](auto& a, auto& b) { return a.tile != b.tile ? a.tile < b.tile : a.number < b.number; });
  for (size_t n = 0; n < all.size(); n++) {
    places_[begin + n] = all[n].primitive;
    if (n && all[n].tile == all[n - 1].tile)
      tile_end_.back()++;
    else
      busy_tiles_.push_back(all[n].tile), tile_end_.push_back(uint32_t(begin + n + 1));
  }
}

bool Scene::sort_into_tiles(SceneDraw& draw, size_t first, KeptBlocks& kept, Workers& workers) {
  uint32_t begin = uint32_t(sort(draw, first));
  for (size_t n = 0; n < busy_tiles_.size(); n++) {
    const TilePlace place = place_of(draw.constants, busy_tiles_[n]);
    KeptBlocks::Tile* tile = kept.open(place, draw.binding);
    if (!tile) {  // no memory is left for its blocks
      if (!draw_waiting(kept, workers, true)) return false;
      draw.binding = kept.bind(draw.outputs.targets);
      tile = kept.open(place, draw.binding);
    }
    if (tile->waiting.empty()) waiting_.push_back(tile);
    tile->waiting.push_back({&draw, segments_, begin, tile_end_[n]});
    begin = tile_end_[n];
  }
  return !draw.binding.overlapping || flush(kept, workers, true);
}

void Scene::end(SceneDraw& draw, std::unique_ptr<WaitingDraw> waiting) {
  draw.waiting = std::move(waiting);
  open_ = nullptr;
  count_++;
}

void Scene::drop(SceneDraw&) { open_ = nullptr; }

// From now on only draws before it are drawn.
void Scene::fail(const SceneDraw& draw) {
  uint32_t first = failed_.load(std::memory_order_relaxed);
  while (draw.number < first && !failed_.compare_exchange_weak(first, draw.number, std::memory_order_relaxed)) {
  }
}

void Scene::leave(Tile& tile) {
  if (!tile.draw) return;
  tile.draw->samples_passed.fetch_add(tile.samples_passed, std::memory_order_relaxed);
  tile.draw->pixel_invocations.fetch_add(tile.pixel_invocations, std::memory_order_relaxed);
  for (size_t n = 0; n < pixel_ways; n++)
    if (const uint64_t pixels = tile.pixels_by_way[n]) tile.draw->pixels_by_way[n].fetch_add(pixels, std::memory_order_relaxed);
  if (tile.pixels_by_way[size_t(PixelWay::twice)]) has_twice_.store(true, std::memory_order_relaxed);
  tile.draw = nullptr;
}

void Scene::draw_tile(const KeptBlocks& kept, KeptBlocks::Tile& blocks, unsigned worker) {
  static const LevelEntries& level = ATOLL_AT_LEVEL(entries);
  auto& mine = tiles_[worker];
  if (!mine) mine = std::make_unique<Tile>();
  Tile& tile = *mine;
  for (const TilePrimitives& list : blocks.waiting) {
    SceneDraw& draw = *list.draw;
    if (draw.number >= failed_.load(std::memory_order_relaxed)) break;
    if (tile.draw != &draw) {
      leave(tile);
      tile.begin_draw(draw, worker);
    }
    tile.batch.segment = list.segment;
    tile.begin_tile(kept, blocks);
    // A stop is looked for now and then, so that a tile under many primitives ends soon as well.
    for (uint32_t at = list.begin; at < list.end; at += 1024) {
      if (draw.stopped() || !level.draw_tile(tile, places_.data() + at, std::min<size_t>(1024, list.end - at))) {
        fail(draw);
        break;
      }
      draw.advance();
    }
    tile.end_tile(kept, blocks);
  }
  blocks.waiting.clear();
}

bool Scene::draw_waiting(KeptBlocks& kept, Workers& workers, bool write_back) {
  if (write_back) {
    const auto tiles = kept.tiles();
    workers.share(unsigned(tiles.size()), [&](unsigned worker, unsigned n) {
      if (!tiles[n]->waiting.empty()) draw_tile(kept, *tiles[n], worker);
      kept.store(*tiles[n]);
    });
    kept.forget();
  } else {
    workers.share(unsigned(waiting_.size()), [&](unsigned worker, unsigned n) { draw_tile(kept, *waiting_[n], worker); });
  }
  waiting_.clear();
  for (auto& tile : tiles_)
    if (tile) leave(*tile);
  return failed_ == none;
}

bool Scene::flush(KeptBlocks& kept, Workers& workers, bool write_back) {
  draw_waiting(kept, workers, write_back);
  if (write_back && open_) open_->binding = kept.bind(open_->outputs.targets);
  places_.clear();
  parts_in_use_ = primitives_ = 0;
  if (!in_segment_) free_attributes();
  const uint32_t failed = failed_.exchange(none);
  const size_t ended = std::exchange(count_, 0);
  if (open_) std::swap(draws_[0], draws_[ended]), open_->number = 0;
  // (Where the draw at hand was is the first now.)
  for (size_t n = 0; n < ended; n++) {
    SceneDraw& draw = *draws_[n == 0 && open_ ? ended : n];
    draw.waiting->finished(draw.counted(), n < failed && !draw.stopped());
    draw.waiting.reset();
  }
  return failed == none;
}

}  // namespace Atoll::pipeline
