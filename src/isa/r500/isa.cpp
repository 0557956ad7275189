#include "isa/r500/isa.h"

#include <algorithm>

#include "base/host_level.h"
#include "isa/r500/cell_names.h"
#include "isa/r500/decoded.h"
#include "isa/r500/registers.h"
#include "isa/r500/semantics/rare.h"
#include "isa/r500/text.h"
#include "wave/named_registers.h"
#include "wave/recorded.h"

namespace Atoll::r500 {

// clang-format off
ATOLL_IN_LEVELS(
  void run_pair(void* interpreter, const wave::Step& step);
  void run_rare_pair(void* interpreter, const wave::Step& step);
  void run_texture(void* interpreter, const wave::Step& step);
  void run_flow(void* interpreter, const wave::Step& step);)
// clang-format on
namespace recording {
void record_pair(wave::Recorder& recorder, const wave::Step& step);
void record_texture(wave::Recorder& recorder, const wave::Step& step);
}  // namespace recording

namespace {

class Fragment : public wave::Isa, public wave::NamedRegisters {
public:
  Fragment(uint32_t last, ZeroRule rule) : last_(last), rule_(rule) {}
  const char* name() const override { return "r500-fs"; }
  wave::RegisterFile register_file() const override {
    return {register_file_bytes, active_cell, false, output_cell(0, 0), output_cell(kOutputs + 1, 0)};
  }
  std::string register_name(uint32_t cell, uint32_t) const override { return cell_name(cell); }
  // Not documented: round to nearest even, denormals are 0 (docs/errata.md).
  wave::FloatMode float_mode(const wave::Wave&) const override { return {.flush_in32 = true, .flush_out32 = true}; }
  std::string text(const wave::Step& step) const override {
    return step.instruction ? print(static_cast<const Decoded*>(step.instruction)->words) : std::string();
  }
  Expected<void> decode(std::span<const uint32_t> code, wave::Step& step,
                        std::vector<std::shared_ptr<void>>& keep) const override {
    if (code.size() < kWords) return fail("{} words are left; an instruction of r500-fs has {}", code.size(), kWords);
    auto decoded = std::make_shared<Decoded>();
    std::copy_n(code.begin(), kWords, decoded->words.begin());
    if (std::string_view why = objection(decoded->words); !why.empty()) return fail("{}", why);
    Type type = type_of(decoded->words);
    bool is_pair = type == Type::Alu || type == Type::Out;
    if (is_pair) {
      decoded->pair = pair_of(decoded->words);
      if (std::string_view why = meaningless(decoded->pair); !why.empty()) return fail("{}", why);
    }
    step.instruction = decoded.get();
    step.words = kWords;
    decoded->zero_rule = rule_;
    decoded->last = last_ != no_last_instruction && step.pc / (kWords * 4) == last_;
    if (type == Type::Tex) {
      step.interpret = ATOLL_AT_LEVEL(run_texture);
      step.record = ATOLL_RECORDED(record_texture);
      step.float_class = wave::FloatClass::F32;
    } else if (type == Type::Fc) {
      step.interpret = ATOLL_AT_LEVEL(run_flow);
      step.flow = wave::Flow::Indirect;  // the target depends on where the program stands
    } else {
      step.float_class = wave::FloatClass::F32;
      if (is_rare(decoded->pair)) {
        step.interpret = ATOLL_AT_LEVEL(run_rare_pair);
      } else {
        step.interpret = ATOLL_AT_LEVEL(run_pair);
        step.record = ATOLL_RECORDED(record_pair);
      }
    }
    if (decoded->last && type != Type::Fc) step.flow = wave::Flow::End;
    keep.push_back(std::move(decoded));
    return {};
  }

private:
  uint32_t last_;
  ZeroRule rule_;
};

}  // namespace

const wave::Isa& fragment_isa() { return fragment_isa(no_last_instruction); }

const wave::Isa& fragment_isa(uint32_t last, ZeroRule rule) {
  // Waves may run while the program that loaded us ends.
  [[clang::no_destroy]] static const std::vector<Fragment> isas = [] {
    std::vector<Fragment> all;
    for (uint32_t n = 0; n <= no_last_instruction; n++)
      for (ZeroRule each : {ZeroRule::by_register, ZeroRule::off, ZeroRule::on}) all.emplace_back(n, each);
    return all;
  }();
  return isas[std::min(last, no_last_instruction) * 3 + size_t(rule)];
}

}  // namespace Atoll::r500
