#include "wave/work_group.h"

#include <fmt/format.h>

namespace Atoll::wave {
namespace {

void complete_named(WorkGroup& group, uint32_t number) {
  NamedBarrier& barrier = group.named[number];
  if (barrier.signals < barrier.members) return;
  barrier.signals = 0;
  for (Wave* wave : group.waves) wave->named_complete |= wave->named_barrier == number;
}

}  // namespace

void init_named(WorkGroup& group, uint32_t number, uint32_t members) {
  NamedBarrier& barrier = group.named[number];
  if (members) barrier.members = uint8_t(members);
  barrier.signals = 0;
}

void join_named(Wave& wave, uint32_t number) {
  wave.named_barrier = uint8_t(number);
  wave.named_complete = false;
}

bool signal_named(WorkGroup& group, uint32_t number, uint32_t members) {
  NamedBarrier& barrier = group.named[number];
  if (members) barrier.members = uint8_t(members);
  bool first = barrier.signals++ == 0;
  complete_named(group, number);
  return first;
}

bool leave_named(WorkGroup& group, Wave& wave) {
  const uint32_t number = wave.named_barrier;
  join_named(wave, 0);
  if (!number) return true;
  NamedBarrier& barrier = group.named[number];
  if (barrier.members) barrier.members--;
  complete_named(group, number);
  return barrier.members == 0;
}

void wake(WorkGroup& group, const Wave& wave, uint32_t named) {
  for (Wave* other : group.waves) {
    if (other == &wave || is_over(group, other->index) || (named && other->named_barrier != named)) continue;
    // A wave that sleeps for a time wakes at its next turn anyhow.
    if (other->stop != Stop::Yield) other->wakeup_credit = true;
  }
}

std::string what_it_waits_for(const Wave& wave) {
  switch (wave.waits_for) {
    case WaitsFor::Named: {
      if (!wave.group) break;
      const NamedBarrier& barrier = wave.group->named[wave.named_barrier];
      return fmt::format("waits at named barrier {}, which has {} signals of {}", wave.named_barrier, barrier.signals,
                         barrier.members);
    }
    case WaitsFor::Trap: return "waits at the trap handlers' barrier, which the work-group's other waves never reach";
    case WaitsFor::Wakeup: return "sleeps for ever, and no wave is left that could wake it";
    default: break;
  }
  return "waits at a barrier that the work-group's other waves never reach";
}

}  // namespace Atoll::wave
