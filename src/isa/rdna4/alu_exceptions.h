// The exceptions of arithmetic that an instruction raises in one lane: found from its operands, apart from what the engines compute.
// RDNA4 ISA 3.4.10, 7.2; where that is silent IEEE 754 and docs/errata.md, "Control".
#pragma once
#include <array>
#include <cstdint>

#include "isa/rdna4/instruction.h"
#include "isa/rdna4/table.h"
#include "wave/float_mode.h"

namespace Atoll::rdna4 {

// Bits of EXCP_FLAG_USER and TRAP_CTRL.
enum AluException : uint32_t {
  ALU_INVALID = 1u << 0,
  ALU_INPUT_DENORMAL = 1u << 1,
  ALU_FLOAT_DIV0 = 1u << 2,
  ALU_OVERFLOW = 1u << 3,
  ALU_UNDERFLOW = 1u << 4,
  ALU_INEXACT = 1u << 5,
  ALU_INT_DIV0 = 1u << 6,
};

// The rule that decides which exceptions there are: `exceptions=` in isa/rdna4.tsv.
enum class AluRule : uint8_t {
  none,
  quiet,    // a signaling NaN is invalid, and denormals are noted
  compare,  // that; with CLAMP any NaN is invalid
  add,
  subtract,
  reverse_subtract,
  multiply,
  multiply_zero,  // 0 times anything is 0
  fma,
  fma_zero,
  mixed_fma,       // halves or floats as OP_SEL_HI says
  divide_fmas,     // scaled afterwards where VCC says so (errata F1)
  multiply_light,  // V_MULLIT_F32
  cube_major,      // twice the largest
  fraction,
  reciprocal,
  integer_reciprocal,
  reciprocal_root,
  root,
  power,      // of 2
  logarithm,  // to the base 2
  sine,
  cosine,
  scale,  // by a power of 2
  divide_fixup,
  to_float,           // of another size
  to_float_of_upper,  // in the table alone: to_float with `upper`
  to_halves_toward_zero,
  from_integer,
  to_integer,
  to_byte,   // in the table alone: to_integer of 8 bits
  to_whole,  // V_CVT_FLOOR and _NEAREST: a NaN raises nothing
};

enum class NumberType : uint8_t { none, half, single, wide, u8, i16, u16, i32, u32 };

struct AluOperation {
  AluRule rule = AluRule::none;
  std::array<NumberType, 3> from{};  // of the operands
  NumberType to = NumberType::none;  // of the result
  uint8_t operands = 0;              // with the destination, if that is one
  bool scalar = false;               // of the wave, not of its lanes
  bool packed = false;               // two halves
  bool upper = false;                // the half is the upper one
  bool flushes = false;              // denormals are zeros in every mode (7.2.4)
};
// The operation of an opcode; rule none: it raises nothing.
AluOperation alu_operation(const Opcode& row);

// The type of this instruction's operand n.
NumberType operand_type(const AluOperation& operation, const Instruction& i, unsigned n);

// One lane's operands: their bits in the low ones, with ABS and NEG applied; the fourth: its bit of VCC, for V_DIV_FMAS.
using AluOperands = std::array<uint64_t, 4>;
uint32_t alu_exceptions(const AluOperation& operation, const Instruction& i, const AluOperands& operands,
                        const wave::FloatMode& mode);

}  // namespace Atoll::rdna4
