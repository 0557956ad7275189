#include "pipeline/draw.h"

#include <algorithm>

#include "pipeline/setup.h"
#include "pipeline/storage.h"
#include "pipeline/workers.h"

namespace Atoll::pipeline {

namespace {

constexpr unsigned primitives_in_part = 256;
constexpr size_t most_counted_tiles = 1 << 20;

class Run {
public:
  Run(const Draw& draw, Workers& workers, Counters& counters, const std::atomic<int>& stop)
      : draw_(draw), workers_(workers), storage_(workers.storage()), counters_(counters), stop_(stop) {}

  bool run();

private:
  bool stopped() const { return failed_.load(std::memory_order_relaxed) || stop_.load(std::memory_order_relaxed); }
  void shade_vertices();
  void set_up_primitives();
  void sort_into_tiles();
  void sort_many_tiles();
  void draw_tiles();
  void end_tiles();

  const Draw& draw_;
  Workers& workers_;
  Storage& storage_;
  Counters& counters_;
  const std::atomic<int>& stop_;
  std::atomic<bool> failed_{false};
  DrawConstants constants_;
  std::array<GuardBand, 16> guards_;
  bool rasterizes_ = false;
  unsigned parts_ = 0;
};

void Run::shade_vertices() {
  Segment& segment = storage_.segment;
  size_t count = segment.number.size();
  unsigned batch = std::clamp(draw_.vertex_stage->batch_size(), 1u, Segment::most_vertices);
  unsigned floats = constants_.attribute_floats;
  if (storage_.vertices.size() < count) storage_.vertices.resize(count), storage_.screen.resize(count);
  if (storage_.attributes.size() < (count + batch) * floats) storage_.attributes.resize((count + batch) * floats);
  unsigned batches = unsigned((count + batch - 1) / batch);
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
    for (size_t n = 0; n < here; n++) {
      unsigned viewport = std::min(vertices[n].viewport, 15u);
      ScreenVertex& screen = storage_.screen[first + n];
      screen = to_screen(constants_, draw_.viewports[viewport], vertices[n].position);
      screen.outcode |= outcode(constants_, vertices[n], guards_[viewport]);
    }
  });
  counters_.vertex_invocations += count;
}

void Run::set_up_primitives() {
  const Segment& segment = storage_.segment;
  // A stippled line's pattern goes on from the line before it.
  unsigned in_part = draw_.rasterization.line_stipple ? Segment::most_primitives : primitives_in_part;
  parts_ = unsigned((segment.primitives.size() + in_part - 1) / in_part);
  if (storage_.parts.size() < parts_) storage_.parts.resize(parts_);
  SetupInput input{constants_, storage_.vertices.data(), storage_.attributes.data(), storage_.screen.data(), guards_};
  workers_.share(parts_, [&](unsigned, unsigned number) {
    SetupPart& part = storage_.parts[number];
    part.primitives.clear();
    part.bins.clear();
    part.in = part.out = 0;
    if (stopped()) return;
    size_t first = size_t(number) * in_part, last = std::min<size_t>(first + in_part, segment.primitives.size());
    for (size_t n = first; n < last; n++) set_up(input, segment.primitives[n], part);
  });
  for (unsigned n = 0; n < parts_; n++) {
    counters_.clipped_primitives_in += storage_.parts[n].in;
    counters_.clipped_primitives_out += storage_.parts[n].out;
  }
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
  if (tiles > most_counted_tiles) return sort_many_tiles();
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

void Run::draw_tiles() {
  auto& busy = storage_.busy_tiles;
  auto& end = storage_.tile_end;
  unsigned tiles_in_layer = constants_.tiles_x * constants_.tiles_y;
  const LevelEntries& level = level_entries();
  workers_.share(unsigned(std::min<size_t>(busy.size(), Workers::most_parts)), [&](unsigned worker, unsigned first) {
    auto& kept = storage_.tiles[worker];
    if (!kept) kept = std::make_unique<Tile>();
    Tile& tile = *kept;
    if (tile.constants != &constants_) tile.begin_draw(constants_, worker);
    for (size_t n = first; n < busy.size(); n += Workers::most_parts) {
      if (stopped()) return;
      uint32_t number = busy[n], begin = n ? end[n - 1] : 0;
      uint32_t in_layer = number % tiles_in_layer;
      tile.begin_tile(int(in_layer % constants_.tiles_x) * tile_size, int(in_layer / constants_.tiles_x) * tile_size,
                      number / tiles_in_layer);
      // A stop is looked for now and then, so that a tile under many primitives ends soon as well.
      for (uint32_t at = begin; at < end[n] && !stopped(); at += 1024)
        if (!level.draw_tile(tile, storage_.tile_primitives.data() + at, std::min<size_t>(1024, end[n] - at))) failed_ = true;
      tile.end_tile();
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
  for (unsigned n = 0; n < guards_.size(); n++) guards_[n] = guard_band(constants_, draw_.viewports[n]);
  Assembler assembler(draw_, storage_.cache);
  while (!stopped() && assembler.next(storage_.segment)) {
    shade_vertices();
    if (!rasterizes_ || stopped()) continue;
    set_up_primitives();
    if (stopped()) break;
    sort_into_tiles();
    draw_tiles();
  }
  counters_.vertices += assembler.vertices_read();
  counters_.primitives += assembler.primitives_read();
  end_tiles();
  return !stopped();
}

}  // namespace

bool run(const Draw& draw, Workers& workers, Counters& counters, const std::atomic<int>& stop) {
  return Run(draw, workers, counters, stop).run();
}

}  // namespace Atoll::pipeline
