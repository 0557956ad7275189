// OpenCL programs of one shape, kernel(global const T* a, global const T* b, global T* out, int n), as data: what they compute is
// compared between two implementations of OpenCL (opencl_on).
#pragma once
#include <string_view>

namespace Atoll::compute {

struct OpenClCase {
  std::string_view name;
  std::string_view type;         // of the elements: i32, u32, f32, i64, u8, i16
  unsigned ulps;                 // that results may differ by
  unsigned global[3], local[3];  // local 0: as the driver chooses
  unsigned elements;             // of each buffer
  const char* source;            // the kernel's name is k
  const char* options = "";      // of the compiler
};

inline constexpr OpenClCase opencl_cases[] = {
    {"vadd", "i32", 0, {1024, 1, 1}, {64, 1, 1}, 1024, R"(
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  int i = get_global_id(0);
  out[i] = a[i] + b[i];
})"},
    {"guarded", "i32", 0, {1024, 1, 1}, {0, 0, 0}, 1000, R"(
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  int i = get_global_id(0);
  if (i < n) out[i] = a[i] * 3 - b[n - 1 - i];
})"},
    {"saxpy", "f32", 0, {1024, 1, 1}, {128, 1, 1}, 1024, R"(
kernel void k(global const float* a, global const float* b, global float* out, int n) {
  int i = get_global_id(0);
  out[i] = fma(2.5f, a[i], b[i]);
})"},
    {"reduction", "i32", 0, {1024, 1, 1}, {128, 1, 1}, 1024, R"(
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  local int s[128];
  int l = get_local_id(0);
  s[l] = a[get_global_id(0)] ^ b[get_global_id(0)];
  for (int d = 64; d; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < d) s[l] += s[l + d];
  }
  if (l == 0) atomic_add(out, s[0]), out[1 + get_group_id(0)] = s[0];
})"},
    {"histogram", "u32", 0, {2048, 1, 1}, {256, 1, 1}, 2048, R"(
kernel void k(global const uint* a, global const uint* b, global uint* out, int n) {
  local uint bins[64];
  int l = get_local_id(0);
  if (l < 64) bins[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&bins[a[get_global_id(0)] & 63]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 64) atomic_add(&out[l], bins[l]);
})"},
    {"tiled_matmul", "f32", 16, {64, 64, 1}, {16, 16, 1}, 4096, R"(
kernel void k(global const float* a, global const float* b, global float* out, int n) {
  local float x[16][16], y[16][16];
  int i = get_local_id(0), j = get_local_id(1), c = get_global_id(0), r = get_global_id(1);
  float sum = 0;
  for (int t = 0; t < 64; t += 16) {
    x[j][i] = a[r * 64 + t + i];
    y[j][i] = b[(t + j) * 64 + c];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int m = 0; m < 16; m++) sum += x[j][m] * y[m][i];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[r * 64 + c] = sum;
})"},
    {"n_body", "f32", 256, {64, 1, 1}, {32, 1, 1}, 256, R"(
kernel void k(global const float* a, global const float* b, global float* out, int n) {
  int i = get_global_id(0);
  float4 p = vload4(i, a), f = 0;
  for (int j = 0; j < n / 4; j++) {
    float4 q = vload4(j, a), d = q - p;
    float r = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
    f.xyz += d.xyz * (fabs(b[j]) * r * r * r);
  }
  vstore4(f, i, out);
})"},
    {"stencil", "f32", 2, {64, 64, 1}, {0, 0, 0}, 4096, R"(
kernel void k(global const float* a, global const float* b, global float* out, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++) sum += a[clamp(y + j, 0, 63) * 64 + clamp(x + i, 0, 63)];
  out[y * 64 + x] = sum / 9;
})"},
    {"transpose", "i32", 0, {64, 64, 1}, {8, 8, 1}, 4096, R"(
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  local int t[8][9];
  t[get_local_id(1)][get_local_id(0)] = a[get_global_id(1) * 64 + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(get_group_id(0) * 8 + get_local_id(1)) * 64 + get_group_id(1) * 8 + get_local_id(0)] = t[get_local_id(0)][get_local_id(1)];
})"},
    {"scan", "i32", 0, {256, 1, 1}, {256, 1, 1}, 256, R"(
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  local int s[256];
  int l = get_local_id(0);
  s[l] = a[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 1; d < 256; d *= 2) {
    int v = l >= d ? s[l - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    s[l] += v;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[l] = s[l];
})"},
    {"bitonic_sort", "i32", 0, {128, 1, 1}, {128, 1, 1}, 128, R"(
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  local int s[128];
  int l = get_local_id(0);
  s[l] = a[l];
  for (int size = 2; size <= 128; size *= 2)
    for (int d = size / 2; d; d /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      int o = l ^ d;
      if (o > l && (s[l] > s[o]) == ((l & size) == 0)) { int t = s[l]; s[l] = s[o]; s[o] = t; }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = s[l];
})"},
    {"divergent_loops", "i32", 0, {512, 1, 1}, {64, 1, 1}, 512, R"(
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  uint v = (uint)a[get_global_id(0)] & 0xffff, steps = 0;
  while (v > 1 && steps < 200) {
    steps++;
    if (v & 1) {
      v = v * 3 + 1;
      if (v > 100000) break;
    } else {
      v >>= 1;
      if ((v & 7) == 5) continue;
      steps += 2;
    }
  }
  out[get_global_id(0)] = steps;
})"},
    {"switch_and_return", "i32", 0, {256, 1, 1}, {0, 0, 0}, 256, R"(
int pick(int x, int y) {
  switch (x & 7) {
    case 0: return y + 1;
    case 1: y *= 2;
    case 2: return y - 3;
    case 5: return ~y;
    default: return x ^ y;
  }
}
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  int i = get_global_id(0);
  if (i % 5 == 4) return;
  out[i] = pick(a[i], b[i]);
})"},
    {"mandelbrot", "i32", 0, {64, 32, 1}, {0, 0, 0}, 2048, R"(
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  float cx = get_global_id(0) * 0.03125f - 1.5f, cy = get_global_id(1) * 0.0625f - 1, x = 0, y = 0;
  int i = 0;
  for (; i < 100 && fma(x, x, y * y) < 4; i++) {
    float t = fma(x, x, fma(-y, y, cx));
    y = fma(2 * x, y, cy);
    x = t;
  }
  out[get_global_id(1) * 64 + get_global_id(0)] = i;
})"},
    {"collatz_counts", "u32", 0, {1024, 1, 1}, {256, 1, 1}, 1024, R"(
kernel void k(global const uint* a, global const uint* b, global uint* out, int n) {
  ulong v = get_global_id(0) + 1;
  uint steps = 0;
  while (v != 1) v = v & 1 ? 3 * v + 1 : v / 2, steps++;
  out[get_global_id(0)] = steps;
})"},
    {"integer_division", "i32", 0, {512, 1, 1}, {0, 0, 0}, 512, R"(
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  int i = get_global_id(0);
  int d = b[i] ? b[i] : 7;
  if (d == -1) d = 3;
  out[i] = a[i] / d * 31 + a[i] % d;
})"},
    {"unsigned_division", "u32", 0, {512, 1, 1}, {0, 0, 0}, 512, R"(
kernel void k(global const uint* a, global const uint* b, global uint* out, int n) {
  int i = get_global_id(0);
  uint d = b[i] ? b[i] >> (i % 29) : 7;
  d = d ? d : 1;
  out[i] = a[i] / d ^ a[i] % d;
})"},
    {"long_arithmetic", "i64", 0, {256, 1, 1}, {0, 0, 0}, 256, R"(
kernel void k(global const long* a, global const long* b, global long* out, int n) {
  int i = get_global_id(0);
  out[i] = a[i] * b[i] + (a[i] >> (i & 63)) - (b[i] << (i & 31)) + (a[i] < b[i] ? a[i] : ~b[i]);
})"},
    {"long_division", "i64", 0, {128, 1, 1}, {0, 0, 0}, 128, R"(
kernel void k(global const long* a, global const long* b, global long* out, int n) {
  int i = get_global_id(0);
  long d = (b[i] >> (i & 31)) | 1;
  out[i] = d == -1 ? a[i] : a[i] / d + a[i] % d;
})"},
    {"mul_high", "u32", 0, {256, 1, 1}, {0, 0, 0}, 256, R"(
kernel void k(global const uint* a, global const uint* b, global uint* out, int n) {
  int i = get_global_id(0);
  out[i] = mul_hi(a[i], b[i]) + (uint)mul_hi((int)a[i], (int)b[i]) + mad24((int)a[i] & 0xffff, (int)b[i] & 0xfff, 9);
})"},
    {"bits", "u32", 0, {256, 1, 1}, {0, 0, 0}, 256, R"(
kernel void k(global const uint* a, global const uint* b, global uint* out, int n) {
  int i = get_global_id(0);
  out[i] = popcount(a[i]) + clz(b[i]) * 64 + rotate(a[i], b[i] & 31) + hadd(a[i], b[i]) + abs_diff(a[i], b[i]) + bitselect(a[i], b[i], 0x0ff0f00fu);
})"},
    {"saturating", "i32", 0, {256, 1, 1}, {0, 0, 0}, 256, R"(
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  int i = get_global_id(0);
  out[i] = add_sat(a[i], b[i]) ^ sub_sat(a[i], b[i]) ^ convert_uchar_sat(a[i] >> 16) ^ convert_short_sat(b[i] >> 8);
})"},
    {"bytes", "u8", 0, {1024, 1, 1}, {0, 0, 0}, 1024, R"(
kernel void k(global const uchar* a, global const uchar* b, global uchar* out, int n) {
  int i = get_global_id(0);
  out[i] = a[i] * 3 + b[n - 1 - i] / 2;
})"},
    {"shorts", "i16", 0, {1024, 1, 1}, {0, 0, 0}, 1024, R"(
kernel void k(global const short* a, global const short* b, global short* out, int n) {
  int i = get_global_id(0);
  out[i] = max(a[i], b[i]) - (short)(a[i] * b[i]);
})"},
    {"vectors", "f32", 1, {64, 1, 1}, {0, 0, 0}, 1024, R"(
kernel void k(global const float* a, global const float* b, global float* out, int n) {
  int i = get_global_id(0);
  float16 x = vload16(i, a), y = vload16(i, b);
  float16 z = (float16)(x.hi, y.lo);
  z.s0f3 = y.s7ea;
  vstore16(select(z, x, isless(x, y)), i, out);
})"},
    {"float_rounding", "f32", 0, {256, 1, 1}, {0, 0, 0}, 256, R"(
kernel void k(global const float* a, global const float* b, global float* out, int n) {
  int i = get_global_id(0);
  out[i] = floor(a[i]) + 2 * ceil(b[i]) + 4 * rint(a[i]) + 8 * trunc(b[i]) + 16 * round(a[i]);
})"},
    {"float_conversions", "i32", 0, {256, 1, 1}, {0, 0, 0}, 256, R"(
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  int i = get_global_id(0);
  float f = convert_float_rtz(a[i]);
  out[i] = as_int(f) ^ convert_int_rte(f * 1e-3f) ^ convert_int_rtp(f * 1e-4f) ^ convert_int_rtn(f * 1e-5f) ^ (int)convert_uint_sat(f);
})"},
    {"halves", "f32", 0, {256, 1, 1}, {0, 0, 0}, 256, R"(
kernel void k(global const float* a, global const float* b, global float* out, int n) {
  local ushort h[256];
  int i = get_global_id(0), l = get_local_id(0);
  vstore_half(a[i] * 1e-3f, l, (local half*)h);
  out[i] = vload_half(l, (local half*)h);
})"},
    {"minmax", "f32", 0, {256, 1, 1}, {0, 0, 0}, 256, R"(
kernel void k(global const float* a, global const float* b, global float* out, int n) {
  int i = get_global_id(0);
  out[i] = fmin(a[i], b[i]) + fmax(a[i], 1.5f) + clamp(b[i], -1.f, 1.f) + sign(a[i]) + fabs(b[i]) + copysign(2.f, a[i]);
})"},
    {"division_and_roots", "f32", 4, {256, 1, 1}, {0, 0, 0}, 256, R"(
kernel void k(global const float* a, global const float* b, global float* out, int n) {
  int i = get_global_id(0);
  out[i] = a[i] / b[i] + sqrt(fabs(a[i])) - rsqrt(fabs(b[i]) + 1);
})"},
    {"sine_cosine", "f32", 16, {256, 1, 1}, {0, 0, 0}, 256, R"(
kernel void k(global const float* a, global const float* b, global float* out, int n) {
  int i = get_global_id(0);
  out[i] = sin(a[i] * 0.01f) * 2 + cos(b[i] * 0.01f) + 4;
})"},
    {"exponentials", "f32", 64, {256, 1, 1}, {0, 0, 0}, 256, R"(
kernel void k(global const float* a, global const float* b, global float* out, int n) {
  int i = get_global_id(0);
  float x = fabs(a[i]) * 1e-2f + 0.5f, y = fabs(b[i]) * 1e-3f;
  out[i] = exp(y) + log(x) + pow(x, y) + exp2(y) + log2(x) + 8;
})"},
    {"tangents", "f32", 64, {256, 1, 1}, {0, 0, 0}, 256, R"(
kernel void k(global const float* a, global const float* b, global float* out, int n) {
  int i = get_global_id(0);
  out[i] = atan2(a[i], b[i]) + tanh(a[i] * 1e-3f) + acos(clamp(b[i] * 1e-3f, -1.f, 1.f)) + 8;
})"},
    {"special_values", "u32", 0, {64, 1, 1}, {0, 0, 0}, 64, R"(
kernel void k(global const uint* a, global const uint* b, global uint* out, int n) {
  const uint s[8] = {0, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7f7fffffu, 0x3f800000u, 0xbf800000u, 0x00800000u};
  int i = get_global_id(0);
  float x = as_float(s[i & 7]), y = as_float(s[i >> 3]);
  out[i] = isnan(x - y) | isinf(x * y) << 1 | isequal(x, y) << 2 | isless(x, y) << 3 | isgreaterequal(x, y) << 4 | signbit(x) << 5 |
           isordered(x + y, y) << 6 | isnormal(x) << 7;
})"},
    {"private_array", "i32", 0, {256, 1, 1}, {0, 0, 0}, 256, R"(
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  int i = get_global_id(0), t[16];
  for (int j = 0; j < 16; j++) t[j] = a[(i + j) % n];
  for (int j = 0; j < 16; j++) t[b[(i + j) % n] & 15] += j;
  int sum = 0;
  for (int j = 0; j < 16; j++) sum = sum * 31 + t[j];
  out[i] = sum;
})"},
    {"large_private_array", "i32", 0, {64, 1, 1}, {0, 0, 0}, 256, R"(
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  int i = get_global_id(0), t[300];
  for (int j = 0; j < 300; j++) t[j] = a[(i * 7 + j) % n];
  for (int j = 0; j < 300; j++) t[(uint)b[(i + j) % n] % 300] ^= t[(j * 17) % 300] + j;
  int sum = 0;
  for (int j = 0; j < 300; j++) sum = sum * 31 + t[j];
  out[i] = sum;
})"},
    {"constant_table", "i32", 0, {256, 1, 1}, {0, 0, 0}, 256, R"(
constant int table[10] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  int i = get_global_id(0);
  out[i] = table[(uint)a[i] % 10] * table[i % 10];
})"},
    {"atomics", "i32", 0, {512, 1, 1}, {64, 1, 1}, 512, R"(
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  int v = a[get_global_id(0)];
  atomic_min(&out[0], v), atomic_max(&out[1], v), atomic_and(&out[2], v), atomic_or(&out[3], v), atomic_xor(&out[4], v);
  atomic_sub(&out[5], v), atomic_inc(&out[6]), atomic_dec(&out[7]);
  int old = out[8];
  for (int seen; (seen = atomic_cmpxchg(&out[8], old, old + (v & 15))) != old; old = seen);
})"},
    {"three_dimensions", "i32", 0, {12, 10, 6}, {4, 5, 2}, 720, R"(
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  out[(z * 10 + y) * 12 + x] = get_local_id(0) | get_local_id(1) << 4 | get_local_id(2) << 8 | get_group_id(0) << 12 |
                               get_group_id(1) << 16 | get_group_id(2) << 20 | get_num_groups(1) << 24 | get_local_size(1) << 28;
})"},
    {"strided_gather", "i32", 0, {1024, 1, 1}, {0, 0, 0}, 4096, R"(
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  int i = get_global_id(0);
  out[(i * 3) % n] = a[(uint)b[i] % n] + a[(i * 4) % n];
})"},
    {"structures", "i32", 0, {128, 1, 1}, {0, 0, 0}, 1024, R"(
typedef struct { int x; char c; short s; long l; } Row;
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  int i = get_global_id(0);
  Row r = {a[i], (char)b[i], (short)a[i + 1], (long)a[i] * b[i]};
  ((global Row*)out)[i] = r;
})"},
    {"barriers_of_two", "i32", 0, {512, 1, 1}, {128, 1, 1}, 512, R"(
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  local int p[128], q[128];
  int l = get_local_id(0), g = get_global_id(0);
  p[l] = a[g];
  for (int i = 0; i < 20; i++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    q[(l * 5 + i) & 127] = p[l] + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    p[l] = q[l] ^ b[g];
  }
  out[g] = p[l];
})"},
    {"uniform_values", "i32", 0, {1, 1, 1}, {1, 1, 1}, 16, R"(
kernel void k(global const int* a, global const int* b, global int* out, int n) {
  int4 v = (int4)(n, n + 5, n + 7, n + 9);
  out[0] = v.s0; out[1] = v.s1; out[2] = v.s2; out[3] = v.s3;
  out[8] = v.x;  out[9] = v.y;  out[10] = v.z; out[11] = v.w;
  out[14] = v.z; out[15] = v.w;
})"},
    {"denormals_are_zero",
     "f32",
     0,
     {64, 1, 1},
     {64, 1, 1},
     64,
     R"(
kernel void k(global const float* a, global const float* b, global float* out, int n) {
  int i = get_global_id(0);
  out[i] = as_float((uint)i << 17) + as_float(0x40u);
})",
     "-cl-denorms-are-zero"},
    {"denormals_are_kept", "f32", 0, {64, 1, 1}, {64, 1, 1}, 64, R"(
kernel void k(global const float* a, global const float* b, global float* out, int n) {
  int i = get_global_id(0);
  out[i] = as_float((uint)i << 17) + as_float(0x40u);
})"},
    {"denormals_of_roots", "f32", 1, {64, 1, 1}, {64, 1, 1}, 256, R"(
kernel void k(global const float* a, global const float* b, global float* out, int n) {
  int i = get_global_id(0);
  float x = as_float((uint)i * 0x1d3a5u + 1u);
  out[i] = sqrt(x);
  out[i + 64] = exp2(-100.0f - i);
  ushort small = (ushort)(i * 16 + 1);
  out[i + 128] = i % 2 ? 1.0f / as_float(0x7e800000u + (uint)i * 0x3ffffu) : vload_half(0, (const half*)&small);
  out[i + 192] = sqrt(as_float(1u << (i % 24)));
})"},
    {"roots_of_denormals", "u32", 0, {64, 1, 1}, {64, 1, 1}, 64, R"(
kernel void k(global const uint* a, global const uint* b, global uint* out, int n) {
  int i = get_global_id(0);
  out[i] = (as_uint(rsqrt(as_float((uint)i * 0x1f2b7u + 1u))) + 64) >> 7;
})"},
    {"local_atomics_of_64_bits", "i64", 0, {64, 1, 1}, {64, 1, 1}, 64, R"(
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void k(global const long* a, global const long* b, global long* out, int n) {
  local long sum;
  int i = get_local_id(0);
  if (i == 0) sum = a[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  atom_add(&sum, b[i]);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = sum + i;
})"},
};

}  // namespace Atoll::compute
