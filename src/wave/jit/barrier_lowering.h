// The work-group's barrier and a wave's end in compiled code, as work_group.h has them: all waves of a group run on one thread. Whose
// turn it is next goes on without the executor where it can.
#pragma once
#include "wave/jit/function_builder.h"

namespace Atoll::wave {

void signal_barrier(FunctionBuilder& f);
// Ends the function.
void wait_barrier(FunctionBuilder& f, const CodeRegion& region);
// Goes on with another wave; if there is none, falls through, and the executor does it.
void end_wave(FunctionBuilder& f);

}  // namespace Atoll::wave
