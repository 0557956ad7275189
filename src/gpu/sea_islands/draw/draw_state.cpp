#include "gpu/sea_islands/draw/draw_state.h"

#include <algorithm>
#include <limits>

#include "gpu/sea_islands/draw/fragment_state.h"
#include "gpu/sea_islands/draw/raster_state.h"
#include "gpu/sea_islands/draw/surface_work.h"
#include "gpu/sea_islands/draw/targets.h"
#include "gpu/sea_islands/shaders/shaders.h"
#include "gpu/sea_islands/state/field_lists.h"

namespace Atoll::sea_islands {
namespace {

gpu::amd::DrawOrigin origin_of(const DrawContext& c) {
  return {c.registers.changes(), c.write_backs, c.shaders->invalidations()};
}

// Colour buffers where something is bound and written, depth and stencil where they are used. False: the context is lost.
bool bind_targets(DrawContext& context, pipeline::Draw& d) {
  TargetCache& cache = *context.targets;
  ColourSurface* colours[8] = {};
  DepthSurface* depth = nullptr;
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
  if (depth && depth->reads_elsewhere) d.stays_open = false;
  if (!t.width) {  // nothing is drawn into; counters and stores of shaders still happen
    t.width = t.height = 16384;
    t.layers = 2048;
    t.samples = 1u << std::min(context.registers.get<PA_SC_AA_CONFIG::MSAA_NUM_SAMPLES>(), 4u);
  }
  return !context.lost();
}

// Depths as the viewports have them, or the register that a depth clear writes.
void find_depth_range(const RegisterFile& r, pipeline::Draw& d) {
  // RADV's draws without depth clamping (Mesa 22.3.6 radv_emit_depth_clamp_enable()).
  if (r.get<DB_RENDER_OVERRIDE::DISABLE_VIEWPORT_CLAMP>()) {
    constexpr float infinite = std::numeric_limits<float>::infinity();
    for (pipeline::Viewport& v : d.viewports) v.depth_low = -infinite, v.depth_high = infinite;
  }
  if (r.get<DB_RENDER_CONTROL::DEPTH_CLEAR_ENABLE>()) {
    const float clear = r.as_float<DB_DEPTH_CLEAR>();
    for (pipeline::Viewport& v : d.viewports) v.depth_low = v.depth_high = clear;
  }
}

// False: no state was found.
bool find(DrawContext& context, const DrawCall& call, DrawState& s) {
  const RegisterFile& r = context.registers;
  pipeline::Draw& d = s.draw;
  if (!stages_of(context, s.stages)) return false;
  d.stays_open = true;
  pipeline::Topology topology = pipeline::Topology::points;
  if (!call.explicit_mode && !topology_of(context, topology)) return false;
  d.assembly = assembly_of(r, topology);
  d.assembly.vertices_have_primitives = s.stages.last == VertexKind::api && r.get<VGT_PRIMITIVEID_EN::PRIMITIVEID_EN>();
  if (call.explicit_mode) {
    if (!vertices_of(context, call, d.vertices) || !s.grouper.prepare(context, s.stages, d)) return false;
    s.stages.grouper = &s.grouper;
  }
  viewports_of(r, d);
  d.clip = clip_of(context);
  d.rasterization = rasterization_of(context);
  d.depth_stencil = depth_stencil_of(context);
  d.colour = colour_output_of(context);
  find_depth_range(r, d);
  if (!bind_targets(context, d)) return false;
  auto pixels = std::make_shared<PixelState>();
  if (!s.vertex_stage.prepare(context, s.stages) || !find_pixel_state(context, d.rasterization, *pixels)) return false;
  s.staged = s.stages.tessellation || s.stages.geometry;
  s.only_reads = !s.staged && s.vertex_stage.only_reads();
  // (fill_rectangle() runs the vertex shader again, so that it must have no side effects.)
  d.uniform_pixels = s.only_reads && pixels->uniform_pixels();
  s.may_wait = pixels->may_wait() && d.stays_open && !context.options.strict;
  s.line_goes_on = d.rasterization.line_stipple || d.rasterization.line_coordinate;
  s.is_plain =
      s.may_wait && !call.explicit_mode && !depth_is_plain(r) && s.only_reads && !StreamEnables::get(r, 0) && !s.line_goes_on;
  s.pixels = std::move(pixels);
  return true;
}

}  // namespace

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

std::shared_ptr<const DrawState> find_draw_state(DrawContext& context, const DrawCall& call) {
  auto state = std::make_shared<DrawState>();
  if (!find(context, call, *state)) return nullptr;
  if (state->is_plain) state->number = pipeline::new_draw_state();
  return state;
}

std::shared_ptr<const DrawState> known_draw_state(const DrawContext& context) {
  if (context.options.uses) return nullptr;  // what it uses is to be told
  return context.known_state.of(origin_of(context));
}

void keep_draw_state(DrawContext& context, std::shared_ptr<const DrawState> state, uint64_t report_count) {
  if (!state->is_plain) return;
  context.known_state.forget();
  if (context.report_count() == report_count) context.known_state.keep(std::move(state), origin_of(context));
}

}  // namespace Atoll::sea_islands
