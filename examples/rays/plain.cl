// The picture by trying every triangle for every ray: what the other two must agree with. OpenCL C 1.2, so that any driver runs it.
typedef struct {
  global const void* triangles;
  int count;
} Scene;
#include "picture.h"

Hit trace(Scene scene, float3 origin, float3 direction, float most, bool any) {
  Hit hit = {most, NONE};
  global const Triangle* triangles = scene.triangles;
  for (int n = 0; n < scene.count; n++) {
    float3 a = triangles[n].corner[0].xyz, e = triangles[n].corner[1].xyz - a, f = triangles[n].corner[2].xyz - a;
    float3 p = cross(direction, f), o = origin - a, q = cross(o, e);
    float whole = dot(e, p), u = dot(o, p) / whole, v = dot(direction, q) / whole, t = dot(f, q) / whole;
    if (u >= 0.0f && v >= 0.0f && u + v <= 1.0f && t >= 0.0f && t < hit.distance) {
      hit.distance = t, hit.triangle = (uint)n;
      if (any) break;
    }
  }
  return hit;
}

kernel void picture(global uchar4* out, global const Triangle* triangles, int count, int width, int height, int samples) {
  if ((int)get_global_id(0) >= width || (int)get_global_id(1) >= height) return;
  Scene scene = {triangles, count};
  out[get_global_id(1) * (size_t)width + get_global_id(0)] = pixel(scene, triangles, width, height, samples);
}
