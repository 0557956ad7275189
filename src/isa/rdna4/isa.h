// RDNA4 as the engines see it: words to steps, registers, float mode. One object per wave size and allocation of VGPRs.
#pragma once
#include "isa/rdna4/allocation.h"
#include "wave/program.h"

namespace Atoll::rdna4 {

// Arithmetic exceptions and a trap handler's single steps are watched for, which is slow, only where a program can see them
// (reads_exceptions() of watched.h) or the waves have a trap handler.
enum class Exceptions : uint8_t { unseen, watched };

// gfx1200 and gfx1201 execute the same instructions.
const wave::Isa& isa(unsigned wave_size, const Allocation& allocation = {}, Exceptions exceptions = Exceptions::unseen);

// Waits (all counters reached), hints and delays do nothing in an engine that runs in order.
wave::FloatMode float_mode_of(uint32_t mode_register);

}  // namespace Atoll::rdna4
