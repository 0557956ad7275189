#include "isa/rdna4/semantics/ray_descriptor.h"

namespace Atoll::rdna4 {

BvhDescriptor bvh_descriptor(const uint32_t (&words)[4]) {
  const uint64_t low = words[0] | uint64_t(words[1]) << 32, high = words[2] | uint64_t(words[3]) << 32;
  auto bit = [](uint64_t x, unsigned n) { return (x >> n & 1) != 0; };
  return {.base = (low & 0xff'ffff'ffff) << 8,
          .last = high & 0x3ff'ffff'ffff,
          .heuristic = BoxSort(low >> 53 & 3),
          .box_grow = uint32_t(low >> 55 & 0xff),
          .box_sort = bit(low, 63),
          .wide_sort = bit(high, 117 - 64),
          .triangles_first = bit(low, 52),
          .compressed = bit(high, 115 - 64),
          .box_node_64b = bit(high, 116 - 64),
          .instances = bit(high, 118 - 64),
          .pointer_flags = bit(high, 119 - 64),
          .barycentrics = bit(high, 120 - 64),
          .type = uint32_t(high >> 60)};
}

}  // namespace Atoll::rdna4
