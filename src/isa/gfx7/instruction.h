// A decoded Sea Islands instruction: what the decoder makes of the words, what the printer, the encoder and the semantics read.
// Field names follow the Sea Islands register guide, section 4; all members have one type so that tables can name them.
#pragma once
#include <cstdint>

#include "isa/amd/inline_constants.h"
#include "isa/gfx7/table.h"

namespace Atoll::gfx7 {

// Operand numbers (SQ_SRC_* of the guide, section 4): those of all, and Sea Islands' own.
using enum amd::Operand;
enum Operand : uint16_t {
  FLAT_SCRATCH_LO = 104,
  TBA_LO = 108,
  TMA_LO = 110,
  TTMP0 = 112,
  M0 = 124,
  LDS_DIRECT = 254,
};
constexpr bool is_inline_float(uint32_t operand) { return amd::is_inline_float(operand, amd::floats_of_sea_islands); }
constexpr bool inline_constant(uint32_t operand) { return amd::is_inline_constant(operand, amd::floats_of_sea_islands); }

struct Instruction {
  const Opcode* opcode = nullptr;
  uint8_t bytes = 0;     // size of the encoding, literal included
  uint32_t literal = 0;  // value of operand 255

  uint16_t dst = 0;                   // VGPR number of vector formats, scalar operand number of scalar formats
  uint16_t sdst = 0;                  // lane-mask destination: VOPC's result, a carry out; VCC when implied
  uint16_t src[3] = {};               // operand numbers; VGPRs from VGPR0 up. e32's implied VCC stands in src[2]
  uint16_t abs = 0, neg = 0;          // bit n: source n
  uint16_t omod = 0, clamp = 0;       // OMOD: 0 none, 1 times 2, 2 times 4, 3 divide by 2
  uint16_t simm16 = 0;                // SOPK, SOPP
  uint16_t address = 0;               // VGPR: VADDR, ADDR
  uint16_t data = 0, data1 = 0;       // VGPR: VDATA (of loads too), DATA, DATA0, DATA1
  uint16_t resource = 0;              // SGPR number: SBASE and SRSRC, already multiplied
  uint16_t sampler = 0;               // SGPR number: SSAMP, already multiplied
  uint16_t soffset = 0;               // operand number
  uint16_t offset = 0, imm = 0;       // MUBUF, MTBUF: 12 bits; SMRD: 8 bits with IMM, a scalar operand number without
  uint16_t offset0 = 0, offset1 = 0;  // DS; a single offset is OFFSET1:OFFSET0
  uint16_t offen = 0, idxen = 0, addr64 = 0, lds = 0, gds = 0, glc = 0, slc = 0, tfe = 0, lwe = 0;
  uint16_t dmask = 0, unorm = 0, da = 0, r128 = 0;
  uint16_t dfmt = 0, nfmt = 0;
  uint16_t attr = 0, attrchan = 0;
  uint16_t tgt = 0, en = 0, compr = 0, done = 0, vm = 0;
  uint16_t exports[4] = {};  // VGPRs of EXP's VSRC0-3

  unsigned ds_offset() const { return unsigned(offset1) << 8 | offset0; }
};

// The member that holds an operand of the table; null for Slot::None.
uint16_t* slot_of(Instruction& instruction, Slot slot);
inline const uint16_t* slot_of(const Instruction& instruction, Slot slot) {
  return slot_of(const_cast<Instruction&>(instruction), slot);
}

// The member that holds a field that is no operand (modifiers, immediates, offsets); null for the others.
uint16_t* modifier_of(Instruction& instruction, Field field);
inline const uint16_t* modifier_of(const Instruction& instruction, Field field) {
  return modifier_of(const_cast<Instruction&>(instruction), field);
}

}  // namespace Atoll::gfx7
