// Bits, shifts, fields.
#pragma once
#include "isa/xe_lp/semantics/results.h"

namespace Atoll::xe_lp {

// Results that are bits: flags look at them as a number of the destination's type.
template <class A>
void put_bits(A& e, const Instruction& i, typename A::M on, typename A::U64 x);
template <class A>
void put_bits(A& e, const Instruction& i, typename A::M on, typename A::U32 x) {
  if (bytes_of(i.dst.type) == 8) return put_bits(e, i, on, is_signed(i.dst.type) ? sign_widen(x) : widen(x));
  if (i.condition != Condition::None)
    e.set_flag(i, on, compared(e, i.condition, extended(e, x, i.dst.type), e.core.u32(0), !is_signed(i.dst.type)));
  e.put(i, on, x);
  if (e.holds_high(i.dst)) e.put_high(i, i.dst, on, e.core.u32(0));
  if (!i.write_accumulator) return;
  const Operand accumulator = e.implicit_accumulator(i.dst.type);
  e.put(i, accumulator, on, x);
  if (e.holds_high(accumulator)) e.put_high(i, accumulator, on, e.core.u32(0));
}
template <class A>
void put_bits(A& e, const Instruction& i, typename A::M on, typename A::U64 x) {
  if (bytes_of(i.dst.type) < 8) return put_bits(e, i, on, low(x));
  if (i.condition != Condition::None) e.set_flag(i, on, compared(e, i.condition, x, e.core.u64(0), !is_signed(i.dst.type)));
  e.put64(i, on, x);
}

template <class V, class A>
void logic(A& e, const Instruction& i) {
  auto on = e.enabled(i);
  auto source = [&](int n) {  // the modifier - means ~ here
    V x = e.template raw<V>(i, n);
    return i.src[n].modifiers & MOD_NEGATE ? ~x : x;
  };
  V a = source(0);
  switch (i.op) {
    case Op::Not: return put_bits(e, i, on, ~a);
    case Op::And: return put_bits(e, i, on, a & source(1));
    case Op::Or: return put_bits(e, i, on, a | source(1));
    default: return put_bits(e, i, on, a ^ source(1));
  }
}
template <class A>
void logic(A& e, const Instruction& i) {
  if (bytes_of(i.dst.type) == 8 || bytes_of(i.src[0].type) == 8 || (i.op != Op::Not && bytes_of(i.src[1].type) == 8))
    return logic<typename A::U64>(e, i);
  logic<typename A::U32>(e, i);
}

// Counts are taken modulo 32, of 64-bit types modulo 64.
template <class A>
void shift(A& e, const Instruction& i) {
  using U32 = typename A::U32;
  using U64 = typename A::U64;
  auto on = e.enabled(i);
  const Type type = i.src[0].type;
  const unsigned size = 8 * bytes_of(type);
  if (i.op == Op::Ror || i.op == Op::Rol) {
    U32 n = e.bits(i, 1) & (size - 1);
    if (size == 64) {
      U64 x = e.bits64(i, 0), by = widen(n), rest = widen((e.core.u32(64) - n) & 63u);
      return put_bits(e, i, on, i.op == Op::Rol ? x << by | x >> rest : x >> by | x << rest);
    }
    U32 x = e.bits(i, 0) & (size == 32 ? ~0u : (1u << size) - 1);
    U32 left = i.op == Op::Rol ? n : (e.core.u32(size) - n) & (size - 1), right = (e.core.u32(size) - left) & (size - 1);
    return put_bits(e, i, on, x << left | x >> right);
  }
  U32 count = bytes_of(i.src[1].type) == 8 ? low(e.template integer<U64>(i, 1)) : e.template integer<U32>(i, 1);
  if (size == 64 || bytes_of(i.dst.type) == 8) {
    U64 x = e.template integer<U64>(i, 0);
    U64 n = widen(count & 63u);
    return put_integer(e, i, on,
                       i.op == Op::Shl   ? x << n
                       : i.op == Op::Shr ? x >> n
                                         : ashr(x, n),
                       i.op == Op::Shr || !(is_signed(type) || i.src[0].modifiers & MOD_NEGATE));
  }
  if (i.saturate || i.condition > Condition::Ne || i.write_accumulator || e.holds_high(i.dst)) {
    U64 x = e.template integer<U64>(i, 0);
    U64 n = widen(count & 31u);
    if (i.op == Op::Shr) x = x & 0xffffffffu;
    return put_integer(e, i, on, i.op == Op::Shl ? x << n : i.op == Op::Shr ? x >> n : ashr(sign_widen(low(x)), n), false);
  }
  U32 x = e.template integer<U32>(i, 0), n = count & 31u;
  put_bits(e, i, on, i.op == Op::Shl ? x << n : i.op == Op::Shr ? x >> n : ashr(x, n));
}

// Counts, and fields of bits. Widths and offsets are taken modulo 32.
template <class A>
void bit_fields(A& e, const Instruction& i) {
  using U32 = typename A::U32;
  auto on = e.enabled(i);
  auto put = [&](U32 x) { put_bits(e, i, on, x); };
  U32 a = e.bits(i, 0);
  U32 none = e.core.u32(~0u);
  switch (i.op) {
    case Op::Lzd: return put(clz(e.template integer<U32>(i, 0)));
    case Op::Fbh: {
      U32 x = is_signed(i.src[0].type) || i.src[0].type == Type::V ? a ^ ashr(a, 31) : a;
      return put(select(x == 0u, none, clz(x)));
    }
    case Op::Fbl: return put(select(a == 0u, none, ctz(a)));
    case Op::Cbit: {
      const Type type = i.src[0].type;
      const bool byte = type == Type::UB || type == Type::B;
      return put(popcount(byte ? a & 0xffu : bytes_of(type) < 4 ? a & 0xffffu : a));
    }
    case Op::Bfrev: return put(bitreverse(a));
    case Op::Bfi1: return put((((e.core.u32(1) << (a & 31u)) - 1u) << (e.bits(i, 1) & 31u)));
    case Op::Bfe: {
      U32 width = a & 31u, offset = e.bits(i, 1) & 31u, data = e.bits(i, 2), end = width + offset;
      U32 moved = data << (e.core.u32(32) - end & 31u), back = (e.core.u32(32) - width) & 31u;
      const bool negative = is_signed(i.src[2].type);
      U32 inside = negative ? ashr(moved, back) : moved >> back, rest = negative ? ashr(data, offset) : data >> offset;
      return put(select(width == 0u, e.core.u32(0), select(end < 32u, inside, rest)));
    }
    default: {  // bfi2: src1, moved to where the mask begins, into src2
      U32 moved = e.bits(i, 1) << (ctz(a) & 31u);
      return put((moved & a) | (e.bits(i, 2) & ~a));
    }
  }
}

}  // namespace Atoll::xe_lp
