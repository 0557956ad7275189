// Passages: regions over a file of bytes that a wave goes through one after the other, forwards, compiled as one function.
// Registers stay values from region to region; regions by themselves store them to the wave and read them again.
//
// If a passage meets something that it does not do itself (a guard that fails, a NaN whose bits matter) it restores the state at
// the begin of the current region, and that region's function, or its exact version, begins it anew. Regions that are entered
// from outside have such a function from the beginning; the others, which are most, get theirs when they are first entered
// (Executor::run_alone). A fault in memory is found by going over the passage again, from where the wave stands: before a region
// that cannot be run again together with what comes before (regions.h), the wave is given all that somebody may read.
#pragma once
#include <span>
#include <vector>

#include "wave/jit/access_plan.h"
#include "wave/program.h"

namespace Atoll::wave {

// Places in RegionSet::regions, in the order of the program; the first is where it is entered.
using Passage = std::vector<size_t>;

struct Passages {
  std::vector<Passage> passages;
  std::vector<bool> inside;  // a region: part of a passage, and entered by none and from nowhere else
};

// Finds passages that are entered from outside of all others and have no code yet. `plans`: of each compiled region, with guards.
Passages find_passages(const RegionSet& set, std::span<const AccessPlan> plans);

// The addresses where a region goes on by itself: by a jump, or by falling through.
std::vector<uint64_t> ways_on(const CodeRegion& region);

}  // namespace Atoll::wave
