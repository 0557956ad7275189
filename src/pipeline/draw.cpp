#include "pipeline/draw.h"

#include <algorithm>

#include "base/host_level.h"
#include "pipeline/fill.h"
#include "pipeline/level.h"
#include "pipeline/setup.h"
#include "pipeline/storage.h"
#include "pipeline/workers.h"

namespace Atoll::pipeline {

Workers::Workers(unsigned count) : WorkerPool(count), storage_(std::make_unique<Storage>(WorkerPool::count())) {}
Workers::~Workers() = default;

ATOLL_IN_LEVELS(extern const LevelEntries entries;)

namespace {

constexpr unsigned primitives_in_part = 256;
constexpr size_t max_counted_tiles = 1 << 20;
// Places in tiles' lists that are kept before they are drawn: large primitives on a large target would fill the host's memory.
constexpr size_t max_bins = 4 << 20;

class Run {
public:
  Run(const Draw& draw, Workers& workers, KeptBlocks& kept, Counters& counters, const std::atomic<int>& stop,
      std::atomic<uint64_t>* progress)
      : draw_(draw),
        workers_(workers),
        storage_(workers.storage()),
        kept_(kept),
        counters_(counters),
        stop_(stop),
        progress_(progress) {}

  bool run();

private:
  bool stopped() const { return failed_.load(std::memory_order_relaxed) || stop_.load(std::memory_order_relaxed); }
  void advance() {
    if (progress_) progress_->fetch_add(1, std::memory_order_relaxed);
  }
  void shade_vertices();
  size_t set_up_primitives(size_t first);
  size_t set_up_some(size_t first, unsigned in_part, unsigned max_parts);
  void sort_into_tiles();
  void sort_many_tiles();
  void draw_tiles();
  TilePlace place_of(uint32_t tile) const;
  size_t open_tiles(size_t first);
  void draw_tiles(size_t first, size_t last);
  void end_tiles();

  const Draw& draw_;
  Workers& workers_;
  Storage& storage_;
  KeptBlocks& kept_;
  Counters& counters_;
  const std::atomic<int>& stop_;
  std::atomic<uint64_t>* const progress_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> one_layer_{true};  // all vertices of the segment have layer and viewport 0
  DrawConstants constants_;
  DrawOutputs outputs_;
  std::array<GuardBand, 16> guards_;
  bool rasterizes_ = false;
  unsigned parts_ = 0;
  uint32_t segments_ = 0;
};

void Run::shade_vertices() {
  Segment& segment = storage_.segment;
  size_t count = segment.number.size();
  unsigned batch = std::clamp(draw_.vertex_stage->batch_size(), 1u, Segment::max_vertices);
  unsigned floats = constants_.attribute_floats;
  if (storage_.vertices.size() < count) storage_.vertices.resize(count), storage_.screen.resize(count);
  if (storage_.attributes.size() < (count + batch) * floats) storage_.attributes.resize((count + batch) * floats);
  unsigned batches = unsigned((count + batch - 1) / batch);
  one_layer_ = true;
  workers_.share(batches, [&](unsigned worker, unsigned part) {
    if (stopped()) return;
    size_t first = size_t(part) * batch, here = std::min<size_t>(batch, count - first);
    Vertex* vertices = storage_.vertices.data() + first;
    std::fill_n(vertices, here, Vertex{});
    VertexBatch numbers{{segment.number.data() + first, here}, {segment.instance.data() + first, here}};
    if (!segment.primitive.empty()) numbers.primitive = {segment.primitive.data() + first, here};
    if (!draw_.vertex_stage->shade(worker, numbers, vertices, storage_.attributes.data() + first * floats)) {
      failed_ = true;
      return;
    }
    if (!rasterizes_) return;
    const std::span shaded(vertices, here);
    const bool one_layer = std::ranges::all_of(shaded, [](const Vertex& v) { return !(v.viewport | v.layer); });
    to_screen(constants_, guards_, shaded, storage_.screen.data() + first);
    if (!one_layer) one_layer_ = false;
  });
  counters_.vertex_invocations += count;
}

// Sets up the segment's primitives from number `first` on, as long as there is room for their places; gives the number of the
// first that is left.
size_t Run::set_up_primitives(size_t first) {
  const Segment& segment = storage_.segment;
  // A stippled line's pattern goes on from the line before it.
  bool in_order = draw_.rasterization.line_stipple;
  size_t count = segment.primitives.size();
  size_t tiles = std::max<size_t>(1, size_t(constants_.tiles_x) * constants_.tiles_y);
  unsigned in_part = in_order ? unsigned(std::clamp<size_t>(max_bins / tiles, 1, Segment::max_primitives)) : primitives_in_part;
  unsigned at_once = in_order ? 1 : unsigned(std::clamp<size_t>(max_bins / (tiles * in_part), 1, Segment::max_primitives));
  parts_ = 0;
  for (size_t bins = 0; first < count && bins < max_bins && !stopped();) {
    unsigned before = parts_;
    first = set_up_some(first, in_part, at_once);
    for (unsigned n = before; n < parts_; n++) bins += storage_.parts[n].bins.size();
    if (in_order) break;  // the pattern's counter is the part's
  }
  return first;
}

// Up to `max_parts` parts more.
size_t Run::set_up_some(size_t first, unsigned in_part, unsigned max_parts) {
  const Segment& segment = storage_.segment;
  size_t count = segment.primitives.size(), left = (count - first + in_part - 1) / in_part;
  unsigned parts = unsigned(std::min<size_t>(left, max_parts)), before = parts_;
  parts_ += parts;
  if (storage_.parts.size() < parts_) storage_.parts.resize(parts_);
  SetupInput input{constants_, storage_.vertices.data(), storage_.attributes.data(), storage_.screen.data(), guards_};
  workers_.share(parts, [&](unsigned, unsigned number) {
    SetupPart& part = storage_.parts[before + number];
    part.clear();
    if (stopped()) return;
    size_t begin = first + size_t(number) * in_part, end = std::min(begin + in_part, count);
    set_up(input, std::span(segment.primitives).subspan(begin, end - begin), one_layer_, part);
  });
  for (unsigned n = before; n < parts_; n++) {
    counters_.clipped_primitives_in += storage_.parts[n].in;
    counters_.clipped_primitives_out += storage_.parts[n].out;
  }
  return std::min(first + size_t(parts) * in_part, count);
}

// Lists of primitives a tile, in their order: tile_end[n] is where the list of busy_tiles[n] ends in tile_primitives.
void Run::sort_into_tiles() {
  size_t tiles = size_t(constants_.tiles_x) * constants_.tiles_y * std::max(1u, draw_.targets.layers);
  auto& busy = storage_.busy_tiles;
  auto& end = storage_.tile_end;
  auto& primitives = storage_.tile_primitives;
  busy.clear();
  end.clear();
  size_t total = 0;
  for (unsigned n = 0; n < parts_; n++) total += storage_.parts[n].bins.size();
  if (primitives.size() < total) primitives.resize(total);
  if (tiles > max_counted_tiles) return sort_many_tiles();
  // `count` is all 0 between draws: only tiles that are met are counted, and put back at the end.
  auto& count = storage_.tile_count;
  if (count.size() < tiles) count.resize(tiles);
  for (unsigned n = 0; n < parts_; n++)
    for (const Binned& bin : storage_.parts[n].bins)
      if (count[bin.tile]++ == 0) busy.push_back(bin.tile);
  std::sort(busy.begin(), busy.end());
  uint32_t at = 0;
  for (uint32_t tile : busy) {
    uint32_t here = count[tile];
    count[tile] = at;
    at += here;
    end.push_back(at);
  }
  for (unsigned n = 0; n < parts_; n++)
    for (const Binned& bin : storage_.parts[n].bins) primitives[count[bin.tile]++] = &storage_.parts[n].primitives[bin.primitive];
  for (uint32_t tile : busy) count[tile] = 0;
}

// The same where there are too many tiles for a counter each (very large targets of very many layers).
void Run::sort_many_tiles() {
  struct Entry {
    uint32_t tile, number;
    const Primitive* primitive;
  };
  std::vector<Entry> all;
  for (unsigned n = 0; n < parts_; n++)
    for (const Binned& bin : storage_.parts[n].bins)
      all.push_back({bin.tile, uint32_t(all.size()), &storage_.parts[n].primitives[bin.primitive]});
  std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.tile != b.tile ? a.tile < b.tile : a.number < b.number; });
  for (size_t n = 0; n < all.size(); n++) {
    storage_.tile_primitives[n] = all[n].primitive;
    if (n && all[n].tile == all[n - 1].tile)
      storage_.tile_end.back()++;
    else
      storage_.busy_tiles.push_back(all[n].tile), storage_.tile_end.push_back(uint32_t(n + 1));
  }
}

TilePlace Run::place_of(uint32_t tile) const {
  const unsigned in_layer = tile % (constants_.tiles_x * constants_.tiles_y);
  return {int(in_layer % constants_.tiles_x) * tile_size, int(in_layer / constants_.tiles_x) * tile_size,
          tile / (constants_.tiles_x * constants_.tiles_y)};
}

// Opens the blocks of the busy tiles from `first` on, and gives where memory for them ended.
size_t Run::open_tiles(size_t first) {
  const auto& busy = storage_.busy_tiles;
  auto& open = storage_.open_tiles;
  if (open.size() < busy.size()) open.resize(busy.size());
  kept_.bind(outputs_.targets, workers_);
  for (size_t n = first; n < busy.size(); n++) {
    open[n] = kept_.open(place_of(busy[n]));
    if (!open[n]) return n;
  }
  return busy.size();
}

void Run::draw_tiles() {
  for (size_t first = 0; first < storage_.busy_tiles.size() && !stopped();) {
    const size_t last = open_tiles(first);
    if (last > first) draw_tiles(first, last);
    if (last < storage_.busy_tiles.size() || kept_.overlapping()) kept_.write_back(workers_);
    first = last;
  }
}

void Run::draw_tiles(size_t from, size_t to) {
  auto& busy = storage_.busy_tiles;
  auto& end = storage_.tile_end;
  static const LevelEntries& level = ATOLL_AT_LEVEL(entries);
  workers_.share(unsigned(std::min<size_t>(to - from, Workers::max_parts)), [&](unsigned worker, unsigned first) {
    auto& mine = storage_.tiles[worker];
    if (!mine) mine = std::make_unique<Tile>();
    Tile& tile = *mine;
    if (tile.constants != &constants_) tile.begin_draw(constants_, outputs_, worker);
    tile.batch.segment = segments_;
    for (size_t n = from + first; n < to; n += Workers::max_parts) {
      if (stopped()) return;
      uint32_t begin = n ? end[n - 1] : 0;
      tile.begin_tile(kept_, *storage_.open_tiles[n], place_of(busy[n]));
      // A stop is looked for now and then, so that a tile under many primitives ends soon as well.
      for (uint32_t at = begin; at < end[n] && !stopped(); at += 1024) {
        if (!level.draw_tile(tile, storage_.tile_primitives.data() + at, std::min<size_t>(1024, end[n] - at))) failed_ = true;
        advance();
      }
      tile.end_tile(kept_, *storage_.open_tiles[n]);
    }
  });
}

void Run::end_tiles() {
  for (auto& tile : storage_.tiles) {
    if (!tile || tile->constants != &constants_) continue;
    counters_.samples_passed += tile->samples_passed;
    counters_.pixel_invocations += tile->pixel_invocations;
    tile->constants = nullptr;
  }
}

bool Run::run() {
  if (!draw_.vertex_stage) return true;
  rasterizes_ = make_constants(draw_, constants_) && !draw_.rasterization.discard;
  if (rasterizes_) outputs_ = outputs_of(constants_);
  for (unsigned n = 0; n < guards_.size(); n++) guards_[n] = guard_band(constants_, draw_.viewports[n]);
  Assembler assembler(draw_, storage_.cache);
  while (!stopped() && assembler.next(storage_.segment)) {
    advance();
    segments_++;
    shade_vertices();
    if (!rasterizes_ || stopped()) continue;
    for (size_t at = 0; at < storage_.segment.primitives.size() && !stopped();) {
      at = set_up_primitives(at);
      if (stopped()) break;
      sort_into_tiles();
      draw_tiles();
    }
  }
  counters_.vertices += assembler.vertices_read();
  counters_.primitives += assembler.primitives_read();
  end_tiles();
  return !stopped();
}

}  // namespace

bool run(const Draw& draw, Workers& workers, KeptBlocks& kept, Counters& counters, const std::atomic<int>& stop,
         std::atomic<uint64_t>* progress) {
  return Run(draw, workers, kept, counters, stop, progress).run();
}

bool run(const Draw& draw, Workers& workers, Counters& counters, const std::atomic<int>& stop, std::atomic<uint64_t>* progress) {
  std::optional<bool> filled;
  if (draw.pixels_alike) filled = fill_rectangle(draw, workers, counters, stop, progress);
  const bool good = filled ? *filled : run(draw, workers, workers.storage().kept, counters, stop, progress);
  if (!draw.stays_open) write_back(workers);
  return good;
}

void write_back(Workers& workers) { workers.storage().kept.write_back(workers); }
void write_back(Workers& workers, std::span<const MemoryRange> ranges) {
  if (std::ranges::any_of(ranges, [&](const MemoryRange& range) { return workers.storage().kept.lies_in(range); }))
    write_back(workers);
}

}  // namespace Atoll::pipeline
