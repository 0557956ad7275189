#include "isa/xe_lp/isa.h"

#include "base/host_level.h"
#include "isa/xe_lp/registers.h"
#include "isa/xe_lp/text.h"
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
  for (uint32_t n = 0; n < 2; n++)
    if (cell == flag_cell(n)) return fmt::format("f{}", n);
  for (const Bank& bank : banks) {
    uint32_t at = cell - bank.first, byte = at % kRegisterBytes;
    if (cell < bank.first || at >= bank.count * kRegisterBytes) continue;
    return fmt::format("{}{}.{}", bank.prefix, at / kRegisterBytes, byte);
  }
  return {};
}

class XeLp : public wave::Isa, public wave::NamedRegisters {
public:
  const char* name() const override { return "xe-lp"; }
  wave::RegisterFile register_file() const override { return {register_file_bytes, active_cell, true}; }
  std::string register_name(uint32_t cell, uint32_t) const override { return cell_name(cell); }
  // cr0 is not there yet: round to nearest even, denormals kept.
  wave::FloatMode float_mode(const wave::Wave&) const override { return {}; }
  std::string text(const wave::Step& step) const override {
    return step.instruction ? print(*static_cast<const Instruction*>(step.instruction)) : std::string();
  }
  Expected<void> decode(std::span<const uint32_t> code, wave::Step& step,
                        std::vector<std::shared_ptr<void>>& keep) const override {
    auto decoded = instruction_of(code);
    if (!decoded) return fail("not an instruction of xe-lp in Atoll's own words (docs/xe-lp-assembly.md)");
    if (auto why = objection(*decoded); !why.empty()) return fail("{}", why);
    auto i = std::make_shared<Instruction>(*decoded);
    keep.push_back(i);
    step.instruction = i.get();
    step.words = kWords;
    step.float_class = wave::FloatClass::F32;
    if (row_of(i->op).labels_most) {
      step.flow = wave::Flow::Conditional;
      step.target = step.pc + uint64_t(int64_t(i->jip) * 4);
      if (i->op == Op::Else || (i->op == Op::Endif && !i->jip)) step.flow = wave::Flow::Next, step.target = 0;
    }
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
