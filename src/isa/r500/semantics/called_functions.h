// Functions of one operand whose steps compiled code does not have in line on hosts without fused multiply-adds: it calls them.
#pragma once
#include <cstdint>

#include "wave/lane_function.h"

namespace Atoll::r500 {

enum class CalledFunction : uint8_t { exponential, logarithm, reciprocal_root, sine, cosine, sine_of_angle, cosine_of_angle };
const wave::LaneFunctions& called_functions(CalledFunction function);

}  // namespace Atoll::r500
