// The programs of shader_programs: between them every stage, and what shaders of OpenGL 4.5 do with textures, images, buffers,
// attributes, atomics, shared memory and arithmetic.
#pragma once

namespace shaders {

struct Program {
  const char* name;
  const char *vertex = "", *control = "", *evaluation = "", *geometry = "", *fragment = "",
             *compute = "";      // vertex: "" is plain_vertex
  const char* captured[3] = {};  // by transform feedback
  int samples = 1;
  unsigned enable = 0;  // glEnable() while it draws
};

constexpr const char* head = R"(#version 450
#extension GL_ARB_shader_ballot : enable
#extension GL_ARB_gpu_shader_int64 : enable
#extension GL_ARB_shader_viewport_layer_array : enable
#extension GL_ARB_shader_clock : enable
#extension GL_ARB_shader_group_vote : enable
layout(binding = 0) uniform sampler2D plain;
layout(binding = 1) uniform sampler3D volume;
layout(binding = 2) uniform samplerCube cube;
layout(binding = 3) uniform sampler2DArray layers;
layout(binding = 4) uniform sampler2DShadow shadow;
layout(binding = 5) uniform usampler2D integers;
layout(binding = 6) uniform sampler2DMS samples;
layout(binding = 7) uniform samplerCubeArrayShadow cube_shadows;
layout(binding = 8) uniform sampler1D line;
layout(binding = 9) uniform sampler2DRect rectangle;
layout(binding = 10) uniform samplerBuffer texels;
layout(binding = 0, rgba8) uniform image2D bytes;
layout(binding = 1, r32ui) uniform uimage2D words;
layout(binding = 2, rgba32f) uniform image2D floats;
layout(binding = 0, std140) uniform Constants { mat4 matrix; vec4 table[64]; ivec4 choice; dvec4 wide; } constants;
layout(binding = 0, std430) buffer First { uint count; uint data[]; } first;
layout(binding = 1, std430) buffer Second { vec4 sums[16]; vec2 rows[]; } second;
layout(binding = 0) uniform atomic_uint counter;
)";

constexpr const char* vertex_head = R"(
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 colour;
layout(location = 2) in vec4 bytes_of_instance;
layout(location = 3) in ivec2 pair;
)";

constexpr const char* plain_vertex = R"(
layout(location = 0) out vec4 shade;
layout(location = 1) out vec2 at;
void main() { gl_Position = position; shade = colour; at = position.xy * 0.5 + 0.5; }
)";

constexpr const char* plain_fragment = R"(
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 result;
void main() { result = shade; }
)";

constexpr Program programs[] = {
    {.name = "colour", .fragment = plain_fragment},
    {.name = "attributes",
     .vertex = R"(
layout(location = 0) out vec4 shade;
layout(location = 1) flat out ivec2 whole;
layout(location = 2) noperspective out vec3 straight;
layout(location = 3) centroid out vec2 inside;
out float gl_ClipDistance[3];
out float gl_CullDistance[1];
void main() {
  gl_Position = constants.matrix * position + position;
  gl_PointSize = 3.0 + float(gl_VertexID);
  for (int n = 0; n < 3; n++) gl_ClipDistance[n] = dot(position, constants.table[n]) + 1.0;
  gl_CullDistance[0] = position.w;
  gl_Layer = gl_InstanceID & 1;
  gl_ViewportIndex = 0;
  shade = colour * bytes_of_instance; whole = pair + gl_InstanceID; straight = position.xyw; inside = position.yx;
})",
     .fragment = R"(
layout(location = 0) in vec4 shade;
layout(location = 1) flat in ivec2 whole;
layout(location = 2) noperspective in vec3 straight;
layout(location = 3) centroid in vec2 inside;
layout(location = 0) out vec4 result;
void main() {
  result = shade + vec4(straight, float(whole.x + whole.y)) + vec4(dFdx(inside), fwidth(inside)) + gl_FragCoord;
  if (gl_FrontFacing) result.x *= gl_PointCoord.x + float(gl_PrimitiveID + gl_Layer);
})",
     .enable = 0x3000 /* GL_CLIP_DISTANCE0 */},
    {.name = "textures", .fragment = R"(
layout(location = 1) in vec2 at;
layout(location = 0) out vec4 result;
void main() {
  vec4 sum = texture(plain, at) + textureLod(volume, vec3(at, 0.3), 1.5) + texture(cube, vec3(at, 0.7), 0.5);
  sum += textureGrad(layers, vec3(at, 1.0), at.yx, at) + textureOffset(plain, at, ivec2(3, -2)) + textureProj(plain, vec3(at, 2.0));
  sum += texture(shadow, vec3(at, 0.4)) + textureLod(shadow, vec3(at, 0.4), 0.0) + textureGather(plain, at, 2) + textureGatherOffset(plain, at, ivec2(at * 8.0));
  sum += vec4(texelFetch(integers, ivec2(at * 31.0), 0)) + texelFetch(samples, ivec2(at * 31.0), 2) + texture(cube_shadows, vec4(at, 0.1, 1.0), 0.6);
  sum += texture(line, at.x) + texture(rectangle, at * 31.0) + texelFetch(texels, int(at.x * 99.0)) + textureGather(shadow, at, 0.2);
  sum.xy += textureQueryLod(plain, at) + vec2(textureSize(layers, 0).xy + textureQueryLevels(plain) + textureSize(texels));
  result = sum;
})"},
    {.name = "images", .fragment = R"(
layout(early_fragment_tests) in;
layout(location = 1) in vec2 at;
layout(location = 0) out vec4 result;
void main() {
  ivec2 place = ivec2(gl_FragCoord.xy);
  vec4 before = imageLoad(bytes, place) + imageLoad(floats, place.yx);
  imageStore(floats, place, before + vec4(at, imageSize(words)));
  imageStore(bytes, place, before.wzyx);
  uint old = imageAtomicAdd(words, place, 3u) + imageAtomicMax(words, place, 7u) + imageAtomicCompSwap(words, place, 1u, 2u);
  imageAtomicExchange(words, place.yx, old);
  result = before * float(old + atomicCounterIncrement(counter));
})"},
    {.name = "buffers", .fragment = R"(
layout(location = 1) in vec2 at;
layout(location = 0) out vec4 result;
void main() {
  int index = int(at.x * 63.0);
  uint where = atomicAdd(first.count, 2u) & 1023u;
  first.data[where] = uint(index) + uint(first.data.length());
  uint old = atomicXor(first.data[index], 5u) ^ atomicMin(first.data[1], 9u) ^ atomicCompSwap(first.data[2], 0u, 1u) ^ atomicExchange(first.data[3], 4u);
  second.sums[index & 15] += constants.table[index] * constants.matrix;
  second.rows[index] = second.rows[index + 1].yx;
  result = constants.table[constants.choice.x & 63] + float(old);
})"},
    {.name = "geometry",
     .geometry = R"(
layout(triangles, invocations = 2) in;
layout(triangle_strip, max_vertices = 6) out;
layout(location = 0) in vec4 shade[];
layout(location = 0) out vec4 shade_out;
void main() {
  for (int copy = 0; copy < 2; copy++) {
    for (int n = 0; n < 3; n++) {
      gl_Position = gl_in[n].gl_Position * (1.0 - 0.3 * float(copy + gl_InvocationID));
      gl_Layer = copy; gl_PrimitiveID = gl_PrimitiveIDIn + copy;
      shade_out = shade[2 - n].yzxw;
      EmitVertex();
    }
    EndPrimitive();
  }
})",
     .fragment = plain_fragment},
    {.name = "streams",
     .geometry = R"(
layout(triangles) in;
layout(points, max_vertices = 4) out;
layout(location = 0) in vec4 shade[];
layout(stream = 0, location = 0) out vec4 even;
layout(stream = 1, location = 1) out vec2 odd;
void main() {
  even = shade[0]; gl_Position = gl_in[0].gl_Position; EmitStreamVertex(0);
  if (shade[1].x > 0.2) { odd = shade[1].xy; EmitStreamVertex(1); }
})",
     .fragment = "layout(location = 0) in vec4 even; layout(location = 0) out vec4 result; void main() { result = even; }"},
    {.name = "tessellation",
     .control = R"(
layout(vertices = 3) out;
layout(location = 0) in vec4 shade[];
layout(location = 0) out vec4 shade_out[];
layout(location = 1) patch out vec4 middle;
void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  shade_out[gl_InvocationID] = shade[gl_InvocationID] * 2.0;
  barrier();
  if (gl_InvocationID == 0) {
    middle = (shade_out[0] + shade_out[1] + shade_out[2]) / 3.0;
    gl_TessLevelInner[0] = 3.0; gl_TessLevelOuter[0] = 2.0; gl_TessLevelOuter[1] = middle.x + 1.0; gl_TessLevelOuter[2] = 4.0;
  }
})",
     .evaluation = R"(
layout(triangles, fractional_odd_spacing, ccw) in;
layout(location = 0) in vec4 shade_in[];
layout(location = 1) patch in vec4 middle;
layout(location = 0) out vec4 shade;
void main() {
  gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position + gl_TessCoord.z * gl_in[2].gl_Position;
  shade = mix(shade_in[0], middle, gl_TessCoord.x);
})",
     .fragment = plain_fragment},
    {.name = "quads and geometry",
     .control = R"(
layout(vertices = 4) out;
void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[min(gl_InvocationID, 2)].gl_Position;
  gl_TessLevelInner[0] = gl_TessLevelInner[1] = 2.0;
  for (int n = 0; n < 4; n++) gl_TessLevelOuter[n] = 1.0 + float(n);
})",
     .evaluation = R"(
layout(quads, equal_spacing, cw, point_mode) in;
layout(location = 0) out vec4 shade;
void main() {
  vec2 t = gl_TessCoord.xy;
  gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, t.x), mix(gl_in[2].gl_Position, gl_in[3].gl_Position, t.x), t.y);
  shade = texture(plain, t) * gl_TessLevelOuter[1] + float(gl_PrimitiveID);
})",
     .geometry = R"(
layout(points) in;
layout(line_strip, max_vertices = 2) out;
layout(location = 0) in vec4 shade[];
layout(location = 0) out vec4 shade_out;
void main() {
  gl_Position = gl_in[0].gl_Position; shade_out = shade[0]; EmitVertex();
  gl_Position = gl_in[0].gl_Position.yxzw; shade_out = shade[0].wzyx; EmitVertex();
})",
     .fragment = plain_fragment},
    {.name = "captured",
     .vertex = R"(
layout(location = 0) out vec4 shade;
layout(location = 1) out vec3 other;
layout(location = 2) flat out uint number;
void main() { gl_Position = position; shade = colour.bgra; other = position.zyx * 3.0; number = uint(gl_VertexID * 5 + gl_InstanceID); }
)",
     .fragment = plain_fragment,
     .captured = {"shade", "number", "other"}},
    {.name = "arithmetic", .fragment = R"(
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 result;
void main() {
  vec4 a = sin(shade) + cos(shade * 3.0) + exp2(shade) + log2(shade) + pow(shade, shade.wzyx) + atan(shade, shade.yxwz);
  a += inversesqrt(shade) + sqrt(shade) + mod(shade, 0.3) + fract(shade) + floor(shade) + ceil(shade) + trunc(shade) + roundEven(shade);
  a += min(shade, a) + max(shade, a.x) + clamp(shade, 0.1, 0.9) + abs(a) + sign(shade) + smoothstep(0.2, 0.8, shade) + step(0.5, shade) + asin(shade) + acosh(shade + 1.0);
  ivec4 exponent; a += frexp(shade, exponent) + ldexp(shade, exponent) + fma(shade, a, shade) + vec4(isnan(a)) + vec4(isinf(a));
  a.xyz += normalize(cross(a.xyz, shade.xyz)) + reflect(a.xyz, shade.zyx) + faceforward(shade.xyz, a.yzx, a.zxy);
  a *= inverse(constants.matrix) * determinant(constants.matrix) + length(a) + distance(a, shade);
  result = a / shade;
})"},
    {.name = "integers", .fragment = R"(
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 result;
layout(location = 2) out uint word;
void main() {
  uvec4 u = floatBitsToUint(shade); ivec4 s = ivec4(u) >> 3;
  uint carry, high, low; int top, bottom;
  u.x = uaddCarry(u.x, u.y, carry); u.y = usubBorrow(u.z, u.w, high);
  umulExtended(u.x, u.y, high, low); imulExtended(s.x, s.y, top, bottom);
  u ^= bitfieldReverse(u) + uvec4(bitCount(u)) + uvec4(findLSB(u)) + uvec4(findMSB(s)) + bitfieldExtract(u, 3, 7) + bitfieldInsert(u, u.wzyx, 5, 9);
  s = s / 7 + s % ivec4(3, 5, 7, 11) + abs(s) + min(s, 9) + max(s, ivec4(u)) + bitfieldExtract(s, 4, 4) + (s << (u & 31u));
  u = u / (u.wzyx | 1u) + u % 13u;
  u.x += packHalf2x16(shade.xy) + packUnorm4x8(shade) + packSnorm2x16(shade.zw) + packUnorm2x16(shade.xz);
  result = unpackUnorm4x8(u.x) + unpackSnorm4x8(u.y) + vec4(unpackHalf2x16(u.z), unpackUnorm2x16(u.w)) + vec4(s);
  uint64_t wide = uint64_t(u.x) * uint64_t(u.y) + packUint2x32(u.zw);
  word = low + high + carry + uint(top + bottom) + unpackUint2x32(wide >> 5).x + uint(wide / 10ul) + uint(int64_t(s.x) < int64_t(s.y));
})"},
    {.name = "doubles", .fragment = R"(
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 result;
void main() {
  dvec4 d = dvec4(shade) * constants.wide + sqrt(dvec4(shade)) + floor(dvec4(shade)) + fract(constants.wide);
  d /= constants.wide + 2.0lf; d = fma(d, d, max(d, dvec4(0.25lf))); d.x += double(packDouble2x32(floatBitsToUint(shade.xy)));
  int power; d.y = frexp(d.y, power); d.z = ldexp(d.z, power); d.w = inversesqrt(abs(d.w) + 1.0lf);
  result = vec4(d) + float(d.x < d.y) + vec4(ivec4(d)) + vec4(uvec4(d)) + vec4(roundEven(d));
})"},
    {.name = "flow", .fragment = R"(
layout(location = 0) in vec4 shade;
layout(location = 1) in vec2 at;
layout(location = 0) out vec4 result;
vec4 walk(vec4 v, int depth) {
  for (int n = 0; n < depth; n++) {
    if (v.x > 2.0 * float(n)) break;
    if (int(v.y * 8.0) == n) continue;
    switch (n & 3) { case 0: v += 0.5; break; case 1: v = v.yzwx; default: v.z *= 1.25; }
  }
  return v;
}
void main() {
  vec4 v = walk(shade, int(at.x * 40.0));
  float kept[24];
  for (int n = 0; n < 24; n++) kept[n] = v[n & 3] * float(n);
  do { v.x += kept[int(v.y * 23.0) & 15]; v.y += 0.37; } while (v.y < 3.0 && v.x < 50.0);
  if (v.x > 12.0 && at.y < 0.5) discard;
  if (any(greaterThan(v, vec4(9.0))) || anyInvocationARB(at.x > 0.9)) v = textureLod(plain, at, 0.0);
  result = v;
})"},
    {.name = "scratch", .fragment = R"(
layout(location = 0) in vec4 shade;
layout(location = 1) in vec2 at;
layout(location = 0) out vec4 result;
void main() {
  vec4 stack[96]; int top = 0;
  for (int n = 0; n < 96; n++) stack[(n * 37) % 96] = shade * float(n) + texelFetch(plain, ivec2(n & 31), 0);
  vec4 sum = vec4(0.0);
  for (int n = 0; n < int(at.y * 90.0); n++) { sum += stack[(n * int(at.x * 50.0)) % 96]; stack[n] = sum.yzwx; }
  result = sum + stack[int(at.x * 95.0)];
})"},
    {.name = "targets", .fragment = R"(
layout(location = 0) in vec4 shade;
layout(location = 1) in vec2 at;
layout(location = 0) out vec4 bytes_out;
layout(location = 1) out vec4 halves;
layout(location = 2) out uint word;
layout(location = 3) out ivec4 shorts;
layout(depth_greater) out float gl_FragDepth;
void main() {
  bytes_out = shade; halves = shade * 100.0; word = uint(at.x * 1e6); shorts = ivec4(shade * 3e4);
  gl_FragDepth = gl_FragCoord.z + at.y; gl_SampleMask[0] = int(word) & 3;
})"},
    {.name = "blended",
     .fragment = R"(
layout(location = 0) in vec4 shade;
layout(location = 0, index = 0) out vec4 colour;
layout(location = 1) out vec4 other;
void main() { colour = shade; other = shade.aaaa; }
)",
     .enable = 0x0BE2 /* GL_BLEND */},
    {.name = "samples",
     .vertex = R"(
layout(location = 0) sample out vec4 shade;
layout(location = 1) out vec2 at;
void main() { gl_Position = position; shade = colour; at = position.xy; }
)",
     .fragment = R"(
layout(location = 0) sample in vec4 shade;
layout(location = 1) in vec2 at;
layout(location = 0) out vec4 result;
void main() {
  vec2 moved = interpolateAtOffset(at, vec2(0.2, -0.3)) + interpolateAtSample(at, gl_SampleID) + interpolateAtCentroid(at);
  result = shade + vec4(moved, gl_SamplePosition) + texelFetch(samples, ivec2(at * 31.0), gl_SampleID) + float(gl_SampleMaskIn[0]);
})",
     .samples = 4},
    {.name = "covered", .fragment = plain_fragment, .samples = 4, .enable = 0x809E /* GL_SAMPLE_ALPHA_TO_COVERAGE */},
    {.name = "ballots", .fragment = R"(
layout(location = 1) in vec2 at;
layout(location = 0) out vec4 result;
layout(location = 2) out uint word;
void main() {
  uint64_t mask = ballotARB(at.x > at.y);
  word = uint(mask) + gl_SubGroupInvocationARB + readFirstInvocationARB(uint(at.x * 9.0)) + readInvocationARB(uint(at.y * 9.0), 3u) + uint(gl_SubGroupEqMaskARB);
  result = vec4(allInvocationsEqualARB(at.x > 0.5)) + vec4(clock2x32ARB(), gl_SubGroupSizeARB, 0.0);
})"},
    {.name = "sums of a group", .compute = R"(
layout(local_size_x = 64, local_size_y = 2) in;
shared uint sums[128];
shared uint most;
void main() {
  uint self = gl_LocalInvocationIndex;
  sums[self] = first.data[gl_GlobalInvocationID.x + gl_NumWorkGroups.x];
  if (self == 0u) most = 0u;
  barrier();
  for (uint step = 64u; step > 0u; step >>= 1) {
    if (self < step) sums[self] += sums[self + step];
    memoryBarrierShared(); barrier();
  }
  atomicMax(most, sums[self]); uint old = atomicAdd(sums[self ^ 1u], 3u) + atomicCompSwap(sums[5], 1u, self);
  old += atomicExchange(sums[9], old);
  barrier();
  if (self == 0u) atomicAdd(first.count, sums[0] + most + old + gl_WorkGroupID.y);
})"},
    {.name = "matrices in shared memory", .compute = R"(
layout(local_size_x = 8, local_size_y = 8) in;
shared vec4 tile[8][8];
shared dvec2 wide[64];
void main() {
  uvec2 at = gl_LocalInvocationID.xy;
  tile[at.y][at.x] = imageLoad(floats, ivec2(gl_GlobalInvocationID.xy));
  wide[gl_LocalInvocationIndex] = constants.wide.xy * double(at.x);
  groupMemoryBarrier(); barrier();
  vec4 sum = vec4(0.0);
  for (int n = 0; n < 8; n++) sum += tile[n][at.x] * tile[at.y][n].wzyx;
  second.sums[gl_LocalInvocationIndex & 15u] = sum + vec4(wide[63u - gl_LocalInvocationIndex].xyxy);
  imageStore(bytes, ivec2(gl_GlobalInvocationID.xy), sum);
  second.rows[atomicCounterIncrement(counter) & 255u] = vec2(sum.xy);
})"},
    {.name = "one thread", .compute = R"(
layout(local_size_x = 1) in;
void main() { for (uint n = 0u; n < first.count && n < 99u; n++) first.data[n] = first.data[n + 1u] * 3u + uint(constants.table[n & 63u].x); }
)"},
};

}  // namespace shaders
