#include "isa/rdna4/semantics/ray_box.h"

#include <cstddef>
#include <limits>

namespace Atoll::rdna4 {
namespace {

// The boxes of a node, all at once.
template <unsigned N>
struct Lanes {
  typedef float Floats __attribute__((ext_vector_type(N)));
  typedef int32_t Masks __attribute__((ext_vector_type(N)));
  static Floats choose(Masks condition, Floats a, Floats b) { return condition ? a : b; }
  // A number and a NaN give the number.
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

// A float's bits in the order of the numbers; zeros are equal, and what is no number (infinity less infinity) comes last.
uint32_t ordered(float key) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, key == key ? key + 0.0f : std::numeric_limits<float>::infinity());
  return bits ^ (bits >> 31 ? ~0u : 0x80000000u);
}

// A child in the sorting network: its number in the low bits, above them its distance, above that what counts before the distance
// (misses last, triangles first). Entries that differ in the number alone keep their order.
constexpr unsigned number_bits = 3;
using Entry = uint64_t;
using Pair = uint8_t[2];
template <size_t count>
void sort(Entry* entries, const Pair (&pairs)[count]) {
#pragma unroll
  for (size_t n = 0; n < count; n++) {
    Entry &a = entries[pairs[n][0]], &b = entries[pairs[n][1]];
    const bool swaps = b >> number_bits < a >> number_bits;
    const Entry low = swaps ? b : a, high = swaps ? a : b;
    a = low, b = high;
  }
}
constexpr Pair four[] = {{0, 2}, {1, 3}, {0, 1}, {2, 3}, {1, 2}};
constexpr Pair halves[] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {1, 2}, {5, 6}};
constexpr Pair both[] = {{0, 4}, {1, 5}, {2, 6}, {3, 7}, {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6}};

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
  uint32_t child[N], previous = 0;
  for (unsigned n = 0; n < N; n++) {
    child[n] = hit[n] ? boxes.child[n] : invalid_node;
    const bool again = order.distinct && n && child[n] == previous;
    if (again)
      child[n] = invalid_node;
    else
      previous = child[n];
    uint32_t rank = child[n] == invalid_node ? 4 : 0;
    if (descriptor.triangles_first) rank |= (node_type(child[n]) > order.last_leaf) * 2u | (node_type(child[n]) != TRIANGLE_1);
    entries[n] = (uint64_t(rank) << 32 | ordered(key[n])) << number_bits | n;
  }
  if (descriptor.box_sort && !boxes.unsorted) {
    if constexpr (N == 4) {
      sort(entries, four);
    } else {
      sort(entries, halves);
      if (order.wide) sort(entries, both);
    }
  }
  for (unsigned n = 0; n < N; n++) boxes.child[n] = child[entries[n] & (N - 1)];
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
