// A kernel of bench/run in C++, since OpenCL C has no name for the instructions: matrix products of a wave (WMMA, RDNA4 ISA 7.12).
typedef _Float16 half8 __attribute__((ext_vector_type(8)));
typedef float float8 __attribute__((ext_vector_type(8)));
#define KERNEL extern "C" __attribute__((amdgpu_kernel, visibility("protected")))
#define GLOBAL __attribute__((address_space(1)))

// C = A B, n x n, with A by rows and B by columns in halves: a wave makes 32 x 32 of C, four products for each 16 of k.
KERNEL void matmul_wmma(GLOBAL const half8* a, GLOBAL const half8* b, GLOBAL float* c, int n) {
  unsigned lane = __builtin_amdgcn_workitem_id_x() & 31, col = lane & 15, half = lane >> 4;
  unsigned x = __builtin_amdgcn_workgroup_id_x() * 32, y = __builtin_amdgcn_workgroup_id_y() * 32;
  float8 s[2][2] = {};
  unsigned stride = n / 8;
  GLOBAL const half8 *pa0 = a + (y + col) * stride + half, *pa1 = pa0 + 16 * stride;
  GLOBAL const half8 *pb0 = b + (x + col) * stride + half, *pb1 = pb0 + 16 * stride;
  for (int k = 0; k < n; k += 16) {
    half8 a0 = *pa0, a1 = *pa1, b0 = *pb0, b1 = *pb1;
    pa0 += 2, pa1 += 2, pb0 += 2, pb1 += 2;
    s[0][0] = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a0, b0, s[0][0]);
    s[0][1] = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a0, b1, s[0][1]);
    s[1][0] = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a1, b0, s[1][0]);
    s[1][1] = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a1, b1, s[1][1]);
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      for (int r = 0; r < 8; r++) c[(y + i * 16 + half * 8 + r) * n + x + j * 16 + col] = s[i][j][r];
}
