#include "isa/rdna4/semantics/ray_box.h"

namespace Atoll::rdna4 {
namespace {

// The boxes of a node, all at once.
template <unsigned N>
struct Lanes {
  typedef float Floats __attribute__((ext_vector_type(N)));
  typedef int32_t Masks __attribute__((ext_vector_type(N)));
  static Floats choose(Masks condition, Floats a, Floats b) { return condition ? a : b; }
  // Of a number and a NaN the number.
  static Floats larger(Floats a, Floats b) { return choose(b == b, choose(a > b, a, b), a); }
  static Floats smaller(Floats a, Floats b) { return choose(b == b, choose(a < b, a, b), a); }
  static Floats at(const float* values) { return *reinterpret_cast<const Floats*>(values); }
};

bool is_culled(uint32_t box, uint32_t ray) {
  const bool opaque = ((box & ONLY_OPAQUE) || (ray & FORCE_OPAQUE)) && !(ray & FORCE_NON_OPAQUE);
  const bool non_opaque = ((box & ONLY_NON_OPAQUE) || (ray & FORCE_NON_OPAQUE)) && !(ray & FORCE_OPAQUE);
  return (opaque && (ray & CULL_OPAQUE)) || (non_opaque && (ray & CULL_NON_OPAQUE)) ||
         ((box & ONLY_TRIANGLES) && (ray & SKIP_TRIANGLES)) || ((box & ONLY_PROCEDURAL) && (ray & SKIP_PROCEDURAL));
}

struct Entry {
  uint64_t order;  // what counts before the distance (misses last, triangles first), and the distance
  uint32_t child;
};
// A float's bits in the order of the numbers; zeros are equal.
uint32_t ordered(float key) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, key + 0.0f);
  return bits ^ (bits >> 31 ? ~0u : 0x80000000u);
}

// The pairs that the sorting network compares: the first ten leave each half sorted.
constexpr uint8_t network[][2] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {1, 2}, {5, 6},
                                  {0, 4}, {1, 5}, {2, 6}, {3, 7}, {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6}};
constexpr unsigned pairs_of_halves = 10;
constexpr uint8_t network_of_four[][2] = {{0, 2}, {1, 3}, {0, 1}, {2, 3}, {1, 2}};

template <unsigned N>
void intersect(Boxes& boxes, const Ray& ray, const BvhDescriptor& descriptor, const BoxOrder& order) {
  using L = Lanes<N>;
  using Floats = typename L::Floats;
  Floats nearest{}, farthest{};
  for (unsigned axis = 0; axis < 3; axis++) {
    const float inverse = ray.inverse[axis];
    const Floats low = (L::at(boxes.low[axis]) - ray.origin[axis]) * inverse,
                high = (L::at(boxes.high[axis]) - ray.origin[axis]) * inverse;
    const Floats enter = inverse >= 0 ? low : high, leave = inverse >= 0 ? high : low;
    nearest = axis ? L::larger(nearest, enter) : enter;
    farthest = axis ? L::smaller(farthest, leave) : leave;
  }
  // A plane through the origin along which the ray runs is 0 times infinity and says nothing; if all are NaN there is no box.
  const typename L::Masks a_box = (nearest == nearest) & (farthest == farthest);
  const Floats start = L::larger(nearest, Floats(0.0f)), end = L::smaller(farthest, Floats(ray.extent));
  const float grown = 1 + float(descriptor.box_grow) * 0x1p-24f;
  const typename L::Masks met = a_box & (start <= end * grown);

  Floats keys = start;
  if (descriptor.heuristic == BoxSort::largest) keys = start - end;
  if (descriptor.heuristic == BoxSort::closest_midpoint) keys = nearest + farthest;

  alignas(32) float key[N];
  alignas(32) int32_t hit[N];
  *reinterpret_cast<Floats*>(key) = keys, *reinterpret_cast<typename L::Masks*>(hit) = met;
  Entry entries[N];
  uint32_t previous = 0;
  bool comparable = true;
  for (unsigned n = 0; n < N; n++) {
    uint32_t child = hit[n] ? boxes.child[n] : invalid_node;
    const bool again = order.distinct && n && child == previous;
    if (again)
      child = invalid_node;
    else
      previous = child;
    uint32_t rank = child == invalid_node ? 4 : 0;
    if (descriptor.triangles_first) rank |= (node_type(child) > order.last_leaf) * 2u | (node_type(child) != TRIANGLE_1);
    entries[n] = {uint64_t(rank) << 32 | ordered(key[n]), child};
    comparable &= child == invalid_node || key[n] == key[n];
  }
  if (descriptor.box_sort && !boxes.unsorted) {
    const auto* pairs = N == 4 ? network_of_four : network;
    const unsigned count = N == 4 ? sizeof network_of_four / 2 : order.wide ? sizeof network / 2 : pairs_of_halves;
    for (unsigned n = 0; n < count; n++) {
      Entry &a = entries[pairs[n][0]], &b = entries[pairs[n][1]];
      bool swaps = b.order < a.order;
      // A key that is a NaN (infinity less infinity) is neither before nor behind another one.
      if (!comparable && a.order >> 32 == b.order >> 32) [[unlikely]] {
        auto is_nan = [](uint64_t o) { return uint32_t(o) > 0xff800000u || uint32_t(o) < 0x007fffffu; };
        swaps &= !is_nan(a.order) && !is_nan(b.order);
      }
      const Entry low = swaps ? b : a, high = swaps ? a : b;
      a = low, b = high;
    }
  }
  for (unsigned n = 0; n < N; n++) boxes.child[n] = entries[n].child;
}

}  // namespace

void cull_boxes(Boxes& boxes, uint32_t flags) {
  for (unsigned n = 0; n < 8; n++)
    if (is_culled(boxes.flags[n], flags)) boxes.child[n] = invalid_node;
}

void intersect_boxes(Boxes& boxes, const Ray& ray, const BvhDescriptor& descriptor, const BoxOrder& order) {
  if (order.four)
    intersect<4>(boxes, ray, descriptor, order);
  else
    intersect<8>(boxes, ray, descriptor, order);
}

}  // namespace Atoll::rdna4
