#include "gpu/sea_islands/state/register_context.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "base/static_mutex.h"
#include "gpu/sea_islands/state/clear_state.h"
#include "pipeline/draw.h"

namespace Atoll::sea_islands {

namespace {

// Cleared, with what describes the chip.
RegisterFile first_registers(const gpu::Chip& chip) {
  RegisterFile registers(registers_end);
  clear_state(registers);
  for (const ResetValue& r : reset_values(chip)) registers.set(r.address, r.value);
  return registers;
}

const gpu::amd::NotYet& not_yet_of(const gpu::Chip& chip) {
  [[clang::no_destroy]] static StaticMutex mutex;
  [[clang::no_destroy]] static std::map<const gpu::Chip*, gpu::amd::NotYet> all;
  std::lock_guard lock(mutex);
  auto at = all.find(&chip);
  return at != all.end() ? at->second
                         : all.try_emplace(&chip, registers::sea_islands_tables, first_registers(chip)).first->second;
}

}  // namespace

RegisterContext::RegisterContext(const gpu::Chip& chip, gpu::QueueKind kind, AddressSpace& space, const gpu::Options& options,
                                 std::atomic<int>& stop)
    : QueueState(space, options, stop),
      chip(chip),
      config(config_of(chip)),
      kind(kind),
      hardware_queue{.engine = kind == gpu::QueueKind::compute ? 1u : 0u},
      registers(first_registers(chip)),
      not_yet(not_yet_of(chip)),
      threads(options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency())) {}

bool RegisterContext::write_back_targets() {
  write_backs++;
  if (workers) pipeline::write_back(*workers);
  return !lost();
}

uint64_t RegisterContext::clock() {
  if (options.deterministic) return ++clock_reads_;
  using namespace std::chrono;
  auto now = duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
  return uint64_t(static_cast<unsigned __int128>(now) * chip.crystal_clock / 1'000'000);
}

}  // namespace Atoll::sea_islands
