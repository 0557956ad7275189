// Moves, selections, sums and products.
#pragma once
#include "isa/xe_lp/semantics/results.h"

namespace Atoll::xe_lp {

inline bool all_halves(const Instruction& i) {
  for (unsigned n = 0; n < sources_of(i); n++)
    if (i.src[n].type != Type::HF) return false;
  return i.dst.type == Type::HF;
}
// src0 * src1 + c in f32, or for halves rounded so that the second rounding, to a half, gives what one would have given: to the
// nearest odd where the first was not exact.
template <class A>
typename A::F32 multiply_add(A& e, const Instruction& i, typename A::F32 a, typename A::F32 b, typename A::F32 c) {
  auto sum = fma(a, b, c);
  if (!all_halves(i) || e.core.float_mode().round32 != wave::Rounding::NearestEven) return sum;
  // All operands that are halves: the product is exact, and so is what the sum lost.
  auto product = a * b, part = sum - product, lost = (product - (sum - part)) + (c - part);
  auto bits = as_u32(sum);
  auto inexact = (lost < 0.0f) | (lost > 0.0f);
  auto away = (lost > 0.0f) ^ (sum < 0.0f);
  auto odd = select(away, bits + 1u, bits - 1u);
  return as_f32(select(inexact & ((bits & 1u) == 0u), odd, bits));
}

// As minimum and maximum, a number wins over a NaN.
template <class A>
typename A::M selects_first(A& e, const Instruction& i, typename A::F32 a, typename A::F32 b) {
  if (i.condition == Condition::None) return e.predicate(i);
  auto first = compared(e, i.condition, a, b);
  return i.condition >= Condition::Gt && i.condition <= Condition::Le ? first | isnan(b) : first;
}

// Conversions keep denormal floats whatever cr0 says (IGC, as at flushes_halves). To halves that is seen where they are rounded away
// from zero, as the least normal number is, which the host does not flush.
template <class A>
typename A::F32 to_convert(A& e, const Instruction& i, typename A::F32 x) {
  const wave::FloatMode& mode = e.core.float_mode();
  const bool away = mode.round32 == wave::Rounding::Up || mode.round32 == wave::Rounding::Down;
  if (!mode.flush_in32 || !away || i.src[0].type != Type::F || i.dst.type != Type::HF) return x;
  auto bits = as_u32(x);
  auto denormal = ((bits & 0x7f800000u) == 0u) & ((bits & 0x007fffffu) != 0u);
  return as_f32(select(denormal, (bits & 0x80000000u) | 0x00800000u, bits));
}

template <class A>
void float_arithmetic(A& e, const Instruction& i) {
  auto on = e.enabled(i);
  auto a = e.real(i, 0);
  switch (i.op) {
    case Op::Mov:
    case Op::Movi: return put_real(e, i, on, to_convert(e, i, a));
    case Op::Frc: return put_real(e, i, on, a - floor(a));
    case Op::Rndu: return put_real(e, i, on, ceil(a));
    case Op::Rndd: return put_real(e, i, on, floor(a));
    case Op::Rnde: return put_real(e, i, on, rndne(a));
    case Op::Rndz: return put_real(e, i, on, trunc(a));
    default: break;
  }
  auto b = e.real(i, 1);
  switch (i.op) {
    case Op::Sel: return put_real(e, i, on, select(selects_first(e, i, a, b), a, b));
    case Op::Add: return put_real(e, i, on, a + b);
    case Op::Mul: return put_real(e, i, on, a * b);
    case Op::Mac: {
      const Type type = i.dst.type == Type::HF ? Type::HF : Type::F;
      auto sum = region32(e.core, e.region(e.implicit_accumulator(type), i.lanes, {1, 1, 0}));
      if (type == Type::F && is_alternate(e.core.float_mode(), i)) sum = e.finite(i, sum);
      return put_real(e, i, on, multiply_add(e, i, a, b, type == Type::HF ? cvt_f32_f16(sum) : as_f32(sum)));
    }
    case Op::Csel: return put_real(e, i, on, select(compared(e, i.condition, e.real(i, 2), e.core.f32(0)), a, b));
    default: return put_real(e, i, on, multiply_add(e, i, b, e.real(i, 2), a));
  }
}

template <class V, class A>
void integer_arithmetic(A& e, const Instruction& i) {
  auto on = e.enabled(i);
  V a = e.template integer<V>(i, 0);
  const bool is_unsigned = all_unsigned(i);
  switch (i.op) {
    case Op::Mov:
    case Op::Movi: return put_integer(e, i, on, a, is_unsigned);
    case Op::Frc:
    case Op::Rndu:
    case Op::Rndd:
    case Op::Rnde:
    case Op::Rndz: return put_integer(e, i, on, i.op == Op::Frc ? e.template zero<V>() : a, is_unsigned);
    default: break;
  }
  V b = e.template integer<V>(i, 1);
  switch (i.op) {
    case Op::Sel: {
      auto first = i.condition == Condition::None ? e.predicate(i) : compared(e, i.condition, a, b, is_unsigned);
      return put_integer(e, i, on, select(first, a, b), is_unsigned);
    }
    case Op::Add: return put_integer(e, i, on, a + b, is_unsigned);
    case Op::Mul: return put_integer(e, i, on, a * b, is_unsigned);
    case Op::Mac: {
      auto sum = e.accumulator(i, Type::D);
      if constexpr (std::is_same_v<V, typename A::U64>)
        return put_integer(e, i, on, a * b + sum, false);
      else
        return put_integer(e, i, on, a * b + low(sum), false);
    }
    case Op::Csel: {
      V c = e.template integer<V>(i, 2);
      return put_integer(e, i, on, select(compared(e, i.condition, c, e.template zero<V>(), is_unsigned), a, b), is_unsigned);
    }
    default: return put_integer(e, i, on, a + b * e.template integer<V>(i, 2), is_unsigned);
  }
}

// Halfway between two integers, upward: in 64 bits the sum is exact.
template <class A>
void average(A& e, const Instruction& i) {
  auto sum = e.template integer<typename A::U64>(i, 0) + e.template integer<typename A::U64>(i, 1) + 1;
  put_integer(e, i, e.enabled(i), ashr(sum, 1), false);
}

// mach: the upper 32 bits of the product that `mul acc, src0, src1.lo` began; without AccWrEn (macl) the lower 32.
template <class A>
void multiply_high(A& e, const Instruction& i) {
  auto on = e.enabled(i);
  auto a = e.template integer<typename A::U64>(i, 0), b = e.template integer<typename A::U64>(i, 1);
  const bool is_word = bytes_of(i.src[1].type) < 4;  // has no upper half
  auto upper = is_word ? e.core.u64(0) : is_signed(i.src[1].type) ? ashr(b, 16) : b >> 16;
  const Type type = is_signed(i.src[0].type) ? Type::D : Type::UD;
  auto sum = ((a * upper) << 16) + e.accumulator(i, type);
  if (!i.write_accumulator) return e.put(i, on, low(sum));
  e.put(i, on, high(sum));
  const Operand accumulator = e.implicit_accumulator(type);
  e.put(i, accumulator, on, low(sum));
  e.put_high(i, accumulator, on, high(sum));
}

// addc, subb: the accumulator gets the carry, the borrow.
template <class A>
void with_carry(A& e, const Instruction& i) {
  auto on = e.enabled(i);
  auto a = e.template integer<typename A::U32>(i, 0), b = e.template integer<typename A::U32>(i, 1);
  auto result = i.op == Op::Addc ? a + b : a - b;
  auto carry = select(i.op == Op::Addc ? result < a : a < b, e.core.u32(1), e.core.u32(0));
  Instruction plain = i;
  plain.write_accumulator = false, plain.saturate = false;
  put_integer(e, plain, on, result, true);
  const Operand accumulator = e.implicit_accumulator(Type::UD);
  e.put(i, accumulator, on, carry);
  e.put_high(i, accumulator, on, e.core.u32(0));
}

// Sum of the products of four bytes each.
template <class A>
void dot4(A& e, const Instruction& i) {
  auto on = e.enabled(i);
  auto a = e.bits(i, 1), b = e.bits(i, 2);
  auto byte = [&](typename A::U32 word, int n, Type type) {
    return is_signed(type) ? ashr(word << (24 - 8 * n), 24) : word >> (8 * n) & 0xffu;
  };
  auto sum = e.core.u32(0);
  for (int n = 0; n < 4; n++) sum = sum + byte(a, n, i.src[1].type) * byte(b, n, i.src[2].type);
  put_integer(e, i, on, sign_widen(sum) + e.template integer<typename A::U64>(i, 0), false);
}

// A move that changes nothing: bits, whatever the type holds.
inline bool is_copy(const Instruction& i) {
  return i.op == Op::Mov && i.dst.type == i.src[0].type && !i.src[0].modifiers && !i.saturate && i.condition == Condition::None &&
         !i.write_accumulator && i.dst.file != File::Acc && i.dst.file != File::Mme;
}
template <class A>
void copy(A& e, const Instruction& i) {
  if (bytes_of(i.dst.type) == 8) return e.put64(i, e.enabled(i), e.bits64(i, 0));
  e.put(i, e.enabled(i), e.bits(i, 0));
}

template <class A>
void arithmetic(A& e, const Instruction& i) {
  if (is_copy(i)) return copy(e, i);
  if (sources_are_floats(i)) return float_arithmetic(e, i);
  if (i.op == Op::Sel || i.op == Op::Csel ? chooses_narrow(i) : is_narrow(i)) return integer_arithmetic<typename A::U32>(e, i);
  integer_arithmetic<typename A::U64>(e, i);
}

}  // namespace Atoll::xe_lp
