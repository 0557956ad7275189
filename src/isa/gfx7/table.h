// The Sea Islands instruction table: one row an instruction of one format, generated at build time from isa/gfx7.tsv and
// isa/gfx7-fields.tsv (Sea Islands register guide, section 4). Decoder, printer, parser and encoder all read these rows.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "isa/gfx7/layout.h"  // generated: Format, Field, Flag

namespace Atoll::gfx7 {

enum class Kind : uint8_t {
  Vgpr,           // vector registers only
  Sgpr,           // scalar registers only
  ScalarSource,   // scalar register, inline constant or literal
  ScalarInline,   // scalar register or inline constant
  VectorSource,   // scalar source or VGPR; LDS_DIRECT in source 0
  VgprOrDirect,   // VGPR or LDS_DIRECT
  Mask,           // a bit a lane: a pair of SGPRs
  ImpliedVcc,     // VCC, which the encoding does not name
  Literal,        // the dword behind the instruction, always there
  Returned,       // the VGPR for an atomic's old value, only with GLC
  ImageData,      // VGPRs as DMASK and TFE say
  ImageAddress,   // VGPRs as the descriptor says; the type is the least of what LLVM accepts
  BufferAddress,  // none, one or two VGPRs as OFFEN, IDXEN and ADDR64 say
  ScalarOffset,   // SOFFSET: scalar register or inline constant
  SmrdOffset,     // SGPR, or with IMM 8 bits, or a literal (255 without IMM)
  BufferFormat,   // DFMT and NFMT of MTBUF
  Hex,
  Decimal,
  Label,
  HwReg,
  Message,
  WaitCnt,
  Attribute,  // ATTR and ATTRCHAN
  Parameter,  // P10, P20, P0
  ExportTarget,
  ExportSource,
};

// The type of an operand: a number of one of these sorts, `bits` wide.
struct Type {
  enum Base : uint8_t { B, U, I, F } base = B;
  uint16_t bits = 0;
  constexpr unsigned dwords() const { return (bits + 31u) / 32; }
};

// Where an operand stands in Instruction.
enum class Slot : uint8_t {
  None,
  Dst,
  Sdst,
  Src0,
  Src1,
  Src2,
  Address,
  Data,
  Data1,
  Resource,
  Sampler,
  Soffset,
  Offset,
  Export0,
  Export1,
  Export2,
  Export3,
};

struct OperandRow {
  Field field;
  Kind kind;
  Type type;
  Slot slot;
  Bits bits;  // width 0: not encoded
};

struct Opcode {
  const char* name;         // lower-case mnemonic without _e32 or _e64
  const char* manual_name;  // as the manual spells it where that differs, or ""
  Format format;
  uint16_t opcode;
  uint8_t operand_count;
  uint8_t source_count;  // operands in src[]
  OperandRow operands[5];
  uint32_t flags;
  uint8_t neg, abs;       // bit n: source n has the modifier
  uint16_t addresses;     // MIMG: bit n - 1: n VGPRs can be written as the address
  uint16_t next_of_name;  // the next row with the same name, 0 after the last

  constexpr bool has(Flag flag) const { return (flags >> uint8_t(flag) & 1) != 0; }
  constexpr std::span<const OperandRow> rows() const { return {operands, operand_count}; }
};

// All rows, sorted by format and opcode. VOP3 has rows for the long forms of VOP1, VOP2 and VOPC as well (Flag::Derived).
std::span<const Opcode> opcodes();

// The row of a format's opcode number, or null.
const Opcode* find(Format format, unsigned opcode);

// The row of a mnemonic without encoding suffix; where several formats have it, the shortest (v_add_f32: VOP2), or null.
const Opcode* find(std::string_view name);

// The encoding of a format.
using FieldRow = amd::FieldRow<Field>;
using Layout = amd::Layout<Field>;
const Layout& layout(const Opcode& row);
const Layout& layout(Format format);

// "VOP3" and so on.
const char* format_name(Format format);

// The format of an instruction that begins with this dword; Format::COUNT when no encoding fits.
Format format_of(uint32_t first_dword);

}  // namespace Atoll::gfx7
