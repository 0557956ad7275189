// What a program may change besides its own registers.
#pragma once
#include <cstdint>
#include <span>

#include "wave/program.h"

namespace Atoll::sea_islands {

// Whether it does nothing but compute, load and export, so that nobody can tell when its waves run as long as memory stays as it is:
// no stores and atomics, global data share, messages, clocks, traps, and no jump to an address that stands in a register. What is
// not known to be harmless is none of it.
bool only_reads(const wave::Program& program);

// Whether a program that only reads, of a pixel shader, leaves the same in all its waves that are covered whole and whose attributes
// are the same everywhere: it goes straight from `entry` to its end and reads what differs, VGPRs `varying`, for nothing but
// interpolation. What is not known to is none of it.
bool same_in_blocks(const wave::Program& program, uint64_t entry, std::span<const unsigned> varying);

// The targets (a bit each, by EXP's number) to which a program exports all pixels that it starts with, and kills none (isa/amd/covered_exports.h).
uint32_t covered_exports(const wave::Program& program, uint64_t entry);

}  // namespace Atoll::sea_islands
