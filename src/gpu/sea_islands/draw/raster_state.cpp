#include "gpu/sea_islands/draw/raster_state.h"

#include "gpu/amd/draw/raster_state.h"
#include "gpu/sea_islands/state/draw_registers.h"

namespace Atoll::sea_islands {

bool topology_of(RegisterContext& context, pipeline::Topology& topology) {
  return gpu::amd::topology_of<DrawRegisters>(context.registers, context, topology);
}

pipeline::Assembly assembly_of(const RegisterFile& r, pipeline::Topology topology) {
  pipeline::Assembly assembly;
  assembly.topology = topology;
  gpu::amd::provoking_of<DrawRegisters>(r, assembly);
  assembly.restart = r.get<VGT_MULTI_PRIM_IB_RESET_EN::RESET_EN>();
  assembly.restart_index = r.whole<VGT_MULTI_PRIM_IB_RESET_INDX>();
  assembly.first_primitive = r.whole<VGT_PRIMITIVEID_RESET>();
  assembly.primitives_go_on = r.get<VGT_PRIMITIVEID_EN::DISABLE_RESET_ON_EOI>();
  return assembly;
}

void viewports_of(const RegisterFile& r, pipeline::Draw& draw) { gpu::amd::viewports_of<DrawRegisters>(r, draw); }

pipeline::DiscardBand discard_band_of(const RegisterFile& r) { return gpu::amd::discard_band_of<DrawRegisters>(r); }

pipeline::Clip clip_of(RegisterContext& context) { return gpu::amd::clip_of<DrawRegisters>(context.registers, context); }

// Samples beyond those of the depth buffer, as EQAA has them. Anchors are what the colour block may use at most; 0, as a reset
// leaves it, does not say that there are fewer.
static void depths_of_samples(RegisterContext& context, pipeline::Rasterization& raster) {
  const RegisterFile& r = context.registers;
  const auto eqaa = r.read<DB_EQAA>();
  const auto depth = r.read<DB_Z_INFO>();
  if (!DB_EQAA::INTERPOLATE_SRC_Z::get(eqaa) && DB_Z_INFO::FORMAT::get(depth) != DB_Z_INFO::FORMAT::Z_INVALID)
    raster.depth_samples = 1u << DB_Z_INFO::NUM_SAMPLES::get(depth);
  const uint32_t anchors = DB_EQAA::MAX_ANCHOR_SAMPLES::peek(eqaa);
  if (anchors && raster.samples > 1u << std::min(anchors, 4u)) context.unknown("DB_EQAA.MAX_ANCHOR_SAMPLES: fewer than samples");
}

pipeline::Rasterization rasterization_of(RegisterContext& context) {
  const RegisterFile& r = context.registers;
  pipeline::Rasterization raster = gpu::amd::rasterization_of<DrawRegisters>(r, context);
  if (raster.samples > 1 && r.get<PA_SC_MODE_CNTL_0::MSAA_ENABLE>()) depths_of_samples(context, raster);
  return raster;
}

}  // namespace Atoll::sea_islands
