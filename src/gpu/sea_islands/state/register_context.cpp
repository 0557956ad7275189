#include "gpu/sea_islands/state/register_context.h"

#include <map>
#include <mutex>

#include "base/static_mutex.h"
#include "gpu/sea_islands/state/clear_state.h"

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
    : gpu::amd::RegisterContext(chip, kind, space, options, stop, first_registers(chip), not_yet_of(chip)),
      config(config_of(chip)),
      hardware_queue{.engine = kind == gpu::QueueKind::compute ? 1u : 0u} {}

}  // namespace Atoll::sea_islands
