// Atomics of every kind, on global memory and LDS, 32 and 64 bits, and a float sum by compare and swap.
// The results do not depend on the order in which the work-items come.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

__kernel void global_int(__global const int* a, __global int* r, __global uint* u) {
  int v = a[get_global_id(0)];
  atomic_add(&r[0], v);
  atomic_sub(&r[1], v * 3);
  atomic_inc(&r[2]);
  atomic_dec(&r[3]);
  atomic_min(&r[4], v);
  atomic_max(&r[5], v);
  atomic_and(&r[6], v | 0x00ff00f0);
  atomic_or(&r[7], v & 0x0f0f0f00);
  atomic_xor(&r[8], v);
  atomic_min(&u[0], (uint)v);
  atomic_max(&u[1], (uint)v);
  atomic_add(&r[16 + (v & 15)], 1);
}

__kernel void local_int(__global const int* a, __global int* r) {
  __local int s[12];
  __local uint t[2];
  uint l = get_local_id(0);
  if (l < 12) s[l] = l == 6 ? -1 : l == 4 ? 0x7fffffff : l == 5 ? (int)0x80000000 : 0;
  if (l < 2) t[l] = l == 0 ? 0xffffffffu : 0u;
  barrier(CLK_LOCAL_MEM_FENCE);
  int v = a[get_global_id(0)];
  atomic_add(&s[0], v);
  atomic_sub(&s[1], v);
  atomic_inc(&s[2]);
  atomic_dec(&s[3]);
  atomic_min(&s[4], v);
  atomic_max(&s[5], v);
  atomic_and(&s[6], v | 0x0ff0000f);
  atomic_or(&s[7], v & 0x55);
  atomic_xor(&s[8], v);
  atomic_min(&t[0], (uint)v);
  atomic_max(&t[1], (uint)v);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 12) r[get_group_id(0) * 16 + l] = s[l];
  if (l < 2) r[get_group_id(0) * 16 + 12 + l] = (int)t[l];
}

__kernel void global_long(__global const long* a, __global long* r, __global ulong* u) {
  long v = a[get_global_id(0)];
  atom_add(&r[0], v);
  atom_sub(&r[1], v);
  atom_inc(&r[2]);
  atom_dec(&r[3]);
  atom_min(&r[4], v);
  atom_max(&r[5], v);
  atom_and(&r[6], v | 0x00ff00ff00ff00ffL);
  atom_or(&r[7], v & 0x0101010101010101L);
  atom_xor(&r[8], v);
  atom_min(&u[0], (ulong)v);
  atom_max(&u[1], (ulong)v);
}

__kernel void local_long(__global const long* a, __global long* r) {
  __local long s[4];
  uint l = get_local_id(0);
  if (l < 4) s[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  long v = a[get_global_id(0)];
  atom_add(&s[0], v);
  atom_xor(&s[1], v);
  atom_max(&s[2], v);
  atom_min(&s[3], v);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 4) r[get_group_id(0) * 4 + l] = s[l];
}

// The old values that come back are all different: each work-item gets a place of its own.
__kernel void tickets(__global int* next, __global int* taken, __global int* place) {
  int mine = atomic_inc(next);
  atomic_add(&taken[mine], 1);
  place[get_global_id(0)] = mine >= 0 && mine < (int)get_global_size(0);
}

// Exchange moves tokens about but never makes or loses one.
__kernel void exchange(__global int* cells, __global int* held, int n) {
  int token = 1 << (get_global_id(0) & 15);
  for (int i = 0; i < 5; ++i) token = atomic_xchg(&cells[(get_global_id(0) * 7 + i * 13) % n], token);
  held[get_global_id(0)] = token;
}

void add_float(volatile __global float* p, float v) {
  union { float f; uint u; } seen, want;
  do {
    seen.f = *p;
    want.f = seen.f + v;
  } while (atomic_cmpxchg((volatile __global uint*)p, seen.u, want.u) != seen.u);
}

// Small whole numbers, so that the sum is the same in every order.
__kernel void float_sum(__global const int* a, __global float* sums) {
  int v = a[get_global_id(0)];
  add_float(&sums[v & 7], (float)(v & 63));
}

__kernel void double_sum(__global const int* a, volatile __global ulong* sum) {
  double v = a[get_global_id(0)] & 1023;
  ulong seen, want;
  do {
    seen = *sum;
    want = as_ulong(as_double(seen) + v);
  } while (atom_cmpxchg(sum, seen, want) != seen);
}

__kernel void local_cas(__global const int* a, __global int* r) {
  __local int lock_free[1];
  if (get_local_id(0) == 0) lock_free[0] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  int v = a[get_global_id(0)] & 7, seen;
  do {
    seen = lock_free[0];
  } while (atomic_cmpxchg(&lock_free[0], seen, seen * 3 + 0 * v) != seen);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) r[get_group_id(0)] = lock_free[0];
}
