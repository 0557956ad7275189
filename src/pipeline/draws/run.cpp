// A draw from its vertices to the lists of tiles, with its pixels at once or deferred: run() and write_back() of draw.h.

#include <algorithm>
#include <optional>
#include <utility>

#include "pipeline/draw.h"
#include "pipeline/draws/fill.h"
#include "pipeline/draws/storage.h"
#include "pipeline/front/setup.h"
#include "pipeline/workers.h"

namespace Atoll::pipeline {

Workers::Workers(unsigned count, bool at_once)
    : WorkerPool(count, at_once), storage_(std::make_unique<Storage>(WorkerPool::count())) {}
Workers::~Workers() { abandon(); }  // what it works on goes before the threads do

namespace {

constexpr unsigned primitives_in_part = 256;
// Places in tiles' lists that are made at once: large primitives on a large target would fill the host's memory.
constexpr size_t max_bins = 4 << 20;

// A draw from its vertices to the tiles' lists.
class Front {
public:
  // `state`: the draw's, if it is one that waits (WaitingDraw::state).
  Front(SceneDraw& draw, Scene& scene, KeptBlocks& kept, Workers& workers, uint64_t state = 0)
      : d_(draw),
        draw_(*draw.draw),
        scene_(scene),
        kept_(kept),
        workers_(workers),
        storage_(workers.storage()),
        state_(state),
        guards_(storage_.findings.guards),
        rasterizes_(storage_.findings.rasterizes) {}

  // False: a stage failed, or that of a draw before, or the draw was stopped.
  bool run();

private:
  bool stopped() const { return failed_.load(std::memory_order_relaxed) || d_.stopped(); }
  // A line goes on from the one before it, in whichever part that was.
  bool lines_in_order() const {
    return draw_.rasterization.line_stipple || draw_.rasterization.line_coordinate || draw_.rasterization.measure_lines;
  }
  void find_constants();
  void shade_vertices();
  size_t set_up_primitives(size_t first);
  size_t set_up_some(size_t first, unsigned in_part, unsigned max_parts, size_t& bins);

  SceneDraw& d_;
  const Draw& draw_;
  Scene& scene_;
  KeptBlocks& kept_;
  Workers& workers_;
  Storage& storage_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> one_layer_{true};  // all vertices of the segment have layer and viewport 0
  const uint64_t state_;
  const std::array<GuardBand, 16>& guards_;  // of the draw's findings
  float* attributes_ = nullptr;              // of the segment
  const bool& rasterizes_;                   // likewise
  LineProgress lines_;
};

void Front::shade_vertices() {
  Segment& segment = storage_.segment;
  size_t count = segment.number.size();
  unsigned batch = std::clamp(draw_.vertex_stage->batch_size(), 1u, Segment::max_vertices);
  unsigned floats = d_.constants.attribute_floats;
  if (storage_.vertices.size() < count) storage_.vertices.resize(count), storage_.screen.resize(count);
  attributes_ = scene_.begin_segment((count + batch) * floats);
  unsigned batches = unsigned((count + batch - 1) / batch);
  one_layer_ = true;
  workers_.share(batches, [&](unsigned worker, unsigned part) {
    if (stopped()) return;
    size_t first = size_t(part) * batch, here = std::min<size_t>(batch, count - first);
    Vertex* vertices = storage_.vertices.data() + first;
    std::fill_n(vertices, here, Vertex{});
    VertexBatch numbers{{segment.number.data() + first, here}, {segment.instance.data() + first, here}};
    if (!segment.primitive.empty()) numbers.primitive = {segment.primitive.data() + first, here};
    if (!draw_.vertex_stage->shade(worker, numbers, vertices, attributes_ + first * floats)) {
      failed_ = true;
      return;
    }
    if (!rasterizes_) return;
    const std::span shaded(vertices, here);
    const bool one_layer = std::ranges::all_of(shaded, [](const Vertex& v) { return !(v.viewport | v.layer); });
    to_screen(d_.constants, guards_, shaded, storage_.screen.data() + first);
    if (!one_layer) one_layer_ = false;
  });
  d_.counters.vertex_invocations += count;
}

// Sets up the segment's primitives from number `first` on, as long as there is room for their places; gives the number of the
// first that is left.
size_t Front::set_up_primitives(size_t first) {
  const Segment& segment = storage_.segment;
  const bool in_order = lines_in_order();
  size_t count = segment.primitives.size();
  size_t tiles = std::max<size_t>(1, size_t(d_.constants.tiles_x) * d_.constants.tiles_y);
  unsigned in_part = in_order ? unsigned(std::clamp<size_t>(max_bins / tiles, 1, Segment::max_primitives)) : primitives_in_part;
  unsigned at_once = in_order ? 1 : unsigned(std::clamp<size_t>(max_bins / (tiles * in_part), 1, Segment::max_primitives));
  for (size_t bins = 0; first < count && bins < max_bins && !stopped();) {
    first = set_up_some(first, in_part, at_once, bins);
    if (in_order) break;  // the next part goes on where this one ends
  }
  return first;
}

// Up to `max_parts` parts more.
size_t Front::set_up_some(size_t first, unsigned in_part, unsigned max_parts, size_t& bins) {
  const Segment& segment = storage_.segment;
  size_t count = segment.primitives.size(), left = (count - first + in_part - 1) / in_part;
  const unsigned parts = unsigned(std::min<size_t>(left, max_parts));
  const size_t before = scene_.add_parts(parts);
  SetupInput input{d_.constants, storage_.vertices.data(), attributes_, storage_.screen.data(), guards_};
  if (lines_in_order()) scene_.part(before).lines = lines_;
  workers_.share(parts, [&](unsigned, unsigned number) {
    SetupPart& part = scene_.part(before + number);
    part.clear();
    if (draw_.rasterization.measure_lines) part.line_length = d_.counters.line_length;
    if (stopped()) return;
    size_t begin = first + size_t(number) * in_part, end = std::min(begin + in_part, count);
    set_up(input, std::span(segment.primitives).subspan(begin, end - begin), one_layer_, part);
  });
  for (size_t n = before; n < before + parts; n++) {
    const SetupPart& part = scene_.part(n);
    d_.counters.clipped_primitives_in += part.in;
    d_.counters.clipped_primitives_out += part.out;
    bins += part.bins.size();
    if (draw_.rasterization.measure_lines) d_.counters.line_length = part.line_length;
  }
  if (lines_in_order()) lines_ = scene_.part(before).lines;
  return std::min(first + size_t(parts) * in_part, count);
}

// What follows from the draw's state. Draws of the state of the one before take what that found.
void Front::find_constants() {
  DrawFindings& found = storage_.findings;
  const bool has_twice = scene_.has_twice();
  if (!state_ || found.state != state_ || found.has_twice != has_twice || !found.outputs.direct.settled) {
    found.state = state_, found.has_twice = has_twice;
    found.rasterizes = make_constants(draw_, found.constants) && !draw_.rasterization.discard;
    found.outputs = {};
    if (found.rasterizes) {
      if (const auto& others = draw_.rasterization.other_pixels) {
        d_.by_pixel = std::make_unique<std::array<DrawConstants, 4>>(constants_by_pixel(*others, found.constants));
        found.state = 0;
      }
      found.outputs = outputs_of(found.constants, has_twice);
    }
    for (unsigned n = 0; n < found.guards.size(); n++)  // (most of them are alike)
      found.guards[n] = n && draw_.viewports[n] == draw_.viewports[n - 1] ? found.guards[n - 1]
                                                                          : guard_band(found.constants, draw_.viewports[n]);
  }
  d_.constants = found.constants;
  d_.constants.draw = &draw_;
  d_.outputs = found.outputs;
}

bool Front::run() {
  if (!draw_.vertex_stage) return true;
  find_constants();
  if (rasterizes_ && !scene_.bind_targets(d_, kept_, workers_)) return false;
  const Rasterization& raster = draw_.rasterization;
  lines_ = {.pattern = raster.line_stipple_start, .coordinate = raster.line_coordinate ? raster.line_coordinate->start : 0};
  Assembler assembler(draw_, storage_.cache);
  while (!stopped() && assembler.next(storage_.segment)) {
    d_.advance();
    shade_vertices();
    for (size_t at = 0; rasterizes_ && at < storage_.segment.primitives.size() && !stopped();) {
      const size_t first = scene_.parts();
      at = set_up_primitives(at);
      if (stopped()) break;
      if (!scene_.sort_into_tiles(d_, first, kept_, workers_)) failed_ = true;
      if (scene_.is_full() && !scene_.flush(kept_, workers_, false)) failed_ = true;
    }
    scene_.end_segment();
  }
  if (draw_.lines_end) *draw_.lines_end = lines_;
  d_.counters.vertices += assembler.vertices_read();
  d_.counters.primitives += assembler.primitives_read();
  return !stopped();
}

// Fills instead of drawing, where that comes to the same.
std::optional<bool> filled(const Draw& draw, Workers& workers, Counters& counters, const std::atomic<int>& stop,
                           std::atomic<uint64_t>* progress) {
  return draw.pixels_alike ? fill_rectangle(draw, workers, counters, stop, progress) : std::nullopt;
}

bool run_at_once(const Draw& draw, Workers& workers, Scene& scene, KeptBlocks& kept, Counters& counters,
                 const std::atomic<int>& stop, std::atomic<uint64_t>* progress) {
  SceneDraw& d = scene.begin(draw, stop, progress);
  bool good = Front(d, scene, kept, workers).run();
  good = scene.flush(kept, workers, false) && good && !d.stopped();
  scene.drop(d);
  counters += d.counters;
  return good;
}

}  // namespace

bool run(const Draw& draw, Workers& workers, KeptBlocks& kept, Counters& counters, const std::atomic<int>& stop,
         std::atomic<uint64_t>* progress) {
  return run_at_once(draw, workers, workers.storage().at_once, kept, counters, stop, progress);
}

bool run(const Draw& draw, Workers& workers, Counters& counters, const std::atomic<int>& stop, std::atomic<uint64_t>* progress) {
  Storage& storage = workers.storage();
  if (!draw_waiting(workers)) return false;
  const std::optional<bool> fill = filled(draw, workers, counters, stop, progress);
  const bool good = fill ? *fill : run_at_once(draw, workers, storage.scene, storage.kept, counters, stop, progress);
  if (!draw.stays_open) write_back(workers);
  return good;
}

bool run(std::unique_ptr<WaitingDraw> waiting, Workers& workers, const std::atomic<int>& stop, std::atomic<uint64_t>* progress) {
  Storage& storage = workers.storage();
  Scene& scene = storage.scene;
  const Draw& draw = waiting->draw;
  Counters counters;
  if (const std::optional<bool> fill = filled(draw, workers, counters, stop, progress)) {
    const bool good = draw_waiting(workers) && *fill;
    waiting->finished(counters, good);
    return good;
  }
  SceneDraw& d = scene.begin(draw, stop, progress);
  const bool good = Front(d, scene, storage.kept, workers, waiting->state).run();
  if (good) return scene.end(d, std::move(waiting), storage.kept, workers);
  // Those before it, and what of it has come into tiles, which may be where it failed.
  scene.flush(storage.kept, workers, false);
  scene.drop(d);
  waiting->finished(d.counters, false);
  return false;
}

bool write_back(Workers& workers) { return workers.storage().scene.flush(workers.storage().kept, workers, true); }
bool write_back(Workers& workers, std::span<const MemoryRange> ranges) {
  return std::ranges::none_of(ranges, [&](const MemoryRange& range) { return workers.storage().kept.lies_in(range); }) ||
         write_back(workers);
}
bool draw_waiting(Workers& workers) { return workers.storage().scene.flush(workers.storage().kept, workers, false); }

}  // namespace Atoll::pipeline
