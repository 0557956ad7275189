// Programs over images and samplers: filters, arrays, volumes, tables, formats. tests/oracle/image_programs runs them.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void convolve(read_only image2d_t a, write_only image2d_t b) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float4 sum = 0;
  for (int y = -1; y <= 1; y++)
    for (int x = -1; x <= 1; x++) sum += read_imagef(a, nearest, p + (int2)(x, y)) * (float)((2 - abs(x)) * (2 - abs(y)));
  write_imagef(b, p, sum / 16.0f);
}
kernel void sobel(read_only image2d_t a, global float* out) {
  int x = get_global_id(0), y = get_global_id(1);
  float t[9];
  for (int n = 0; n < 9; n++) t[n] = read_imagef(a, nearest, (int2)(x + n % 3 - 1, y + n / 3 - 1)).x;
  float h = t[2] + 2 * t[5] + t[8] - t[0] - 2 * t[3] - t[6], v = t[6] + 2 * t[7] + t[8] - t[0] - 2 * t[1] - t[2];
  out[x + get_global_size(0) * y] = sqrt(h * h + v * v);
}
kernel void halve(read_only image2d_t a, sampler_t s, write_only image2d_t b) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(b, p, read_imagef(a, s, convert_float2(p) * 2.0f + 1.0f));
}
kernel void tile(read_only image2d_t a, sampler_t s, global float4* out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[x + get_global_size(0) * y] = read_imagef(a, s, (float2)((x + 0.5f) / 16.0f - 0.75f, (y + 0.5f) / 8.0f - 0.5f));
}
kernel void median(read_only image2d_t a, write_only image2d_t b) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  uint t[9];
  for (int n = 0; n < 9; n++) t[n] = read_imageui(a, nearest, p + (int2)(n % 3 - 1, n / 3 - 1)).x;
  for (int i = 0; i < 5; i++)
    for (int j = i + 1; j < 9; j++) {
      uint low = min(t[i], t[j]), high = max(t[i], t[j]);
      t[i] = low, t[j] = high;
    }
  write_imageui(b, p, (uint4)(t[4], 0, 0, 1));
}
kernel void histogram(read_only image2d_t a, global volatile uint* counts) {
  uint4 t = read_imageui(a, (int2)(get_global_id(0), get_global_id(1)));
  atomic_inc(&counts[t.x & 255]);
}
kernel void layers(read_only image2d_array_t a, global float* out) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int z = 0; z < get_image_array_size(a); z++) sum += read_imagef(a, nearest, (int4)(x, y, z, 0)).x * (z + 1);
  out[x + get_global_size(0) * y] = sum;
}
kernel void spread(read_only image2d_t a, write_only image2d_array_t b) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  write_imagef(b, (int4)(x, y, z, 0), read_imagef(a, (int2)(x, y)) * (float)(z + 1));
}
kernel void between(read_only image3d_t a, sampler_t s, global float* out) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  out[x + get_global_size(0) * (y + get_global_size(1) * z)] = read_imagef(a, s, (float4)(x + 1.0f, y + 1.0f, z + 1.0f, 0)).x;
}
kernel void brightest(read_only image3d_t a, write_only image2d_t b) {
  int x = get_global_id(0), y = get_global_id(1);
  float most = 0;
  for (int z = 0; z < get_image_depth(a); z++) most = fmax(most, read_imagef(a, nearest, (int4)(x, y, z, 0)).x);
  write_imagef(b, (int2)(x, y), most);
}
kernel void table(read_only image2d_t a, read_only image1d_t t, write_only image2d_t b) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  uint4 v = read_imageui(a, p);
  write_imageui(b, p, (uint4)(read_imageui(t, nearest, (int)v.x).x, read_imageui(t, nearest, (int)v.y).x,
                              read_imageui(t, nearest, (int)v.z).x, v.w));
}
kernel void rows(read_only image1d_array_t a, global int4* out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[x + get_global_size(0) * y] = read_imagei(a, nearest, (int2)(x - 1, y));
}
kernel void halves(read_only image2d_t a, write_only image2d_t b) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  half4 v = read_imageh(a, nearest, p);
  write_imageh(b, p, v * v);
}
kernel void difference(read_only image2d_t a, read_only image2d_t b, write_only image2d_t c) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imagei(c, p, clamp(read_imagei(a, p) - read_imagei(b, p), -32768, 32767));
}
kernel void widen(read_only image2d_t a, write_only image2d_t b) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(b, p, read_imagef(a, p));
}
