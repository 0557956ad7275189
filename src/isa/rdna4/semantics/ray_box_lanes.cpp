#include "isa/rdna4/semantics/ray_box_lanes.h"

#include <bit>
#include <cstring>
#include <limits>

#include "isa/rdna4/semantics/ray_mode.h"

namespace Atoll::rdna4::ATOLL_LEVEL {
namespace {

typedef float Floats __attribute__((ext_vector_type(16)));
typedef uint32_t Words __attribute__((ext_vector_type(16)));
typedef int32_t Masks __attribute__((ext_vector_type(16)));
typedef uint32_t Four __attribute__((ext_vector_type(4)));
typedef uint32_t Eight __attribute__((ext_vector_type(8)));

template <class V>
[[gnu::always_inline]] inline V load(const void* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

// The first words of a lane's node, by word. A box32: four children, then of each the low and the high corner, then the children's flags.
constexpr unsigned flags_word = 28, node_words = 32;
struct Nodes {
  alignas(64) Words word[node_words];
};

// Four words of 16 nodes, turned: pairs of lanes and then fours of them inside each quarter of a vector.
[[gnu::always_inline]] inline void turn(const uint8_t* const* nodes, unsigned first_word, Words* out) {
  Words of[4];
  for (unsigned n = 0; n < 4; n++) {
    auto part = [&](unsigned quarter) { return load<Four>(nodes[4 * quarter + n] + 4 * first_word); };
    const Eight low = __builtin_shufflevector(part(0), part(1), 0, 1, 2, 3, 4, 5, 6, 7),
                high = __builtin_shufflevector(part(2), part(3), 0, 1, 2, 3, 4, 5, 6, 7);
    of[n] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  }
  auto low = [](Words a, Words b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
  };
  auto high = [](Words a, Words b) {
    return __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  };
  auto low_pairs = [](Words a, Words b) {
    return __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
  };
  auto high_pairs = [](Words a, Words b) {
    return __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
  };
  const Words low01 = low(of[0], of[1]), low23 = low(of[2], of[3]), high01 = high(of[0], of[1]), high23 = high(of[2], of[3]);
  out[0] = low_pairs(low01, low23), out[1] = high_pairs(low01, low23);
  out[2] = low_pairs(high01, high23), out[3] = high_pairs(high01, high23);
}

// A number and a NaN give the number (ray_box.cpp).
[[gnu::always_inline]] inline Floats larger(Floats a, Floats b) { return b == b ? (a > b ? a : b) : a; }
[[gnu::always_inline]] inline Floats smaller(Floats a, Floats b) { return b == b ? (a < b ? a : b) : a; }

// All bits where a child is left out of account (is_culled in ray_box.cpp); `box`, `ray`: its flags and the pointer's.
[[gnu::always_inline]] inline Masks culled(Words box, Words ray) {
  auto has = [](Words flags, uint32_t bit) { return (flags & bit) != 0; };
  const Masks opaque = (has(box, ONLY_OPAQUE) | has(ray, FORCE_OPAQUE)) & ~has(ray, FORCE_NON_OPAQUE);
  const Masks non_opaque = (has(box, ONLY_NON_OPAQUE) | has(ray, FORCE_NON_OPAQUE)) & ~has(ray, FORCE_OPAQUE);
  return (opaque & has(ray, CULL_OPAQUE)) | (non_opaque & has(ray, CULL_NON_OPAQUE)) |
         (has(box, ONLY_TRIANGLES) & has(ray, SKIP_TRIANGLES)) | (has(box, ONLY_PROCEDURAL) & has(ray, SKIP_PROCEDURAL));
}

// A child in the sorting network: first by rank (misses last, triangles first), then by distance as an integer in the order of the numbers.
template <bool Ranked>
struct Child {
  Words pointer, key, rank;
  [[gnu::always_inline]] static void sort(Child& a, Child& b) {
    Masks swaps = b.key < a.key;
    if constexpr (Ranked) swaps = (b.rank < a.rank) | ((b.rank == a.rank) & swaps);
    auto exchange = [&](Words& x, Words& y) {
      const Words low = swaps ? y : x, high = swaps ? x : y;
      x = low, y = high;
    };
    exchange(a.pointer, b.pointer), exchange(a.key, b.key);
    if constexpr (Ranked) exchange(a.rank, b.rank);
  }
};

template <bool Ranked>
[[gnu::always_inline]] inline void intersect(const BvhDescriptor& descriptor, const Nodes& nodes, const Words* left_out,
                                             unsigned first, RayLanes& lanes) {
  Floats origin[3], inverse[3];
  Masks forwards[3];
  for (unsigned axis = 0; axis < 3; axis++) {
    origin[axis] = load<Floats>(lanes.origin[axis] + first), inverse[axis] = load<Floats>(lanes.inverse[axis] + first);
    forwards[axis] = inverse[axis] >= 0.0f;
  }
  const Floats extent = load<Floats>(lanes.extent + first), zero = 0.0f;
  const float grown = 1 + float(descriptor.box_grow) * 0x1p-24f;
  Child<Ranked> children[4];
  for (unsigned n = 0; n < 4; n++) {
    Floats nearest = zero, farthest = zero;
    for (unsigned axis = 0; axis < 3; axis++) {
      const Floats low = (std::bit_cast<Floats>(nodes.word[4 + 6 * n + axis]) - origin[axis]) * inverse[axis],
                   high = (std::bit_cast<Floats>(nodes.word[7 + 6 * n + axis]) - origin[axis]) * inverse[axis];
      const Floats enter = forwards[axis] ? low : high, leave = forwards[axis] ? high : low;
      nearest = axis ? larger(nearest, enter) : enter;
      farthest = axis ? smaller(farthest, leave) : leave;
    }
    const Masks a_box = (nearest == nearest) & (farthest == farthest);
    const Floats start = larger(nearest, zero), end = smaller(farthest, extent);
    Masks met = a_box & (start <= end * grown);
    if (left_out) met &= left_out[n] == 0;
    Floats key = start;
    if (descriptor.heuristic == BoxSort::largest) key = start - end;
    if (descriptor.heuristic == BoxSort::closest_midpoint) key = nearest + farthest;
    const Floats infinity = std::numeric_limits<float>::infinity();
    const Words bits = std::bit_cast<Words>(key == key ? key + zero : infinity);
    Child<Ranked>& child = children[n];
    child.pointer = met ? nodes.word[n] : Words(invalid_node);
    child.key = bits ^ ((Words)((Masks)bits >> 31) | 0x80000000u);
    const Masks none = child.pointer == invalid_node;
    if constexpr (Ranked) {
      const Words type = child.pointer & 7, zeros = 0;
      child.rank = (none ? Words(4) : zeros) | (type > uint32_t(TRIANGLE_3) ? Words(2) : zeros) |
                   (type != uint32_t(TRIANGLE_1) ? Words(1) : zeros);
    } else {
      child.key = none ? Words(~0u) : child.key;  // behind every distance
    }
  }
  if (descriptor.box_sort)
    for (auto [a, b] : {std::pair{0, 2}, {1, 3}, {0, 1}, {2, 3}, {1, 2}}) Child<Ranked>::sort(children[a], children[b]);
  for (unsigned n = 0; n < 4; n++) std::memcpy(lanes.data[n] + first, &children[n].pointer, sizeof(Words));
}

[[gnu::noinline]] void test_nodes(const BvhDescriptor& descriptor, const Nodes& nodes, const Words* left_out, unsigned first,
                                  RayLanes& lanes) {
  if (descriptor.triangles_first)
    intersect<true>(descriptor, nodes, left_out, first, lanes);
  else
    intersect<false>(descriptor, nodes, left_out, first, lanes);
}

}  // namespace

void intersect_box_lanes(const BvhDescriptor& descriptor, const uint8_t* const (&nodes)[ray_chunk], unsigned first,
                         RayLanes& lanes) {
  Nodes turned;
  for (unsigned word = 0; word < flags_word; word += 4) turn(nodes + first, word, turned.word + word);
  Words left_out[4];
  bool some = false;
  if (descriptor.pointer_flags) {
    constexpr uint32_t culling = CULL_OPAQUE | CULL_NON_OPAQUE | SKIP_TRIANGLES | SKIP_PROCEDURAL;
    const Words flags = load<Words>(lanes.base[1] + first) >> (pointer_flags_shift - 32);
    const Words asked = flags & culling;
    some = __builtin_reduce_or(asked) != 0;
    if (some) {
      turn(nodes + first, flags_word, turned.word + flags_word);
      for (unsigned n = 0; n < 4; n++) left_out[n] = (Words)culled(turned.word[flags_word] >> 8 * n & 0xff, flags);
    }
  }
  NearestEven mode;
  test_nodes(descriptor, turned, some ? left_out : nullptr, first, lanes);
}

}  // namespace Atoll::rdna4::ATOLL_LEVEL
