// The picture through RDNA4's image_bvh8_intersect_ray and ds_bvh_stack_push8_pop1_rtn_b32: nodes of eight quantised boxes, packets of
// up to four triangles, and a short stack in LDS that the hardware keeps. When it has lost entries the traversal walks back by the
// nodes' parents, and the stack leaves out what was visited (as GPURT's TraceRay3_1.hlsl does). LLVM 19 knows neither instruction: they
// stand here as words, over registers of their own.
typedef struct {
  ulong base;
  uint stack;  // empty
} Scene;
#include "picture.h"

typedef uint uint10 __attribute__((ext_vector_type(10)));
typedef float Vector __attribute__((ext_vector_type(3)));

#define GROUP 64
#ifndef ENTRIES
#define ENTRIES 16 /* of a ray's stack; also in the words below */
#endif
// Children sorted, all eight together, triangles first; 2^42 nodes, compressed nodes. TYPE 8.
#define RESOURCE ((uint4)(0, 1u << 31 | 1u << 20, ~0u, 8u << 28 | 1u << 24 | 1u << 21 | 1u << 19 | 0x3ffu))
#define TEXT(x) #x
#define WORD(x) TEXT(x)

// image_bvh8_intersect_ray v[40:49], [v[50:51], v[52:53], v[54:56], v[57:59], v60], s[64:67]
uint10 intersect(ulong base, float extent, float3 origin, float3 direction, uint node) {
  uint10 data;
  uint2 extent_and_mask = (uint2)(as_uint(extent), 0xff);
  Vector o = origin, d = direction;
  __asm__ volatile(".long 0xd3e04010, 0x3c008028, 0x39363432\n\ts_wait_bvhcnt 0x0"
                   : "=&{v[40:49]}"(data), "+{v[54:56]}"(o), "+{v[57:59]}"(d)
                   : "{v[50:51]}"(base), "{v[52:53]}"(extent_and_mask), "{v60}"(node), "{s[64:67]}"(RESOURCE)
                   : "memory");
  return data;
}
// ds_bvh_stack_push8_pop1_rtn_b32 v61, v62, v63, v[40:47] offset:512 + ENTRIES (ranges of primitives)
uint push_and_pop(uint* stack, uint last, uint8 nodes) {
  uint next, address = *stack;
  __asm__ volatile(".long 0xdb840200 + " WORD(ENTRIES) ", 0x3d283f3e\n\ts_wait_dscnt 0x0"
                   : "=&{v61}"(next), "+{v62}"(address)
                   : "{v63}"(last), "{v[40:47]}"(nodes)
                   : "memory");
  *stack = address;
  return next;
}

#define TERMINAL 0xfffffffeu

Hit trace(Scene scene, float3 origin, float3 direction, float most, bool any) {
  Hit hit = {most, NONE};
  uint node = 5, last = NONE, box = NONE, stack = scene.stack;
  while (node < TERMINAL) {
    // Children come in the same order when their node is met again only if the ray is as long as it was.
    uint10 r = intersect(scene.base, last == NONE ? hit.distance : most, origin, direction, node);
    uint8 nodes = r.s01234567;
    if ((node & 7) == 5) {
      box = node;
    } else {
      float first = as_float(r.s0), second = as_float(r.s4);
      bool nearer = second < first;
      float t = nearer ? second : first;
      if (t < hit.distance) {
        hit.distance = t, hit.triangle = (nearer ? r.s7 : r.s3) >> 1;
        if (any) break;
      }
      nodes.s7 = node;
      last = 0xfffffff8u | (r.s8 & 3);  // the next pair, the next packet, or neither
    }
    uint before = node;
    node = push_and_pop(&stack, last, nodes);
    last = NONE;
    if (node == NONE) {
      last = before;
      node = (before & 7) == 5 ? *(global const uint*)((scene.base + (before & ~7u)) * 8 + 8) : box;
    }
  }
  return hit;
}

__attribute__((reqd_work_group_size(16, 4, 1))) kernel void picture(global uchar4* out, global const Triangle* triangles, global const void* tree,
                                                                   int width, int height, int samples) {
  local uint entries[ENTRIES * GROUP];
  if ((int)get_global_id(0) >= width || (int)get_global_id(1) >= height) return;
  // An entry of a lane and its next stand 32 dwords apart: 32 lanes side by side.
  uint lane = (uint)(get_local_id(1) * 16 + get_local_id(0));
  uint at = (uint)(size_t)entries / 4 + lane / 32 * (32 * ENTRIES) + lane % 32;
  Scene scene = {(ulong)tree >> 3, at << 15};
  out[get_global_id(1) * (size_t)width + get_global_id(0)] = pixel(scene, triangles, width, height, samples);
}
