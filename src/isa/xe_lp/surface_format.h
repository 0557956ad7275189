// The formats of surfaces (PRM volume 2a, SURFACE_FORMAT).
#pragma once
#include "surface/format.h"

namespace Atoll::xe_lp {

// The format of a code of SURFACE_FORMAT. Null: none, or none that the sampler and typed messages take here.
const surface::Format* surface_format(unsigned code);
// The code that a typed read takes the texels of a code as: itself where the data port converts it, else integers of the texel's size,
// so that a kernel gets the bits and unpacks them.
unsigned typed_read_format(unsigned code);
// By name, why a code has no such format. Null: it has one, or is no code.
const char* why_no_surface_format(unsigned code);

}  // namespace Atoll::xe_lp
