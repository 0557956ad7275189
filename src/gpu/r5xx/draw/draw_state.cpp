#include "gpu/r5xx/draw/draw_state.h"

#include <algorithm>

#include "gpu/r5xx/draw/cleared_tiles.h"
#include "gpu/r5xx/draw/draw.h"
#include "gpu/r5xx/draw/fragment_state.h"
#include "gpu/r5xx/shaders/shader_files.h"

namespace Atoll::r5xx {
namespace {

// False of functions that return bool: the context is lost.
class Finding {
public:
  Finding(DrawState& state, DrawEngine& engine, Context& context, pipeline::Workers& workers)
      : s_(state), engine_(engine), c_(context), workers_(workers), samples_(sample_count(context.registers)) {}

  bool run(const PrimitiveRow& primitive) {
    const RegisterFile& r = c_.registers;
    s_.outputs = vertex_outputs_of(r);
    s_.draw.assembly = assembly_of(r, primitive);
    s_.draw.viewports[0] = viewport_of(r);
    s_.draw.clip = clip_of(c_);
    s_.draw.rasterization = rasterization_of(c_, s_.outputs);
    if (!find_shaders() || !bind_targets()) return false;
    find_pixel_state(primitive.kind);
    s_.draw.colour = colour_output_of(c_, s_.buffers);
    // (No pixel program writes to memory.)
    s_.may_wait = s_.draw.stays_open && !r.get<RB3D_AARESOLVE_CTL::AARESOLVE_MODE>() && !r.get<ZB_BW_CNTL::ZB_CB_CLEAR>() &&
                  !c_.options.strict && !goes_on_measuring(r);
    return !c_.lost();
  }

private:
  DrawState& s_;
  DrawEngine& engine_;
  Context& c_;
  pipeline::Workers& workers_;
  const unsigned samples_;

  bool find_shaders() {
    const RegisterFile& r = c_.registers;
    auto pixel = engine_.shaders().pixel(r, c_.pixel_memory);
    if (!pixel) return c_.lose(pixel.error().message);
    write_program(c_, **pixel, "ps");
    s_.pixel_shader = *pixel;
    if (r.get<VAP_CNTL_STATUS::PVS_BYPASS>()) return true;
    auto vertex = engine_.shaders().vertex(r, c_.vertex_memory);
    if (!vertex) return c_.lose(vertex.error().message);
    write_program(c_, **vertex, "vs");
    s_.vertex_shader = *vertex;
    return true;
  }

  // If memory is missing, stores that fail are to be reported for this draw.
  SurfaceTarget& target(const SurfacePlace& place) {
    SurfaceTarget& target = engine_.target(place);
    s_.draw.stays_open = s_.draw.stays_open && target.mapped();
    return target;
  }

  bool bind_targets() {
    s_.draw.stays_open = true;
    const RegisterFile& r = c_.registers;
    const Area area = scissor_area_of(r);
    const unsigned copies = r.get<RB3D_CCTL::NUM_MULTIWRITES>() + 1;
    auto& t = s_.draw.targets;
    t.width = area.width, t.height = area.height, t.samples = samples_;
    for (unsigned n = 0; n < s_.buffers.size(); n++) {
      // Buffers besides the first are left alone where the program gives them nothing.
      if (n > 0 && copies == 1 && !(s_.pixel_shader->outputs >> n & 1)) continue;
      auto buffer = colour_buffer_of(c_, n, samples_);
      if (!buffer) return false;
      s_.buffers[n] = *buffer;
      if (!buffer->bound) continue;
      s_.colour[n] = &target(buffer->place);
      t.colour[n] = {s_.colour[n], buffer->format, buffer->place.surface.element_bytes, false};
      t.width = std::min(t.width, buffer->place.surface.pitch);
      if (!r.get<RB3D_CCTL::CMASK_ENABLE>()) continue;
      s_.clears = true;
      if (!clear_colour_tiles(c_, engine_, workers_, *buffer, n)) return false;
    }
    pipeline::DepthStencil& tested = s_.draw.depth_stencil = depth_stencil_of(c_);
    const bool tests = tested.depth_test || tested.stencil_test;
    // r300g has cleared tiles written by a draw that may write depths and does not test them (22.3.6 r300_context.c,
    // dsa_decompress_zmask); which of the two lets the chip do it is not published.
    const bool fills = r.get<ZB_BW_CNTL::FAST_FILL>() && !r.get<ZB_BW_CNTL::ZB_CB_CLEAR>() &&
                       (tests || ZB_CNTL::ZWRITEENABLE::get(r.read<ZB_CNTL>()));
    if (!tests && !fills) return true;
    auto depth = depth_buffer_of(c_, samples_);
    if (!depth) return false;
    s_.depth = &target(depth->place);
    s_.clears |= fills;
    if (fills && !clear_depth_tiles(c_, engine_, workers_, *depth)) return false;
    if (!tests) return true;
    t.depth = {s_.depth, depth->bits, nullptr, depth->bits == 24, depth->code};
    if (depth->bits == 16) tested.stencil_test = false;
    t.width = std::min(t.width, depth->place.surface.pitch - std::min(depth->place.surface.pitch, depth->place.left));
    return true;
  }

  void find_pixel_state(DrawnKind kind) {
    const RegisterFile& r = c_.registers;
    PixelState& state = s_.pixels;
    const bool polygons_as_others = kind == DrawnKind::triangles && r.get<GA_POLY_MODE::POLY_MODE>();
    for (DrawnKind drawn : {DrawnKind::points, DrawnKind::lines, DrawnKind::triangles}) {
      if (drawn != kind && !polygons_as_others) continue;
      Routing& routed = state.routing[size_t(drawn)] = routing_of(c_, s_.outputs, drawn);
      if (drawn == kind) s_.draw.uniform_pixels = routed.of_attributes_alone() && !r.get<FG_FOG_BLEND::ENABLE>();
    }
    const unsigned copies = r.get<RB3D_CCTL::NUM_MULTIWRITES>() + 1;
    for (unsigned n = 0; n < s_.buffers.size(); n++)
      state.outputs[n] = {s_.buffers[n].bound, uint8_t(copies > 1 ? 0 : n), s_.buffers[n].shader_channel};
    read_registers(state, r);
  }
};

}  // namespace

std::shared_ptr<const DrawState> find_draw_state(DrawEngine& engine, Context& context, pipeline::Workers& workers,
                                                 const PrimitiveRow& primitive) {
  auto state = std::make_shared<DrawState>();
  if (!Finding(*state, engine, context, workers).run(primitive)) return nullptr;
  state->number = pipeline::new_draw_state();
  return state;
}

}  // namespace Atoll::r5xx
