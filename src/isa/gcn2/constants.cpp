#include "isa/gcn2/constants.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "isa/gcn2/instruction.h"

namespace Atoll::gcn2 {
namespace {

// Operands 240 to 247 in each format.
struct InlineFloat {
  const char* text;
  double value;
  uint16_t half;
};
constexpr InlineFloat inline_floats[] = {{"0.5", 0.5, 0x3800},   {"-0.5", -0.5, 0xb800}, {"1.0", 1.0, 0x3c00},
                                         {"-1.0", -1.0, 0xbc00}, {"2.0", 2.0, 0x4000},   {"-2.0", -2.0, 0xc000},
                                         {"4.0", 4.0, 0x4400},   {"-4.0", -4.0, 0xc400}};

uint32_t single(double value) { return std::bit_cast<uint32_t>(float(value)); }

// The half nearest to a number, ties to even.
uint16_t half_bits(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  if (std::isnan(value)) return uint16_t(sign | 0x7e00);
  if (magnitude >= 65520) return uint16_t(sign | 0x7c00);
  int exponent = magnitude < 0x1p-14 ? -14 : std::ilogb(magnitude);
  double steps = std::nearbyint(std::ldexp(magnitude, 10 - exponent));  // in units of the last place
  return uint16_t(sign | (unsigned(steps) + (unsigned(exponent + 14) << 10)));
}

bool small(int64_t value) { return value >= -16 && value <= 64; }
uint16_t integer_operand(int64_t value) { return uint16_t(value >= 0 ? INTEGER_0 + value : INTEGER_64 - value); }

}  // namespace

ConstantClass constant_class(Type type) {
  if (type.bits == 16) return ConstantClass::Half;
  if (type.bits == 64) return type.base == Type::F ? ConstantClass::Float64 : ConstantClass::Integer64;
  return ConstantClass::Bits32;
}

std::string inline_text(unsigned operand) {
  if (operand >= FLOAT_HALF) return inline_floats[operand - FLOAT_HALF].text;
  return fmt::format("{}", operand <= INTEGER_64 ? int(operand) - INTEGER_0 : INTEGER_64 - int(operand));
}

std::string literal_text(ConstantClass c, uint32_t literal) {
  switch (c) {
    case ConstantClass::Bits32:
      if (small(int32_t(literal))) return fmt::format("{}", int32_t(literal));
      for (const InlineFloat& f : inline_floats)
        if (single(f.value) == literal) return f.text;
      break;
    case ConstantClass::Half:
      if (literal > 0xffff) break;
      if (small(int16_t(literal))) return fmt::format("{}", int16_t(literal));
      for (const InlineFloat& f : inline_floats)
        if (f.half == literal) return f.text;
      break;
    case ConstantClass::Integer64:
      if (literal <= 64) return fmt::format("{}", literal);
      break;
    case ConstantClass::Float64:
      if (literal == 0) return "0";
      for (const InlineFloat& f : inline_floats)
        if (std::bit_cast<uint64_t>(f.value) == uint64_t(literal) << 32) return f.text;
      break;
  }
  return fmt::format("{:#x}", literal);
}

std::optional<Constant> constant_of(ConstantClass c, Number number) {
  constexpr uint32_t none = 0;
  bool fits32 = number.integer >= INT32_MIN && number.integer <= int64_t(UINT32_MAX);
  if (!number.floating) {
    int64_t value = number.integer;
    if (c == ConstantClass::Bits32 && fits32) value = int32_t(uint32_t(value));
    if (c == ConstantClass::Half && value >= -32768 && value <= 65535) value = int16_t(uint16_t(value));
    if (small(value)) return Constant{integer_operand(value), none};
  } else if (number.value == 0 && !std::signbit(number.value)) {
    return Constant{INTEGER_0, none};
  }
  for (unsigned n = 0; n < std::size(inline_floats); ++n) {
    const InlineFloat& f = inline_floats[n];
    Constant found{uint16_t(FLOAT_HALF + n), none};
    if (number.floating) {
      bool same = c == ConstantClass::Half     ? half_bits(number.value) == f.half
                  : c == ConstantClass::Bits32 ? float(number.value) == float(f.value)
                                               : number.value == f.value;
      if (same) return found;
    } else if (c == ConstantClass::Half     ? number.integer == f.half
               : c == ConstantClass::Bits32 ? fits32 && uint32_t(number.integer) == single(f.value)
                                            : uint64_t(number.integer) == std::bit_cast<uint64_t>(f.value)) {
      return found;
    }
  }
  switch (c) {
    case ConstantClass::Bits32:
      if (number.floating) return Constant{LITERAL, single(number.value)};
      if (!fits32) return {};
      return Constant{LITERAL, uint32_t(number.integer)};
    case ConstantClass::Half:
      if (number.floating) return Constant{LITERAL, half_bits(number.value)};
      if (number.integer < -32768 || number.integer > 65535) return {};
      return Constant{LITERAL, uint32_t(number.integer) & 0xffff};
    case ConstantClass::Integer64:
    case ConstantClass::Float64:
      if (number.floating) {
        if (c == ConstantClass::Integer64) return {};
        return Constant{LITERAL, uint32_t(std::bit_cast<uint64_t>(number.value) >> 32)};
      }
      if (!fits32) return {};
      return Constant{LITERAL, uint32_t(number.integer)};
  }
  return {};
}

void fold_modifiers(ConstantClass c, bool absolute, bool negate, Number& number) {
  if (number.floating) {
    if (absolute) number.value = std::fabs(number.value);
    if (negate) number.value = -number.value;
    return;
  }
  unsigned bits = c == ConstantClass::Bits32 ? 32 : c == ConstantClass::Half ? 16 : 64;
  uint64_t sign = uint64_t(1) << (bits - 1), value = uint64_t(number.integer);
  if (absolute) value &= ~sign;
  if (negate) value ^= sign;
  number.integer = int64_t(bits == 64 ? value : value & (2 * sign - 1));
}

}  // namespace Atoll::gcn2
