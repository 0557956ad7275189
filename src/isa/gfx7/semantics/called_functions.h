// Functions of one operand whose steps compiled code does not have in line on hosts without fused multiply-adds: it calls them.
#pragma once
#include <cstdint>

#include "wave/lane_function.h"

namespace Atoll::gfx7 {

enum class CalledFunction : uint8_t { reciprocal_root, exponential, logarithm, sine, cosine };
const wave::LaneFunctions& called_functions(CalledFunction function);

}  // namespace Atoll::gfx7
