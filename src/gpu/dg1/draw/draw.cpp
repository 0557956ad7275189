#include "gpu/dg1/draw/draw.h"

#include <memory>
#include <string>

#include "base/recycled.h"
#include "gpu/dg1/draw/attributes.h"
#include "gpu/dg1/draw/draw_state.h"
#include "gpu/dg1/draw/fills.h"
#include "gpu/dg1/draw/pixel_payload.h"
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
// (drivers give each a layer of its own). Vertices are counted for the first one only.
bool run_replicas(Context& c, const VertexFetch& fetch, const AttributeMap& attributes, pipeline::Draw& draw,
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
  return good;
}

// One draw from its state to its end, which is that of its pixels. Functions that return false have lost the context.
class DrawExecution : public pipeline::WaitingDraw, public Recycled<DrawExecution> {
public:
  explicit DrawExecution(Context& context) : context_(context), reports_(context), counting_(counting_stages(context.graphics)) {}

  bool prepare(const DrawParameters& parameters) {
    Context& c = context_;
    if (!has_urb_room(c)) return false;
    if (!find_assembly(c, parameters, draw.assembly) || !find_vertices(c, parameters, draw.vertices) ||
        !find_fixed_function(c, draw))
      return false;
    attributes_ = find_attributes(c.graphics);
    if (!fetch_.find(c, parameters)) return false;
    std::string problem;
    if (dispatches_pixels(c.graphics)) {
      pixel_stage_ = make_pixel_stage(c, attributes_, problem, &reports_);
      if (!pixel_stage_) return c.lost() ? false : c.lose(problem);
      if (draw.rasterization.has_coarse_pixels && pixel_stage_->reads_colours())
        return c.lose("3DSTATE_PS_EXTRA.Pixel Shader Is Per Coarse Pixel: render target reads by coarse pixels are not executed");
    }
    draw.pixel_stage = pixel_stage_.get();
    if (draw.rasterization.line_stipple) draw.lines_end = &c.lines_end;
    draw.stays_open = true;
    const unsigned replicas = find_replicas(c.graphics).count;
    staged_ = is_staged(c.graphics), replicates_ = replicas > 1;
    if (staged_ && replicates_)
      return c.lose(
          fmt::format("3DSTATE_PRIMITIVE_REPLICATION.Replication Count {}: {} replicas of primitives of other stages than the "
                      "vertex shader are not executed",
                      replicas - 1, replicas));
    if (!staged_ && !replicates_) {
      vertex_stage_ = make_vertex_stage(c, fetch_, attributes_, 0);
      if (!vertex_stage_) return false;
      draw.vertex_stage = vertex_stage_.get();
    }
    // (What is written where tiled resources have no memory goes with each draw: Aliases::drop_writes().)
    may_wait_ = !staged_ && !replicates_ && !draw.lines_end && !c.options.strict && !c.asked_for_draws() && !c.options.uses &&
                !c.aliases && kernels_only_read(c);
    return true;
  }
  bool may_wait() const { return may_wait_; }

  bool run_now() {
    Context& c = context_;
    // Pixels of earlier draws must not see what its threads change.
    if (!pipeline::draw_waiting(*c.workers)) return false;
    pipeline::Counters counters;
    const bool good = staged_       ? run_staged_draw(c, source_of(fetch_), attributes_, provoking_of, draw, counters)
                      : replicates_ ? run_replicas(c, fetch_, attributes_, draw, counters)
                                    : pipeline::run(draw, *c.workers, counters, c.stop, &c.progress);
    c.environment->states_may_change();
    finished(counters, good);
    if (c.lost()) return false;
    if (c.asked_for_draws()) {
      DrawnTargets drawn(c, draw);
      (*c.after_draw)(c.statistics.draws, drawn);
    }
    return true;
  }
  void finished(const pipeline::Counters& of_draw, bool good) override {
    pipeline::Counters counters = of_draw;
    // The clipper counts what it rejects altogether as well.
    if (!staged_ && draw.rasterization.discard) counters.clipped_primitives_in += counters.primitives;
    count_statistics(context_, counting_, counters);
    gpu::Statistics& s = context_.statistics;
    s.vertices += counters.vertices, s.primitives += counters.primitives, s.pixels += counters.pixel_invocations;
    counters.add_paths(s.pixel_paths);
    context_.end_draw(reports_, good && !context_.stop);
  }

private:
  Context& context_;
  gpu::Reports::Kept reports_;  // of its pixels
  const CountingStages counting_;
  AttributeMap attributes_;
  VertexFetch fetch_;
  std::unique_ptr<pipeline::PixelStage> pixel_stage_;
  std::unique_ptr<pipeline::VertexStage> vertex_stage_;
  bool staged_ = false, replicates_ = false, may_wait_ = false;

  // True if the kernels of vertices and pixels only read.
  static bool kernels_only_read(Context& c) {
    auto only_reads = [&](uint64_t start) {
      const auto kernel = c.kernels.find(stripped(c.bases.instruction + start));
      return kernel && (*kernel)->only_reads;
    };
    const GraphicsState& s = c.graphics;
    if (s.get<_3DSTATE_VS::Enable>() && !only_reads(s.get<_3DSTATE_VS::Kernel_Start_Pointer>())) return false;
    return !dispatches_pixels(s) || only_reads(*kernel_start(s, widest_threads(s)));
  }
};

bool run(Context& c, const DrawParameters& parameters) {
  auto execution = std::make_unique<DrawExecution>(c);
  if (!execution->prepare(parameters)) return false;
  const bool good =
      execution->may_wait() ? pipeline::run(std::move(execution), *c.workers, c.stop, &c.progress) : execution->run_now();
  if (!good && !c.lost()) return c.lose_stopped();
  return good && !c.lost();
}

}  // namespace

bool draw(Context& c, const DrawParameters& parameters) {
  if (!parameters.vertices || !parameters.instances) return true;
  if (!c.within(c.budget.vertices(parameters.vertices, parameters.instances))) return false;
  c.statistics.draws++;
  c.make_workers();
  if (is_target_operation(c.graphics)) return run_target_operation(c, parameters);
  if (!settle_fast_clears(c) || !settle_depth_clears(c) || !run(c, parameters)) return false;
  if (!c.depth_clears.empty() && writes_depths(c.graphics)) forget_depth_clears(c);
  return !dispatches_pixels(c.graphics) || forget_fast_clears(c);
}

bool write_back(Context& c) {
  const bool good = !c.workers || pipeline::write_back(*c.workers);
  if (c.environment) c.environment->states_may_change();
  return good || c.lost() || c.lose_stopped();
}

}  // namespace Atoll::dg1
