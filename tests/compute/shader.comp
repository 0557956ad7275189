#version 430
// Compute shaders of OpenGL 4.3 and Vulkan, one for each name that may be defined (compute_cases.h). All have the same resources.
#ifdef SUBGROUPS
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#endif
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint a[]; };
layout(std430, binding = 1) buffer Out { uint o[]; };
layout(std140, binding = 2) uniform U { uvec4 u[16]; };
layout(r32ui, binding = 3) coherent uniform uimage2D image;
layout(binding = 4) uniform sampler2D picture;
shared uint s[64];
shared uint t[64];

uint l = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;

#ifdef SHARED
void main() {
  s[l] = a[g];
  for (uint d = 32; d > 0; d /= 2) {
    barrier();
    if (l < d) s[l] += s[l + d] ^ d;
  }
  barrier();
  o[g] = s[0] + s[63 - l];
}
#endif

#ifdef ATOMICS
void main() {
  if (l < 8) s[l] = 0;
  barrier();
  atomicAdd(s[a[g] & 7], 1);
  barrier();
  if (l < 8) atomicAdd(o[l], s[l]);
  atomicMax(o[8], a[g]);
  atomicMin(o[9], a[g]);
  atomicXor(o[10], a[g]);
  atomicOr(o[11], a[g] & 0xff0);
  uint seen = o[12], old;
  do {
    old = seen;
    seen = atomicCompSwap(o[12], old, old + (a[g] & 15));
  } while (seen != old);
}
#endif

#ifdef DIVERGENCE
uint steps(uint v) {
  uint n = 0;
  for (; v > 1 && n < 100; n++) {
    if ((v & 1) == 1) {
      if (v > 100000) return n | 0x1000;
      v = v * 3 + 1;
    } else {
      v /= 2;
      if (v % 7 == 3) continue;
      n++;
    }
  }
  return n;
}
void main() {
  uint r = steps(a[g] & 0xffff);
  switch (a[g] >> 16 & 3) {
    case 0: r = ~r; break;
    case 1: r *= 3;
    case 2: r += 5; break;
    default: break;
  }
  o[g] = r;
}
#endif

#ifdef INTEGERS
void main() {
  uint x = a[g], y = a[(g * 7 + 1) & 4095] | 1, high, low, carry;
  umulExtended(x, y, high, low);
  uint sum = uaddCarry(x, y, carry);
  o[g] = high + x / y * 3 + x % y + bitCount(x) + findMSB(y) + findLSB(x) + bitfieldReverse(y) + sum * carry +
         uint(bitfieldExtract(int(x), 5, 9)) + bitfieldInsert(x, y, 4, 12) + uint(int(x) / int(y | 2));
}
#endif

#ifdef FLOATS
void main() {
  float x = float(a[g] & 0xffff) / 64 - 500, y = float(a[g] >> 16 & 0xff) + 1;
  o[g] = floatBitsToUint(floor(x) + ceil(x * 0.5) + trunc(y) + fma(x, y, 1.5) + clamp(x, -3.0, 3.0) + sign(x) + fract(x)) ^
         packHalf2x16(vec2(x, y)) ^ packUnorm4x8(vec4(x, y, 0.25, 1) * 0.01);
}
#endif

#ifdef UNIFORMS
void main() {
  uint n = a[g] & 15;
  o[g] = u[n].x + u[(n + l) & 15][a[g] >> 4 & 3] * 3;
}
#endif

#ifdef PRIVATE_ARRAY
void main() {
  uint p[20];
  for (int i = 0; i < 20; i++) p[i] = a[(g + i) & 4095];
  for (int i = 0; i < 20; i++) p[a[(g * 3 + i) & 4095] % 20] += i;
  uint r = 0;
  for (int i = 0; i < 20; i++) r = r * 33 + p[i];
  o[g] = r;
}
#endif

#ifdef GROUPS
void main() {
  s[l] = gl_WorkGroupID.x;
  t[63 - l] = gl_NumWorkGroups.x;
  barrier();
  o[g] = s[63 - l] << 16 | t[l] << 8 | gl_LocalInvocationID.x;
}
#endif

#ifdef IMAGES
void main() {
  ivec2 p = ivec2(g & 63, g / 64);
  uint v = p.y == 63 ? 0 : imageLoad(image, p).x;
  imageAtomicAdd(image, ivec2(p.x & ~3, 63), 1);
  o[g] = v * 3 + uint(imageSize(image).x);
  if (p.y < 32) imageStore(image, ivec2(p.x, p.y), uvec4(v + a[g] % 1000));
}
#endif

// What a group stores others of it load: the image need not be filled before.
#ifdef STORES
void main() {
  imageStore(image, ivec2(l, g / 64), uvec4(a[g] ^ 0x5a5a));
  memoryBarrierImage();
  barrier();
  o[g] = imageLoad(image, ivec2(63 - l, g / 64)).x + uint(imageSize(image).y);
}
#endif

#ifdef LENGTHS
void main() {
  o[g] = uint(a.length()) * 3 + uint(o.length()) + (g < a.length() ? a[g] : 0);
}
#endif

#ifdef DENORMAL_HALVES
void main() {
  uint half_bits = (g & 1023) | (g & 1024) << 5;
  vec2 both = unpackHalf2x16(half_bits | (1023 - (g & 1023)) << 16);
  o[g] = floatBitsToUint(both.x) ^ floatBitsToUint(both.y) * 3 ^ packHalf2x16(both.yx) << 1;
}
#endif

// Every number of R11G11B10_FLOAT that is finite, its denormals among them, from a buffer of texels.
#ifdef TEXELS
layout(binding = 5) uniform samplerBuffer small_floats;
void main() {
  vec4 v = texelFetch(small_floats, int(g));
  o[g] = floatBitsToUint(v.x) ^ floatBitsToUint(v.y) * 3 ^ floatBitsToUint(v.z) * 5 + uint(textureSize(small_floats));
}
#endif
#ifdef STORAGE_TEXELS
layout(r11f_g11f_b10f, binding = 6) readonly uniform imageBuffer small_floats;
void main() {
  vec4 v = imageLoad(small_floats, int(g));
  o[g] = floatBitsToUint(v.x) ^ floatBitsToUint(v.y) * 3 ^ floatBitsToUint(v.z) * 5 + uint(imageSize(small_floats));
}
#endif

#ifdef TEXTURES
void main() {
  ivec2 p = ivec2(g & 63, g / 64);
  vec4 v = texelFetch(picture, p.yx, 0), w = textureLod(picture, (vec2(p) * 3 + 0.5) / 64, 0);
  o[g] = packUnorm4x8(v) ^ packUnorm4x8(w.wzyx) * 3 + uint(textureSize(picture, 0).x);
}
#endif

#ifdef SUBGROUPS
void main() {
  uint sum = subgroupAdd(a[g] & 0xffff), most = subgroupMax(a[g]);
  uvec4 ballot = subgroupBallot((a[g] & 1) == 1);
  if (subgroupElect()) atomicAdd(o[0], sum), atomicMax(o[1], most), atomicAdd(o[2], subgroupBallotBitCount(ballot));
  o[64 + g % 1024] = subgroupInclusiveAdd(1u) - subgroupExclusiveAdd(1u) + subgroupBroadcastFirst(7u);
}
#endif
