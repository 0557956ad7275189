// Which instructions the engines run so far, of those that can be written.
#pragma once
#include <string_view>

#include "isa/xe_lp/instruction.h"

namespace Atoll::wave {
struct Step;
}

namespace Atoll::xe_lp {

inline constexpr uint32_t kRegisters = 128, kRegisterBytes = 32;
// Of the register files that an operand may reach: 0 for those that are not there yet.
constexpr uint32_t bytes_in(File f) {
  return f == File::Grf ? kRegisters * kRegisterBytes : f == File::A ? kRegisterBytes : f == File::Acc ? 2 * kRegisterBytes : 0;
}
constexpr uint32_t bytes_of(Type t) { return 1u << log2_bytes(t); }
constexpr bool is_signed(Type t) { return t >= Type::B && t <= Type::Q; }
constexpr uint32_t byte_of(const Operand& o) { return o.number * kRegisterBytes + o.sub; }

// A source's region in elements. Those of three sources have no width of their own: their rows are as long as the strides say
// (PRM volume 2b, ternary regions).
struct RegionShape {
  uint8_t vertical, width, horizontal;
};
constexpr RegionShape shape_of(const Operand& o, bool of_three, unsigned n) {
  if (!of_three) return {o.vertical, o.width, o.horizontal};
  if (n == 2) return {o.horizontal, 1, 0};
  return {o.vertical, uint8_t(o.horizontal && o.vertical > o.horizontal ? o.vertical / o.horizontal : 1), o.horizontal};
}
constexpr bool has_three_sources(const Instruction& i) { return i.op == Op::Mad; }
constexpr bool is_logic(Op op) {
  return op == Op::Not || op == Op::And || op == Op::Or || op == Op::Xor || op == Op::Shl || op == Op::Shr || op == Op::Asr;
}
constexpr bool is_control(Op op) {
  return op == Op::If || op == Op::Else || op == Op::Endif || op == Op::While || op == Op::Break || op == Op::Cont ||
         op == Op::Join;
}
constexpr bool is_send(Op op) { return op == Op::Send || op == Op::Sendc; }

// Why the engines cannot run the instruction; empty when they can.
std::string_view objection(const Instruction& instruction);
std::string_view objection_to_send(const Instruction& instruction);
// What the engines know of a send but its functions: how control leaves it.
void describe_send(const Instruction& instruction, wave::Step& step);

}  // namespace Atoll::xe_lp
