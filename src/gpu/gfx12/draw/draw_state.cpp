#include "gpu/gfx12/draw/draw_state.h"

#include <algorithm>

#include "gpu/gfx12/draw/fragment_state.h"
#include "gpu/gfx12/draw/raster_state.h"
#include "gpu/gfx12/draw/shading_rates.h"
#include "gpu/gfx12/draw/targets.h"
#include "gpu/gfx12/shaders/shaders.h"
#include "gpu/gfx12/state/draw_registers.h"

namespace Atoll::gfx12 {
namespace {

gpu::amd::DrawOrigin origin_of(const DrawContext& c) {
  return {c.registers.changes(), c.write_backs, c.shaders->invalidations()};
}

// Colour buffers where something is bound and written, depth and stencil where they are used. False: the context is lost.
bool bind_targets(DrawContext& context, pipeline::Draw& d) {
  TargetCache& cache = *context.targets;
  const RegisterFile& r = context.registers;
  pipeline::Targets& t = d.targets;
  auto include = [&](const SurfaceBlocks& s) {
    t.width = t.width ? std::min(t.width, s.pixels_across) : s.pixels_across;
    t.height = t.height ? std::min(t.height, s.pixels_down) : s.pixels_down;
    t.layers = std::max(t.layers, s.layers);  // a target with fewer drops what is beyond its own
    t.samples = std::max(t.samples, s.samples);
  };
  t.layers = 1;
  for (unsigned n = 0; n < d.colour.blend.size(); n++) {
    ColourSurface* surface = nullptr;
    if (!d.colour.blend[n].write_mask) continue;
    if (!cache.colour(context, n, surface)) return false;
    if (!surface) continue;
    const pipeline::SurfaceTarget& blocks = *surface->blocks;
    const surface::Format& format = blocks.texture.format();
    const bool truncates = r.get<CB_COLOR_INFO::ROUND_MODE>(n) && format.number == surface::Number::floating;
    t.colour[n] = {surface->blocks.get(), format, blocks.texel_bytes, truncates,
                   r.get<CB_COLOR_ATTRIB::FORCE_DST_ALPHA_1>(n) != 0};
    include(*surface->blocks);
  }
  DepthSurface* depth = nullptr;
  pipeline::DepthStencil& tests = d.depth_stencil;
  if ((tests.depth_test || tests.stencil_test || tests.bounds_test) && !cache.depth(context, depth)) return false;
  if (depth && depth->depth) {
    t.depth.depth = depth->depth.get(), t.depth.depth_bits = depth->depth_bits;
    include(*depth->depth);
  } else {
    tests.depth_test = tests.depth_write = tests.bounds_test = false;
  }
  if (depth && depth->stencil) {
    t.depth.stencil = depth->stencil.get();
    include(*depth->stencil);
  } else {
    tests.stencil_test = false;
  }
  if (!t.width) {  // nothing is drawn into; counters and stores of shaders still happen
    t.width = t.height = 65536;
    t.layers = 2048;
    t.samples = 1u << std::min(r.get<PA_SC_AA_CONFIG::MSAA_NUM_SAMPLES>(), 4u);
  }
  return !context.lost();
}

// The topology of the primitives that the last stage before pixels leaves.
pipeline::Topology rasterized_topology(const RegisterFile& r) {
  using Type = VGT_GS_OUT_PRIM_TYPE::OUTPRIM_TYPE;
  switch (r.get<Type>()) {
    case Type::POINTLIST: return pipeline::Topology::points;
    case Type::LINESTRIP: return pipeline::Topology::lines;
    case Type::RECT_2D:
    case Type::RECTLIST: return pipeline::Topology::rectangles;
    default: return pipeline::Topology::triangles;
  }
}

// False: there is none.
bool find(DrawContext& context, DrawState& s) {
  const RegisterFile& r = context.registers;
  if (!context.targets) context.targets = std::make_shared<TargetCache>();
  context.targets->trim(context);
  pipeline::Draw& d = s.draw;
  d.stays_open = true;
  if (!s.primitive_stage.prepare(context)) return false;
  d.given_attributes = s.primitive_stage.attribute_count();
  d.assembly.topology = rasterized_topology(r);
  viewports_of(r, d);
  d.clip = clip_of(context);
  d.rasterization = rasterization_of(context);
  d.depth_stencil = depth_stencil_of(context);
  d.colour = colour_output_of(context);
  if (!bind_targets(context, d)) return false;
  auto pixels = std::make_shared<PixelState>();
  if (!find_pixel_state(context, d.rasterization, d.given_attributes, *pixels)) return false;
  // If all pixels of a primitive are alike, nobody but those who count them can tell how many are shaded as one; drivers then ask
  // for coarse ones of their own accord (Mesa 25.0.7 si_state_draw.cpp, allow_flat_shading).
  if (!pixels->same_in_primitives() && !find_shading_rates(context, d.rasterization)) return false;
  pixels->is_coarse = d.rasterization.has_coarse_pixels;
  d.uniform_pixels = pixels->uniform_pixels();
  s.may_wait = pixels->may_wait() && !context.options.strict;
  s.line_goes_on = d.rasterization.line_stipple || d.rasterization.line_coordinate;
  s.is_plain = !s.line_goes_on && !d.rasterization.coarse_places;
  s.pixels = std::move(pixels);
  return true;
}

}  // namespace

bool input_of(DrawContext& context, const DrawCall& call, pipeline::Vertices& v, pipeline::Assembly& assembly) {
  const RegisterFile& r = context.registers;
  pipeline::Topology topology{};
  if (!topology_of(context, topology)) return false;
  assembly = assembly_of(r, topology, call.indexed, call.index_bytes);
  v.count = call.count;
  v.instances = call.instances;
  v.base_vertex = int32_t(r.whole<GE_INDX_OFFSET>());
  v.lowest = r.whole<GE_MIN_VTX_INDX>();
  v.highest = r.whole<GE_MAX_VTX_INDX>();
  if (!call.indexed) return true;
  v.index_bytes = call.index_bytes;
  v.index_limit = std::min(call.count, call.index_limit);
  if (!v.index_limit) return true;
  v.indices = context.memory(call.index_address, v.index_limit * v.index_bytes, false, "index buffer");
  return v.indices != nullptr;
}

std::shared_ptr<const DrawState> find_draw_state(DrawContext& context) {
  auto state = std::make_shared<DrawState>();
  if (!find(context, *state)) return nullptr;
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

}  // namespace Atoll::gfx12
