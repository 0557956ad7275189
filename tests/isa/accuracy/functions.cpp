#include "functions.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace Atoll::rdna4::accuracy {
namespace {

constexpr uint32_t sign32 = 0x80000000u, infinity32 = 0x7f800000u, nan32 = 0xffc00000u;
constexpr uint32_t sign16 = 0x8000u, infinity16 = 0x7c00u, nan16 = 0xfe00u;

// The parts of a format of 32 or 16 bits.
struct Form {
  uint32_t sign, infinity, quiet, nan;
  int fraction, bias;
};
constexpr Form f32{sign32, infinity32, 0x400000u, nan32, 23, 127}, f16{sign16, infinity16, 0x200u, nan16, 10, 15};

bool is_nan(const Form& f, uint32_t x) { return (x & ~f.sign) > f.infinity; }
bool is_denormal(const Form& f, uint32_t x) { return !(x & f.infinity) && (x & ~f.sign); }
uint32_t flushed(const Form& f, bool flush, uint32_t x) { return flush && is_denormal(f, x) ? x & f.sign : x; }

double value_of(const Form& f, uint32_t x) {
  if (f.fraction == 23) return double(std::bit_cast<float>(x));
  int exponent = int((x & f.infinity) >> f.fraction);
  double fraction = double(x & ((1u << f.fraction) - 1));
  double size =
      std::ldexp(exponent ? fraction + double(1u << f.fraction) : fraction, (exponent ? exponent : 1) - f.bias - f.fraction);
  return x & f.sign ? -size : size;
}

// A number that the format has.
uint32_t bits_of(const Form& f, double x) {
  if (f.fraction == 23) return std::bit_cast<uint32_t>(float(x));
  const uint32_t sign = std::signbit(x) ? f.sign : 0;
  const double size = std::fabs(x);
  if (size == 0) return sign;
  int exponent = std::max(std::ilogb(size), 1 - f.bias);
  uint32_t units = uint32_t(std::ldexp(size, f.fraction - exponent));
  return sign | (units + (uint32_t(exponent + f.bias - 1) << f.fraction));
}
// The half nearest to a double, ties to even.
uint32_t half_of(double x) {
  const uint32_t sign = std::signbit(x) ? sign16 : 0;
  const double size = std::fabs(x);
  if (size >= 65520) return sign | infinity16;
  if (size == 0) return sign;
  int exponent = std::max(std::ilogb(size), -14);
  double units = std::ldexp(size, 10 - exponent), whole = std::floor(units), rest = units - whole;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) != 0)) whole += 1;
  return sign | (uint32_t(whole) + (uint32_t(exponent + 14) << 10));
}

// --- reciprocals, roots, exponentials, logarithms, turns: special operands. `f16`: denormals as MODE has them; of f32 they are zeros
// in operands and in results (7.2.4).
template <const Form& f>
uint32_t operand(const Mode& mode, uint32_t x) {
  return flushed(f, f.fraction == 23 || mode.flush_in16, x);
}
template <const Form& f>
bool quieted(uint32_t x, uint64_t& bits) {
  bits = x | f.quiet;
  return is_nan(f, x);
}
template <const Form& f>
bool reciprocal(const Mode& mode, uint32_t x, uint64_t& bits) {
  if (quieted<f>(x, bits)) return true;
  x = operand<f>(mode, x);
  bits = x & f.sign;
  if (!(x & ~f.sign)) return bits |= f.infinity, true;
  if ((x & ~f.sign) == f.infinity) return true;
  const double r = 1 / value_of(f, x);
  if (f.fraction == 23 && std::fabs(r) < 0x1p-126) return true;
  if (f.fraction != 23)
    return bits = flushed(f, mode.flush_out16, half_of(r)), true;  // (of a quotient of halves, rounded once more)
  return false;
}
template <const Form& f>
bool root(const Mode& mode, uint32_t x, uint64_t& bits) {
  if (quieted<f>(x, bits)) return true;
  x = operand<f>(mode, x);
  bits = x;
  if (!(x & ~f.sign) || x == f.infinity) return true;
  bits = f.nan;
  if (x & f.sign) return true;
  if (f.fraction == 23) return false;
  return bits = half_of(std::sqrt(value_of(f, x))), true;
}
template <const Form& f>
bool reciprocal_root(const Mode& mode, uint32_t x, uint64_t& bits) {
  if (quieted<f>(x, bits)) return true;
  x = operand<f>(mode, x);
  bits = (x & f.sign) | f.infinity;
  if (!(x & ~f.sign)) return true;
  bits = f.nan;
  if (x & f.sign) return true;
  bits = 0;
  return x == f.infinity;
}
template <const Form& f>
bool exponential(const Mode& mode, uint32_t x, uint64_t& bits) {
  if (quieted<f>(x, bits)) return true;
  x = operand<f>(mode, x);
  const double v = (x & ~f.sign) == f.infinity ? x & f.sign ? -1e9 : 1e9 : value_of(f, x);
  bits = 0;
  if (v < (f.fraction == 23 ? -126 : mode.flush_out16 ? -15 : -26))
    return true;  // (no float below the least normal one; all halves lost)
  if (f.fraction != 23 && v < -14 && mode.flush_out16) return half_of(std::exp2(v)) < 0x400;
  bits = f.infinity;
  return v >= f.bias + 1;
}
template <const Form& f>
bool logarithm(const Mode& mode, uint32_t x, uint64_t& bits) {
  if (quieted<f>(x, bits)) return true;
  x = operand<f>(mode, x);
  bits = f.sign | f.infinity;
  if (!(x & ~f.sign)) return true;
  bits = f.nan;
  if (x & f.sign) return true;
  bits = x;
  if (x == f.infinity) return true;
  const double v = value_of(f, x);
  int exponent;
  bits = bits_of(f, std::ilogb(v));  // powers of two, 1 among them, have exact ones
  return std::frexp(v, &exponent) == 0.5;
}
// sin(2 pi x), cos(2 pi x). V_SIN_F32 obeys MODE; all others of f32 flush.
template <const Form& f, bool sine>
bool turns(const Mode& mode, uint32_t x, uint64_t& bits) {
  if (quieted<f>(x, bits)) return true;
  bits = f.nan;
  if ((x & ~f.sign) == f.infinity) return true;
  const bool flush = f.fraction != 23 ? mode.flush_in16 : sine ? mode.flush_in32 : true;
  x = flushed(f, flush, x);
  const double v = value_of(f, x), r = v - std::rint(v);  // exact
  if (sine && !(x & ~f.sign)) return bits = x, true;
  if (sine && mode.flush_out32 && f.fraction == 23 && std::fabs(v) < 0x1p-128) return bits = x & f.sign, true;
  const double quarters = r * 4;
  if (quarters != std::floor(quarters)) return false;
  const int n = int(quarters) & 3, value = sine ? n == 1 ? 1 : n == 3 ? -1 : 0 : n == 0 ? 1 : n == 2 ? -1 : 0;
  bits = bits_of(f, value);  // a whole or half turn's sine and a quarter turn's cosine are +0
  return true;
}

// The part of a turn in the first octant, exactly; then the function and sign that are due.
long double of_octant(long double x, bool cosine) {
  constexpr long double turn = 6.28318530717958647692528676655900577L;
  long double r = x - rintl(x), quarter = rintl(r * 4), z = r - quarter / 4;
  int n = (int(quarter) + (cosine ? 1 : 0)) & 3;
  long double part = n & 1 ? cosl(turn * z) : sinl(turn * z);
  return n & 2 ? -part : part;
}
double quick_octant(double x, bool cosine) {
  double r = x - std::rint(x), quarter = std::rint(r * 4), z = r - quarter / 4;
  int n = (int(quarter) + (cosine ? 1 : 0)) & 3;
  double part = n & 1 ? std::cos(0x1.921fb54442d18p+2 * z) : std::sin(0x1.921fb54442d18p+2 * z);
  return n & 2 ? -part : part;
}

// --- whole numbers, fractions, exponents: always exact
template <const Form& f>
bool whole(const Mode& mode, uint32_t x, uint64_t& bits, double (*round)(double)) {
  if (quieted<f>(x, bits)) return true;
  bits = x;
  if ((x & ~f.sign) == f.infinity) return true;
  x = flushed(f, f.fraction == 23 ? mode.flush_in32 : mode.flush_in16, x);
  bits = bits_of(f, std::copysign(round(value_of(f, x)), x & f.sign ? -1.0 : 1.0));
  return true;
}
#define WHOLE(name, function)                                             \
  template <const Form& f>                                                \
  bool name(const Mode& mode, uint32_t x, uint64_t& bits) {               \
    return whole<f>(mode, x, bits, [](double v) { return function(v); }); \
  }
WHOLE(ceiling, std::ceil)
WHOLE(floors, std::floor)
WHOLE(truncation, std::trunc)
WHOLE(nearest_even, std::rint)
#undef WHOLE

template <const Form& f>
bool fraction(const Mode& mode, uint32_t x, uint64_t& bits) {
  if (quieted<f>(x, bits)) return true;
  bits = f.nan;
  if ((x & ~f.sign) == f.infinity) return true;
  x = flushed(f, f.fraction == 23 ? mode.flush_in32 : mode.flush_in16, x);
  const double v = value_of(f, x), r = v - std::floor(v), largest = 1 - std::ldexp(1, -f.fraction - 1);
  const double kept = f.fraction == 23 ? double(float(r)) : value_of(f16, half_of(r));
  bits = flushed(f, f.fraction == 23 ? mode.flush_out32 : mode.flush_out16, bits_of(f, std::fmin(kept, largest)));
  return true;
}
template <const Form& f>
bool mantissa(const Mode& mode, uint32_t x, uint64_t& bits) {
  if (quieted<f>(x, bits)) return true;
  x = flushed(f, f.fraction == 23 ? mode.flush_in32 : mode.flush_in16, x);
  bits = x;
  if (!(x & ~f.sign) || (x & ~f.sign) == f.infinity) return true;
  int exponent;
  bits = bits_of(f, std::frexp(value_of(f, x), &exponent));
  return true;
}
template <const Form& f>
bool exponent(const Mode& mode, uint32_t x, uint64_t& bits) {
  x = flushed(f, f.fraction == 23 ? mode.flush_in32 : mode.flush_in16, x);
  int n = 0;
  if (!is_nan(f, x) && (x & ~f.sign) != f.infinity) std::frexp(value_of(f, x), &n);
  bits = uint32_t(n) & (f.fraction == 23 ? ~0u : 0xffffu);
  return true;
}

// --- conversions: always exact
template <const Form& f, class Integer>
uint32_t saturated(double v) {
  using Limits = std::numeric_limits<Integer>;
  if (v != v) return 0;
  const double held = std::fmin(std::fmax(v, double(Limits::min())), double(Limits::max()));
  return uint32_t(Integer(held)) & (sizeof(Integer) == 2 ? 0xffffu : ~0u);
}
template <const Form& f>
double any_value(uint32_t x) {
  if (is_nan(f, x)) return std::nan("");
  if ((x & ~f.sign) == f.infinity) return x & f.sign ? -INFINITY : INFINITY;
  return value_of(f, x);
}
template <const Form& f, class Integer>
bool to_integer(const Mode&, uint32_t x, uint64_t& bits) {
  return bits = saturated<f, Integer>(std::trunc(any_value<f>(x))), true;
}
// These two saturate a NaN by its sign, as the card does (docs/errata.md; rocjitsu, shared/conversion.h).
bool signed_nan(uint32_t x, uint64_t& bits) {
  bits = x & f32.sign ? 0x80000000u : 0x7fffffffu;
  return is_nan(f32, x);
}
bool to_floor(const Mode& mode, uint32_t x, uint64_t& bits) {
  if (signed_nan(x, bits)) return true;
  return bits = saturated<f32, int32_t>(std::floor(any_value<f32>(flushed(f32, mode.flush_in32, x)))), true;
}
bool to_nearest(const Mode&, uint32_t x, uint64_t& bits) {  // upwards in the middle (C3); 24 bits and a half fit into a double
  if (signed_nan(x, bits)) return true;
  return bits = saturated<f32, int32_t>(std::floor(any_value<f32>(x) + 0.5)), true;
}
// V_CVT_F16_F32 flushes values that are below the normal numbers after rounding with an unbounded exponent, as on cards
// (docs/errata.md, F15): 0x387fefff is, though as a half it would round up to the least normal number. No captures of
// S_CVT_F16_F32 exist.
template <bool scalar>
bool to_half(const Mode& mode, uint32_t x, uint64_t& bits) {
  x = flushed(f32, mode.flush_in32, x);
  if (!scalar && mode.flush_out16 && (x & ~sign32) < 0x387ff000u) return bits = x >> 16 & sign16, true;
  if (is_nan(f32, x))
    bits = (x >> 16 & sign16) | 0x7e00u | (x >> 13 & 0x3ffu);
  else
    bits = flushed(f16, mode.flush_out16, half_of(any_value<f32>(x)));
  return true;
}
bool from_half(const Mode& mode, uint32_t x, uint64_t& bits) {
  x = flushed(f16, mode.flush_in16, x & 0xffffu);
  if (is_nan(f16, x))
    bits = (x & sign16) << 16 | infinity32 | 0x400000u | (x & 0x3ffu) << 13;
  else
    bits = std::bit_cast<uint32_t>(float(any_value<f16>(x)));
  return true;
}
bool to_double(const Mode& mode, uint32_t x, uint64_t& bits) {
  x = flushed(f32, mode.flush_in32, x);
  if (is_nan(f32, x))
    bits = uint64_t(x & sign32) << 32 | 0x7ff8000000000000u | uint64_t(x & 0x7fffffu) << 29;
  else
    bits = std::bit_cast<uint64_t>(any_value<f32>(x));
  return true;
}
template <class Integer, const Form& f>
bool from_integer(const Mode&, uint32_t x, uint64_t& bits) {
  const double v = double(Integer(x));
  return bits = f.fraction == 23 ? std::bit_cast<uint32_t>(float(v)) : half_of(v), true;
}
template <int from>
bool from_byte(const Mode&, uint32_t x, uint64_t& bits) {
  return bits = std::bit_cast<uint32_t>(float(x >> from & 255u)), true;
}
template <class Integer>
bool integer_to_double(const Mode&, uint32_t x, uint64_t& bits) {
  return bits = std::bit_cast<uint64_t>(double(Integer(x))), true;
}
// A half in [-1, 1] (or [0, 1]) as that part of the largest integer.
template <class Integer>
bool to_norm(const Mode& mode, uint32_t x, uint64_t& bits) {
  const double largest = std::numeric_limits<Integer>::max(), least = std::numeric_limits<Integer>::min() ? -1 : 0;
  const double v = any_value<f16>(flushed(f16, mode.flush_in16, x & 0xffffu));
  bits = v != v ? 0 : uint32_t(int32_t(std::rint(std::fmin(std::fmax(v, least), 1.0) * largest))) & 0xffffu;
  return true;
}

using enum Operand;
constexpr std::nullptr_t no_value = nullptr;
double any_number(Operand format, uint32_t bits) {
  return format == F16 ? any_value<f16>(bits & 0xffffu) : double(std::bit_cast<float>(bits));
}
double quick_root(double x) { return 1 / std::sqrt(x); }
double quick_reciprocal(double x) { return 1 / x; }
double quick_sine(double x) { return quick_octant(x, false); }
double quick_cosine(double x) { return quick_octant(x, true); }

constexpr long double (*reciprocal_l)(long double) = [](long double x) { return 1 / x; };
constexpr long double (*reciprocal_root_l)(long double) = [](long double x) { return 1 / sqrtl(x); };
constexpr long double (*sine_l)(long double) = [](long double x) { return of_octant(x, false); };
constexpr long double (*cosine_l)(long double) = [](long double x) { return of_octant(x, true); };
constexpr double (*exp2_d)(double) = [](double x) { return std::exp2(x); };
constexpr double (*log2_d)(double) = [](double x) { return std::log2(x); };
constexpr double (*sqrt_d)(double) = [](double x) { return std::sqrt(x); };
constexpr long double (*exp2_l)(long double) = [](long double x) { return exp2l(x); };
constexpr long double (*log2_l)(long double) = [](long double x) { return log2l(x); };
constexpr long double (*sqrt_l)(long double) = [](long double x) { return sqrtl(x); };

// clang-format off: a table
// Rates `count` results, the first of which is for operand `first`.
template <Operand input, Operand result, auto exact, auto value, auto precise>
void check(const Mode& mode, uint32_t first, uint32_t step, const uint64_t* results, size_t count, Tally& tally) {
  auto operand_of = [&](size_t n) { return first + uint32_t(n) * step; };
  auto is_wrong = [&](size_t n, uint64_t& bits) { return !exact(mode, operand_of(n), bits) || bits != results[n]; };
  auto note = [&](size_t n, uint64_t bits) {
    if (!tally.wrong++) tally.first_wrong = operand_of(n), tally.expected = bits, tally.got = results[n];
  };
  if constexpr (value == nullptr) {  // all are known
    tally.known += count;
    uint64_t off = 0;
    for (size_t n = 0; n < count; n++) {
      uint64_t bits = 0;
      off += is_wrong(n, bits);
    }
    for (size_t n = 0; off && n < count; n++)
      if (uint64_t bits = 0; is_wrong(n, bits)) note(n, bits);
  } else {
    for (size_t n = 0; n < count; n++) {
      uint64_t bits = 0;
      if (exact(mode, operand_of(n), bits)) {
        tally.known++;
        if (bits != results[n]) note(n, bits);
        continue;
      }
      tally.measured++;
      const double x = number_of(input, operand_of(n)), got = any_number(result, uint32_t(results[n])), near = value(x);
      double unit = unit_of(result, near), apart = std::fabs(got - near), error = apart / unit;
      tally.worst_absolute = std::fmax(tally.worst_absolute, apart);
      // Doubles are exact to 1e-8 units of a float, extended ones to 1e-12: the worst is measured with those.
      if (!(error < tally.worst - 1e-6)) {
        const long double closer = precise(static_cast<long double>(x));
        unit = unit_of(result, double(closer));
        error = double(fabsl(static_cast<long double>(got) - closer) / static_cast<long double>(unit));
        if (!(error <= tally.worst)) tally.worst = error, tally.worst_operand = operand_of(n);
      }
    }
  }
}

constexpr Function table[] = {
    {"v_exp_f32", false, F32, F32, &check<F32, F32, exponential<f32>, exp2_d, exp2_l>, 1},
    {"v_log_f32", false, F32, F32, &check<F32, F32, logarithm<f32>, log2_d, log2_l>, 1},
    {"v_rcp_f32", false, F32, F32, &check<F32, F32, reciprocal<f32>, quick_reciprocal, reciprocal_l>, 1},
    {"v_rcp_iflag_f32", false, F32, F32, &check<F32, F32, reciprocal<f32>, quick_reciprocal, reciprocal_l>, 1},
    {"v_rsq_f32", false, F32, F32, &check<F32, F32, reciprocal_root<f32>, quick_root, reciprocal_root_l>, 1},
    {"v_sqrt_f32", false, F32, F32, &check<F32, F32, root<f32>, sqrt_d, sqrt_l>, 1},
    // (Near zero the card's sines are that far from the truth: docs/rdna4-accuracy.md.)
    {"v_sin_f32", false, F32, F32, &check<F32, F32, turns<f32, true>, quick_sine, sine_l>, 12},
    {"v_cos_f32", false, F32, F32, &check<F32, F32, turns<f32, false>, quick_cosine, cosine_l>, 12},
    {"v_s_exp_f32", true, F32, F32, &check<F32, F32, exponential<f32>, exp2_d, exp2_l>, 1},
    {"v_s_log_f32", true, F32, F32, &check<F32, F32, logarithm<f32>, log2_d, log2_l>, 1},
    {"v_s_rcp_f32", true, F32, F32, &check<F32, F32, reciprocal<f32>, quick_reciprocal, reciprocal_l>, 1},
    {"v_s_rsq_f32", true, F32, F32, &check<F32, F32, reciprocal_root<f32>, quick_root, reciprocal_root_l>, 1},
    {"v_s_sqrt_f32", true, F32, F32, &check<F32, F32, root<f32>, sqrt_d, sqrt_l>, 1},
    {"v_fract_f32", false, F32, F32, &check<F32, F32, fraction<f32>, no_value, no_value>, 0},
    {"v_frexp_mant_f32", false, F32, F32, &check<F32, F32, mantissa<f32>, no_value, no_value>, 0},
    {"v_frexp_exp_i32_f32", false, F32, Integer32, &check<F32, Integer32, exponent<f32>, no_value, no_value>, 0},
    {"v_ceil_f32", false, F32, F32, &check<F32, F32, ceiling<f32>, no_value, no_value>, 0},
    {"v_floor_f32", false, F32, F32, &check<F32, F32, floors<f32>, no_value, no_value>, 0},
    {"v_trunc_f32", false, F32, F32, &check<F32, F32, truncation<f32>, no_value, no_value>, 0},
    {"v_rndne_f32", false, F32, F32, &check<F32, F32, nearest_even<f32>, no_value, no_value>, 0},
    {"v_cvt_f16_f32", false, F32, F16, &check<F32, F16, to_half<false>, no_value, no_value>, 0},
    {"v_cvt_f64_f32", false, F32, F64, &check<F32, F64, to_double, no_value, no_value>, 0},
    {"v_cvt_i32_f32", false, F32, Integer32, &check<F32, Integer32, to_integer<f32, int32_t>, no_value, no_value>, 0},
    {"v_cvt_u32_f32", false, F32, Integer32, &check<F32, Integer32, to_integer<f32, uint32_t>, no_value, no_value>, 0},
    {"v_cvt_floor_i32_f32", false, F32, Integer32, &check<F32, Integer32, to_floor, no_value, no_value>, 0},
    {"v_cvt_nearest_i32_f32", false, F32, Integer32, &check<F32, Integer32, to_nearest, no_value, no_value>, 0},
    {"v_cvt_f32_i32", false, Integer32, F32, &check<Integer32, F32, from_integer<int32_t, f32>, no_value, no_value>, 0},
    {"v_cvt_f32_u32", false, Integer32, F32, &check<Integer32, F32, from_integer<uint32_t, f32>, no_value, no_value>, 0},
    {"v_cvt_f64_i32", false, Integer32, F64, &check<Integer32, F64, integer_to_double<int32_t>, no_value, no_value>, 0},
    {"v_cvt_f64_u32", false, Integer32, F64, &check<Integer32, F64, integer_to_double<uint32_t>, no_value, no_value>, 0},
    {"v_cvt_f32_ubyte0", false, Integer32, F32, &check<Integer32, F32, from_byte<0>, no_value, no_value>, 0},
    {"v_cvt_f32_ubyte1", false, Integer32, F32, &check<Integer32, F32, from_byte<8>, no_value, no_value>, 0},
    {"v_cvt_f32_ubyte2", false, Integer32, F32, &check<Integer32, F32, from_byte<16>, no_value, no_value>, 0},
    {"v_cvt_f32_ubyte3", false, Integer32, F32, &check<Integer32, F32, from_byte<24>, no_value, no_value>, 0},
    {"s_ceil_f32", true, F32, F32, &check<F32, F32, ceiling<f32>, no_value, no_value>, 0},
    {"s_floor_f32", true, F32, F32, &check<F32, F32, floors<f32>, no_value, no_value>, 0},
    {"s_trunc_f32", true, F32, F32, &check<F32, F32, truncation<f32>, no_value, no_value>, 0},
    {"s_rndne_f32", true, F32, F32, &check<F32, F32, nearest_even<f32>, no_value, no_value>, 0},
    {"s_cvt_f16_f32", true, F32, F16, &check<F32, F16, to_half<true>, no_value, no_value>, 0},
    {"s_cvt_i32_f32", true, F32, Integer32, &check<F32, Integer32, to_integer<f32, int32_t>, no_value, no_value>, 0},
    {"s_cvt_u32_f32", true, F32, Integer32, &check<F32, Integer32, to_integer<f32, uint32_t>, no_value, no_value>, 0},
    {"s_cvt_f32_i32", true, Integer32, F32, &check<Integer32, F32, from_integer<int32_t, f32>, no_value, no_value>, 0},
    {"s_cvt_f32_u32", true, Integer32, F32, &check<Integer32, F32, from_integer<uint32_t, f32>, no_value, no_value>, 0},
    {"v_exp_f16", false, F16, F16, &check<F16, F16, exponential<f16>, exp2_d, exp2_l>, 1},
    {"v_log_f16", false, F16, F16, &check<F16, F16, logarithm<f16>, log2_d, log2_l>, 1},
    {"v_rcp_f16", false, F16, F16, &check<F16, F16, reciprocal<f16>, quick_reciprocal, reciprocal_l>, 1},
    {"v_rsq_f16", false, F16, F16, &check<F16, F16, reciprocal_root<f16>, quick_root, reciprocal_root_l>, 1},
    {"v_sqrt_f16", false, F16, F16, &check<F16, F16, root<f16>, sqrt_d, sqrt_l>, 1},
    {"v_sin_f16", false, F16, F16, &check<F16, F16, turns<f16, true>, quick_sine, sine_l>, 1},
    {"v_cos_f16", false, F16, F16, &check<F16, F16, turns<f16, false>, quick_cosine, cosine_l>, 1},
    {"v_s_exp_f16", true, F16, F16, &check<F16, F16, exponential<f16>, exp2_d, exp2_l>, 1},
    {"v_s_log_f16", true, F16, F16, &check<F16, F16, logarithm<f16>, log2_d, log2_l>, 1},
    {"v_s_rcp_f16", true, F16, F16, &check<F16, F16, reciprocal<f16>, quick_reciprocal, reciprocal_l>, 1},
    {"v_s_rsq_f16", true, F16, F16, &check<F16, F16, reciprocal_root<f16>, quick_root, reciprocal_root_l>, 1},
    {"v_s_sqrt_f16", true, F16, F16, &check<F16, F16, root<f16>, sqrt_d, sqrt_l>, 1},
    {"v_fract_f16", false, F16, F16, &check<F16, F16, fraction<f16>, no_value, no_value>, 0},
    {"v_frexp_mant_f16", false, F16, F16, &check<F16, F16, mantissa<f16>, no_value, no_value>, 0},
    {"v_frexp_exp_i16_f16", false, F16, Integer16, &check<F16, Integer16, exponent<f16>, no_value, no_value>, 0},
    {"v_ceil_f16", false, F16, F16, &check<F16, F16, ceiling<f16>, no_value, no_value>, 0},
    {"v_floor_f16", false, F16, F16, &check<F16, F16, floors<f16>, no_value, no_value>, 0},
    {"v_trunc_f16", false, F16, F16, &check<F16, F16, truncation<f16>, no_value, no_value>, 0},
    {"v_rndne_f16", false, F16, F16, &check<F16, F16, nearest_even<f16>, no_value, no_value>, 0},
    {"v_cvt_f32_f16", false, F16, F32, &check<F16, F32, from_half, no_value, no_value>, 0},
    {"v_cvt_i16_f16", false, F16, Integer16, &check<F16, Integer16, to_integer<f16, int16_t>, no_value, no_value>, 0},
    {"v_cvt_u16_f16", false, F16, Integer16, &check<F16, Integer16, to_integer<f16, uint16_t>, no_value, no_value>, 0},
    {"v_cvt_norm_i16_f16", false, F16, Integer16, &check<F16, Integer16, to_norm<int16_t>, no_value, no_value>, 0},
    {"v_cvt_norm_u16_f16", false, F16, Integer16, &check<F16, Integer16, to_norm<uint16_t>, no_value, no_value>, 0},
    {"v_cvt_f16_i16", false, Integer16, F16, &check<Integer16, F16, from_integer<int16_t, f16>, no_value, no_value>, 0},
    {"v_cvt_f16_u16", false, Integer16, F16, &check<Integer16, F16, from_integer<uint16_t, f16>, no_value, no_value>, 0},
    {"s_ceil_f16", true, F16, F16, &check<F16, F16, ceiling<f16>, no_value, no_value>, 0},
    {"s_floor_f16", true, F16, F16, &check<F16, F16, floors<f16>, no_value, no_value>, 0},
    {"s_trunc_f16", true, F16, F16, &check<F16, F16, truncation<f16>, no_value, no_value>, 0},
    {"s_rndne_f16", true, F16, F16, &check<F16, F16, nearest_even<f16>, no_value, no_value>, 0},
    {"s_cvt_f32_f16", true, F16, F32, &check<F16, F32, from_half, no_value, no_value>, 0},
};
// clang-format on

}  // namespace

std::span<const Function> functions() { return table; }
const Function* find(const char* name) {
  for (const Function& f : table)
    if (!std::strcmp(f.name, name)) return &f;
  return nullptr;
}

double number_of(Operand format, uint32_t bits) {
  return format == F16 ? value_of(f16, bits & 0xffffu) : double(std::bit_cast<float>(bits));
}
double unit_of(Operand format, double x) {
  const int exponent = int(std::bit_cast<uint64_t>(x) >> 52 & 0x7ff) - 1023;
  const int least = format == F16 ? -14 : -126, fraction = format == F16 ? 10 : 23;
  const int unit = std::max(exponent, least) - fraction;
  return std::bit_cast<double>(uint64_t(unit + 1023) << 52);
}

}  // namespace Atoll::rdna4::accuracy
