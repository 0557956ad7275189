// The constants of RDNA4's operands (RDNA4 ISA 7.2.2): isa/amd/constants_text.h for its types, and pairs of 16 bits.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "isa/amd/constants_text.h"
#include "isa/rdna4/table.h"

namespace Atoll::rdna4 {

using amd::ConstantClass;
using amd::inline_text;
using amd::inline_value;
using amd::WrittenNumber;

// LLVM's choice for an operand of this row.
ConstantClass constant_class(const Opcode& row, Type type);

std::string literal_text(ConstantClass c, uint32_t literal);

// The operand number of a written constant, and with LITERAL its dword. Empty when no constant of this type can be that number.
std::optional<amd::Constant> constant_of(ConstantClass c, Type type, WrittenNumber number);

// Rows whose 16-bit VGPRs are always written v1.l or v1.h (LLVM 19: V_MOV_B16).
bool shows_halves(const Opcode& row);

}  // namespace Atoll::rdna4
