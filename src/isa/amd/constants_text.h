// How inline constants and literals read in assembler text: it depends on the operand's type. Operands 128 to 208 and from 240 on
// (Sea Islands register guide section 4, SRC0; RDNA4 ISA 7.2.2); rules of LLVM's AMDGPU assembler.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "isa/amd/inline_constants.h"
#include "isa/amd/lexer.h"

namespace Atoll::amd {

// BrainFloat: bf16. MixedFloat: of a half, or of an f32 whose literal is written as bits.
enum class ConstantClass : uint8_t { Bits32, HalfInteger, HalfFloat, BrainFloat, MixedFloat, Integer64, Float64 };
constexpr bool is_wide(ConstantClass c) { return c == ConstantClass::Integer64 || c == ConstantClass::Float64; }
constexpr bool is_half(ConstantClass c) { return c >= ConstantClass::HalfInteger && c <= ConstantClass::MixedFloat; }  // 16 bits

// The bits that an inline constant stands for.
uint64_t inline_value(ConstantClass c, unsigned operand);

std::string inline_text(ConstantClass c, unsigned operand);
// `floats`: how many an instruction set has as inline constants (inline_constants.h).
std::string literal_text(ConstantClass c, unsigned floats, uint32_t literal);

// The operand number of a written constant, and with LITERAL its dword.
struct Constant {
  uint16_t operand;
  uint32_t literal = 0;
};
// Empty when no constant of this class can be that number.
std::optional<Constant> constant_of(ConstantClass c, unsigned floats, WrittenNumber number);
// The parts of it: as an inline constant, and as a literal.
std::optional<Constant> inline_constant_of(ConstantClass c, unsigned floats, WrittenNumber number);
std::optional<Constant> literal_of(ConstantClass c, WrittenNumber number);

// The sign bit of a number as its operand's format has it: for encodings without modifiers, -x and |x| become part of x.
void fold_modifiers(ConstantClass c, bool absolute, bool negate, WrittenNumber& number);

// Bits of the half nearest to a number, ties to even; infinity beyond the largest.
uint16_t half_bits(double value);

}  // namespace Atoll::amd
