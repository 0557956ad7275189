// For compilers with OpenCL's own functions: ocloc's, and clang with rocm-device-libs.
kernel void vector_add(global const float* a, global const float* b, global float* sum, uint count) {
  if (get_global_id(0) < count) sum[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)];
}
kernel void reverse(global const uint* from, global uint* to, local uint* block) {
  uint n = get_local_id(0), last = get_local_size(0) - 1;
  block[n] = from[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  to[get_global_id(0)] = block[last - n];
}
#ifdef __AMDGCN__
// Named here so that it is linked in: the compiler's printf pass calls it later.
global char* __printf_alloc(uint bytes);
kernel void allocate(global ulong* out) { *out = (ulong)__printf_alloc(0u); }
#endif
kernel void say(int value) {
  if (get_global_id(0) == 0) printf("value %d\n", value);
}
