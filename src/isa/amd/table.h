// The instruction tables of AMD's instruction sets: one row an instruction of one format, generated at build time from isa/*.tsv by
// isa/amd/generate_tables.py. Decoder, printer, parser, encoder and execution all read these rows.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "isa/amd/layout.h"  // generated: Format, Field
#include "wave/float_mode.h"

namespace Atoll::wave {
enum class Flow : uint8_t;  // wave/program.h
}

namespace Atoll::amd {

// A field of the encoding: `width` bits of dword `word` from bit `low` up.
struct Bits {
  uint8_t word = 0, low = 0, width = 0;
  constexpr uint32_t mask() const { return width == 32 ? ~0u : (1u << width) - 1; }
  constexpr uint32_t get(const uint32_t* words) const { return words[word] >> low & mask(); }
  constexpr void put(uint32_t* words, uint32_t value) const {
    words[word] = (words[word] & ~(mask() << low)) | (value & mask()) << low;
  }
};

// The kinds of operands, and how they are written. "gfx7" and "gfx12" name the instruction set that alone has the kind.
enum class Kind : uint8_t {
  Vgpr,          // vector registers only
  Sgpr,          // scalar registers only
  ScalarSource,  // scalar register, inline constant or literal
  ScalarInline,  // gfx7: scalar register or inline constant
  VectorSource,  // scalar source or VGPR; gfx7: LDS_DIRECT in source 0
  VgprOrInline,  // gfx12: a VGPR or an inline constant (WMMA's C)
  VgprOrDirect,  // gfx7: VGPR or LDS_DIRECT
  Mask,          // a bit a lane: a pair of SGPRs, in gfx12's wave32 one SGPR
  ImpliedVcc,    // VCC, which the encoding does not name
  Literal,       // the dword behind the instruction, always there
  Returned,      // the VGPR for an atomic's old value: with GLC (gfx7) or TH_ATOMIC_RETURN (gfx12) only
  ImageData,     // VGPRs as DMASK, TFE and D16 say
  ImageAddress,  // VGPRs as the descriptor (gfx7; the type is the least of what LLVM accepts) or DIM, A16 and the instruction say
  ImageResource,   // gfx12: eight SGPRs, four with R128
  BufferAddress,   // none, one or two VGPRs as OFFEN, IDXEN and ADDR64 say
  GlobalAddress,   // gfx12: 64 bits, or 32 when SADDR is used
  ScratchAddress,  // gfx12: 32 bits, or `off`
  ScalarAddress,   // gfx12: SADDR; NULL is `off` or left out
  ScalarOffset,    // SOFFSET: gfx7 scalar register or inline constant; gfx12 SGPR, M0 or NULL
  SmrdOffset,      // gfx7: SGPR, or with IMM 8 bits, or a literal (255 without IMM)
  SmemOffset,      // gfx12: IOFFSET and SOFFSET together
  Offset24,        // gfx12: signed 24-bit IOFFSET
  DsOffset,        // gfx12: 16 bits
  DsOffset01,      // gfx12: two of 8 bits
  Swizzle,         // gfx12: DS_SWIZZLE's 16 bits
  BufferFormat,    // DFMT and NFMT, or FORMAT
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
  Attribute,  // ATTR and ATTRCHAN
  Parameter,  // gfx7: P10, P20, P0
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

// The member of Instruction that holds an operand.
enum class Slot : uint8_t {
  None,
  Dst,
  Sdst,
  Src0,
  Src1,
  Src2,
  Immediate,
  Address,
  Data,
  Data1,
  Resource,  // SBASE, SRSRC, RSRC
  Saddr,
  Sampler,
  Soffset,
  Offset,
  Format,
  Image0,
  Image1,
  Image2,
  Image3,
  Image4,
  Export0,
  Export1,
  Export2,
  Export3,
};
constexpr bool is_source(Slot slot) { return slot >= Slot::Src0 && slot <= Slot::Src2; }
// VOP1, VOP2 and VOPC, the formats that most rows of VOP3 have too.
constexpr bool is_e32(Format format) { return format == Format::VOP1 || format == Format::VOP2 || format == Format::VOPC; }
constexpr unsigned source_index(Slot slot) { return unsigned(slot) - unsigned(Slot::Src0); }

struct OperandRow {
  Field field;
  Kind kind;
  Type type;
  Slot slot;
  Bits bits;  // width 0: not encoded
};

// Properties of an instruction beyond its operands. Each is read by the code or the tests of an instruction set whose table has it
// (tests/isa/table_flags_test.cpp). The generator derives E32, E64 and Sd.
enum class Flag : uint8_t {
  // Encoding and text.
  E32,
  E64,        // LLVM adds the suffix, because the other encoding exists too
  Sd,         // VOP3SD layout
  NotInLlvm,  // LLVM 19 has no such mnemonic, the name follows its manner
  Bare,       // of a memory format, without its address, data and modifiers
  Dpp,        // DPP8 and DPP16 allowed
  Clamp,
  Omod,         // output modifiers that exist
  Packed,       // VOP3P with OP_SEL, OP_SEL_HI and NEG_HI lists
  Mix,          // V_FMA_MIX: OP_SEL_HI selects between f32 and f16, NEG_HI is ABS
  ByteSel,      // OP_SEL bits that choose a byte
  WaveMatrix,   // register counts are halved in wave64
  HexInline,    // LLVM prints float inline constants of this 16-bit operation in hexadecimal
  FloatInline,  // LLVM prints them as floats although the operand is an integer
  Reversed,     // the operation of another row with sources exchanged: LLVM lets it take no LDS_DIRECT
  OneScalar,    // may read one scalar value only, where others may read two
  M0Counts,     // M0 is one of the scalar values that it reads
  Barrier,      // its source is a barrier's number or M0
  // Effects.
  Accumulates,    // reads its destination as a source
  Swaps,          // gfx12: writes its source as well
  IndexedSource,  // gfx12: source 0 is the register that M0 counts from
  ReadsVcc,
  WritesExec,
  WritesMode,    // changes MODE, which compiled code takes for granted
  ReadsPc,       // gives the program its own address
  ComputedJump,  // goes to an address that the program has computed or loaded
  Terminator,    // what follows is reached by branches only
  // Memory.
  Load,
  Store,
  Atomic,
  Cmpswap,
  Formatted,  // format conversion from the descriptor
  Typed,      // and from the instruction
  Lds,        // a load that can write to LDS
  GdsOnly,
  LocksShare,  // works on the GDS by itself: counters, resources, the order of waves
  Swizzle,
  TwoAddress,
  Stride64,
  Prefetch,
  Cache,
  // Images.
  D16Data,  // an image instruction that can have 16-bit data
  Mip,
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
};

struct Opcode {
  const char* name;  // lower-case mnemonic without _e32, _e64 or _dpp
  Format format;
  uint16_t opcode;
  uint8_t operand_count;
  uint8_t source_count;  // operands in src[]
  OperandRow operands[7];
  uint64_t flags;
  wave::Flow flow;
  wave::FloatClass float_class;      // the half of MODE that the arithmetic obeys
  uint8_t neg, abs, neg_hi, op_sel;  // bit n: source n has the modifier; op_sel bit 3: the destination
  uint8_t index_key[2];              // highest INDEX_KEY of SWMMAC in wave32 and wave64
  uint16_t load_bytes, store_bytes;  // gfx12, of memory, for each lane (SMEM: for the wave); two-address forms: for each address
  uint16_t addresses;                // MIMG: bit n - 1: n VGPRs can be written as the address
  uint16_t ordinary;                 // VOPD components: the row of the ordinary instruction; others: their own
  uint16_t next_of_name;             // the next row with the same name, 0 after the last
  bool in_manual;                    // false: only LLVM knows it

  constexpr bool has(Flag flag) const { return (flags >> uint8_t(flag) & 1) != 0; }
  constexpr std::span<const OperandRow> rows() const { return {operands, operand_count}; }
};

struct FieldRow {
  Field field;
  Bits bits;
};

// The encoding of a format: its dwords, the fixed bits of the first, the bits of each that belong to a field, and the fields.
struct Layout {
  unsigned words;
  uint32_t fixed, fixed_mask;
  uint32_t used[3];
  std::span<const FieldRow> fields;

  Bits at(Field field) const;  // of width 0 where the format lacks it
  bool has(Field field) const { return at(field).width != 0; }
};

// The opcode numbers of a format, in the list of rows of all formats; 0xffff stands for a number without a row.
struct OpcodeRange {
  uint16_t first, count;
};

// The row of a name; lists are sorted by name.
struct NamedRow {
  std::string_view name;
  uint16_t row;
};

// "VOP3" and so on.
const char* format_name(Format format);

// The table of one instruction set.
struct Table {
  std::span<const Opcode> rows;         // sorted by format and opcode
  std::span<const OpcodeRange> ranges;  // of each Format
  std::span<const uint16_t> row_of;
  std::span<const Format> format_by_top;  // by the nine highest bits of the first dword
  std::span<const Layout> layouts;
  std::span<const uint8_t> layout_of;  // of each Format
  unsigned layout_vop3sd;
  std::span<const NamedRow> names;    // the first row of each name
  std::span<const NamedRow> aliases;  // older names

  // The row of a format's opcode number, or null. VOPD components are Format::VOPDX and VOPDY.
  const Opcode* find(Format format, unsigned opcode) const;
  // The row of a mnemonic without encoding suffix; where several formats have it, the shortest (v_add_f32: VOP2), or null.
  const Opcode* find(std::string_view name) const;
  // The row of a mnemonic in one format, or null.
  const Opcode* find(std::string_view name, Format format) const;
  // The row that an older name stands for (v_min_f32: v_min_num_f32), or null.
  const Opcode* find_alias(std::string_view name) const;
  // The next row with the same name, or null.
  const Opcode* next_of_name(const Opcode& row) const { return row.next_of_name != 0 ? &rows[row.next_of_name] : nullptr; }
  // The encoding of a format.
  const Layout& layout(const Opcode& row) const {
    return layouts[row.has(Flag::Sd) ? layout_vop3sd : layout_of[unsigned(row.format)]];
  }
  const Layout& layout(Format format) const { return layouts[layout_of[unsigned(format)]]; }
  // The format of an instruction that begins with this dword; Format::COUNT when no encoding fits. VOPD is told as VOPDX.
  Format format_of(uint32_t first_dword) const { return format_by_top[first_dword >> 23]; }
};

}  // namespace Atoll::amd
