// The meaning of operand numbers, and registers in assembler text (Sea Islands register guide, section 4: SSRC0, SRC0, SDST).
#pragma once
#include <string>

#include "isa/amd/instruction_text.h"
#include "isa/gfx7/instruction.h"
#include "isa/gfx7/table.h"

namespace Atoll::gfx7 {

using amd::is_e32, amd::is_source;
using amd::Lexer;
using amd::RegisterText;

constexpr bool is_vector_alu(Format format) { return is_e32(format) || format == Format::VOP3; }

// VCCZ, EXECZ and SCC.
constexpr bool special_source(unsigned operand) { return operand >= SRC_VCCZ && operand <= SRC_SCC; }

// True if source 0 of this row may be LDS_DIRECT: operations of one dword without exchanged sources (LLVM's rule).
bool takes_lds_direct(const Opcode& row);

// Modifiers without a value, in the order in which they are written; an offset stands before GLC.
inline constexpr amd::FlagName flag_names[] = {
    {"idxen", Field::idxen}, {"offen", Field::offen}, {"addr64", Field::addr64}, {"unorm", Field::unorm},
    {"glc", Field::glc},     {"slc", Field::slc},     {"r128", Field::r128},     {"tfe", Field::tfe},
    {"lwe", Field::lwe},     {"da", Field::da},       {"lds", Field::lds},       {"done", Field::done},
    {"compr", Field::compr}, {"vm", Field::vm},       {"gds", Field::gds},       {"clamp", Field::clamp},
};

// Dwords of an image instruction's data.
unsigned image_data_dwords(const Instruction& i);

// The registers that text can name.
extern const amd::RegisterNames registers;

inline const char* scalar_register_problem(unsigned operand, unsigned count) {
  return amd::scalar_register_problem(registers, operand, count);
}
inline std::string scalar_name(unsigned operand, unsigned count) { return amd::scalar_name(registers, operand, count); }
using amd::vector_name;

}  // namespace Atoll::gfx7
