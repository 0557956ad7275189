// Program flow: SOPP, and the SOP1/SOPK forms that read or write the PC, the wave's state or its work-group's barriers.
// RDNA4 ISA 3.4, 5, 6.9, 16.2, 16.3, 16.5.
#pragma once
#include "isa/amd/semantics/control.h"
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

using namespace amd;

inline int32_t simm16(const Instruction& i) { return i.immediate; }

template <class A>
void s_call_b64(A& e, const Instruction& i) {
  e.set_s64(i, e.core.s64(e.core.next_pc()));
  e.core.jump(branch_target(e, i));
}
// --- stops ------------------------------------------------------------------------------------------------------------------
template <class A>
void s_endpgm_saved(A& e, const Instruction&) {
  e.core.stop(wave::Stop::End);
}
template <class A>
void s_code_end(A& e, const Instruction&) {
  e.core.illegal("s_code_end: the program ran past its end");
}
template <class A>
void s_rfe_b64(A& e, const Instruction&) {
  e.core.illegal("s_rfe_b64 outside of a trap handler");
}
template <class A>
void s_alloc_vgpr(A& e, const Instruction&) {
  e.core.illegal("s_alloc_vgpr: the wave is not in dynamic VGPR mode");
}
// Sleepers wake at their next turn, so nothing has to be done to wake them; also from "sleep forever" (bit 15), which the program
// has to check for as another wave's s_wakeup may have come before it slept.
template <class A>
void s_sleep(A& e, const Instruction& i) {
  if (i.immediate & 0x807f) e.core.stop(wave::Stop::Yield);
}
template <class A>
void s_sleep_var(A& e, const Instruction&) {
  e.core.stop(wave::Stop::Yield);
}
// The HSA trap handler: 2 is llvm.trap, 3 is llvm.debugtrap, which does nothing without a debugger (LLVM docs AMDGPUUsage "Trap
// Handler ABI").
template <class A>
void s_trap(A& e, const Instruction& i) {
  if ((i.immediate & 15) != 3) trap(e, (i.immediate & 15) == 2 ? "s_trap 2: the program gave up (llvm.trap)" : "s_trap");
}
template <class A>
void s_sethalt(A& e, const Instruction& i) {
  if (i.immediate & 1) trap(e, "s_sethalt: the wave halted, and there is no debugger to resume it");
}

// --- hardware registers and MODE (control_state.cpp) ---------------------------------------------------------------------------
// False when the GPU has no register of that number.
bool read_hardware_register(wave::Wave& wave, uint32_t number, uint32_t& value);
// Writes the bits that a user's shader may write. `mode` becomes true when MODE was written.
bool write_hardware_register(wave::Wave& wave, uint32_t number, uint32_t mask, uint32_t value, bool& mode);

template <class A>
void s_getreg_b32(A& e, const Instruction& i) {
  get_hardware_register(e, i, read_hardware_register);
}
template <class A>
void s_setreg_b32(A& e, const Instruction& i) {
  set_hardware_register(e, hardware_field(uint32_t(i.immediate)), e.scalar_register(i.dst), write_hardware_register);
}
template <class A>
void s_setreg_imm32_b32(A& e, const Instruction& i) {
  set_hardware_register(e, hardware_field(uint32_t(i.immediate)), e.core.s32(i.literal), write_hardware_register);
}
// FP_ROUND and FP_DENORM of MODE.
template <class A>
void s_round_mode(A& e, const Instruction& i) {
  set_hardware_register(e, HardwareField{1, 0, 4}, e.core.s32(i.immediate & 15), write_hardware_register);
}
template <class A>
void s_denorm_mode(A& e, const Instruction& i) {
  set_hardware_register(e, HardwareField{1, 4, 4}, e.core.s32(i.immediate & 15), write_hardware_register);
}

// --- messages and barriers (control_state.cpp)
void send_message(wave::Wave& wave, const Instruction& i);
void s_sendmsg_rtn_b32(wave::Wave& wave, const Instruction& i);
void s_sendmsg_rtn_b64(wave::Wave& wave, const Instruction& i);
void signal_barrier(wave::Wave& wave, const Instruction& i);
void s_barrier_signal_isfirst(wave::Wave& wave, const Instruction& i);
void s_get_barrier_state(wave::Wave& wave, const Instruction& i);
void wait_for_barrier(wave::Wave& wave);
// Giving back the VGPRs at a program's end does nothing that could be seen.
template <class A>
void s_sendmsg(A& e, const Instruction& i) {
  constexpr int dealloc_vgprs = 3;
  if constexpr (!A::Core::recording)
    send_message(e.core.wave, i);
  else if ((i.immediate & 0xffff) != dealloc_vgprs)
    e.core.call_instead();
}
template <class A>
void s_barrier_signal(A& e, const Instruction& i) {
  if constexpr (!A::Core::recording)
    signal_barrier(e.core.wave, i);
  else if (i.src[0] == INTEGER_MINUS_1)
    e.core.signal_barrier();
  else
    e.core.call_instead();
}
// -1 is the work-group's barrier; others than the trap handler's, -2, do not exist (RDNA4 ISA table 24, S_BARRIER_WAIT).
template <class A>
void s_barrier_wait(A& e, const Instruction& i) {
  if (i.immediate >= 0) return e.core.illegal("s_barrier_wait for a named barrier, which this GPU does not have");
  if (i.immediate != -1) return;
  if constexpr (A::Core::recording)
    e.core.wait_barrier();
  else
    wait_for_barrier(e.core.wave);
}
// Known to LLVM as GFX12's, but not in the RDNA4 manual.
#define ATOLL_NAMED_BARRIERS(NAME) NAME(s_barrier_init) NAME(s_barrier_join) NAME(s_barrier_leave) NAME(s_wakeup_barrier)
#define ATOLL_DEFINE_NAMED_BARRIER(name)                      \
  template <class A>                                          \
  void name(A& e, const Instruction&) {                       \
    e.core.illegal(#name ": this GPU has no named barriers"); \
  }
ATOLL_NAMED_BARRIERS(ATOLL_DEFINE_NAMED_BARRIER)
#undef ATOLL_DEFINE_NAMED_BARRIER

// clang-format off: a list
#define ATOLL_ORDER_ONLY(NAME) \
  NAME(s_nop) NAME(s_clause) NAME(s_delay_alu) NAME(s_wait_alu) NAME(s_waitcnt) NAME(s_wait_idle) NAME(s_wait_event) \
  NAME(s_wait_loadcnt) NAME(s_wait_storecnt) NAME(s_wait_samplecnt) NAME(s_wait_bvhcnt) NAME(s_wait_expcnt) \
  NAME(s_wait_dscnt) NAME(s_wait_kmcnt) NAME(s_wait_loadcnt_dscnt) NAME(s_wait_storecnt_dscnt) NAME(s_singleuse_vdst) \
  NAME(s_setprio) NAME(s_icache_inv) NAME(s_decperflevel) NAME(s_incperflevel) NAME(s_wakeup) NAME(s_ttracedata) \
  NAME(s_ttracedata_imm)
// clang-format on
ATOLL_ORDER_ONLY(ATOLL_DEFINE_ORDER_ONLY)

// clang-format off: a list
#define ATOLL_CONTROL(SCALAR, LANES, WHOLE) \
  ATOLL_COMMON_CONTROL(SCALAR) SCALAR(s_call_b64) SCALAR(s_endpgm_saved) SCALAR(s_code_end) SCALAR(s_rfe_b64) \
  SCALAR(s_alloc_vgpr) SCALAR(s_sleep) SCALAR(s_sleep_var) SCALAR(s_trap) SCALAR(s_sethalt) SCALAR(s_getreg_b32) \
  SCALAR(s_setreg_b32) SCALAR(s_setreg_imm32_b32) SCALAR(s_round_mode) SCALAR(s_denorm_mode) SCALAR(s_sendmsg) \
  WHOLE(s_sendmsg_rtn_b32) WHOLE(s_sendmsg_rtn_b64) SCALAR(s_barrier_signal) WHOLE(s_barrier_signal_isfirst) \
  WHOLE(s_get_barrier_state) SCALAR(s_barrier_wait) ATOLL_NAMED_BARRIERS(SCALAR) ATOLL_ORDER_ONLY(SCALAR)
// clang-format on

}  // namespace Atoll::rdna4
