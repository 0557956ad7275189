#include "gpu/amd/register_context.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "pipeline/draw.h"

namespace Atoll::gpu::amd {

RegisterContext::RegisterContext(const Chip& chip, QueueKind kind, AddressSpace& space, const Options& options,
                                 std::atomic<int>& stop, RegisterFile registers, const NotYet& not_yet)
    : QueueState(space, options, stop),
      chip(chip),
      kind(kind),
      registers(std::move(registers)),
      not_yet(not_yet),
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

}  // namespace Atoll::gpu::amd
