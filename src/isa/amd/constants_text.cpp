#include "isa/amd/constants_text.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "isa/amd/inline_constants.h"

namespace Atoll::amd {
namespace {

constexpr const char* float_texts[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"};
constexpr const char* wide_inverse_of_two_pi = "0.15915494309189532";

bool small(int64_t value) { return value >= -16 && value <= 64; }
uint32_t single_bits(double value) { return std::bit_cast<uint32_t>(float(value)); }

uint64_t float_value(ConstantClass c, unsigned n) {
  return is_wide(c)                       ? inline_f64[n]
         : c == ConstantClass::Bits32     ? inline_f32[n]
         : c == ConstantClass::BrainFloat ? inline_bf16[n]
                                          : inline_f16[n];
}

// Bits of the bf16 nearest to a number, ties to even; what stands for the inline constant 1/(2 pi), which is cut, is that (LLVM).
uint16_t brain_bits(double value) {
  if (value == 0.15915494) return inline_bf16[8];
  float rounded = float(value);
  uint32_t bits = std::bit_cast<uint32_t>(rounded);
  if (double(rounded) != value) {  // to odd, so that the second rounding knows of what the first left out
    if (std::fabs(double(rounded)) > std::fabs(value)) bits--;
    bits |= 1;
  }
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// True if a float's format holds the number but for its last digits. False where it would become infinite or lose digits as a
// denormal (LLVM, canLosslesslyConvertToFPType, which takes bf16 for f16).
bool in_range(ConstantClass c, double value) {
  if (is_wide(c)) return true;
  double rounded = is_half(c) ? double(static_cast<_Float16>(value)) : double(float(value));
  double least = is_half(c) ? 0x1p-14 : 0x1p-126;
  return std::isfinite(rounded) && (rounded == value || std::fabs(rounded) >= least);
}

// True if an integer fits the class's bits, with or without a sign.
bool in_range(ConstantClass c, int64_t value) {
  if (is_wide(c)) return true;
  return is_half(c) ? value >= INT16_MIN && value <= UINT16_MAX : value >= INT32_MIN && value <= int64_t(UINT32_MAX);
}

// The bits of a written float in the class's format. Floats for integers of 16 bits are singles (LLVM).
uint64_t bits_of(ConstantClass c, double value) {
  if (is_wide(c)) return std::bit_cast<uint64_t>(value);
  if (c == ConstantClass::BrainFloat) return brain_bits(value);
  return c == ConstantClass::HalfFloat || c == ConstantClass::MixedFloat ? half_bits(value) : single_bits(value);
}

}  // namespace

uint16_t half_bits(double value) { return std::bit_cast<uint16_t>(static_cast<_Float16>(value)); }

uint64_t inline_value(ConstantClass c, unsigned operand) {
  if (operand >= FLOAT_HALF) return float_value(c, operand - FLOAT_HALF);
  int64_t integer = inline_integer(operand);
  return is_wide(c) ? uint64_t(integer) : c == ConstantClass::Bits32 ? uint32_t(integer) : uint16_t(integer);
}

std::string inline_text(ConstantClass c, unsigned operand) {
  if (operand < FLOAT_HALF) return fmt::format("{}", inline_integer(operand));
  unsigned n = operand - FLOAT_HALF;
  if (c == ConstantClass::HalfInteger) return fmt::format("{:#x}", inline_f16[n]);
  return n == 8 && is_wide(c) ? wide_inverse_of_two_pi : float_texts[n];
}

std::string literal_text(ConstantClass c, unsigned floats, uint32_t literal) {
  bool half = is_half(c) && literal <= UINT16_MAX;
  int64_t integer = half ? int16_t(literal) : c == ConstantClass::Bits32 ? int32_t(literal) : int64_t(literal);
  if (c == ConstantClass::Float64 ? literal == 0 : small(integer)) return fmt::format("{}", integer);
  uint64_t bits = c == ConstantClass::Float64 ? uint64_t(literal) << 32 : literal;
  if (c != ConstantClass::HalfInteger && c != ConstantClass::Integer64)
    for (unsigned n = 0; n < floats; ++n)
      if (bits == float_value(c, n)) return float_texts[n];
  return fmt::format("{:#x}", literal);
}

std::optional<Constant> inline_constant_of(ConstantClass c, unsigned floats, WrittenNumber number) {
  uint64_t bits;
  if (number.floating) {
    if (!in_range(c, number.value)) return {};
    if (number.value == 0 && !std::signbit(number.value)) return Constant{INTEGER_0};
    bits = bits_of(c, number.value);
    if (c == ConstantClass::HalfInteger) c = ConstantClass::Bits32;
  } else {
    int64_t value = number.integer;
    if (c == ConstantClass::Bits32 && in_range(c, value)) value = int32_t(uint32_t(value));
    if (is_half(c) && c != ConstantClass::HalfInteger && in_range(c, value)) value = int16_t(uint16_t(value));
    if (small(value)) return Constant{uint16_t(value >= 0 ? INTEGER_0 + value : INTEGER_64 - value)};
    if (c == ConstantClass::HalfInteger || !in_range(c, value)) return {};
    bits = is_wide(c) ? uint64_t(value) : c == ConstantClass::Bits32 ? uint32_t(value) : uint16_t(value);
  }
  for (unsigned n = 0; n < floats; ++n)
    if (bits == float_value(c, n)) return Constant{uint16_t(FLOAT_HALF + n)};
  return {};
}

std::optional<Constant> literal_of(ConstantClass c, WrittenNumber number) {
  if (number.floating) {
    if (c == ConstantClass::Integer64 || !in_range(c, number.value)) return {};
    uint64_t bits = bits_of(c, number.value);
    return Constant{LITERAL, uint32_t(c == ConstantClass::Float64 ? bits >> 32 : bits)};
  }
  if (c == ConstantClass::MixedFloat && number.integer > UINT16_MAX) c = ConstantClass::Bits32;
  if (!in_range(is_wide(c) ? ConstantClass::Bits32 : c, number.integer)) return {};  // a literal has 32 bits at most
  return Constant{LITERAL, uint32_t(number.integer) & (is_half(c) ? 0xffffu : ~0u)};
}

std::optional<Constant> constant_of(ConstantClass c, unsigned floats, WrittenNumber number) {
  auto constant = inline_constant_of(c, floats, number);
  return constant ? constant : literal_of(c, number);
}

void fold_modifiers(ConstantClass c, bool absolute, bool negate, WrittenNumber& number) {
  if (number.floating) {
    if (absolute) number.value = std::fabs(number.value);
    if (negate) number.value = -number.value;
    return;
  }
  if (!in_range(c, number.integer)) return;
  unsigned bits = is_wide(c) ? 64 : is_half(c) ? 16 : 32;
  uint64_t sign = uint64_t(1) << (bits - 1), value = uint64_t(number.integer);
  if (absolute) value &= ~sign;
  if (negate) value ^= sign;
  number.integer = int64_t(bits == 64 ? value : value & (2 * sign - 1));
}

}  // namespace Atoll::amd
