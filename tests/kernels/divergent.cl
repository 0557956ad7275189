// Lanes that go different ways: loops of different lengths, nested loops with break and continue, early returns, switches.

__kernel void collatz(__global uint* steps, uint first, uint most) {
  uint n = first + get_global_id(0), count = 0;
  while (n != 1u && count < most) {
    n = (n & 1u) ? 3u * n + 1u : n >> 1;
    ++count;
  }
  steps[get_global_id(0)] = count;
}

__kernel void mandelbrot(__global uint* counts, int width, int height, float left, float top, float step, uint most) {
  int px = get_global_id(0), py = get_global_id(1);
  if (px >= width || py >= height) return;
  float cx = fma(step, (float)px, left), cy = fma(step, (float)py, top), x = 0.0f, y = 0.0f, xx = 0.0f, yy = 0.0f;
  uint n = 0;
  while (n < most && xx + yy < 4.0f) {
    y = fma(2.0f * x, y, cy);
    x = xx - yy + cx;
    xx = x * x;
    yy = y * y;
    ++n;
  }
  counts[py * width + px] = n;
}

__kernel void greatest_divisor(__global const uint* a, __global const uint* b, __global uint* c) {
  size_t i = get_global_id(0);
  uint x = a[i], y = b[i];
  while (y) {
    uint r = x % y;
    x = y;
    y = r;
  }
  c[i] = x;
}

__kernel void nested(__global const int* a, __global int* b, int n) {
  int i = get_global_id(0), total = 0;
  if (a[i] < -900) {
    b[i] = -1;
    return;
  }
  for (int j = 0; j < n; ++j) {
    int v = a[(i + j) % n];
    if (v & 1) continue;
    for (int k = 0; k < (v & 15); ++k) {
      if (((v + k) % 7) == 6) break;
      if ((k ^ i) & 2) {
        total += k;
        continue;
      }
      total -= v >> k;
      if (total > 5000) goto out;
    }
    do {
      v >>= 2;
      total ^= v;
    } while (v > 3);
  }
out:
  b[i] = total;
}

__kernel void binary_search(__global const int* sorted, __global const int* wanted, __global int* found, int n) {
  int i = get_global_id(0), key = wanted[i], low = 0, high = n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (sorted[middle] < key) low = middle + 1;
    else high = middle;
  }
  found[i] = low < n && sorted[low] == key ? low : -low - 1;
}

// Many cases with nothing in common, so that the compiler has to branch (jump table or tree).
__kernel void dense_switch(__global const uint* a, __global uint* b) {
  size_t i = get_global_id(0);
  uint v = a[i], r = 0;
  switch (v & 31u) {
    case 0: r = v * 3u; break;
    case 1: r = v ^ b[i]; break;
    case 2: for (uint k = 0; k < (v >> 28); ++k) r += k * v; break;
    case 3: r = popcount(v);
    case 4: r += clz(v); break;
    case 5: r = rotate(v, 7u); break;
    case 6: r = v / 17u; break;
    case 7: r = v % 1009u; break;
    case 8: r = mul_hi(v, 0x9e3779b9u); break;
    case 9: r = as_uint((float)v); break;
    case 10: b[i] = v; r = ~v; break;
    case 11: while (v > 100u) { v -= v >> 2; ++r; } break;
    case 12: r = (uint)sqrt((float)(v >> 8)); break;
    case 13: r = max(v, 0x80000000u) - min(v, 77u); break;
    case 14: r = v << (v >> 27); break;
    case 15: r = (uint)((int)v >> 5); break;
    case 16: case 17: case 18: r = v + 5u; break;
    case 19: r = abs_diff(v, 0x12345678u); break;
    case 20: r = hadd(v, 0xfffffffeu); break;
    case 21: r = (v * v) ^ (v >> 16); break;
    default: r = 0xdeadbeefu - v;
  }
  b[i] = r;
}

// A small stack machine: a switch in a loop, every lane at its own place in its own program.
__kernel void byte_code(__global const uchar* programs, __global int* results, int length) {
  int i = get_global_id(0), at = 0, top = 0, fuel = 400;
  __global const uchar* program = programs + i * length;
  int stack[16];
  for (int k = 0; k < 16; ++k) stack[k] = k + i;
  while (at < length && fuel-- > 0) {
    uchar op = program[at++];
    int* s = &stack[top & 15];
    int* under = &stack[(top - 1) & 15];
    switch (op & 15) {
      case 0: stack[++top & 15] = op >> 4; break;
      case 1: *under += *s; --top; break;
      case 2: *under -= *s; --top; break;
      case 3: *under *= *s; --top; break;
      case 4: if (*s) *under /= *s; --top; break;
      case 5: stack[(top + 1) & 15] = *s; ++top; break;
      case 6: { int t = *s; *s = *under; *under = t; } break;
      case 7: if (*s < 0) at += op >> 4; break;
      case 8: if ((*s & 3) == 1) at = max(at - (op >> 4) - 2, 0); *s += 1; break;
      case 9: *s = -*s; break;
      case 10: *s ^= op; break;
      case 11: *s >>= op >> 5; break;
      case 12: *s <<= op >> 6; break;
      case 13: --top; break;
      default: *s += at;
    }
  }
  results[i] = stack[top & 15] * 31 + fuel;
}
