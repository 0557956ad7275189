// Float arithmetic with several functions in one kernel; the sweep has every function alone.

__kernel void basic_float(__global const float* a, __global const float* b, __global float* out) {
  size_t i = get_global_id(0);
  float x = a[i], y = b[i];
  __global float* o = out + i * 16;
  o[0] = x + y;
  o[1] = x - y;
  o[2] = x * y;
  o[3] = x / y;
  o[4] = sqrt(fabs(x));
  o[5] = fma(x, y, -x);
  o[6] = fmin(x, y);
  o[7] = fmax(x, y);
  o[8] = floor(x);
  o[9] = ceil(y);
  o[10] = trunc(x);
  o[11] = rint(y);
  o[12] = copysign(x, y);
  o[13] = x < y ? x : y;
  o[14] = -fabs(y);
  o[15] = ldexp(x, 3);
}

__kernel void basic_double(__global const double* a, __global const double* b, __global double* out) {
  size_t i = get_global_id(0);
  double x = a[i], y = b[i];
  __global double* o = out + i * 16;
  o[0] = x + y;
  o[1] = x - y;
  o[2] = x * y;
  o[3] = x / y;
  o[4] = sqrt(fabs(x));
  o[5] = fma(x, y, -x);
  o[6] = fmin(x, y);
  o[7] = fmax(x, y);
  o[8] = floor(x);
  o[9] = ceil(y);
  o[10] = trunc(x);
  o[11] = rint(y);
  o[12] = copysign(x, y);
  o[13] = x < y ? x : y;
  o[14] = -fabs(y);
  o[15] = ldexp(x, -5);
}

__kernel void transcendentals(__global const float* x, __global float* y) {
  size_t i = get_global_id(0);
  float t = x[i];
  y[i] = sin(t) * exp(cos(t)) + log(fabs(t) + 1.0f) * pow(fabs(t), 1.3f) + tanh(t) * atan2(t, 2.0f) + sqrt(fabs(t)) / (fabs(t) + 3.0f);
}

__kernel void transcendentals_double(__global const double* x, __global double* y) {
  size_t i = get_global_id(0);
  double t = x[i];
  y[i] = sin(t) + exp(t * 0.25) + log(fabs(t) + 1.0) + sqrt(fabs(t)) / (fabs(t) + 3.0) + pow(fabs(t) + 0.5, 1.25) + atan(t) + tanh(t);
}

__kernel void native_functions(__global const float* x, __global float* y, int n) {
  size_t i = get_global_id(0);
  float t = x[i];
  y[i] = native_sin(t);
  y[n + i] = native_exp(t);
  y[2 * n + i] = native_log(t + 1.0f);
  y[3 * n + i] = native_rsqrt(t + 0.5f);
  y[4 * n + i] = native_recip(t + 0.5f);
}

// Black and Scholes' price of options: exp, log, sqrt, division and a polynomial, as finance benchmarks have it.
float normal_share(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  float tail = 0.39894228f * exp(-0.5f * d * d) * k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  return d > 0.0f ? 1.0f - tail : tail;
}
__kernel void option_prices(__global const float* prices, __global const float* strikes, __global const float* years, __global float2* out) {
  size_t i = get_global_id(0);
  float s = prices[i], x = strikes[i], t = years[i], rate = 0.02f, spread = 0.30f;
  float root = sqrt(t), d1 = (log(s / x) + (rate + 0.5f * spread * spread) * t) / (spread * root), d2 = d1 - spread * root;
  float discount = x * exp(-rate * t), a = normal_share(d1), b = normal_share(d2);
  out[i] = (float2)(s * a - discount * b, discount * (1.0f - b) - s * (1.0f - a));
}

// Comparisons and classes: NaN, infinities, zeros, subnormals.
__kernel void classes(__global const float* a, __global const float* b, __global int* out) {
  size_t i = get_global_id(0);
  float x = a[i], y = b[i];
  int r = isnan(x) | isinf(x) << 1 | isfinite(x) << 2 | isnormal(x) << 3 | (signbit(x) != 0) << 4;
  r |= isequal(x, y) << 5 | isnotequal(x, y) << 6 | isgreater(x, y) << 7 | isgreaterequal(x, y) << 8 | isless(x, y) << 9 | islessequal(x, y) << 10;
  r |= islessgreater(x, y) << 11 | isordered(x, y) << 12 | isunordered(x, y) << 13 | (x == y) << 14 | (x < y) << 15 | (x >= y) << 16;
  out[i] = r;
}

// Subnormals live: their sums and products are not flushed.
__kernel void subnormals(__global const float* a, __global float* out, __global const double* b, __global double* wide) {
  size_t i = get_global_id(0);
  out[i * 3] = a[i] * 0.5f;
  out[i * 3 + 1] = a[i] + a[i];
  out[i * 3 + 2] = fma(a[i], 0.25f, 0x1p-149f);
  wide[i * 2] = b[i] * 0.5;
  wide[i * 2 + 1] = b[i] - 0x1p-1074;
}

__kernel void geometry(__global const float4* a, __global const float4* b, __global float* out) {
  size_t i = get_global_id(0);
  float4 x = a[i], y = b[i];
  out[i * 4] = dot(x, y);
  out[i * 4 + 1] = length(x.xyz);
  out[i * 4 + 2] = distance(x, y);
  out[i * 4 + 3] = normalize(x).y;
}
