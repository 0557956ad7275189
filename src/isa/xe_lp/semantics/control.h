// Branches.
#pragma once
#include "isa/xe_lp/semantics/operands.h"

namespace Atoll::xe_lp {

template <class A>
void control(A& e, const Instruction& i) {
  const uint32_t size = i.lanes == 32 ? ~0u : (1u << i.lanes) - 1;
  auto active = e.core.mask(active_cell), chosen = e.predicate(i);
  auto word = e.core.scalar(active_cell), predicate = e.scalar_predicate(i);
  auto inside = word & size;
  switch (i.op) {
    case Op::If: {
      e.leave(i, active & ~chosen, e.target(i, 0));
      auto left = word ^ (inside & (predicate ^ ~0u));
      e.core.set_scalar(active_cell, left);
      return e.core.jump_if((left & size) == 0u, e.target(i, 0));
    }
    case Op::Else:  // those of the other branch come back at the Join that follows
      e.leave(i, active, e.target(i, 1));
      return e.core.set_scalar(active_cell, word ^ inside);
    case Op::Endif: return e.core.jump_if(inside == 0u, e.target(i, 0));
    case Op::Break:
    case Op::Cont: {
      e.leave(i, active & chosen, e.target(i, 1));
      auto left = word ^ (inside & predicate);
      e.core.set_scalar(active_cell, left);
      return e.core.jump_if((left & size) == 0u, e.target(i, 0));
    }
    default: {  // While: those that have done enough wait behind it until no channel goes round
      e.leave(i, active & ~chosen, e.core.next_pc());
      auto round = inside & predicate;
      e.core.set_scalar(active_cell, word ^ (inside & (predicate ^ ~0u)));
      return e.core.jump_if(round != 0u, e.target(i, 0));
    }
  }
}

template <class A>
void join(A& e, const Instruction&) {
  wave::Region all{resume_cell, 4, false, 32, 0, 0, 0};
  auto back = e.core.region(all) == key_of(e.core.pc());
  auto active = e.core.mask(active_cell) | back;
  e.core.set_region(all, back, e.core.u32(0));
  e.core.set_mask(active_cell, active);
}

}  // namespace Atoll::xe_lp
