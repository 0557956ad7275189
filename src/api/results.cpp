#include "api/results.h"

#include <algorithm>
#include <cmath>

#include "gpu/open/launch.h"

namespace Atoll::api {
namespace {

template <size_t N>
void put_text(char (&to)[N], const std::string& text) {
  const size_t length = std::min(text.size(), N - 1);
  std::copy_n(text.data(), length, to);
  to[length] = 0;
}

uint32_t kind_of(gpu::FaultKind kind) {
  switch (kind) {
    case gpu::FaultKind::Load: return ATOLL_FAULT_LOAD;
    case gpu::FaultKind::Store: return ATOLL_FAULT_STORE;
    case gpu::FaultKind::Atomic: return ATOLL_FAULT_ATOMIC;
    case gpu::FaultKind::InstructionFetch: return ATOLL_FAULT_FETCH;
    case gpu::FaultKind::IllegalInstruction: return ATOLL_FAULT_ILLEGAL;
    case gpu::FaultKind::Other: break;
  }
  return ATOLL_FAULT_OTHER;
}

}  // namespace

Result<void> check_result(atoll_result* result) {
  if (!result) return {};
  atoll_result nothing{};
  nothing.printed = "";
  return write_struct(nothing, result, sizeof(atoll_result), "atoll_result");
}

Result<void> write_result(const hsa::RunResult& run, const std::string& printed, atoll_result* result) {
  if (!result) return {};
  atoll_result full{};
  full.threads = run.threads;
  // The progress of the waves at a fault, and the part of it that is counted, differ between the
  // engines.
  if (!run.fault && !run.stopped) {
    full.waves = run.waves, full.instructions = run.instructions;
    full.compiled = run.compiled, full.called = run.called, full.interpreted = run.interpreted;
  }
  full.compile_seconds = run.compile_seconds, full.run_seconds = run.run_seconds;
  full.printed = printed.c_str(), full.printed_bytes = printed.size();
  if (run.fault) {
    full.faulted = 1;
    full.fault.kind = kind_of(run.fault->kind), full.fault.lane = run.fault->lane;
    std::copy_n(run.fault->group.begin(), 3, full.fault.group);
    full.fault.bytes = run.fault->bytes, full.fault.address = run.fault->address;
    full.fault.instruction_offset = run.fault->pc_offset;
    put_text(full.fault.instruction, run.fault->instruction_text);
    put_text(full.fault.reason, run.fault->other);
  }
  return write_struct(full, result, sizeof(atoll_result), "atoll_result");
}

Result<double> seconds_of(double seconds) {
  constexpr double most = 1e9;
  if (!(seconds >= 0) || seconds > most)
    return refuse(ATOLL_ERROR_ARGUMENT, "a timeout of {} seconds: 0 (none) to {}", seconds, most);
  return seconds;
}

Result<void> outcome(const std::string& kernel, const hsa::RunResult& run, int stop, double seconds) {
  if (run.fault) return refuse(ATOLL_ERROR_FAULT, "{}: {}", kernel, gpu::describe(*run.fault));
  if (!run.stopped) return {};
  if (stop == hsa::stop_timeout) return refuse(ATOLL_ERROR_TIMEOUT, "{}: did not end within {} seconds", kernel, seconds);
  return refuse(ATOLL_ERROR_STOPPED, "{}: ended by atoll_device_stop()", kernel);
}

}  // namespace Atoll::api
