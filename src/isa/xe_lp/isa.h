// An Xe-LP EU thread as the engines see it: words to steps, registers, float mode. Stateless; a wave has 32 channels.
#pragma once
#include "wave/program.h"

namespace Atoll::xe_lp {

const wave::Isa& isa();

// The float mode that cr0.0 says.
wave::FloatMode float_mode_of(uint32_t cr0);

}  // namespace Atoll::xe_lp
