// A decoded Xe-LP (Gen12) EU instruction. Fields and values as in DG1 PRM volume 2b (EU enumerations) and the instruction layouts
// that Mesa's src/intel/compiler/brw_eu_inst.h states for gfx12.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace Atoll::xe_lp {

enum class Shape : uint8_t { none, unary, binary, ternary, jip, jip_uip };

struct Opcode {
  const char* name;
  uint8_t number;
  Shape shape;
  bool integers, floats;  // source types that it takes
  bool cmod, saturates;
  unsigned sources() const { return shape == Shape::unary ? 1 : shape == Shape::binary ? 2 : shape == Shape::ternary ? 3 : 0; }
  bool branches() const { return shape == Shape::jip || shape == Shape::jip_uip; }
};
std::span<const Opcode> opcodes();
const Opcode* find(std::string_view name);
const Opcode* find(unsigned number);

// RegDataType. Those that are not named here are not there yet.
enum class DataType : uint8_t { ub = 0, uw = 1, ud = 2, b = 4, w = 5, d = 6, f = 10 };
constexpr unsigned size_of(DataType t) {
  return t == DataType::ub || t == DataType::b ? 1 : t == DataType::uw || t == DataType::w ? 2 : 4;
}
constexpr bool is_signed(DataType t) { return t == DataType::b || t == DataType::w || t == DataType::d; }
constexpr bool is_float(DataType t) { return t == DataType::f; }

// Architecture registers: the high half of their 8-bit number.
enum class Arf : uint8_t { null = 0, a = 1, acc = 2, f = 3, cr = 8 };

struct Operand {
  bool immediate = false, grf = false;
  uint8_t number = 0;  // of the GRF, or the ARF's 8 bits
  uint8_t byte = 0;    // subregister, in bytes
  DataType type = DataType::ud;
  uint8_t vertical = 0, width = 1, horizontal = 0;  // region <V;W,H> in elements; destinations: horizontal alone
  bool negate = false, absolute = false;
  uint32_t value = 0;  // of the immediate, 16 bits in the low half
  bool null() const { return !immediate && !grf && number == 0; }
};

// PredCtrl (Align1).
enum class Predicate : uint8_t { none = 0, sequential = 1, anyv = 2, allv = 3, any2h = 4, all32h = 13 };
// FlagModifier.
enum class Condition : uint8_t { none = 0, ze = 1, nz = 2, gt = 3, ge = 4, lt = 5, le = 6, ov = 8, un = 9 };

struct Instruction {
  const Opcode* opcode = nullptr;
  uint8_t lanes = 1;   // ExecSize, in channels
  uint8_t offset = 0;  // ChanOff, in channels
  bool no_mask = false;
  bool saturate = false;
  Predicate predicate = Predicate::none;
  bool inverse = false;
  uint8_t flag = 0, flag_half = 0;  // f<flag>.<flag_half>, of the predicate and the condition modifier
  Condition condition = Condition::none;
  Operand dst, src[3];
  int32_t jip = 0, uip = 0;  // bytes from this instruction
  bool joins = false;        // channels may be waiting here
};

}  // namespace Atoll::xe_lp
