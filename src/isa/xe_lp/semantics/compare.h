// Comparisons.
#pragma once
#include "isa/xe_lp/semantics/operands.h"

namespace Atoll::xe_lp {

// The flag gets the outcome, a destination all ones or zeros.
template <class A>
void compare(A& e, const Instruction& i) {
  auto on = e.enabled(i);
  auto truth = i.src[0].type == Type::F ? e.compared(i.condition, e.real(i, 0), e.real(i, 1))
                                        : e.compared(i.condition, e.integer(i, 0), e.integer(i, 1));
  uint32_t cell = flag_cell(i.flag);
  auto flags = (e.core.mask(cell) & ~on) | (truth & on);
  if (i.dst.file != File::Null) e.put(i, on, select(truth, e.core.u32(~0u), e.core.u32(0)));
  e.core.set_mask(cell, flags);
}

}  // namespace Atoll::xe_lp
