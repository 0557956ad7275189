#include "gpu/sea_islands/draw/staged_draw.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpu/sea_islands/draw/geometry_stage.h"
#include "gpu/sea_islands/draw/stream_out.h"
#include "gpu/sea_islands/draw/tessellation_stage.h"
#include "gpu/sea_islands/state/field_lists.h"
#include "pipeline/draws/given_primitives.h"
#include "pipeline/front/input_primitives.h"

namespace Atoll::sea_islands {
namespace {

constexpr size_t max_primitives = 1 << 16;  // taken through the stages at once

// Streams that are rasterized, a bit each.
uint32_t rasterized_streams(const RegisterFile& r) {
  using Config = VGT_STRMOUT_CONFIG;
  const auto config = r.read<Config>();
  return Config::USE_RAST_STREAM_MASK::get(config) ? Config::RAST_STREAM_MASK::get(config)
                                                   : 1u << Config::RAST_STREAM::get(config);
}

pipeline::Topology output_topology(const RegisterFile& r, unsigned stream) {
  using Type = VGT_GS_OUT_PRIM_TYPE;
  const auto value = r.read<Type>();
  switch (OutputTypes::get(value, Type::UNIQUE_TYPE_PER_STREAM::get(value) ? stream : 0)) {
    case Type::OUTPRIM_TYPE::POINTLIST: return pipeline::Topology::points;
    case Type::OUTPRIM_TYPE::LINESTRIP: return pipeline::Topology::line_strip;
    default: return pipeline::Topology::triangle_strip;
  }
}

class StagedDraw {
public:
  StagedDraw(DrawContext& context, const StageSelection& stages, pipeline::Draw& draw, VertexStage& vertex_stage)
      : context_(context), stages_(stages), draw_(draw), vertex_stage_(vertex_stage) {}

  bool run(std::unique_ptr<pipeline::WaitingDraw> deferred);
  const pipeline::Counters& counters() const { return counters_; }

private:
  bool run_stages();
  pipeline::Topology rasterized_topology() const;
  bool run_primitives(std::span<const uint32_t> numbers, uint32_t instance, uint32_t first_primitive);
  bool run_patches(std::span<const uint32_t> numbers, uint32_t instance, uint32_t first_patch);
  bool take(const StagePrimitives& primitives);
  bool take_emitted(const GeometryStage::Emitted& emitted);
  bool draw_list(std::span<const uint32_t> indices, pipeline::Topology topology, unsigned stream, bool rasterized);

  DrawContext& context_;
  const StageSelection stages_;
  pipeline::Draw& draw_;
  VertexStage& vertex_stage_;
  TessellationStage tessellation_;
  GeometryStage geometry_;
  pipeline::Vertices input_;  // of the first stage
  pipeline::Assembly input_assembly_;
  pipeline::Draw list_;                   // what the last stage left, as lists of its vertices
  pipeline::Segment segment_;             // of it
  pipeline::GivenDraw* given_ = nullptr;  // where they go
  unsigned corners_ = 0;
  pipeline::Counters counters_;
};

bool StagedDraw::draw_list(std::span<const uint32_t> indices, pipeline::Topology topology, unsigned stream, bool rasterized) {
  if (indices.empty()) return true;
  list_.assembly.topology = topology;
  list_.vertices = {.count = uint32_t(indices.size()),
                    .indices = reinterpret_cast<const uint8_t*>(indices.data()),
                    .index_bytes = 4,
                    .index_limit = indices.size()};
  if (!stream_out(context_, vertex_stage_, list_, stream)) return false;
  if (!rasterized) return true;
  pipeline::Assembler assembler(list_, given_->cache());
  while (assembler.next(segment_))
    if (!given_->add(segment_)) return false;
  return !context_.lost();
}

bool StagedDraw::take_emitted(const GeometryStage::Emitted& emitted) {
  const RegisterFile& r = context_.registers;
  const uint32_t rasterized = rasterized_streams(r);
  for (unsigned stream = 0; stream < emitted.size(); stream++) {
    pipeline::Topology topology = output_topology(r, stream);
    counters_.geometry_primitives += primitives_in(emitted[stream], topology);
    if (!draw_list(emitted[stream], topology, stream, rasterized >> stream & 1)) return false;
  }
  return true;
}

bool StagedDraw::take(const StagePrimitives& primitives) {
  return geometry_.run(primitives, [&](const GeometryStage::Emitted& emitted) { return take_emitted(emitted); });
}

bool StagedDraw::run_patches(std::span<const uint32_t> numbers, uint32_t instance, uint32_t first_patch) {
  const size_t count = numbers.size() / corners_, most = tessellation_.max_patches();
  std::vector<TessellatedGroup> groups;
  for (size_t first = 0; first < count; first += most) {
    if (context_.stop.load(std::memory_order_relaxed)) return context_.lose_stopped();
    size_t here = std::min(most, count - first);
    counters_.vertex_invocations += here * corners_, counters_.hull_invocations += here;
    if (!tessellation_.run(numbers.subspan(first * corners_, here * corners_), instance, first_patch + uint32_t(first), groups))
      return false;
    for (const TessellatedGroup& group : groups) {
      counters_.domain_invocations += group.points.u.size();
      if (stages_.geometry) {
        if (!take(group.primitives)) return false;
      } else {
        vertex_stage_.set_domain(group.points);
        if (!draw_list(group.primitives.corner, tessellation_.topology(), 0, true)) return false;
      }
    }
  }
  return true;
}

bool StagedDraw::run_primitives(std::span<const uint32_t> numbers, uint32_t instance, uint32_t first_primitive) {
  std::unordered_map<uint32_t, uint32_t> place;
  StagePrimitives primitives;
  primitives.corners = corners_;
  for (uint32_t number : numbers) {
    auto [at, is_new] = place.try_emplace(number, uint32_t(primitives.number.size()));
    if (is_new) primitives.number.push_back(number), primitives.instance.push_back(instance);
    primitives.corner.push_back(at->second);
  }
  for (size_t p = 0; p < numbers.size() / corners_; p++) primitives.identifier.push_back(first_primitive + uint32_t(p));
  counters_.vertex_invocations += primitives.number.size();
  return take(primitives);
}

// The topology that is rasterized if there is a single one; else patches.
pipeline::Topology StagedDraw::rasterized_topology() const {
  if (!stages_.geometry) return tessellation_.topology();
  std::optional<pipeline::Topology> all;
  const uint32_t rasterized = rasterized_streams(context_.registers);
  for (unsigned stream = 0; stream < 4; stream++) {
    if (!(rasterized >> stream & 1)) continue;
    const pipeline::Topology topology = output_topology(context_.registers, stream);
    if (all.value_or(topology) != topology) return pipeline::Topology::patches;
    all = topology;
  }
  return all.value_or(pipeline::Topology::patches);
}

bool StagedDraw::run_stages() {
  std::vector<uint32_t> numbers;
  bool fine = true;
  uint32_t primitive = input_assembly_.first_primitive;
  for (uint32_t n = 0; fine && n < input_.instances; n++) {
    if (context_.stop.load(std::memory_order_relaxed)) return context_.lose_stopped();
    pipeline::InputPrimitives input(input_, input_assembly_);
    const uint32_t instance = input_.first_instance + n;
    if (!input_assembly_.primitives_go_on) primitive = input_assembly_.first_primitive;
    uint64_t primitives = 0;
    while (fine && input.next(max_primitives, numbers)) {
      if (context_.stop.load(std::memory_order_relaxed)) return context_.lose_stopped();
      context_.progress.fetch_add(1, std::memory_order_relaxed);
      fine = stages_.tessellation ? run_patches(numbers, instance, primitive) : run_primitives(numbers, instance, primitive);
      primitive += uint32_t(numbers.size() / corners_), primitives += numbers.size() / corners_;
    }
    counters_.vertices += input.vertices_read(), counters_.primitives += primitives;
  }
  counters_.geometry_invocations += geometry_.invocations();
  return fine;
}

bool StagedDraw::run(std::unique_ptr<pipeline::WaitingDraw> deferred) {
  if (stages_.tessellation) {
    if (!tessellation_.prepare(context_, stages_)) return false;
    draw_.assembly.patch_vertices = tessellation_.patch_vertices();
  }
  corners_ = pipeline::input_vertices(draw_.assembly);
  if (!corners_ || stages_.tessellation != (draw_.assembly.topology == pipeline::Topology::patches)) {
    context_.unknown("geometry stages on primitives that they cannot take");
    return true;
  }
  if (stages_.geometry) {
    if (!geometry_.prepare(context_, stages_)) return false;
    vertex_stage_.set_lds(geometry_.lds());
  }
  if (!draw_.vertices.count) return true;  // however many instances of nothing there are
  input_ = draw_.vertices, input_assembly_ = draw_.assembly;
  draw_.assembly.topology = rasterized_topology();
  list_ = draw_;
  list_.assembly.restart = true, list_.assembly.restart_index = strip_end;
  list_.assembly.first_primitive = 0;
  pipeline::Workers& workers = *context_.workers;
  auto given = deferred ? std::make_unique<pipeline::GivenDraw>(std::move(deferred), workers, context_.stop, &context_.progress)
                        : std::make_unique<pipeline::GivenDraw>(draw_, workers, context_.stop, &context_.progress);
  given_ = given.get();
  return run_stages() && given->end(counters_);
}

}  // namespace

bool run_staged_draw(DrawContext& context, const StageSelection& stages, pipeline::Draw& draw, VertexStage& vertex_stage,
                     std::unique_ptr<pipeline::WaitingDraw> deferred) {
  StagedDraw staged(context, stages, draw, vertex_stage);
  const bool good = staged.run(std::move(deferred));
  context.add(staged.counters(), context.counts);
  return good;
}

}  // namespace Atoll::sea_islands
