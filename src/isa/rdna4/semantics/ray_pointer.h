// Pointers to nodes of a ray-tracing tree, the flags in a tree's base pointer, and what a ray is. RDNA4 ISA 10.9; types and flags:
// GPURT, ShaderDefs.hlsli and NodePointers.hlsli.
#pragma once
#include <cstdint>

namespace Atoll::rdna4 {

inline constexpr uint32_t invalid_node = 0xffffffff;

// The low three bits of a pointer; to image_bvh8 2 and 3 are boxes of another kind unless its tree is compressed.
enum NodeType : uint32_t {
  TRIANGLE_0,
  TRIANGLE_1,
  TRIANGLE_2,
  TRIANGLE_3,
  BOX_FLOAT16,  // or 64 bytes of higher precision (T#.box_node_64B)
  BOX_FLOAT32,  // in a compressed tree eight quantised boxes
  INSTANCE,     // or the user's
  USER
};
constexpr uint32_t node_type(uint32_t pointer) { return pointer & 7; }
constexpr uint32_t BOX_FLOAT32_PAIR = TRIANGLE_2, BOX_64B_PAIR = TRIANGLE_3;  // to image_bvh8 without compression

// Bits 63:54 of a pointer or of a tree's base, where T#.pointer_flags says that they count.
enum PointerFlag : uint32_t {
  FORCE_OPAQUE = 1,
  FORCE_NON_OPAQUE = 2,
  DISABLE_TRIANGLE_CULL = 4,
  FLIP_FACEDNESS = 8,
  CULL_BACK_FACING = 0x10,
  CULL_FRONT_FACING = 0x20,
  CULL_OPAQUE = 0x40,
  CULL_NON_OPAQUE = 0x80,
  SKIP_TRIANGLES = 0x100,
  SKIP_PROCEDURAL = 0x200,
};
inline constexpr unsigned pointer_flags_shift = 54;
inline constexpr uint64_t pointer_base_mask = (uint64_t(1) << pointer_flags_shift) - 1,
                          node_address_mask = (uint64_t(1) << 48) - 1;

// (Without initialisers, as all that ray_tracing.h has on its stack: that is compiled for several levels of hosts.)
struct Ray {
  float origin[3], direction[3], inverse[3];
  float extent;
  uint32_t instance_mask;
};

}  // namespace Atoll::rdna4
