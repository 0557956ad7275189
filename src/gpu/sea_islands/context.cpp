#include "gpu/sea_islands/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace Atoll::sea_islands {

Context::Context(const Chip& chip, gpu::QueueKind kind, AddressSpace& space, const gpu::Options& options, std::atomic<int>& stop)
    : chip(chip),
      kind(kind),
      space(space),
      options(options),
      stop(stop),
      threads(options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency())) {}

Context::~Context() = default;

std::string Context::place() const { return fmt::format("{} at {:#x}", packet, packet_address); }

void Context::unknown(std::string what) {
  std::lock_guard lock(mutex_);
  auto [at, fresh] = unknown_index_.try_emplace(what, statistics.unknown.size());
  if (fresh) statistics.unknown.push_back({what, place(), 0});
  statistics.unknown[at->second].times++;
  if (!options.strict || lost_) return;
  report_ = fmt::format("{}: {} is not understood (--strict)", place(), what);
  lost_ = true;
}

bool Context::lose(std::string report) {
  std::lock_guard lock(mutex_);
  if (lost_) return false;
  report_ = fmt::format("{}: {}", place(), report);
  lost_ = true;
  return false;
}

std::string Context::report() const {
  std::lock_guard lock(mutex_);
  return report_;
}

uint8_t* Context::memory(uint64_t address, uint64_t bytes, bool write, const char* what) {
  if (space.contains(address, bytes, write)) return space.host(address);
  lose(fmt::format("{} of {} bytes at {:#x}, where {}", what, bytes, address,
                   write && space.contains(address, bytes) ? "memory is read-only" : "nothing is mapped"));
  return nullptr;
}

}  // namespace Atoll::sea_islands
