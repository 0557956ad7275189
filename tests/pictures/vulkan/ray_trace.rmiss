#version 460
#extension GL_GOOGLE_include_directive : require
// Nothing was met; the record says which shader of several this is.
#include "ray_trace.glsl"
layout(location = 0) rayPayloadInEXT Payload payload;
layout(shaderRecordEXT, std430) buffer Record { uint word; } record;
void main() {
  payload.met.kind = 0;
  payload.met.t = gl_RayTmaxEXT;
  payload.met.at = vec2(0);
  payload.met.instance = payload.met.custom = payload.met.primitive = payload.met.geometry = payload.met.front = 0;
  payload.met.record = 0;
  payload.miss = record.word;
}
