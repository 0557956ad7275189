// A 5x5 binomial filter of an image, whose rows of texels go through a sampler.
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant float weights[5] = {1.0f / 16, 4.0f / 16, 6.0f / 16, 4.0f / 16, 1.0f / 16};

kernel void convolution(read_only image2d_t a, global float4* out) {
  int x = get_global_id(0), y = get_global_id(1);
  float4 sum = (float4)(0, 0, 0, 0);
  for (int j = 0; j < 5; j++) {
    float4 row = (float4)(0, 0, 0, 0);
    for (int i = 0; i < 5; i++) row += read_imagef(a, edge, (int2)(x + i - 2, y + j - 2)) * weights[i];
    sum += row * weights[j];
  }
  out[x + get_global_size(0) * y] = sum;
}
