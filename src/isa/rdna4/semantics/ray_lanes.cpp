#include "isa/rdna4/semantics/ray_lanes.h"

#include <xmmintrin.h>

namespace Atoll::rdna4 {
namespace {

struct NearestEven {
  uint32_t saved = _mm_getcsr();
  NearestEven() { _mm_setcsr(0x1f80); }
  ~NearestEven() { _mm_setcsr(saved); }
};

}  // namespace

int answer_rays(RayOperation operation, const BvhDescriptor& descriptor, RayLanes& lanes) {
  NearestEven mode;
  int faulted = -1;
  for (uint32_t rest = lanes.live; rest; rest &= rest - 1) {
    const unsigned l = unsigned(__builtin_ctz(rest));
    Ray& ray = lanes.ray[l];
    if (operation == RayOperation::dual || operation == RayOperation::bvh8)
      for (unsigned axis = 0; axis < 3; axis++) ray.inverse[axis] = 1 / ray.direction[axis];
    lanes.result[l] = ray_result(operation, descriptor, lanes.request[l], ray, lanes.memory[l]);
    if (lanes.result[l].fault && faulted < 0) faulted = int(l);
  }
  return faulted;
}

}  // namespace Atoll::rdna4
