// Kernels of hsa_programs.cpp. What they get of the dispatch they take from registers and from the packet: no library is linked in.
using u32 = unsigned;
using u64 = unsigned long;

#define KERNEL extern "C" __attribute__((amdgpu_kernel, used, visibility("protected")))
#define GLOBAL __attribute__((address_space(1)))
#define CONSTANT __attribute__((address_space(4)))
#define LOCAL __attribute__((address_space(3)))

static inline u32 group_size() { return ((const CONSTANT unsigned short*)__builtin_amdgcn_dispatch_ptr())[2]; }
static inline u32 grid_size() { return ((const CONSTANT u32*)__builtin_amdgcn_dispatch_ptr())[3]; }
static inline u32 item() { return __builtin_amdgcn_workgroup_id_x() * group_size() + __builtin_amdgcn_workitem_id_x(); }

// out = factor * in + index
KERNEL void scale(const GLOBAL u32* in, GLOBAL u32* out, u32 factor) {
  const u32 n = item();
  out[n] = factor * in[n] + n;
}

// A private array that is indexed at run time, of 64 dwords.
KERNEL void scratch(const GLOBAL u32* in, GLOBAL u32* out) {
  const u32 n = item();
  volatile u32 own[64];
  for (u32 k = 0; k < 64; k++) own[k] = in[n] * k + 7;
  u32 sum = 0;
  for (u32 k = 0; k < 64; k++) sum += own[(k * 5 + n) % 64] ^ k;
  out[n] = sum;
}

// The same of 512 dwords: a queue's scratch memory has to grow for it.
KERNEL void large_scratch(const GLOBAL u32* in, GLOBAL u32* out) {
  const u32 n = item();
  volatile u32 own[512];
  for (u32 k = 0; k < 512; k++) own[k] = in[n] + k * k;
  u32 sum = 0;
  for (u32 k = 0; k < 512; k++) sum = sum * 3 + own[(k + n) % 512];
  out[n] = sum;
}

// Each group's sum, by LDS of 256 dwords and barriers.
static LOCAL u32 shared[256] __attribute__((loader_uninitialized));
KERNEL void reduce(const GLOBAL u32* in, GLOBAL u32* out) {
  const u32 lane = __builtin_amdgcn_workitem_id_x();
  shared[lane] = in[item()];
  for (u32 half = group_size() / 2; half; half /= 2) {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
    __builtin_amdgcn_s_barrier();
    if (lane < half) shared[lane] += shared[lane + half];
  }
  if (lane == 0) out[__builtin_amdgcn_workgroup_id_x()] = shared[0];
}

// Generic pointers to LDS and private memory, by the apertures in the queue's structure.
static __attribute__((noinline)) u32 through(u32* pointer, u32 value) {
  *(volatile u32*)pointer = value;
  return *(volatile u32*)pointer + 1;
}
KERNEL void generic(GLOBAL u32* out) {
  const u32 n = item();
  u32 own[4] = {n, n, n, n};
  const u32 a = through((u32*)&own[n % 4], n * 3);
  const u32 b = through((u32*)&shared[__builtin_amdgcn_workitem_id_x()], n * 5);
  out[n] = a + b + own[(n + 1) % 4];
}

// The packet's values: work-items of the grid, and this item's number.
KERNEL void packet(GLOBAL u32* out) { out[item()] = grid_size() * 1000 + item(); }

// One counter of all items.
KERNEL void count(GLOBAL u32* counter) { __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }

KERNEL void store_to(GLOBAL u32* where) { *where = 1; }
KERNEL void illegal() { asm volatile(".long 0xffffffff"); }
