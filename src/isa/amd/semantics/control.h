// Program flow and the wave's state, as AMD's instruction sets share them: templates over the adaptor. An instruction set has
// beside its adaptor `int32_t simm16(const Instruction&)`, sign-extended, and `send_message(wave, instruction)`. Hardware
// registers, messages, barriers and traps are its own. Sea Islands register guide section 4 (SQ_SOPP, SQ_SOPK, SQ_SOP1); RDNA4
// ISA 3.4, 5, 16.2, 16.3, 16.5.
#pragma once
#include "isa/amd/inline_constants.h"
#include "wave/wave.h"

namespace Atoll::amd {

template <class A>
uint64_t branch_target(A& e, const typename A::Instruction& i) {
  return e.core.pc() + 4 + uint64_t(int64_t(simm16(i))) * 4;
}
template <class A>
void s_branch(A& e, const typename A::Instruction& i) {
  e.core.jump(branch_target(e, i));
}
#define ATOLL_COMMON_BRANCHES(ROW)                   \
  ROW(s_cbranch_scc0, ~e.scc())                      \
  ROW(s_cbranch_scc1, e.scc())                       \
  ROW(s_cbranch_vccz, e.mask_word_is_zero(VCC_LO))   \
  ROW(s_cbranch_vccnz, ~e.mask_word_is_zero(VCC_LO)) \
  ROW(s_cbranch_execz, e.mask_word_is_zero(EXEC_LO)) \
  ROW(s_cbranch_execnz, ~e.mask_word_is_zero(EXEC_LO))
#define ATOLL_DEFINE_BRANCH(name, condition)             \
  template <class A>                                     \
  void name(A& e, const typename A::Instruction& i) {    \
    e.core.jump_if(condition, amd::branch_target(e, i)); \
  }
ATOLL_COMMON_BRANCHES(ATOLL_DEFINE_BRANCH)
template <class A>
void s_setpc_b64(A& e, const typename A::Instruction& i) {
  e.core.jump_to(e.s64(i, 0));
}
template <class A>
void s_swappc_b64(A& e, const typename A::Instruction& i) {
  auto target = e.s64(i, 0);
  e.set_s64(i, e.core.s64(e.core.next_pc()));
  e.core.jump_to(target);
}
template <class A>
void s_getpc_b64(A& e, const typename A::Instruction& i) {
  e.set_s64(i, e.core.s64(e.core.next_pc()));
}

// --- stops
template <class A>
void s_endpgm(A& e, const typename A::Instruction&) {
  e.core.stop(wave::Stop::End);
}
template <class A>
void s_setkill(A& e, const typename A::Instruction& i) {
  if (simm16(i) & 1) e.core.stop(wave::Stop::End);
}
// Ends in a fault of kind Trap.
template <class A>
void trap(A& e, const char* reason) {
  if constexpr (A::Core::recording)
    e.core.call_instead();
  else
    e.core.fault(wave::FaultKind::Trap, 0, 0, -1, reason);
}
template <class A>
void s_sendmsghalt(A& e, const typename A::Instruction& i) {
  if constexpr (!A::Core::recording) send_message(e.core.wave, i);
  trap(e, "s_sendmsghalt: the wave halted, and there is nothing to resume it");
}

// --- hardware registers
struct HardwareField {
  uint32_t number, first, size;
  constexpr uint32_t mask() const { return uint32_t(((uint64_t(1) << size) - 1) << first); }
};
// SIMM16: register number in [5:0], first bit in [10:6], size - 1 in [15:11].
constexpr HardwareField hardware_field(uint32_t simm16) { return {simm16 & 63, simm16 >> 6 & 31, (simm16 >> 11 & 31) + 1}; }

// `read` as bool(wave::Wave&, uint32_t number, uint32_t& value): false when the GPU has no register of that number.
template <class A, class Read>
void get_hardware_register(A& e, const typename A::Instruction& i, Read read) {
  if constexpr (A::Core::recording) {
    e.core.call_instead();
  } else {
    HardwareField field = hardware_field(uint32_t(simm16(i)));
    uint32_t value = 0;
    if (!read(e.core.wave, field.number, value)) return e.core.illegal("s_getreg_b32: no such hardware register");
    e.set_s32(i, e.core.s32(value >> field.first & uint32_t((uint64_t(1) << field.size) - 1)));
  }
}
// `write` as bool(wave::Wave&, uint32_t number, uint32_t mask, uint32_t value, bool& mode): writes the bits that the program may
// write; `mode` becomes true when MODE was written.
template <class A, class Write>
void set_hardware_register(A& e, HardwareField field, typename A::S32 value, Write write) {
  if constexpr (A::Core::recording) {
    e.core.call_instead();
  } else {
    bool mode = false;
    if (!write(e.core.wave, field.number, field.mask(), value.v << field.first, mode))
      return e.core.illegal("s_setreg: no such hardware register");
    if (mode) e.core.mode_changed();
  }
}

// Waits, hints and delays: the engines run in order, have no caches and no trace, so there is nothing to do.
#define ATOLL_DEFINE_ORDER_ONLY(name) \
  template <class A>                  \
  void name(A&, const Instruction&) {}

// The entries of those above.
#define ATOLL_LIST_SCALAR(name, ...) ATOLL_SCALAR_ENTRY(name)
#define ATOLL_COMMON_CONTROL(SCALAR)       \
  SCALAR(s_branch)                         \
  ATOLL_COMMON_BRANCHES(ATOLL_LIST_SCALAR) \
  SCALAR(s_setpc_b64) SCALAR(s_swappc_b64) SCALAR(s_getpc_b64) SCALAR(s_endpgm) SCALAR(s_setkill) SCALAR(s_sendmsghalt)

}  // namespace Atoll::amd
