#include "gpu/sea_islands/draw/draw.h"

#include <limits>

#include "base/recycled.h"
#include "gpu/sea_islands/draw/draw_state.h"
#include "gpu/sea_islands/draw/fragment_state.h"
#include "gpu/sea_islands/draw/pixel_stage.h"
#include "gpu/sea_islands/draw/raster_state.h"
#include "gpu/sea_islands/draw/resolve.h"
#include "gpu/sea_islands/draw/staged_draw.h"
#include "gpu/sea_islands/draw/stream_out.h"
#include "gpu/sea_islands/draw/targets.h"
#include "gpu/sea_islands/draw/vertex_stage.h"
#include "gpu/sea_islands/state/field_lists.h"
#include "pipeline/picture.h"

namespace Atoll::sea_islands {
namespace {

bool vertices_of(DrawContext& context, const DrawCall& call, pipeline::Vertices& v) {
  const RegisterFile& r = context.registers;
  v.count = call.count;
  v.instances = call.instances;
  v.base_vertex = int32_t(r.whole<VGT_INDX_OFFSET>());
  v.lowest = r.whole<VGT_MIN_VTX_INDX>();
  v.highest = r.whole<VGT_MAX_VTX_INDX>();
  if (!call.indexed) return true;
  v.index_bytes = call.index_bytes;
  v.index_limit = call.index_limit;
  uint64_t bytes = std::min<uint64_t>(call.count, call.index_limit) * call.index_bytes;
  if (!bytes) return true;
  v.index_limit = bytes / call.index_bytes;
  v.index_swap = call.index_swap;
  if (!v.index_swap) return (v.indices = context.memory(call.index_address, bytes, false, "index buffer")) != nullptr;
  const uint64_t first = call.index_address & ~uint64_t(3), end = (call.index_address + bytes + 3) & ~uint64_t(3);
  const uint8_t* dwords = context.memory(first, end - first, false, "index buffer");
  if (dwords) v.indices = dwords + (call.index_address - first);
  return dwords != nullptr;
}

// Targets of the draw; colour[n] where something is bound and written.
bool bind_targets(DrawContext& context, TargetCache& cache, pipeline::Draw& d, ColourSurface* (&colours)[8],
                  DepthSurface*& depth) {
  pipeline::Targets& t = d.targets;
  auto include = [&](const TiledBlocks& s) {
    t.width = t.width ? std::min(t.width, s.width) : s.width;
    t.height = t.height ? std::min(t.height, s.height) : s.height;
    t.layers = std::max(t.layers, s.layers);  // a target with fewer drops what is beyond its own
    t.samples = std::max(t.samples, s.samples);
  };
  t.layers = 1;
  for (unsigned n = 0; n < 8; n++) {
    if (!d.colour.blend[n].write_mask) continue;
    if (!cache.colour(context, n, colours[n])) return false;
    if (!colours[n]) continue;
    t.colour[n] = {colours[n]->blocks.get(), colours[n]->format, colours[n]->blocks->texel_bytes,
                   context.registers.get<CB_COLOR_INFO::ROUND_MODE>(n) == CB_COLOR_INFO::ROUND_MODE::ROUND_TRUNCATE &&
                       colours[n]->format.number == surface::Number::floating,
                   context.registers.get<CB_COLOR_ATTRIB::FORCE_DST_ALPHA_1>(n) != 0};
    include(*colours[n]->blocks);
  }
  bool used = d.depth_stencil.depth_test || d.depth_stencil.stencil_test || d.depth_stencil.bounds_test ||
              d.depth_stencil.copy_depth || d.depth_stencil.copy_stencil;
  if (used && !cache.depth(context, depth)) return false;
  if (depth && depth->depth) {
    t.depth.depth = depth->depth.get(), t.depth.depth_bits = depth->depth_bits;
    include(*depth->depth);
  } else {
    d.depth_stencil.depth_test = d.depth_stencil.depth_write = d.depth_stencil.bounds_test = false;
  }
  if ((d.depth_stencil.copy_depth && !t.depth.depth) || (d.depth_stencil.copy_stencil && !(depth && depth->stencil)))
    context.unknown("copy of depth without a depth buffer");
  if (depth && depth->stencil) {
    t.depth.stencil = depth->stencil.get();
    include(*depth->stencil);
  } else {
    d.depth_stencil.stencil_test = false;
  }
  return true;
}

// What PA_SC_LINE_STIPPLE_STATE and PA_SU_LINE_STIPPLE_VALUE show behind a draw of lines that go on from each other.
class LinesShown {
public:
  LinesShown(DrawContext& context, pipeline::Draw& draw)
      : context_(context),
        factor_(draw.rasterization.line_stipple_factor),
        stippled_(draw.rasterization.line_stipple),
        coordinate_(draw.rasterization.line_coordinate.has_value()) {
    end_.pattern = draw.rasterization.line_stipple_start;
    if (coordinate_) end_.coordinate = draw.rasterization.line_coordinate->start;
    draw.lines_end = &end_;
  }
  ~LinesShown() {
    RegisterFile& r = context_.registers;
    using State = PA_SC_LINE_STIPPLE_STATE;
    if (stippled_)
      r.set(State::address(),
            State::CURRENT_PTR::of(end_.pattern / factor_ % 16) | State::CURRENT_COUNT::of(end_.pattern % factor_));
    constexpr uint32_t end_of_packet = 2;
    const bool reset = r.get<PA_SU_LINE_STIPPLE_CNTL::LINE_STIPPLE_RESET>() == end_of_packet;
    if (coordinate_) r.set(PA_SU_LINE_STIPPLE_VALUE::address(), reset ? 0 : end_.coordinate);
  }
  // Whether the registers show more behind the draw than before it.
  bool goes_on() const { return stippled_ || coordinate_; }
  LinesShown(const LinesShown&) = delete;
  LinesShown& operator=(const LinesShown&) = delete;

private:
  DrawContext& context_;
  const uint32_t factor_;
  const bool stippled_, coordinate_;
  pipeline::LineProgress end_;
};

bool writes_colour(const RegisterFile& r) {
  for (unsigned n = 0; n < TargetEnables::count; n++)
    if (TargetEnables::get(r, n) & OutputEnables::get(r, n)) return true;
  return false;
}

// Whether planes of depth or stencil are not to be compressed.
bool depth_is_plain(const RegisterFile& r) {
  return r.get<DB_RENDER_CONTROL::DEPTH_COMPRESS_DISABLE>() || r.get<DB_RENDER_CONTROL::STENCIL_COMPRESS_DISABLE>();
}

// Draws whose only purpose is a surface's metadata. True: that was all, or the context is lost.
bool work_on_surfaces(DrawContext& context, TargetCache& cache) {
  const RegisterFile& r = context.registers;
  using Mode = CB_COLOR_CONTROL::MODE;
  uint32_t mode = r.get<CB_COLOR_CONTROL::MODE>();
  if (mode != Mode::CB_NORMAL && mode != Mode::CB_DISABLE && !context.write_back_targets()) return true;
  if (mode == Mode::CB_ELIMINATE_FAST_CLEAR || mode == Mode::CB_DECOMPRESS || mode == Mode::CB_FMASK_DECOMPRESS) {
    for (unsigned n = 0; n < 8; n++) {
      ColourSurface* surface = nullptr;
      if (!TargetEnables::get(r, n)) continue;
      if (!cache.colour(context, n, surface)) return true;
      if (!surface) continue;
      if (!surface->blocks->expand(context)) return true;
      if (mode == Mode::CB_FMASK_DECOMPRESS) surface->expand_fmask();
    }
    return true;
  }
  if (mode == Mode::CB_RESOLVE) {
    // From buffer 0 to buffer 1, within the scissors that the rectangle of the draw fills.
    ColourSurface *from = nullptr, *to = nullptr;
    if (!cache.colour(context, 0, from) || !cache.colour(context, 1, to)) return true;
    using Window = PA_SC_WINDOW_SCISSOR_BR;
    using Viewport = PA_SC_VPORT_SCISSOR_BR;
    if (from && to)
      resolve(context, *from, *to, std::min(r.get<Window::BR_X>(), r.get<Viewport::BR_X>(0)),
              std::min(r.get<Window::BR_Y>(), r.get<Viewport::BR_Y>(0)));
    else
      context.unknown("CB resolve without two colour buffers");
    return true;
  }
  const auto render = r.read<DB_RENDER_CONTROL>();
  const bool depth_plain = DB_RENDER_CONTROL::DEPTH_COMPRESS_DISABLE::get(render),
             stencil_plain = DB_RENDER_CONTROL::STENCIL_COMPRESS_DISABLE::get(render);
  // Chips write uncompressed where compression is off, and RADV switches it off in ordinary draws of planes without HTILE (Mesa
  // 25.0.7 radv_cmd_buffer.c, radv_emit_fb_ds_state): what is compressed is expanded, and then the draw goes on as any other.
  if (depth_plain || stencil_plain) {
    DepthSurface* surface = nullptr;
    if (!cache.depth(context, surface)) return true;
    if (surface && surface->depth && depth_plain && !surface->depth->expand(context)) return true;
    if (surface && surface->stencil && stencil_plain && !surface->stencil->expand(context)) return true;
    // Nothing is tested, written or counted, and the shader does not run for nothing: a pass for the surface alone.
    pipeline::DepthStencil plain = depth_stencil_of(context);
    return !plain.depth_test && !plain.stencil_test && !plain.bounds_test && !plain.count_samples && !plain.counts_fails() &&
           !writes_colour(r) && !r.get<DB_SHADER_CONTROL::EXEC_ON_NOOP>();
  }
  return false;
}

// A draw with its stages, until its pixels are drawn.
class OwnDraw : public pipeline::WaitingDraw, public Recycled<OwnDraw> {
public:
  explicit OwnDraw(DrawContext& context) : context_(context), counted_(context.counts), reports(context), environment(context) {}
  OwnDraw(DrawContext& context, const DrawState& known)
      : WaitingDraw(known.draw),
        context_(context),
        counted_(context.counts),
        reports(context),
        environment(context),
        vertex_stage(known.vertex_stage) {
    state = known.number;
    vertex_stage.renew(environment);
    pixel_stage.prepare(context, environment, reports, known.pixels);
    draw.vertex_stage = &vertex_stage, draw.pixel_stage = &pixel_stage;
  }

  void finished(const pipeline::Counters& counters, bool good) override {
    context_.add(counters, counted_);
    context_.end_draw(reports, good);
  }

private:
  DrawContext& context_;
  const bool counted_;

public:
  gpu::Reports::Kept reports;  // of its pixels
  QueueEnvironment environment;
  Grouper grouper;
  VertexStage vertex_stage;
  PixelStage pixel_stage;
};

bool draw_known(DrawContext& context, const DrawCall& call, const DrawState& state) {
  auto own = std::make_unique<OwnDraw>(context, state);
  if (!vertices_of(context, call, own->draw.vertices)) return !context.lost();
  return pipeline::run(std::move(own), *context.workers, context.stop, &context.progress) && !context.lost();
}

}  // namespace

bool draw(DrawContext& context, const DrawCall& call) {
  if (call.count && call.instances && !call.explicit_mode)
    if (const auto state = known_draw_state(context)) return draw_known(context, call, *state);
  const uint64_t said = context.said();
  if (!context.targets) context.targets = std::make_shared<TargetCache>();
  context.targets->trim(context);
  TargetCache& cache = *context.targets;
  if (work_on_surfaces(context, cache)) return !context.lost();
  if (!call.count || !call.instances) return true;  // nothing, whatever the registers say
  if (!waves_may_start(context)) return false;
  const RegisterFile& r = context.registers;
  StageSelection stages;
  if (!stages_of(context, stages)) return true;
  auto own = std::make_unique<OwnDraw>(context);
  pipeline::Draw& d = own->draw;
  d.stays_open = true;
  pipeline::Topology topology = pipeline::Topology::points;
  if (!call.explicit_mode && !topology_of(context, topology)) return !context.lost();
  d.assembly = assembly_of(r, topology);
  d.assembly.vertices_have_primitives = stages.last == VertexKind::api && r.get<VGT_PRIMITIVEID_EN::PRIMITIVEID_EN>();
  if (!vertices_of(context, call, d.vertices)) return !context.lost();
  if (call.explicit_mode) {
    if (!own->grouper.prepare(context, stages, d)) return !context.lost();
    stages.grouper = &own->grouper;
  }
  viewports_of(r, d);
  d.clip = clip_of(context);
  d.rasterization = rasterization_of(context);
  d.depth_stencil = depth_stencil_of(context);
  d.colour = colour_output_of(context);
  const auto render = r.read<DB_RENDER_CONTROL>();
  // RADV's draws without depth clamping (Mesa 22.3.6 radv_emit_depth_clamp_enable()).
  if (r.get<DB_RENDER_OVERRIDE::DISABLE_VIEWPORT_CLAMP>()) {
    constexpr float infinite = std::numeric_limits<float>::infinity();
    for (pipeline::Viewport& v : d.viewports) v.depth_low = -infinite, v.depth_high = infinite;
  }
  if (DB_RENDER_CONTROL::DEPTH_CLEAR_ENABLE::get(render)) {
    float clear = r.as_float<DB_DEPTH_CLEAR>();
    for (pipeline::Viewport& v : d.viewports) v.depth_low = v.depth_high = clear;
  }
  ColourSurface* colours[8] = {};
  DepthSurface* depth = nullptr;
  if (!bind_targets(context, cache, d, colours, depth)) return false;
  if (context.lost()) return false;
  if (depth && depth->reads_elsewhere) d.stays_open = false;
  if (!d.targets.width) {  // nothing is drawn into; counters and stores of shaders still happen
    d.targets.width = d.targets.height = 16384;
    d.targets.layers = 2048;
    d.targets.samples = 1u << std::min(r.get<PA_SC_AA_CONFIG::MSAA_NUM_SAMPLES>(), 4u);
  }
  LinesShown lines(context, d);
  VertexStage& vertex_stage = own->vertex_stage;
  PixelStage& pixel_stage = own->pixel_stage;
  auto pixels = std::make_shared<PixelState>();
  if (!vertex_stage.prepare(context, own->environment, stages) || !find_pixel_state(context, d.rasterization, *pixels))
    return false;
  pixel_stage.prepare(context, own->environment, own->reports, pixels);
  d.vertex_stage = &vertex_stage;
  d.pixel_stage = &pixel_stage;
  const bool staged = stages.tessellation || stages.geometry;
  // (Whoever fills shades the vertices more than once.)
  d.pixels_alike = !staged && vertex_stage.only_reads() && pixels->pixels_alike();
  // What vertices change is nothing that pixels before see.
  if ((staged || !vertex_stage.only_reads()) && !pipeline::draw_waiting(*context.workers)) return false;
  const bool may_wait = pixels->may_wait() && d.stays_open && !context.options.strict;
  if (staged) {
    if (may_wait) return run_staged_draw(context, stages, d, vertex_stage, std::move(own)) && !context.lost();
    const bool good = run_staged_draw(context, stages, d, vertex_stage, nullptr);
    context.say(own->reports);
    return good && !context.lost();
  }
  if (!stream_out(context, vertex_stage, d)) return false;
  if (may_wait) {
    // (Where a draw has to leave something behind, or surfaces are to be worked on, each draw finds its own.)
    const bool is_plain =
        !call.explicit_mode && !depth_is_plain(r) && vertex_stage.only_reads() && !StreamEnables::get(r, 0) && !lines.goes_on();
    if (is_plain) keep_draw_state(context, d, vertex_stage, pixels, said);
    return pipeline::run(std::move(own), *context.workers, context.stop, &context.progress) && !context.lost();
  }
  pipeline::Counters counters;
  const bool good = pipeline::run(d, *context.workers, counters, context.stop, &context.progress);
  context.add(counters, context.counts);
  context.say(own->reports);
  return good && !context.lost();
}

std::vector<gpu::Picture> pictures(DrawContext& context) {
  std::vector<gpu::Picture> list;
  if (!context.targets) return list;
  if (!context.write_back_targets()) return list;
  const RegisterFile& r = context.registers;
  // Surfaces are padded to tiles; what the screen and window scissors let through is what programs see of them.
  const uint32_t right = std::min(r.get<PA_SC_WINDOW_SCISSOR_BR::BR_X>(), r.get<PA_SC_SCREEN_SCISSOR_BR::BR_X>());
  const uint32_t bottom = std::min(r.get<PA_SC_WINDOW_SCISSOR_BR::BR_Y>(), r.get<PA_SC_SCREEN_SCISSOR_BR::BR_Y>());
  for (unsigned n = 0; n < 8; n++) {
    ColourSurface* surface = nullptr;
    if (!TargetEnables::get(r, n) || !context.targets->colour(context, n, surface) || !surface) continue;
    gpu::Picture picture;
    picture.name = fmt::format("colour {}", n);
    picture.width = std::min(surface->blocks->width, right);
    picture.height = std::min(surface->blocks->height, bottom);
    pipeline::ColourTarget target{surface->blocks.get(), surface->format, surface->blocks->texel_bytes};
    picture.rgba = pipeline::rgba8_of(target, picture.width, picture.height);
    list.push_back(std::move(picture));
  }
  return list;
}

}  // namespace Atoll::sea_islands
