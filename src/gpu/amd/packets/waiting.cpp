#include "gpu/amd/packets/waiting.h"

#include <fmt/format.h>
#include <time.h>

#include <chrono>

#include "gpu/device/watch.h"
#include "registers/sea_islands.h"

namespace Atoll::gpu::amd {

bool compare(uint32_t function, uint64_t value, uint64_t reference) {
  using Compare = sea_islands::COMPARE;  // the same on all of them
  switch (function) {
    case Compare::LESS: return value < reference;
    case Compare::LESS_OR_EQUAL: return value <= reference;
    case Compare::EQUAL: return value == reference;
    case Compare::NOT_EQUAL: return value != reference;
    case Compare::GREATER_OR_EQUAL: return value >= reference;
    case Compare::GREATER: return value > reference;
    default: return true;
  }
}

bool wait_until(QueueState& c, const std::function<bool()>& satisfied) {
  using clock = std::chrono::steady_clock;
  const double most = c.options.max_still_seconds;
  auto start = clock::now();
  for (unsigned round = 0;; round++) {
    if (satisfied()) return !c.lost();
    if (c.lost()) return false;
    int stop = c.stop.load(std::memory_order_relaxed);
    bool too_long = round >= 64 && most > 0 && std::chrono::duration<double>(clock::now() - start).count() > most;
    if (too_long || stop == stopped_by_watch) return c.lose(fmt::format("waits for {} s: the GPU hangs", most));
    if (stop) return c.lose_stopped();
    if (round < 64) continue;
    timespec pause{0, round < 1000 ? 20'000 : 200'000};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace Atoll::gpu::amd
