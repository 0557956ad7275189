// Counters of waves' work, added up by each worker for itself (add), or by all into one (share).
#pragma once
#include <atomic>
#include <cstdint>

#include "wave/wave.h"

namespace Atoll::wave {

struct Counters {
  uint64_t waves = 0;
  uint64_t compiled = 0, called = 0, interpreted = 0;  // instructions

  uint64_t executed() const { return compiled + called + interpreted; }
  void add(const Wave& w) { waves++, compiled += w.compiled, called += w.called, interpreted += w.interpreted; }
  void share(const Wave& w) {
    auto count = [](uint64_t& n, uint64_t more) { std::atomic_ref(n).fetch_add(more, std::memory_order_relaxed); };
    count(waves, 1), count(compiled, w.compiled), count(called, w.called), count(interpreted, w.interpreted);
  }
  Counters& operator+=(const Counters& o) {
    waves += o.waves, compiled += o.compiled, called += o.called, interpreted += o.interpreted;
    return *this;
  }
};

}  // namespace Atoll::wave
