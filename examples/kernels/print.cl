// Each work-group says who it is: printf of OpenCL C.
kernel void print(uint n) {
  if (get_local_id(0) == 0) printf("group %u of %u: %u work-items, n is %u\n", (uint)get_group_id(0), (uint)get_num_groups(0), (uint)get_local_size(0), n);
}
