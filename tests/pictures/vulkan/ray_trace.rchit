#version 460
#extension GL_GOOGLE_include_directive : require
// What was met, and once a second ray from there, of which the payload is this one's; a callable shader on the way.
#include "ray_trace.glsl"
layout(location = 0) rayPayloadInEXT Payload payload;
layout(location = 2) rayPayloadEXT Payload second;
layout(location = 1) callableDataEXT uint called;
layout(shaderRecordEXT, std430) buffer Record { uint word; } record;
#ifndef SPHERE
hitAttributeEXT vec2 at;
#endif
void main() {
  payload.met.t = gl_HitTEXT;
  payload.met.instance = gl_InstanceID;
  payload.met.custom = gl_InstanceCustomIndexEXT;
  payload.met.primitive = gl_PrimitiveID;
  payload.met.geometry = gl_GeometryIndexEXT;
  payload.met.record = record.word;
#ifdef SPHERE
  payload.met.kind = 2;
  payload.met.at = vec2(0);
  payload.met.front = gl_HitKindEXT == 5 ? 0 : 2;
#else
  payload.met.kind = 1;
  payload.met.at = at;
  payload.met.front = gl_HitKindEXT == gl_HitKindFrontFacingTriangleEXT ? 1 : 0;
#endif
  called = 7 * gl_PrimitiveID + gl_InstanceID;
  executeCallableEXT(gl_InstanceID % 2, 1);
  payload.called = called;
  if (payload.depth == 0) {
    const vec3 from = gl_WorldRayOriginEXT + gl_HitTEXT * gl_WorldRayDirectionEXT;
    const vec3 to = vec3(sin(float(gl_PrimitiveID)), cos(float(gl_PrimitiveID)), sin(3.0 * float(gl_PrimitiveID + 1)));
    second.depth = 1;
    second.any_hits = 0;
    traceRayEXT(scene, gl_RayFlagsNoneEXT, 0xff, 0, 2, 0, from, 0.0625, to, 100.0, 2);
    payload.origin = from;
    payload.direction = to;
    payload.second = second.met;
  }
}
