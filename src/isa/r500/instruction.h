// One ALU or output instruction of the R5xx pixel shader: an RGB and an alpha operation that read everything before either
// writes. Fields after US_CMN_INST, US_ALU_RGB_ADDR, US_ALU_ALPHA_ADDR, US_ALU_RGB_INST, US_ALU_ALPHA_INST and US_ALU_RGBA_INST
// (R5xx Acceleration v1.3, 10.10). Texture and flow control instructions are read from their words (fields.h) where they are
// needed.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/expected.h"
#include "isa/r500/fields.h"

namespace Atoll::r500 {

enum class Op : uint8_t { Mad, Dp3, Dp4, D2a, Dp, Min, Max, Cnd, Cmp, Frc, Sop, Ex2, Ln2, Rcp, Rsq, Sin, Cos, Mdh, Mdv, Count };

// An operation's name in text, and its number in each of the two units (RGB_OP, ALPHA_OP), -1 where a unit lacks it.
struct OpRow {
  Op op;
  std::string_view name;
  uint8_t sources;
  int8_t rgb, alpha;
  bool selects;  // gives an operand: OMOD_EXACT is meant for these (US_ALU_RGB_INST.OMOD 7)
};
inline constexpr OpRow op_rows[] = {
    {Op::Mad, "mad", 3, 0, 0, false},   {Op::Dp3, "dp3", 2, 1, -1, false},  {Op::Dp4, "dp4", 2, 2, -1, false},
    {Op::D2a, "d2a", 3, 3, -1, false},  {Op::Dp, "dp", 0, -1, 1, false},    {Op::Min, "min", 2, 4, 2, true},
    {Op::Max, "max", 2, 5, 3, true},    {Op::Cnd, "cnd", 3, 7, 5, true},    {Op::Cmp, "cmp", 3, 8, 6, true},
    {Op::Frc, "frc", 1, 9, 7, false},   {Op::Sop, "sop", 0, 10, -1, false}, {Op::Ex2, "ex2", 1, -1, 8, false},
    {Op::Ln2, "ln2", 1, -1, 9, false},  {Op::Rcp, "rcp", 1, -1, 10, false}, {Op::Rsq, "rsq", 1, -1, 11, false},
    {Op::Sin, "sin", 1, -1, 12, false}, {Op::Cos, "cos", 1, -1, 13, false}, {Op::Mdh, "mdh", 3, 11, 14, false},
    {Op::Mdv, "mdv", 3, 12, 15, false},
};
constexpr const OpRow& row_of(Op op) { return op_rows[uint8_t(op)]; }
static_assert([] {
  for (uint8_t n = 0; n < uint8_t(Op::Count); n++)
    if (op_rows[n].op != Op(n)) return false;
  return std::size(op_rows) == uint8_t(Op::Count);
}());
constexpr bool is_dot(Op op) { return op == Op::Dp3 || op == Op::Dp4 || op == Op::D2a; }
constexpr bool is_function(Op op) { return op >= Op::Ex2 && op <= Op::Cos; }
constexpr bool is_quad(Op op) { return op == Op::Mdh || op == Op::Mdv; }

inline constexpr uint16_t kTemporaries = 128, kConstants = 256, kInputs = 16, kOutputs = 4;
inline constexpr uint32_t kCodeWords = 512 * kWords;  // US_CMN_INST_[0-511]

enum Swizzle : uint8_t {
  SWIZZLE_R,
  SWIZZLE_G,
  SWIZZLE_B,
  SWIZZLE_A,
  SWIZZLE_ZERO,
  SWIZZLE_HALF,
  SWIZZLE_ONE,
  SWIZZLE_UNUSED,  // reads 0 here: the manual does not say what it gives
};
enum Modifier : uint8_t { MOD_NEGATE = 1, MOD_ABSOLUTE = 2 };  // both: negative absolute value
enum Omod : uint8_t { OMOD_NONE, OMOD_X2, OMOD_X4, OMOD_X8, OMOD_D2, OMOD_D4, OMOD_D8, OMOD_EXACT };
enum Compare : uint8_t { COMPARE_EQ, COMPARE_LT, COMPARE_GE, COMPARE_NE };  // the result against 0
enum PredicateUse : uint8_t {
  PREDICATE_NONE,
  PREDICATE_OWN,  // each channel its own bit
  PREDICATE_R,
  PREDICATE_G,
  PREDICATE_B,
  PREDICATE_A,
  PREDICATE_COUNT
};
enum Presubtract : uint8_t { PRESUBTRACT_1_2A0, PRESUBTRACT_A1_A0, PRESUBTRACT_A1A0, PRESUBTRACT_1_A0 };  // SRCP_OP
enum Select : uint8_t { SELECT_SRC0, SELECT_SRC1, SELECT_SRC2, SELECT_SRCP };

// A source address (ADDRn, ADDRn_CONST, ADDRn_REL). Channels r, g, b of source n stand at the RGB address n, channel a at the
// alpha address n, whichever unit reads them.
struct Slot {
  uint8_t address = 0x80;
  uint8_t constant = 0;  // a constant register; otherwise a temporary, or from 128 on an inline constant
  uint8_t relative = 0;  // the loop register aL is added
  bool is_inline() const { return !constant && address >= 128; }
  bool operator==(const Slot&) const = default;
};
// An unused source names the inline constant 0, so that it depends on no register (as Mesa's r500_fragprog_emit.c does).
inline constexpr Slot unused_slot{};
// The value of an inline constant: 4 bits of exponent (bias 7), 3 of mantissa, denormals, no infinity or NaN.
constexpr float inline_value(uint8_t address) {
  int exponent = address >> 3 & 15, mantissa = address & 7;
  float scale = 1.0f / 512;  // of a denormal: 2^-6 / 8
  for (int n = 1; n < exponent; n++) scale *= 2;
  return float(exponent ? mantissa + 8 : mantissa) * scale;
}

struct Operand {
  uint8_t select = 0;
  uint8_t modifiers = 0;
  uint8_t swizzle[3] = {};  // of r, g, b; the alpha unit has [0] alone
  bool operator==(const Operand&) const = default;
};

struct Half {
  Op op = Op::Mad;
  uint8_t destination = 0, destination_relative = 0;  // temporary
  uint8_t mask = 0;                                   // channels written to it: bits r g b a
  uint8_t extra_mask = 0;                             // channels of the output or the predicate bits
  uint8_t target = 0;                                 // number of the output, or Compare
  uint8_t omod = OMOD_NONE;
  uint8_t clamp = 0;
  uint8_t predicate = PREDICATE_NONE;
  uint8_t predicate_inverted = 0;
  uint8_t presubtract = 0;
  Operand operand[3];
  bool operator==(const Half&) const = default;
};

struct Pair {
  bool output = false;  // extra_mask means outputs (TYPE OUT), not predicate bits
  uint8_t write_inactive = 0;
  uint8_t depth = 0;  // W_OMASK: the alpha result is the depth output
  uint8_t alu_result = 0, alu_result_alpha = 0, alu_result_compare = 0;
  Half rgb, alpha;
  Slot slot[2][3];  // by unit: RGB, alpha
  bool operator==(const Pair&) const = default;
  bool relative() const;
};
static_assert(std::is_trivially_copyable_v<Pair>);

// Why words are no instruction: a value that the manual calls reserved or leaves out. Empty: they are one.
std::string_view objection(const Words& words);
// Decodes words of TYPE ALU or OUT that have passed all checks.
Pair pair_of(const Words& words);
// The fields that a Pair has; all others are 0.
Words words_of(const Pair& pair);
// Why an instruction, although there are such words, means nothing; empty when it does.
std::string_view meaningless(const Pair& pair);

}  // namespace Atoll::r500
