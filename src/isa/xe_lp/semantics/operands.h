// Xe-LP's view of an engine: sources through their regions into 32-bit floats or exact 64-bit integers, results into the
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

}  // namespace Atoll::xe_lp
