// Bits and shifts.
#pragma once
#include "isa/xe_lp/semantics/operands.h"

namespace Atoll::xe_lp {

template <class A>
void logic(A& e, const Instruction& i) {
  auto on = e.enabled(i);
  auto a = e.bits(i, 0);
  if (i.op == Op::Not) return e.put(i, on, ~a);
  auto b = e.bits(i, 1);
  switch (i.op) {
    case Op::And: return e.put(i, on, a & b);
    case Op::Or: return e.put(i, on, a | b);
    case Op::Xor: return e.put(i, on, a ^ b);
    case Op::Shl: return e.put(i, on, a << (b & 31u));
    case Op::Shr: return e.put(i, on, a >> (b & 31u));
    default: return e.put(i, on, ashr(a, b & 31u));
  }
}

}  // namespace Atoll::xe_lp
