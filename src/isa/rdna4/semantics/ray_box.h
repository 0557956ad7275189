// A ray against the boxes of a node, and the order in which those that it meets are returned. RDNA4 ISA 10.9; formulas: GPURT,
// IntersectCommon.hlsl (fast_intersect_bbox, PerformEarlyBoxCulling) and rtip3_opcode_emulation.hlsl (IntersectNodeBvh8).
#pragma once
#include <cstdint>

#include "isa/rdna4/semantics/ray_descriptor.h"
#include "isa/rdna4/semantics/ray_pointer.h"

namespace Atoll::rdna4 {

// Facts that hold for all primitives below a child.
enum BoxFlag : uint32_t { ONLY_OPAQUE = 1, ONLY_NON_OPAQUE = 2, ONLY_TRIANGLES = 4, ONLY_PROCEDURAL = 8 };

// A node's boxes, four or eight (the others are invalid_node), whatever form they have in memory.
struct alignas(32) Boxes {
  float low[3][8] = {}, high[3][8] = {};  // by axis
  uint32_t child[8];
  uint8_t flags[8] = {};  // BoxFlag
  bool unsorted = false;  // the node asks for its children in their own order
  Boxes() {
    for (uint32_t& c : child) c = invalid_node;
  }
};

// Children that the pointer's flags leave out of account become invalid_node.
void cull_boxes(Boxes& boxes, uint32_t flags);

// Leaves in `child` those that the ray meets, in order, and invalid_node: children 0 to 3 and 4 to 7 each among themselves, all
// eight together where `wide`. Pointers of a type up to `last_leaf` are triangles (T#.sort_triangles_first). `distinct`: of equal
// neighbours the first alone stays.
struct BoxOrder {
  bool four = false;  // there are no more children: the others stay as they are
  bool wide = false, distinct = false;
  uint32_t last_leaf = TRIANGLE_3;
};
void intersect_boxes(Boxes& boxes, const Ray& ray, const BvhDescriptor& descriptor, const BoxOrder& order);

}  // namespace Atoll::rdna4
