#include "gpu/dg1/threads/pixel_frame.h"

#include <algorithm>
#include <vector>

#include "isa/xe_lp/pixel_message.h"
#include "wave/recorded.h"

namespace Atoll::dg1 {

ATOLL_DECLARE_FRAME_FUNCTIONS
ATOLL_IN_LEVELS(extern const wave::InterpretFunction message_sent;)
namespace recording {
extern const wave::RecordFunction message_sent;
}

namespace {

const xe_lp::Instruction* target_message(const wave::Step& step) {
  const auto* i = static_cast<const xe_lp::Instruction*>(step.instruction);
  return i && xe_lp::is_send(i->op) && xe_lp::Sfid(i->function) == xe_lp::Sfid::RenderTarget ? i : nullptr;
}

// It reads the batch, which threads that write their pixels themselves do not have, whatever 3DSTATE_PS_EXTRA says of the kernel.
bool asks_interpolator(const wave::Step& step) {
  const auto& i = *static_cast<const xe_lp::Instruction*>(step.instruction);
  return xe_lp::is_send(i.op) && xe_lp::Sfid(i.function) == xe_lp::Sfid::PixelInterpolator;
}

// The words to which the instruction's branches lead.
void note_targets(const wave::Program& program, const wave::Step& step, std::vector<bool>& reached) {
  const auto& i = *static_cast<const xe_lp::Instruction*>(step.instruction);
  for (const xe_lp::Operand& o : i.src)
    if (const uint64_t to = step.pc + o.immediate; o.kind == xe_lp::Kind::Label && program.contains(to))
      reached[program.index(to)] = true;
}

// True if a register file stays as it is from thread to thread. The files named here are made anew for each.
bool stays(xe_lp::File f) {
  using enum xe_lp::File;
  return f != Null && f != Grf && f != A && f != Acc && f != Mme && f != F;
}

// True if the frame can read a message's data: each row of them stands in consecutive registers.
bool is_in_rows(const xe_lp::Instruction& i, const xe_lp::RenderTargetMessage& m) {
  const auto payload = xe_lp::payload_of(m, {});
  const unsigned split = i.descriptor >> 25 & 15, second = i.extended_descriptor >> 6 & 31;
  if (payload.length > split + second) return false;
  const unsigned row = m.form == xe_lp::RenderTargetMessage::Form::Replicated ? 1 : m.pixels() / 8;
  auto fits = [&](int colour) {
    const unsigned count = row == 1 && m.pixels() == 16 ? 1 : 4;
    for (unsigned c = 0; colour >= 0 && c < count; c++) {
      const unsigned n = unsigned(colour) + c * row, end = n + row;
      if (n < split && end > split) return false;
      const unsigned first = n < split ? i.src[0].number + n : i.src[1].number + n - split;
      if (first + row > xe_lp::kRegisters) return false;
    }
    return true;
  };
  return fits(payload.colour) && fits(payload.second);
}

}  // namespace

pixel::Frame make_frame(std::shared_ptr<const PixelFrame> state) {
  pixel::Frame frame = frame_of_host_level();
  frame.writes = [](const wave::Step& step) { return target_message(step) != nullptr; };
  frame.sent = ATOLL_AT_LEVEL(message_sent), frame.record_sent = ATOLL_RECORDED(message_sent);
  frame.payload = quad_payload_cell;
  frame.bytes = uint32_t(pixel_thread_bytes - quad_payload_cell);
  frame.one_primitive = state->one_primitive;
  frame.repeats = !state->fills;
  frame.state = std::move(state);
  return frame;
}

bool can_be_framed(const wave::Program& program, unsigned width, const std::array<uint16_t, 8>& targets) {
  bool ends = false;
  std::vector<bool> begins(program.words()), reached(program.words());
  for (uint32_t at = 0; at < program.words();) {
    const wave::Step& step = program.decoded(*program.at(program.base() + at * 4u));
    begins[at] = true;
    at += std::max<uint32_t>(step.words, 1);
    if (!step.instruction || step.flow == wave::Flow::Indirect || step.ends_region) return false;
    const bool branches = step.flow == wave::Flow::Branch || step.flow == wave::Flow::Conditional;
    if (branches && step.target == program.base()) return false;
    note_targets(program, step, reached);
    const xe_lp::Instruction* i = target_message(step);
    if (!i) {
      const auto& other = *static_cast<const xe_lp::Instruction*>(step.instruction);
      const bool sets = !xe_lp::is_control(other.op) && other.dst.kind == xe_lp::Kind::Direct && stays(other.dst.file);
      if (step.flow == wave::Flow::End || asks_interpolator(step) || (sets && !xe_lp::is_pause(other.dst))) return false;
      continue;
    }
    ends |= step.flow == wave::Flow::End;
    xe_lp::RenderTargetMessage m;
    if (i->descriptor_in_register || i->extended_descriptor_in_register) return false;
    if (xe_lp::read_render_target_message(i->descriptor, i->extended_descriptor, m) || m.read) return false;
    if (m.first_pixel() + m.pixels() > width || !is_in_rows(*i, m)) return false;
    if (!m.null_target && m.surface + 1 != targets[m.target]) return false;
  }
  // A jump into the middle of an instruction would start another one, which nobody has looked at.
  for (size_t at = 0; at < reached.size(); at++)
    if (reached[at] && !begins[at]) return false;
  return ends;
}

RegisterSet registers_written(const wave::Program& program) {
  RegisterSet written;
  for (uint32_t at = 0; at < program.words();) {
    const wave::Step& step = program.decoded(*program.at(program.base() + at * 4u));
    at += std::max<uint32_t>(step.words, 1);
    if (!step.instruction) continue;
    const auto& i = *static_cast<const xe_lp::Instruction*>(step.instruction);
    const xe_lp::Operand& dst = i.dst;
    if (dst.kind == xe_lp::Kind::Indirect) return written.set();
    if (dst.kind != xe_lp::Kind::Direct || dst.file != xe_lp::File::Grf) continue;
    unsigned first = dst.number, count = 0;
    if (xe_lp::is_send(i.op)) {
      if (i.descriptor_in_register) return written.set();
      count = i.descriptor >> 20 & 31;
    } else {
      auto end_of = [&](const xe_lp::Operand& o) {
        const unsigned elements = o.horizontal * (i.lanes - 1u) + 1;
        return (xe_lp::byte_of(o) + elements * xe_lp::bytes_of(o.type) + xe_lp::kRegisterBytes - 1) / xe_lp::kRegisterBytes;
      };
      count = std::max(end_of(dst), i.op == xe_lp::Op::Math ? end_of(xe_lp::remainder_of(i)) : 0u) - first;
    }
    for (unsigned n = first; n < std::min(first + count, xe_lp::kRegisters); n++) written.set(n);
  }
  return written;
}

}  // namespace Atoll::dg1
