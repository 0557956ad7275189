#include "gpu/dg1/threads/always_written.h"

#include <algorithm>
#include <array>
#include <vector>

#include "isa/xe_lp/executable.h"
#include "isa/xe_lp/instruction.h"
#include "isa/xe_lp/pixel_message.h"

namespace Atoll::dg1 {
namespace {

// A write of a target by all channels of some of the thread's pixels, at `pc`.
struct Write {
  uint64_t pc;
  unsigned target;
  uint32_t pixels;
  bool last;  // it says which pixels are drawn at all
};
constexpr unsigned targets = 8, null_target = targets;

// Nothing of it: another message, or one that some channels may not take part in.
bool find_write(const wave::Step& step, const xe_lp::Instruction& i, Write& write) {
  xe_lp::RenderTargetMessage m;
  if (i.predicate || i.descriptor_in_register || i.extended_descriptor_in_register ||
      xe_lp::read_render_target_message(i.descriptor, i.extended_descriptor, m) || m.read)
    return false;
  if (i.lanes < m.pixels() || i.channel != m.first_pixel()) return false;
  write = {step.pc, m.null_target ? null_target : m.target, uint32_t((uint64_t(1) << m.pixels()) - 1) << m.first_pixel(), m.last};
  return true;
}

// Instructions that channels may skip or repeat: addresses from `first` on, before `end`.
struct Way {
  uint64_t first, end;
};
// The ways of a branch within the program's structure. False: it may lead anywhere, or end channels.
bool find_ways(const wave::Step& step, const xe_lp::Instruction& i, std::vector<Way>& ways) {
  switch (i.op) {
    case xe_lp::Op::If:
    case xe_lp::Op::Else:
    case xe_lp::Op::Endif:
    case xe_lp::Op::While:
    case xe_lp::Op::Break:
    case xe_lp::Op::Cont: break;
    default: return false;
  }
  for (const xe_lp::Operand& o : i.src) {
    if (o.kind == xe_lp::Kind::None) continue;
    if (o.kind != xe_lp::Kind::Label) return false;
    const uint64_t to = step.pc + o.immediate;
    ways.push_back({std::min(step.pc, to), std::max(step.pc, to)});  // (where it leads to they are taken up again)
  }
  return true;
}

}  // namespace

uint8_t always_written(const wave::Program& program, unsigned width) {
  std::vector<Write> writes;
  std::vector<Way> ways;
  bool ends = false;
  for (uint32_t at = 0; at < program.words() && !ends;) {
    const wave::Step& step = program.decoded(*program.at(program.base() + at * 4u));
    at += std::max<uint32_t>(step.words, 1);
    if (!step.instruction) return 0;
    const auto& i = *static_cast<const xe_lp::Instruction*>(step.instruction);
    if (xe_lp::is_control(i.op)) {
      if (!find_ways(step, i, ways)) return 0;
      continue;
    }
    const bool to_target = xe_lp::is_send(i.op) && xe_lp::Sfid(i.function) == xe_lp::Sfid::RenderTarget;
    if (Write write; to_target && find_write(step, i, write)) writes.push_back(write);
    ends = i.end_of_thread;
  }
  if (!ends) return 0;
  // Some channels may leave out the instructions that a branch skips or jumps back over.
  std::array<uint32_t, targets + 1> pixels{};
  uint32_t drawn = 0;
  for (const Write& write : writes) {
    if (std::ranges::any_of(ways, [&](const Way& way) { return write.pc >= way.first && write.pc < way.end; })) continue;
    pixels[write.target] |= write.pixels;
    if (write.last) drawn |= write.pixels;
  }
  const uint32_t all = uint32_t((uint64_t(1) << width) - 1);
  uint8_t always = 0;
  for (unsigned n = 0; n < targets; n++) always |= uint8_t(uint8_t(pixels[n] == all && drawn == all) << n);
  return always;
}

}  // namespace Atoll::dg1
