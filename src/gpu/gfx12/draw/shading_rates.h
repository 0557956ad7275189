// Rates of shading: the sizes of the pixels that the PS stage shades as one. The draw's (GE_VRS_RATE), the provoking vertex's, the
// primitive's and a surface's are combined one after the other (PA_CL_VRS_CNTL), sample shading's behind them, and what
// PA_SC_VRS_OVERRIDE_CNTL says last. Mesa 25.0.7 src/amd/registers/gfx12.json, radv_cmd_buffer.c (radv_emit_fragment_shading_rate_state),
// si_state.c (the combiners' order, and what leaves them out); AMD's PAL, src/core/hw/gfxip/gfx12/gfx12UniversalCmdBuffer.cpp
// (CmdSetPerDrawVrsRate, CmdBindSampleRateImage).
#pragma once
#include <cstdint>

#include "gpu/gfx12/state/register_context.h"
#include "pipeline/state.h"

namespace Atoll::gfx12 {

// VRSrate as a rate here: bit 1 of two pixels across, bit 0 of two down. This chip has none greater, and takes them for those.
constexpr uint8_t rate_of(uint32_t vrs_rate) {
  const uint32_t across = vrs_rate >> 2 & 3, down = vrs_rate & 3;
  if (across == 3 || down == 3) return 0;  // several runs a pixel, and what has no name
  return uint8_t((across != 0) << 1 | (down != 0));
}
// A primitive's own rate among the bits of pipeline::PrimitiveAttributes::rate, whose lowest are its provoking vertex's.
constexpr uint8_t primitive_rate(uint8_t rate) { return uint8_t(rate << 2); }

// The sizes of coarse pixels, where any is not single. False: the context is lost.
bool find_shading_rates(RegisterContext& context, pipeline::Rasterization& raster);
// True if the rates come from a surface, which other draws may write.
bool has_rate_surface(const RegisterFile& registers);

}  // namespace Atoll::gfx12
