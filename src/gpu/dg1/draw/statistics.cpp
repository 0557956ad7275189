#include "gpu/dg1/draw/statistics.h"

namespace Atoll::dg1 {

using namespace commands;

void count_statistics(Context& c, const pipeline::Counters& n) {
  const GraphicsState& state = c.graphics;
  auto add = [&](bool enabled, uint32_t address, uint64_t count) {
    if (enabled && count) c.registers.write64(address, c.registers.read64(address) + count);
  };
  const bool fetch = state.get<_3DSTATE_VF_STATISTICS::Statistics_Enable>();
  add(fetch, mmio::ia_vertices, n.vertices);
  add(fetch, mmio::ia_primitives, n.primitives);
  add(state.get<_3DSTATE_VS::Statistics_Enable>(), mmio::vs_invocations, n.vertex_invocations);
  add(state.get<_3DSTATE_HS::Statistics_Enable>(), mmio::hs_invocations, n.hull_invocations);
  add(state.get<_3DSTATE_DS::Statistics_Enable>(), mmio::ds_invocations, n.domain_invocations);
  const bool geometry = state.get<_3DSTATE_GS::Statistics_Enable>();
  add(geometry, mmio::gs_invocations, n.geometry_invocations);
  add(geometry, mmio::gs_primitives, n.geometry_primitives);
  const bool clip = state.get<_3DSTATE_CLIP::Statistics_Enable>();
  add(clip, mmio::cl_invocations, n.clipped_primitives_in);
  add(clip, mmio::cl_primitives, n.clipped_primitives_out);
  const bool pixels = state.get<_3DSTATE_WM::Statistics_Enable>();
  add(pixels, mmio::ps_invocations, n.pixel_invocations);
  add(pixels, mmio::ps_depth_count, n.samples_passed);
}

}  // namespace Atoll::dg1
