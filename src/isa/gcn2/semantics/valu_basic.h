// Vector ALU: moves and selections that every shader has. Sea Islands register guide section 4 (SQ_VOP1, SQ_VOP2).
#pragma once
#include "isa/gcn2/adaptor.h"

namespace Atoll::gcn2 {

template <class A>
void v_nop(A&, const typename A::Instruction&) {}
template <class A>
void v_mov_b32(A& e, const typename A::Instruction& i) {
  e.set_u32(i, as_u32(e.f32(i, 0)));
}
template <class A>
void v_cndmask_b32(A& e, const typename A::Instruction& i) {
  e.set_u32(i, select(e.mask(i.src[2]), as_u32(e.f32(i, 1)), as_u32(e.f32(i, 0))));
}

#define ATOLL_VALU_BASIC(SCALAR, LANES, WHOLE) LANES(v_nop) LANES(v_mov_b32) LANES(v_cndmask_b32)

}  // namespace Atoll::gcn2
