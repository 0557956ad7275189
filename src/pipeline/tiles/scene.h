// Draws whose primitives are set up and sorted into tiles, and whose pixels are still to be drawn: a tile's worker draws those of
// all draws one after the other, while the tile's blocks are in its caches. Vertices are shaded and set up when a draw begins;
// from then on it stands here by value, with what its pixel stage needs (WaitingDraw). When enough of them wait, the other
// threads begin to draw their pixels, while the caller's adds the next ones.
#pragma once
#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "base/progress.h"
#include "pipeline/front/setup_part.h"
#include "pipeline/tiles/tile.h"
#include "pipeline/tiles/tile_cache.h"

namespace Atoll::pipeline {

class Workers;

// The limits of what is deferred; as much again may be being drawn. A larger draw is drawn in parts.
struct SceneLimits {
  unsigned draws = 64;           // 1: each is drawn at once, before anything else
  unsigned draws_for_idle = 16;  // so many begin to be drawn where the other threads have nothing to do
  size_t primitives = 4096;      // some 2 MB: more would leave the caches before they are drawn
  size_t attributes = 1 << 20;   // floats
  size_t places = 1 << 20;       // in tiles' lists
};
// The limits of workers that are made from now on; tests change them.
SceneLimits& scene_limits();

// A draw from its begin until its pixels are drawn.
struct SceneDraw {
  const Draw* draw = nullptr;
  std::unique_ptr<WaitingDraw> waiting;  // that it is of, once it waits; null: whoever runs it waits
  uint32_t number = 0;                   // in the scene
  DrawConstants constants;
  std::unique_ptr<std::array<DrawConstants, 4>> by_pixel;  // where pixels of a quad have samples of their own
  DrawOutputs outputs;
  TileCache::Binding binding;
  bool defers = false;  // its pixel stage does nothing that can be told from outside (WaitingDraw)
  bool large = false;   // there are primitives that may cover a block whole
  Counters counters;    // what is counted where pixels are drawn comes when all are
  const std::atomic<int>* stop = nullptr;
  std::atomic<uint64_t>* progress = nullptr;
  PixelWatch* watch = nullptr;  // while a pixel is looked at

  bool stopped() const { return stop->load(std::memory_order_relaxed); }
  bool may_be_hidden() const { return defers && outputs.overdraw.colours_alone; }
  bool covers() const { return large && outputs.overdraw.covers; }
  void advance() const {
    if (progress) Atoll::advance(*progress);
  }
};

// Draws that wait, and the memory of all that they name.
struct WaitingDraws {
  static constexpr uint32_t none = ~0u;
  unsigned side = 0;                              // which of the tiles' lists are theirs
  std::vector<std::unique_ptr<SceneDraw>> draws;  // the first `count` of them, and the one at hand
  size_t count = 0;
  std::atomic<uint32_t> failed{none};  // number of the first that has failed

  std::vector<SetupPart> parts;
  size_t parts_in_use = 0, primitives = 0;
  struct Chunk {
    std::unique_ptr<float[]> floats;
    size_t size = 0, used = 0;
  };
  std::vector<Chunk> chunks;  // of attributes
  size_t attributes = 0;
  std::vector<const Primitive*> places;  // by draw and tile
  std::vector<TileCache::Tile*> tiles;

  float* take_attributes(size_t floats);
  void free_attributes();
  // From now on only draws before it are drawn.
  void fail(const SceneDraw& draw);
};

class Scene {
public:
  explicit Scene(unsigned workers) : limits_(scene_limits()), tiles_(workers) { sides_[1].side = 1; }

  // Begins a draw, which goes on until end() or drop(); one at a time does. `defers`: it is that of a WaitingDraw.
  SceneDraw& begin(const Draw& draw, bool defers, const std::atomic<int>& stop, std::atomic<uint64_t>* progress);
  // Its targets, once its outputs are known. Cached blocks of other targets over the same memory are written back before. False: a
  // draw before has failed.
  bool bind_targets(SceneDraw& draw, TileCache& cache, Workers& workers);

  // A segment of the draw: memory for its vertices' attributes, which stands until its primitives are drawn.
  float* begin_segment(size_t floats);
  void end_segment();
  // Parts to set primitives up in; the number of the first.
  size_t add_parts(size_t count);
  size_t parts() const { return waiting_->parts_in_use; }
  SetupPart& part(size_t n) { return waiting_->parts[n]; }
  // Puts what is in the parts from `first` on behind the tiles' lists. False: there was no room before all was drawn, and a draw
  // failed.
  bool sort_into_tiles(SceneDraw& draw, size_t first, TileCache& cache, Workers& workers);

  // From now on the draw waits. False: it was one too many to wait, and a draw before it or it has failed.
  bool end(SceneDraw& draw, std::unique_ptr<WaitingDraw> waiting, TileCache& cache, Workers& workers);
  void drop(SceneDraw& draw);

  // True if the pipeline wrote the pixels of a wave because one came twice in it.
  bool has_overlaps() const { return has_overlaps_.load(std::memory_order_relaxed); }
  // True if draws wait that have ended.
  bool waits() const { return waiting_->count > 0; }
  // True if no more is to wait.
  bool is_full() const {
    const WaitingDraws& w = *waiting_;
    return w.primitives >= limits_.primitives || w.attributes >= limits_.attributes || w.places.size() >= limits_.places ||
           w.count >= limits_.draws;
  }
  // Draws all that waits; draws that have ended are told (WaitingDraw::finished). `write_back`: cached blocks are stored as well, and
  // forgotten. False: a draw has failed.
  bool flush(TileCache& cache, Workers& workers, bool write_back);

private:
  const SceneLimits limits_;
  std::array<WaitingDraws, 2> sides_;
  WaitingDraws *waiting_ = &sides_[0], *being_drawn_ = &sides_[1];
  SceneDraw* open_ = nullptr;  // the draw at hand
  std::atomic<bool> has_overlaps_{false};
  bool in_segment_ = false;
  uint32_t segments_ = 0;                     // so far
  std::vector<std::unique_ptr<Tile>> tiles_;  // by worker
  // The work of the other threads while this one goes on.
  struct DrawTiles {
    Scene* scene = nullptr;
    const TileCache* cache = nullptr;
    void operator()(unsigned worker, unsigned n) const {
      scene->draw_tile(*scene->being_drawn_, *cache, *scene->being_drawn_->tiles[n], worker);
    }
  } meanwhile_;

  // While parts are sorted: the tiles that have primitives, and the ends of their lists.
  std::vector<uint32_t> tile_count_, busy_tiles_, tile_end_;
  size_t sort(SceneDraw& draw, size_t first);
  void sort_many(size_t first, size_t begin);
  bool begin_drawing(TileCache& cache, Workers& workers);
  bool finish_drawing(Workers& workers);
  bool draw_waiting(TileCache& cache, Workers& workers, bool write_back);
  void draw_tile(WaitingDraws& draws, const TileCache& cache, TileCache::Tile& blocks, unsigned worker);
  void leave(Tile& tile);
  void leave_tiles(WaitingDraws& draws);
  bool tell(WaitingDraws& draws);
};

}  // namespace Atoll::pipeline
