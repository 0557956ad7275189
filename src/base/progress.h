// Counts that only have to move while work advances, for whoever watches it.
#pragma once
#include <atomic>
#include <cstdint>

namespace Atoll {

// Something has ended. Several threads may do so; some ends in a row move the count once, as the count's cache line would otherwise go
// from processor to processor with each of them.
inline void advance(std::atomic<uint64_t>& progress) {
  constexpr uint64_t often = 1 << 20;  // cycles: less than a millisecond
  static thread_local uint64_t last = 0;
  const uint64_t now = __builtin_ia32_rdtsc();
  if (now - last < often) return;
  last = now;
  progress.store(progress.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace Atoll
