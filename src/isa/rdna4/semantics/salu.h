// Scalar ALU: SOP1, SOP2, SOPK, SOPC on integers and bits. RDNA4 ISA 6, 16.1-16.4.
#pragma once
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

template <class A>
void s_mov_b32(A& e, const Instruction& i) {
  e.set_s32(i, e.s32(i, 0));
}
template <class A>
void s_mov_b64(A& e, const Instruction& i) {
  e.set_s64(i, e.s64(i, 0));
}

template <class A>
void s_and_b32(A& e, const Instruction& i) {
  auto d = e.s32(i, 0) & e.s32(i, 1);
  e.set_s32(i, d);
  e.set_scc(d != 0);
}
template <class A>
void s_add_co_i32(A& e, const Instruction& i) {
  auto a = e.s32(i, 0), b = e.s32(i, 1), d = a + b;
  e.set_s32(i, d);
  e.set_scc((((a ^ d) & (b ^ d)) >> 31) != 0);  // signed overflow
}
template <class A>
void s_and_saveexec_b32(A& e, const Instruction& i) {
  auto saved = e.scalar_register(EXEC_LO), d = saved & e.s32(i, 0);
  e.set_s32(i, saved);
  e.set_scalar_register(EXEC_LO, d);
  e.set_scc(d != 0);
}

#define ATOLL_SALU(SCALAR, LANES, WHOLE) \
  SCALAR(s_mov_b32) SCALAR(s_mov_b64) SCALAR(s_and_b32) SCALAR(s_add_co_i32) SCALAR(s_and_saveexec_b32)

}  // namespace Atoll::rdna4
