// Results: rounded and clamped to the destination's type, with the flags that a condition modifier asks for. Flags tell of a result
// before it is saturated (PRM, "post condition signal").
#pragma once
#include "isa/xe_lp/semantics/operands.h"

namespace Atoll::xe_lp {

// Comparison with zero, or of two.
template <class A, class V>
typename A::M compared(A& e, Condition c, V a, V b, bool is_unsigned) {
  switch (c) {
    case Condition::Eq: return a == b;
    case Condition::Ne: return a != b;
    case Condition::Gt: return is_unsigned ? a > b : sgt(a, b);
    case Condition::Ge: return is_unsigned ? a >= b : sge(a, b);
    case Condition::Lt: return is_unsigned ? a < b : slt(a, b);
    case Condition::Le: return is_unsigned ? a <= b : sle(a, b);
    default: return e.core.m(false);
  }
}
template <class A>
typename A::M compared(A& e, Condition c, typename A::F32 a, typename A::F32 b) {
  switch (c) {
    case Condition::Eq: return a == b;
    case Condition::Ne: return a != b;
    case Condition::Gt: return a > b;
    case Condition::Ge: return a >= b;
    case Condition::Lt: return a < b;
    case Condition::Le: return a <= b;
    case Condition::Un: return unordered(a, b);
    default: return e.core.m(false);
  }
}

// f32 to a half, with what the mode says of denormal halves.
template <class A>
typename A::U32 half_of(A& e, const Instruction& i, typename A::F32 x) {
  auto h = cvt_f16_f32(x);
  return e.core.float_mode().flush_out64 && flushes_halves(i) ? e.flushed_half(h) : h;
}
// Exact integers of 64 bits to f32, rounded once: what lies below the 48 upper bits of large ones is gathered in the last of them.
template <class A>
typename A::F32 f32_of(A& e, typename A::U64 x, bool is_unsigned) {
  auto negative = is_unsigned ? e.core.m(false) : slt(x, 0);
  auto size = select(negative, e.core.u64(0) - x, x);
  auto large = high(size) >= 0x10000u;
  auto gathered = (size >> 16) | select((low(size) & 0xffffu) != 0u, e.core.u64(1), e.core.u64(0));
  auto part = select(large, gathered, size);
  auto real = cvt_f64_u32(high(part)) * 0x1p32 + cvt_f64_u32(low(part));
  real = select(large, real * 0x1p16, real);
  return cvt_f32_f64(select(negative, -real, real));
}
// Toward zero, clamped, NaN to 0.
template <class A>
typename A::U64 integer64_of(A& e, typename A::F32 x, bool is_unsigned) {
  auto size = fabs(x);
  auto inside = size < (is_unsigned ? 0x1p64f : 0x1p63f);
  auto safe = select(inside, size, e.core.f32(0));
  auto upper = cvt_u32_f32(safe * 0x1p-32f);
  auto number = join(cvt_u32_f32(safe - cvt_f32_u32(upper) * 0x1p32f), upper);
  auto negative = x < 0.0f;
  if (is_unsigned) {
    number = select(inside, number, e.core.u64(~uint64_t(0)));
    number = select(negative, e.core.u64(0), number);
  } else {
    number = select(inside, number, e.core.u64(uint64_t(INT64_MAX)));
    number = select(negative, select(inside, e.core.u64(0) - number, e.core.u64(uint64_t(INT64_MIN))), number);
  }
  return select(isnan(x), e.core.u64(0), number);
}
template <class A>
typename A::U32 integer_of(A& e, typename A::F32 x, Type type) {
  switch (type) {
    case Type::UD: return cvt_u32_f32(x);
    case Type::UW: return umin(cvt_u32_f32(x), e.core.u32(0xffff));
    case Type::UB: return umin(cvt_u32_f32(x), e.core.u32(0xff));
    case Type::W: return smin(smax(cvt_s32_f32(x), e.core.u32(uint32_t(-32768))), e.core.u32(32767));
    case Type::B: return smin(smax(cvt_s32_f32(x), e.core.u32(uint32_t(-128))), e.core.u32(127));
    default: return cvt_s32_f32(x);
  }
}

// Bits of a smaller integer type extended to 32.
template <class A>
typename A::U32 extended(A&, typename A::U32 x, Type type) {
  switch (type) {
    case Type::UB: return x & 0xffu;
    case Type::UW: return x & 0xffffu;
    case Type::B: return ashr(x << 24, 24);
    case Type::W: return ashr(x << 16, 16);
    default: return x;
  }
}
constexpr int64_t least_of(Type t) { return is_signed(t) ? int64_t(~uint64_t(0) << (8 * bytes_of(t) - 1)) : 0; }
static_assert(least_of(Type::Q) == INT64_MIN && least_of(Type::B) == -128);
constexpr uint64_t most_of(Type t) {
  return is_signed(t)       ? (uint64_t(1) << (8 * bytes_of(t) - 1)) - 1
         : bytes_of(t) == 8 ? ~uint64_t(0)
                            : (uint64_t(1) << 8 * bytes_of(t)) - 1;
}

// --- floats
template <class A>
void put_real(A& e, const Instruction& i, typename A::M on, typename A::F32 x) {
  using U32 = typename A::U32;
  const Type type = i.dst.type;
  U32 half = e.core.u32(0);
  if (type == Type::HF) half = half_of(e, i, x), x = cvt_f32_f16(half);
  if (i.condition != Condition::None && i.op != Op::Sel && i.op != Op::Csel) {
    auto truth = i.condition == Condition::Ov   ? fabs(x) == as_f32(e.core.u32(0x7f800000))
                 : i.condition == Condition::Un ? isnan(x)
                                                : compared(e, i.condition, x, e.core.f32(0));
    if (!is_float(type) && i.condition <= Condition::Le) {
      if (bytes_of(type) == 8)
        truth = compared(e, i.condition, integer64_of(e, x, type == Type::UQ), e.core.u64(0), type == Type::UQ);
      else
        truth = compared(e, i.condition, integer_of(e, x, type), e.core.u32(0), !is_signed(type));
    }
    e.set_flag(i, on, truth);
  }
  if (type == Type::F && !i.saturate && may_overflow(i) && is_alternate(e.core.float_mode(), i))
    x = as_f32(e.largest_for_infinity(as_u32(x)));  // (the flag tells of the overflow)
  if (i.saturate && is_float(type)) {
    x = select(x > 0.0f, select(x < 1.0f, x, e.core.f32(1.0f)), e.core.f32(0.0f));  // NaN to 0
    if (type == Type::HF) half = cvt_f16_f32(x);
  }
  if (bytes_of(type) == 8) return e.put64(i, on, integer64_of(e, x, type == Type::UQ));
  U32 bits = type == Type::F ? as_u32(x) : type == Type::HF ? half : integer_of(e, x, type);
  e.put(i, on, bits);
  if (e.holds_high(i.dst)) e.put_high(i, i.dst, on, is_signed(type) ? ashr(bits, 31) : e.core.u32(0));
  if (!i.write_accumulator) return;
  const Operand accumulator = e.implicit_accumulator(type);
  e.put(i, accumulator, on, bits);
  if (e.holds_high(accumulator)) e.put_high(i, accumulator, on, is_signed(type) ? ashr(bits, 31) : e.core.u32(0));
}

// --- integers of 32 bits, modulo 2^32 (is_narrow)
template <class A>
void put_integer(A& e, const Instruction& i, typename A::M on, typename A::U32 x, bool) {
  if (i.condition != Condition::None && i.op != Op::Sel && i.op != Op::Csel)
    e.set_flag(i, on, compared(e, i.condition, extended(e, x, i.dst.type), e.core.u32(0), !is_signed(i.dst.type)));
  e.put(i, on, x);
  if (e.holds_high(i.dst)) e.put_high(i, i.dst, on, e.core.u32(0));
}
// --- exact ones; `is_unsigned`: they are not less than 0 and fill all 64 bits
template <class A>
void put_integer(A& e, const Instruction& i, typename A::M on, typename A::U64 x, bool is_unsigned) {
  const Type type = i.dst.type;
  if (is_float(type)) return put_real(e, i, on, f32_of(e, x, is_unsigned));
  auto lowest = e.core.u64(uint64_t(least_of(type))), highest = e.core.u64(most_of(type));
  auto below = is_unsigned ? e.core.m(false) : slt(x, lowest);
  auto above = is_unsigned || type == Type::UQ ? x > highest : sgt(x, highest);
  if (type == Type::UQ && !is_unsigned) above = e.core.m(false);
  if (i.condition != Condition::None && i.op != Op::Sel && i.op != Op::Csel) {
    auto zero = e.core.u64(0);
    if (i.condition == Condition::Ov) {
      e.set_flag(i, on, below | above);
    } else if (i.condition <= Condition::Ne && bytes_of(type) < 8) {
      e.set_flag(i, on, compared(e, i.condition, extended(e, low(x), type), e.core.u32(0), true));
    } else {
      e.set_flag(i, on, compared(e, i.condition, x, zero, is_unsigned));
    }
  }
  if (i.saturate) x = select(below, lowest, select(above, highest, x));
  if (bytes_of(type) == 8) return e.put64(i, on, x);
  e.put(i, on, low(x));
  if (e.holds_high(i.dst)) e.put_high(i, i.dst, on, high(x));
  if (i.write_accumulator) {
    const Operand accumulator = e.implicit_accumulator(type);
    e.put(i, accumulator, on, low(x));
    if (e.holds_high(accumulator)) e.put_high(i, accumulator, on, high(x));
  }
}

}  // namespace Atoll::xe_lp
