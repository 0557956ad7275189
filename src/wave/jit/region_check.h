// Checks what compiled code takes for granted about a recorded region, before LLVM sees it, in every build: nodes are made of
// earlier nodes of the right types, registers stand in the register file, and each access that compiled code makes itself is
// covered by its group's guard. A failure is our own fault, and the region is not compiled.
#pragma once
#include "base/expected.h"
#include "wave/jit/access_plan.h"

namespace Atoll::wave {

// `width`: lanes of a chunk, as the plan was made for. The error names node and instruction.
Expected<void> check_region(const CodeRegion& region, const AccessPlan& plan, const RegisterFile& file, const Wave& like,
                            int width);

}  // namespace Atoll::wave
