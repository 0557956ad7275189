// One instruction by either engine, run again and again on what a wave of single_step.h holds.
#pragma once
#include <memory>
#include <vector>

#include "isa/rdna4/encode.h"
#include "isa/rdna4/isa.h"
#include "single_step.h"
#include "wave/executor.h"

namespace Atoll::rdna4::test {

class Repeated {
public:
  Repeated(SingleStep& wave, const Instruction& i, wave::EngineChoice engine) : wave_(wave), i_(i) {
    if (engine == wave::EngineChoice::Interpreter) return;
    auto words = encode(i, {.wave = wave.lanes()});
    if (!words) {
      ADD_FAILURE() << i.opcode->name << ": " << words.error().message;
      return;
    }
    code_.assign(words->dwords.begin(), words->dwords.begin() + words->count);
    code_.push_back(0xbfb00000);  // s_endpgm
    program_ = std::make_unique<wave::Program>(isa(wave.lanes()), SingleStep::code_base, code_);
    executor_ = std::make_unique<wave::Executor>(*program_, engine, *wave.w);
    EXPECT_EQ(executor_->error(), "");
  }
  void operator()() {
    if (!executor_) return wave_.run(i_.opcode->name, i_, i_.opcode->float_class);
    wave_.w->pc = SingleStep::code_base;
    wave_.w->stop = wave::Stop::Run;
    wave_.w->chunk = 0;
    wave_.w->program = program_.get();
    executor_->run(*wave_.w);
  }

private:
  SingleStep& wave_;
  Instruction i_;
  std::vector<uint32_t> code_;
  std::unique_ptr<wave::Program> program_;
  std::unique_ptr<wave::Executor> executor_;
};

}  // namespace Atoll::rdna4::test
