// The work-group's barrier in compiled code, as work_group.h has it: all waves of a group run on one thread.
#pragma once
#include "wave/jit/function_builder.h"

namespace Atoll::wave {

void signal_barrier(FunctionBuilder& f);
// Ends the function.
void wait_barrier(FunctionBuilder& f, const CodeRegion& region);

}  // namespace Atoll::wave
