// The registers of a draw, as gpu/amd/draw reads them.
#pragma once
#include "gpu/amd/draw/register_names.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {

struct DrawRegisters {
  ATOLL_DRAW_REGISTERS(sea_islands)
  using PA_CL_ENHANCE = sea_islands::PA_CL_ENHANCE;
  using PA_SC_ENHANCE = sea_islands::PA_SC_ENHANCE;
  static constexpr bool last_pixel_is_inside = false;
  using StippleReset = sea_islands::PA_SC_LINE_STIPPLE::AUTO_RESET_CNTL;
  static constexpr const char* stipple_reset_name = "PA_SC_LINE_STIPPLE.AUTO_RESET_CNTL";
  using ShadedSamples = sea_islands::DB_EQAA::PS_ITER_SAMPLES;
};

}  // namespace Atoll::sea_islands
