#include "pipeline/tiles/scene.h"

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

TilePosition place_of(const DrawConstants& constants, uint32_t tile) {
  const uint32_t tiles = constants.tiles_x * constants.tiles_y, in_layer = tile % tiles;
  return {int(in_layer % constants.tiles_x) * tile_size, int(in_layer / constants.tiles_x) * tile_size, tile / tiles};
}

}  // namespace

SceneLimits& scene_limits() {
  static SceneLimits limits;
  return limits;
}

SceneDraw& Scene::begin(const Draw& draw, bool defers, const std::atomic<int>& stop, std::atomic<uint64_t>* progress) {
  WaitingDraws& w = *waiting_;
  if (w.draws.size() == w.count) w.draws.push_back(std::make_unique<SceneDraw>());
  SceneDraw& d = *w.draws[w.count];
  d.draw = &draw, d.stop = &stop, d.progress = progress;
  d.number = uint32_t(w.count);
  d.watch = nullptr;
  d.outputs.targets = {};
  d.defers = defers, d.large = false;
  d.by_pixel.reset();
  d.counters = {};
  open_ = &d;
  return d;
}

bool Scene::bind_targets(SceneDraw& draw, TileCache& cache, Workers& workers) {
  if (!cache.has_room(draw.outputs.targets)) return flush(cache, workers, true);
  draw.binding = cache.bind(draw.outputs.targets);
  return true;
}

float* WaitingDraws::take_attributes(size_t floats) {
  attributes += floats;
  for (Chunk& chunk : chunks) {
    if (chunk.size - chunk.used < floats) continue;
    float* taken = chunk.floats.get() + chunk.used;
    chunk.used += floats;
    return taken;
  }
  const size_t size = std::max(floats, chunk_floats);
  return chunks.emplace_back(Chunk{std::make_unique_for_overwrite<float[]>(size), size, floats}).floats.get();
}

void WaitingDraws::free_attributes() {
  size_t kept = 0;
  for (Chunk& chunk : chunks) chunk.used = 0, kept += chunk.size;
  if (kept > max_kept_floats) chunks.clear();
  attributes = 0;
}

float* Scene::begin_segment(size_t floats) {
  in_segment_ = true;
  return waiting_->take_attributes(floats);
}

void Scene::end_segment() {
  in_segment_ = false;
  segments_++;
  if (waiting_->tiles.empty()) waiting_->free_attributes();
}

size_t Scene::add_parts(size_t count) {
  WaitingDraws& w = *waiting_;
  const size_t first = w.parts_in_use;
  w.parts_in_use += count;
  if (w.parts.size() < w.parts_in_use) w.parts.resize(w.parts_in_use);
  return first;
}

// Lists of primitives a tile, in their order: tile_end_[n] is where the list of busy_tiles_[n] ends in the places. Gives where the
// first begins.
size_t Scene::sort(SceneDraw& draw, size_t first) {
  WaitingDraws& w = *waiting_;
  const size_t tiles = tiles_of(draw.constants) * std::max(1u, draw.draw->targets.layers), begin = w.places.size();
  busy_tiles_.clear();
  tile_end_.clear();
  size_t total = begin;
  for (size_t n = first; n < w.parts_in_use; n++) {
    total += w.parts[n].bins.size(), w.primitives += w.parts[n].count;
    draw.large |= w.parts[n].large;
  }
  w.places.resize(total);
  if (tiles > max_counted_tiles) return sort_many(first, begin), begin;
  // All counts are 0 between draws: only tiles that are met are counted, and put back at the end.
  if (tile_count_.size() < tiles) tile_count_.resize(tiles);
  for (size_t n = first; n < w.parts_in_use; n++)
    for (const Binned& bin : w.parts[n].bins)
      if (tile_count_[bin.tile]++ == 0) busy_tiles_.push_back(bin.tile);
  std::ranges::sort(busy_tiles_);
  uint32_t at = uint32_t(begin);
  for (uint32_t tile : busy_tiles_) {
    const uint32_t here = tile_count_[tile];
    tile_count_[tile] = at;
    at += here;
    tile_end_.push_back(at);
  }
  for (size_t n = first; n < w.parts_in_use; n++)
    for (const Binned& bin : w.parts[n].bins) w.places[tile_count_[bin.tile]++] = &w.parts[n].primitives[bin.primitive];
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
  WaitingDraws& w = *waiting_;
  for (size_t n = first; n < w.parts_in_use; n++)
    for (const Binned& bin : w.parts[n].bins)
      all.push_back({bin.tile, uint32_t(all.size()), &w.parts[n].primitives[bin.primitive]});
  std::ranges::sort(all, [](auto& a, auto& b) { return a.tile != b.tile ? a.tile < b.tile : a.number < b.number; });
  for (size_t n = 0; n < all.size(); n++) {
    w.places[begin + n] = all[n].primitive;
    if (n && all[n].tile == all[n - 1].tile)
      tile_end_.back()++;
    else
      busy_tiles_.push_back(all[n].tile), tile_end_.push_back(uint32_t(begin + n + 1));
  }
}

bool Scene::sort_into_tiles(SceneDraw& draw, size_t first, TileCache& cache, Workers& workers) {
  uint32_t begin = uint32_t(sort(draw, first));
  for (size_t n = 0; n < busy_tiles_.size(); n++) {
    const TilePosition place = place_of(draw.constants, busy_tiles_[n]);
    TileCache::Tile* tile = cache.open(place, draw.binding);
    if (!tile) {  // no memory is left for its blocks
      if (!finish_drawing(workers) || !draw_waiting(cache, workers, true)) return false;
      draw.binding = cache.bind(draw.outputs.targets);
      tile = cache.open(place, draw.binding);
    }
    auto& list = tile->waiting[waiting_->side];
    if (list.empty()) waiting_->tiles.push_back(tile);
    list.push_back({&draw, segments_, begin, tile_end_[n]});
    begin = tile_end_[n];
  }
  return !draw.binding.overlapping || flush(cache, workers, true);
}

bool Scene::end(SceneDraw& draw, std::unique_ptr<WaitingDraw> waiting, TileCache& cache, Workers& workers) {
  draw.waiting = std::move(waiting);
  open_ = nullptr;
  waiting_->count++;
  const bool shares = limits_.draws > 1 && workers.count() > 1;
  if (is_full()) return shares ? begin_drawing(cache, workers) : flush(cache, workers, false);
  return !(shares && waiting_->count >= limits_.draws_for_idle && workers.is_idle()) || begin_drawing(cache, workers);
}

void Scene::drop(SceneDraw&) { open_ = nullptr; }

void WaitingDraws::fail(const SceneDraw& draw) {
  uint32_t first = failed.load(std::memory_order_relaxed);
  while (draw.number < first && !failed.compare_exchange_weak(first, draw.number, std::memory_order_relaxed)) {
  }
}

void Scene::leave(Tile& tile) {
  if (!tile.draw) return;
  const uint32_t number = tile.draw->number;
  if (tile.counted.size() <= number) tile.counted.resize(number + 1);
  Counters& counted = tile.counted[number];
  counted.samples_passed += tile.samples_passed, counted.pixel_invocations += tile.pixel_invocations;
  for (size_t n = 0; n < pixel_paths; n++) counted.pixels_by_path[n] += tile.pixels_by_path[n];
  if (tile.pixels_by_path[size_t(PixelPath::overlapping)]) has_overlaps_.store(true, std::memory_order_relaxed);
  tile.draw = nullptr;
}

void Scene::draw_tile(WaitingDraws& draws, const TileCache& cache, TileCache::Tile& blocks, unsigned worker) {
  static const LevelEntries& level = ATOLL_AT_LEVEL(entries);
  auto& mine = tiles_[worker];
  if (!mine) mine = std::make_unique<Tile>();
  Tile& tile = *mine;
  const std::span<const TilePrimitives> lists = blocks.waiting[draws.side];
  tile.hidden = 0, tile.hidden_until = nullptr;
  const bool watched = !lists.empty() && lists[0].draw->watch;
  const bool hides = !watched && tile.hidden_blocks.find(lists, draws.places.data(), blocks.place);
  for (const TilePrimitives& list : lists) {
    SceneDraw& draw = *list.draw;
    if (draw.number >= draws.failed.load(std::memory_order_relaxed)) break;
    if (tile.draw != &draw) {
      leave(tile);
      tile.begin_draw(draw, worker);
    }
    tile.batch.segment = list.segment;
    tile.begin_tile(cache, blocks);
    if (hides) tile.hidden_blocks.begin_list(tile, lists.data(), size_t(&list - lists.data()), draws.places.data());
    // A stop is looked for now and then, so that a tile under many primitives ends soon as well.
    for (uint32_t at = list.begin; at < list.end; at += 1024) {
      if (draw.stopped() || !level.draw_tile(tile, draws.places.data() + at, std::min<size_t>(1024, list.end - at))) {
        draws.fail(draw);
        break;
      }
      draw.advance();
    }
    tile.end_tile(cache, blocks);
  }
  blocks.waiting[draws.side].clear();
}

// All of the draws' tiles are drawn.
void Scene::leave_tiles(WaitingDraws& draws) {
  for (auto& tile : tiles_) {
    if (!tile) continue;
    leave(*tile);
    for (size_t number = 0; number < tile->counted.size(); number++) draws.draws[number]->counters += tile->counted[number];
    tile->counted.clear();
  }
}

// The other threads begin to draw the deferred draws. False: a draw before has failed.
bool Scene::begin_drawing(TileCache& cache, Workers& workers) {
  if (!finish_drawing(workers)) return flush(cache, workers, false);
  std::swap(waiting_, being_drawn_);
  meanwhile_ = {this, &cache};
  workers.begin(unsigned(being_drawn_->tiles.size()), meanwhile_);
  return true;
}

// Waits for it. False: one of its draws has failed; those that wait are not to be drawn then.
bool Scene::finish_drawing(Workers& workers) {
  if (!being_drawn_->count) return true;
  workers.finish();
  being_drawn_->tiles.clear();
  leave_tiles(*being_drawn_);
  const bool good = tell(*being_drawn_);
  being_drawn_->free_attributes();
  if (!good) waiting_->failed = 0;
  return good;
}

bool Scene::draw_waiting(TileCache& cache, Workers& workers, bool write_back) {
  WaitingDraws& w = *waiting_;
  if (write_back) {
    const auto tiles = cache.tiles();
    workers.share(unsigned(tiles.size()), [&](unsigned worker, unsigned n) {
      if (!tiles[n]->waiting[w.side].empty()) draw_tile(w, cache, *tiles[n], worker);
      cache.store(*tiles[n]);
    });
    cache.forget();
  } else {
    workers.share(unsigned(w.tiles.size()), [&](unsigned worker, unsigned n) { draw_tile(w, cache, *w.tiles[n], worker); });
  }
  w.tiles.clear();
  leave_tiles(w);
  return w.failed == WaitingDraws::none;
}

// The draws have ended. False: one of them has failed.
bool Scene::tell(WaitingDraws& w) {
  w.places.clear();
  w.parts_in_use = w.primitives = 0;
  const uint32_t failed = w.failed.exchange(WaitingDraws::none);
  const size_t ended = std::exchange(w.count, 0);
  const bool has_open = open_ && &w == waiting_;
  if (has_open) std::swap(w.draws[0], w.draws[ended]), open_->number = 0;
  // (The draw at hand is the first one now.)
  for (size_t n = 0; n < ended; n++) {
    SceneDraw& draw = *w.draws[n == 0 && has_open ? ended : n];
    draw.waiting->finished(draw.counters, n < failed && !draw.stopped());
    draw.waiting.reset();
  }
  return failed == WaitingDraws::none;
}

bool Scene::flush(TileCache& cache, Workers& workers, bool write_back) {
  finish_drawing(workers);
  draw_waiting(cache, workers, write_back);
  if (write_back && open_) open_->binding = cache.bind(open_->outputs.targets);
  if (!in_segment_) waiting_->free_attributes();
  return tell(*waiting_);
}

}  // namespace Atoll::pipeline
