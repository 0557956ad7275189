// Kernels for DG1: what Intel's compiler makes of them uses every kind of message and most of the instructions.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

kernel void vector_add(global const float* a, global const float* b, global float* c, int n) {
  int i = get_global_id(0);
  if (i < n) c[i] = a[i] + b[i];
}
kernel void places(global uint* out) {
  uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  global uint* o = out + 8 * (x + get_global_size(0) * (y + get_global_size(1) * z));
  o[0] = get_local_id(0) | get_local_id(1) << 8 | get_local_id(2) << 16;
  o[1] = get_group_id(0) | get_group_id(1) << 8 | get_group_id(2) << 16;
  o[2] = get_local_size(0) | get_local_size(1) << 8 | get_local_size(2) << 16;
  o[3] = get_enqueued_local_size(0) | get_enqueued_local_size(1) << 8 | get_enqueued_local_size(2) << 16;
  o[4] = get_num_groups(0) | get_num_groups(1) << 8 | get_num_groups(2) << 16;
  o[5] = get_global_size(0) | get_global_size(1) << 8 | get_global_size(2) << 16;
  o[6] = get_work_dim(), o[7] = get_global_offset(0);
}
kernel void reduce(global const int* a, global int* sum, local int* l) {
  int i = get_local_id(0);
  l[i] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (i < s) l[i] += l[i + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0) atomic_add(sum, l[0]);
}
kernel void histogram(global const uchar* a, global uint* bins, int n) {
  local uint l[256];
  for (int i = get_local_id(0); i < 256; i += get_local_size(0)) l[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&l[a[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id(0); i < 256; i += get_local_size(0)) atomic_add(&bins[i], l[i]);
}
kernel void multiply(global const float* a, global const float* b, global float* c, int n) {
  local float s[16][16], t[16][16];
  int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    s[ly][lx] = a[y * n + k + lx];
    t[ly][lx] = b[(k + ly) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 16; i++) sum = fma(s[ly][i], t[i][lx], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[y * n + x] = sum;
}
kernel void bodies(global const float4* p, global float4* v, int n, float dt) {
  int i = get_global_id(0);
  float4 me = p[i], f = 0;
  for (int j = 0; j < n; j++) {
    float4 d = p[j] - me;
    float r = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
    f += d * (p[j].w * r * r * r);
  }
  v[i] += f * dt;
}
kernel void functions(global const float* a, global float* o) {
  int i = get_global_id(0);
  float x = a[i];
  global float* p = o + i * 12;
  p[0] = sin(x), p[1] = cos(x), p[2] = exp(x * 0.1f), p[3] = log(x), p[4] = pow(x, 1.5f), p[5] = sqrt(x);
  p[6] = 1.0f / x, p[7] = x / 3.0f, p[8] = fmod(x, 0.7f), p[9] = tanh(x * 0.1f), p[10] = atan2(x, 2.0f), p[11] = cbrt(x);
}
kernel void integers(global const int* a, global const int* b, global int* o) {
  int i = get_global_id(0), x = a[i], y = b[i] | 1;
  global int* p = o + i * 16;
  p[0] = x / y, p[1] = x % y, p[2] = (uint)x / (uint)y, p[3] = (uint)x % (uint)y, p[4] = mul_hi(x, y), p[5] = rotate(x, y & 31);
  p[6] = clz(x), p[7] = popcount(x), p[8] = add_sat(x, y), p[9] = sub_sat(x, y), p[10] = hadd(x, y), p[11] = abs_diff(x, y);
  p[12] = min(x, y), p[13] = mad24(x >> 9, y >> 9, x), p[14] = x << (y & 31), p[15] = x >> (y & 31);
}
kernel void longs(global const long* a, global const long* b, global long* o) {
  int i = get_global_id(0);
  long x = a[i], y = b[i] | 1;
  global long* p = o + i * 8;
  p[0] = x + y, p[1] = x - y, p[2] = x * y, p[3] = x / y, p[4] = (ulong)x % (ulong)y, p[5] = x >> (y & 63);
  p[6] = max(x, y), p[7] = popcount(x) + clz(y);
}
kernel void narrow(global const char* a, global const short* b, global uchar* c, global ushort* d) {
  int i = get_global_id(0);
  c[i] = add_sat((uchar)a[i], (uchar)100) + (a[i] > 0);
  d[i] = (ushort)(b[i] * 3 + a[i]);
}
kernel void halves(global const half* a, global const half* b, global half* c) {
  int i = get_global_id(0);
  c[i] = fma(a[i], b[i], (half)0.5h) * (half)2.0h;
}
kernel void conversions(global const float* a, global int* o) {
  int i = get_global_id(0);
  float x = a[i];
  global int* p = o + i * 8;
  p[0] = convert_int_rtz(x), p[1] = convert_int_rte(x), p[2] = convert_int_rtp(x), p[3] = convert_int_rtn(x);
  p[4] = convert_uchar_sat(x), p[5] = convert_short_sat(x * 1000), p[6] = as_int(convert_float((int)x)), p[7] = convert_uint_sat(x);
}
// The mode is changed for the conversion alone; nothing but the product behind it shows whether it came back.
kernel void rounding_modes(global const int* a, global int* o) {
  int i = get_global_id(0);
  o[i] = convert_int_rtn(convert_float_rtz(a[i]) * 1e-4f);
}
kernel void subgroups(global const int* a, global int* o) {
  int i = get_global_id(0), x = a[i];
  global int* p = o + i * 4;
  p[0] = sub_group_reduce_add(x), p[1] = sub_group_scan_exclusive_add(x), p[2] = sub_group_broadcast(x, 3);
  p[3] = sub_group_any(x > 900) * 2 + sub_group_all(x > 0);
}
__attribute__((intel_reqd_sub_group_size(8))) kernel void eight(global const int* a, global int* o) {
  int i = get_global_id(0);
  o[i] = sub_group_reduce_max(a[i]) + get_sub_group_size();
}
__attribute__((intel_reqd_sub_group_size(16))) kernel void sixteen(global const int* a, global int* o) {
  int i = get_global_id(0);
  o[i] = sub_group_reduce_max(a[i]) + get_sub_group_size();
}
kernel void private_array(global const int* a, global int* o, int n) {
  int t[64];
  int g = get_global_id(0);
  for (int i = 0; i < 64; i++) t[i] = a[(i + g) & 63] * i;
  for (int i = 0; i < n; i++) t[(t[i & 63] * 7) & 63] += i;
  o[g] = t[g & 63] + t[(g * 13) & 63];
}
kernel void irregular(global const int* a, global int* o) {
  int i = get_global_id(0), n = a[i], count = 0;
  while (n != 1) {
    if (n & 1) {
      n = 3 * n + 1;
      if (n > 100000) break;
      if (n % 5 == 0) continue;
    } else {
      n >>= 1;
    }
    count += n == 3 ? 2 : 1;
  }
  o[i] = count;
}
kernel void atomics(global int* a, global uint* u, global float* f, global int* old) {
  int i = get_global_id(0);
  atomic_add(&a[0], i), atomic_sub(&a[1], i), atomic_max(&a[2], i), atomic_min(&a[3], -i), atomic_or(&a[4], 1 << (i & 31));
  atomic_and(&a[5], ~(1 << (i & 15))), atomic_xor(&a[6], i), atomic_inc(&a[7]), atomic_dec(&a[8]);
  old[i] = atomic_inc(&a[9]);
  atomic_max(&u[0], (uint)i);
  int seen = *(volatile global int*)&a[10];
  for (;;) {
    int was = atomic_cmpxchg(&a[10], seen, seen + 2);
    if (was == seen) break;
    seen = was;
  }
  if (i == 5) atomic_xchg(&f[0], 2.5f);
}
kernel void long_atomics(global long* a) {
  atom_add(&a[0], (long)get_global_id(0) << 20);
  atom_inc(&a[1]);
}
constant int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
kernel void constants(global int* o, constant int* c) {
  int i = get_global_id(0);
  o[i] = table[i & 7] * 10 + c[i & 3];
}
typedef struct {
  int a;
  float b;
  short c[3];
} Thing;
kernel void by_value(Thing t, float4 v, long n, char c, global float* o) {
  if (get_global_id(0) == 0) o[0] = t.a + t.b + t.c[0] + t.c[1] * 10 + t.c[2] * 100, o[1] = v.x + v.y * 2 + v.z * 3 + v.w * 4, o[2] = n, o[3] = c;
}
kernel void prints(global const int* a) {
  int i = get_global_id(0);
  if (i == 2) printf("%d %u %x %c %s %5.2f %%|%v4d|%ld\n", a[i], 7u, 255, 'z', "text", 1.5f, (int4)(1, 2, 3, 4), 1l << 40);
}
kernel void wild(global int* a, long at) { *(global int*)(at + get_global_id(0) * 4) = a[0]; }
kernel void images(read_only image2d_t from, write_only image2d_t to, sampler_t s) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(to, p, read_imagef(from, s, convert_float2(p) * 0.5f + 0.25f));
}
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void texels(read_only image2d_t from, write_only image2d_t to) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imageui(to, p, read_imageui(from, nearest, p + (int2)(1, -1)));
}
kernel void volume(read_only image3d_t a, global float* o) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  o[x + get_global_size(0) * (y + get_global_size(1) * z)] =
      read_imagef(a, nearest, (int4)(x, y, z, 0)).x + 100 * get_image_depth(a) + 1000 * get_image_width(a);
}

// Nothing here depends on the work-item: the kernel asks for no local ids, and stores several values at once.
kernel void no_local_ids(global int* out, int4 v) {
  out[0] = v.x; out[1] = v.y; out[2] = v.z; out[3] = v.w;
  out[8] = v.s0; out[9] = v.s1; out[10] = v.s2; out[11] = v.s3;
}

// Blocks of images: 64 bytes and four rows a sub-group, read a texel to the left and a row above.
__attribute__((intel_reqd_sub_group_size(16))) kernel void image_blocks(read_only image2d_t a, write_only image2d_t b) {
  int2 at = (int2)((int)(get_group_id(0) % 2) * 64, (int)(get_group_id(0) / 2) * 4);
  intel_sub_group_block_write4(b, at, intel_sub_group_block_read4(a, at - (int2)(4, 1)) + 1u);
}
