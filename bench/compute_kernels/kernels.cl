// The kernels of bench/compute: the same text and options for every driver. Products and sums stay as they are written, so that
// results can be compared bit by bit where no function of the library is in them.
#pragma OPENCL FP_CONTRACT OFF

// Every body's pull on every other; rsqrt is the driver's own.
kernel void nbody(global const float4* position, global float4* velocity, global float4* moved, int count, float step) {
  int i = get_global_id(0);
  float4 me = position[i];
  float x = 0.0f, y = 0.0f, z = 0.0f;
  for (int j = 0; j < count; ++j) {
    float4 other = position[j];
    float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    float inverse = rsqrt(fma(dx, dx, fma(dy, dy, fma(dz, dz, 1e-4f))));
    float pull = other.w * inverse * inverse * inverse;
    x = fma(dx, pull, x), y = fma(dy, pull, y), z = fma(dz, pull, z);
  }
  float4 v = velocity[i];
  v.x = fma(x, step, v.x), v.y = fma(y, step, v.y), v.z = fma(z, step, v.z);
  velocity[i] = v;
  me.x = fma(v.x, step, me.x), me.y = fma(v.y, step, me.y), me.z = fma(v.z, step, me.z);
  moved[i] = me;
}

#define TILE 16
// A product of square matrices, tile by tile through local memory.
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void matmul(global const float* a, global const float* b,
                                                                        global float* c, int size) {
  local float part_a[TILE][TILE], part_b[TILE][TILE];
  int lx = get_local_id(0), ly = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (int t = 0; t < size; t += TILE) {
    part_a[ly][lx] = a[row * size + t + lx];
    part_b[ly][lx] = b[(t + ly) * size + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < TILE; ++i) sum = fma(part_a[ly][i], part_b[i][lx], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * size + column] = sum;
}

// Heat: a cell and its four neighbours; the border stays.
kernel void stencil(global const float* from, global float* to, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1), i = y * width + x;
  float here = from[i];
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
    float around = (from[i - 1] + from[i + 1]) + (from[i - width] + from[i + width]);
    here = fma(around, 0.125f, here * 0.5f);
  }
  to[i] = here;
}

// Nine points, through a tile of local memory with its rim; beyond the field lies what stands at its border.
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void stencil_tiled(global const float* from, global float* to,
                                                                               int width, int height) {
  local float part[TILE + 2][TILE + 2];
  int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
  int left = x - lx - 1, top = y - ly - 1;
  for (int row = ly; row < TILE + 2; row += TILE)
    for (int column = lx; column < TILE + 2; column += TILE)
      part[row][column] = from[clamp(top + row, 0, height - 1) * width + clamp(left + column, 0, width - 1)];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sides = (part[ly][lx + 1] + part[ly + 2][lx + 1]) + (part[ly + 1][lx] + part[ly + 1][lx + 2]);
  float corners = (part[ly][lx] + part[ly][lx + 2]) + (part[ly + 2][lx] + part[ly + 2][lx + 2]);
  to[y * width + x] = fma(corners, 0.0625f, fma(sides, 0.125f, part[ly + 1][lx + 1] * 0.25f));
}

// A binomial filter of 5x5 texels through a sampler.
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant float weights[5] = {1.0f / 16, 4.0f / 16, 6.0f / 16, 4.0f / 16, 1.0f / 16};
kernel void convolution(read_only image2d_t from, global float4* to, int width) {
  int x = get_global_id(0), y = get_global_id(1);
  float4 sum = (float4)(0.0f);
  for (int j = 0; j < 5; j++) {
    float4 row = (float4)(0.0f);
    for (int i = 0; i < 5; i++) row += read_imagef(from, edge, (int2)(x + i - 2, y + j - 2)) * weights[i];
    sum += row * weights[j];
  }
  to[y * width + x] = sum;
}
