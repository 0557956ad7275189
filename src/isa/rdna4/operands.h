// The meaning of operand numbers (RDNA4 ISA 6.2, 7.2), and the shapes of image addresses and data (RDNA4 ISA 10.2, LLVM AMDGPU MIMG
// rules).
#pragma once
#include <cstdint>
#include <string>

#include "isa/amd/registers_text.h"
#include "isa/rdna4/instruction.h"
#include "isa/rdna4/table.h"

namespace Atoll::rdna4 {

// In the formats of is_e32, 16-bit operands have their half in bit 7 of the VGPR number.
using amd::is_e32, amd::is_source;

// Sources that are neither registers nor constants: apertures, VCCZ, EXECZ, SCC.
constexpr bool special_source(unsigned operand) {
  return (operand >= SHARED_BASE && operand <= 239) || (operand >= SRC_VCCZ && operand <= SRC_SCC);
}

// DPP_CTRL values of table 103 in RDNA4 ISA 15.3.8.
constexpr bool dpp_control_exists(uint32_t control) {
  if (control < 0x100) return true;
  uint32_t low = control & 0xf;
  switch (control >> 4) {
    case 0x10:
    case 0x11:
    case 0x12: return low != 0;
    case 0x14: return low < 2;
    case 0x15:
    case 0x16: return true;
    default: return false;
  }
}

// The OP_SEL bits that mean something: those of the table, and on 16-bit operations the halves of the 16-bit operands,
// which LLVM 19 neither prints nor accepts (RDNA4 ISA 7.2.2.3).
uint8_t selectable_halves(const Opcode& row);

// The registers that text can name.
extern const amd::RegisterNames registers;

// RDNA4 ISA 3.3.1.2.
inline const char* scalar_register_problem(unsigned operand, unsigned count) {
  return amd::scalar_register_problem(registers, operand, count);
}
inline std::string scalar_name(unsigned operand, unsigned count) { return amd::scalar_name(registers, operand, count); }
using amd::RegisterText;
using amd::vector_name;

// Dwords of an image instruction's data and address.
struct ImageShape {
  unsigned data = 0, address = 0;
};
ImageShape image_shape(const Instruction& i);

// True if an instruction with a sampler can have more than three address components.
bool has_fourth_address(const Opcode& row);

// Checks an image instruction's registers against its shape; `report` makes the error of a sentence.
template <class Report>
const char* image_shape_problem(const Instruction& i, Report report) {
  ImageShape shape = image_shape(i);
  if (i.data + shape.data > 256) return report("the image data reach past v255");
  bool sample = i.opcode->format == Format::VSAMPLE;
  // Registers that no DIM of the instruction uses must be zero; others are ignored where DIM does not use them.
  if (!sample && i.image_address[4] != 0) return report("VADDR4 must be zero");
  if (sample && i.image_address[3] != 0 && !has_fourth_address(*i.opcode)) return report("VADDR3 must be zero");
  if (!sample && shape.address > 5) return report("too many address components");
  if (sample && shape.address > 4 && i.image_address[3] + shape.address - 3 > 256)
    return report("the image address reaches past v255");
  return nullptr;
}

}  // namespace Atoll::rdna4
