// The counts of a queue's draws, and the numbers that tell whether the last one's state still holds (known_state.h).
#pragma once
#include <cstdint>

#include "pipeline/draw.h"

namespace Atoll::gpu::amd {

// The inputs that a draw's state is found from, as numbers that change with them.
struct DrawOrigin {
  uint64_t registers = 0;    // RegisterFile::changes()
  uint64_t write_backs = 0;  // nothing else may have changed memory without one, nor surfaces
  uint64_t programs = 0;     // ProgramCache::invalidations()
  bool operator==(const DrawOrigin&) const = default;
};

struct DrawCounts {
  pipeline::Counters counters;   // of all draws: occlusion and pipeline statistics
  bool counts = true;            // of draws that begin now: between PIPELINESTAT_START and _STOP
  pipeline::Counters uncounted;  // of `counters`, those of draws that began while it did not

  // Adds the counts of a draw. `counted`: statistics ran when it began.
  void add(const pipeline::Counters& of_draw, bool counted) {
    counters += of_draw;
    if (!counted) uncounted += of_draw;
  }
};

}  // namespace Atoll::gpu::amd
