// Whether a pixel shader gives blocks that a primitive covers whole the same colours.
#pragma once
#include <cstdint>
#include <span>

#include "wave/program.h"

namespace Atoll::gfx12 {

// Whether a program that only reads, of a pixel shader, leaves the same in all its waves of 64 lanes that are covered whole and whose
// attributes are the same everywhere: it goes straight from `entry` to its end and reads what differs, VGPRs `varying`, for nothing but
// interpolation. What is not known to is none of it.
bool same_in_blocks(const wave::Program& program, uint64_t entry, std::span<const unsigned> varying);

}  // namespace Atoll::gfx12
