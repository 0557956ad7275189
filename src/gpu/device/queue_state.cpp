#include "gpu/device/queue_state.h"

#include <fmt/format.h>

#include <cstring>

#include "gpu/device/watch.h"

namespace Atoll::gpu {

std::string QueueState::why_stopped(const std::string& where) const {
  const std::string why = stop.load() != stopped_by_watch
                              ? "stopped"
                              : fmt::format("nothing moved for {} s: the GPU hangs", options.max_still_seconds);
  return where.empty() ? why : fmt::format("{} ({})", why, where);
}

void QueueState::end_draw(Kept& reports, bool good) {
  if (good || lost())
    say(reports);
  else
    say(reports, (stop ? why_stopped() : "the draw failed").c_str());
}

bool QueueState::unmapped(uint64_t address, uint64_t bytes, const char* what) {
  return lose(fmt::format("{} of {} bytes at {:#x}, where nothing is mapped", what, bytes, address));
}

uint8_t* QueueState::memory(uint64_t address, uint64_t bytes, bool write, const char* what) {
  if (space.contains(address, bytes, write)) return space.host(address);
  lose(fmt::format("{} of {} bytes at {:#x}, where {}", what, bytes, address,
                   write && space.contains(address, bytes) ? "memory is read-only" : "nothing is mapped"));
  return nullptr;
}

bool QueueState::read(uint64_t address, void* to, size_t bytes, const char* what) {
  if (bytes == 0) return true;
  const uint8_t* from = memory(address, bytes, false, what);
  if (!from) return false;
  return guarded(address, bytes, what, [&] {
    if (bytes == 4 && address % 4 == 0) {
      uint32_t value = __atomic_load_n(reinterpret_cast<const uint32_t*>(from), __ATOMIC_ACQUIRE);
      std::memcpy(to, &value, 4);
    } else if (bytes == 8 && address % 8 == 0) {
      uint64_t value = __atomic_load_n(reinterpret_cast<const uint64_t*>(from), __ATOMIC_ACQUIRE);
      std::memcpy(to, &value, 8);
    } else {
      std::memcpy(to, from, bytes);
    }
  });
}

bool QueueState::write(uint64_t address, const void* from, size_t bytes, const char* what) {
  if (bytes == 0) return true;
  uint8_t* to = memory(address, bytes, true, what);
  if (!to) return false;
  return guarded(address, bytes, what, [&] {
    if (bytes == 4 && address % 4 == 0) {
      uint32_t value;
      std::memcpy(&value, from, 4);
      __atomic_store_n(reinterpret_cast<uint32_t*>(to), value, __ATOMIC_RELEASE);
    } else if (bytes == 8 && address % 8 == 0) {
      uint64_t value;
      std::memcpy(&value, from, 8);
      __atomic_store_n(reinterpret_cast<uint64_t*>(to), value, __ATOMIC_RELEASE);
    } else {
      std::memcpy(to, from, bytes);
    }
  });
}

}  // namespace Atoll::gpu
