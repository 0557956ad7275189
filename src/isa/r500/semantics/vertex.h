// The semantics of vertex shader instructions. Operations after Mesa 22.3.6 (r300_reg.h names them, r3xx_vertprog.c, radeon_vert_fc.c
// and radeon_program_alu.c say what it takes them for); the predicate operations as those of the same names in the R600 family's
// instruction set document; all that stays open: docs/errata.md. Products and sums are rounded one by one, denormals are 0.
#pragma once
#include "isa/r500/registers_vs.h"
#include "isa/r500/semantics/functions.h"
#include "isa/r500/vertex_instruction.h"

namespace Atoll::r500::vs {

template <class E>
struct VertexAdaptor {
  using Core = E;
  using U32 = typename E::U32;
  using F32 = typename E::F32;
  using F64 = typename E::F64;
  using M = typename E::M;

  E& core;
  explicit VertexAdaptor(E& engine) : core(engine) {}

  // Channel `channel` of source `n` as the operation sees it.
  F32 read(const Source& s, uint32_t n, int channel) {
    const uint8_t letter = s.swizzle[channel];
    F32 x = letter <= SELECT_W ? stored(s, n, letter) : core.f32(letter == SELECT_1 ? 1.0f : 0.0f);
    if (s.absolute) x = fabs(x);
    if (s.negate >> channel & 1) x = -x;
    return x;
  }
  F32 stored(const Source& s, uint32_t n, uint32_t channel) {
    if (s.mode != ABSOLUTE) return as_f32(core.lanes(relative_cell(n, channel)));
    switch (s.type) {
      case SOURCE_CONSTANT: return as_f32(core.splat(core.scalar(constant_cell(s.offset, channel))));
      case SOURCE_TEMPORARY:
        if (s.offset < kTemporaries) return as_f32(core.lanes(temporary_cell(s.offset, channel)));
        break;
      case SOURCE_INPUT:
        if (s.offset < kInputs) return as_f32(core.lanes(input_cell(s.offset, channel)));
        break;
      default:
        if (s.offset < kAlternates) return as_f32(core.lanes(alternate_cell(s.offset, channel)));
        break;
    }
    return core.f32(0);
  }

  M enabled(uint8_t predicate) {
    if (predicate == PREDICATE_NONE) return core.m(true);
    M p = core.mask(predicate_cell);
    return predicate == PREDICATE_SET ? p : ~p;
  }
  void put(const Destination& d, int channel, M condition, F32 x) {
    const uint32_t c = uint32_t(channel);
    if (d.type == DESTINATION_ADDRESS) {
      // Nine bits with a sign; floor() is that of arl and arr already.
      x = floor(x);
      x = select(x > 255, core.f32(255), select(x < -256, core.f32(-256), x));
      core.set_lanes_if(condition, address_cell(c), cvt_s32_f32(x));
    } else if (d.mode != ABSOLUTE) {
      core.set_lanes_if(condition, result_cell(c), as_u32(x));
    } else if (d.type == DESTINATION_TEMPORARY) {
      core.set_lanes_if(condition, temporary_cell(d.offset, c), as_u32(x));
    } else if (d.type == DESTINATION_ALTERNATE) {
      if (d.offset < kAlternates) core.set_lanes_if(condition, alternate_cell(d.offset, c), as_u32(x));
    } else if (d.type == DESTINATION_INPUT) {
      if (d.offset < kInputs) core.set_lanes_if(condition, input_cell(d.offset, c), as_u32(x));
    } else if (d.offset < kOutputs) {
      core.set_lanes_if(condition, output_cell(d.offset, c), as_u32(x));
    }
  }
  void set_predicate(M written, M value) {
    M old = core.mask(predicate_cell);
    core.set_mask(predicate_cell, (old & ~written) | (value & written));
  }
  F32 saturated(bool saturate, F32 x) {
    return saturate ? select(x > 0, select(x < 1, x, core.f32(1.0f)), core.f32(0.0f)) : x;  // NaN becomes 0
  }
  F32 one_or_zero(M condition) { return select(condition, core.f32(1.0f), core.f32(0.0f)); }
  // 0 times anything is 0 (Mesa tells so of both shaders: PIPE_CAP_LEGACY_MATH_RULES).
  F32 product(F32 a, F32 b) { return select((a == 0) | (b == 0), core.f32(0.0f), a * b); }
  // The product of two sources' channels, one of which may be a 0 or 1 in the instruction.
  F32 product(const Source& a, const Source& b, int channel, F32 x, F32 y) {
    auto is = [&](const Source& s, uint8_t letter) { return s.swizzle[channel] == letter && !(s.negate >> channel & 1); };
    if (is(a, SELECT_1)) return y;
    if (is(b, SELECT_1)) return x;
    if (is(a, SELECT_0) || is(b, SELECT_0)) return core.f32(0.0f);
    return product(x, y);
  }
  F32 greatest() { return as_f32(core.u32(0x7f7fffff)); }
  F32 infinity() { return as_f32(core.u32(0x7f800000)); }
};

template <class A>
struct Four {
  typename A::F32 x, y, z, w;
  typename A::F32 operator[](int channel) const { return channel == 0 ? x : channel == 1 ? y : channel == 2 ? z : w; }
};
template <class A>
Four<A> four(typename A::F32 x) {
  return {x, x, x, x};
}

// `x` `op` 0, for the operations that come in these four.
enum class Against0 : uint8_t { Eq, Gt, Ge, Ne };
template <class A>
typename A::M against_0(A&, Against0 op, typename A::F32 x) {
  switch (op) {
    case Against0::Eq: return x == 0;
    case Against0::Gt: return x > 0;
    case Against0::Ge: return x >= 0;
    default: return x != 0;
  }
}

// The operations of the older (DX, FF) kind know no infinite result.
template <class A>
typename A::F32 instead_of_infinity(A& e, typename A::F32 x, typename A::F32 instead) {
  return select(fabs(x) == e.infinity(), instead, x);
}
template <class A>
typename A::F32 clamped(A& e, typename A::F32 x) {
  return instead_of_infinity(e, x, select(x < 0, -e.greatest(), e.greatest()));
}

// a^b: 0^b is 0 (infinite for b < 0), otherwise a^0 is 1, and a negative base counts as positive with the result's sign turned.
template <class A>
typename A::F32 power(A& e, typename A::F32 a, typename A::F32 b) {
  auto size = flushed(e, fabs(a));
  auto r = exp2_of(e, log2_of(e, size) * cvt_f64_f32(b));
  r = select(size == e.infinity(), select(b < 0, e.core.f32(0), e.infinity()), r);
  r = select(a < 0, -r, r);
  r = select(b == 0, e.core.f32(1), r);
  r = select(a == 0, select(b < 0, e.infinity(), e.core.f32(0)), r);
  return keep_nan(e, a, keep_nan(e, b, r));
}

template <class A>
typename A::F32 log2_absolute(A& e, typename A::F32 a) {
  return logarithm_or_call(e, fabs(a));
}

// A math operation on the operands' w. The predicate bits it gives go into `predicate` where it gives any.
template <class A>
Four<A> math(A& e, Op op, typename A::F32 a, typename A::F32 b, typename A::F32 c, typename A::M& predicate) {
  auto one = e.core.f32(1.0f), zero = e.core.f32(0.0f);
  auto all = [](typename A::F32 x) { return four<A>(x); };
  auto decide = [&](typename A::M condition, typename A::F32 otherwise) {
    predicate = condition;
    return four<A>(select(condition, zero, otherwise));
  };
  switch (op) {
    case Op::Exp: {
      auto whole = floor(a);
      // Beyond 128 there is no fraction (docs/errata.md).
      return {exponential_or_call(e, whole), select(a > 128, zero, a - whole), exponential_or_call(e, a), one};
    }
    case Op::Log: {
      auto size = flushed(e, fabs(a));
      auto usable = (size > 0) & (size < e.infinity());
      auto bits = as_u64(cvt_f64_f32(select(usable, size, one)));
      auto exponent = cvt_f32_s32((high(bits) >> 20) - 1023u);
      auto mantissa = cvt_f32_f64(as_f64(join(low(bits), (high(bits) & 0xfffffu) | 0x3ff00000u)));
      auto least = -e.greatest();
      return {select(usable, exponent, select(size == 0, least, keep_nan(e, size, size))), select(usable, mantissa, one),
              select(size == 0, least, log2_absolute(e, a)), one};
    }
    case Op::ExpE: return all(keep_nan(e, a, exp2_of(e, cvt_f64_f32(a) * 0x1.71547652b82fep+0)));
    case Op::Lit: {
      auto exponent = select(c > 128, e.core.f32(128), select(c < -128, e.core.f32(-128), c));
      auto base = select(a > 0, a, zero);
      return {one, select(b > 0, b, zero), select(b > 0, power(e, base, exponent), zero), one};
    }
    case Op::Pow: return all(power(e, a, c));
    case Op::Rcp: return all(clamped(e, one / a));
    case Op::RcpFf: return all(instead_of_infinity(e, one / a, zero));
    case Op::RcpIeee: return all(one / a);
    case Op::Rsq: return all(clamped(e, reciprocal_root_or_call(e, fabs(a))));
    case Op::RsqFf: return all(instead_of_infinity(e, reciprocal_root_or_call(e, fabs(a)), zero));
    case Op::RsqIeee: return all(reciprocal_root_or_call(e, fabs(a)));
    case Op::MathMul: return all(e.product(a, b));
    case Op::Ex2: return all(exponential_or_call(e, a));
    case Op::Lg2: return all(select(a == 0, -e.greatest(), log2_absolute(e, a)));
    case Op::Lg2Ieee: return all(log2_absolute(e, a));
    case Op::PowB: return all(select(a < b, zero, power(e, a, c)));
    case Op::PowB1: return all(select(a < b, zero, select(a > 1, one, power(e, a, c))));
    case Op::Pow01: return all(select(a <= 0, zero, select(a > 1, one, power(e, a, c))));
    case Op::Sin: return all(sine_of_angle_or_call(e, a));
    case Op::Cos: return all(cosine_of_angle_or_call(e, a));
    // A counter that is not 0 says how many branches out of which the vertex takes part again.
    case Op::PredEq: return decide(a == 0, one);
    case Op::PredGt: return decide(a > 0, one);
    case Op::PredGe: return decide(a >= 0, one);
    case Op::PredNe: return decide(a != 0, one);
    case Op::PredClr: return decide(e.core.m(false), e.greatest());
    case Op::PredInv: return decide(a == 1, select(a == 0, one, a));
    case Op::PredPop: return decide(a <= 1, a - 1.0f);
    case Op::PredRestore: return decide(a == 0, a);
    default: return all(zero);
  }
}

// An operation that every channel does for itself. `product` is A * B.
template <class A>
typename A::F32 of_channel(A& e, Op op, typename A::F32 a, typename A::F32 b, typename A::F32 c, typename A::F32 product) {
  switch (op) {
    case Op::Mul: return product;
    case Op::Add: return a + b;
    case Op::Mad:
    case Op::MadMacro: return product + c;
    case Op::Mad2:
    case Op::Mad2Macro: return product * 2.0f + c;
    case Op::Frc: return a - floor(a);
    case Op::Max: return larger(e, a, b);
    case Op::Min: return smaller(e, a, b);
    case Op::Sge: return e.one_or_zero(a >= b);
    case Op::Slt: return e.one_or_zero(a < b);
    case Op::Sgt: return e.one_or_zero(a > b);
    case Op::Seq: return e.one_or_zero(a == b);
    case Op::Sne: return e.one_or_zero(a != b);
    case Op::Arl: return floor(a);
    case Op::Arr: return floor(a + 0.5f);
    case Op::WriteEq:
    case Op::WriteGt:
    case Op::WriteGe:
    case Op::WriteNe: return b;
    case Op::MuxEq: return select(a == 0, b, c);
    case Op::MuxGt: return select(a > 0, b, c);
    case Op::MuxGe: return select(a >= 0, b, c);
    default: return e.core.f32(0);
  }
}

template <class A>
void vertex(A& e, const Instruction& i) {
  const Op op = i.op;
  const uint8_t sources = row_of(op).sources;
  const bool is_math = row_of(op).engine == Engine::math;
  const bool nothing = op == Op::Nop || op == Op::MathNop;
  auto operand = [&](uint32_t n, int channel) { return sources >> n & 1 ? e.read(i.source[n], n, channel) : e.core.f32(0); };
  const bool saturate = is_math ? i.saturate_math : i.saturate;
  const uint8_t mask = nothing ? 0 : i.destination.mask;

  auto multiply = [&](int channel) {
    return e.product(i.source[0], i.source[1], channel, operand(0, channel), operand(1, channel));
  };

  e.core.hold_writes();
  auto enabled = e.enabled(i.predicate);
  auto put = [&](int channel, typename A::M condition, typename A::F32 x) {
    e.put(i.destination, channel, condition, e.saturated(saturate, x));
  };
  auto put_all = [&](const Four<A>& r) {
    for (int channel = 0; channel < 4; channel++)
      if (mask >> channel & 1) put(channel, enabled, i.destination.type == DESTINATION_OUTPUT_X ? r.x : r[channel]);
  };
  auto take_predicate = [&](typename A::M value) {
    if (sets_predicate(op)) e.set_predicate(enabled & e.core.active(), value);
  };

  if (is_math) {
    if (mask || sets_predicate(op)) {
      auto predicate = e.core.m(false);
      put_all(math(e, op, operand(0, 3), operand(1, 3), operand(2, 3), predicate));
      take_predicate(predicate);
    }
  } else if (op == Op::Dp4) {
    auto sum = multiply(0) + multiply(1);
    sum = sum + multiply(2);
    put_all(four<A>(sum + multiply(3)));
  } else if (op == Op::Dst) {
    put_all({e.core.f32(1), multiply(1), operand(0, 2), operand(1, 3)});
  } else if (op == Op::MulClamp) {
    auto x = multiply(0), w = multiply(3), low = operand(2, 0), high = operand(2, 3);
    put_all(four<A>(select(high < w, high, select(low >= x, low, x))));
  } else if (op >= Op::PushEq && op <= Op::PushNe) {
    auto counter = operand(0, 3);
    auto condition = (counter == 0) & against_0(e, Against0(uint8_t(op) - uint8_t(Op::PushEq)), operand(1, 3));
    put_all(four<A>(select(condition, e.core.f32(0), counter + 1.0f)));
    take_predicate(condition);
  } else {
    const bool condition = op >= Op::WriteEq && op <= Op::WriteNe;
    const bool multiplies = op == Op::Mul || op == Op::Mad || op == Op::Mad2 || op == Op::MadMacro || op == Op::Mad2Macro;
    auto of = [&](int from) {
      auto product = multiplies ? multiply(from) : e.core.f32(0);
      return of_channel(e, op, operand(0, from), operand(1, from), operand(2, from), product);
    };
    for (int channel = 0; channel < 4; channel++) {
      if (!(mask >> channel & 1)) continue;
      const int from = i.destination.type == DESTINATION_OUTPUT_X ? 0 : channel;
      auto written = enabled;
      if (condition) written = written & against_0(e, Against0(uint8_t(op) - uint8_t(Op::WriteEq)), operand(0, from));
      put(channel, written, of(from));
    }
  }

  if (i.is_dual && i.dual.op != Op::MathNop) {
    auto a = e.read(i.dual.source, 2, 0), b = e.read(i.dual.source, 2, 1);
    auto predicate = e.core.m(false);
    auto r = math(e, i.dual.op, a, b, b, predicate)[i.dual.channel];
    Destination d{DESTINATION_ALTERNATE, i.dual.destination, ABSOLUTE, 0, 0};
    e.put(d, i.dual.channel, enabled, e.saturated(i.saturate_math, r));
    if (sets_predicate(i.dual.op)) e.set_predicate(enabled & e.core.active(), predicate);
  }
  e.core.commit_writes();
}

}  // namespace Atoll::r500::vs
