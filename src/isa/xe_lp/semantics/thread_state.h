// The state that tells threads apart and makes them wait.
#pragma once
#include "isa/xe_lp/semantics/operands.h"
#include "wave/work_group.h"

namespace Atoll::xe_lp {

// Everything before an instruction has happened when it begins: what waits for that alone does nothing. sync.bar waits for the
// barrier that a message to the gateway signalled.
template <class A>
void sync(A& e, const Instruction& i) {
  if (SyncFunction(i.function) != SyncFunction::Bar) return;
  if constexpr (A::Core::recording)
    e.core.wait_barrier();
  else if (e.core.wave.group)
    wave::wait(*e.core.wave.group, e.core.wave);
}

}  // namespace Atoll::xe_lp
