// Sea Islands (GCN2, gfx7) as the engines see it: words to steps, registers, float mode.
#pragma once
#include "wave/program.h"

namespace Atoll::gfx7 {

// One object for all chips of the family; waves have 64 lanes.
const wave::Isa& isa();

wave::FloatMode float_mode_of(uint32_t mode_register);

}  // namespace Atoll::gfx7
