// Packets of triangles in compressed trees (image_bvh8): up to 16 corners and 8 pairs of triangles in 128 bytes, all fields packed
// bit by bit. GPURT, primitiveNode.hlsli (PrimitiveStructure); the same fields by Mesa's names in radv's encode.h.
#pragma once
#include <cstdint>

#include "isa/rdna4/semantics/ray_triangle.h"

namespace Atoll::rdna4 {

inline constexpr unsigned packet_bytes = 128;

// How a traversal goes on from a pair.
enum class Navigation : uint8_t { next_pair, next_node, end = 3 };

struct PacketTriangle {
  Triangle triangle;
  TriangleKind kind;
  uint32_t primitive = 0, geometry = 0;
};
struct PacketPair {
  PacketTriangle of[2];
  bool has_second = false;
  Navigation navigation = Navigation::end;
  const char* fault = nullptr;  // the packet has a form that no public text describes
};
// Pair `pair` (0 to 7) of a packet. Whatever the bits say, nothing outside of the packet is looked at: bits there are zeros.
PacketPair unpack_pair(const uint32_t* packet, unsigned pair);

// The pair that a pointer to a packet means: bits 3, 1 and 0.
constexpr unsigned pair_of_pointer(uint32_t pointer) { return (pointer & 3) | (pointer >> 1 & 4); }

}  // namespace Atoll::rdna4
