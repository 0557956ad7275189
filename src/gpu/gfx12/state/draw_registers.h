// The registers of a draw, as gpu/amd/draw reads them.
#pragma once
#include "gpu/amd/draw/register_names.h"
#include "registers/gfx12.h"

namespace Atoll::gfx12 {

struct DrawRegisters {
  ATOLL_DRAW_REGISTERS(gfx12)
  using PA_SC_CLIPRECT_EXT = gfx12::PA_SC_CLIPRECT_EXT;
  // Mesa 25.0.7 src/gallium/drivers/radeonsi/si_state_viewport.c, si_emit_one_scissor.
  static constexpr bool last_pixel_is_inside = true;
  using StippleReset = gfx12::PA_SC_LINE_STIPPLE_RESET::AUTO_RESET_CNTL;
  static constexpr const char* stipple_reset_name = "PA_SC_LINE_STIPPLE_RESET.AUTO_RESET_CNTL";
  using ShadedSamples = gfx12::PA_SC_AA_CONFIG::PS_ITER_SAMPLES;
};

using TargetEnables = gpu::amd::TargetEnables<DrawRegisters>;
using OutputEnables = gpu::amd::OutputEnables<DrawRegisters>;
using UserClipPlanes = gpu::amd::UserClipPlanes<DrawRegisters>;

}  // namespace Atoll::gfx12
