#!/usr/bin/python3
"""What OpenCL programs do, through pyopencl: kernels written out (a product of tiles in local memory, a scan in a work-group, a filter
of an image, a histogram by atomics) and those that pyopencl makes (element by element, reductions, scans, arrays, random numbers).
opencl_examples.py OUT SECONDS runs them until the time is over, each checked with numpy every time, and writes the first results."""
import pathlib
import sys
import time

import numpy
import pyopencl
import pyopencl.array
import pyopencl.clrandom
import pyopencl.elementwise
import pyopencl.reduction
import pyopencl.scan

KERNELS = """
#define TILE 16
__kernel void product(__global const float* a, __global const float* b, __global float* c, int n) {
  __local float left[TILE][TILE], right[TILE][TILE];
  int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (int t = 0; t < n; t += TILE) {
    left[y][x] = a[row * n + t + x];
    right[y][x] = b[(t + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; k++) sum += left[y][k] * right[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}

// Exclusive, of each group of 256, and the groups' sums.
__kernel void scan(__global const int* in, __global int* out, __global int* sums) {
  __local int part[256];
  int i = get_local_id(0);
  part[i] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 1; step < 256; step *= 2) {
    int other = i >= step ? part[i - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    part[i] += other;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = i ? part[i - 1] : 0;
  if (i == 255) sums[get_group_id(0)] = part[255];
}

// A 5 by 5 binomial filter of bytes in fours, edges repeated.
__kernel void soften(__global const uchar4* in, __global uchar4* out, int width, int height) {
  const float weight[5] = {1.0f, 4.0f, 6.0f, 4.0f, 1.0f};
  int x = get_global_id(0), y = get_global_id(1);
  float4 sum = (float4)(0.0f);
  for (int v = -2; v <= 2; v++)
    for (int u = -2; u <= 2; u++)
      sum += weight[u + 2] * weight[v + 2] * convert_float4(in[clamp(y + v, 0, height - 1) * width + clamp(x + u, 0, width - 1)]);
  out[y * width + x] = convert_uchar4_sat_rte(sum / 256.0f);
}

__kernel void histogram(__global const uchar* in, __global uint* count) {
  __local uint part[256];
  part[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < 16; i++) atomic_inc(&part[in[get_global_id(0) * 16 + i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&count[get_local_id(0)], part[get_local_id(0)]);
}

// Points of the Mandelbrot set, by doubles where the device has them.
#ifdef DOUBLES
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
#else
typedef float real;
#endif
__kernel void mandelbrot(__global int* out, int width) {
  int x = get_global_id(0), y = get_global_id(1);
  real a = (real)x / width * (real)2.5 - (real)2.0, b = (real)y / width * (real)2.5 - (real)1.25, u = 0, v = 0;
  int n = 0;
  while (n < 200 && u * u + v * v < (real)4) {
    real t = u * u - v * v + a;
    v = (real)2 * u * v + b;
    u = t;
    n++;
  }
  out[y * width + x] = n;
}
"""


class Examples:
    def __init__(self):
        platform, = pyopencl.get_platforms()
        device = platform.get_devices()[0]
        print("device:", device.name, "by", platform.name, flush=True)
        self.context = pyopencl.Context([device])
        self.queue = pyopencl.CommandQueue(self.context)
        doubles = "cl_khr_fp64" in device.extensions
        self.program = pyopencl.Program(self.context, KERNELS).build(["-DDOUBLES"] if doubles else [])
        self.random = numpy.random.default_rng(4)
        self.lengths = pyopencl.elementwise.ElementwiseKernel(
            self.context, "float* a, float* b, float* c", "c[i] = sqrt(a[i] * a[i] + b[i] * b[i]) + fabs(a[i])", "lengths")
        self.dot = pyopencl.reduction.ReductionKernel(self.context, numpy.int32, neutral="0", reduce_expr="a+b", map_expr="x[i]*y[i]",
                                                      arguments="__global int* x, __global int* y")
        self.sums = pyopencl.scan.InclusiveScanKernel(self.context, numpy.int32, "a+b", neutral="0")
        self.generator = pyopencl.clrandom.PhiloxGenerator(self.context, seed=7)

    def on_device(self, array):
        return pyopencl.array.to_device(self.queue, array)

    def product(self, n=128):
        a, b = (self.random.standard_normal((n, n), dtype="f4") for _ in range(2))
        c = pyopencl.array.empty(self.queue, (n, n), "f4")
        self.program.product(self.queue, (n, n), (16, 16), self.on_device(a).data, self.on_device(b).data, c.data, numpy.int32(n))
        return c.get(), a.astype("f8") @ b, 1e-4

    def scan(self, groups=64):
        numbers = self.random.integers(-1000, 1000, groups * 256, dtype="i4")
        out, sums = pyopencl.array.empty(self.queue, groups * 256, "i4"), pyopencl.array.empty(self.queue, groups, "i4")
        self.program.scan(self.queue, (groups * 256,), (256,), self.on_device(numbers).data, out.data, sums.data)
        wanted = numbers.reshape(groups, 256).cumsum(1, dtype="i4")
        return numpy.append(out.get(), sums.get()), numpy.append((wanted - numbers.reshape(groups, 256)).ravel(), wanted[:, 255]), 0

    def soften(self, width=320, height=200):
        picture = self.random.integers(0, 256, (height, width, 4), dtype="u1")
        out = pyopencl.array.empty(self.queue, picture.shape, "u1")
        self.program.soften(self.queue, (width, height), None, self.on_device(picture).data, out.data, numpy.int32(width), numpy.int32(height))
        wide = numpy.pad(picture.astype("f8"), ((2, 2), (2, 2), (0, 0)), "edge")
        weight = numpy.array([1, 4, 6, 4, 1])
        wanted = sum(weight[v] * weight[u] * wide[v:v + height, u:u + width] for v in range(5) for u in range(5)) / 256
        return out.get(), numpy.rint(wanted), 0

    def histogram(self):
        numbers = (self.random.standard_normal(1 << 16) * 40 + 128).clip(0, 255).astype("u1")
        count = pyopencl.array.zeros(self.queue, 256, "u4")
        self.program.histogram(self.queue, (numbers.size // 16,), (256,), self.on_device(numbers).data, count.data)
        return count.get(), numpy.bincount(numbers, minlength=256), 0

    def mandelbrot(self, width=160):
        out = pyopencl.array.empty(self.queue, (width, width), "i4")
        self.program.mandelbrot(self.queue, (width, width), None, out.data, numpy.int32(width))
        return out.get(), None, 0  # a contraction may change a point at the border: PoCL's is compared by the share that differs

    def elementwise(self):
        a, b = (self.random.standard_normal(50000, dtype="f4") for _ in range(2))
        c = pyopencl.array.empty(self.queue, a.size, "f4")
        self.lengths(self.on_device(a), self.on_device(b), c)
        return c.get(), numpy.hypot(a.astype("f8"), b) + abs(a), 1e-5

    def reduction(self):
        a, b = (self.random.integers(-100, 100, 100000, dtype="i4") for _ in range(2))
        return self.dot(self.on_device(a), self.on_device(b)).get().reshape(1), numpy.array([numpy.dot(a, b)]), 0

    def extremes(self):
        a = self.on_device(self.random.standard_normal(77777, dtype="f4"))
        host = a.get()
        return numpy.array([pyopencl.array.max(a).get(), pyopencl.array.min(a).get()]), numpy.array([host.max(), host.min()]), 0

    def prefix(self):
        numbers = self.random.integers(-100, 100, 123457, dtype="i4")
        out = self.on_device(numbers)
        self.sums(out)
        return out.get(), numbers.cumsum(dtype="i4"), 0

    def arrays(self):
        a, b = (self.random.standard_normal(30001, dtype="f4") for _ in range(2))
        x, y = self.on_device(a), self.on_device(b)
        return ((2 * x + y) * y - x / 3 + abs(y)).get(), (2 * a.astype("f8") + b) * b - a / 3 + abs(b), 1e-4

    def uniform(self):
        numbers = self.generator.uniform(self.queue, 40000, numpy.float32).get()
        # The order of the numbers depends on the device's compute units.
        return numpy.array([0 <= numbers.min(), numbers.max() <= 1, abs(numbers.mean() - 0.5) < 0.01]), numpy.array([True] * 3), 0


def main(out, seconds):
    examples, rounds, bad = Examples(), 0, []
    end = time.monotonic() + seconds
    names = ["product", "scan", "soften", "histogram", "mandelbrot", "elementwise", "reduction", "extremes", "prefix", "arrays", "uniform"]
    while not rounds or time.monotonic() < end:
        for name in names:
            result, wanted, tolerance = getattr(examples, name)()
            if wanted is not None and not numpy.allclose(result, wanted, rtol=tolerance, atol=tolerance * 10):
                bad.append(f"{name}, round {rounds}: {numpy.count_nonzero(~numpy.isclose(result, wanted, rtol=tolerance, atol=tolerance * 10))} of {result.size} differ from numpy's")
            if not rounds:
                numpy.save(pathlib.Path(out) / f"{name}.npy", result)
        rounds += 1
    print(f"rounds: {rounds}, {len(names)} examples each, {len(bad)} wrong")
    print("\n".join(bad[:20]))
    return bool(bad)


sys.exit(main(sys.argv[1], float(sys.argv[2])))
