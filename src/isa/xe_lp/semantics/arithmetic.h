// Moves, selections, sums and products.
#pragma once
#include "isa/xe_lp/semantics/operands.h"

namespace Atoll::xe_lp {

template <class A>
void arithmetic(A& e, const Instruction& i) {
  auto on = e.enabled(i);
  if (i.src[0].type == Type::F) {
    auto a = e.real(i, 0);
    if (i.op == Op::Mov) return e.put(i, on, e.of_real(i, a));
    auto b = e.real(i, 1);
    if (i.op == Op::Sel) return e.put(i, on, e.of_real(i, select(e.selects(i, a, b), a, b)));
    if (i.op == Op::Add) return e.put(i, on, e.of_real(i, a + b));
    if (i.op == Op::Mul) return e.put(i, on, e.of_real(i, a * b));
    return e.put(i, on, e.of_real(i, fma(b, e.real(i, 2), a)));
  }
  auto a = e.integer(i, 0);
  if (i.op == Op::Mov) return e.put(i, on, e.of_integer(i, a));
  auto b = e.integer(i, 1);
  if (i.op == Op::Sel) return e.put(i, on, e.of_integer(i, select(e.selects(i, a, b), a, b)));
  if (i.op == Op::Add) return e.put(i, on, e.of_integer(i, a + b));
  if (i.op == Op::Mul) return e.put(i, on, e.of_integer(i, a * b));
  e.put(i, on, e.of_integer(i, a + b * e.integer(i, 2)));
}

}  // namespace Atoll::xe_lp
