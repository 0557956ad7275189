// The instructions that the engines run so far, among those that can be written.
#pragma once
#include <string_view>

#include "isa/xe_lp/instruction.h"

namespace Atoll::wave {
struct Step;
}

namespace Atoll::xe_lp {

inline constexpr uint32_t kRegisters = 128, kRegisterBytes = 32, kAccumulators = 16, kMme0 = 8, kAddresses = 16;
// The bytes of a register file that an operand may reach, and those from one register to the next.
constexpr uint32_t bytes_in(File f) {
  switch (f) {
    case File::Grf: return kRegisters * kRegisterBytes;
    case File::Acc:
    case File::Mme: return 8 * kRegisterBytes;
    case File::F: return 8;
    case File::Ce:
    case File::Ip: return 4;
    case File::Sp: return 16;
    case File::Sr: return 2 * kRegisterBytes;
    case File::Fc: return 4 * kRegisterBytes;
    case File::Msg: return 8 * kRegisterBytes;
    case File::Null: return 0;
    default: return kRegisterBytes;
  }
}
constexpr uint32_t bytes_between(File f) { return f == File::F ? 4 : kRegisterBytes; }
constexpr uint32_t bytes_of(Type t) { return 1u << log2_bytes(t); }

// How many nibbles of a vector of integers (:v, :uv) lie between those of neighbouring lanes. Each stands for a word of the
// destination: where lanes are further apart there, nibbles are left out (errata.md, Xe-LP's instructions).
constexpr unsigned nibbles_apart(const Instruction& i) {
  if (i.dst.type == Type::None) return 1;
  const unsigned words = bytes_of(i.dst.type) * i.dst.horizontal / 2;
  return words ? words : 1;
}
// tm0.4, the pause counter: how long the thread waits before it goes on, as locks that compilers make of other atomics write it (IGC;
// PRM of Skylake volume 7, "Timestamp Register").
constexpr bool is_pause(const Operand& o) { return o.file == File::Tm && o.sub == 16 && bytes_of(o.type) == 4; }
constexpr bool is_signed(Type t) { return t >= Type::B && t <= Type::Q; }
constexpr bool is_float(Type t) { return t == Type::F || t == Type::HF || t == Type::VF; }
constexpr uint32_t byte_of(const Operand& o) { return o.number * bytes_between(o.file) + o.sub; }

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
constexpr bool has_three_sources(const Instruction& i) {
  switch (i.op) {
    case Op::Mad:
    case Op::Dp4a:
    case Op::Csel:
    case Op::Bfe:
    case Op::Bfi2: return true;
    default: return false;
  }
}
constexpr bool is_logic(Op op) { return op == Op::Not || op == Op::And || op == Op::Or || op == Op::Xor; }
constexpr bool is_shift(Op op) { return op == Op::Shl || op == Op::Shr || op == Op::Asr || op == Op::Ror || op == Op::Rol; }
// Branches and what channels come back at.
constexpr bool is_control(Op op) { return op >= Op::Jmpi && op <= Op::Join; }
// The operand of idiv's remainder: the registers that follow.
constexpr Operand remainder_of(const Instruction& i) {
  Operand o = i.dst;
  const uint32_t bytes = i.lanes * bytes_of(o.type) * o.horizontal;
  o.number = uint8_t(o.number + (bytes > kRegisterBytes ? bytes / kRegisterBytes : 1));
  return o;
}
constexpr bool is_send(Op op) { return op == Op::Send || op == Op::Sendc; }
// The functions that are the pipeline's (wave/fixed_function.h); a message to them may end a thread.
constexpr bool is_fixed_function(Sfid f) { return f == Sfid::RenderTarget || f == Sfid::Urb || f == Sfid::PixelInterpolator; }

// Why the engines cannot run the instruction; empty when they can.
std::string_view objection(const Instruction& instruction);
std::string_view objection_to_send(const Instruction& instruction);
// Says how control leaves a send; all else the engines find in its functions.
void describe_send(const Instruction& instruction, wave::Step& step);

}  // namespace Atoll::xe_lp
