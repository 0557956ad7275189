// Plain element-wise work: scalars and vectors of every width, unaligned three-element accesses, half storage.

__kernel void vector_add(__global const float* a, __global const float* b, __global float* sum, int n) {
  int i = get_global_id(0);
  if (i < n) sum[i] = a[i] + b[i];
}

__kernel void saxpy(float a, __global const float* x, __global float* y) {
  size_t i = get_global_id(0);
  y[i] = fma(a, x[i], y[i]);
}

__kernel void copy_bytes(__global const uchar* from, __global uchar* to) { to[get_global_id(0)] = from[get_global_id(0)] ^ (uchar)0x5a; }

__kernel void copy_shorts(__global const short* from, __global short* to) {
  size_t i = get_global_id(0);
  to[i] = (short)(from[i] * 3 - 7);
}

__kernel void copy_longs(__global const long* from, __global long* to) {
  size_t i = get_global_id(0);
  to[i] = from[i] * 0x100000001b3L + (long)i;
}

__kernel void float4_mad(__global const float4* a, __global const float4* b, __global float4* c, float4 scale) {
  size_t i = get_global_id(0);
  c[i] = a[i].wzyx * scale + b[i];
}

__kernel void float3_cross(__global const float* a, __global const float* b, __global float* c) {
  size_t i = get_global_id(0);
  vstore3(cross(vload3(i, a), vload3(i, b)), i, c);
}

__kernel void int8_mix(__global const int8* a, __global int8* b) {
  size_t i = get_global_id(0);
  int8 x = a[i];
  b[i] = (x << (int8)(1, 2, 3, 4, 5, 6, 7, 8)) ^ x.s76543210 ^ (x > 0);
}

__kernel void short16_sum(__global const short16* a, __global short* total, __global short16* twice) {
  size_t i = get_global_id(0);
  short16 x = a[i];
  short8 h = x.lo + x.hi;
  short4 q = h.even + h.odd;
  short2 d = q.lo - q.hi;
  total[i] = d.x * d.y;
  twice[i] = x + x;
}

__kernel void uchar4_blend(__global const uchar4* a, __global const uchar4* b, __global uchar4* c, uint alpha) {
  size_t i = get_global_id(0);
  uint4 x = convert_uint4(a[i]), y = convert_uint4(b[i]);
  c[i] = convert_uchar4_sat((x * alpha + y * (255u - alpha) + 127u) / 255u);
}

__kernel void double2_length(__global const double2* a, __global double* b) {
  size_t i = get_global_id(0);
  b[i] = sqrt(a[i].x * a[i].x + a[i].y * a[i].y);
}

// Values in memory as half without half arithmetic; all rounding modes of the stores.
__kernel void half_storage(__global const half* a, __global const float* x, __global float* wide, __global half* narrow, int n) {
  size_t i = get_global_id(0);
  wide[i] = vload_half(i, a) * 2.0f;
  vstore_half(x[i], i, narrow);
  vstore_half_rtz(x[i], n + i, narrow);
  vstore_half_rtp(x[i], 2 * n + i, narrow);
  vstore_half_rtn(x[i], 3 * n + i, narrow);
}

// Each lane reads elsewhere: strided, reversed, gathered, all the same.
__kernel void access_patterns(__global const int* a, __global const uint* index, __global int* b, uint n) {
  uint i = get_global_id(0);
  int s = a[(i * 7u) % n] - a[n - 1u - i % n] + 3 * a[index[i] % n] + a[n / 2u];
  b[index[i] % n] = (int)(index[i] % n) * 5;
  b[n + i] = s;
}

__constant int primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
__kernel void constant_table(__global const uchar* a, __global int* b, __constant int* more) {
  size_t i = get_global_id(0);
  b[i] = primes[a[i] & 15] * 100 + primes[a[i] >> 4] + more[a[i] & 3];
}
