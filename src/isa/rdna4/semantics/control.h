// Program flow: SOPP, and the SOP1/SOPK forms that read or write the PC. RDNA4 ISA 5, 16.3, 16.5.
#pragma once
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

template <class A>
void s_nop(A&, const Instruction&) {}
template <class A>
uint64_t branch_target(A& e, const Instruction& i) {
  return e.core.pc() + 4 + uint64_t(int64_t(i.immediate)) * 4;
}
template <class A>
void s_branch(A& e, const Instruction& i) {
  e.core.jump(branch_target(e, i));
}
template <class A>
void s_cbranch_scc0(A& e, const Instruction& i) {
  e.core.jump_if(~e.scc(), branch_target(e, i));
}
template <class A>
void s_cbranch_scc1(A& e, const Instruction& i) {
  e.core.jump_if(e.scc(), branch_target(e, i));
}
template <class A>
void s_cbranch_vccz(A& e, const Instruction& i) {
  e.core.jump_if(e.mask_word_is_zero(VCC_LO), branch_target(e, i));
}
template <class A>
void s_cbranch_vccnz(A& e, const Instruction& i) {
  e.core.jump_if(~e.mask_word_is_zero(VCC_LO), branch_target(e, i));
}
template <class A>
void s_cbranch_execz(A& e, const Instruction& i) {
  e.core.jump_if(e.mask_word_is_zero(EXEC_LO), branch_target(e, i));
}
template <class A>
void s_cbranch_execnz(A& e, const Instruction& i) {
  e.core.jump_if(~e.mask_word_is_zero(EXEC_LO), branch_target(e, i));
}
template <class A>
void s_setpc_b64(A& e, const Instruction& i) {
  e.core.jump_to(e.s64(i, 0));
}
template <class A>
void s_swappc_b64(A& e, const Instruction& i) {
  auto target = e.s64(i, 0);
  e.set_s64(i, e.core.s64(e.core.next_pc()));
  e.core.jump_to(target);
}
template <class A>
void s_call_b64(A& e, const Instruction& i) {
  e.set_s64(i, e.core.s64(e.core.next_pc()));
  e.core.jump(branch_target(e, i));
}
template <class A>
void s_getpc_b64(A& e, const Instruction& i) {
  e.set_s64(i, e.core.s64(e.core.next_pc()));
}
template <class A>
void s_endpgm(A& e, const Instruction&) {
  e.core.stop(wave::Stop::End);
}

// Waits, hints and delays: the engines run in order, so there is nothing to wait for.
#define ATOLL_ORDER_ONLY(NAME)                                                                                       \
  NAME(s_clause)                                                                                                     \
  NAME(s_delay_alu) NAME(s_wait_alu) NAME(s_wait_idle) NAME(s_wait_event) NAME(s_wait_loadcnt) NAME(s_wait_storecnt) \
      NAME(s_wait_samplecnt) NAME(s_wait_bvhcnt) NAME(s_wait_expcnt) NAME(s_wait_dscnt) NAME(s_wait_kmcnt)           \
          NAME(s_wait_loadcnt_dscnt) NAME(s_wait_storecnt_dscnt) NAME(s_set_inst_prefetch_distance) NAME(s_code_end) \
              NAME(s_setprio) NAME(s_icache_inv) NAME(s_decperflevel) NAME(s_incperflevel)
#define ATOLL_DEFINE_ORDER_ONLY(name) \
  template <class A>                  \
  void name(A&, const Instruction&) {}
ATOLL_ORDER_ONLY(ATOLL_DEFINE_ORDER_ONLY)
#undef ATOLL_DEFINE_ORDER_ONLY

#define ATOLL_CONTROL(SCALAR, LANES, WHOLE)                                                                        \
  SCALAR(s_nop)                                                                                                    \
  SCALAR(s_branch) SCALAR(s_cbranch_scc0) SCALAR(s_cbranch_scc1) SCALAR(s_cbranch_vccz) SCALAR(s_cbranch_vccnz)    \
      SCALAR(s_cbranch_execz) SCALAR(s_cbranch_execnz) SCALAR(s_setpc_b64) SCALAR(s_swappc_b64) SCALAR(s_call_b64) \
          SCALAR(s_getpc_b64) SCALAR(s_endpgm) ATOLL_ORDER_ONLY(SCALAR)

}  // namespace Atoll::rdna4
