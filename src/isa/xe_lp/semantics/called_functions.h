// Functions of the extended math unit whose steps compiled code does not have in line on hosts without fused multiply-adds: it calls them.
#pragma once
#include "isa/xe_lp/instruction.h"
#include "wave/lane_function.h"

namespace Atoll::xe_lp {

// Null: its steps are few.
const wave::LaneFunctions* called_functions(MathFunction function);

}  // namespace Atoll::xe_lp
