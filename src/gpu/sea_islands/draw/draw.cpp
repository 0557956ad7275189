#include "gpu/sea_islands/draw/draw.h"

#include <optional>

#include "base/recycled.h"
#include "gpu/amd/draw/colour_pictures.h"
#include "gpu/amd/draw/lines_shown.h"
#include "gpu/sea_islands/draw/draw_state.h"
#include "gpu/sea_islands/draw/pixel_stage.h"
#include "gpu/sea_islands/draw/staged_draw.h"
#include "gpu/sea_islands/draw/stream_out.h"
#include "gpu/sea_islands/draw/surface_work.h"
#include "gpu/sea_islands/draw/targets.h"
#include "gpu/sea_islands/state/draw_registers.h"

namespace Atoll::sea_islands {
namespace {

// One draw from its state to its end, which is that of its pixels. Functions that return false have lost the
// context.
class DrawExecution : public pipeline::WaitingDraw, public Recycled<DrawExecution> {
public:
  DrawExecution(DrawContext& context, std::shared_ptr<const DrawState> found)
      : WaitingDraw(found->draw),
        context_(context),
        counted_(context.counts),
        reports_(context),
        state_(std::move(found)),
        environment_(context),
        vertex_stage_(state_->vertex_stage) {
    state = state_->number;
    vertex_stage_.begin(environment_);
    pixel_stage_.prepare(context, environment_, reports_, state_->pixels);
    draw.vertex_stage = &vertex_stage_, draw.pixel_stage = &pixel_stage_;
  }

  bool prepare(const DrawCall& call) {
    if (!call.explicit_mode && !vertices_of(context_, call, draw.vertices)) return false;
    // Pixels of earlier draws must not see what these vertices change.
    if (!state_->only_reads && !pipeline::draw_waiting(*context_.workers)) return false;
    return state_->staged || state_->is_plain || stream_out(context_, vertex_stage_, draw);
  }
  bool run_now() {
    bool good;
    if (state_->staged) {
      good = run_staged_draw(context_, state_->stages, draw, vertex_stage_, nullptr);
    } else {
      pipeline::Counters counters;
      good = pipeline::run(draw, *context_.workers, counters, context_.stop, &context_.progress);
      context_.add(counters, context_.counts);
    }
    context_.say(reports_);
    return good && !context_.lost();
  }
  // Runs a draw whose pixels may be drawn later. The execution then belongs to the pipeline.
  static bool run(std::unique_ptr<DrawExecution> execution) {
    DrawExecution& e = *execution;
    DrawContext& context = e.context_;
    const bool good = e.state_->staged ? run_staged_draw(context, e.state_->stages, e.draw, e.vertex_stage_, std::move(execution))
                                       : pipeline::run(std::move(execution), *context.workers, context.stop, &context.progress);
    return good && !context.lost();
  }
  void finished(const pipeline::Counters& counters, bool good) override {
    context_.add(counters, counted_);
    context_.end_draw(reports_, good);
  }

private:
  DrawContext& context_;
  const bool counted_;
  gpu::Reports::Kept reports_;  // of its pixels
  const std::shared_ptr<const DrawState> state_;
  QueueEnvironment environment_;
  VertexStage vertex_stage_;
  PixelStage pixel_stage_;
};

}  // namespace

bool draw(DrawContext& context, const DrawCall& call) {
  const bool draws = call.count && call.instances;
  std::shared_ptr<const DrawState> state;
  if (draws && !call.explicit_mode) state = known_draw_state(context);
  if (!state) {
    const uint64_t report_count = context.report_count();
    if (work_on_surfaces(context)) return !context.lost();
    if (!draws) return true;  // nothing, whatever the registers say
    if (!waves_may_start(context)) return false;
    state = find_draw_state(context, call);
    if (!state) return !context.lost();
    keep_draw_state(context, state, report_count);
  }
  const bool may_wait = state->may_wait, line_goes_on = state->line_goes_on;
  auto execution = std::make_unique<DrawExecution>(context, std::move(state));
  std::optional<gpu::amd::LinesShown<DrawRegisters>> lines;
  if (line_goes_on) lines.emplace(context.registers, execution->draw);
  if (!execution->prepare(call)) return false;
  return may_wait ? DrawExecution::run(std::move(execution)) : execution->run_now();
}

std::vector<gpu::Picture> pictures_of(DrawContext& context) {
  if (!context.targets || !context.write_back_targets()) return {};
  return gpu::amd::colour_pictures<DrawRegisters>(context.registers, [&](unsigned n) -> std::optional<gpu::amd::ShownTarget> {
    ColourSurface* surface = nullptr;
    if (!context.targets->colour(context, n, surface) || !surface) return {};
    TiledBlocks& blocks = *surface->blocks;
    return gpu::amd::ShownTarget{blocks.width, blocks.height, {&blocks, surface->format, blocks.texel_bytes}};
  });
}

}  // namespace Atoll::sea_islands
