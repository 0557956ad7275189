// The semantics of a pair: R5xx Acceleration v1.3, 10.10, RGB_OP and ALPHA_OP of US_ALU_RGBA_INST and US_ALU_ALPHA_INST. Both units read
// before either writes. The rounding of products and sums is not documented: each is rounded, denormals are 0 (docs/errata.md).
#pragma once
#include "isa/r500/semantics/functions.h"

namespace Atoll::r500 {

// An operation that every channel does for itself.
template <class A>
typename A::F32 of_channel(A& e, const Pair& p, bool alpha, int channel) {
  auto operand = [&](int n) { return e.operand(p, alpha, n, channel); };
  switch (alpha ? p.alpha.op : p.rgb.op) {
    case Op::Mad:
    case Op::Mdh:
    case Op::Mdv: {
      auto product = e.product(p, alpha, channel);
      return product + operand(2);
    }
    // One operand with all its bits: what the output modifier makes of them is put()'s. The choice is among bits, because a
    // compiler may take one among numbers for the host's minimum, which makes 0 of denormals.
    case Op::Min: {
      auto a = operand(0), b = operand(1);
      return as_f32(select(flushed(e, a) < flushed(e, b), as_u32(a), as_u32(b)));
    }
    case Op::Max: {
      auto a = operand(0), b = operand(1);
      return as_f32(select(flushed(e, a) >= flushed(e, b), as_u32(a), as_u32(b)));
    }
    case Op::Cnd: return select(operand(2) > 0.5f, operand(0), operand(1));
    case Op::Cmp: return select(operand(2) >= 0, operand(0), operand(1));
    case Op::Frc: {
      auto a = operand(0);
      return a - floor(a);
    }
    case Op::Ex2: return exponential_or_call(e, operand(0));
    case Op::Ln2: return logarithm_or_call(e, operand(0));
    case Op::Rcp: return rcp(e, operand(0));
    case Op::Rsq: return reciprocal_root_or_call(e, operand(0));
    case Op::Sin: return sine_or_call(e, operand(0));
    case Op::Cos: return cosine_or_call(e, operand(0));
    default: return e.core.f32(0);
  }
}

// The fourth channel of dp4 is the alpha unit's operands.
template <class A>
typename A::F32 dot(A& e, const Pair& p) {
  auto product = [&](int channel) { return e.product(p, channel == 3, channel); };
  auto sum = product(0) + product(1);
  if (p.rgb.op == Op::D2a) return sum + e.operand(p, false, 2, 2);
  sum = sum + product(2);
  return p.rgb.op == Op::Dp4 ? sum + product(3) : sum;
}

template <class A>
void pair(A& e, const Pair& p) {
  e.core.hold_writes();
  bool alpha_wanted = p.alpha.mask || p.alpha.extra_mask || p.depth || (p.alu_result && p.alu_result_alpha);
  if (is_dot(p.rgb.op)) {
    auto sum = dot(e, p);
    for (int channel = 0; channel < 3; channel++) e.put(p, false, channel, sum);
    if (alpha_wanted) e.put(p, true, 3, p.alpha.op == Op::Dp ? sum : of_channel(e, p, true, 3));
  } else if (p.rgb.op == Op::Sop) {
    auto alpha = of_channel(e, p, true, 3);
    for (int channel = 0; channel < 3; channel++) e.put(p, false, channel, alpha);
    e.put(p, true, 3, alpha);
  } else {
    auto rgb_wanted = [&](int channel) {
      return (p.rgb.mask | p.rgb.extra_mask) >> channel & 1 || (channel == 0 && p.alu_result && !p.alu_result_alpha);
    };
    for (int channel = 0; channel < 3; channel++)
      if (rgb_wanted(channel)) e.put(p, false, channel, of_channel(e, p, false, channel));
    if (alpha_wanted) e.put(p, true, 3, of_channel(e, p, true, 3));
  }
  e.core.commit_writes();
}

}  // namespace Atoll::r500
