// The nodes of ray-tracing trees as they stand in memory: boxes of four kinds, triangles of bvh4, instances. Public sources: GPURT
// (gfx10/BoxNode1_0.hlsl, gfx12/HighPrecisionBoxNode.hlsl, gfx12/internalNode.hlsli, gfx10/TriangleNode1_0.hlsli,
// gpurtAccelStruct.h); the corners of triangles 2 and 3: AMD's Radeon Raytracing Analyzer, triangle_node.cpp.
#pragma once
#include <cstdint>

#include "isa/rdna4/semantics/ray_box.h"
#include "isa/rdna4/semantics/ray_triangle.h"

namespace Atoll::rdna4 {

inline constexpr unsigned box16_bytes = 64, box32_bytes = 128, box64b_bytes = 64, box8_bytes = 128, triangle_bytes = 64,
                          instance_bytes = 64;
// In a compressed tree four boxes follow an instance.
inline constexpr unsigned instance8_bytes = 128;

// Four boxes from child `first` (0 or 4) on. `words`: the node.
void unpack_box16(const uint32_t* words, Boxes& boxes, unsigned first);
void unpack_box32(const uint32_t* words, Boxes& boxes, unsigned first);
void unpack_box64b(const uint32_t* words, Boxes& boxes, unsigned first);

// Eight quantised boxes; a child none of whose mask's bits are in `instance_mask` is left out. `rotation`: the boxes' axes
// (ray_rotation.h).
struct BoxEight {
  Boxes boxes;
  unsigned rotation = 0;
};
BoxEight unpack_box8(const uint32_t* words, uint32_t instance_mask);
// The four behind an instance: pointers are of 8 bits, relative to the instance's tree.
Boxes unpack_instance_boxes(const uint32_t* words, uint32_t instance_mask);

struct NodeTriangle {
  Triangle triangle;
  TriangleKind kind;
  uint32_t id = 0;                // the node's last word, all its triangles together
  uint32_t geometry = 0;          // of image_bvh_dual_intersect_ray
  uint8_t second = 1, third = 2;  // which corner's weight is returned first and next
};
// Triangle `number` (0 to 3) of a node of up to four.
NodeTriangle unpack_triangle(const uint32_t* words, unsigned number);

struct Instance {
  float to_object[3][4] = {};
  uint64_t base = 0;     // of its tree, with flags
  uint32_t pointer = 0;  // to its root; in compressed trees to the parent
  uint32_t user_data = 0, mask = 0;
};
Instance unpack_instance(const uint32_t* words);

}  // namespace Atoll::rdna4
