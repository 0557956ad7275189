// Program flow: SOPP, and the SOP1/SOPK forms that read or write the PC, the wave's state or its work-group's barriers.
// RDNA4 ISA 3.4, 5, 6.9, 16.2, 16.3, 16.5.
#pragma once
#include "isa/amd/semantics/traps.h"
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
// TTMP0 and TTMP1 get the PC of s_trap itself and the trap's number, and the wave runs on from TBA with PRIV set (3.4.10).
uint64_t enter_trap_handler(wave::Wave& wave, uint32_t number, uint64_t pc);  // where it begins
bool leave_trap_handler(wave::Wave& wave);                                    // whether the wave is halted
template <class A>
void s_trap(A& e, const Instruction& i) {
  take_trap(e, i.immediate & 15, enter_trap_handler);
}
template <class A>
void s_rfe_b64(A& e, const Instruction& i) {
  return_from_trap(e, i, leave_trap_handler);
}
// Bit 2 chooses FATAL_HALT, which only a trap handler may set and which halts it, too; a handler's HALT counts when it returns.
template <class A>
void s_sethalt(A& e, const Instruction& i) {
  const bool set = i.immediate & 1, fatal = i.immediate & 4, handler = e.core.wave.privileged;
  if (fatal ? !handler || !set : !handler && !set) return;
  if (fatal || !handler) return trap(e, halted);
  auto kept = e.core.scalar(private_state_cell) & ~uint32_t(STATE_HALT);
  e.core.set_scalar(private_state_cell, set ? kept | uint32_t(STATE_HALT) : kept);
}
template <class A>
void s_setprio(A& e, const Instruction& i) {
  auto kept = e.core.scalar(private_state_cell) & ~uint32_t(STATE_USER_PRIO);
  e.core.set_scalar(private_state_cell, kept | uint32_t(i.immediate & 3) << user_priority_shift);
}

// --- sleep: for a time until the wave's next turn, for ever until another wave wakes it (control_state.cpp). A wave that was woken while
// it did not sleep does not sleep the next time (STATE_PRIV.SLEEP_WAKEUP).
void sleep(wave::Wave& wave, bool for_ever);
template <class A>
void s_sleep(A& e, const Instruction& i) {
  if (!(i.immediate & 0x807f)) return;
  if constexpr (A::Core::recording)
    e.core.call_instead();
  else
    sleep(e.core.wave, i.immediate & 0x8000);
}
template <class A>
void s_sleep_var(A& e, const Instruction& i) {
  if constexpr (A::Core::recording)
    e.core.call_instead();
  else if (e.s32(i, 0).v & 0x7f)
    sleep(e.core.wave, false);
}
void wake_others(wave::Wave& wave);
template <class A>
void s_wakeup(A& e, const Instruction&) {
  if constexpr (A::Core::recording)
    e.core.call_instead();
  else
    wake_others(e.core.wave);
}

// --- VGPRs that the wave allocates itself (3.3.3, 16.3). There are always enough of them.
uint32_t allocate_vgprs(wave::Wave& wave, uint32_t count);  // what SCC becomes
template <class A>
void s_alloc_vgpr(A& e, const Instruction& i) {
  if constexpr (A::Core::recording) {
    e.core.call_instead();
  } else {
    if (!e.core.scalar(vgpr_block_cell).v) return e.core.illegal("s_alloc_vgpr: the wave is not in dynamic VGPR mode");
    e.core.set_scalar(scc_cell, e.core.s32(allocate_vgprs(e.core.wave, e.s32(i, 0).v & 0x1ff)));
    e.core.mode_changed();
  }
}

// --- hardware registers and MODE (control_state.cpp) ---------------------------------------------------------------------------
// False when the GPU has no register of that number.
bool read_hardware_register(wave::Wave& wave, uint32_t number, uint32_t& value);
// Writes the bits that a user's shader may write. `mode` becomes true when MODE was written.
bool write_hardware_register(wave::Wave& wave, uint32_t number, uint32_t mask, uint32_t value, bool& mode);

template <class A>
void set_register(A& e, const HardwareField& field, typename A::S32 value) {
  set_hardware_register(e, field, value, write_hardware_register);
}

template <class A>
void s_getreg_b32(A& e, const Instruction& i) {
  get_hardware_register(e, i, read_hardware_register);
}
template <class A>
void s_setreg_b32(A& e, const Instruction& i) {
  set_register(e, hardware_field(uint32_t(i.immediate)), e.s32(i, 0));
}
template <class A>
void s_setreg_imm32_b32(A& e, const Instruction& i) {
  set_register(e, hardware_field(uint32_t(i.immediate)), e.core.s32(i.literal));
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
void wait_for_barrier(wave::Wave& wave, int number);
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
// -1 is the work-group's barrier, -2 the trap handlers' (RDNA4 ISA table 24); a number of 0 or more stands for the named barrier that the
// wave has joined, whichever that is.
template <class A>
void s_barrier_wait(A& e, const Instruction& i) {
  if constexpr (!A::Core::recording)
    wait_for_barrier(e.core.wave, i.immediate);
  else if (i.immediate == -1)
    e.core.wait_barrier();
  else
    e.core.call_instead();
}
// Named barriers are known to LLVM as GFX12's, but not in the RDNA4 manual (docs/errata.md, "Control").
void s_barrier_init(wave::Wave& wave, const Instruction& i);
void s_barrier_join(wave::Wave& wave, const Instruction& i);
void s_barrier_leave(wave::Wave& wave, const Instruction& i);
void s_wakeup_barrier(wave::Wave& wave, const Instruction& i);

// Tests of address translation always succeed, as all mapped memory is present; the trace that S_TTRACEDATA writes to is off.
// clang-format off: a list
#define ATOLL_ORDER_ONLY(NAME) \
  NAME(s_nop) NAME(s_clause) NAME(s_delay_alu) NAME(s_wait_alu) NAME(s_waitcnt) NAME(s_wait_idle) NAME(s_wait_event) \
  NAME(s_wait_loadcnt) NAME(s_wait_storecnt) NAME(s_wait_samplecnt) NAME(s_wait_bvhcnt) NAME(s_wait_expcnt) \
  NAME(s_wait_dscnt) NAME(s_wait_kmcnt) NAME(s_wait_loadcnt_dscnt) NAME(s_wait_storecnt_dscnt) NAME(s_singleuse_vdst) \
  NAME(s_icache_inv) NAME(s_decperflevel) NAME(s_incperflevel) NAME(s_ttracedata) NAME(s_ttracedata_imm)
// clang-format on
ATOLL_ORDER_ONLY(ATOLL_DEFINE_ORDER_ONLY)

// clang-format off: a list
#define ATOLL_CONTROL(SCALAR, LANES, WHOLE) \
  ATOLL_COMMON_CONTROL(SCALAR) SCALAR(s_call_b64) SCALAR(s_endpgm_saved) SCALAR(s_code_end) SCALAR(s_rfe_b64) \
  SCALAR(s_alloc_vgpr) SCALAR(s_sleep) SCALAR(s_sleep_var) SCALAR(s_wakeup) SCALAR(s_trap) SCALAR(s_sethalt) SCALAR(s_setprio) SCALAR(s_getreg_b32) \
  SCALAR(s_setreg_b32) SCALAR(s_setreg_imm32_b32) SCALAR(s_round_mode) SCALAR(s_denorm_mode) SCALAR(s_sendmsg) \
  WHOLE(s_sendmsg_rtn_b32) WHOLE(s_sendmsg_rtn_b64) SCALAR(s_barrier_signal) WHOLE(s_barrier_signal_isfirst) \
  WHOLE(s_get_barrier_state) SCALAR(s_barrier_wait) WHOLE(s_barrier_init) WHOLE(s_barrier_join) WHOLE(s_barrier_leave) \
  WHOLE(s_wakeup_barrier) ATOLL_ORDER_ONLY(SCALAR)
// clang-format on

}  // namespace Atoll::rdna4
