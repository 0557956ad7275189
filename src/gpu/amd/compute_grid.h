// The extent of a dispatch on AMD's families: work-groups from a start to an end, with fewer threads in the last ones of a direction.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "gpu/device/reports.h"

namespace Atoll::gpu::amd {

struct GridExtent {
  uint32_t begin[3], end[3];     // work-groups
  uint32_t full[3], partial[3];  // threads of a group, and of the last one of a direction

  // A number beyond the counter's range counts as its largest value: no run would ever reach it.
  uint64_t groups() const {
    auto all = static_cast<unsigned __int128>(uint64_t(end[0] - begin[0]) * (end[1] - begin[1])) * (end[2] - begin[2]);
    return all > UINT64_MAX ? UINT64_MAX : uint64_t(all);
  }
  uint32_t threads(unsigned axis, uint32_t group) const { return group + 1 == end[axis] ? partial[axis] : full[axis]; }
};

// The registers of a dispatch by direction.
struct GridRegisters {
  uint32_t start[3], full[3], partial[3];  // COMPUTE_START_*, COMPUTE_NUM_THREAD_*.NUM_THREAD_FULL and _PARTIAL
};

// The work-groups that a packet asks for, and the threads of the largest one; 0: there are none, or the context is lost. `Initiator`: the
// family's COMPUTE_DISPATCH_INITIATOR.
template <class Initiator, class Call>
uint64_t read_extent(Reports& reports, const Call& call, const GridRegisters& r, uint64_t max_threads, GridExtent& g) {
  uint64_t threads = 1;
  for (unsigned axis = 0; axis < 3; axis++) {
    uint32_t full = r.full[axis], partial = full, count = call.groups[axis];
    if (full == 0) return reports.lose(fmt::format("work-groups of 0 threads in direction {}", "xyz"[axis]));
    if (Initiator::USE_THREAD_DIMENSIONS::get(call.initiator)) {
      if (count % full) partial = count % full;
      count = count / full + (count % full != 0);
    } else if (Initiator::PARTIAL_TG_EN::get(call.initiator) && r.partial[axis]) {
      partial = r.partial[axis];
    }
    g.full[axis] = full, g.partial[axis] = partial;
    // Sizes in the packet are where the grid ends, not how far it reaches from its start (Mesa 25.0.7 radv_cmd_buffer.c,
    // radv_emit_dispatch_packets).
    g.begin[axis] = Initiator::FORCE_START_AT_000::get(call.initiator) ? 0 : r.start[axis];
    g.end[axis] = count;
    if (g.begin[axis] >= g.end[axis]) return 0;
    threads *= std::max(full, partial);
    if (threads > max_threads) return reports.lose(fmt::format("work-groups of more than {} threads", max_threads));
  }
  return threads;
}

}  // namespace Atoll::gpu::amd
