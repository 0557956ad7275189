// Into a trap handler and back, as AMD's instruction sets share it: the wave goes on in another program, with `privileged` set. An
// instruction set has beside its adaptor
//   uint64_t enter_trap_handler(wave, number, pc)   what is kept for the handler; gives where it begins
//   bool leave_trap_handler(wave)                   whether the wave has been halted meanwhile
// Sea Islands register guide section 4 (S_TRAP, S_RFE_B64); RDNA4 ISA 3.4.10, 5.2.
#pragma once
#include "isa/amd/semantics/control.h"
#include "wave/environment.h"

namespace Atoll::amd {

inline constexpr const char* halted = "the wave halted, and there is no debugger to resume it";

// Without a handler: where nobody takes traps, 2 is llvm.trap and 3 is llvm.debugtrap, which does nothing without a debugger (LLVM docs
// AMDGPUUsage "Trap Handler ABI"); where somebody does, but has switched them off, nothing happens.
template <class A, class Enter>
void take_trap(A& e, uint32_t number, Enter enter) {
  if constexpr (A::Core::recording) {
    e.core.call_instead();
  } else {
    switch (e.core.wave.environment->trap(e.core.wave)) {
      case wave::TrapAnswer::Fault:
        if (number != 3) trap(e, number == 2 ? "s_trap 2: the program gave up (llvm.trap)" : "s_trap");
        break;
      case wave::TrapAnswer::Enter:
        e.core.jump_to(e.core.s64(enter(e.core.wave, number, e.core.pc())));
        if (e.core.wave.stop == wave::Stop::Run) e.core.stop(wave::Stop::Elsewhere);
        break;
      default: break;
    }
  }
}

// To where a pair of SGPRs says (48 bits).
template <class A, class Leave>
void return_from_trap(A& e, const typename A::Instruction& i, Leave leave) {
  if constexpr (A::Core::recording) {
    e.core.call_instead();
  } else {
    if (!e.core.wave.privileged) return e.core.illegal("s_rfe_b64 outside of a trap handler");
    uint64_t target = e.s64(i, 0).v & 0xffffffffffffu;
    if (leave(e.core.wave)) return trap(e, halted);
    e.core.jump_to(e.core.s64(target));
    if (e.core.wave.stop == wave::Stop::Run) e.core.stop(wave::Stop::Elsewhere);
  }
}

}  // namespace Atoll::amd
