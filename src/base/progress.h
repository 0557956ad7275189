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

// The same for the n-th of short ends in a row: to ask for the time takes a tenth as long as some of them do.
inline void advance_in_a_row(std::atomic<uint64_t>& progress, uint64_t n) {
  if (n % 8 == 0) advance(progress);
}

}  // namespace Atoll
