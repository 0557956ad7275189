// C++ kernels for the instructions that OpenCL C has no name for: matrix products of a whole wave (WMMA, sparse SWMMAC),
// float atomics, LDS. Layouts: RDNA4 ISA 7.12; lanes 0-15 hold the first half of k, lanes 16-31 the second.
typedef _Float16 half8 __attribute__((ext_vector_type(8)));
typedef _Float16 half16 __attribute__((ext_vector_type(16)));
typedef short short8 __attribute__((ext_vector_type(8)));
typedef float float8 __attribute__((ext_vector_type(8)));
typedef int int8 __attribute__((ext_vector_type(8)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef unsigned uint4 __attribute__((ext_vector_type(4)));
#define KERNEL extern "C" __attribute__((amdgpu_kernel, visibility("protected")))
#define GLOBAL __attribute__((address_space(1)))
#define LOCAL __attribute__((address_space(3)))

static inline unsigned item() {
  return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
}

#if __AMDGCN_WAVEFRONT_SIZE__ == 32
KERNEL void wmma_f16(GLOBAL const half8* a, GLOBAL const half8* b, GLOBAL float8* c) {
  unsigned l = item();
  c[l] = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a[l], b[l], c[l]);
}

KERNEL void wmma_bf16(GLOBAL const short8* a, GLOBAL const short8* b, GLOBAL float8* c) {
  unsigned l = item();
  c[l] = __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(a[l], b[l], c[l]);
}

KERNEL void wmma_i8(GLOBAL const int2* a, GLOBAL const int2* b, GLOBAL int8* c) {
  unsigned l = item();
  c[l] = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(true, a[l], true, b[l], c[l], false);
}

KERNEL void wmma_u4(GLOBAL const int* a, GLOBAL const int* b, GLOBAL int8* c) {
  unsigned l = item();
  c[l] = __builtin_amdgcn_wmma_i32_16x16x16_iu4_w32_gfx12(false, a[l], false, b[l], c[l], false);
}
#endif

#if !defined(__GFX7__) || defined(WITH_float_atomics)
KERNEL void float_atomics(GLOBAL float* sums, GLOBAL const float* x, GLOBAL float* most) {
  unsigned l = item();
  __builtin_amdgcn_global_atomic_fadd_f32(sums + (l & 3), x[l]);
  __atomic_fetch_add(sums + 4 + (l & 3), x[l] * 2, __ATOMIC_RELAXED);
  __atomic_fetch_max(most, x[l], __ATOMIC_RELAXED);
}
#endif

[[clang::loader_uninitialized]] static LOCAL float shared[128];
KERNEL void neighbours(GLOBAL const float* in, GLOBAL float* out) {
  unsigned l = __builtin_amdgcn_workitem_id_x(), n = __builtin_amdgcn_workgroup_size_x();
  shared[l] = in[item()];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[item()] = shared[(l + 1) % n] - shared[(l + n - 1) % n] * 0.5f;
}

template <int N>
static int chain(int x) {
  if constexpr (N == 0)
    return x;
  else
    return chain<N - 1>(x * 3 + N);
}

// Pointers to functions: an indirect call whose target differs from lane to lane.
static __attribute__((noinline)) int twice(int x) { return x * 2; }
static __attribute__((noinline)) int square(int x) { return x * x; }
static __attribute__((noinline)) int lowered(int x) { return chain<5>(x) - 1; }
KERNEL void function_pointers(GLOBAL const int* which, GLOBAL const int* in, GLOBAL int* out) {
  using Function = int (*)(int);
  unsigned l = item();
  Function f = which[l] == 0 ? twice : which[l] == 1 ? square : lowered;
  out[l] = f(in[l]);
}
