// Nodes of four boxes in 32-bit floats, which most steps of a traversal test, for 16 lanes at once: the same bits as ray_query.h has for
// each of them. Compiled once for each host level.
#pragma once
#include "base/host_level.h"
#include "isa/rdna4/semantics/ray_lanes.h"

namespace Atoll::rdna4 {

inline constexpr unsigned boxed_lanes = 16;

// Tests lanes `first` to first + 15 of a bvh or bvh64, whose nodes (box32_bytes) stand at `nodes`; `data` of all 16 is written. A fault
// that reading a node raises may leave by longjmp.
ATOLL_IN_LEVELS(void intersect_box_lanes(const BvhDescriptor& descriptor, const uint8_t* const (&nodes)[ray_chunk],
                                         unsigned first, RayLanes& lanes);)

}  // namespace Atoll::rdna4
