// Work-groups at work together: LDS, static and given by the host, barriers, atomics, halos, sorts and scans.

__kernel void reduce_static(__global const int* a, __global int* sum, int n) {
  __local int part[256];
  int l = get_local_id(0), v = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) v += a[i] * (i & 3);
  part[l] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_size = get_local_size(0) / 2; half_size > 0; half_size >>= 1) {
    if (l < half_size) part[l] += part[l + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) atomic_add(sum, part[0]);
}

__kernel void reduce_dynamic(__global const float* a, __global float* sums, __local float* part) {
  int l = get_local_id(0);
  part[l] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_size = get_local_size(0) / 2; half_size > 0; half_size >>= 1) {
    if (l < half_size) part[l] += part[l + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) sums[get_group_id(0)] = part[0];
}

// Two blocks given by the host and one of our own: none may overlap another.
__kernel void three_blocks(__global const int* a, __global int* b, __local int* first, __local char* second) {
  __local short own[128];
  int l = get_local_id(0), n = get_local_size(0), i = get_global_id(0);
  first[l] = a[i];
  second[l] = (char)(a[i] >> 8);
  own[l] = (short)(a[i] >> 16);
  barrier(CLK_LOCAL_MEM_FENCE);
  int m = (l * 5 + 3) % n;
  b[i] = first[m] * 3 + second[n - 1 - m] * 5 + own[(m + 1) % n];
}

__kernel void scan(__global const uint* a, __global uint* b, __local uint* part) {
  int l = get_local_id(0), n = get_local_size(0);
  part[l] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 1; step < n; step <<= 1) {
    uint v = l >= step ? part[l - step] : 0u;
    barrier(CLK_LOCAL_MEM_FENCE);
    part[l] += v;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  b[get_global_id(0)] = part[l];
}

__kernel void histogram(__global const uchar* a, __global uint* counts, uint n) {
  __local uint mine[256];
  for (uint i = get_local_id(0); i < 256u; i += get_local_size(0)) mine[i] = 0u;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&mine[a[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_local_id(0); i < 256u; i += get_local_size(0))
    if (mine[i]) atomic_add(&counts[i], mine[i]);
}

__kernel void bitonic_sort(__global int* a) {
  __local int part[256];
  uint l = get_local_id(0), i = get_global_id(0);
  part[l] = a[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint run = 2; run <= 256; run <<= 1)
    for (uint gap = run >> 1; gap > 0; gap >>= 1) {
      uint other = l ^ gap;
      if (other > l) {
        int x = part[l], y = part[other];
        if ((x > y) == ((l & run) == 0)) {
          part[l] = y;
          part[other] = x;
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  a[i] = part[l];
}

#define EDGE 16
__kernel __attribute__((reqd_work_group_size(EDGE, EDGE, 1))) void stencil(__global const float* a, __global float* b, int width, int height) {
  __local float tile[EDGE + 2][EDGE + 2];
  int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
  for (int k = ly * EDGE + lx; k < (EDGE + 2) * (EDGE + 2); k += EDGE * EDGE) {
    int tx = k % (EDGE + 2), ty = k / (EDGE + 2);
    int sx = clamp((int)get_group_id(0) * EDGE + tx - 1, 0, width - 1), sy = clamp((int)get_group_id(1) * EDGE + ty - 1, 0, height - 1);
    tile[ty][tx] = a[sy * width + sx];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  b[y * width + x] = 0.5f * tile[ly + 1][lx + 1] + 0.125f * (tile[ly][lx + 1] + tile[ly + 2][lx + 1] + tile[ly + 1][lx] + tile[ly + 1][lx + 2]);
}

__kernel void transpose(__global const float* a, __global float* b, int width, int height) {
  __local float tile[EDGE][EDGE + 1];
  tile[get_local_id(1)][get_local_id(0)] = a[get_global_id(1) * width + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  b[(get_group_id(0) * EDGE + get_local_id(1)) * height + get_group_id(1) * EDGE + get_local_id(0)] = tile[get_local_id(0)][get_local_id(1)];
}

// Radix-2 FFT of 64 points a group, with the twiddle factors worked out on the spot.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void fft64(__global float2* a) {
  __local float2 x[64];
  uint l = get_local_id(0), bits = 0;
  for (uint k = 0; k < 6; ++k) bits |= (l >> k & 1u) << (5u - k);
  x[bits] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint span = 1; span < 64; span <<= 1) {
    float2 low = (float2)(0.0f), high = (float2)(0.0f);
    uint place = (l / span) * span * 2u + l % span;
    if (l < 32) {
      float angle = -(float)(l % span) / (float)span;
      float2 w = (float2)(cospi(angle), sinpi(angle)), odd = x[place + span], even = x[place];
      float2 turned = (float2)(odd.x * w.x - odd.y * w.y, odd.x * w.y + odd.y * w.x);
      low = even + turned;
      high = even - turned;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 32) {
      x[place] = low;
      x[place + span] = high;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  a[get_global_id(0)] = x[l];
}

// Barriers inside a loop whose count differs from group to group.
__kernel void group_loops(__global const int* rounds, __global int* b) {
  __local int ring[64];
  int l = get_local_id(0), n = get_local_size(0), v = l;
  for (int r = 0; r < rounds[get_group_id(0)]; ++r) {
    ring[l] = v * 3 + r;
    barrier(CLK_LOCAL_MEM_FENCE);
    v = ring[(l + r + 1) % n] ^ v;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  b[get_global_id(0)] = v;
}

// A struct in LDS read byte by byte, 64-bit LDS accesses, and doubles.
struct Cell { char c; short s; int i; long l; double d; };
__kernel void local_struct(__global const int* a, __global long* b, __global double* e) {
  __local struct Cell cells[64];
  int l = get_local_id(0), n = get_local_size(0), v = a[get_global_id(0)];
  cells[l].c = (char)v;
  cells[l].s = (short)(v >> 3);
  cells[l].i = v * 7;
  cells[l].l = (long)v * v;
  cells[l].d = v * 0.25;
  barrier(CLK_LOCAL_MEM_FENCE);
  struct Cell other = cells[(l * 3 + 1) % n];
  b[get_global_id(0)] = other.c + other.s * 2L + other.i * 3L + other.l;
  e[get_global_id(0)] = other.d + cells[n - 1 - l].d;
}
