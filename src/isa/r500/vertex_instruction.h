// One instruction of the R5xx vertex shader (PVS): four words, the operation with its destination and three sources. Bits and
// numbers: Mesa 22.3.6 src/gallium/drivers/r300/r300_reg.h (PVS_DST_*, PVS_SRC_*, VE_*, ME_*); section 10 of the R5xx document
// has none of this. The fields of a dual math operation: docs/errata.md.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "base/expected.h"

namespace Atoll::r500::vs {

inline constexpr uint32_t kWords = 4;
inline constexpr uint32_t kInstructions = 1024;  // R500_MAX_PVS_CODE_LINES
using Words = std::array<uint32_t, kWords>;

struct Field {
  uint8_t word, high, low;
  constexpr uint32_t largest() const { return uint32_t((uint64_t(2) << (high - low)) - 1); }
  constexpr uint32_t get(const Words& words) const { return words[word] >> low & largest(); }
  constexpr void set(Words& words, uint32_t value) const {
    words[word] = (words[word] & ~(largest() << low)) | ((value & largest()) << low);
  }
};

enum class Engine : uint8_t { vector, math, macro };

enum class Op : uint8_t {
  // VE_*
  Nop,
  Dp4,
  Mul,
  Add,
  Mad,
  Dst,
  Frc,
  Max,
  Min,
  Sge,
  Slt,
  Mad2,
  MulClamp,
  Arl,
  Arr,
  PushEq,
  PushGt,
  PushGe,
  PushNe,
  WriteEq,
  WriteGt,
  WriteGe,
  WriteNe,
  MuxEq,
  MuxGt,
  MuxGe,
  Sgt,
  Seq,
  Sne,
  // ME_*
  MathNop,
  Exp,
  Log,
  ExpE,
  Lit,
  Pow,
  Rcp,
  RcpFf,
  Rsq,
  RsqFf,
  MathMul,
  Ex2,
  Lg2,
  PowB,
  PowB1,
  Pow01,
  Sin,
  Cos,
  Lg2Ieee,
  RcpIeee,
  RsqIeee,
  PredEq,
  PredGt,
  PredGe,
  PredNe,
  PredClr,
  PredInv,
  PredPop,
  PredRestore,
  // PVS_MACRO_OP_2CLK_*
  MadMacro,
  Mad2Macro,
  Count
};

// An operation's name in text, its OPCODE on its engine, and the sources that it looks at (bit n: source n).
struct OpRow {
  Op op;
  Engine engine;
  uint8_t number;
  uint8_t sources;
  std::string_view name;
};
inline constexpr OpRow op_rows[] = {
    {Op::Nop, Engine::vector, 0, 0, "nop"},
    {Op::Dp4, Engine::vector, 1, 3, "dp4"},
    {Op::Mul, Engine::vector, 2, 3, "mul"},
    {Op::Add, Engine::vector, 3, 3, "add"},
    {Op::Mad, Engine::vector, 4, 7, "mad"},
    {Op::Dst, Engine::vector, 5, 3, "dst"},
    {Op::Frc, Engine::vector, 6, 1, "frc"},
    {Op::Max, Engine::vector, 7, 3, "max"},
    {Op::Min, Engine::vector, 8, 3, "min"},
    {Op::Sge, Engine::vector, 9, 3, "sge"},
    {Op::Slt, Engine::vector, 10, 3, "slt"},
    {Op::Mad2, Engine::vector, 11, 7, "mad2"},
    {Op::MulClamp, Engine::vector, 12, 7, "mulclamp"},
    {Op::Arl, Engine::vector, 13, 1, "arl"},
    {Op::Arr, Engine::vector, 14, 1, "arr"},
    {Op::PushEq, Engine::vector, 15, 3, "push_eq"},
    {Op::PushGt, Engine::vector, 16, 3, "push_gt"},
    {Op::PushGe, Engine::vector, 17, 3, "push_ge"},
    {Op::PushNe, Engine::vector, 18, 3, "push_ne"},
    {Op::WriteEq, Engine::vector, 19, 3, "write_eq"},
    {Op::WriteGt, Engine::vector, 20, 3, "write_gt"},
    {Op::WriteGe, Engine::vector, 21, 3, "write_ge"},
    {Op::WriteNe, Engine::vector, 22, 3, "write_ne"},
    {Op::MuxEq, Engine::vector, 23, 7, "mux_eq"},
    {Op::MuxGt, Engine::vector, 24, 7, "mux_gt"},
    {Op::MuxGe, Engine::vector, 25, 7, "mux_ge"},
    {Op::Sgt, Engine::vector, 26, 3, "sgt"},
    {Op::Seq, Engine::vector, 27, 3, "seq"},
    {Op::Sne, Engine::vector, 28, 3, "sne"},
    {Op::MathNop, Engine::math, 0, 0, "mnop"},
    {Op::Exp, Engine::math, 1, 1, "exp"},
    {Op::Log, Engine::math, 2, 1, "log"},
    {Op::ExpE, Engine::math, 3, 1, "expe"},
    {Op::Lit, Engine::math, 4, 7, "lit"},
    {Op::Pow, Engine::math, 5, 5, "pow"},
    {Op::Rcp, Engine::math, 6, 1, "rcp"},
    {Op::RcpFf, Engine::math, 7, 1, "rcp_ff"},
    {Op::Rsq, Engine::math, 8, 1, "rsq"},
    {Op::RsqFf, Engine::math, 9, 1, "rsq_ff"},
    {Op::MathMul, Engine::math, 10, 3, "mmul"},
    {Op::Ex2, Engine::math, 11, 1, "ex2"},
    {Op::Lg2, Engine::math, 12, 1, "lg2"},
    {Op::PowB, Engine::math, 13, 7, "pow_b"},
    {Op::PowB1, Engine::math, 14, 7, "pow_b1"},
    {Op::Pow01, Engine::math, 15, 5, "pow_01"},
    {Op::Sin, Engine::math, 16, 1, "sin"},
    {Op::Cos, Engine::math, 17, 1, "cos"},
    {Op::Lg2Ieee, Engine::math, 18, 1, "lg2_ieee"},
    {Op::RcpIeee, Engine::math, 19, 1, "rcp_ieee"},
    {Op::RsqIeee, Engine::math, 20, 1, "rsq_ieee"},
    {Op::PredEq, Engine::math, 21, 1, "pred_eq"},
    {Op::PredGt, Engine::math, 22, 1, "pred_gt"},
    {Op::PredGe, Engine::math, 23, 1, "pred_ge"},
    {Op::PredNe, Engine::math, 24, 1, "pred_ne"},
    {Op::PredClr, Engine::math, 25, 0, "pred_clr"},
    {Op::PredInv, Engine::math, 26, 1, "pred_inv"},
    {Op::PredPop, Engine::math, 27, 1, "pred_pop"},
    {Op::PredRestore, Engine::math, 28, 1, "pred_restore"},
    {Op::MadMacro, Engine::macro, 0, 7, "mad_2clk"},
    {Op::Mad2Macro, Engine::macro, 1, 7, "mad2_2clk"},
};
constexpr const OpRow& row_of(Op op) { return op_rows[uint8_t(op)]; }
static_assert([] {
  for (uint8_t n = 0; n < uint8_t(Op::Count); n++)
    if (op_rows[n].op != Op(n)) return false;
  return std::size(op_rows) == uint8_t(Op::Count);
}());
// Operations that set the vertices' predicate bit as well.
constexpr bool sets_predicate(Op op) {
  return (op >= Op::PushEq && op <= Op::PushNe) || (op >= Op::PredEq && op <= Op::PredRestore);
}

// PVS_SRC_REG_*, PVS_DST_REG_*
enum SourceType : uint8_t { SOURCE_TEMPORARY, SOURCE_INPUT, SOURCE_CONSTANT, SOURCE_ALTERNATE };
enum DestinationType : uint8_t {
  DESTINATION_TEMPORARY,
  DESTINATION_ADDRESS,
  DESTINATION_OUTPUT,
  DESTINATION_OUTPUT_X,  // the result's x in all channels
  DESTINATION_ALTERNATE,
  DESTINATION_INPUT,
  DESTINATION_COUNT
};
// PVS_SRC_SELECT_*; 6 and 7, which Mesa writes where no channel is meant, read 0 here.
enum Select : uint8_t { SELECT_X, SELECT_Y, SELECT_Z, SELECT_W, SELECT_0, SELECT_1, SELECT_6, SELECT_UNUSED };
// ADDR_MODE_1 << 1 | ADDR_MODE_0
enum AddressMode : uint8_t { ABSOLUTE, BY_ADDRESS, BY_LOOP_INDEX, MODE_3 };

struct Source {
  uint8_t type = 0, offset = 0, mode = ABSOLUTE, address_channel = 0;
  uint8_t absolute = 0;
  uint8_t negate = 0;  // a bit a channel, after the absolute value
  uint8_t swizzle[4] = {};
  bool operator==(const Source&) const = default;
};
struct Destination {
  uint8_t type = 0, offset = 0, mode = ABSOLUTE, address_channel = 0;
  uint8_t mask = 0;  // bits x y z w
  bool operator==(const Destination&) const = default;
};
enum PredicateUse : uint8_t { PREDICATE_NONE, PREDICATE_CLEAR, PREDICATE_SET };

// A math operation beside a vector operation of two sources, which stands in the third source's word: operand A is the source's
// channel that swizzle[0] takes, B and C what swizzle[1] takes. It writes one channel of alternate temporary 0 to 3.
struct Dual {
  Op op = Op::MathNop;
  uint8_t destination = 0, channel = 0;
  Source source;
  bool operator==(const Dual&) const = default;
};

struct Instruction {
  Op op = Op::Nop;
  uint8_t saturate = 0;  // of the vector or macro operation, VE_SAT
  uint8_t saturate_math = 0;
  uint8_t predicate = PREDICATE_NONE;
  uint8_t is_dual = 0;
  Destination destination;
  Source source[3];  // [2] is not there where is_dual
  Dual dual;
  bool operator==(const Instruction&) const = default;
  bool relative() const;
};

// Why words are no instruction; empty: they are one.
std::string_view objection(const Words& words);
// Decodes words that have passed all checks.
Instruction instruction_of(const Words& words);
// Encodes an Instruction; all other bits are 0.
Words words_of(const Instruction& instruction);

}  // namespace Atoll::r500::vs
