// What an instruction does.
#pragma once
#include "isa/xe_lp/semantics/arithmetic.h"
#include "isa/xe_lp/semantics/compare.h"
#include "isa/xe_lp/semantics/control.h"
#include "isa/xe_lp/semantics/logic.h"
#include "isa/xe_lp/semantics/send.h"

namespace Atoll::xe_lp {

template <class A>
void execute(A& e, const Instruction& i) {
  if (is_send(i.op)) return send(e, i);
  if (i.op == Op::Join) return join(e, i);
  if (is_control(i.op)) return control(e, i);
  if (i.op == Op::Cmp) return compare(e, i);
  if (is_logic(i.op)) return logic(e, i);
  arithmetic(e, i);
}

}  // namespace Atoll::xe_lp
