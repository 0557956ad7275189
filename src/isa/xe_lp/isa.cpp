#include "isa/xe_lp/isa.h"

#include "base/host_level.h"
#include "isa/xe_lp/decode.h"
#include "isa/xe_lp/print.h"
#include "isa/xe_lp/registers.h"
#include "wave/named_registers.h"

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
  constexpr Bank banks[] = {{"r", grf_cell, kRegisters}, {"a", address_cell, 1}, {"acc", accumulator_cell, 2}};
  if (cell == active_cell) return "active";
  if (cell == resume_cell) return "resume";
  if (cell == every_channel_cell) return "every_channel";
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

class XeLp : public wave::Isa, public wave::NamedRegisters {
public:
  const char* name() const override { return "xe-lp"; }
  wave::RegisterFile register_file() const override { return {register_file_bytes, every_channel_cell, true}; }
  std::string register_name(uint32_t cell, uint32_t) const override { return cell_name(cell); }
  // cr0 is not there yet: round to nearest even, denormals kept.
  wave::FloatMode float_mode(const wave::Wave&) const override { return {}; }
  std::string text(const wave::Step& step) const override {
    return step.instruction ? plain_text(*static_cast<const Instruction*>(step.instruction)) : std::string();
  }
  Expected<void> decode(std::span<const uint32_t> code, wave::Step& step,
                        std::vector<std::shared_ptr<void>>& keep) const override {
    auto i = std::make_shared<Instruction>();
    if (const char* why = xe_lp::decode(std::as_bytes(code), *i)) return fail("{}", why);
    if (auto why = objection(*i); !why.empty()) return fail("{}", why);
    keep.push_back(i);
    step.instruction = i.get();
    step.words = i->compacted ? 2 : 4;
    step.float_class = wave::FloatClass::F32;
    // A join of the assembler's leads to the next instruction, and else opens what follows for channels that came back.
    if (is_control(i->op) && i->op != Op::Else && i->op != Op::Join) {
      step.flow = wave::Flow::Conditional;
      step.target = step.pc + i->src[0].immediate;
    }
    if (is_send(i->op)) describe_send(*i, step);
    step.interpret = ATOLL_AT_LEVEL(run_instruction);
    step.record = recording::record_instruction;
    return {};
  }
};

}  // namespace

const wave::Isa& isa() {
  static const XeLp isa;
  return isa;
}

}  // namespace Atoll::xe_lp
