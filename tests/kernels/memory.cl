// Private arrays, calls that are not inlined, spills, structs by value.
#ifdef __AMDGCN__
#define FEW_REGISTERS __attribute__((amdgpu_num_vgpr(24)))
#else
#define FEW_REGISTERS
#endif

__kernel void private_array(__global const int* index, __global int* out, int n) {
  int g = get_global_id(0), cells[96];
  for (int i = 0; i < 96; ++i) cells[i] = i * g;
  for (int i = 0; i < n; ++i) {
    int k = (index[i] & 0x7fffffff) % 96;
    cells[k] += cells[(k * 7 + g) % 96] ^ i;
  }
  int sum = 0;
  for (int i = 0; i < 96; ++i) sum = sum * 3 + cells[i];
  out[g] = sum;
}

__kernel void private_bytes(__global const uchar* in, __global ulong* out) {
  int g = get_global_id(0);
  uchar text[40];
  for (int i = 0; i < 40; ++i) text[i] = in[(g * 13 + i * i) & 255];
  for (int i = 0; i < 39; ++i)
    for (int j = 39; j > i; --j)
      if (text[j] < text[j - 1]) {
        uchar t = text[j];
        text[j] = text[j - 1];
        text[j - 1] = t;
      }
  ulong h = 14695981039346656037UL;
  for (int i = 0; i < 40; ++i) h = (h ^ text[i]) * 1099511628211UL;
  out[g] = h;
}

__attribute__((noinline)) int called(int n, __global const int* a, __private int* mine) {
  for (int i = 0; i < 8; ++i) mine[(n + i) & 7] += a[(n * 5 + i) & 63];
  return n > 20 ? mine[n & 7] : mine[7] - n;
}

__attribute__((noinline)) long called_twice(long a, double b, int4 c, __private int* mine, __global const int* data) {
  mine[c.x & 7] ^= (int)a;
  return a * 3 + (long)b + c.y + called(c.z, data, mine);
}

__kernel void calls(__global const int* a, __global long* out) {
  int g = get_global_id(0), mine[8];
  for (int i = 0; i < 8; ++i) mine[i] = g + i;
  long sum = called(g, a, mine);
  if (g % 3 != 1) sum += called_twice(sum, g * 1.5, (int4)(g, g + 1, g * 2, 3), mine, a);
  for (int i = 0; i < 8; ++i) sum = sum * 7 + mine[i];
  out[g] = sum;
}

// More values alive at once than registers: the compiler has to spill around the calls.
__attribute__((noinline)) float stirred(float a, float b, float c) { return fma(a, 0.5f, fma(b, 0.25f, c)) + 1.0f; }
__kernel FEW_REGISTERS void spilling(__global const float* a, __global float* out) {
  int g = get_global_id(0);
  float v[40];
  #pragma unroll
  for (int i = 0; i < 40; ++i) v[i] = a[(g + i * 17) & 1023];
  #pragma unroll
  for (int round = 0; round < 2; ++round)
    #pragma unroll
    for (int i = 0; i < 40; ++i) v[i] = stirred(v[i], v[(i + 7) % 40], v[(i + 23) % 40] * 0.125f);
  #pragma unroll
  for (int i = 0; i < 40; ++i) out[g * 40 + i] = v[i];
}

typedef struct { char flag; short counts[3]; int base; double scale; float4 weights; long big; } Settings;
typedef struct { Settings a; uchar tail; } Nested;

__kernel void struct_by_value(Settings s, __global const int* in, __global double* out) {
  int g = get_global_id(0);
  double v = (in[g] + s.base) * s.scale + s.counts[g % 3];
  out[g] = s.flag > 0 ? v + s.weights.x - s.weights.w : (double)s.big;
}

__kernel void struct_nested(int before, Nested n, short after, __global long* out) {
  int g = get_global_id(0);
  out[g] = n.a.big + n.tail * g + before * after + n.a.counts[2] + (long)n.a.weights.y;
}

// Every kind of scalar argument, for their places in the kernel's argument block.
__kernel void many_arguments(char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h, float i, double j, char2 k, short4 l,
                             int2 m, float4 n, uchar16 o, double2 p, __global double* out) {
  size_t x = get_global_id(0);
  double all[16] = {a, b, c, d, e, f, (double)g, (double)h, i, j, k.x * 1000.0 + k.y, l.x + l.y * 10.0 + l.z * 100.0 + l.w * 1000.0,
                    m.x * 0.5 + m.y, n.x + n.y * 2.0 + n.z * 4.0 + n.w * 8.0, o.s0 + o.s7 * 256.0 + o.sf * 65536.0, p.x - p.y};
  out[x] = all[x & 15];
}

__kernel void null_pointer(__global const int* maybe, __global int* out) {
  size_t i = get_global_id(0);
  out[i] = maybe ? maybe[i] : -5;
}
