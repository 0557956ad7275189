// The waves that share LDS and barriers. All waves of a work-group take turns on one thread, so plain counters suffice.
// RDNA4 ISA 5.6: split barriers (signal, then wait); waves that have ended count as signalled.
#pragma once
#include <cstdint>

#include "wave/wave.h"

namespace Atoll::wave {

struct WorkGroup {
  uint32_t members = 0;     // waves started
  uint32_t ended = 0;       // of them
  uint32_t signals = 0;     // of the current round
  uint32_t completed = 0;   // rounds of the work-group barrier
  uint64_t over[16] = {};   // a bit for each wave: it has ended
  Wave* current = nullptr;  // the wave that runs, or ran last
};

inline void reset(WorkGroup& group, uint32_t waves) { group = {.members = waves}; }

inline void complete_if_all(WorkGroup& group) {
  if (group.signals && group.signals + group.ended >= group.members) group.signals = 0, group.completed++;
}

// The wave arrives; true if it is the first of this round.
inline bool signal(WorkGroup& group) {
  bool first = group.signals++ == 0;
  complete_if_all(group);
  return first;
}

inline bool is_over(const WorkGroup& group, size_t wave) { return group.over[wave / 64] >> wave % 64 & 1; }

// The wave of that number has ended.
inline void leave(WorkGroup& group, size_t wave) {
  group.over[wave / 64] |= uint64_t(1) << wave % 64;
  group.ended++;
  complete_if_all(group);
}

// The wave waits: it passes at once if a round that it has not passed yet is complete, else it stops until may_resume().
inline bool may_resume(const WorkGroup& group, Wave& wave) {
  if (group.completed <= wave.barriers_passed) return false;
  wave.barriers_passed = group.completed;
  wave.waits_at_barrier = false;
  return true;
}
inline void wait(const WorkGroup& group, Wave& wave) {
  if (may_resume(group, wave)) return;
  wave.waits_at_barrier = true;
  wave.resume = nullptr;
  wave.stop = Stop::Barrier;
}

}  // namespace Atoll::wave
