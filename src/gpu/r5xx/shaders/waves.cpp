#include "gpu/r5xx/shaders/waves.h"

#include <fmt/format.h>

#include "base/progress.h"

namespace Atoll::r5xx {
namespace {

// An instruction of a failed wave for a report: its number and text, what went wrong.
std::string fault_text(const Shader& p, const wave::Wave& wave, std::string_view stage) {
  if (wave.stop == wave::Stop::Interrupted) return fmt::format("{}: stopped at instruction {:#x}", stage, wave.pc);
  uint64_t pc = wave.fault.pc;
  std::string text = fmt::format("{} at code byte {:#x}", stage, pc);
  if (p.program->contains(pc)) {
    const wave::Step& step = *p.program->at(pc);
    if (step.decoded) text += " (" + p.program->isa().text(step) + ")";
    std::string why = p.program->decode_error(step);
    if (!why.empty()) return text + ": " + why;
  } else {
    return text + ": no instruction is there";
  }
  if (wave.fault.reason) text += std::string(": ") + wave.fault.reason;
  if (wave.fault.address) text += fmt::format(", address {:#x}", wave.fault.address);
  if (wave.fault.lane >= 0) text += fmt::format(", lane {}", wave.fault.lane);
  return text;
}

}  // namespace

bool WorkerWave::run(const Shader& program, std::string_view stage, std::atomic<uint64_t>& progress) {
  wave::Wave& w = *wave;
  w.pc = program.first_pc;
  w.stop = wave::Stop::Run;
  w.fault = {};
  w.compiled = w.called = w.interpreted = 0;
  program.executor->run(w);
  advance(progress);
  counters.add(w);
  if (w.stop == wave::Stop::End) return true;
  report = fault_text(program, w, stage);
  return false;
}

bool WorkerWave::run_series(const Shader& program, wave::Executor& executor, std::string_view stage,
                            std::atomic<uint64_t>& progress, bool (*next)(void* data), void* data) {
  wave::Wave& w = *wave;
  w.stop = wave::Stop::Run;
  w.fault = {};
  w.compiled = w.called = w.interpreted = 0;
  executor.run_series(w, next, data);
  advance(progress);
  counters.add(w);
  counters.waves--;  // `next` has counted them
  if (w.stop == wave::Stop::End) return true;
  report = fault_text(program, w, stage);
  return false;
}

}  // namespace Atoll::r5xx
