// The benchmarks' kernels by hand for this CPU: vectorised over work-items, sixteen at a time, built with -O3 -march=native.
// They do the arithmetic of tests/kernels/dense.cl and divergent.cl and of run_kernels/, n-body with a square root and a division for rsqrt.
//   native KERNEL --threads N --repeat N [--out FILE]     inputs as bench/run makes them: --in FILE...
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int W = 16;
typedef float Floats __attribute__((ext_vector_type(W)));
typedef uint32_t Words __attribute__((ext_vector_type(W)));
typedef int32_t Ints __attribute__((ext_vector_type(W)));

bool any(Ints mask) { return __builtin_reduce_or(mask) != 0; }
Floats fused(Floats a, Floats b, Floats c) { return __builtin_elementwise_fma(a, b, c); }

using File = std::vector<char>;
File read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "native: cannot read %s\n", path.c_str());
    std::exit(1);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

// Runs piece(first, last) over `count` items split evenly, in multiples of `grain`.
void spread(int threads, int count, int grain, const std::function<void(int, int)>& piece) {
  std::vector<std::thread> pool;
  int pieces = count / grain;
  for (int t = 0; t < threads; ++t) pool.emplace_back(piece, pieces * t / threads * grain, pieces * (t + 1) / threads * grain);
  for (auto& thread : pool) thread.join();
}

// position, velocity, moved: x y z w of each body side by side, as in the kernel; transposed on the way in and out.
void nbody(const float* position, float* velocity, float* moved, int n, float dt, int threads) {
  spread(threads, n, W, [=](int first, int last) {
    for (int i = first; i < last; i += W) {
      Floats x, y, z, ax = 0, ay = 0, az = 0;
      for (int k = 0; k < W; ++k)
        x[k] = position[(i + k) * 4], y[k] = position[(i + k) * 4 + 1], z[k] = position[(i + k) * 4 + 2];
      for (int j = 0; j < n; ++j) {
        Floats dx = position[j * 4] - x, dy = position[j * 4 + 1] - y, dz = position[j * 4 + 2] - z;
        Floats r2 = fused(dx, dx, fused(dy, dy, fused(dz, dz, Floats(1e-4f))));
        Floats inverse = 1.0f / __builtin_elementwise_sqrt(r2);
        Floats pull = position[j * 4 + 3] * inverse * inverse * inverse;
        ax = fused(dx, pull, ax), ay = fused(dy, pull, ay), az = fused(dz, pull, az);
      }
      for (int k = 0; k < W; ++k) {
        float* v = velocity + (i + k) * 4;
        v[0] += ax[k] * dt, v[1] += ay[k] * dt, v[2] += az[k] * dt;
        for (int c = 0; c < 3; ++c) moved[(i + k) * 4 + c] = position[(i + k) * 4 + c] + v[c] * dt;
        moved[(i + k) * 4 + 3] = position[(i + k) * 4 + 3];
      }
    }
  });
}

// The kernel's own tiling: a 16 x 16 work-group walks along k, its two tiles copied first as the kernel copies them to LDS.
void matmul_tiled(const float* a, const float* b, float* c, int m, int n, int k, int threads) {
  spread(threads, m, W, [=](int first, int last) {
    for (int row = first; row < last; row += W)
      for (int column = 0; column < n; column += W) {
        Floats sum[W], part_b[W];
        float part_a[W][W];
        for (auto& s : sum) s = 0;
        for (int t = 0; t < k; t += W) {
          for (int r = 0; r < W; ++r) {
            std::memcpy(part_a[r], a + (row + r) * k + t, sizeof part_a[r]);
            std::memcpy(&part_b[r], b + (t + r) * n + column, sizeof part_b[r]);
          }
          for (int r = 0; r < W; ++r)
            for (int i = 0; i < W; ++i) sum[r] = fused(Floats(part_a[r][i]), part_b[i], sum[r]);
        }
        for (int r = 0; r < W; ++r) std::memcpy(c + (row + r) * n + column, &sum[r], sizeof sum[r]);
      }
  });
}

// One work-item's loop of the plain kernel, sixteen columns at once.
void matmul_plain(const float* a, const float* b, float* c, int m, int n, int k, int threads) {
  spread(threads, m, 1, [=](int first, int last) {
    for (int row = first; row < last; ++row)
      for (int column = 0; column < n; column += W) {
        Floats sum = 0, line;
        for (int i = 0; i < k; ++i) {
          std::memcpy(&line, b + i * n + column, sizeof line);
          sum = fused(Floats(a[row * k + i]), line, sum);
        }
        std::memcpy(c + row * n + column, &sum, sizeof sum);
      }
  });
}

// The loop order that a C programmer would choose.
void matmul_ikj(const float* a, const float* b, float* c, int m, int n, int k, int threads) {
  spread(threads, m, 1, [=](int first, int last) {
    for (int row = first; row < last; ++row) {
      std::memset(c + row * n, 0, sizeof(float) * n);
      for (int i = 0; i < k; ++i) {
        float factor = a[row * k + i];
#pragma clang loop vectorize(enable)
        for (int j = 0; j < n; ++j) c[row * n + j] = __builtin_fmaf(factor, b[i * n + j], c[row * n + j]);
      }
    }
  });
}

void mandelbrot(uint32_t* counts, int width, int height, float left, float top, float step, uint32_t most, int threads) {
  spread(threads, height, 1, [=](int first, int last) {
    // Rows from both halves alternate, so that the threads get like shares.
    for (int line = first; line < last; ++line) {
      int row = line * 2 < height ? line * 2 : (line * 2 - height) | 1;
      for (int column = 0; column < width; column += W) {
        Floats cx, cy = __builtin_fmaf(step, row, top), x = 0, y = 0, xx = 0, yy = 0;
        for (int k = 0; k < W; ++k) cx[k] = __builtin_fmaf(step, column + k, left);
        Words n = 0;
        Ints live = -1;
        for (uint32_t i = 0; i < most; ++i) {
          live &= xx + yy < 4.0f;
          if (!any(live)) break;
          y = fused(2.0f * x, y, cy);
          x = xx - yy + cx;
          xx = x * x;
          yy = y * y;
          n -= (Words)live;
        }
        std::memcpy(counts + row * width + column, &n, sizeof n);
      }
    }
  });
}

void collatz(uint32_t* steps, int count, uint32_t start, uint32_t most, int threads) {
  spread(threads, count, W, [=](int first, int last) {
    for (int i = first; i < last; i += W) {
      Words n, done = 0;
      for (int k = 0; k < W; ++k) n[k] = start + i + k;
      for (uint32_t turn = 0; turn < most; ++turn) {
        Ints live = n != 1u;
        if (!any(live)) break;
        Words odd = -(n & 1u), next = (odd & (3u * n + 1u)) | (~odd & (n >> 1));
        n = ((Words)live & next) | (~(Words)live & n);
        done -= (Words)live;
      }
      std::memcpy(steps + i, &done, sizeof done);
    }
  });
}

// Rays through the tree of rays.cl: a node's four boxes at once, the nearest child first.
typedef float Four __attribute__((ext_vector_type(4)));
float trace(const float* ray, const uint32_t* tree) {
  constexpr uint32_t none = ~0u;
  const float *o = ray, *d = ray + 4;
  const float inverse[3] = {1 / d[0], 1 / d[1], 1 / d[2]};
  float nearest = 1e30f;
  uint32_t pending[96], count = 0, node = 5;
  auto number = [](uint32_t word) { return __builtin_bit_cast(float, word); };
  for (;;) {
    const uint32_t* w = tree + size_t(node >> 3) * 16;
    uint32_t next = none;
    if ((node & 7) == 5) {
      Four start = 0.0f, end = nearest;
      for (int axis = 0; axis < 3; ++axis) {
        const uint32_t* b = w + 4 + axis;
        Four low = {number(b[0]), number(b[6]), number(b[12]), number(b[18])};
        Four high = {number(b[3]), number(b[9]), number(b[15]), number(b[21])};
        low = (low - o[axis]) * inverse[axis], high = (high - o[axis]) * inverse[axis];
        start = __builtin_elementwise_max(start, __builtin_elementwise_min(low, high));
        end = __builtin_elementwise_min(end, __builtin_elementwise_max(low, high));
      }
      float key[4];
      uint32_t child[4], met = 0;
      for (int n = 0; n < 4; ++n) {
        if (!(start[n] <= end[n]) || w[n] == none) continue;
        uint32_t at = met++;
        for (; at && key[at - 1] > start[n]; --at) key[at] = key[at - 1], child[at] = child[at - 1];
        key[at] = start[n], child[at] = w[n];
      }
      for (uint32_t n = met; n-- > 1;) pending[count++] = child[n];
      if (met) next = child[0];
    } else {
      float a[3], e[3], f[3], s[3];
      for (int n = 0; n < 3; ++n)
        a[n] = number(w[n]), e[n] = number(w[3 + n]) - a[n], f[n] = number(w[6 + n]) - a[n], s[n] = o[n] - a[n];
      const float p[3] = {d[1] * f[2] - d[2] * f[1], d[2] * f[0] - d[0] * f[2], d[0] * f[1] - d[1] * f[0]};
      const float q[3] = {s[1] * e[2] - s[2] * e[1], s[2] * e[0] - s[0] * e[2], s[0] * e[1] - s[1] * e[0]};
      auto dot = [](const float* x, const float* y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; };
      const float whole = dot(e, p), u = dot(s, p) / whole, v = dot(d, q) / whole, t = dot(f, q) / whole;
      if (u >= 0 && v >= 0 && u + v <= 1 && t >= 0 && t < nearest) nearest = t;
    }
    if (next == none && count) next = pending[--count];
    if (next == none) return nearest < 1e30f ? nearest : 0;
    node = next;
  }
}

}  // namespace

// C = A B for halves: A by rows, B by columns.
void matmul_halves(const _Float16* a, const _Float16* b, float* c, int n, int threads) {
  std::vector<float> rows(size_t(n) * size_t(n)), turned(rows.size());
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x)
      rows[size_t(y) * size_t(n) + size_t(x)] = float(a[y * n + x]),
                                   turned[size_t(x) * size_t(n) + size_t(y)] = float(b[y * n + x]);
  spread(threads, n, 8, [&, n](int first, int last) {
    for (int y = first; y < last; y += 8)
      for (int x = 0; x < n; x += 2 * W) {
        Floats sum[8][2] = {};
        for (int k = 0; k < n; ++k) {
          Floats b0, b1;
          std::memcpy(&b0, &turned[size_t(k) * size_t(n) + size_t(x)], sizeof b0);
          std::memcpy(&b1, &turned[size_t(k) * size_t(n) + size_t(x + W)], sizeof b1);
          for (int r = 0; r < 8; ++r) {
            Floats one = rows[size_t(y + r) * size_t(n) + size_t(k)];
            sum[r][0] = fused(one, b0, sum[r][0]), sum[r][1] = fused(one, b1, sum[r][1]);
          }
        }
        for (int r = 0; r < 8; ++r) std::memcpy(c + (y + r) * n + x, sum[r], sizeof sum[r]);
      }
  });
}

void row_sums(const float* a, float* sums, int rows, int count, int threads) {
  spread(threads, rows, 1, [=](int first, int last) {
    for (int row = first; row < last; ++row) {
      Floats sum[4] = {}, x[4];
      for (int i = 0; i < count; i += 4 * W) {
        std::memcpy(x, a + row * count + i, sizeof x);
        for (int k = 0; k < 4; ++k) sum[k] += x[k];
      }
      Floats all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
      float total = 0;
      for (int k = 0; k < W; ++k) total += all[k];
      sums[row] = total;
    }
  });
}

void histogram(const uint32_t* words, uint32_t* counts, int count, int threads) {
  std::memset(counts, 0, 256 * sizeof *counts);
  std::mutex one;
  spread(threads, count, 1, [&](int first, int last) {
    uint32_t own[4][256] = {};
    for (int i = first; i < last; ++i)
      for (int byte = 0; byte < 4; ++byte) own[byte][words[i] >> 8 * byte & 255]++;
    std::lock_guard lock(one);
    for (auto& part : own)
      for (int v = 0; v < 256; ++v) counts[v] += part[v];
  });
}

int main(int argc, char** argv) {
  std::string kernel, out;
  std::vector<File> in;
  std::vector<double> number;
  int threads = 1, repeat = 1;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "--threads" && i + 1 < argc)
      threads = std::atoi(argv[++i]);
    else if (word == "--repeat" && i + 1 < argc)
      repeat = std::atoi(argv[++i]);
    else if (word == "--out" && i + 1 < argc)
      out = argv[++i];
    else if (word == "--in" && i + 1 < argc)
      in.push_back(read_file(argv[++i]));
    else if (kernel.empty())
      kernel = word;
    else
      number.push_back(std::atof(word.c_str()));
  }
  auto floats = [&](size_t i) { return reinterpret_cast<float*>(in.at(i).data()); };
  File result;
  std::function<void()> run;
  if (kernel == "nbody" && in.size() == 2 && number.size() == 2) {  // n dt
    result.resize(in[0].size());
    run = [&] {
      nbody(floats(0), floats(1), reinterpret_cast<float*>(result.data()), (int)number[0], (float)number[1], threads);
    };
  } else if (kernel.starts_with("matmul_") && in.size() == 2 && number.size() == 3) {  // m n k
    auto product = kernel == "matmul_tiled" ? matmul_tiled : kernel == "matmul_plain" ? matmul_plain : matmul_ikj;
    result.resize(static_cast<size_t>(number[0] * number[1]) * 4);
    run = [&, product] {
      product(floats(0), floats(1), reinterpret_cast<float*>(result.data()), (int)number[0], (int)number[1], (int)number[2],
              threads);
    };
  } else if (kernel == "mandelbrot" && number.size() == 6) {  // width height left top step most
    result.resize(static_cast<size_t>(number[0] * number[1]) * 4);
    run = [&] {
      mandelbrot(reinterpret_cast<uint32_t*>(result.data()), (int)number[0], (int)number[1], (float)number[2], (float)number[3],
                 (float)number[4], (uint32_t)number[5], threads);
    };
  } else if (kernel == "matmul_halves" && in.size() == 2 && number.size() == 1) {  // n
    result.resize(static_cast<size_t>(number[0] * number[0]) * 4);
    run = [&] {
      auto halves = [&](size_t i) { return reinterpret_cast<const _Float16*>(in.at(i).data()); };
      matmul_halves(halves(0), halves(1), reinterpret_cast<float*>(result.data()), (int)number[0], threads);
    };
  } else if (kernel == "row_sums" && in.size() == 1 && number.size() == 2) {  // rows, numbers in each
    result.resize(static_cast<size_t>(number[0]) * 4);
    run = [&] { row_sums(floats(0), reinterpret_cast<float*>(result.data()), (int)number[0], (int)number[1], threads); };
  } else if (kernel == "histogram" && in.size() == 1 && number.empty()) {
    result.resize(256 * 4);
    run = [&] {
      histogram(reinterpret_cast<const uint32_t*>(in.at(0).data()), reinterpret_cast<uint32_t*>(result.data()),
                int(in.at(0).size() / 4), threads);
    };
  } else if (kernel == "collatz" && number.size() == 3) {  // count first most
    result.resize(static_cast<size_t>(number[0]) * 4);
    run = [&] {
      collatz(reinterpret_cast<uint32_t*>(result.data()), (int)number[0], (uint32_t)number[1], (uint32_t)number[2], threads);
    };
  } else if (kernel == "rays" && in.size() == 2) {
    const int count = static_cast<int>(in[0].size() / 32);
    result.resize(static_cast<size_t>(count) * 4);
    run = [&, count] {
      auto* distances = reinterpret_cast<float*>(result.data());
      spread(threads, count, 1, [&](int first, int last) {
        for (int i = first; i < last; ++i)
          distances[i] = trace(floats(0) + 8 * i, reinterpret_cast<const uint32_t*>(in[1].data()));
      });
    };
  } else {
    std::fprintf(stderr, "native: %s: unknown, or with other numbers and files than it takes (bench/native.cpp)\n",
                 kernel.c_str());
    return 2;
  }
  std::printf("{\"engine\":\"native\",\"run_seconds_each\":[");
  for (int i = 0; i < repeat; ++i) {
    auto start = std::chrono::steady_clock::now();
    run();
    std::printf("%s%.9f", i ? "," : "", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::printf("]}\n");
  if (!out.empty()) std::ofstream(out, std::ios::binary).write(result.data(), static_cast<std::streamsize>(result.size()));
}
