// How inline constants and literals read in assembler text: it depends on the operand's type. Operands 128-208 and 240-247 (Sea
// Islands register guide, section 4: SRC0); unlike later GPUs this one has no 1/(2 pi).
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "isa/amd/lexer.h"
#include "isa/gcn2/table.h"

namespace Atoll::gcn2 {

using amd::Number;

enum class ConstantClass : uint8_t { Bits32, Half, Integer64, Float64 };
ConstantClass constant_class(Type type);

std::string inline_text(unsigned operand);
std::string literal_text(ConstantClass constant_class, uint32_t literal);

// The operand number of a written constant, and with LITERAL its dword. Empty when no constant of this class can be that number.
struct Constant {
  uint16_t operand;
  uint32_t literal;
};
std::optional<Constant> constant_of(ConstantClass constant_class, Number number);

// The sign bit of a number as its operand's format has it: for encodings without modifiers, -x and |x| become part of x.
void fold_modifiers(ConstantClass constant_class, bool absolute, bool negate, Number& number);

}  // namespace Atoll::gcn2
