// Draws: what 3DPRIMITIVE asks for, by the state at hand.
#pragma once
#include <vector>

#include "gpu/dg1/draw/vertex_fetch.h"

namespace Atoll::dg1 {

// False: the context is lost.
bool draw(Context& context, const DrawParameters& parameters);

// Before a command that looks at memory or changes it: draws leave what they changed with the pipeline until then. False: the context
// is lost.
bool write_back(Context& context);

}  // namespace Atoll::dg1
