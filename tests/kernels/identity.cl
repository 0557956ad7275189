// Where a work-item stands: ids, sizes and counts in one, two and three dimensions, partial last groups.

__kernel void ids(__global int* out) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  int at = (z * get_global_size(1) + y) * get_global_size(0) + x;
  __global int* o = out + at * 12;
  o[0] = x * 10000 + y * 100 + z;
  o[1] = get_local_id(0) + get_local_id(1) * 100 + get_local_id(2) * 10000;
  o[2] = get_group_id(0) + get_group_id(1) * 100 + get_group_id(2) * 10000;
  o[3] = get_local_size(0) + get_local_size(1) * 100 + get_local_size(2) * 10000;
  o[4] = get_num_groups(0) + get_num_groups(1) * 100 + get_num_groups(2) * 10000;
  o[5] = get_global_size(0);
  o[6] = get_global_size(1);
  o[7] = get_global_size(2);
  o[8] = get_work_dim();
  o[9] = get_global_offset(0) + get_global_offset(1) + get_global_offset(2);
  o[10] = get_global_id(3);  // PoCL 3.1 has get_local_size(3) and get_num_groups(3) wrong (0; OpenCL says 1), so they are not asked
  o[11] = at;
}

#if __OPENCL_C_VERSION__ >= 200
// The last group of each dimension may be smaller; its barriers wait for those that are there.
__kernel void partial_groups(__global int* out, __global int* sums) {
  __local int sum;
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  int at = (z * get_global_size(1) + y) * get_global_size(0) + x;
  if (get_local_linear_id() == 0) sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&sum, at);
  barrier(CLK_LOCAL_MEM_FENCE);
  __global int* o = out + at * 6;
  o[0] = get_local_size(0) + get_local_size(1) * 100 + get_local_size(2) * 10000;
  o[1] = get_enqueued_local_size(0) + get_enqueued_local_size(1) * 100 + get_enqueued_local_size(2) * 10000;
  o[2] = get_num_groups(0) + get_num_groups(1) * 100 + get_num_groups(2) * 10000;
  o[3] = get_local_linear_id();
  o[4] = get_global_linear_id();
  o[5] = sum;
  int group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
  if (get_local_linear_id() == 0) sums[group] = sum;
}
#endif

__kernel void partial_reverse(__global const int* in, __global int* out, int n) {
  int i = get_global_id(0);
  out[n - 1 - i] = in[i] + (int)get_global_size(0);
}
