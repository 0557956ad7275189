// The state in which a kernel driver hands a chip to its first user.
#pragma once
#include "gpu/amd/not_yet.h"
#include "gpu/chips/chip.h"
#include "gpu/r5xx/state.h"

namespace Atoll::r5xx {

// The manual's defaults, and over them what Linux programs before the first user's buffer: drivers/gpu/drm/radeon/rv515.c
// (rv515_ring_start), r420.c (r420_pipes_init).
void reset(RegisterFile& registers, const gpu::Chip& chip);

// The checks of fields that do not act yet.
const gpu::amd::NotYet& not_yet_of(const gpu::Chip& chip);

}  // namespace Atoll::r5xx
