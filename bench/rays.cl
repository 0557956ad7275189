// Rays through a tree of nodes of four boxes and of a triangle (examples/rays/nodes.cpp): how far each goes, 0 if it meets nothing. On
// AMD's GPUs by image_bvh64_intersect_ray; elsewhere the nodes are read here, so that the same work can be timed.
#define NONE 0xffffffffu
#define DEEPEST 96

#ifdef __AMDGCN__
uint4 intersect(global const uint* tree, uint node, float extent, float3 o, float3 d, float3 inverse) {
  const uint4 resource = (uint4)(0, 1u << 31, ~0u, 8u << 28 | 1u << 24 | 0x3ffu);
  return __builtin_amdgcn_image_bvh_intersect_ray_l(((ulong)tree >> 3) + node, extent, (float4)(o, 0), (float4)(d, 0), (float4)(inverse, 0), resource);
}
#else
uint4 intersect(global const uint* tree, uint node, float extent, float3 o, float3 d, float3 inverse) {
  global const uint* w = tree + (node >> 3) * 16;
  if ((node & 7) == 5) {
    float key[4];
    uint child[4];
    for (int n = 0; n < 4; n++) {
      float3 low = (as_float3((uint3)(w[4 + 6 * n], w[5 + 6 * n], w[6 + 6 * n])) - o) * inverse;
      float3 high = (as_float3((uint3)(w[7 + 6 * n], w[8 + 6 * n], w[9 + 6 * n])) - o) * inverse;
      float3 enter = fmin(low, high), leave = fmax(low, high);
      float start = fmax(fmax(enter.x, enter.y), fmax(enter.z, 0.0f)), end = fmin(fmin(leave.x, leave.y), fmin(leave.z, extent));
      bool met = start <= end && w[n] != NONE;
      key[n] = met ? start : INFINITY, child[n] = met ? w[n] : NONE;
    }
#define ORDER(a, b) \
  if (key[b] < key[a]) { float k = key[a]; key[a] = key[b], key[b] = k; uint c = child[a]; child[a] = child[b], child[b] = c; }
    ORDER(0, 2) ORDER(1, 3) ORDER(0, 1) ORDER(2, 3) ORDER(1, 2)
    return (uint4)(child[0], child[1], child[2], child[3]);
  }
  float3 a = as_float3((uint3)(w[0], w[1], w[2])), e = as_float3((uint3)(w[3], w[4], w[5])) - a, f = as_float3((uint3)(w[6], w[7], w[8])) - a;
  float3 p = cross(d, f), s = o - a, q = cross(s, e);
  float whole = dot(e, p), u = dot(s, p) / whole, v = dot(d, q) / whole, t = dot(f, q) / whole;
  bool met = u >= 0 && v >= 0 && u + v <= 1 && t >= 0;
  return as_uint4((float4)(met ? t : INFINITY, 1.0f, u, v));
}
#endif

kernel void rays(global const float4* rays, global const uint* tree, global float* out) {
  size_t ray = get_global_id(0);
  float3 o = rays[2 * ray].xyz, d = rays[2 * ray + 1].xyz, inverse = 1.0f / d;
  float nearest = 1e30f;
  uint pending[DEEPEST], count = 0, node = 5;
  for (;;) {
    uint4 r = intersect(tree, node, nearest, o, d, inverse);
    uint next = NONE;
    if ((node & 7) == 5) {
      if (r.w != NONE) pending[count++] = r.w;
      if (r.z != NONE) pending[count++] = r.z;
      if (r.y != NONE) pending[count++] = r.y;
      next = r.x;
    } else {
      nearest = fmin(nearest, as_float(r.x) / as_float(r.y));
    }
    if (next == NONE && count) next = pending[--count];
    if (next == NONE) break;
    node = next;
  }
  out[ray] = nearest < 1e30f ? nearest : 0.0f;
}
