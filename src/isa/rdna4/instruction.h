// A decoded RDNA4 instruction: what the decoder makes of the words, what the printer, the encoder and the semantics read.
// Every modifier, offset and immediate is data. Field names follow the RDNA4 ISA guide, chapter 15; what a field of the encoding
// holds as it stands has one type, so that tables can name it.
#pragma once
#include <cstdint>

#include "isa/amd/inline_constants.h"
#include "isa/rdna4/table.h"

namespace Atoll::rdna4 {

// Operand numbers (RDNA4 ISA 6.2, 7.2): those of all, and RDNA4's own.
using enum amd::Operand;
enum Operand : uint16_t {
  TTMP0 = 108,
  NULL_SGPR = 124,
  M0 = 125,
  DPP8 = 233,
  DPP8_FI = 234,
  SHARED_BASE = 235,
  SHARED_LIMIT = 236,
  PRIVATE_BASE = 237,
  PRIVATE_LIMIT = 238,
  FLOAT_INV_2PI = 248,
  DPP16 = 250,
};
constexpr bool is_inline_float(uint32_t operand) { return amd::is_inline_float(operand, amd::floats_of_rdna4); }
constexpr bool inline_constant(uint32_t operand) { return amd::is_inline_constant(operand, amd::floats_of_rdna4); }

enum class Dpp : uint8_t { None, Dpp8, Dpp16 };

struct Instruction {
  const Opcode* opcode = nullptr;
  uint8_t bytes = 0;  // size of the encoding, literal and DPP word included

  // Operands, in the order of the assembler text. A 16-bit half select of an e32 encoding (bit 7 of the VGPR field) is
  // already moved into op_sel, so that e32 and e64 read alike. e32's implied VCC stands in src[2] or sdst.
  // Two-operand accumulating forms (v_fmac, v_dot*acc) read their third source from dst themselves.
  uint16_t dst = 0;  // VGPR number (0-255) of vector formats, scalar operand number of scalar formats
  uint16_t sdst =
      NULL_SGPR;  // lane-mask or scalar second destination: VOPC's result, VOP3SD's carry (VCC when implied, EXEC for v_cmpx)
  uint16_t src[3] = {NULL_SGPR, NULL_SGPR, NULL_SGPR};
  uint32_t literal = 0;   // value of operand 255
  int32_t immediate = 0;  // SIMM16, sign-extended; s_setreg's/s_getreg's hwreg; SOPK

  uint16_t abs = 0, neg = 0;  // bit n: source n. VOP3P: neg is NEG_LO
  uint16_t neg_hi = 0;        // VOP3P
  uint16_t op_sel = 0;     // bit n: source n reads its high half; bit 3: the destination's high half. VOP3P: OP_SEL (low results)
  uint16_t op_sel_hi = 0;  // VOP3P: OP_SEL_HI (high results)
  uint16_t omod = 0;       // 0 none, 1 times 2, 2 times 4, 3 divide by 2
  uint16_t clamp = 0;

  Dpp dpp = Dpp::None;       // applies to source 0
  uint32_t dpp_control = 0;  // DPP8: eight 3-bit lane selects, lane 0 lowest; DPP16: DPP_CTRL (9 bits)
  uint16_t row_mask = 0xf, bank_mask = 0xf;
  uint16_t bound_control = 0, fetch_inactive = 0;

  // Memory. Unused register fields are NULL_SGPR (scalar) or 0 (vector).
  uint16_t address = 0;          // VGPR: VADDR, DS ADDR
  uint16_t data = 0, data1 = 0;  // VGPR: VDATA/VSRC/DATA0, DATA1. A load's or returning atomic's result goes to dst
  uint16_t saddr = NULL_SGPR;    // scalar base: SADDR, SBASE (as an SGPR number, already doubled), RSRC (already in SGPR units)
  uint16_t soffset = NULL_SGPR;  // scalar offset operand: SOFFSET, SMEM's SOFFSET
  uint16_t sampler = NULL_SGPR;
  int32_t offset = 0;                 // byte offset, sign-extended where the format says so; DS: OFFSET1<<8|OFFSET0 or 16 bits
  uint16_t offset0 = 0, offset1 = 0;  // DS two-address forms
  bool saddr_valid = false;           // scratch/global/flat: SADDR is not NULL
  bool vaddr_valid = true;            // scratch: SVE
  uint16_t offen = 0, idxen = 0, tfe = 0;
  uint16_t th = 0, scope = 0, format = 0;
  uint16_t image_dimension = 0, dmask = 0;
  uint16_t r128 = 0, a16 = 0, d16 = 0, lwe = 0, unorm = 0;
  uint16_t image_address[5] = {};  // VIMAGE/VSAMPLE VADDR0-4
  uint16_t tgt = 0, en = 0;
  uint16_t exports[4] = {};  // VGPRs of VEXPORT
  uint16_t done = 0, export_row = 0;
  uint16_t wait_exp = 0, attr = 0, attrchan = 0, wait_va_vdst = 0, wait_vm_vsrc = 0;

  // VOPD: two ordinary instructions of which this is the bundle (null otherwise), owned by the decoder's caller.
  const Instruction* dual_x = nullptr;
  const Instruction* dual_y = nullptr;
};

// The place of an operand of the table; null for those without a place of this type (Slot::Immediate, Slot::Offset).
uint16_t* slot_of(Instruction& instruction, Slot slot);
inline const uint16_t* slot_of(const Instruction& instruction, Slot slot) {
  return slot_of(const_cast<Instruction&>(instruction), slot);
}

// The place of a field that is held as it is; null for operands that are checked and for fields that are put together.
uint16_t* modifier_of(Instruction& instruction, Field field);
inline const uint16_t* modifier_of(const Instruction& instruction, Field field) {
  return modifier_of(const_cast<Instruction&>(instruction), field);
}

}  // namespace Atoll::rdna4
