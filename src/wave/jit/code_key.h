// The key of a region's machine code: all that it depends on. Regions with the same key have the same code, whichever program
// they are of: a pixel shader in the frames of several states (src/pixel) differs in its first and last regions alone.
#pragma once
#include <array>
#include <cstdint>

#include "wave/jit/access_plan.h"
#include "wave/jit/compiler.h"

namespace Atoll::wave {

using CodeKey = std::array<uint8_t, 32>;  // a digest that nobody knows how to make two inputs for

// `width`: lanes of a chunk. Not of loops over several regions.
CodeKey code_key(const Program& program, const RegionSet& set, const CodeRegion& region, const AccessPlan& plan,
                 const CompileOptions& options, int width);

}  // namespace Atoll::wave
