// The formats of surfaces (PRM volume 2a, SURFACE_FORMAT).
#pragma once
#include "surface/format.h"

namespace Atoll::xe_lp {

// Of a code of SURFACE_FORMAT. Null: none, or none that the neutral formats can say.
const surface::Format* surface_format(unsigned code);

}  // namespace Atoll::xe_lp
