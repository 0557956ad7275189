#include "gpu/dg1/draw/draw.h"

#include <memory>
#include <string>

#include "gpu/dg1/draw/attributes.h"
#include "gpu/dg1/draw/draw_state.h"
#include "gpu/dg1/draw/fills.h"
#include "gpu/dg1/draw/pixel_stage.h"
#include "gpu/dg1/draw/staged_draw.h"
#include "gpu/dg1/draw/statistics.h"
#include "gpu/dg1/draw/topology.h"
#include "gpu/dg1/draw/urb.h"
#include "gpu/dg1/draw/vertex_stage.h"
#include "gpu/dg1/draw/vue.h"
#include "pipeline/picture.h"

namespace Atoll::dg1 {

using namespace commands;

namespace {

// Its targets, for whoever looks after each draw.
class DrawnTargets : public gpu::DrawnInto {
public:
  DrawnTargets(Context& context, const pipeline::Draw& draw) : context_(context), draw_(draw) {}
  std::vector<gpu::Picture> pictures() override {
    std::vector<gpu::Picture> list;
    if (!write_back(context_)) return list;
    for (unsigned n = 0; n < 8; n++) {
      const pipeline::ColourTarget& target = draw_.targets.colour[n];
      if (!target.target) continue;
      gpu::Picture picture;
      picture.name = fmt::format("colour {}", n);
      picture.width = draw_.targets.width, picture.height = draw_.targets.height;
      picture.rgba = pipeline::rgba8_of(target, picture.width, picture.height);
      list.push_back(std::move(picture));
    }
    return list;
  }

private:
  Context& context_;
  const pipeline::Draw& draw_;
};

// Vertices alone before the pixels: once for each replica of the primitives, one after the other, since those that meet in a pixel are few
// (drivers give each a layer of its own). What is counted of vertices is the first's.
bool run_vertices(Context& c, const VertexFetch& fetch, const AttributeMap& attributes, pipeline::Draw& draw,
                  pipeline::Counters& counters) {
  const Replicas replicas = find_replicas(c.graphics);
  bool good = true, first = true;
  for (unsigned n = 0; n < replicas.count && good; n++) {
    if (!(replicas.mask >> n & 1)) continue;
    const auto vertex_stage = make_vertex_stage(c, fetch, attributes, n);
    if (!vertex_stage) return false;
    draw.vertex_stage = vertex_stage.get();
    pipeline::Counters counted;
    good = pipeline::run(draw, *c.workers, counted, c.stop, &c.progress);
    draw.vertex_stage = nullptr;
    if (!first) counted.vertices = counted.primitives = counted.vertex_invocations = 0;
    counters += counted, first = false;
  }
  // The clipper counts what it rejects altogether as well.
  if (draw.rasterization.discard) counters.clipped_primitives_in += counters.primitives;
  return good;
}

bool run(Context& c, const DrawParameters& parameters) {
  if (!has_urb_room(c)) return false;
  pipeline::Draw draw;
  if (!find_assembly(c, draw.assembly) || !find_vertices(c, parameters, draw.vertices) || !find_fixed_function(c, draw))
    return false;
  const AttributeMap attributes = find_attributes(c.graphics);
  VertexFetch fetch;
  if (!fetch.find(c, parameters)) return false;
  std::string problem;
  std::unique_ptr<pipeline::PixelStage> pixel_stage;
  if (dispatches_pixels(c.graphics)) {
    pixel_stage = make_pixel_stage(c, attributes, problem);
    if (!pixel_stage) return c.lost() ? false : c.lose(problem);
  }
  draw.pixel_stage = pixel_stage.get();
  draw.stays_open = true;
  pipeline::Counters counters;
  bool good;
  if (is_staged(c.graphics)) {
    if (!find_replicas(c.graphics).are_plain())
      return c.lose(
          "3DSTATE_PRIMITIVE_REPLICATION: replicas of other stages' primitives than the vertex shader's are not executed");
    good = run_staged_draw(c, source_of(fetch), attributes, provoking_of, draw, counters);
  } else {
    good = run_vertices(c, fetch, attributes, draw, counters);
  }
  count_statistics(c, counters);
  c.statistics.vertices += counters.vertices, c.statistics.primitives += counters.primitives;
  c.statistics.pixels += counters.pixel_invocations;
  counters.add_ways(c.statistics.pixel_ways);
  if (c.lost()) return false;
  if (!good || c.stop) return c.lose_stopped();
  if (c.asked_for_draws()) {
    DrawnTargets drawn(c, draw);
    (*c.after_draw)(c.statistics.draws, drawn);
  }
  return true;
}

}  // namespace

bool draw(Context& c, const DrawParameters& parameters) {
  if (!parameters.vertices || !parameters.instances) return true;
  if (!c.within(c.budget.vertices(parameters.vertices, parameters.instances))) return false;
  c.statistics.draws++;
  if (!c.workers) c.workers = std::make_unique<pipeline::Workers>(c.options.deterministic ? 1 : c.options.threads);
  return is_target_operation(c.graphics) ? run_target_operation(c, parameters) : settle_fast_clears(c) && run(c, parameters);
}

bool write_back(Context& c) { return !c.workers || pipeline::write_back(*c.workers) || c.lost() || c.lose_stopped(); }

}  // namespace Atoll::dg1
