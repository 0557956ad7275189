// The values that CLEAR_STATE gives the context registers. Linux drivers/gpu/drm/radeon/clearstate_ci.h: ranges and
// values.
#pragma once
#include "gpu/amd/register_file.h"

namespace Atoll::sea_islands {

void clear_state(gpu::amd::RegisterFile& registers);

}  // namespace Atoll::sea_islands
