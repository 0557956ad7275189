// What CLEAR_STATE makes of the context registers. Linux drivers/gpu/drm/radeon/clearstate_ci.h: ranges and values.
#pragma once
#include "gpu/sea_islands/state.h"

namespace Atoll::sea_islands {

void clear_state(RegisterFile& registers);

}  // namespace Atoll::sea_islands
