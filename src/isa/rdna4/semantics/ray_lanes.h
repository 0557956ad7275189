// A ray-tracing instruction for 32 lanes: what ray_tracing.h fills and empties.
#pragma once
#include "isa/rdna4/semantics/ray_query.h"

namespace Atoll::rdna4 {

inline constexpr unsigned ray_chunk = 32;  // lanes

// The operands and results of 32 lanes.
struct RayLanes {
  uint32_t live;
  uint64_t base[ray_chunk];
  uint32_t pointers[ray_chunk][2];
  Ray ray[ray_chunk];
  RayRequest request[ray_chunk];
  uint32_t memory[ray_chunk][most_node_bytes / 4];
  RayResult result[ray_chunk];
};
// Works all live lanes out, in IEEE arithmetic to nearest even whatever the wave's mode. The first lane with a fault, or -1.
int answer_rays(RayOperation operation, const BvhDescriptor& descriptor, RayLanes& lanes);

}  // namespace Atoll::rdna4
