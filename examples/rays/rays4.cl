// The picture through RDNA4's image_bvh64_intersect_ray: nodes of four boxes, and of a triangle. The traversal is the shader's; its
// stack stands in LDS, ray by ray.
typedef struct {
  ulong base;           // the tree, as pointers to its nodes have it: in units of 8 bytes
  local uint* pending;  // nodes that are still to be visited
} Scene;
#include "picture.h"

#define GROUP 64
#define DEEPEST 64
#define RESOURCE ((uint4)(0, 1u << 31, ~0u, 8u << 28 | 1u << 24 | 0x3ffu)) /* all memory; children sorted, barycentrics */

Hit trace(Scene scene, float3 origin, float3 direction, float most, bool any) {
  Hit hit = {most, NONE};
  float4 o = (float4)(origin, 0.0f), d = (float4)(direction, 0.0f), inverse = 1.0f / d;
  uint node = 5, count = 0;
  for (;;) {
    uint4 r = __builtin_amdgcn_image_bvh_intersect_ray_l(scene.base + node, hit.distance, o, d, inverse, RESOURCE);
    uint next = NONE;
    if ((node & 7) == 5) {  // children, the nearest first
      if (r.w != NONE) scene.pending[GROUP * count++] = r.w;
      if (r.z != NONE) scene.pending[GROUP * count++] = r.z;
      if (r.y != NONE) scene.pending[GROUP * count++] = r.y;
      next = r.x;
    } else {
      float t = as_float(r.x) / as_float(r.y);
      if (t < hit.distance) {
        hit.distance = t, hit.triangle = *(global const uint*)((scene.base + node & ~7ul) * 8 + 48);
        if (any) break;
      }
    }
    if (next == NONE) {
      if (!count) break;
      next = scene.pending[GROUP * --count];
    }
    node = next;
  }
  return hit;
}

__attribute__((reqd_work_group_size(16, 4, 1))) kernel void picture(global uchar4* out, global const Triangle* triangles, global const void* tree,
                                                                   int width, int height, int samples) {
  local uint pending[DEEPEST * GROUP];
  if ((int)get_global_id(0) >= width || (int)get_global_id(1) >= height) return;
  Scene scene = {(ulong)tree >> 3, pending + get_local_id(1) * 16 + get_local_id(0)};
  out[get_global_id(1) * (size_t)width + get_global_id(0)] = pixel(scene, triangles, width, height, samples);
}
