// Whether a pixel shader gives pixels of a primitive whose attributes are the same everywhere the same colours.
#pragma once
#include <cstdint>
#include <span>

#include "wave/program.h"

namespace Atoll::gfx12 {

// What a program that only reads, of a pixel shader, leaves in waves that are covered whole and whose attributes are the same everywhere:
// it goes straight from `entry` to its end and reads what differs, VGPRs `varying`, for nothing but interpolation. What is not known to
// is none of it.
struct Likeness {
  bool by_lane = false;     // all waves leave the same, lane by lane
  bool everywhere = false;  // and so do all lanes of a wave
};
Likeness likeness(const wave::Program& program, uint64_t entry, unsigned lanes, std::span<const unsigned> varying);

}  // namespace Atoll::gfx12
