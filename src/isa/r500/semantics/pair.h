// What a pair does: R5xx Acceleration 10, RGB_OP and ALPHA_OP of US_ALU_RGBA_INST and US_ALU_ALPHA_INST. Both units read before
// either writes. The rounding of products and sums is not documented: each is rounded (docs/errata.md).
#pragma once
#include "isa/r500/semantics/functions.h"

namespace Atoll::r500 {

// An operation that every channel does for itself.
template <class A>
typename A::F32 of_channel(A& e, const Half& h, int channel) {
  auto operand = [&](int n) { return e.operand(h, n, channel); };
  switch (h.op) {
    case Op::Mad: {
      auto product = operand(0) * operand(1);
      return product + operand(2);
    }
    case Op::Min: {
      auto a = operand(0), b = operand(1);
      return select(a < b, a, b);
    }
    case Op::Max: {
      auto a = operand(0), b = operand(1);
      return select(a >= b, a, b);
    }
    case Op::Cnd: return select(operand(2) > 0.5f, operand(0), operand(1));
    case Op::Cmp: return select(operand(2) >= 0, operand(0), operand(1));
    case Op::Frc: {
      auto a = operand(0);
      return a - floor(a);
    }
    case Op::Ex2: return ex2(e, operand(0));
    case Op::Ln2: return ln2(e, operand(0));
    case Op::Rcp: return rcp(e, operand(0));
    case Op::Rsq: return rsq(e, operand(0));
    default: return e.core.f32(0);
  }
}

template <class A>
typename A::F32 dot(A& e, const Half& h) {
  auto product = [&](int channel) { return e.operand(h, 0, channel) * e.operand(h, 1, channel); };
  auto sum = product(0) + product(1);
  if (h.op == Op::D2a) return sum + e.operand(h, 2, 2);
  sum = sum + product(2);
  return h.op == Op::Dp4 ? sum + product(3) : sum;
}

template <class A>
void pair(A& e, const Pair& p) {
  e.core.hold_writes();
  if (is_dot(p.rgb.op)) {
    auto sum = dot(e, p.rgb);
    for (int channel = 0; channel < 3; channel++) e.put(p.rgb, channel, sum);
    e.put(p.alpha, 3, p.alpha.op == Op::Dp ? sum : of_channel(e, p.alpha, 3));
  } else {
    auto alpha = of_channel(e, p.alpha, 3);
    for (int channel = 0; channel < 3; channel++)
      if ((p.rgb.mask | p.rgb.extra_mask) >> channel & 1)
        e.put(p.rgb, channel, p.rgb.op == Op::Sop ? alpha : of_channel(e, p.rgb, channel));
    e.put(p.alpha, 3, alpha);
  }
  e.core.commit_writes();
}

}  // namespace Atoll::r500
