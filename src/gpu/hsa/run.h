// Options and results of a dispatch, whichever GPU runs it.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device/checks.h"
#include "gpu/device/engine.h"
#include "gpu/device/fault.h"

namespace Atoll::hsa {

using gpu::Engine;

inline constexpr int stop_timeout = 1, stop_signal = 2, stop_fault = 3;  // the last one: another wave faulted

// Code in GPU memory that waves go into by traps and exceptions, and an address that is kept for it (RDNA4's TBA and TMA).
struct TrapHandler {
  uint64_t address = 0, bytes = 0;  // 0: there is none
  uint64_t memory = 0;
};

struct RunOptions {
  Engine engine = Engine::Auto;
  unsigned threads = 0;              // 0: as many as the machine has
  bool deterministic = false;        // work-groups in order
  std::atomic<int>* stop = nullptr;  // not 0: stop soon (stop_timeout, stop_signal)
  unsigned repeat = 1;               // runs the dispatch so many times over (for timing): results are those of the last
  std::shared_ptr<gpu::Findings> findings = nullptr;  // gpu::Options::findings
  TrapHandler trap_handler{};                         // on RDNA4
};

using gpu::Fault;
using gpu::FaultKind;

struct RunResult {
  uint64_t waves = 0, instructions = 0;
  uint64_t compiled = 0, called = 0, interpreted = 0;  // of the instructions
  double compile_seconds = 0, run_seconds = 0;         // on all threads; wall clock of one run (the median of all but the first)
  uint64_t instructions_compiled = 0;                  // that went through the code generator, all tiers
  unsigned threads = 0;
  std::string engine;
  std::optional<Fault> fault;
  bool stopped = false;              // by options.stop
  std::vector<std::string> unknown;  // what it met that is not modelled, each once
};

}  // namespace Atoll::hsa
