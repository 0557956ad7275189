// A ray-tracing instruction for 32 lanes: what ray_tracing.h fills and empties.
#pragma once
#include "isa/rdna4/semantics/ray_query.h"

namespace Atoll::rdna4 {

inline constexpr unsigned ray_chunk = 32;  // lanes

// The operands and results of 32 lanes, row by row.
struct RayLanes {
  using Words = uint32_t[ray_chunk];
  using Numbers = float[ray_chunk];

  uint32_t live;
  alignas(64) Words base[2], pointers[2], instance_mask;  // the base's lower halves, then the upper
  Numbers origin[3], direction[3], inverse[3], extent;
  // Results: data, and where a lane's bit in `transformed` is set the ray in the instance's space.
  Words data[10];
  uint32_t transformed;
  Numbers new_origin[3], new_direction[3];
  // Requests of lanes that are worked out one by one.
  RayRequest request[ray_chunk];
  uint32_t memory[ray_chunk][most_node_bytes / 4];
};

// A lane's base (of bvh and bvh64 the node's pointer).
inline uint64_t base_of(const RayLanes& lanes, unsigned lane) {
  return lanes.base[0][lane] | uint64_t(lanes.base[1][lane]) << 32;
}

struct RayFault {
  int lane;  // -1: there is none
  const char* what;
};
// Works `which` out, one by one, in IEEE arithmetic to nearest even whatever the wave's mode. Returns the first lane with a fault.
RayFault answer_rays(RayOperation operation, const BvhDescriptor& descriptor, RayLanes& lanes, uint32_t which);

}  // namespace Atoll::rdna4
