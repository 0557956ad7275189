// What the stages of a ray pipeline share.
#extension GL_EXT_ray_tracing : require
#extension GL_GOOGLE_include_directive : require
#include "ray_common.glsl"
struct Payload {
  Met met;
  uint depth, miss, called, any_hits;
  vec3 origin, direction;  // of the second ray
  Met second;
};
