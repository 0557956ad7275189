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

bool WorkerWave::run(const Shader& program, const StageOfDraw& stage) {
  wave::Wave& w = *wave;
  w.pc = program.first_pc;
  w.stop = wave::Stop::Run;
  w.fault = {};
  w.compiled = w.called = w.interpreted = 0;
  program.executor->run(w);
  return end(program, stage);
}

bool WorkerWave::run_series(const Shader& program, wave::Executor& executor, const StageOfDraw& stage, bool (*next)(void* data),
                            void* data) {
  wave::Wave& w = *wave;
  w.stop = wave::Stop::Run;
  w.fault = {};
  w.compiled = w.called = w.interpreted = 0;
  executor.run_series(w, next, data);
  counters.waves--;  // `next` has counted them
  return end(program, stage);
}

bool WorkerWave::end(const Shader& program, const StageOfDraw& stage) {
  const wave::Wave& w = *wave;
  advance(stage.queue->progress);
  counters.add(w);
  if (w.stop == wave::Stop::End) return true;
  const std::string text = fault_text(program, w, stage.name);
  return stage.lose(stage.queue->stop ? stage.queue->why_stopped(text) : text);
}

}  // namespace Atoll::r5xx
