// The common part of the vertex and the pixel stage: each of the pipeline's workers keeps a wave, which runs the stage's program
// once for every batch.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "gpu/device/queue_state.h"
#include "gpu/r5xx/shaders/shaders.h"
#include "wave/counters.h"
#include "wave/storage.h"

namespace Atoll::r5xx {

// Waves of a stage, by worker. They stay from draw to draw, with registers that hold anything.
using KeptWaves = std::vector<wave::Storage>;

// A draw's stage and its queue, which stops its waves, counts those that end, and reports of them.
struct StageOfDraw {
  std::string_view name;  // in reports
  gpu::QueueState* queue = nullptr;
  gpu::Reports::Kept* reports = nullptr;  // of the draw

  bool lose(const std::string& report) const { return queue->lose(*reports, report); }
};

struct WorkerWave {
  wave::Wave* wave = nullptr;  // of this draw
  wave::Counters counters;

  // From the program's first instruction to its end. False: the draw loses the context.
  bool run(const Shader& program, const StageOfDraw& stage);
  // Waves that follow each other (Executor::run_series), of a program made of this one; `next` counts those that end.
  bool run_series(const Shader& program, wave::Executor& executor, const StageOfDraw& stage, bool (*next)(void* data),
                  void* data);

private:
  bool end(const Shader& program, const StageOfDraw& stage);
};

// The sum of the counters of a stage's workers.
template <class Workers>
wave::Counters counters_of(const Workers& workers) {
  wave::Counters sum;
  for (const WorkerWave& worker : workers) sum += worker.counters;
  return sum;
}

}  // namespace Atoll::r5xx
