// The HIP language through clang alone, without ROCm's headers.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

template <class T>
__device__ T blend(T a, T b, T t) { return a + (b - a) * t; }

extern "C" __global__ void axpy(float a, const float* x, float* y, int n) {
  __shared__ float tile[256];
  unsigned l = __builtin_amdgcn_workitem_id_x(), size = __builtin_amdgcn_workgroup_size_x();
  int i = __builtin_amdgcn_workgroup_id_x() * size + l;
  tile[l] = i < n ? x[i] : 0.0f;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  if (i < n) y[i] += a * tile[(l + 1) % size] + blend(1.0f, 3.0f, 0.25f);
}
