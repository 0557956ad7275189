// The resource of ray-tracing instructions: which memory is the tree, and how boxes and triangles of it are answered. RDNA4 ISA
// 10.9.3, table 65. COMPRESSED_FORMAT_EN, which the table leaves out, stands in AMD's Radeon GPU Detective
// (rgd_srd_disassembler_rdna4.cpp) and in Mesa's radv_nir_rt_common.c (create_bvh_descriptor).
#pragma once
#include <cstdint>

namespace Atoll::rdna4 {

enum class BoxSort : uint8_t { closest, largest, closest_midpoint, reserved };

struct BvhDescriptor {
  uint64_t base = 0;  // bytes
  uint64_t last = 0;  // number of 64-byte nodes, minus 1
  BoxSort heuristic = BoxSort::closest;
  uint32_t box_grow = 0;
  bool box_sort = false, wide_sort = false, triangles_first = false;
  bool compressed = false;  // of image_bvh8: nodes of eight quantised boxes, packets of triangles
  bool box_node_64b = false, instances = false, pointer_flags = false;
  bool barycentrics = false;  // triangle_return_mode
  uint32_t type = 0;          // must be bvh_resource_type
};
inline constexpr uint32_t bvh_resource_type = 8;

BvhDescriptor bvh_descriptor(const uint32_t (&words)[4]);

}  // namespace Atoll::rdna4
