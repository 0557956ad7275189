// OpenCL C 2.0: generic pointers into private, local and global memory, found out at run time, and C11 atomics.

__attribute__((noinline)) int through(int* p, int i) { return p[i] * 2 + p[i ^ 1]; }
__attribute__((noinline)) void put(int* p, int v) { *p += v; }

__kernel void generic_read(__global int* data, __global int* out, int kind) {
  __local int shared[64];
  int l = get_local_id(0), g = get_global_id(0), own[8];
  for (int i = 0; i < 8; ++i) own[i] = i * l + 1;
  shared[l & 63] = l * 100;
  barrier(CLK_LOCAL_MEM_FENCE);
  int* p = kind == 0 ? (int*)own : kind == 1 ? (int*)shared : (int*)data;
  out[g] = through(p, (l + kind) & 7);
}

// The space differs from lane to lane.
__kernel void generic_mixed(__global int* data, __global int* out) {
  __local int shared[64];
  int l = get_local_id(0), g = get_global_id(0), own[4] = {l, l + 1, l + 2, l + 3};
  shared[l & 63] = l * 7;
  barrier(CLK_LOCAL_MEM_FENCE);
  int* p = l % 3 == 0 ? (int*)&own[l & 3] : l % 3 == 1 ? (int*)&shared[l & 63] : (int*)&data[g];
  put(p, 1000);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = *p + (to_global(p) != 0) + 2 * (to_local(p) != 0) + 4 * (to_private(p) != 0);
}

__kernel void generic_atomics(__global const int* a, global atomic_int* total, global atomic_uint* most, global atomic_int* flag) {
  __local atomic_int mine;
  if (get_local_id(0) == 0) atomic_init(&mine, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  int v = a[get_global_id(0)];
  atomic_fetch_add_explicit(&mine, v, memory_order_relaxed, memory_scope_work_group);
  atomic_fetch_max(most, (uint)v);
  int expected = 0;
  atomic_compare_exchange_strong(flag, &expected, 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) atomic_fetch_add(total, atomic_load(&mine));
}

typedef struct Node { int value; int next; } Node;
__attribute__((noinline)) long walk(const Node* nodes, int from, int steps) {
  long sum = 0;
  for (int i = 0; i < steps; ++i) {
    sum = sum * 3 + nodes[from].value;
    from = nodes[from].next;
  }
  return sum;
}
__kernel void linked_list(__global const Node* nodes, __global long* out, int n) {
  __local Node copied[32];
  int l = get_local_id(0), g = get_global_id(0);
  if (l < 32) {
    copied[l].value = nodes[l].value + 1;
    copied[l].next = (l * 11 + 5) & 31;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = walk(nodes, g % n, l & 15) - walk(copied, l & 31, 6 + (l & 3));
}
