// Dense arithmetic: matrix products and n-body, as the benchmarks use them too.

#define TILE 16
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void matmul_tiled(__global const float* a, __global const float* b,
                                                                                __global float* c, int m, int n, int k) {
  __local float part_a[TILE][TILE], part_b[TILE][TILE];
  int lx = get_local_id(0), ly = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (int t = 0; t < k; t += TILE) {
    part_a[ly][lx] = a[row * k + t + lx];
    part_b[ly][lx] = b[(t + ly) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < TILE; ++i) sum = fma(part_a[ly][i], part_b[i][lx], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}

__kernel void matmul_plain(__global const float* a, __global const float* b, __global float* c, int m, int n, int k) {
  int column = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum = fma(a[row * k + i], b[i * n + column], sum);
  c[row * n + column] = sum;
}

__kernel void matmul_double(__global const double* a, __global const double* b, __global double* c, int n, int k) {
  int column = get_global_id(0), row = get_global_id(1);
  double sum = 0.0;
  for (int i = 0; i < k; ++i) sum = fma(a[row * k + i], b[i * n + column], sum);
  c[row * n + column] = sum;
}

__kernel void matmul_int(__global const int* a, __global const int* b, __global int* c, int n, int k) {
  int column = get_global_id(0), row = get_global_id(1), sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

// Four by four results a work-item, held in registers.
__kernel void matmul_blocked(__global const float* a, __global const float4* b, __global float4* c, int n, int k) {
  int column = get_global_id(0), row = get_global_id(1) * 4;
  float4 sum[4] = {(float4)(0.0f), (float4)(0.0f), (float4)(0.0f), (float4)(0.0f)};
  for (int i = 0; i < k; ++i) {
    float4 v = b[i * (n / 4) + column];
    for (int r = 0; r < 4; ++r) sum[r] = fma((float4)(a[(row + r) * k + i]), v, sum[r]);
  }
  for (int r = 0; r < 4; ++r) c[(row + r) * (n / 4) + column] = sum[r];
}

__kernel void nbody(__global const float4* position, __global float4* velocity, __global float4* moved, int n, float dt) {
  int i = get_global_id(0);
  float4 me = position[i];
  float3 pull = (float3)(0.0f);
  for (int j = 0; j < n; ++j) {
    float4 other = position[j];
    float3 d = other.xyz - me.xyz;
    float inverse = rsqrt(dot(d, d) + 1e-4f);
    pull += d * (other.w * inverse * inverse * inverse);
  }
  float4 v = velocity[i];
  v.xyz += pull * dt;
  velocity[i] = v;
  me.xyz += v.xyz * dt;
  moved[i] = me;
}

__kernel void nbody_double(__global const double4* position, __global double4* pull, int n) {
  int i = get_global_id(0);
  double4 me = position[i], sum = (double4)(0.0);
  for (int j = 0; j < n; ++j) {
    double4 d = position[j] - me;
    double r2 = d.x * d.x + d.y * d.y + d.z * d.z + 1e-4;
    double s = position[j].w / (r2 * sqrt(r2));
    sum.x += d.x * s;
    sum.y += d.y * s;
    sum.z += d.z * s;
    sum.w += 1.0 / r2;
  }
  pull[i] = sum;
}

__kernel void spmv(__global const int* starts, __global const int* columns, __global const float* values, __global const float* x,
                   __global float* y) {
  int row = get_global_id(0);
  float sum = 0.0f;
  for (int i = starts[row]; i < starts[row + 1]; ++i) sum = fma(values[i], x[columns[i]], sum);
  y[row] = sum;
}

__kernel void convolve(__global const float* a, __global float* b, __constant float* weights, int width) {
  int x = get_global_id(0), y = get_global_id(1), height = get_global_size(1);
  float sum = 0.0f;
  for (int j = -2; j <= 2; ++j)
    for (int i = -2; i <= 2; ++i) {
      int sx = x + i, sy = y + j;
      if (sx >= 0 && sx < width && sy >= 0 && sy < height) sum = fma(weights[(j + 2) * 5 + i + 2], a[sy * width + sx], sum);
    }
  b[y * width + x] = sum;
}
