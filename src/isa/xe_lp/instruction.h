// One Xe-LP (Gen12) EU instruction in neutral form: operands as regions (Intel PRM, EU overview: register region), modifiers,
// predicate, branch targets. The code words here are Atoll's own, not the hardware's (docs/xe-lp-assembly.md).
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace Atoll::xe_lp {

// Join is Atoll's own: a place where channels that left the flow may come back. The assembler puts it before label targets.
enum class Op : uint8_t {
  Join,
  Mov,
  Sel,
  Not,
  And,
  Or,
  Xor,
  Shl,
  Shr,
  Asr,
  Cmp,
  Add,
  Mul,
  Mad,
  If,
  Else,
  Endif,
  While,
  Break,
  Cont,
  Count
};
inline constexpr struct OpRow {
  std::string_view name;
  uint8_t sources, labels_least, labels_most;
  bool writes, logic;
} op_rows[] = {{"join", 0, 0, 0, false, false},  {"mov", 1, 0, 0, true, false},    {"sel", 2, 0, 0, true, false},
               {"not", 1, 0, 0, true, true},     {"and", 2, 0, 0, true, true},     {"or", 2, 0, 0, true, true},
               {"xor", 2, 0, 0, true, true},     {"shl", 2, 0, 0, true, true},     {"shr", 2, 0, 0, true, true},
               {"asr", 2, 0, 0, true, true},     {"cmp", 2, 0, 0, true, false},    {"add", 2, 0, 0, true, false},
               {"mul", 2, 0, 0, true, false},    {"mad", 3, 0, 0, true, false},    {"if", 0, 2, 2, false, false},
               {"else", 0, 1, 2, false, false},  {"endif", 0, 0, 1, false, false}, {"while", 0, 1, 1, false, false},
               {"break", 0, 2, 2, false, false}, {"cont", 0, 2, 2, false, false}};
static_assert(std::size(op_rows) == size_t(Op::Count));
constexpr const OpRow& row_of(Op op) { return op_rows[size_t(op)]; }

enum class File : uint8_t { Null, Grf, Address, Accumulator, Immediate, Count };
enum class Type : uint8_t { UD, D, UW, W, F, Count };
inline constexpr std::string_view type_names[] = {"ud", "d", "uw", "w", "f"};
constexpr uint32_t bytes_of(Type t) { return t == Type::UW || t == Type::W ? 2 : 4; }
constexpr bool is_signed(Type t) { return t == Type::D || t == Type::W; }
enum class Condition : uint8_t { None, Eq, Ne, Gt, Ge, Lt, Le, Count };
inline constexpr std::string_view condition_names[] = {"", "eq", "ne", "gt", "ge", "lt", "le"};
enum class Predicate : uint8_t { None, Normal, Inverted, Count };
enum Modifier : uint8_t { MOD_NEGATE = 1, MOD_ABSOLUTE = 2 };

inline constexpr uint32_t kRegisters = 128, kRegisterBytes = 32;
constexpr uint32_t bytes_in(File f) {
  return f == File::Grf           ? kRegisters * kRegisterBytes
         : f == File::Address     ? kRegisterBytes
         : f == File::Accumulator ? 2 * kRegisterBytes
                                  : 0;
}

struct Operand {
  File file = File::Null;
  Type type = Type::UD;
  uint8_t modifiers = 0;
  uint8_t width = 1;                     // a destination's region is its horizontal stride alone
  uint16_t byte = 0;                     // from the file's start
  uint8_t vertical = 0, horizontal = 0;  // in elements
  uint32_t immediate = 0;                // extended to 32 bits
};

struct Instruction {
  Op op = Op::Join;
  uint8_t lanes = 1;  // ExecSize
  Condition condition = Condition::None;
  Predicate predicate = Predicate::None;
  uint8_t flag = 0;  // f0 or f1: of the predicate
  uint8_t condition_flag = 0;
  uint8_t saturate = 0, no_mask = 0;
  Operand dst, src[3];
  int32_t jip = 0, uip = 0;  // words from this instruction's first
};
static_assert(sizeof(Operand) == 12 && sizeof(Instruction) == 64 && std::is_trivially_copyable_v<Instruction>);

inline constexpr uint32_t kFirstWord = 0x58654c50;
inline constexpr uint32_t kWords = 1 + sizeof(Instruction) / 4;
std::vector<uint32_t> words_of(const Instruction& instruction);
// Nothing when the words are not an instruction's.
std::optional<Instruction> instruction_of(std::span<const uint32_t> words);
// Why the instruction cannot be; empty when it can.
std::string_view objection(const Instruction& instruction);

}  // namespace Atoll::xe_lp
