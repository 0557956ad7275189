// A stage's push constants: 3DSTATE_CONSTANT_ALL or the stage's own command, whichever came last. PRM volume 2a, 3DSTATE_CONSTANT(Body),
// 3DSTATE_CONSTANT_ALL.
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/dg1/state/context.h"

namespace Atoll::dg1 {

// Registers' worth of words, buffer after buffer, in their order. False: the context is lost.
bool read_push_constants(Context& context, Stage stage, std::vector<uint32_t>& words);

}  // namespace Atoll::dg1
