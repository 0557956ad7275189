#version 460
#extension GL_EXT_ray_query : require
#extension GL_GOOGLE_include_directive : require
// A ray a pixel of a target 64 pixels wide, by a ray query in its shader.
#include "ray_common.glsl"
#include "ray_query.glsl"
layout(location = 0) out vec4 colour;
void main() {
  const uint n = uint(gl_FragCoord.y) * 64 + uint(gl_FragCoord.x);
  if (n < rays.length()) store(n * result_words, query(rays[n]));
  colour = vec4(1);
}
