// Lanes of one wave that look at each other, through the instructions' own names (clang's AMDGPU built-in functions).
// The wave size is a macro, so that the expected values can be worked out for both. What Sea Islands has no instruction for is
// left out there (WITH_name: kernel_suite asks clang for its reason).
#define WAVE __AMDGCN_WAVEFRONT_SIZE__

__kernel void broadcast(__global const int* a, __global int* out, int lane) {
  size_t i = get_global_id(0);
  int v = a[i];
  out[i * 3] = __builtin_amdgcn_readfirstlane(v);
  out[i * 3 + 1] = __builtin_amdgcn_readlane(v, lane);
  int first = 0;
  if (get_local_id(0) % WAVE >= 5) first = __builtin_amdgcn_readfirstlane(v);
  out[i * 3 + 2] = first;
}

#if !defined(__GFX7__) || defined(WITH_bpermute)
__kernel void bpermute(__global const int* a, __global const int* from, __global int* out) {
  size_t i = get_global_id(0);
  out[i] = __builtin_amdgcn_ds_bpermute(from[i] * 4, a[i]);
}
#endif

#if !defined(__GFX7__) || defined(WITH_permute)
__kernel void permute(__global const int* a, __global const int* to, __global int* out) {
  size_t i = get_global_id(0);
  out[i] = __builtin_amdgcn_ds_permute(to[i] * 4, a[i]);
}
#endif

__kernel void swizzles(__global const int* a, __global int* out) {
  size_t i = get_global_id(0);
  int v = a[i];
  out[i * 4] = __builtin_amdgcn_ds_swizzle(v, 0x041f);  // exchange with the neighbour: xor 1
  out[i * 4 + 1] = __builtin_amdgcn_ds_swizzle(v, 0x7c1f);  // mirrored in 32: xor 31
  out[i * 4 + 2] = __builtin_amdgcn_ds_swizzle(v, 0x801b);  // quads turned about: 3 2 1 0
  out[i * 4 + 3] = __builtin_amdgcn_ds_swizzle(v, 0x00e0);  // all lanes of 32 from lane 7
}

#if !defined(__GFX7__) || defined(WITH_dpp)
__kernel void dpp(__global const int* a, __global int* out) {
  size_t i = get_global_id(0);
  int v = a[i];
  __global int* o = out + i * 8;
  o[0] = __builtin_amdgcn_update_dpp(-1, v, 0x1b, 0xf, 0xf, false);   // quad_perm 3 2 1 0
  o[1] = __builtin_amdgcn_update_dpp(-1, v, 0x101, 0xf, 0xf, false);  // row_shl 1
  o[2] = __builtin_amdgcn_update_dpp(-1, v, 0x113, 0xf, 0xf, true);   // row_shr 3, zero from beyond
  o[3] = __builtin_amdgcn_update_dpp(-1, v, 0x124, 0xf, 0xf, false);  // row_ror 4
  o[4] = __builtin_amdgcn_update_dpp(-1, v, 0x140, 0xf, 0xf, false);  // row_mirror
  o[5] = __builtin_amdgcn_update_dpp(-1, v, 0x141, 0xf, 0xf, false);  // row_half_mirror
  o[6] = __builtin_amdgcn_update_dpp(-1, v, 0x152, 0xf, 0xf, false);  // row_share 2
  o[7] = __builtin_amdgcn_update_dpp(-1, v, 0x163, 0x5, 0xf, false);  // row_xmask 3, rows 0 and 2 alone
}
#endif

#if !defined(__GFX7__) || defined(WITH_permlanes)
__kernel void permlanes(__global const int* a, __global int* out) {
  size_t i = get_global_id(0);
  int v = a[i];
  out[i * 3] = __builtin_amdgcn_permlane16(v, v, 0x76543210, 0x89abcdef, false, false);
  out[i * 3 + 1] = __builtin_amdgcn_permlanex16(v, v, 0xfedcba98, 0x01234567, false, false);
  out[i * 3 + 2] = __builtin_amdgcn_mov_dpp8(v, 0x53977);  // eight lanes turned about: three bits each say 7 6 5 4 3 2 1 0
}
#endif

__kernel void ballots(__global const int* a, __global ulong* out) {
  size_t i = get_global_id(0);
  ulong mask;
#if WAVE == 64
  mask = __builtin_amdgcn_ballot_w64(a[i] > 0);
#else
  mask = __builtin_amdgcn_ballot_w32(a[i] > 0);
#endif
  out[i * 2] = mask;
  out[i * 2 + 1] = __builtin_amdgcn_mbcnt_hi((uint)(mask >> 32), __builtin_amdgcn_mbcnt_lo((uint)mask, 0u));
}

#if !defined(__GFX7__) || defined(WITH_wave_sum)
// A sum over the wave, the way compilers build it: within rows by DPP, across rows by permlanex16 and readlane.
__kernel void wave_sum(__global const int* a, __global int* out) {
  size_t i = get_global_id(0);
  int v = a[i];
  v += __builtin_amdgcn_update_dpp(0, v, 0x161, 0xf, 0xf, true);
  v += __builtin_amdgcn_update_dpp(0, v, 0x162, 0xf, 0xf, true);
  v += __builtin_amdgcn_update_dpp(0, v, 0x164, 0xf, 0xf, true);
  v += __builtin_amdgcn_update_dpp(0, v, 0x168, 0xf, 0xf, true);
  v += __builtin_amdgcn_permlanex16(v, v, 0x76543210, 0xfedcba98, false, false);
#if WAVE == 64
  v = __builtin_amdgcn_readlane(v, 0) + __builtin_amdgcn_readlane(v, 32);
#endif
  out[i] = v;
}
#endif

// The hardware's own estimates; the manual gives them 1 ulp.
__kernel void estimates(__global const float* a, __global float* out) {
  size_t i = get_global_id(0);
  float x = a[i];
  __global float* o = out + i * 8;
  o[0] = __builtin_amdgcn_rcpf(x);
  o[1] = __builtin_amdgcn_rsqf(x);
  o[2] = __builtin_amdgcn_sqrtf(x);
  o[3] = __builtin_amdgcn_logf(x);
  o[4] = __builtin_amdgcn_exp2f(x * 0.125f);
  o[5] = __builtin_amdgcn_fractf(x);
  o[6] = __builtin_amdgcn_frexp_mantf(x);
  o[7] = (float)__builtin_amdgcn_frexp_expf(x);
}

__kernel void bit_tricks(__global const uint* a, __global const uint* b, __global uint* out) {
  size_t i = get_global_id(0);
  uint x = a[i], y = b[i];
  __global uint* o = out + i * 6;
  o[0] = __builtin_amdgcn_alignbit(x, y, y & 31u);
  o[1] = __builtin_amdgcn_alignbyte(x, y, y & 3u);
  o[2] = __builtin_amdgcn_ubfe(x, y & 31u, (y >> 5) & 31u);
  o[3] = (uint)__builtin_amdgcn_sbfe((int)x, y & 31u, (y >> 5) & 31u);
  o[4] = __builtin_amdgcn_sad_u8(x, y, 100u);
  o[5] = __builtin_amdgcn_lerp(x, y, 0x01010101u);
}

#if !defined(__GFX7__) || defined(WITH_chosen_bytes)
__kernel void chosen_bytes(__global const uint* a, __global const uint* b, __global uint* out) {
  size_t i = get_global_id(0);
  out[i] = __builtin_amdgcn_perm(a[i], b[i], 0x02070105u);
}
#endif

#if !defined(__GFX7__) || defined(WITH_dot_bytes)
__kernel void dot_bytes(__global const uint* a, __global const uint* b, __global uint* out) {
  size_t i = get_global_id(0);
  out[i] = __builtin_amdgcn_udot4(a[i], b[i], 5u, false);
}
#endif
