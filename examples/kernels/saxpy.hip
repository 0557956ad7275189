// y = a * x + y in HIP, through clang alone: what ROCm's hip_runtime.h would define stands here.
#define __global__ __attribute__((global))

extern "C" __global__ void saxpy(const float* x, float* y, float a, unsigned n) {
  unsigned i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
  if (i < n) y[i] += a * x[i];
}
