// The RDNA4 instruction table: one row an instruction of one format, generated at build time from isa/rdna4.tsv and
// isa/rdna4-fields.tsv (RDNA4 ISA chapters 15 and 16). Decoder, printer, parser and encoder all read these rows.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "isa/rdna4/layout.h"  // generated: Format, Field, bits::FORMAT::field

namespace Atoll::rdna4 {

enum class Kind : uint8_t {
  Vgpr,            // vector registers only
  Sgpr,            // scalar registers only
  ScalarSource,    // scalar register, inline constant or literal
  VectorSource,    // the same or a VGPR
  VgprOrInline,    // a VGPR or an inline constant (WMMA's C)
  Mask,            // a bit a lane: one SGPR in wave32, an aligned pair in wave64
  ImpliedVcc,      // VCC, which the encoding does not name
  Literal,         // the dword behind the instruction, always there
  Returned,        // the VGPR for an atomic's old value, only with TH_ATOMIC_RETURN
  ImageData,       // VGPRs as DMASK, D16 and TFE say
  ImageAddress,    // VGPRs as DIM, A16 and the instruction say
  ImageResource,   // eight SGPRs, four with R128
  BufferAddress,   // none, one or two VGPRs as OFFEN and IDXEN say
  GlobalAddress,   // 64 bits, or 32 when SADDR is used
  ScratchAddress,  // 32 bits, or `off`
  ScalarAddress,   // SADDR; NULL is `off` or left out
  ScalarOffset,    // SOFFSET; NULL prints as `null`
  Offset24,        // signed 24-bit IOFFSET
  SmemOffset,      // IOFFSET and SOFFSET together
  DsOffset,        // 16 bits
  DsOffset01,      // two of 8 bits
  Swizzle,         // DS_SWIZZLE's 16 bits
  BufferFormat,    // VBUFFER FORMAT
  Hex,
  Decimal,
  OptionalDecimal,
  Label,
  HwReg,
  Message,
  DelayAlu,
  DepCtr,
  Version,
  WaitCnt,
  Attribute,
  WaitVaVdst,
  WaitVmVsrc,
  ExportTarget,
  ExportSource,
};

// The type of an operand: `count` elements of `bits` bits.
struct Type {
  enum Base : uint8_t { None, B, U, I, IU, F, BF, FP } base = None;
  uint8_t bits = 0;
  uint8_t count = 0;
  constexpr unsigned total_bits() const { return unsigned(bits) * count; }
  constexpr unsigned dwords() const { return (total_bits() + 31) / 32; }
  constexpr bool half() const { return bits == 16 && count == 1; }
};

// Where an operand stands in Instruction.
enum class Slot : uint8_t {
  None,
  Dst,
  Sdst,
  Src0,
  Src1,
  Src2,
  Immediate,
  Literal,
  Address,
  Data,
  Data1,
  Saddr,
  Soffset,
  Sampler,
  Offset,
  Format,
  Image0,
  Image1,
  Image2,
  Image3,
  Image4,
};

struct OperandRow {
  Field field;
  Kind kind;
  Type type;
  Slot slot;
  Bits bits;  // width 0: not encoded
};

// What is true of an instruction beyond its operands. Bit numbers of Opcode::flags.
enum class Flag : uint8_t {
  E32,
  E64,  // LLVM adds the suffix, because the other encoding exists too
  Sd,   // VOP3SD layout
  Dpp,  // DPP8 and DPP16 allowed
  Clamp,
  Omod,         // output modifiers that exist
  Packed,       // VOP3P with OP_SEL, OP_SEL_HI and NEG_HI lists
  Mix,          // V_FMA_MIX: OP_SEL_HI selects between f32 and f16, NEG_HI is ABS
  ByteSel,      // OP_SEL bits that choose a byte
  WaveMatrix,   // register counts are halved in wave64
  HexInline,    // LLVM prints float inline constants of this 16-bit operation in hexadecimal
  FloatInline,  // LLVM prints them as floats although the operand is an integer
  Accumulates,  // reads its destination as a source
  KeepsVdst,
  KeepsSdst,  // writes only a part of the destination, or not always
  ReadsSdst,  // the SDST field is a source
  Swaps,      // also writes source 0
  ReadsScc,
  WritesScc,
  ReadsVcc,
  WritesVcc,
  ReadsExec,
  WritesExec,
  ReadsM0,
  Branch,
  Conditional,
  Terminator,
  Indirect,
  Call,
  Load,
  Store,
  Atomic,
  Returns,
  Signed,
  D16,
  D16Hi,  // a load keeps the other half of its destination; a store takes the high half
  Formatted,
  Typed,  // format conversion from the descriptor, from the instruction
  TwoAddress,
  Stride64,
  LanePermute,
  WritesAddr,
  Prefetch,
  Cache,
  Cpol,
  Block,
  Transpose,
  D16Data,  // an image instruction that can have 16-bit data
  Mip,
  Cmpswap,
  Query,
  Bvh,
  Sample,
  Gather4,
  Msaa,
  ImageOffset,
  ImageBias,
  ImageCompare,
  ImageGradient,
  ImageGradient16,
  ImageLod,
  ImageLodClamp,
  WaitExp,
};

struct Opcode {
  const char* name;  // lower-case mnemonic without _e32, _e64 or _dpp
  Format format;
  uint16_t opcode;
  uint8_t operand_count;
  uint8_t source_count;  // operands in src[]
  OperandRow operands[7];
  uint64_t flags_low, flags_high;
  uint8_t neg, abs, neg_hi, op_sel;  // bit n: source n has the modifier; op_sel bit 3: the destination
  uint8_t index_key[2];              // highest INDEX_KEY of SWMMAC in wave32 and wave64
  uint16_t load_bytes, store_bytes;  // of memory, for each lane (SMEM: for the wave); two-address forms: for each address
  uint16_t ordinary;                 // VOPD components: the row of the ordinary instruction; others: their own
  uint16_t next_of_name;             // the next row with the same name, 0 after the last
  bool in_manual;                    // false: only LLVM knows it

  constexpr bool has(Flag flag) const {
    return ((uint8_t(flag) < 64 ? flags_low >> uint8_t(flag) : flags_high >> (uint8_t(flag) - 64)) & 1) != 0;
  }
  constexpr std::span<const OperandRow> rows() const { return {operands, operand_count}; }
};

// All rows, sorted by format and opcode.
std::span<const Opcode> opcodes();

// The row of a format's opcode number, or null. VOPD components are Format::VOPDX and VOPDY.
const Opcode* find(Format format, unsigned opcode);

// The row of a mnemonic without encoding suffix; where several formats have it, the shortest (v_add_f32: VOP2), or null.
const Opcode* find(std::string_view name);

// The row that an older name stands for (v_min_f32: v_min_num_f32), or null.
const Opcode* find_alias(std::string_view name);

// The row of a mnemonic in one format, or null.
const Opcode* find(std::string_view name, Format format);

// The encoding of a format.
using FieldRow = amd::FieldRow<Field>;
using Layout = amd::Layout<Field>;
const Layout& layout(const Opcode& row);

// "VOP3" and so on.
const char* format_name(Format format);

// The format of an instruction that begins with this dword; Format::COUNT when no encoding fits. VOPD is told as VOPDX.
Format format_of(uint32_t first_dword);

}  // namespace Atoll::rdna4
