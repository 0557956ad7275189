// y = a * x + y in C++, with clang's attributes and built-in functions alone.
#define GLOBAL __attribute__((address_space(1)))

extern "C" __attribute__((amdgpu_kernel, visibility("protected"))) void saxpy(GLOBAL const float* x, GLOBAL float* y, float a,
                                                                              unsigned n) {
  unsigned i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
  if (i < n) y[i] += a * x[i];
}
