#include "isa/rdna4/constants.h"

#include <fmt/format.h>

#include <bit>
#include <string_view>

#include "isa/rdna4/instruction.h"

namespace Atoll::rdna4 {
namespace {

// Operands 240 to 248 in each format (RDNA4 ISA table 33).
struct InlineFloat {
  const char* text;
  uint16_t half;
  uint32_t single;
  uint64_t wide;
};
constexpr InlineFloat inline_floats[] = {
    {"0.5", 0x3800, 0x3f000000, 0x3fe0000000000000},        {"-0.5", 0xb800, 0xbf000000, 0xbfe0000000000000},
    {"1.0", 0x3c00, 0x3f800000, 0x3ff0000000000000},        {"-1.0", 0xbc00, 0xbf800000, 0xbff0000000000000},
    {"2.0", 0x4000, 0x40000000, 0x4000000000000000},        {"-2.0", 0xc000, 0xc0000000, 0xc000000000000000},
    {"4.0", 0x4400, 0x40800000, 0x4010000000000000},        {"-4.0", 0xc400, 0xc0800000, 0xc010000000000000},
    {"0.15915494", 0x3118, 0x3e22f983, 0x3fc45f306dc9c882},
};

bool is_wide(ConstantClass c) { return c == ConstantClass::Integer64 || c == ConstantClass::Float64; }

}  // namespace

bool shows_halves(const Opcode& row) {
  std::string_view name = row.name;
  return name == "v_mov_b16" || name == "v_swap_b16";
}

ConstantClass constant_class(const Opcode& row, Type type) {
  bool floating = type.base == Type::F;
  if (type.bits < 16 && type.count == 1) return ConstantClass::Bits32;
  if (row.has(Flag::Mix)) return ConstantClass::HalfFloat;
  if (type.half()) {
    if (type.base == Type::BF) return ConstantClass::Bits32;
    if (row.has(Flag::HexInline)) return ConstantClass::HalfInteger;
    if (row.format == Format::SOP1 || (!floating && row.format <= Format::SMEM)) return ConstantClass::Bits32;
    return floating || row.has(Flag::FloatInline) ? ConstantClass::HalfFloat : ConstantClass::HalfInteger;
  }
  if (floating && type.bits == 16 && type.count >= 8) return ConstantClass::HalfFloat;  // the C matrix of V_WMMA_F16
  if (type.total_bits() == 64) return floating ? ConstantClass::Float64 : ConstantClass::Integer64;
  return ConstantClass::Bits32;
}

uint64_t inline_value(ConstantClass c, unsigned operand) {
  if (operand >= FLOAT_HALF) {
    const InlineFloat& f = inline_floats[operand - FLOAT_HALF];
    return is_wide(c) ? f.wide : c == ConstantClass::Bits32 ? f.single : f.half;
  }
  int64_t integer = operand <= INTEGER_64 ? int64_t(operand) - INTEGER_0 : INTEGER_64 - int64_t(operand);
  return is_wide(c) ? uint64_t(integer) : c == ConstantClass::Bits32 ? uint32_t(integer) : uint16_t(integer);
}

namespace {

// Rounds to nearest even; overflow gives infinity, as LLVM's conversion of a written number does.
uint16_t half_bits(double value) { return std::bit_cast<uint16_t>(static_cast<_Float16>(value)); }

}  // namespace

std::optional<Constant> constant_of(ConstantClass c, Type type, Number number) {
  constexpr uint32_t none = 0;
  bool packed = type.bits == 16 && type.count == 2;
  if (!number.floating && number.integer >= -16 && number.integer <= 64)
    return Constant{uint16_t(number.integer >= 0 ? INTEGER_0 + number.integer : INTEGER_64 - number.integer), none};
  for (unsigned n = 0; n < 9; ++n) {
    const InlineFloat& f = inline_floats[n];
    uint16_t operand = uint16_t(FLOAT_HALF + n);
    // A floating-point number is compared in the operand's own format, an integer by its bits.
    if (is_wide(c)) {
      if (number.floating ? std::bit_cast<uint64_t>(number.value) == f.wide : uint64_t(number.integer) == f.wide)
        return Constant{operand, none};
    } else if (c == ConstantClass::HalfFloat || (packed && type.base != Type::BF)) {
      bool integers = type.base != Type::F && packed;
      if (number.floating ? half_bits(number.value) == f.half : !integers && number.integer == f.half)
        return Constant{operand, none};
      if (integers && !number.floating && uint32_t(number.integer) == f.single && number.integer >= 0)
        return Constant{operand, none};
    } else if (c == ConstantClass::HalfInteger) {
      if (number.floating && half_bits(number.value) == f.half) return Constant{operand, none};
    } else {
      uint32_t bits = number.floating ? std::bit_cast<uint32_t>(float(number.value)) : uint32_t(number.integer);
      if (bits == f.single && (number.floating || (number.integer >= INT32_MIN && number.integer <= int64_t(UINT32_MAX))))
        return Constant{operand, none};
    }
  }
  bool fits32 = number.integer >= INT32_MIN && number.integer <= int64_t(UINT32_MAX);
  switch (c) {
    case ConstantClass::Bits32:
      if (number.floating) {
        uint32_t bits = packed && type.base == Type::F ? half_bits(number.value) : std::bit_cast<uint32_t>(float(number.value));
        return Constant{LITERAL, bits};
      }
      if (!fits32) return {};
      return Constant{LITERAL, uint32_t(number.integer)};
    case ConstantClass::HalfInteger:
    case ConstantClass::HalfFloat:
      if (number.floating) return Constant{LITERAL, half_bits(number.value)};
      if (number.integer < -32768 || number.integer > 65535) return {};
      return Constant{LITERAL, uint32_t(number.integer) & 0xffff};
    case ConstantClass::Integer64:
      if (number.floating || !fits32) return {};
      return Constant{LITERAL, uint32_t(number.integer)};
    case ConstantClass::Float64:
      if (number.floating) return Constant{LITERAL, uint32_t(std::bit_cast<uint64_t>(number.value) >> 32)};
      if (!fits32) return {};
      return Constant{LITERAL, uint32_t(number.integer)};
  }
  return {};
}

std::string inline_text(ConstantClass c, unsigned operand) {
  if (operand < FLOAT_HALF)
    return fmt::format("{}", operand <= INTEGER_64 ? int(operand) - INTEGER_0 : INTEGER_64 - int(operand));
  if (c == ConstantClass::HalfInteger) return fmt::format("{:#x}", inline_floats[operand - FLOAT_HALF].half);
  if (operand == FLOAT_INV_2PI && is_wide(c)) return "0.15915494309189532";
  return inline_floats[operand - FLOAT_HALF].text;
}

std::string literal_text(ConstantClass c, Type type, uint32_t literal) {
  auto small = [](int64_t value) { return value >= -16 && value <= 64; };
  switch (c) {
    case ConstantClass::Bits32:
      if (small(int32_t(literal))) return fmt::format("{}", int32_t(literal));
      for (const InlineFloat& f : inline_floats)
        if (f.single == literal) return f.text;
      return fmt::format("{:#x}", literal);
    case ConstantClass::HalfInteger:
    case ConstantClass::HalfFloat:
      if (small(int16_t(literal))) return fmt::format("{}", int16_t(literal));
      if (c == ConstantClass::HalfFloat) {
        for (const InlineFloat& f : inline_floats)
          if (f.half == uint16_t(literal)) return f.text;
      }
      return fmt::format("{:#x}", uint16_t(literal));
    case ConstantClass::Integer64:
      if (small(int64_t(literal))) return fmt::format("{}", literal);
      return fmt::format("{:#x}", literal);
    case ConstantClass::Float64:
      if (literal == 0) return "0";
      for (const InlineFloat& f : inline_floats)
        if (f.wide == uint64_t(literal) << 32) return f.text;
      return fmt::format("{:#x}", literal);
  }
  return "";
}

}  // namespace Atoll::rdna4
