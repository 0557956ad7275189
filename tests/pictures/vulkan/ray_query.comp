#version 460
#extension GL_EXT_ray_query : require
#extension GL_GOOGLE_include_directive : require
// A ray a thread, by a ray query.
#include "ray_common.glsl"
#include "ray_query.glsl"
layout(local_size_x = 64) in;
void main() {
  const uint n = gl_GlobalInvocationID.x;
  if (n < rays.length()) store(n * result_words, query(rays[n]));
}
