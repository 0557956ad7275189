// RDNA4 as the engines see it: words to steps, registers, float mode. One object per wave size and allocation of VGPRs.
#pragma once
#include "isa/rdna4/allocation.h"
#include "wave/program.h"

namespace Atoll::rdna4 {

// gfx1200 and gfx1201 execute the same instructions.
const wave::Isa& isa(unsigned wave_size, const Allocation& allocation = {});

// Waits (all counters reached), hints and delays do nothing in an engine that runs in order.
wave::FloatMode float_mode_of(uint32_t mode_register);

}  // namespace Atoll::rdna4
