#include "isa/rdna4/alu_exceptions.h"

#include <xmmintrin.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/half.h"
#include "isa/amd/isa.h"

namespace Atoll::rdna4 {
namespace {

using wave::FloatMode;
using wave::Rounding;
using enum NumberType;

// isa/rdna4.tsv, `exceptions=`, in the order of the table's rows. Comparisons are told by their operands. Matrix products, dot products and
// interpolation report nothing (RDNA4 ISA 7.9, 7.12, 12.3), nor do instructions that only move bits.
#include "isa/rdna4/alu_rules.inc"

// These flush f32 denormals, in operands and results, whatever MODE says (RDNA4 ISA 7.2.4; the scalar forms, too: errata F8).
constexpr AluRule flushing[] = {AluRule::reciprocal, AluRule::integer_reciprocal, AluRule::reciprocal_root, AluRule::root,
                                AluRule::power,      AluRule::logarithm,          AluRule::cosine,          AluRule::fma_zero,
                                AluRule::cube_major};
AluRule rule_of(const Opcode& row) { return alu_rules[&row - table.rows.data()]; }

NumberType type_of(const Type& t) {
  const bool whole = t.base == Type::I || t.base == Type::U;
  if (t.base == Type::F) return t.bits == 16 ? half : t.bits == 32 ? single : t.bits == 64 ? wide : none;
  if (whole && t.bits == 16) return t.base == Type::I ? i16 : u16;
  if (whole && t.bits == 32) return t.base == Type::I ? i32 : u32;
  return none;
}
bool is_float(NumberType t) { return t == half || t == single || t == wide; }

// --- numbers

double value_of(uint64_t bits, NumberType t) {
  switch (t) {
    case half: return float_from_half(uint16_t(bits));
    case single: return std::bit_cast<float>(uint32_t(bits));
    case wide: return std::bit_cast<double>(bits);
    case u8: return uint8_t(bits);
    case i16: return int16_t(bits);
    case u16: return uint16_t(bits);
    case i32: return int32_t(bits);
    case u32: return uint32_t(bits);
    case none: break;
  }
  return 0;
}
struct Shape {
  unsigned bits, mantissa;
  double least_normal, largest;
};
Shape shape_of(NumberType t) {
  if (t == half) return {16, 10, 0x1p-14, 65504};
  if (t == single) return {32, 23, 0x1p-126, double(std::numeric_limits<float>::max())};
  return {64, 52, 0x1p-1022, std::numeric_limits<double>::max()};
}
bool is_nan(uint64_t bits, NumberType t) {
  const Shape s = shape_of(t);
  const uint64_t sign = uint64_t(1) << (s.bits - 1), infinity = (sign - 1) >> s.mantissa << s.mantissa;
  return (bits & (sign - 1)) > infinity;
}
bool is_signaling(uint64_t bits, NumberType t) { return is_nan(bits, t) && !(bits >> (shape_of(t).mantissa - 1) & 1); }
bool is_denormal(uint64_t bits, NumberType t) {
  const Shape s = shape_of(t);
  const uint64_t magnitude = bits & ((uint64_t(1) << (s.bits - 1)) - 1);
  return magnitude && magnitude < uint64_t(1) << s.mantissa;
}

// --- roundings

Rounding rounding_of(const FloatMode& mode, NumberType t) { return t == single ? mode.round32 : mode.round64; }
bool flushes_operands(const FloatMode& mode, NumberType t) { return t == single ? mode.flush_in32 : mode.flush_in64; }
bool flushes_results(const FloatMode& mode, NumberType t) { return t == single ? mode.flush_out32 : mode.flush_out64; }

// The exceptions when an exact number, in units of 2^`unit`, becomes a float of the type.
uint32_t rounding_exceptions(unsigned __int128 magnitude, bool negative, int unit, NumberType to, Rounding rounding) {
  if (!magnitude) return 0;
  const Shape s = shape_of(to);
  const uint64_t high = uint64_t(magnitude >> 64);
  const int top = high ? 127 - std::countl_zero(high) : 63 - std::countl_zero(uint64_t(magnitude));
  const int exponent = top + unit, least = std::ilogb(s.least_normal);
  const int last = std::max(exponent, least) - int(s.mantissa) - unit;  // the bit that stays as the last
  unsigned __int128 kept = last <= 0 ? magnitude : last > 127 ? 0 : magnitude >> last;
  const unsigned __int128 rest = last <= 0    ? 0
                                 : last > 127 ? magnitude
                                              : magnitude & ((static_cast<unsigned __int128>(1) << last) - 1);
  uint32_t flags = 0;
  if (rest) {
    flags |= ALU_INEXACT;
    const unsigned __int128 middle = last > 127 ? 0 : static_cast<unsigned __int128>(1) << (last - 1);
    const bool nearest = last <= 127 && (rest > middle || (rest == middle && (kept & 1)));
    const bool up = rounding == Rounding::NearestEven ? nearest
                    : rounding == Rounding::Up        ? !negative
                    : rounding == Rounding::Down      ? negative
                                                      : false;
    kept += up;
  }
  const double rounded = std::ldexp(double(kept), std::max(last, 0) + unit);
  if (rounded > s.largest) flags |= ALU_OVERFLOW | ALU_INEXACT;
  if (exponent < least) flags |= ALU_UNDERFLOW;
  return flags;
}
uint32_t rounding_exceptions(double exact, NumberType to, Rounding rounding) {
  if (!std::isfinite(exact) || exact == 0) return 0;
  int exponent;
  const double mantissa = std::frexp(std::fabs(exact), &exponent);
  return rounding_exceptions(uint64_t(mantissa * 0x1p53), exact < 0, exponent - 53, to, rounding);
}

// The operation of T in the host's arithmetic; gives MXCSR.
template <class T, class Operation>
unsigned host_flags(Rounding rounding, Operation operation, T& result) {
  constexpr unsigned controls[] = {0, 2, 1, 3};  // MXCSR's rounding of Rounding's
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(0x1f80u | controls[int(rounding)] << 13);
  volatile T computed = operation();
  const unsigned flags = _mm_getcsr();
  _mm_setcsr(saved);
  result = computed;
  return flags;
}
// True if an exact number is below the normal ones, but not 0: `cut` is what it is rounded to toward zero.
template <class T>
bool is_tiny(T cut, bool inexact) {
  return std::fabs(cut) < std::numeric_limits<T>::min() && (cut != 0 || inexact);
}
// Gives the exceptions that the operation raises, whose result goes to `result`. The host notes an underflow only where the rounded
// result is below the normal numbers and inexact, 3.4.10 also where the exact one is: it is asked of the result toward zero.
template <class T, class Operation>
uint32_t host_exceptions(Rounding rounding, Operation operation, T& result) {
  const unsigned flags = host_flags(rounding, operation, result);
  uint32_t found = 0;
  if (flags & _MM_EXCEPT_INVALID) found |= ALU_INVALID;
  if (flags & _MM_EXCEPT_DIV_ZERO) found |= ALU_FLOAT_DIV0;
  if (flags & _MM_EXCEPT_OVERFLOW) found |= ALU_OVERFLOW;
  if (flags & _MM_EXCEPT_INEXACT) found |= ALU_INEXACT;
  T cut;
  host_flags(Rounding::TowardZero, operation, cut);
  if (is_tiny(cut, flags & _MM_EXCEPT_INEXACT)) found |= ALU_UNDERFLOW;
  return found;
}

// a * b + c (or without one of them) in the type's own arithmetic.
struct Sum {
  bool product = false, addend = false;
};
// (Each by itself: a compiler that knows nothing of exceptions computes all and chooses.)
template <class T>
uint32_t host_sum(Sum sum, T given_a, T given_b, T given_c, Rounding rounding, T& result) {
  volatile T a = given_a, b = given_b, c = given_c;
  if (!sum.product) return host_exceptions<T>(rounding, [&]() -> T { return a + c; }, result);
  if (!sum.addend) return host_exceptions<T>(rounding, [&]() -> T { return a * b; }, result);
  return host_exceptions<T>(rounding, [&]() -> T { return std::fma(T(a), T(b), T(c)); }, result);
}
// Every half is a multiple of 2^-24.
uint32_t half_sum(Sum sum, double a, double b, double c, Rounding rounding) {
  const double product = sum.product ? a * b : a;
  if (!std::isfinite(product) || !std::isfinite(c)) {
    const bool of_nothing = std::isnan(product) && !std::isnan(a) && !std::isnan(b);
    const bool opposite = std::isinf(product) && std::isinf(c) && (product < 0) != (c < 0) && (sum.addend || !sum.product);
    return of_nothing || opposite ? ALU_INVALID : 0;
  }
  auto units = [](double x, double unit) { return static_cast<__int128>(x * unit); };
  __int128 exact = sum.product ? units(a, 0x1p24) * units(b, 0x1p24) : units(a, 0x1p24) * (1 << 24);
  if (sum.addend || !sum.product) exact += units(c, 0x1p24) * (1 << 24);
  return rounding_exceptions(static_cast<unsigned __int128>(exact < 0 ? -exact : exact), exact < 0, -48, half, rounding);
}
uint32_t sum_exceptions(Sum sum, NumberType t, const std::array<double, 3>& x, Rounding rounding) {
  if (t == half) return half_sum(sum, x[0], x[1], x[2], rounding);
  if (t == single) {
    float result;
    return host_sum<float>(sum, float(x[0]), float(x[1]), float(x[2]), rounding, result);
  }
  double result;
  return host_sum<double>(sum, x[0], x[1], x[2], rounding, result);
}

// The sum of two numbers in 53 bits, the last of which is set if it is inexact.
double odd_sum(double given_a, double given_b) {
  volatile double a = given_a, b = given_b, sum = a + b, rest = sum - a;
  const double error = (a - (sum - rest)) + (b - rest);
  if (!std::isfinite(sum) || error == 0) return sum;
  const bool above = (error < 0) != (sum < 0);  // in magnitude
  return std::bit_cast<double>((std::bit_cast<uint64_t>(double(sum)) - above) | 1);
}

// (a * b + c) * scale, rounded once (of f64: but for sums beyond the format).
template <class T>
uint32_t scaled_sum(T a, T b, T c, T given_scale, Rounding rounding) {
  volatile T scale = given_scale;
  T sum, cut, scaled;
  uint32_t flags = host_sum<T>({true, true}, a, b, c, rounding, sum) & ~uint32_t(ALU_UNDERFLOW);
  flags |= host_exceptions<T>(rounding, [&]() -> T { return sum * scale; }, scaled) & ~uint32_t(ALU_UNDERFLOW);
  host_sum<T>({true, true}, a, b, c, Rounding::TowardZero, cut);
  host_flags<T>(Rounding::TowardZero, [&]() -> T { return cut * scale; }, cut);
  return is_tiny(cut, flags & ALU_INEXACT) ? flags | ALU_UNDERFLOW : flags;
}
uint32_t scaled_sum_exceptions(NumberType t, const std::array<double, 3>& x, Rounding rounding) {
  const bool up = std::fabs(x[2]) >= 2;
  if (t == single) {
    float sum;
    const uint32_t invalid = host_sum<float>({true, true}, float(x[0]), float(x[1]), float(x[2]), rounding, sum) & ALU_INVALID;
    return invalid | rounding_exceptions(odd_sum(x[0] * x[1], x[2]) * (up ? 0x1p64 : 0x1p-64), single, rounding);
  }
  return scaled_sum<double>(x[0], x[1], x[2], up ? 0x1p128 : 0x1p-128, rounding);
}

// 1 / x or the root of x.
template <class T>
uint32_t host_unary(bool root, T given, Rounding rounding, T& result) {
  volatile T x = given;
  if (root) return host_exceptions<T>(rounding, [&]() -> T { return std::sqrt(T(x)); }, result);
  return host_exceptions<T>(rounding, [&]() -> T { return 1 / x; }, result);
}
uint32_t unary_exceptions(bool root, NumberType t, double x, Rounding rounding) {
  if (t == single) {
    float result;
    return host_unary<float>(root, float(x), rounding, result);
  }
  double result;
  uint32_t flags = host_unary<double>(root, x, rounding, result);
  return t == half ? flags | rounding_exceptions(result, half, rounding) : flags;
}

uint32_t to_integer_exceptions(NumberType to, double x, bool counts_inexact) {
  const double least = to == i16   ? -0x1p15
                       : to == i32 ? -0x1p31
                                   : 0,
               end = to == u8    ? 0x1p8
                     : to == i16 ? 0x1p15
                     : to == u16 ? 0x1p16
                     : to == i32 ? 0x1p31
                                 : 0x1p32;
  const double whole = std::trunc(x);
  if (!(whole >= least && whole < end)) return ALU_INVALID;
  return counts_inexact && whole != x ? ALU_INEXACT : 0;
}

// The host's float mode is the wave's where an instruction runs; what is computed here must not depend on it.
class PlainArithmetic {
public:
  PlainArithmetic() { _mm_setcsr(0x1f80); }
  ~PlainArithmetic() { _mm_setcsr(saved_); }
  PlainArithmetic(const PlainArithmetic&) = delete;

private:
  const unsigned saved_ = _mm_getcsr();
};

bool is_power_of_two(double x) {
  int exponent;
  return std::frexp(x, &exponent) == 0.5;
}

}  // namespace

AluOperation alu_operation(const Opcode& row) {
  AluOperation o;
  bool result = false;
  for (const OperandRow& operand : row.rows()) {
    if (is_source(operand.slot)) o.from[amd::source_index(operand.slot)] = type_of(operand.type);
    if (operand.slot == Slot::Src0) o.packed = operand.type.count == 2;
    if (operand.slot == Slot::Dst) result = true, o.to = type_of(operand.type), o.scalar = operand.kind != Kind::Vgpr;
  }
  o.operands = uint8_t(std::min<unsigned>(row.source_count + row.has(Flag::Accumulates), 3));
  if (row.has(Flag::Accumulates) && row.source_count < 3) o.from[row.source_count] = o.from[0];
  o.scalar |= amd::is_scalar(row.format);
  const bool compares = row.format == Format::VOPC || row.format == Format::VOP3 || row.format == Format::SOPC;
  if (compares && !result && is_float(o.from[0]) && o.from[1] == o.from[0])
    o.rule = AluRule::compare;
  else
    o.rule = rule_of(row);
  if (o.rule == AluRule::to_float_of_upper) o.rule = AluRule::to_float, o.upper = true;
  if (o.rule == AluRule::to_byte) o.rule = AluRule::to_integer, o.to = u8;
  const bool converts = o.rule == AluRule::to_float || o.rule == AluRule::from_integer || o.rule == AluRule::to_integer;
  if (converts) o.packed = false;
  o.flushes = o.from[0] == single && std::ranges::find(flushing, o.rule) != std::end(flushing);
  return o;
}

NumberType operand_type(const AluOperation& o, const Instruction& i, unsigned n) {
  if (o.rule != AluRule::mixed_fma) return o.from[n];
  return i.op_sel_hi >> n & 1 ? half : single;
}

// A comparison notes a denormal operand only where MODE keeps those and neither operand is an infinity or a NaN: captured on gfx1201
// (docs/errata.md, "Exceptions of arithmetic").
uint32_t comparison_exceptions(const AluOperation& o, const Instruction& i, const AluOperands& bits, const FloatMode& mode) {
  bool invalid = false, denormal = false, finite = true;
  for (unsigned n = 0; n < o.operands; n++) {
    const NumberType t = o.from[n];
    const bool nan = is_nan(bits[n], t);
    invalid |= is_signaling(bits[n], t) || (nan && i.clamp);
    finite &= !nan && std::isfinite(value_of(bits[n], t));
    denormal |= is_denormal(bits[n], t) && !flushes_operands(mode, t);
  }
  return invalid ? ALU_INVALID : finite && denormal ? ALU_INPUT_DENORMAL : 0u;
}

// (Not inlined, so that no arithmetic moves out of PlainArithmetic.)
[[gnu::noinline]] static uint32_t exceptions_of(const AluOperation& o, const Instruction& i, const AluOperands& given,
                                                const FloatMode& mode) {
  if (o.rule == AluRule::to_whole && is_nan(given[0], single)) return 0;
  if (o.rule == AluRule::compare) return comparison_exceptions(o, i, given, mode);
  AluOperands bits = given;
  std::array<double, 3> x{};
  uint32_t flags = 0;
  bool nan = false;
  for (unsigned n = 0; n < o.operands; n++) {
    const NumberType t = operand_type(o, i, n);
    if (is_float(t)) {
      nan |= is_nan(bits[n], t);
      if (is_signaling(bits[n], t)) flags |= ALU_INVALID;
      if (is_denormal(bits[n], t)) {
        flags |= ALU_INPUT_DENORMAL;
        if (o.flushes || (flushes_operands(mode, t) && o.rule != AluRule::divide_fmas))
          bits[n] &= uint64_t(1) << (shape_of(t).bits - 1);
      }
    }
    x[n] = value_of(bits[n], t);
  }
  const bool converts = o.rule == AluRule::to_float || o.rule == AluRule::from_integer || o.rule == AluRule::mixed_fma;
  const NumberType result = o.rule == AluRule::to_halves_toward_zero ? half : converts ? o.to : o.from[0];
  const Rounding rounding = is_float(result) ? rounding_of(mode, result) : Rounding::NearestEven;
  auto sum = [&](Sum what, double a, double b, double c) { return sum_exceptions(what, o.from[0], {a, b, c}, rounding); };
  uint32_t more = 0;
  switch (o.rule) {
    case AluRule::none:
    case AluRule::quiet:
    case AluRule::compare:
    case AluRule::to_float_of_upper:  // (alu_operation() leaves neither)
    case AluRule::to_byte: break;
    case AluRule::add: more = sum({}, x[0], 0, x[1]); break;
    case AluRule::subtract: more = sum({}, x[0], 0, -x[1]); break;
    case AluRule::reverse_subtract: more = sum({}, x[1], 0, -x[0]); break;
    case AluRule::multiply: more = sum({.product = true}, x[0], x[1], 0); break;
    case AluRule::multiply_zero:
      if (x[0] != 0 && x[1] != 0) more = sum({.product = true}, x[0], x[1], 0);
      break;
    case AluRule::fma: more = sum({.product = true, .addend = true}, x[0], x[1], x[2]); break;
    case AluRule::fma_zero:
      if (x[0] != 0 && x[1] != 0) more = sum({.product = true, .addend = true}, x[0], x[1], x[2]);
      break;
    case AluRule::mixed_fma: {
      float sum_of;
      more = host_sum<float>({true, true}, float(x[0]), float(x[1]), float(x[2]), mode.round32, sum_of);
      if (o.to == half) more = (more & ALU_INVALID) | rounding_exceptions(odd_sum(x[0] * x[1], x[2]), half, mode.round64);
      break;
    }
    case AluRule::divide_fmas:
      more = given[3] ? scaled_sum_exceptions(o.from[0], x, rounding) : sum({.product = true, .addend = true}, x[0], x[1], x[2]);
      break;
    case AluRule::multiply_light: {  // no product where the second is the least or the third not positive; else as multiply_zero
      const bool takes = x[1] > -shape_of(single).largest && x[2] > 0;
      if (takes && x[0] != 0 && x[1] != 0) more = sum({.product = true}, x[0], x[1], 0);
      break;
    }
    case AluRule::cube_major: {
      const double major = std::fabs(x[2]) >= std::fabs(x[0]) && std::fabs(x[2]) >= std::fabs(x[1]) ? x[2]
                           : std::fabs(x[1]) >= std::fabs(x[0])                                     ? x[1]
                                                                                                    : x[0];
      more = sum({.product = true}, major, 2, 0);
      break;
    }
    case AluRule::fraction: more = sum({}, x[0], 0, -std::floor(x[0])); break;
    case AluRule::reciprocal: more = unary_exceptions(false, o.from[0], x[0], rounding); break;
    case AluRule::integer_reciprocal: return x[0] == 0 ? uint32_t(ALU_INT_DIV0) : 0;
    case AluRule::root: more = unary_exceptions(true, o.from[0], x[0], rounding); break;
    case AluRule::reciprocal_root:
      if (x[0] == 0)
        more = ALU_FLOAT_DIV0;
      else if (x[0] < 0)
        more = ALU_INVALID;
      else if (std::isfinite(x[0]))
        more = is_power_of_two(x[0]) && std::ilogb(x[0]) % 2 == 0 ? 0 : ALU_INEXACT;
      break;
    case AluRule::power:
      if (!std::isfinite(x[0])) break;
      if (std::trunc(x[0]) != x[0]) more = ALU_INEXACT;
      if (x[0] > std::log2(shape_of(o.from[0]).largest)) more |= ALU_OVERFLOW | ALU_INEXACT;
      if (x[0] < std::log2(shape_of(o.from[0]).least_normal)) more |= ALU_UNDERFLOW;
      if (x[0] < std::log2(shape_of(o.from[0]).least_normal) - shape_of(o.from[0]).mantissa) more |= ALU_INEXACT;
      break;
    case AluRule::logarithm:
      if (x[0] == 0)
        more = ALU_FLOAT_DIV0;
      else if (x[0] < 0)
        more = ALU_INVALID;
      else if (std::isfinite(x[0]) && !is_power_of_two(x[0]))
        more = ALU_INEXACT;
      break;
    case AluRule::sine:
    case AluRule::cosine:
      if (std::isinf(x[0]))
        more = ALU_INVALID;
      else if (std::trunc(x[0] * 4) != x[0] * 4)
        more = ALU_INEXACT;
      if (o.rule == AluRule::sine && x[0] != 0 && std::fabs(x[0]) * 6.2831853 < shape_of(o.from[0]).least_normal)
        more |= ALU_UNDERFLOW;
      break;
    case AluRule::scale: {
      if (o.from[0] != wide) {
        more = rounding_exceptions(std::ldexp(x[0], int(std::clamp(x[1], -400.0, 400.0))), o.from[0], rounding);
        break;
      }
      if (!std::isfinite(x[0]) || x[0] == 0) break;
      int exponent;
      const double mantissa = std::frexp(std::fabs(x[0]), &exponent);
      more = rounding_exceptions(uint64_t(mantissa * 0x1p53), x[0] < 0, exponent - 53 + int(std::clamp(x[1], -4000.0, 4000.0)),
                                 wide, rounding);
      break;
    }
    case AluRule::divide_fixup: {  // the quotient, its denominator, its numerator
      flags = 0;
      for (unsigned n : {1u, 2u})
        flags |=
            (is_signaling(given[n], o.from[0]) ? ALU_INVALID : 0u) | (is_denormal(given[n], o.from[0]) ? ALU_INPUT_DENORMAL : 0u);
      const double denominator = x[1], numerator = x[2];
      if (std::isnan(denominator) || std::isnan(numerator)) break;
      if ((denominator == 0 && numerator == 0) || (std::isinf(denominator) && std::isinf(numerator)))
        more = ALU_INVALID;
      else if (denominator == 0 && std::isfinite(numerator))
        more = ALU_FLOAT_DIV0;
      return flags | more;
    }
    case AluRule::to_float:
      if (o.from[0] == wide && o.to == single && !nan) {
        volatile double from = x[0];
        float to;
        more = host_exceptions<float>(rounding, [&]() -> float { return float(from); }, to);
      } else if (o.to == half && !nan) {
        more = rounding_exceptions(x[0], half, rounding);
      }
      break;
    case AluRule::to_halves_toward_zero:
      for (double of : {x[0], x[1]}) more |= rounding_exceptions(of, half, Rounding::TowardZero);
      break;
    case AluRule::from_integer: more = o.to == wide ? 0 : rounding_exceptions(x[0], o.to, rounding); break;
    case AluRule::to_integer:
    case AluRule::to_whole:
      for (unsigned n = 0; n < o.operands; n++)
        if (is_float(o.from[n])) more |= to_integer_exceptions(o.to, x[n], i.clamp != 0);
      break;
  }
  const bool each_by_itself = o.rule == AluRule::to_integer || o.rule == AluRule::to_halves_toward_zero;
  if (nan && !each_by_itself) more &= ALU_INVALID;
  const bool flushes = o.flushes || (is_float(result) && flushes_results(mode, result));
  if (flushes && more & ALU_UNDERFLOW) more |= ALU_INEXACT;
  if (i.omod) more &= ~uint32_t(ALU_UNDERFLOW | ALU_INEXACT);
  return flags | more;
}

uint32_t alu_exceptions(const AluOperation& o, const Instruction& i, const AluOperands& given, const FloatMode& mode) {
  if (o.rule == AluRule::none) return 0;
  const PlainArithmetic plain;
  return exceptions_of(o, i, given, mode);
}

}  // namespace Atoll::rdna4
