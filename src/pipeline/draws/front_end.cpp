#include "pipeline/draws/front_end.h"

#include <algorithm>
#include <vector>

#include "pipeline/draws/watched_primitives.h"

namespace Atoll::pipeline {
namespace {

constexpr unsigned primitives_in_part = 256;
// Places in tiles' lists that are made at once: large primitives on a large target would fill the host's memory.
constexpr size_t max_bins = 4 << 20;

}  // namespace

void FrontEnd::shade_vertices() {
  const size_t count = storage_.segment.number.size();
  const size_t batch = std::clamp(draw_.vertex_stage->batch_size(), 1u, Segment::max_vertices);
  if (storage_.vertices.size() < count) storage_.vertices.resize(count), storage_.screen.resize(count);
  attributes_ = scene_.begin_segment((count + batch) * d_.constants.attribute_floats);
  one_layer_ = true;
  shade(storage_.segment, batch, storage_.vertices.data(), attributes_,
        [&](std::span<const Vertex> shaded, size_t first) { put_on_screen(shaded, first); });
  d_.counters.vertex_invocations += count;
}

void FrontEnd::put_on_screen(std::span<const Vertex> shaded, size_t first) {
  if (!rasterizes_) return;
  const bool one_layer = std::ranges::all_of(shaded, [](const Vertex& v) { return !(v.viewport | v.layer | v.rate); });
  to_screen(d_.constants, guards_, shaded, storage_.screen.data() + first);
  if (!one_layer) one_layer_ = false;
}

// Sets up the segment's primitives from number `first` on, as long as there is room for their places; gives the number of the
// first that is left.
size_t FrontEnd::set_up_primitives(size_t first) {
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
size_t FrontEnd::set_up_some(size_t first, unsigned in_part, unsigned max_parts, size_t& bins) {
  const Segment& segment = storage_.segment;
  size_t count = segment.primitives.size(), left = (count - first + in_part - 1) / in_part;
  const unsigned parts = unsigned(std::min<size_t>(left, max_parts));
  const size_t before = scene_.add_parts(parts);
  SetupInput input{d_.constants, storage_.vertices.data(), attributes_, storage_.screen.data(), guards_, given_};
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
  if (d_.watch) {
    const size_t end = std::min(first + size_t(parts) * in_part, count);
    watch_primitives(*d_.watch, input, std::span(segment.primitives).subspan(first, end - first));
  }
  return std::min(first + size_t(parts) * in_part, count);
}

// Derives constants from the draw's state. A draw of the same state as the one before takes what that one found.
void FrontEnd::find_constants() {
  DrawFindings& found = storage_.findings;
  const bool has_overlaps = scene_.has_overlaps();
  if (!state_ || found.state != state_ || found.has_overlaps != has_overlaps || !found.outputs.direct.is_final) {
    found.state = state_, found.has_overlaps = has_overlaps;
    found.rasterizes = make_constants(draw_, found.constants) && !draw_.rasterization.discard;
    found.outputs = {};
    if (found.rasterizes) {
      if (const auto& others = draw_.rasterization.other_pixels) {
        d_.by_pixel = std::make_unique<std::array<DrawConstants, 4>>(constants_by_pixel(*others, found.constants));
        found.state = 0;
      }
      found.outputs = outputs_of(found.constants, has_overlaps);
    }
    for (unsigned n = 0; n < found.guards.size(); n++)  // (most of them are alike)
      found.guards[n] = n && draw_.viewports[n] == draw_.viewports[n - 1] ? found.guards[n - 1]
                                                                          : guard_band(found.constants, draw_.viewports[n]);
  }
  d_.constants = found.constants;
  d_.constants.draw = &draw_;
  d_.outputs = found.outputs;
  // (What a stage is given besides the state may kill pixels.)
  if (uint8_t& covers = d_.outputs.overdraw.covers) covers &= draw_.pixel_stage->writes_always();
}

bool FrontEnd::begin() {
  d_.watch = workers_.watched();
  find_constants();
  if (d_.watch) d_.watch->draw.rasterized = rasterizes_;
  // (Where a draw before has failed, nothing is bound, and no group is to come into tiles.)
  if (rasterizes_ && !scene_.bind_targets(d_, cache_, workers_)) return failed_ = true, false;
  const Rasterization& raster = draw_.rasterization;
  lines_ = {.pattern = raster.line_stipple_start, .coordinate = raster.line_coordinate ? raster.line_coordinate->start : 0};
  return true;
}

bool FrontEnd::end() {
  if (draw_.lines_end) *draw_.lines_end = lines_;
  return !stopped();
}

// The segment's primitives.
bool FrontEnd::set_up_and_sort() {
  for (size_t at = 0; rasterizes_ && at < storage_.segment.primitives.size() && !stopped();) {
    const size_t first = scene_.parts();
    at = set_up_primitives(at);
    if (stopped()) break;
    if (!scene_.sort_into_tiles(d_, first, cache_, workers_)) failed_ = true;
    if (scene_.is_full() && !scene_.flush(cache_, workers_, false)) failed_ = true;
  }
  scene_.end_segment();
  return !stopped();
}

bool FrontEnd::run() {
  if (!draw_.vertex_stage) return true;
  if (!begin()) return false;
  Assembler assembler(draw_, storage_.cache);
  while (!stopped() && assembler.next(storage_.segment)) {
    d_.advance();
    shade_vertices();
    set_up_and_sort();
  }
  d_.counters.vertices += assembler.vertices_read();
  d_.counters.primitives += assembler.primitives_read();
  return end();
}

std::span<Vertex> FrontEnd::open_group(size_t vertices, size_t spare) {
  group_ = vertices;
  if (storage_.vertices.size() < vertices) storage_.vertices.resize(vertices), storage_.screen.resize(vertices);
  attributes_ = scene_.begin_segment((vertices + spare) * d_.constants.attribute_floats);
  std::fill_n(storage_.vertices.data(), vertices, Vertex{});
  return {storage_.vertices.data(), vertices};
}

bool FrontEnd::close_group(std::span<const Assembled> primitives, std::span<const PrimitiveValues> values, const float* own,
                           unsigned own_floats) {
  if (stopped()) return scene_.end_segment(), false;
  d_.advance();
  std::vector<Assembled>& list = storage_.segment.primitives;
  list.clear();
  for (size_t n = 0; n < primitives.size(); n++) {
    const Assembled& p = primitives[n];
    if (std::max({p.slot[0], p.slot[1], p.slot[2], p.provoking}) >= group_) continue;
    list.push_back(p);
    list.back().given = uint32_t(n);
  }
  given_ = {values.size() == primitives.size() ? values.data() : nullptr, own, own_floats};
  one_layer_ = !given_.values && !own;
  constexpr size_t at_once = 256;  // vertices
  workers_.share(unsigned((group_ + at_once - 1) / at_once), [&](unsigned, unsigned part) {
    const size_t first = part * at_once;
    put_on_screen({storage_.vertices.data() + first, std::min(at_once, group_ - first)}, first);
  });
  return set_up_and_sort();
}

}  // namespace Atoll::pipeline
