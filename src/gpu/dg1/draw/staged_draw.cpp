#include "gpu/dg1/draw/staged_draw.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "gpu/dg1/draw/domain_stage.h"
#include "gpu/dg1/draw/geometry_stage.h"
#include "gpu/dg1/draw/hull_stage.h"
#include "gpu/dg1/draw/stream_output.h"
#include "gpu/dg1/draw/vue.h"
#include "pipeline/draws/given_primitives.h"
#include "pipeline/front/input_primitives.h"

namespace Atoll::dg1 {

using namespace commands;
using pipeline::Topology;

namespace {

constexpr size_t most_primitives = 1 << 13, most_rows = 1 << 19;  // taken through the stages at once, and of the URB for them
constexpr unsigned vertices_each = 64;                            // that a worker shades at once

class StagedDraw {
public:
  StagedDraw(Context& context, const AttributeMap& attributes, ProvokingOf provoking, pipeline::Draw& draw,
             pipeline::Counters& counters)
      : context_(context),
        workers_(*context.workers),
        provoking_(provoking),
        draw_(draw),
        counters_(counters),
        reader_(find_vue_reader(context.graphics, attributes)) {}

  bool run(VertexSource source);

private:
  bool find(VertexSource source);
  // Through hull, domain and geometry shaders.
  bool run_stages();
  bool run_chunk(std::span<const uint32_t> numbers, uint32_t instance, uint32_t first_primitive);
  bool run_patches(const StagePrimitives& patches);
  bool run_geometry(const StagePrimitives& primitives);
  bool take_domain(const StagePrimitives& primitives);
  // A stop has not been reported yet.
  bool failed() { return context_.lost() ? false : context_.stop ? context_.lose_stopped() : context_.lose("the draw failed"); }
  // The clipper counts what it rejects altogether as well, which OpenGL's query for generated primitives relies on (iris_query.c).
  void count_rejected(unsigned stream, uint64_t primitives) {
    if (draw_.rasterization.discard && output_.rasterizes(stream)) counters_.clipped_primitives_in += primitives;
  }
  void drop_adjacent(std::vector<uint32_t>& numbers) const;
  // Primitives of vertices alone.
  bool run_vertices();
  bool shade_segment(std::span<const uint32_t> numbers, xe_lp::UrbEntries& entries);
  bool shade(const xe_lp::UrbEntries& entries, std::span<const uint32_t> numbers, std::span<const uint32_t> instances);
  bool emit(const Emitted& emitted, unsigned slots, Topology topology, unsigned stream);
  template <class Place>
  bool take_segment(unsigned slots, unsigned stream, const uint8_t* edges, Place place);
  void order_for_output(const pipeline::Assembled& p, bool odd, uint32_t (&corner)[3]) const;

  Context& context_;
  pipeline::Workers& workers_;
  const ProvokingOf provoking_;
  pipeline::Draw& draw_;
  pipeline::Counters& counters_;
  const VueReader reader_;
  bool tessellates_ = false, geometry_stage_ = false, without_adjacency_ = false;
  VertexShading vertices_;
  HullStage hull_;
  DomainStage domain_;
  GeometryStage geometry_;
  StreamOutput output_;
  pipeline::Vertices input_;
  pipeline::Assembly assembly_;  // of the first stage behind the vertex shader
  unsigned corners_ = 0;
  Urb urb_;
  std::vector<uint8_t> edges_;  // of the vertices at hand
  pipeline::Draw list_;         // what the last stage left, in order
  pipeline::Segment segment_;
  std::optional<pipeline::GivenDraw> given_;
};

// The order that primitives of strips come in: the first or the last vertex leads. PRM volume 2a, Reorder Mode of 3DSTATE_GS.
void set_reorder(pipeline::Assembly& assembly, bool trailing) {
  // Fans have their first vertex first.
  const bool last = trailing || assembly.topology == Topology::triangle_fan;
  assembly.provoking = last ? pipeline::ProvokingVertex::last : pipeline::ProvokingVertex::first;
  assembly.odd_adjacency_from_first = !last;
}

bool StagedDraw::find(VertexSource source) {
  const GraphicsState& s = context_.graphics;
  tessellates_ = s.get<_3DSTATE_HS::Enable>() || s.get<_3DSTATE_DS::Enable>();
  geometry_stage_ = s.get<_3DSTATE_GS::Enable>();
  input_ = draw_.vertices, assembly_ = draw_.assembly;
  if (tessellates_ && !(s.get<_3DSTATE_HS::Enable>() && s.get<_3DSTATE_TE::TE_Enable>() && s.get<_3DSTATE_DS::Enable>()))
    return context_.lose("3DSTATE_HS.Enable, 3DSTATE_TE.TE Enable and 3DSTATE_DS.Enable: one is set without the others");
  if (tessellates_ != (assembly_.topology == Topology::patches))
    return context_.lose("3DSTATE_VF_TOPOLOGY: patches without a tessellator, or a tessellator without patches");
  const unsigned workers = workers_.count();
  if (!vertices_.find(context_, std::move(source), workers)) return false;
  output_.find(context_);
  if (!tessellates_ && !geometry_stage_) return true;
  corners_ = pipeline::input_vertices(assembly_);
  if (!corners_) return context_.lose("3DSTATE_VF_TOPOLOGY: quads, polygons and rectangles do not go to geometry shaders");
  if (tessellates_ && (!hull_.find(context_, corners_, workers) || !domain_.find(context_, workers))) return false;
  if (geometry_stage_) {
    without_adjacency_ = s.get<_3DSTATE_GS::Discard_Adjacency>() && (corners_ == 4 || corners_ == 6) && !tessellates_;
    if (without_adjacency_) corners_ /= 2;
    const unsigned corners = !tessellates_                            ? corners_
                             : domain_.topology() == Topology::points ? 1
                             : domain_.topology() == Topology::lines  ? 2
                                                                      : 3;
    if (!geometry_.find(context_, corners, workers)) return false;
    set_reorder(assembly_, s.get<_3DSTATE_GS::Reorder_Mode>() == _3DSTATE_GS::Reorder_Mode::TRAILING);
  }
  return true;
}

// Entry n of `entries` becomes that of number n.
bool StagedDraw::shade(const xe_lp::UrbEntries& entries, std::span<const uint32_t> numbers, std::span<const uint32_t> instances) {
  const auto count = unsigned(numbers.size());
  edges_.resize(count);
  counters_.vertex_invocations += count;
  std::atomic<bool> fine{true};
  workers_.share((count + vertices_each - 1) / vertices_each, [&](unsigned worker, unsigned part) {
    if (!fine.load(std::memory_order_relaxed)) return;
    const unsigned first = part * vertices_each, here = std::min(vertices_each, count - first);
    if (!vertices_.shade(worker, numbers.subspan(first, here), instances.subspan(first, here), urb_, entries, first,
                         &edges_[first]))
      fine = false;
  });
  return fine && !context_.lost();
}

// As it goes to stream output: an odd triangle of a strip begins with the first of its vertices, or with the second.
void StagedDraw::order_for_output(const pipeline::Assembled& p, bool odd, uint32_t (&corner)[3]) const {
  std::copy_n(p.slot, 3, corner);
  const bool first = list_.assembly.provoking == pipeline::ProvokingVertex::first;
  switch (list_.assembly.topology) {
    case Topology::triangle_fan:
      if (first) std::rotate(corner, corner + 2, corner + 3);
      break;
    case Topology::triangle_strip:
    case Topology::triangle_strip_adjacency:
      if (!odd || first != output_.trailing()) break;
      std::rotate(corner, corner + (first ? 2 : 1), corner + 3);
      break;
    default: break;
  }
}

// `place(n)`: where the segment's vertex n stands in the URB, in slots. `edges`: of each, or null.
template <class Place>
bool StagedDraw::take_segment(unsigned slots, unsigned stream, const uint8_t* edges, Place place) {
  const pipeline::Segment& segment = segment_;
  const size_t count = segment.number.size();
  std::vector<const uint32_t*> vues(count);
  for (size_t n = 0; n < count; n++) vues[n] = reinterpret_cast<const uint32_t*>(urb_.data()) + size_t(place(n)) * 4;
  if (output_.enabled()) {
    for (const pipeline::Assembled& p : segment.primitives) {
      const unsigned corners = p.kind == pipeline::PrimitiveKind::point ? 1 : p.kind == pipeline::PrimitiveKind::line ? 2 : 3;
      // Numbers of a list's vertices rise.
      const auto [least, most] =
          std::minmax({segment.number[p.slot[0]], segment.number[p.slot[1]], segment.number[p.slot[corners - 1]]});
      uint32_t corner[3];
      order_for_output(p, corners == 3 && segment.number[p.slot[1]] != most - (most - least) / 2, corner);
      const uint32_t* vertex[3];
      for (unsigned c = 0; c < corners; c++) vertex[c] = vues[corner[c]];
      if (!output_.write(stream, {vertex, corners}, slots)) return false;
    }
  }
  if (!output_.rasterizes(stream) || draw_.rasterization.discard) return true;
  const pipeline::GivenVertices given = given_->vertices(count);
  for (size_t n = 0; n < count; n++) {
    reader_.read(vues[n], slots, given.vertices[n], given.attributes + n * reader_.attributes * 4);
    if (edges) given.vertices[n].edge = edges[n];
  }
  return given_->add(segment.primitives);
}

bool StagedDraw::emit(const Emitted& emitted, unsigned slots, Topology topology, unsigned stream) {
  if (emitted.order.empty()) return true;
  using Output = _3DSTATE_GS::Output_Topology;
  list_.assembly = {
      .topology = topology, .provoking = provoking_(context_.graphics, topology), .restart = true, .restart_index = strip_end};
  list_.assembly.strips_begin_odd =
      geometry_stage_ && context_.graphics.get<Output>() == Output::TRISTRIP_REVERSE && topology == Topology::triangle_strip;
  list_.vertices = {.count = uint32_t(emitted.order.size()),
                    .indices = reinterpret_cast<const uint8_t*>(emitted.order.data()),
                    .index_bytes = 4,
                    .index_limit = emitted.order.size()};
  pipeline::Assembler assembler(list_, given_->cache());
  while (assembler.next(segment_)) {
    if (geometry_stage_) counters_.geometry_primitives += segment_.primitives.size();
    count_rejected(stream, segment_.primitives.size());
    for (pipeline::Assembled& p : segment_.primitives) p.number = emitted.identifier[segment_.number[p.provoking]];
    if (!take_segment(slots, stream, nullptr, [&](size_t n) { return emitted.place[segment_.number[n]]; })) return false;
  }
  return !context_.lost();
}

bool StagedDraw::run_geometry(const StagePrimitives& primitives) {
  return geometry_.run(urb_, primitives, workers_, [&](GeometryStage::Streams& streams) {
    for (unsigned stream = 0; stream < streams.size(); stream++) {
      if (!emit(streams[stream], geometry_.vertex_slots(), geometry_.topology(), stream)) return false;
    }
    return true;
  });
}

bool StagedDraw::take_domain(const StagePrimitives& primitives) {
  if (geometry_stage_) return run_geometry(primitives);
  Emitted emitted;
  const xe_lp::UrbEntries& entries = primitives.vertices;
  for (uint32_t handle = entries.first; handle < entries.end; handle += entries.size) emitted.place.push_back(handle * 4);
  emitted.order = primitives.corner;
  emitted.identifier.resize(emitted.place.size());
  for (size_t n = 0; n < primitives.corner.size(); n++)
    emitted.identifier[primitives.corner[n]] = primitives.identifier[n / primitives.corners];
  return emit(emitted, entries.size * 4, domain_.topology(), 0);
}

bool StagedDraw::run_patches(const StagePrimitives& patches) {
  const auto count = uint32_t(patches.count());
  const xe_lp::UrbEntries outputs = urb_.add(count, hull_.entry_rows());
  counters_.hull_invocations += count;
  return hull_.run(urb_, patches, outputs, workers_) &&
         domain_.run(urb_, outputs, patches.identifier, workers_, [&](const StagePrimitives& p) { return take_domain(p); });
}

bool StagedDraw::run_chunk(std::span<const uint32_t> numbers, uint32_t instance, uint32_t first_primitive) {
  std::unordered_map<uint32_t, uint32_t> place;
  std::vector<uint32_t> distinct;
  StagePrimitives primitives;
  primitives.corners = corners_;
  for (uint32_t number : numbers) {
    const auto [at, is_new] = place.try_emplace(number, uint32_t(distinct.size()));
    if (is_new) distinct.push_back(number);
    primitives.corner.push_back(at->second);
  }
  for (uint32_t p = 0; p < numbers.size() / corners_; p++) primitives.identifier.push_back(first_primitive + p);
  urb_.clear();
  primitives.vertices = urb_.add(uint32_t(distinct.size()), vertices_.entry_rows());
  const std::vector<uint32_t> instances(distinct.size(), instance);
  if (!shade(primitives.vertices, distinct, instances)) return false;
  return tessellates_ ? run_patches(primitives) : run_geometry(primitives);
}

// A line with adjacency keeps its middle vertices, a triangle those at even positions (3DSTATE_GS, Discard Adjacency).
void StagedDraw::drop_adjacent(std::vector<uint32_t>& numbers) const {
  size_t to = 0;
  const bool line = corners_ == 2;
  for (size_t n = 0; n < numbers.size(); n++)
    if (line ? n % 4 == 1 || n % 4 == 2 : n % 2 == 0) numbers[to++] = numbers[n];
  numbers.resize(to);
}

bool StagedDraw::run_stages() {
  std::vector<uint32_t> numbers;
  const size_t rows = size_t(corners_) * vertices_.entry_rows() + (tessellates_ ? hull_.entry_rows() : 0);
  const size_t most = std::clamp<size_t>(most_rows / rows, 1, most_primitives);
  for (uint32_t n = 0; n < input_.instances; n++) {
    pipeline::InputPrimitives input(input_, assembly_);
    uint32_t primitive = assembly_.first_primitive;
    while (input.next(most, numbers)) {
      if (context_.stop.load(std::memory_order_relaxed)) return context_.lose_stopped();
      context_.progress.fetch_add(1, std::memory_order_relaxed);
      if (without_adjacency_) drop_adjacent(numbers);
      if (!numbers.empty() && !run_chunk(numbers, input_.first_instance + n, primitive)) return false;
      primitive += uint32_t(numbers.size() / corners_);
    }
    counters_.vertices += input.vertices_read(), counters_.primitives += primitive - assembly_.first_primitive;
  }
  counters_.domain_invocations += domain_.invocations(), counters_.geometry_invocations += geometry_.invocations();
  return true;
}

// Large entries are shaded a part of the vertices at a time; of each the rows stay that anybody may look at afterwards: slots that SBE
// reads (of a 6-bit offset in pairs, 32 of them), or that stream output's declarations name (6 bits behind a 1-bit offset).
bool StagedDraw::shade_segment(std::span<const uint32_t> numbers, xe_lp::UrbEntries& entries) {
  constexpr uint32_t most_read_rows = 40;
  const auto count = uint32_t(numbers.size());
  const uint32_t rows = vertices_.entry_rows(), kept = std::min(rows, most_read_rows);
  urb_.clear();
  entries = urb_.add(count, kept);
  if (kept == rows) return shade(entries, numbers, segment_.instance);
  const uint32_t end = urb_.rows(), most = std::max(vertices_each, uint32_t(most_rows / rows));
  std::vector<uint8_t> edges;
  for (uint32_t first = 0; first < count; first += most) {
    const uint32_t here = std::min(most, count - first);
    const xe_lp::UrbEntries part = urb_.add(here, rows);
    if (!shade(part, numbers.subspan(first, here), std::span(segment_.instance).subspan(first, here))) return false;
    for (uint32_t n = 0; n < here; n++)
      std::memcpy(urb_.entry(entries, first + n), urb_.entry(part, n), size_t(kept) * xe_lp::urb_row_bytes);
    edges.insert(edges.end(), edges_.begin(), edges_.end());
    urb_.cut(end);
  }
  edges_ = std::move(edges);
  return true;
}

// The list's vertices are places in the draw's own order, each shaded by itself.
bool StagedDraw::run_vertices() {
  std::vector<uint32_t> order;
  list_.assembly = draw_.assembly;
  list_.vertices = input_;
  if (input_.index_bytes) {
    const bool restarts = draw_.assembly.restart;
    for (uint32_t n = 0; n < input_.count; n++)
      order.push_back(restarts && pipeline::raw_index(input_, n) == draw_.assembly.restart_index ? strip_end : n);
    list_.vertices.indices = reinterpret_cast<const uint8_t*>(order.data());
    list_.vertices.index_bytes = 4, list_.vertices.index_limit = order.size(), list_.vertices.index_swap = 0;
    list_.assembly.restart_index = strip_end;
  }
  list_.vertices.base_vertex = 0;
  std::vector<uint32_t> numbers;
  pipeline::Assembler assembler(list_, given_->cache());
  while (assembler.next(segment_)) {
    if (context_.stop.load(std::memory_order_relaxed)) return context_.lose_stopped();
    context_.progress.fetch_add(1, std::memory_order_relaxed);
    numbers.clear();
    for (uint32_t place : segment_.number) numbers.push_back(pipeline::vertex_number(input_, pipeline::raw_index(input_, place)));
    xe_lp::UrbEntries entries;
    if (!shade_segment(numbers, entries)) return false;
    auto place = [&](size_t n) { return (entries.first + uint32_t(n) * entries.size) * 4; };
    if (!take_segment(entries.size * 4, 0, edges_.data(), place)) return false;
  }
  counters_.vertices += assembler.vertices_read(), counters_.primitives += assembler.primitives_read();
  count_rejected(0, assembler.primitives_read());
  return true;
}

bool StagedDraw::run(VertexSource source) {
  if (!find(std::move(source))) return false;
  if (!input_.count || !input_.instances) return output_.end();
  draw_.given_attributes = reader_.attributes;
  const bool alone = !tessellates_ && !geometry_stage_;
  if (!alone) {
    draw_.assembly.topology = geometry_stage_ ? geometry_.topology() : domain_.topology();
    draw_.assembly.provoking = provoking_(context_.graphics, draw_.assembly.topology);
  }
  list_ = draw_;
  // A draw that writes memory comes behind the draws before.
  if (output_.enabled() && !pipeline::write_back(workers_)) return context_.lose("a draw before this one failed");
  given_.emplace(draw_, workers_, context_.stop, &context_.progress);
  if (!(alone ? run_vertices() : run_stages())) {
    given_.reset();
    return failed();
  }
  const bool good = given_->end(counters_);
  given_.reset();
  if (!good) return failed();
  return output_.end();
}

}  // namespace

bool is_staged(const GraphicsState& s) {
  return s.get<_3DSTATE_HS::Enable>() || s.get<_3DSTATE_DS::Enable>() || s.get<_3DSTATE_GS::Enable>() ||
         s.get<_3DSTATE_STREAMOUT::SO_Function_Enable>() || s.get<_3DSTATE_STREAMOUT::Rendering_Disable>();
}

bool run_staged_draw(Context& context, VertexSource source, const AttributeMap& attributes, ProvokingOf provoking,
                     pipeline::Draw& draw, pipeline::Counters& counters) {
  return StagedDraw(context, attributes, provoking, draw, counters).run(std::move(source));
}

}  // namespace Atoll::dg1
