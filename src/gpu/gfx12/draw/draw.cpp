#include "gpu/gfx12/draw/draw.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/recycled.h"
#include "gpu/amd/draw/colour_pictures.h"
#include "gpu/amd/draw/lines_shown.h"
#include "gpu/gfx12/draw/draw_state.h"
#include "gpu/gfx12/draw/pixel_stage.h"
#include "gpu/gfx12/draw/primitive_stage.h"
#include "gpu/gfx12/draw/targets.h"
#include "gpu/gfx12/state/draw_registers.h"
#include "pipeline/draws/given_primitives.h"

namespace Atoll::gfx12 {
namespace {

// One draw from its state to its end, which is that of its pixels. Functions that return false have lost the context.
class DrawExecution : public pipeline::WaitingDraw, public Recycled<DrawExecution> {
public:
  DrawExecution(DrawContext& context, std::shared_ptr<const DrawState> found)
      : WaitingDraw(found->draw),
        context_(context),
        counted_(context.counts),
        reports_(context),
        state_(std::move(found)),
        environment_(context),
        primitive_stage_(state_->primitive_stage) {
    state = state_->number;
    pixel_stage_.prepare(context, environment_, reports_, state_->pixels);
    draw.pixel_stage = &pixel_stage_;
  }

  // Waves of vertices may change memory while pixels before wait: attributes have their ring, and what else waves store, other draws see
  // behind a barrier only (Vulkan 1.3 chapter 7, OpenGL 4.6 7.13.2), for which drivers send a packet that draws what waits.
  bool prepare(const DrawCall& call) {
    if (call.mesh) {
      std::copy_n(call.groups, 3, groups_.begin());
      return is_mesh_ = true;
    }
    if (!input_of(context_, call, vertices_, assembly_)) return false;
    draw.vertices = vertices_;
    return true;
  }
  bool run_now() {
    pipeline::Counters counters;
    pipeline::GivenDraw given(draw, *context_.workers, context_.stop, &context_.progress);
    const bool good = give(given, counters) && given.end(counters);
    context_.add(counters, context_.counts);
    context_.say(reports_);
    return good && !context_.lost();
  }
  // Runs a draw whose pixels may be drawn later. The execution then belongs to the pipeline, until given.end() at least.
  static bool run(std::unique_ptr<DrawExecution> execution) {
    DrawExecution& e = *execution;
    DrawContext& context = e.context_;
    pipeline::Counters counters;
    pipeline::GivenDraw given(std::move(execution), *context.workers, context.stop, &context.progress);
    const bool good = e.give(given, counters) && given.end(counters);
    context.add(counters, context.counts);
    return good && !context.lost();
  }
  void finished(const pipeline::Counters& counters, bool good) override {
    context_.add(counters, counted_);
    context_.end_draw(reports_, good);
  }

private:
  bool give(pipeline::GivenDraw& given, pipeline::Counters& counters) {
    return is_mesh_ ? primitive_stage_.run_groups(groups_, given, counters)
                    : primitive_stage_.run(vertices_, assembly_, given, counters);
  }

  DrawContext& context_;
  const bool counted_;
  gpu::Reports::Kept reports_;  // of its pixels
  const std::shared_ptr<const DrawState> state_;
  QueueEnvironment environment_;
  PrimitiveStage primitive_stage_;
  PixelStage pixel_stage_;
  pipeline::Vertices vertices_;
  pipeline::Assembly assembly_;  // of the vertices; what is rasterized comes from the stage
  bool is_mesh_ = false;
  std::array<uint32_t, 3> groups_{};  // of mesh shaders
};

}  // namespace

bool draw(DrawContext& context, const DrawCall& call) {
  if (!call.mesh && (!call.count || !call.instances)) return true;
  std::shared_ptr<const DrawState> state = known_draw_state(context);
  if (!state) {
    const uint64_t report_count = context.report_count();
    state = find_draw_state(context);
    if (!state) return !context.lost();
    keep_draw_state(context, state, report_count);
  }
  const bool may_wait = state->may_wait, line_goes_on = state->line_goes_on;
  auto execution = std::make_unique<DrawExecution>(context, std::move(state));
  if (!execution->prepare(call)) return !context.lost();
  std::optional<gpu::amd::LinesShown<DrawRegisters>> lines;
  if (line_goes_on) lines.emplace(context.registers, execution->draw);
  return may_wait ? DrawExecution::run(std::move(execution)) : execution->run_now();
}

std::vector<gpu::Picture> pictures_of(DrawContext& context) {
  if (!context.targets || !context.write_back_targets()) return {};
  return gpu::amd::colour_pictures<DrawRegisters>(context.registers, [&](unsigned n) -> std::optional<gpu::amd::ShownTarget> {
    ColourSurface* surface = nullptr;
    if (!context.targets->colour(context, n, surface) || !surface) return {};
    SurfaceBlocks& blocks = *surface->blocks;
    return gpu::amd::ShownTarget{
        blocks.pixels_across, blocks.pixels_down, {&blocks, blocks.texture.format(), blocks.texel_bytes}};
  });
}

}  // namespace Atoll::gfx12
