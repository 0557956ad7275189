#include "isa/rdna4/semantics/ray_box.h"

#include <utility>

namespace Atoll::rdna4 {
namespace {

typedef float Eight __attribute__((ext_vector_type(8)));
typedef int32_t EightMasks __attribute__((ext_vector_type(8)));

Eight choose(EightMasks condition, Eight a, Eight b) { return condition ? a : b; }
// Of a number and a NaN the number.
Eight larger(Eight a, Eight b) { return choose(b == b, choose(a > b, a, b), a); }
Eight smaller(Eight a, Eight b) { return choose(b == b, choose(a < b, a, b), a); }
Eight at(const float (&values)[8]) { return *reinterpret_cast<const Eight*>(values); }

bool is_culled(uint32_t box, uint32_t ray) {
  const bool opaque = ((box & ONLY_OPAQUE) || (ray & FORCE_OPAQUE)) && !(ray & FORCE_NON_OPAQUE);
  const bool non_opaque = ((box & ONLY_NON_OPAQUE) || (ray & FORCE_NON_OPAQUE)) && !(ray & FORCE_OPAQUE);
  return (opaque && (ray & CULL_OPAQUE)) || (non_opaque && (ray & CULL_NON_OPAQUE)) ||
         ((box & ONLY_TRIANGLES) && (ray & SKIP_TRIANGLES)) || ((box & ONLY_PROCEDURAL) && (ray & SKIP_PROCEDURAL));
}

struct Entry {
  uint32_t rank;  // what counts before the distance: misses last, triangles first
  float key;
  uint32_t child;
};

// The pairs that the sorting network compares: the first ten leave each half sorted.
constexpr uint8_t network[][2] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {1, 2}, {5, 6},
                                  {0, 4}, {1, 5}, {2, 6}, {3, 7}, {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6}};
constexpr unsigned pairs_of_halves = 10;

}  // namespace

void cull_boxes(Boxes& boxes, uint32_t flags) {
  for (unsigned n = 0; n < 8; n++)
    if (is_culled(boxes.flags[n], flags)) boxes.child[n] = invalid_node;
}

void intersect_boxes(Boxes& boxes, const Ray& ray, const BvhDescriptor& descriptor, const BoxOrder& order) {
  Eight nearest{}, farthest{};
  for (unsigned axis = 0; axis < 3; axis++) {
    const float inverse = ray.inverse[axis];
    const Eight low = (at(boxes.low[axis]) - ray.origin[axis]) * inverse,
                high = (at(boxes.high[axis]) - ray.origin[axis]) * inverse;
    const Eight enter = inverse >= 0 ? low : high, leave = inverse >= 0 ? high : low;
    nearest = axis ? larger(nearest, enter) : enter;
    farthest = axis ? smaller(farthest, leave) : leave;
  }
  // A plane through the origin along which the ray runs is 0 times infinity and says nothing; if all are NaN there is no box.
  const EightMasks a_box = (nearest == nearest) & (farthest == farthest);
  const Eight start = larger(nearest, Eight(0.0f)), end = smaller(farthest, Eight(ray.extent));
  const float grown = 1 + float(descriptor.box_grow) * 0x1p-24f;
  const EightMasks met = a_box & (start <= end * grown);

  Eight keys = start;
  if (descriptor.heuristic == BoxSort::largest) keys = start - end;
  if (descriptor.heuristic == BoxSort::closest_midpoint) keys = nearest + farthest;

  Entry entries[8];
  uint32_t previous = 0;
  for (unsigned n = 0; n < 8; n++) {
    uint32_t child = met[n] ? boxes.child[n] : invalid_node;
    const bool again = order.distinct && n && child == previous;
    if (again)
      child = invalid_node;
    else
      previous = child;
    uint32_t rank = child == invalid_node ? 4 : 0;
    if (descriptor.triangles_first) rank |= (node_type(child) > order.last_leaf) * 2u | (node_type(child) != TRIANGLE_1);
    entries[n] = {rank, keys[n], child};
  }
  if (descriptor.box_sort && !boxes.unsorted) {
    const unsigned pairs = order.wide ? sizeof network / sizeof *network : pairs_of_halves;
    for (unsigned n = 0; n < pairs; n++) {
      Entry &a = entries[network[n][0]], &b = entries[network[n][1]];
      if (b.rank != a.rank ? b.rank < a.rank : b.key < a.key) std::swap(a, b);
    }
  }
  for (unsigned n = 0; n < 8; n++) boxes.child[n] = entries[n].child;
}

}  // namespace Atoll::rdna4
