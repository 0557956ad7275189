// Messages to shared functions.
#pragma once
#include "isa/xe_lp/semantics/operands.h"

namespace Atoll::xe_lp {

template <class A>
void send(A& e, const Instruction&) {
  e.core.illegal("sends are not executed yet");
}

}  // namespace Atoll::xe_lp
