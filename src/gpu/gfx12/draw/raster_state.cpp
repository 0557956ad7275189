#include "gpu/gfx12/draw/raster_state.h"

#include <algorithm>
#include <limits>

#include "gpu/amd/draw/raster_state.h"
#include "gpu/gfx12/state/draw_registers.h"

namespace Atoll::gfx12 {

bool topology_of(RegisterContext& context, pipeline::Topology& topology) {
  return gpu::amd::topology_of<DrawRegisters>(context.registers, context, topology);
}

pipeline::Assembly assembly_of(const RegisterFile& r, pipeline::Topology topology, bool indexed, unsigned index_bytes) {
  pipeline::Assembly assembly;
  assembly.topology = topology;
  gpu::amd::provoking_of<DrawRegisters>(r, assembly);
  // Odd triangles of strips with adjacency are OpenGL's (4.6, table 10.1) under either convention: shaders turn none of them (Mesa 25.0.7
  // si_state_draw.cpp, gs_tri_strip_adj_fix, is for GFX9 and older), and a gfx1200 passes piglit's gl-3.2-adj-prims with the first vertex
  // as the provoking one (it is not in gfx12-gfx1200-fail.csv of Mesa's radeonsi/ci, as it is in Hawaii's list).
  assembly.odd_adjacency_from_first = false;
  using Reset = GE_MULTI_PRIM_IB_RESET_EN;
  const auto reset = r.read<Reset>();
  assembly.restart = Reset::RESET_EN::get(reset) && (indexed || !Reset::DISABLE_FOR_AUTO_INDEX::get(reset));
  assembly.restart_index = r.whole<VGT_MULTI_PRIM_IB_RESET_INDX>();
  // Indices of 8 and 16 bits are compared with as many of the register's bits, unless all are to match.
  if (indexed && index_bytes < 4 && !Reset::MATCH_ALL_BITS::get(reset)) assembly.restart_index &= (1u << index_bytes * 8) - 1;
  assembly.patch_vertices = r.get<VGT_PRIMITIVE_TYPE::NUM_INPUT_CP>();
  assembly.first_primitive = r.whole<VGT_PRIMITIVEID_RESET>();
  return assembly;
}

void viewports_of(const RegisterFile& r, pipeline::Draw& draw) {
  gpu::amd::viewports_of<DrawRegisters>(r, draw);
  // Rectangles of viewports beside the programs' own scissors; of both together what is in both (Mesa 25.0.7 ac_cmdbuf.c,
  // gfx12_init_graphics_preamble_state, on PA_SC_VPORT_*; PAL switches them on in each pipeline).
  if (r.get<PA_SC_MODE_CNTL_0::IMPLICIT_VPORT_SCISSOR_ENABLE>()) {
    for (unsigned n = 0; n < draw.viewport_scissors.size(); n++) {
      const pipeline::Rectangle own = gpu::amd::scissor_of<DrawRegisters, PA_SC_VPORT_TL, PA_SC_VPORT_BR>(r, n);
      pipeline::Rectangle& box = draw.viewport_scissors[n];
      box = !draw.scissor_viewports ? own
                                    : pipeline::Rectangle{std::max(box.left, own.left), std::max(box.top, own.top),
                                                          std::min(box.right, own.right), std::min(box.bottom, own.bottom)};
    }
    draw.scissor_viewports = true;
  }
  // RADV's draws without depth clamping (Mesa 25.0.7 radv_emit_depth_clamp_enable()).
  if (!r.get<DB_VIEWPORT_CONTROL::DISABLE_VIEWPORT_CLAMP>()) return;
  constexpr float infinite = std::numeric_limits<float>::infinity();
  for (pipeline::Viewport& v : draw.viewports) v.depth_low = -infinite, v.depth_high = infinite;
}

pipeline::DiscardBand discard_band_of(const RegisterFile& r) { return gpu::amd::discard_band_of<DrawRegisters>(r); }

pipeline::Clip clip_of(RegisterContext& context) {
  const RegisterFile& r = context.registers;
  if (PA_CL_CLIP_CNTL::ZCLIP_PROG_NEAR_ENA::peek(r.read<PA_CL_CLIP_CNTL>()))
    context.unknown("PA_CL_CLIP_CNTL.ZCLIP_PROG_NEAR_ENA");
  return gpu::amd::clip_of<DrawRegisters>(r, context);
}

pipeline::Rasterization rasterization_of(RegisterContext& context) {
  const RegisterFile& r = context.registers;
  pipeline::Rasterization raster = gpu::amd::rasterization_of<DrawRegisters>(r, context);
  using Control = PA_SC_CONSERVATIVE_RASTERIZATION_CNTL;
  const auto control = r.read<Control>();
  const bool touched = Control::OVER_RAST_ENABLE::get(control), whole = Control::UNDER_RAST_ENABLE::get(control);
  // Triangles alone: RADV advertises neither points nor lines (Mesa 25.0.7 radv_physical_device.c), and no text tells of them. Both at once
  // are PAL's of GFX9 for touched pixels whose programs ask whether they are covered whole (gfx9UniversalCmdBuffer.cpp, WriteSpiPsInputEna
  // of GFX12 asks by COVERAGE_TO_SHADER_SELECT).
  using Type = VGT_GS_OUTPRIM_TYPE;
  const uint32_t type = r.get<VGT_GS_OUT_PRIM_TYPE::OUTPRIM_TYPE>();
  if ((touched || whole) && type != Type::POINTLIST && type != Type::LINESTRIP) {
    using Conservative = pipeline::Rasterization::Conservative;
    raster.conservative = touched ? Conservative::touched : Conservative::whole;
    raster.sample_positions.fill({8, 8}), raster.other_pixels.reset();
    // (OVERRASTERIZATION_AMOUNT is written with it, and would add nothing: all samples are covered or none.)
    raster.over_rasterize = false;
  }
  return raster;
}

}  // namespace Atoll::gfx12
