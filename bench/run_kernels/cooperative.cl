// Kernels of bench/run whose lanes work together: a sum by moves between lanes, a histogram by atomics. PoCL, whose compiler has
// no names for the moves, sums through local memory.

// The sums of rows of 4096 numbers, one work-group of 256 each.
__kernel void row_sums(__global const float* a, __global float* sums, int count) {
  const int l = get_local_id(0), row = get_group_id(0);
  float v = 0;
  for (int i = l; i < count; i += 256) v += a[row * count + i];
#ifdef __AMDGCN__
  __local float parts[256 / __AMDGCN_WAVEFRONT_SIZE__];
#define ADD_MOVED(control) v += as_float(__builtin_amdgcn_update_dpp(0, as_int(v), control, 0xf, 0xf, true))
  ADD_MOVED(0x161), ADD_MOVED(0x162), ADD_MOVED(0x164), ADD_MOVED(0x168);  // row_xmask
  v += as_float(__builtin_amdgcn_permlanex16(as_int(v), as_int(v), 0x76543210, 0xfedcba98, false, false));
#if __AMDGCN_WAVEFRONT_SIZE__ == 64
  v = as_float(__builtin_amdgcn_readlane(as_int(v), 0)) + as_float(__builtin_amdgcn_readlane(as_int(v), 32));
#endif
  if (l % __AMDGCN_WAVEFRONT_SIZE__ == 0) parts[l / __AMDGCN_WAVEFRONT_SIZE__] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    for (int i = 1; i < 256 / __AMDGCN_WAVEFRONT_SIZE__; i++) v += parts[i];
    sums[row] = v;
  }
#else
  __local float parts[256];
  parts[l] = v;
  for (int n = 128; n > 0; n /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < n) parts[l] += parts[l + n];
  }
  if (l == 0) sums[row] = parts[0];
#endif
}

// How many of the bytes have each value: counted in local memory by work-groups of 256, 64 words a work-item.
__kernel void histogram(__global const uint* words, __global uint* counts) {
  __local uint own[256];
  const int l = get_local_id(0);
  own[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < 64; i++) {
    const uint word = words[get_group_id(0) * 64 * 256 + i * 256 + l];
    atomic_inc(&own[word & 255]);
    atomic_inc(&own[word >> 8 & 255]);
    atomic_inc(&own[word >> 16 & 255]);
    atomic_inc(&own[word >> 24]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&counts[l], own[l]);
}
