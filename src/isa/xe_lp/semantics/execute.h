// Executes an instruction.
#pragma once
#include "isa/xe_lp/semantics/arithmetic.h"
#include "isa/xe_lp/semantics/compare.h"
#include "isa/xe_lp/semantics/control.h"
#include "isa/xe_lp/semantics/logic.h"
#include "isa/xe_lp/semantics/math.h"
#include "isa/xe_lp/semantics/send.h"
#include "isa/xe_lp/semantics/thread_state.h"

namespace Atoll::xe_lp {

template <class A>
void execute(A& e, const Instruction& i) {
  if (i.rejoins) rejoin(e, e.core.pc());
  if (is_control(i.op)) return control(e, i);
  work_on(e.core, i.lanes);
  switch (i.op) {
    case Op::Send:
    case Op::Sendc: return send(e, i);
    case Op::Nop: return;
    case Op::Illegal: return e.core.illegal("the instruction illegal");
    case Op::Sync: return sync(e, i);
    case Op::Math: return math(e, i);
    case Op::Cmp:
    case Op::Cmpn: return compare(e, i);
    case Op::Not:
    case Op::And:
    case Op::Or:
    case Op::Xor: return logic(e, i);
    case Op::Shl:
    case Op::Shr:
    case Op::Asr:
    case Op::Ror:
    case Op::Rol: return shift(e, i);
    case Op::Lzd:
    case Op::Fbh:
    case Op::Fbl:
    case Op::Cbit:
    case Op::Bfrev:
    case Op::Bfe:
    case Op::Bfi1:
    case Op::Bfi2: return bit_fields(e, i);
    case Op::Avg: return average(e, i);
    case Op::Mach: return multiply_high(e, i);
    case Op::Addc:
    case Op::Subb: return with_carry(e, i);
    case Op::Dp4a: return dot4(e, i);
    default: return arithmetic(e, i);
  }
}

}  // namespace Atoll::xe_lp
