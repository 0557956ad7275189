// Vector ALU: moves and selections that every kernel has. RDNA4 ISA 7, 16.7-16.8.
#pragma once
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

template <class A>
void v_nop(A&, const Instruction&) {}
template <class A>
void v_pipeflush(A&, const Instruction&) {}  // instructions run in order here
template <class A>
void v_mov_b32(A& e, const Instruction& i) {
  e.set_u32(i, as_u32(e.f32(i, 0)));  // NEG and ABS are allowed (RDNA4 ISA 7.2.2.1)
}
// Float modifiers apply to the sources though the result is bits (RDNA4 ISA 16.7: V_CNDMASK_B32).
template <class A>
void v_cndmask_b32(A& e, const Instruction& i) {
  e.set_u32(i, select(e.mask(i.src[2]), as_u32(e.f32(i, 1)), as_u32(e.f32(i, 0))));
}

#define ATOLL_VALU_BASIC(SCALAR, LANES, WHOLE) LANES(v_nop) LANES(v_pipeflush) LANES(v_mov_b32) LANES(v_cndmask_b32)

}  // namespace Atoll::rdna4
