// One instruction of the R5xx fragment shader: an RGB and an alpha operation that read everything before either writes.
// Fields after US_CMN_INST, US_ALU_RGB_INST, US_ALU_ALPHA_INST and US_ALU_RGBA_INST (R5xx Acceleration 10, US registers); the
// code words here are Atoll's own, not the hardware's (docs/r500-assembly.md).
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace Atoll::r500 {

enum class Op : uint8_t { Nop, Mad, Dp3, Dp4, D2a, Dp, Min, Max, Cnd, Cmp, Frc, Sop, Ex2, Ln2, Rcp, Rsq, Count };

// What the text calls an operation, and which of the two units has it.
struct OpRow {
  Op op;
  std::string_view name;
  uint8_t sources;
  bool rgb, alpha;
  bool selects;  // gives an operand: OMOD_EXACT is allowed (RGB_INST and ALPHA_INST, OMOD 7)
};
inline constexpr OpRow op_rows[] = {
    {Op::Nop, "nop", 0, true, true, false},  {Op::Mad, "mad", 3, true, true, false},  {Op::Dp3, "dp3", 2, true, false, false},
    {Op::Dp4, "dp4", 2, true, false, false}, {Op::D2a, "d2a", 3, true, false, false}, {Op::Dp, "dp", 0, false, true, false},
    {Op::Min, "min", 2, true, true, true},   {Op::Max, "max", 2, true, true, true},   {Op::Cnd, "cnd", 3, true, true, true},
    {Op::Cmp, "cmp", 3, true, true, true},   {Op::Frc, "frc", 1, true, true, false},  {Op::Sop, "sop", 0, true, false, false},
    {Op::Ex2, "ex2", 1, false, true, false}, {Op::Ln2, "ln2", 1, false, true, false}, {Op::Rcp, "rcp", 1, false, true, false},
    {Op::Rsq, "rsq", 1, false, true, false},
};
constexpr const OpRow& row_of(Op op) { return op_rows[uint8_t(op)]; }
static_assert([] {
  for (uint8_t n = 0; n < uint8_t(Op::Count); n++)
    if (op_rows[n].op != Op(n)) return false;
  return std::size(op_rows) == uint8_t(Op::Count);
}());
constexpr bool is_dot(Op op) { return op == Op::Dp3 || op == Op::Dp4 || op == Op::D2a; }
constexpr bool is_function(Op op) { return op >= Op::Ex2 && op <= Op::Rsq; }

enum class Bank : uint8_t { Temporary, Constant, Input, Count };
inline constexpr uint16_t kTemporaries = 128, kConstants = 256, kInputs = 16, kOutputs = 4;
constexpr uint16_t registers_in(Bank b) {
  return b == Bank::Temporary ? kTemporaries : b == Bank::Constant ? kConstants : kInputs;
}

enum Swizzle : uint8_t { SWIZZLE_X, SWIZZLE_Y, SWIZZLE_Z, SWIZZLE_W, SWIZZLE_ZERO, SWIZZLE_HALF, SWIZZLE_ONE, SWIZZLE_COUNT };
enum Modifier : uint8_t { MOD_NEGATE = 1, MOD_ABSOLUTE = 2 };  // both: negative absolute value
enum Omod : uint8_t { OMOD_NONE, OMOD_X2, OMOD_X4, OMOD_X8, OMOD_D2, OMOD_D4, OMOD_D8, OMOD_EXACT };
// What else than a temporary the result goes to: predicate bits (ALU instructions) or a render target (OUT instructions).
enum class Extra : uint8_t { None, Predicate, Output };
enum class Compare : uint8_t { Equal, Less, GreaterEqual, NotEqual };  // the result against 0; TARGET of a non-output instruction
enum PredicateUse : uint8_t {
  PREDICATE_NONE,
  PREDICATE_OWN,
  PREDICATE_R,
  PREDICATE_G,
  PREDICATE_B,
  PREDICATE_A,
  PREDICATE_COUNT
};

struct Source {
  Bank bank = Bank::Temporary;
  uint8_t index = 0;
  uint8_t modifiers = 0;
  uint8_t swizzle[4] = {};  // by the channel that reads it; the alpha unit reads [3], the fourth of RGB is for dp4
  bool operator==(const Source&) const = default;
};

struct Half {
  Op op = Op::Nop;
  uint8_t destination = 0;  // temporary
  uint8_t mask = 0;         // channels written to it: bits r g b a
  Extra extra = Extra::None;
  uint8_t extra_mask = 0;  // channels of it
  uint8_t target = 0;      // Compare, or number of the output
  uint8_t omod = OMOD_NONE;
  uint8_t clamp = 0;
  uint8_t predicate = PREDICATE_NONE;
  uint8_t predicate_inverted = 0;
  uint8_t unused = 0;
  Source source[3];
  bool operator==(const Half&) const = default;
};

struct Pair {
  Half rgb, alpha;
  bool operator==(const Pair&) const = default;
};
static_assert(sizeof(Half) == 32 && sizeof(Pair) == 64 && std::is_trivially_copyable_v<Pair>);

// An instruction is this word and its 64 bytes.
inline constexpr uint32_t kFirstWord = 0x52355046;
inline constexpr uint32_t kWords = 1 + sizeof(Pair) / 4;
std::vector<uint32_t> words_of(const Pair& pair);
// Nothing when the words are no instruction that the parser could have made.
std::optional<Pair> pair_of(std::span<const uint32_t> words);
// Why the two halves cannot stand together, or one not by itself; empty when they can.
std::string_view objection(const Pair& pair);

}  // namespace Atoll::r500
