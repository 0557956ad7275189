// Arithmetic in half precision, scalar and packed. Without multiply-add contraction, each result is rounded on its own.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

__kernel void half_scalar(__global const half* a, __global const half* b, __global half* out) {
  size_t i = get_global_id(0);
  half x = a[i], y = b[i];
  __global half* o = out + i * 12;
  o[0] = x + y;
  o[1] = x - y;
  o[2] = x * y;
  o[3] = x / y;
  o[4] = sqrt(fabs(x));
  o[5] = fma(x, y, x);
  o[6] = fmin(x, y);
  o[7] = fmax(x, y);
  o[8] = floor(x);
  o[9] = rint(y);
  o[10] = (half)(float)x;
  o[11] = x < y ? -x : y;
}

__kernel void half_packed(__global const half2* a, __global const half2* b, __global half2* out) {
  size_t i = get_global_id(0);
  half2 x = a[i], y = b[i];
  __global half2* o = out + i * 8;
  o[0] = x + y.yx;
  o[1] = x * y;
  o[2] = fma(x, y, -y);
  o[3] = fmin(x, y);
  o[4] = fmax(x, y);
  o[5] = x - (half2)(0.5h, 2.0h);
  o[6] = -x;
  o[7] = (half2)(x.y, y.x);
}

__kernel void half_vectors(__global const half4* a, __global half4* out, __global half* sums) {
  size_t i = get_global_id(0);
  half4 x = a[i];
  out[i] = x * x.wzyx + x;
  sums[i] = ((x.x + x.y) + x.z) + x.w;
}

__kernel void half_integers(__global const half* a, __global const int* b, __global int* whole, __global half* back) {
  size_t i = get_global_id(0);
  whole[i * 4] = (int)a[i];
  whole[i * 4 + 1] = convert_short_sat(a[i]);
  whole[i * 4 + 2] = convert_uchar_sat_rte(a[i]);
  whole[i * 4 + 3] = (int)as_ushort(a[i]) + (a[i] > (half)1.0f);
  back[i * 2] = (half)(short)b[i];
  back[i * 2 + 1] = (half)(uint)(b[i] & 0xffff);
}
