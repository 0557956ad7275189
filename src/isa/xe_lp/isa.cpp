#include "isa/xe_lp/isa.h"

#include "base/host_level.h"
#include "isa/xe_lp/alternate_floats.h"
#include "isa/xe_lp/branches.h"
#include "isa/xe_lp/decode.h"
#include "isa/xe_lp/print.h"
#include "isa/xe_lp/registers.h"
#include "isa/xe_lp/software_scoreboard.h"
#include "wave/named_registers.h"
#include "wave/recorded.h"

namespace Atoll::xe_lp {

ATOLL_IN_LEVELS(void run_instruction(void* interpreter, const wave::Step& step);)
namespace recording {
void record_instruction(wave::Recorder& recorder, const wave::Step& step);
}

namespace {

// r2.8: a register and a byte in it.
std::string cell_name(uint32_t cell) {
  struct Bank {
    const char* prefix;
    uint32_t first, count;
  };
  constexpr Bank banks[] = {{"r", grf_cell, kRegisters},
                            {"a", address_cell, 1},
                            {"acc", accumulator_cell, kAccumulators},
                            {"acc_high", accumulator_high_cell, kAccumulators},
                            {"cr", control_cell, 1},
                            {"sr", state_cell, 2},
                            {"tm", timestamp_cell, 1},
                            {"n", notification_cell, 1}};
  if (cell == active_cell) return "active";
  if (cell == resume_cell) return "resume";
  if (cell == every_channel_cell) return "every_channel";
  if (cell == channel_enable_cell) return "ce";
  if (cell == instruction_pointer_cell) return "ip";
  for (uint32_t n = 0; n < 2; n++)
    if (cell == flag_cell(n)) return fmt::format("f{}", n);
  for (const Bank& bank : banks) {
    uint32_t at = cell - bank.first, byte = at % kRegisterBytes;
    if (cell < bank.first || at >= bank.count * kRegisterBytes) continue;
    return fmt::format("{}{}.{}", bank.prefix, at / kRegisterBytes, byte);
  }
  return {};
}

// One line without columns, for messages.
std::string plain_text(const Instruction& i) {
  std::string out;
  for (char c : print(i))
    if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// Says where control goes from a branch, as far as that is known beforehand.
void describe_branch(const Instruction& i, wave::Step& step) {
  const bool both = i.op == Op::Goto && i.branch_control;  // goes to either target
  const uint64_t next = step.pc + step.words * 4u;
  step.flow = wave::Flow::Indirect;
  if (i.op == Op::Ret || i.op == Op::Calla || i.src[0].kind != Kind::Label) return;
  step.flow = i.op == Op::Jmpi && !i.predicate ? wave::Flow::Branch : wave::Flow::Conditional;
  step.target = step.pc + i.src[both ? 1 : 0].immediate;
  if (both && step.pc + i.src[0].immediate != next) step.flow = wave::Flow::Indirect;
}

class XeLp : public wave::Isa, public wave::NamedRegisters {
public:
  const char* name() const override { return "xe-lp"; }
  wave::RegisterFile register_file() const override {
    return {.bytes = register_file_bytes, .active_cell = every_channel_cell, .whole_wave = true, .mode_cell = control_cell};
  }
  std::string register_name(uint32_t cell, uint32_t) const override { return cell_name(cell); }
  wave::FloatMode float_mode(const wave::Wave& wave) const override {
    return float_mode_of(wave::word_of(const_cast<wave::Wave&>(wave), control_cell));
  }
  std::shared_ptr<wave::WaitRule> wait_rule() const override { return software_scoreboard(); }
  std::vector<bool> places_to_rejoin(std::span<const uint32_t> code) const override { return xe_lp::places_to_rejoin(code); }
  std::string text(const wave::Step& step) const override {
    return step.instruction ? plain_text(*static_cast<const Instruction*>(step.instruction)) : std::string();
  }
  Expected<void> decode(std::span<const uint32_t> code, wave::Step& step,
                        std::vector<std::shared_ptr<void>>& keep) const override {
    auto i = std::make_shared<Instruction>();
    if (const char* why = xe_lp::decode(std::as_bytes(code), *i)) return fail("{}", why);
    if (auto why = objection(*i); !why.empty()) return fail("{}", why);
    place_targets(code, *i);
    i->rejoins = step.rejoins;
    keep.push_back(i);
    step.instruction = i.get();
    step.words = i->compacted ? 2 : 4;
    step.float_class = wave::FloatClass::F32;
    step.ends_region = i->dst.file == File::Cr;
    if (is_control(i->op)) describe_branch(*i, step);
    if (i->op == Op::Sync && SyncFunction(i->function) == SyncFunction::Bar) step.flow = wave::Flow::Stop;
    if (is_send(i->op)) describe_send(*i, step);
    step.interpret = ATOLL_AT_LEVEL(run_instruction);
    step.record = ATOLL_RECORDED(record_instruction);
    return {};
  }
};

}  // namespace

wave::FloatMode float_mode_of(uint32_t cr0) {
  wave::FloatMode mode;
  mode.round32 = mode.round64 = wave::Rounding(cr0 >> 4 & 3);
  mode.flush_in32 = mode.flush_out32 = !(cr0 & kKeepDenormals32);
  mode.flush_in64 = mode.flush_out64 = !(cr0 & kKeepDenormals16);
  if (cr0 & kAlternateFloats) mode.flush_in32 = mode.flush_out32 = set_alternate_floats(mode);
  return mode;
}

const wave::Isa& isa() {
  static const XeLp isa;
  return isa;
}

}  // namespace Atoll::xe_lp
