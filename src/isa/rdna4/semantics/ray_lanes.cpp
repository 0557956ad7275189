#include "isa/rdna4/semantics/ray_lanes.h"

#include "isa/rdna4/semantics/ray_mode.h"

namespace Atoll::rdna4 {

RayFault answer_rays(RayOperation operation, const BvhDescriptor& descriptor, RayLanes& lanes, uint32_t which) {
  NearestEven mode;
  const bool eight = operation == RayOperation::dual || operation == RayOperation::bvh8;
  RayFault fault{-1, nullptr};
  for (uint32_t rest = which; rest; rest &= rest - 1) {
    const unsigned l = unsigned(__builtin_ctz(rest));
    Ray ray;
    for (unsigned axis = 0; axis < 3; axis++) {
      ray.origin[axis] = lanes.origin[axis][l], ray.direction[axis] = lanes.direction[axis][l];
      ray.inverse[axis] = eight ? 1 / ray.direction[axis] : lanes.inverse[axis][l];
    }
    ray.extent = lanes.extent[l], ray.instance_mask = eight ? lanes.instance_mask[l] : 0;
    const RayResult result = ray_result(operation, descriptor, lanes.request[l], ray, lanes.memory[l]);
    if (result.fault && fault.lane < 0) fault = {int(l), result.fault};
    for (unsigned n = 0; n < (eight ? 10 : 4); n++) lanes.data[n][l] = result.data[n];
    if (!result.transformed) continue;
    lanes.transformed |= 1u << l;
    for (unsigned axis = 0; axis < 3; axis++)
      lanes.new_origin[axis][l] = result.origin[axis], lanes.new_direction[axis][l] = result.direction[axis];
  }
  return fault;
}

}  // namespace Atoll::rdna4
