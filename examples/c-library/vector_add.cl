// The kernels of vector_add.c, vector_add.py and fault.c; `make vector_add.co` compiles them. (The work-item's number is made from what
// the hardware has: no library of device functions is needed.)
static uint item() { return __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x(); }

kernel void vector_add(global const float* a, global const float* b, global float* sum, uint count) {
  if (item() < count) sum[item()] = a[item()] + b[item()];
}

// Writes behind the end of its buffer when `count` says more than there is.
kernel void fill(global uint* to, uint count) {
  for (uint n = item(); n < count; n += 64) to[n] = n;
}
