// A draw with its pixels at once or deferred: run() and write_back() of draw.h.

#include <algorithm>
#include <optional>
#include <utility>

#include "pipeline/draw.h"
#include "pipeline/draws/fill.h"
#include "pipeline/draws/front_end.h"
#include "pipeline/pixel_watch.h"
#include "pipeline/workers.h"

namespace Atoll::pipeline {

Workers::Workers(unsigned count, bool at_once)
    : WorkerPool(count, at_once), storage_(std::make_unique<Storage>(WorkerPool::count())) {}
Workers::~Workers() { abandon(); }  // what it works on goes before the threads do

PixelWatch* Workers::watched() const { return watch_ && watch_->active ? watch_ : nullptr; }

namespace {

// Fills instead of drawing, where that comes to the same.
std::optional<bool> filled(const Draw& draw, Workers& workers, Counters& counters, const std::atomic<int>& stop,
                           std::atomic<uint64_t>* progress) {
  return draw.uniform_pixels ? fill_rectangle(draw, workers, counters, stop, progress) : std::nullopt;
}

bool run_at_once(const Draw& draw, Workers& workers, Scene& scene, TileCache& cache, Counters& counters,
                 const std::atomic<int>& stop, std::atomic<uint64_t>* progress) {
  SceneDraw& d = scene.begin(draw, false, stop, progress);
  bool good = FrontEnd(d, scene, cache, workers).run();
  good = scene.flush(cache, workers, false) && good && !d.stopped();
  scene.drop(d);
  counters += d.counters;
  return good;
}

// The same while a pixel is looked at: the draw stands alone in memory.
bool run_watched(PixelWatch& watch, const Draw& draw, Workers& workers, Counters& counters, const std::atomic<int>& stop,
                 std::atomic<uint64_t>* progress) {
  Storage& storage = workers.storage();
  if (!write_back(workers)) return false;
  watch.begin(draw.targets, &draw);
  bool good = run_at_once(draw, workers, storage.scene, storage.tile_cache, counters, stop, progress);
  good = write_back(workers) && good;
  watch.end();
  return good;
}

}  // namespace

bool run(const Draw& draw, Workers& workers, TileCache& cache, Counters& counters, const std::atomic<int>& stop,
         std::atomic<uint64_t>* progress) {
  return run_at_once(draw, workers, workers.storage().at_once, cache, counters, stop, progress);
}

bool run(const Draw& draw, Workers& workers, Counters& counters, const std::atomic<int>& stop, std::atomic<uint64_t>* progress) {
  if (PixelWatch* watch = workers.watched()) return run_watched(*watch, draw, workers, counters, stop, progress);
  Storage& storage = workers.storage();
  if (!draw_waiting(workers)) return false;
  const std::optional<bool> fill = filled(draw, workers, counters, stop, progress);
  const bool good = fill ? *fill : run_at_once(draw, workers, storage.scene, storage.tile_cache, counters, stop, progress);
  if (!draw.stays_open) write_back(workers);
  return good;
}

bool run(std::unique_ptr<WaitingDraw> waiting, Workers& workers, const std::atomic<int>& stop, std::atomic<uint64_t>* progress) {
  Storage& storage = workers.storage();
  Scene& scene = storage.scene;
  const Draw& draw = waiting->draw;
  Counters counters;
  if (PixelWatch* watch = workers.watched()) {
    const bool good = run_watched(*watch, draw, workers, counters, stop, progress);
    waiting->finished(counters, good);
    return good;
  }
  if (const std::optional<bool> fill = filled(draw, workers, counters, stop, progress)) {
    const bool good = draw_waiting(workers) && *fill;
    waiting->finished(counters, good);
    return good;
  }
  SceneDraw& d = scene.begin(draw, true, stop, progress);
  const bool good = FrontEnd(d, scene, storage.tile_cache, workers, waiting->state).run();
  if (good) return scene.end(d, std::move(waiting), storage.tile_cache, workers);
  // Draw earlier draws and what of this one is binned: the failure may lie there.
  scene.flush(storage.tile_cache, workers, false);
  scene.drop(d);
  waiting->finished(d.counters, false);
  return false;
}

bool write_back(Workers& workers) { return workers.storage().scene.flush(workers.storage().tile_cache, workers, true); }
bool write_back(Workers& workers, std::span<const MemoryRange> ranges) {
  return std::ranges::none_of(ranges, [&](const MemoryRange& range) { return workers.storage().tile_cache.lies_in(range); }) ||
         write_back(workers);
}
bool draw_waiting(Workers& workers) { return workers.storage().scene.flush(workers.storage().tile_cache, workers, false); }

}  // namespace Atoll::pipeline
