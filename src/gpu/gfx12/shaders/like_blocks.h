// Tells whether a pixel shader gives all pixels of a primitive with the same attributes everywhere the same colours.
#pragma once
#include <cstdint>
#include <span>

#include "wave/program.h"

namespace Atoll::gfx12 {

// The likeness of the results of waves that are covered whole and whose attributes are the same everywhere. It is known for a
// pixel shader that only reads: it goes straight from `entry` to its end and reads what differs, VGPRs `varying`, for nothing but
// interpolation. False if that is not known.
struct Likeness {
  bool by_lane = false;     // all waves leave the same, lane by lane
  bool everywhere = false;  // and so do all lanes of a wave
};
Likeness likeness(const wave::Program& program, uint64_t entry, unsigned lanes, std::span<const unsigned> varying);

}  // namespace Atoll::gfx12
