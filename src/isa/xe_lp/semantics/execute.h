// What an instruction does: sources through their regions into 32-bit floats or exact 64-bit integers, the operation, then the
// destination's type, saturation and write enable. Everything is read before anything is written.
#pragma once
#include "isa/xe_lp/registers.h"
#include "wave/engine.h"

namespace Atoll::xe_lp {

// Xe-LP's view of an engine.
template <class E>
struct Executed {
  using Core = E;
  using U32 = typename E::U32;
  using U64 = typename E::U64;
  using F32 = typename E::F32;
  using M = typename E::M;
  using S32 = typename E::S32;
  E& core;
  explicit Executed(E& engine) : core(engine) {}

  wave::Region region(const Operand& o, uint8_t lanes, RegionShape shape) {
    wave::Region r;
    r.cell = cell_of(o.file) + byte_of(o);
    r.bytes = uint8_t(bytes_of(o.type));
    r.sign_extend = is_signed(o.type);
    r.lanes = lanes;
    r.width = shape.width, r.vertical = shape.vertical, r.horizontal = shape.horizontal;
    return r;
  }
  U32 bits(const Instruction& i, int n) {
    const Operand& o = i.src[n];
    if (o.kind == Kind::Immediate) return core.u32(uint32_t(o.immediate));
    return core.region(region(o, i.lanes, shape_of(o, has_three_sources(i), unsigned(n))));
  }
  // The exact value, modifiers applied.
  U64 integer(const Instruction& i, int n) {
    const Operand& o = i.src[n];
    U32 raw = bits(i, n);
    U64 x = is_signed(o.type) ? sign_widen(raw) : widen(raw);
    if (o.modifiers & MOD_ABSOLUTE) x = select(slt(x, 0), core.u64(0) - x, x);
    if (o.modifiers & MOD_NEGATE) x = core.u64(0) - x;
    return x;
  }
  F32 real(const Instruction& i, int n) {
    U32 x = bits(i, n);
    if (i.src[n].modifiers & MOD_ABSOLUTE) x = x & 0x7fffffffu;
    if (i.src[n].modifiers & MOD_NEGATE) x = x ^ 0x80000000u;
    return as_f32(x);
  }

  M predicate(const Instruction& i) {
    if (!i.predicate) return core.m(true);
    M p = core.mask(flag_cell(i.flag));
    return i.predicate_inverted ? ~p : p;
  }
  // The channels that the instruction writes.
  M enabled(const Instruction& i) {
    M on = i.lanes < kChannels ? core.lane_id() < uint32_t(i.lanes) : core.m(true);
    if (!i.no_mask) on = on & core.mask(active_cell);
    if (i.op != Op::Sel) on = on & predicate(i);
    return on;
  }

  // --- results in the destination's type
  U32 of_integer(const Instruction& i, U64 x) {
    if (i.dst.type == Type::F) {
      M negative = slt(x, 0);
      auto magnitude = cvt_f64_u32(low(select(negative, core.u64(0) - x, x)));
      return of_real(i, cvt_f32_f64(select(negative, -magnitude, magnitude)));
    }
    if (i.saturate) {
      bool wide = bytes_of(i.dst.type) == 4, negative = is_signed(i.dst.type);
      int64_t least = !negative ? 0 : wide ? INT32_MIN : INT16_MIN;
      int64_t most = negative ? (wide ? INT32_MAX : INT16_MAX) : wide ? int64_t(UINT32_MAX) : UINT16_MAX;
      U64 lowest = core.u64(uint64_t(least)), highest = core.u64(uint64_t(most));
      x = select(slt(x, lowest), lowest, select(sgt(x, highest), highest, x));
    }
    return low(x);
  }
  // To integers: toward zero, out of range the nearest, NaN to 0.
  U32 of_real(const Instruction& i, F32 x) {
    if (i.dst.type == Type::F) {
      if (i.saturate) x = select(x > 0.0f, select(x < 1.0f, x, core.f32(1.0f)), core.f32(0.0f));  // NaN to 0
      return as_u32(x);
    }
    if (i.dst.type == Type::UD) return cvt_u32_f32(x);
    if (i.dst.type == Type::UW) return umin(cvt_u32_f32(x), core.u32(0xffff));
    U32 n = cvt_s32_f32(x);
    if (i.dst.type == Type::W) n = smin(smax(n, core.u32(uint32_t(-32768))), core.u32(32767));
    return n;
  }
  void put(const Instruction& i, M on, U32 x) { core.set_region(region(i.dst, i.lanes, {i.dst.horizontal, 1, 0}), on, x); }

  M compared(Condition c, U64 a, U64 b) {
    switch (c) {
      case Condition::Eq: return a == b;
      case Condition::Ne: return a != b;
      case Condition::Gt: return sgt(a, b);
      case Condition::Ge: return sge(a, b);
      case Condition::Lt: return slt(a, b);
      default: return sle(a, b);
    }
  }
  M compared(Condition c, F32 a, F32 b) {
    switch (c) {
      case Condition::Eq: return a == b;
      case Condition::Ne: return a != b;
      case Condition::Gt: return a > b;
      case Condition::Ge: return a >= b;
      case Condition::Lt: return a < b;
      default: return a <= b;
    }
  }
  // Which channels of sel take source 0. As min and max, a number wins over a NaN.
  M selects(const Instruction& i, U64 a, U64 b) {
    return i.condition == Condition::None ? predicate(i) : compared(i.condition, a, b);
  }
  M selects(const Instruction& i, F32 a, F32 b) {
    if (i.condition == Condition::None) return predicate(i);
    M first = compared(i.condition, a, b);
    return i.condition >= Condition::Gt ? first | isnan(b) : first;
  }

  // --- control: channels leave the flow for a place further on, and a Join there takes them back.
  void leave(const Instruction& i, M channels, uint64_t place) {
    core.set_region({resume_cell, 4, false, i.lanes, 0, 0, 0}, channels, core.u32(key_of(place)));
  }
  uint64_t target(const Instruction& i, int n) { return core.pc() + i.src[n].immediate; }
  S32 scalar_predicate(const Instruction& i) {
    if (!i.predicate) return core.s32(~0u);
    S32 p = core.scalar(flag_cell(i.flag));
    return i.predicate_inverted ? p ^ ~0u : p;
  }
};

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

// The flag gets the outcome, a destination all ones or zeros.
template <class A>
void compare(A& e, const Instruction& i) {
  auto on = e.enabled(i);
  auto truth = i.src[0].type == Type::F ? e.compared(i.condition, e.real(i, 0), e.real(i, 1))
                                        : e.compared(i.condition, e.integer(i, 0), e.integer(i, 1));
  uint32_t cell = flag_cell(i.flag);
  auto flags = (e.core.mask(cell) & ~on) | (truth & on);
  if (i.dst.file != File::Null) e.put(i, on, select(truth, e.core.u32(~0u), e.core.u32(0)));
  e.core.set_mask(cell, flags);
}

template <class A>
void control(A& e, const Instruction& i) {
  const uint32_t size = i.lanes == 32 ? ~0u : (1u << i.lanes) - 1;
  auto active = e.core.mask(active_cell), chosen = e.predicate(i);
  auto word = e.core.scalar(active_cell), predicate = e.scalar_predicate(i);
  auto inside = word & size;
  switch (i.op) {
    case Op::If: {
      e.leave(i, active & ~chosen, e.target(i, 0));
      auto left = word ^ (inside & (predicate ^ ~0u));
      e.core.set_scalar(active_cell, left);
      return e.core.jump_if((left & size) == 0u, e.target(i, 0));
    }
    case Op::Else:  // those of the other branch come back at the Join that follows
      e.leave(i, active, e.target(i, 1));
      return e.core.set_scalar(active_cell, word ^ inside);
    case Op::Endif: return e.core.jump_if(inside == 0u, e.target(i, 0));
    case Op::Break:
    case Op::Cont: {
      e.leave(i, active & chosen, e.target(i, 1));
      auto left = word ^ (inside & predicate);
      e.core.set_scalar(active_cell, left);
      return e.core.jump_if((left & size) == 0u, e.target(i, 0));
    }
    default: {  // While: those that have done enough wait behind it until no channel goes round
      e.leave(i, active & ~chosen, e.core.next_pc());
      auto round = inside & predicate;
      e.core.set_scalar(active_cell, word ^ (inside & (predicate ^ ~0u)));
      return e.core.jump_if(round != 0u, e.target(i, 0));
    }
  }
}

template <class A>
void join(A& e, const Instruction&) {
  wave::Region all{resume_cell, 4, false, 32, 0, 0, 0};
  auto back = e.core.region(all) == key_of(e.core.pc());
  auto active = e.core.mask(active_cell) | back;
  e.core.set_region(all, back, e.core.u32(0));
  e.core.set_mask(active_cell, active);
}

template <class A>
void execute(A& e, const Instruction& i) {
  if (i.op == Op::Join) return join(e, i);
  if (is_control(i.op)) return control(e, i);
  if (i.op == Op::Cmp) return compare(e, i);
  if (is_logic(i.op)) return logic(e, i);
  arithmetic(e, i);
}

}  // namespace Atoll::xe_lp
