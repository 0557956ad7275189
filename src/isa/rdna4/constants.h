// How inline constants and literals read in assembler text (RDNA4 ISA 7.2.2): it depends on the operand's type.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "isa/amd/lexer.h"
#include "isa/rdna4/table.h"

namespace Atoll::rdna4 {

using amd::Number;

enum class ConstantClass : uint8_t { Bits32, HalfInteger, HalfFloat, Integer64, Float64 };

// LLVM's choice for an operand of this row.
ConstantClass constant_class(const Opcode& row, Type type);

// The bits that an inline constant (operands 128-208, 240-248) stands for.
uint64_t inline_value(ConstantClass constant_class, unsigned operand);

std::string inline_text(ConstantClass constant_class, unsigned operand);
std::string literal_text(ConstantClass constant_class, Type type, uint32_t literal);

// The operand number of a written constant, and with LITERAL its dword. Empty when no constant of this type can be that number.
struct Constant {
  uint16_t operand;
  uint32_t literal;
};
std::optional<Constant> constant_of(ConstantClass constant_class, Type type, Number number);

// Rows whose 16-bit VGPRs are always written v1.l or v1.h (LLVM 19: V_MOV_B16).
bool shows_halves(const Opcode& row);

}  // namespace Atoll::rdna4
