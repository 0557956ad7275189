// What operand numbers mean and how registers read in assembler text (Sea Islands register guide, section 4: SSRC0, SRC0, SDST).
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "isa/amd/lexer.h"
#include "isa/gcn2/instruction.h"
#include "isa/gcn2/table.h"

namespace Atoll::gcn2 {

using amd::Lexer;

constexpr bool is_e32(Format format) { return format == Format::VOP1 || format == Format::VOP2 || format == Format::VOPC; }
constexpr bool is_vector_alu(Format format) { return is_e32(format) || format == Format::VOP3; }
constexpr bool is_source(Slot slot) { return slot >= Slot::Src0 && slot <= Slot::Src2; }

constexpr bool inline_constant(unsigned operand) {
  return (operand >= INTEGER_0 && operand <= INTEGER_MINUS_16) || (operand >= FLOAT_HALF && operand <= FLOAT_MINUS_4);
}
// VCCZ, EXECZ and SCC.
constexpr bool special_source(unsigned operand) { return operand >= SRC_VCCZ && operand <= SRC_SCC; }

// Whether source 0 of this row may be LDS_DIRECT: operations of one dword without exchanged sources (LLVM's rule).
bool takes_lds_direct(const Opcode& row);

// Why `count` consecutive scalar registers cannot begin at this operand number, or null when they can.
const char* scalar_register_problem(unsigned operand, unsigned count);

// LLVM's name for `count` scalar registers (s4, s[4:7], vcc_lo, vcc, ttmp[0:3], m0, exec …) or a special source.
std::string scalar_name(unsigned operand, unsigned count);

// v4 or v[4:7].
std::string vector_name(unsigned vgpr, unsigned count);

// Dwords of an image instruction's data.
unsigned image_data_dwords(const Instruction& i);

struct RegisterText {
  bool vector = false;
  uint16_t number = 0;  // VGPR number, or scalar operand number
  uint16_t count = 1;   // registers; 0 when the name fits any (src_scc)
};

// Takes a register if one stands here: v1, v[2:3], s4, ttmp[0:3], vcc_lo, exec, m0, src_scc, [v1,v2] … Without one nothing is
// taken and `why` stays empty; a broken one sets `why`.
std::optional<RegisterText> take_register(Lexer& text, std::string& why);

}  // namespace Atoll::gcn2
