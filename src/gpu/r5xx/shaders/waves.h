// What the vertex and the pixel stage have in common: each of the pipeline's workers keeps a wave, which runs the stage's program
// once for every batch.
#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "gpu/r5xx/shaders/shaders.h"
#include "wave/counters.h"
#include "wave/storage.h"

namespace Atoll::r5xx {

// Waves of a stage, by worker. They stay from draw to draw, with registers that hold anything.
using KeptWaves = std::vector<wave::Storage>;

struct WorkerWave {
  wave::Wave* wave = nullptr;  // of this draw
  wave::Counters counters;
  std::string report;  // why run() returned false

  // From the program's first instruction to its end; `stage` names it in reports, `progress` counts waves that ended.
  bool run(const Shader& program, std::string_view stage, std::atomic<uint64_t>& progress);
  // Waves that follow each other (Executor::run_series), of a program made of this one; `next` counts those that end.
  bool run_series(const Shader& program, wave::Executor& executor, std::string_view stage, std::atomic<uint64_t>& progress,
                  bool (*next)(void* data), void* data);
};

// Of a stage's workers: the first failure, or nothing; what all of them did.
template <class Workers>
std::string report_of(const Workers& workers) {
  for (const WorkerWave& worker : workers)
    if (!worker.report.empty()) return worker.report;
  return {};
}
template <class Workers>
wave::Counters counters_of(const Workers& workers) {
  wave::Counters sum;
  for (const WorkerWave& worker : workers) sum += worker.counters;
  return sum;
}

}  // namespace Atoll::r5xx
