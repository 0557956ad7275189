// printf from a kernel: text, numbers of all kinds, vectors and strings. One work-item prints, so the order is known.
#ifdef __AMDGCN__
// The allocator of the device library, named here so that it is linked in: the compiler's printf pass calls it later.
__global char* __printf_alloc(uint bytes);
__kernel void allocate(__global ulong* out) { *out = (ulong)__printf_alloc(0u); }
#endif

__kernel void print(int a, float b, long c) {
  if (get_global_id(0) == 2) {
    printf("plain text\n");
    printf("%d %u %x %c %%\n", a, 7u, 255, 'k');
    printf("%f %.3f %e\n", b, b * 2.0f, b);
    printf("%ld %lx\n", c, c);
    printf("%s and %s\n", "one", "two");
    printf("%v4d\n", (int4)(1, 2, 3, a));
  }
}
