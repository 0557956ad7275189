#include "isa/xe_lp/isa.h"

#include "base/host_level.h"
#include "isa/xe_lp/registers.h"
#include "isa/xe_lp/text.h"

namespace Atoll::xe_lp {

ATOLL_IN_LEVELS(void run_instruction(void* interpreter, const wave::Step& step);)
namespace recording {
void record_instruction(wave::Recorder& recorder, const wave::Step& step);
}

namespace {

class XeLp : public wave::Isa {
public:
  const char* name() const override { return "xe-lp"; }
  wave::RegisterFile register_file() const override { return {register_file_bytes, active_cell, true}; }
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
