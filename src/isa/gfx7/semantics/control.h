// Program flow: SOPP, and the SOP1/SOP2/SOPK forms that read or write the PC or the wave's state. Sea Islands register guide
// section 4 (SQ_SOPP, SQ_SOPK, SQ_SOP1).
#pragma once
#include "isa/amd/semantics/traps.h"
#include "isa/gfx7/adaptor.h"

namespace Atoll::gfx7 {

using namespace amd;

inline int32_t simm16(const Instruction& i) { return int16_t(i.simm16); }

// COND_DBG_USER and COND_DBG_SYS of STATUS.
template <class A>
auto debug_condition(A& e, uint32_t bits) {
  return (e.core.scalar(status_cell) >> 20 & bits) != 0u;
}
#define ATOLL_DEBUG_BRANCHES(ROW)                       \
  ROW(s_cbranch_cdbguser, debug_condition(e, 1))        \
  ROW(s_cbranch_cdbgsys, debug_condition(e, 2))         \
  ROW(s_cbranch_cdbgsys_or_user, debug_condition(e, 3)) \
  ROW(s_cbranch_cdbgsys_and_user, debug_condition(e, 1) & debug_condition(e, 2))
ATOLL_DEBUG_BRANCHES(ATOLL_DEFINE_BRANCH)
// Branches that go both ways when lanes disagree: the half of the lanes that is larger waits on a stack in the SGPRs, four for
// each entry, at the height MODE.CSP (control_state.cpp). They give the PC to go on at.
uint64_t fork(wave::Wave& wave, uint64_t condition, uint64_t target, uint64_t next);
uint64_t join_branch(wave::Wave& wave, uint32_t height, uint64_t next);
#define ATOLL_BRANCH_STACK(ROW)                                                                  \
  ROW(s_cbranch_g_fork, fork(e.core.wave, e.s64(i, 0).v, e.s64(i, 1).v, e.core.next_pc()))       \
  ROW(s_cbranch_i_fork, fork(e.core.wave, e.s64(i, 0).v, branch_target(e, i), e.core.next_pc())) \
  ROW(s_cbranch_join, join_branch(e.core.wave, e.s32(i, 0).v, e.core.next_pc()))
#define ATOLL_DEFINE(name, next)          \
  template <class A>                      \
  void name(A& e, const Instruction& i) { \
    if constexpr (A::Core::recording)     \
      e.core.call_instead();              \
    else                                  \
      e.core.jump_to(e.core.s64(next));   \
  }
ATOLL_BRANCH_STACK(ATOLL_DEFINE)
#undef ATOLL_DEFINE

// --- stops ------------------------------------------------------------------------------------------------------------------
template <class A>
void s_sleep(A& e, const Instruction&) {
  e.core.stop(wave::Stop::Yield);
}
// Instructions that no wave here can execute, with the reason.
#define ATOLL_ILLEGAL(ROW)                                              \
  ROW(s_mov_regrd_b32, "s_mov_regrd_b32 is for the hardware's own use") \
  ROW(s_getreg_regrd_b32, "s_getreg_regrd_b32 is for the hardware's own use")
#define ATOLL_DEFINE(name, reason)      \
  template <class A>                    \
  void name(A& e, const Instruction&) { \
    e.core.illegal(reason);             \
  }
ATOLL_ILLEGAL(ATOLL_DEFINE)
#undef ATOLL_DEFINE
// TTMP0 and TTMP1 get the PC of s_trap itself and the trap's number, and the wave runs on from TBA with PRIV set (guide; RDNA4 ISA
// 3.4.10: without TRAP_EN it is a NOP).
uint64_t enter_trap_handler(wave::Wave& wave, uint32_t number, uint64_t pc);  // where it begins
bool leave_trap_handler(wave::Wave& wave);                                    // whether the wave is halted
template <class A>
void s_trap(A& e, const Instruction& i) {
  take_trap(e, i.simm16 & 255u, enter_trap_handler);
}
template <class A>
void s_rfe_b64(A& e, const Instruction& i) {
  return_from_trap(e, i, leave_trap_handler);
}
// A trap handler's halt counts when it returns (guide, S_SETHALT).
template <class A>
void s_sethalt(A& e, const Instruction& i) {
  auto bit = e.core.s32(i.simm16 & 1 ? uint32_t(STATUS_HALT) : 0);
  if (e.core.wave.privileged)
    e.core.set_scalar(status_cell, (e.core.scalar(status_cell) & ~uint32_t(STATUS_HALT)) | bit);
  else if (i.simm16 & 1)
    trap(e, halted);
}
// Vector instructions (VALU, VMEM, DS, EXP) are passed over while MODE.VSKIP is set: the engines know (wave::FloatMode).
template <class A>
void s_setvskip(A& e, const Instruction& i) {
  if constexpr (A::Core::recording) {
    e.core.call_instead();
  } else {
    auto bit = e.s32(i, 0) >> (e.s32(i, 1) & 31u) & 1u;
    e.core.set_scalar(mode_cell, (e.core.scalar(mode_cell) & ~uint32_t(MODE_VSKIP)) | bit << 28);
    e.core.mode_changed();
  }
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
  set_hardware_register(e, hardware_field(i.simm16), e.s32(i, 0), write_hardware_register);
}
template <class A>
void s_setreg_imm32_b32(A& e, const Instruction& i) {
  set_hardware_register(e, hardware_field(i.simm16), e.core.s32(i.literal), write_hardware_register);
}

// --- messages and barriers (control_state.cpp) ---------------------------------------------------------------------------------
void send_message(wave::Wave& wave, const Instruction& i);
void pass_barrier(wave::Wave& wave);
template <class A>
void s_sendmsg(A& e, const Instruction& i) {
  if constexpr (A::Core::recording)
    e.core.call_instead();
  else
    send_message(e.core.wave, i);
}
template <class A>
void s_barrier(A& e, const Instruction&) {
  if constexpr (A::Core::recording) {
    e.core.signal_barrier();
    e.core.wait_barrier();
  } else {
    pass_barrier(e.core.wave);
  }
}

#define ATOLL_ORDER_ONLY(NAME) \
  NAME(s_nop) NAME(s_waitcnt) NAME(s_setprio) NAME(s_icache_inv) NAME(s_decperflevel) NAME(s_incperflevel) NAME(s_ttracedata)
ATOLL_ORDER_ONLY(ATOLL_DEFINE_ORDER_ONLY)

// clang-format off: a list
#define ATOLL_CONTROL(SCALAR, LANES, WHOLE) \
  ATOLL_COMMON_CONTROL(SCALAR) ATOLL_DEBUG_BRANCHES(ATOLL_LIST_SCALAR) ATOLL_BRANCH_STACK(ATOLL_LIST_SCALAR) \
  ATOLL_ILLEGAL(ATOLL_LIST_SCALAR) ATOLL_ORDER_ONLY(SCALAR) SCALAR(s_sleep) SCALAR(s_trap) SCALAR(s_rfe_b64) \
  SCALAR(s_setvskip) SCALAR(s_sethalt) SCALAR(s_getreg_b32) SCALAR(s_setreg_b32) SCALAR(s_setreg_imm32_b32) \
  SCALAR(s_sendmsg) SCALAR(s_barrier)
// clang-format on

}  // namespace Atoll::gfx7
