// One colour into one sample of a target: blending or a logic operation, encoding, the write mask.
#pragma once
#include "texel.h"

namespace Atoll::pipeline::oracle {

// `second`: the second source, or null. `texel` is changed.
void write_colour(const ColourOutput& output, unsigned number, const ColourTarget& target, const Colour& source,
                  const Colour* second, uint8_t* texel);

// True if output `number` writes anything into the target.
bool writes_colour(const ColourOutput& output, unsigned number, const ColourTarget& target);

}  // namespace Atoll::pipeline::oracle
