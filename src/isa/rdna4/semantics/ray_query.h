// A ray-tracing instruction for one lane: the memory that it reads, and its results. Plain functions: reading memory and
// registers is ray_tracing.h's part. RDNA4 ISA 10.9, 16.17; GPURT, rtip3_opcode_emulation.hlsl and IntersectCommon.hlsl
// (image_bvh64_intersect_ray_base). Memory and pointers are anybody's: every value has a result.
#pragma once
#include "isa/rdna4/semantics/ray_box.h"
#include "isa/rdna4/semantics/ray_triangle.h"

namespace Atoll::rdna4 {

enum class RayOperation : uint8_t { bvh, bvh64, dual, bvh8 };

enum class NodeForm : uint8_t {
  none,  // the user's, or outside of the tree: nothing is read
  triangle,
  box16,
  box32,
  box64b,
  box32_pair,
  box64b_pair,
  box8,
  packet,
  instance,
  instance8,
};
inline constexpr unsigned most_node_bytes = 256, second_node = 32;  // where the second of two stands: words
unsigned bytes_of(NodeForm form);

// A node that is to be tested.
struct NodeRequest {
  NodeForm form;
  bool outside;  // beyond the T#'s size: nothing is met
  uint64_t address;
  uint32_t pointer;  // its low 32 bits
};
struct RayRequest {
  NodeRequest node[2];   // the second of image_bvh_dual_intersect_ray alone
  uint32_t flags;        // PointerFlag
  uint64_t base;         // of dual and bvh8
  bool second_triangle;  // bvh8 without compression: the node's first two triangles
};
// `base`: of dual and bvh8 BVH_BASE, of the others the node's pointer. `pointers`: of dual both, of bvh8 the first.
RayRequest ray_request(RayOperation operation, const BvhDescriptor& descriptor, uint64_t base, const uint32_t (&pointers)[2]);

// The address of the node of a bvh or bvh64, if it is one of BOX_FLOAT32 inside of the tree (as ray_request has it).
inline bool box32_address(const BvhDescriptor& descriptor, uint64_t pointer, uint64_t& address) {
  const uint64_t place = (descriptor.pointer_flags ? pointer & pointer_base_mask : pointer) >> 3,
                 last = place + 1;  // of 64 bytes
  address = (descriptor.base + place * 64) & node_address_mask;
  return node_type(uint32_t(pointer)) == BOX_FLOAT32 && place <= descriptor.last && last <= descriptor.last;
}

struct RayResult {
  uint32_t data[10];  // four of bvh and bvh64
  bool transformed;
  float origin[3], direction[3];  // in the instance's space, if transformed
  const char* fault;
};
// `memory`: what stands at the requests' addresses, that of the second from word second_node on.
RayResult ray_result(RayOperation operation, const BvhDescriptor& descriptor, const RayRequest& request, const Ray& ray,
                     const uint32_t (&memory)[most_node_bytes / 4]);

}  // namespace Atoll::rdna4
