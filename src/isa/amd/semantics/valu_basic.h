// Vector ALU: moves and selections that every kernel has. RDNA4 ISA 7, 16.7-16.8.
#pragma once
#include "isa/amd/adaptor.h"

namespace Atoll::amd {

template <class A>
void v_nop(A&, const typename A::Instruction&) {}
template <class A>
void v_pipeflush(A&, const typename A::Instruction&) {}  // instructions run in order here
template <class A>
void v_mov_b32(A& e, const typename A::Instruction& i) {
  e.set_u32(i, as_u32(e.f32(i, 0)));  // NEG and ABS are allowed (RDNA4 ISA 7.2.2.1)
}
// Float modifiers apply to the sources though the result is bits (RDNA4 ISA 16.7: V_CNDMASK_B32).
template <class A>
void v_cndmask_b32(A& e, const typename A::Instruction& i) {
  e.set_u32(i, select(e.mask(i.src[2]), as_u32(e.f32(i, 1)), as_u32(e.f32(i, 0))));
}

}  // namespace Atoll::amd
