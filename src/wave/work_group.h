// The waves that share LDS and barriers. All waves of a work-group take turns on one thread, so plain counters suffice.
// RDNA4 ISA 5.6: split barriers (signal, then wait); waves that have ended count as signalled. Named barriers: LLVM's
// AMDGPUExecutionSynchronization document (GFX12).
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "base/shared_range.h"
#include "wave/wave.h"

namespace Atoll::wave {

// A barrier that counts signals of any waves; the waves that have joined it pass when it has as many signals as members.
struct NamedBarrier {
  uint8_t members = 0, signals = 0;
};
inline constexpr uint32_t named_barriers = 16;  // numbered from 1

struct WorkGroup {
  uint32_t members = 0;                           // waves started
  uint32_t ended = 0;                             // of them
  uint32_t signals = 0;                           // of the current round
  uint32_t completed = 0;                         // rounds of the work-group barrier
  uint64_t over[16] = {};                         // a bit for each wave: it has ended
  Wave* current = nullptr;                        // the wave that runs, or ran last
  uint32_t trap_signals = 0, trap_completed = 0;  // of the trap handlers' barrier
  NamedBarrier named[named_barriers + 1];
  std::span<Wave* const> waves;  // all of them; empty: there is only the current one
  // The range from which this grid's work-groups are handed out, this one among them; null if the number of following groups is
  // unknown.
  const SharedRange* grid = nullptr;
};

inline void reset(WorkGroup& group, uint32_t waves) {
  const SharedRange* grid = group.grid;
  group = {};
  group.members = waves;
  group.grid = grid;
}

inline void complete_if_all(WorkGroup& group) {
  if (group.signals && group.signals + group.ended >= group.members) group.signals = 0, group.completed++;
  if (group.trap_signals && group.trap_signals + group.ended >= group.members) group.trap_signals = 0, group.trap_completed++;
}

// The wave arrives; true if it is the first of this round.
inline bool signal(WorkGroup& group) {
  bool first = group.signals++ == 0;
  complete_if_all(group);
  return first;
}
inline bool signal_trap(WorkGroup& group) {
  bool first = group.trap_signals++ == 0;
  complete_if_all(group);
  return first;
}

inline bool is_over(const WorkGroup& group, size_t wave) { return group.over[wave / 64] >> wave % 64 & 1; }

// The wave of that number has ended. (It stays a member of named barriers.)
inline void leave(WorkGroup& group, size_t wave) {
  group.over[wave / 64] |= uint64_t(1) << wave % 64;
  group.ended++;
  complete_if_all(group);
}

// The wave waits: it passes at once if a round that it has not passed yet is complete, else it stops until may_resume().
inline bool may_resume(const WorkGroup& group, Wave& wave) {
  switch (wave.waits_for) {
    case WaitsFor::Group:
      if (group.completed <= wave.barriers_passed) return false;
      wave.barriers_passed = group.completed;
      break;
    case WaitsFor::Named:
      if (!wave.named_complete) return false;
      wave.named_complete = false;
      break;
    case WaitsFor::Trap:
      if (group.trap_completed <= wave.trap_barriers_passed) return false;
      wave.trap_barriers_passed = group.trap_completed;
      break;
    case WaitsFor::Wakeup:
      if (!wave.wakeup_credit) return false;
      wave.wakeup_credit = false;
      break;
    case WaitsFor::Turn: break;
  }
  wave.waits_for = WaitsFor::Group;
  wave.waits_at_barrier = false;
  return true;
}
inline void wait(const WorkGroup& group, Wave& wave, WaitsFor what = WaitsFor::Group) {
  wave.waits_for = what;
  if (may_resume(group, wave)) return;
  wave.waits_at_barrier = true;
  wave.resume = nullptr;
  wave.stop = Stop::Barrier;
}

// --- named barriers; `number` is one of theirs
// Sets the barrier's members, and no signals.
void init_named(WorkGroup& group, uint32_t number, uint32_t members);
// Makes the wave join this barrier; 0: none.
void join_named(Wave& wave, uint32_t number);
// Signals, with a new number of members unless that is 0; true if it is the first signal of this round.
bool signal_named(WorkGroup& group, uint32_t number, uint32_t members);
// Removes the wave from the barrier that it has joined; true if no member is left.
bool leave_named(WorkGroup& group, Wave& wave);

// --- sleep
// Wakes all sleeping waves of the group except `wave`; a wave that is awake skips its next sleep. `named`: only waves that have
// joined that barrier.
void wake(WorkGroup& group, const Wave& wave, uint32_t named = 0);

// The reason for which a wave waits, as text: "waits at ...".
std::string what_it_waits_for(const Wave& wave);

}  // namespace Atoll::wave
