// Kernels whose code has what Intel's compiler makes of OpenCL: arithmetic of all types, local memory and barriers, atomics, images,
// sub-groups, indirect registers, printf, loops.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void add_sines(global float* a, global float* b, global float* c) {
  int i = get_global_id(0);
  c[i] = a[i] + b[i] * sin(b[i]);
}
kernel void reduce(global int* a, global int* sum, local int* l) {
  int i = get_local_id(0);
  l[i] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (i < s) l[i] += l[i + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0) atomic_add(sum, l[0]);
}
kernel void multiply(global float* a, global float* b, global float* c, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  float s = 0;
  for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * n + x];
  c[y * n + x] = s;
}
kernel void sample(read_only image2d_t from, write_only image2d_t to, sampler_t s) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(to, p, read_imagef(from, s, convert_float2(p) * 0.5f));
}
kernel void integers(global long* a, global int* b, global uchar* c, global short* d) {
  int i = get_global_id(0);
  a[i] = a[i] * b[i] / (b[i] | 1) + popcount(a[i]) + clz(b[i]);
  b[i] = b[i] % 7 + mul_hi(b[i], 12345) + rotate(b[i], 5);
  c[i] = add_sat(c[i], (uchar)200);
  d[i] = sub_sat(d[i], (short)-30000);
  printf("%d\n", b[i]);
}
kernel void halves(global half4* a, global float4* b) {
  int i = get_global_id(0);
  a[i] = fma(a[i], a[i], convert_half4(b[i])) * (half4)(1.5h);
  b[i] = convert_float4(a[i]) + fmin(b[i], (float4)(2.0f));
}
kernel void private_array(global int* a, int n) {
  int t[64];
  for (int i = 0; i < 64; i++) t[i] = a[i] * i;
  for (int i = 0; i < n; i++) t[(t[i & 63] * 7) & 63] += i;
  a[get_global_id(0)] = t[get_global_id(0) & 63];
}
kernel void precise(global float* a) {
  int i = get_global_id(0);
  a[i] = pow(exp(a[i]), log(a[i])) + cos(a[i]) * tan(a[i]) + fmod(a[i], 3.0f) + half_rsqrt(a[i]);
}
kernel void irregular(global int* a, global int* b) {
  int i = get_global_id(0), n = a[i];
  while (n != 1) {
    if (n & 1) {
      n = 3 * n + 1;
      if (n > 100000) break;
      if (n % 5 == 0) continue;
    } else {
      n >>= 1;
    }
    b[i] += n == 3 ? 2 : 1;
  }
}
kernel void exchanged(global volatile int* a, global volatile float* f) {
  int i = get_global_id(0);
  a[i] = atomic_cmpxchg(a + 1, i, i * 2) + atomic_max(a + 2, i) + atomic_xor(a + 3, i);
  f[i] = atomic_xchg(f + 1, f[i]);
}
