// The effects of a program besides those on its own registers.
#pragma once
#include <cstdint>
#include <span>

#include "wave/program.h"

namespace Atoll::sea_islands {

// True if it does nothing but compute, load and export, so that nobody can tell when its waves run as long as memory stays as it
// is: no stores and atomics, global data share, messages, clocks, traps, and no jump to an address that stands in a register.
// False for anything that is not known to be harmless.
bool only_reads(const wave::Program& program);

// True if a pixel shader that only reads leaves the same in all its waves that are covered whole and whose attributes are the
// same everywhere: it goes straight from `entry` to its end and reads what differs, VGPRs `varying`, for nothing but
// interpolation. False if that is not known.
bool same_in_blocks(const wave::Program& program, uint64_t entry, std::span<const unsigned> varying);

// The targets (a bit each, by EXP's number) to which a program exports all pixels that it starts with, and kills none (isa/amd/covered_exports.h).
uint32_t covered_exports(const wave::Program& program, uint64_t entry);

}  // namespace Atoll::sea_islands
