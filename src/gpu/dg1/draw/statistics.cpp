#include "gpu/dg1/draw/statistics.h"

namespace Atoll::dg1 {

using namespace commands;

CountingStages counting_stages(const GraphicsState& s) {
  return {.fetch = s.get<_3DSTATE_VF_STATISTICS::Statistics_Enable>() != 0,
          .vertices = s.get<_3DSTATE_VS::Statistics_Enable>() != 0,
          .hull = s.get<_3DSTATE_HS::Statistics_Enable>() != 0,
          .domain = s.get<_3DSTATE_DS::Statistics_Enable>() != 0,
          .geometry = s.get<_3DSTATE_GS::Statistics_Enable>() != 0,
          .clip = s.get<_3DSTATE_CLIP::Statistics_Enable>() != 0,
          .pixels = s.get<_3DSTATE_WM::Statistics_Enable>() != 0,
          .geometry_increment = uint32_t(s.get<_3DSTATE_GS::Invocations_Increment_Value>()) + 1};
}

void count_statistics(Context& c, const CountingStages& of, const pipeline::Counters& n) {
  auto add = [&](bool enabled, uint32_t address, uint64_t count) {
    if (enabled && count) c.registers.write64(address, c.registers.read64(address) + count);
  };
  add(of.fetch, mmio::ia_vertices, n.vertices);
  add(of.fetch, mmio::ia_primitives, n.primitives);
  add(of.vertices, mmio::vs_invocations, n.vertex_invocations);
  add(of.hull, mmio::hs_invocations, n.hull_invocations);
  add(of.domain, mmio::ds_invocations, n.domain_invocations);
  add(of.geometry, mmio::gs_invocations, n.geometry_invocations * of.geometry_increment);
  add(of.geometry, mmio::gs_primitives, n.geometry_primitives);
  add(of.clip, mmio::cl_invocations, n.clipped_primitives_in);
  add(of.clip, mmio::cl_primitives, n.clipped_primitives_out);
  add(of.pixels, mmio::ps_invocations, n.pixel_invocations);
  add(of.pixels, mmio::ps_depth_count, n.samples_passed);
}

void reset_statistics(Context& c) {
  for (const uint32_t address : {mmio::ia_vertices, mmio::ia_primitives, mmio::vs_invocations, mmio::hs_invocations,
                                 mmio::ds_invocations, mmio::gs_invocations, mmio::gs_primitives, mmio::cl_invocations,
                                 mmio::cl_primitives, mmio::ps_invocations, mmio::cs_invocations, mmio::ps_depth_count})
    c.registers.write64(address, 0);
}

}  // namespace Atoll::dg1
