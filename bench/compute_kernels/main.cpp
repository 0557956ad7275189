// Runs one of the kernels of bench/compute on an OpenCL platform and says what its launches cost: see bench/README.md. An ordinary
// program, which knows nothing of Atoll. Source: OpenCL 1.2 API specification, chapters 4 and 5.
//   compute_kernels SOURCE.cl KERNEL [--platform NAME] [--launches N] [--result FILE]
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

[[noreturn]] void die(const std::string& what) {
  std::fprintf(stderr, "compute_kernels: %s\n", what.c_str());
  std::exit(1);
}
void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS) die(std::string(what) + ": OpenCL error " + std::to_string(status));
}

struct Time {
  double cpu, wall;  // seconds; cpu: of all the process's threads
};
double seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}
Time now() { return {seconds(CLOCK_PROCESS_CPUTIME_ID), seconds(CLOCK_MONOTONIC)}; }
Time operator-(Time a, Time b) { return {a.cpu - b.cpu, a.wall - b.wall}; }

struct Options {
  std::string source, kernel, platform = "Portable Computing Language", result;
  int launches = 0;  // of a measured block; 0: the kernel's own number
};

struct Machine {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_kernel kernel = nullptr;
  std::string name;
  Time build{};

  explicit Machine(const Options& options) {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(std::size(platforms), platforms, &count), "clGetPlatformIDs");
    for (cl_uint n = 0; n < count && !device; n++) {
      char text[256] = {};
      check(clGetPlatformInfo(platforms[n], CL_PLATFORM_NAME, sizeof text - 1, text, nullptr), "clGetPlatformInfo");
      if (std::string_view(text).starts_with(options.platform) &&
          clGetDeviceIDs(platforms[n], CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS)
        device = nullptr;
    }
    if (!device) die("no device of a platform whose name begins with " + options.platform);
    char text[256] = {};
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text - 1, text, nullptr), "clGetDeviceInfo");
    name = text;
    cl_int status;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    std::ifstream file(options.source);
    if (!file) die("cannot read " + options.source);
    const std::string source{std::istreambuf_iterator<char>(file), {}};
    const char* pointer = source.c_str();
    const Time start = now();
    cl_program program = clCreateProgramWithSource(context, 1, &pointer, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    if (clBuildProgram(program, 1, &device, "-cl-std=CL1.2", nullptr, nullptr) != CL_SUCCESS) {
      char log[8192] = {};
      clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, nullptr);
      die(options.source + " does not build:\n" + log);
    }
    kernel = clCreateKernel(program, options.kernel.c_str(), &status);
    check(status, "clCreateKernel");
    build = now() - start;
  }

  cl_mem buffer(const std::vector<float>& content) {
    cl_int status;
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, content.size() * 4, nullptr, &status);
    check(status, "clCreateBuffer");
    write(made, content);
    return made;
  }
  // An image of RGBA texels of 8 bits, from numbers in [-1, 1).
  cl_mem image(size_t width, size_t height, const std::vector<float>& content) {
    std::vector<uint8_t> texels(width * height * 4);
    for (size_t n = 0; n < texels.size(); n++) texels[n] = uint8_t((content[n] + 1) * 128);
    const cl_image_format format{CL_RGBA, CL_UNORM_INT8};
    cl_image_desc shape{};
    shape.image_type = CL_MEM_OBJECT_IMAGE2D, shape.image_width = width, shape.image_height = height;
    cl_int status;
    cl_mem made = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &shape, texels.data(), &status);
    check(status, "clCreateImage");
    return made;
  }
  void write(cl_mem to, const std::vector<float>& content) {
    check(clEnqueueWriteBuffer(queue, to, CL_TRUE, 0, content.size() * 4, content.data(), 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
  }
  std::vector<float> read(cl_mem from, size_t count) {
    std::vector<float> content(count);
    check(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, count * 4, content.data(), 0, nullptr, nullptr), "clEnqueueReadBuffer");
    return content;
  }
  void set(cl_uint index, cl_mem value) {
    check(clSetKernelArg(kernel, index, sizeof(cl_mem), static_cast<const void*>(&value)), "clSetKernelArg");
  }
  template <class T>
  void set(cl_uint index, T value) {
    check(clSetKernelArg(kernel, index, sizeof value, &value), "clSetKernelArg");
  }
  void enqueue(std::initializer_list<size_t> grid, std::initializer_list<size_t> group) {
    check(clEnqueueNDRangeKernel(queue, kernel, cl_uint(grid.size()), nullptr, grid.begin(), group.begin(), 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
  }
};

// The same numbers in [-1, 1) every time.
std::vector<float> numbers(size_t count, uint64_t seed) {
  std::vector<float> made(count);
  uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
  for (float& x : made) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    x = float(state >> 40) * 0x1p-23f - 1;
  }
  return made;
}

// A kernel with its buffers. `launches`: of a measured block, about a second on one processor through PoCL.
struct Task {
  int launches;
  std::function<void()> reset;      // the buffers as they were
  std::function<void(int)> launch;  // the n-th
  std::function<std::vector<float>()> result;
  int result_launches;  // after so many
};

Task nbody(Machine& m) {
  constexpr int count = 8192;
  auto bodies = numbers(size_t(count) * 4, 1);
  for (size_t n = 3; n < bodies.size(); n += 4) bodies[n] = (bodies[n] + 1) / 2;
  const std::vector<float> still(bodies.size(), 0.0f);
  cl_mem position = m.buffer(bodies), velocity = m.buffer(still), moved = m.buffer(still);
  m.set(0, position), m.set(1, velocity), m.set(2, moved), m.set(3, cl_int(count)), m.set(4, 1e-3f);
  return {6, [=, &m] { m.write(velocity, still); }, [&m](int) { m.enqueue({count}, {256}); },
          [=, &m] { return m.read(velocity, size_t(count) * 4); }, 1};
}

Task matmul(Machine& m) {
  constexpr size_t size = 512;
  cl_mem a = m.buffer(numbers(size * size, 1)), b = m.buffer(numbers(size * size, 2)), c = m.buffer(numbers(size * size, 3));
  m.set(0, a), m.set(1, b), m.set(2, c), m.set(3, cl_int(size));
  return {10, [] {}, [&m](int) { m.enqueue({size, size}, {16, 16}); }, [=, &m] { return m.read(c, size * size); }, 1};
}

Task stencil(Machine& m, size_t group_x, size_t group_y, int launches) {
  constexpr size_t size = 1024;
  const auto start = numbers(size * size, 1);
  const cl_mem field[] = {m.buffer(start), m.buffer(start)};
  m.set(2, cl_int(size)), m.set(3, cl_int(size));
  return {launches, [=, &m] { m.write(field[0], start), m.write(field[1], start); },
          [=, &m, one = field[0], two = field[1]](int n) {
            m.set(0, n % 2 ? two : one), m.set(1, n % 2 ? one : two);
            m.enqueue({size, size}, {group_x, group_y});
          },
          [=, &m] { return m.read(field[0], size * size); }, 10};
}

Task convolution(Machine& m) {
  constexpr size_t size = 512;
  cl_mem from = m.image(size, size, numbers(size * size * 4, 1)), to = m.buffer(std::vector<float>(size * size * 4));
  m.set(0, from), m.set(1, to), m.set(2, cl_int(size));
  return {10, [] {}, [&m](int) { m.enqueue({size, size}, {16, 16}); }, [=, &m] { return m.read(to, size * size * 4); }, 1};
}

Options read_options(int argc, char** argv) {
  Options o;
  std::vector<std::string> plain;
  for (int n = 1; n < argc; n++) {
    const std::string word = argv[n];
    std::string* text = word == "--platform" ? &o.platform : word == "--result" ? &o.result : nullptr;
    if (!word.starts_with("--")) {
      plain.push_back(word);
      continue;
    }
    if (n + 1 == argc || (!text && word != "--launches")) die(word + ": unknown, or without a value");
    n++;
    if (text)
      *text = argv[n];
    else
      o.launches = std::atoi(argv[n]);
  }
  if (plain.size() != 2)
    die("usage: compute_kernels SOURCE.cl nbody|matmul|stencil|stencil_tiled|convolution [--platform NAME] [--launches N] "
        "[--result "
        "FILE]");
  o.source = plain[0], o.kernel = plain[1];
  return o;
}

// Launches until one is no cheaper than the cheapest before, twice in turn: code may be compiled beside them.
Time warm_up(Machine& m, const Task& task) {
  constexpr double settled = 0.94, least = 1.0, most = 30.0;
  const Time start = now();
  Time first{};
  double cheapest = 1e9;
  for (int n = 0, calm = 0; (calm < 2 || now().wall - start.wall < least) && now().wall - start.wall < most; n++) {
    const Time before = now();
    task.launch(n);
    check(clFinish(m.queue), "clFinish");
    const Time took = now() - before;
    if (n == 0) first = took;
    calm = took.cpu > cheapest * settled ? calm + 1 : 0;
    cheapest = std::min(cheapest, took.cpu);
  }
  return first;
}

Time measure(Machine& m, const Task& task, int launches) {
  const Time before = now();
  for (int n = 0; n < launches; n++) task.launch(n);
  check(clFinish(m.queue), "clFinish");
  const Time took = now() - before;
  return {took.cpu / launches, took.wall / launches};
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  Machine m(options);
  const Task task = options.kernel == "nbody"         ? nbody(m)
                    : options.kernel == "matmul"      ? matmul(m)
                    : options.kernel == "stencil"     ? stencil(m, 64, 4, 100)
                    : options.kernel == "convolution" ? convolution(m)
                                                      : stencil(m, 16, 16, 40);
  const Time first = warm_up(m, task);
  const int launches = options.launches > 0 ? options.launches : task.launches;
  const Time one = measure(m, task, launches), two = measure(m, task, 2 * launches);
  task.reset();
  for (int n = 0; n < task.result_launches; n++) task.launch(n);
  check(clFinish(m.queue), "clFinish");
  if (!options.result.empty()) {
    const auto content = task.result();
    std::ofstream out(options.result, std::ios::binary);
    out.write(reinterpret_cast<const char*>(content.data()), std::streamsize(content.size() * 4));
    if (!out.flush()) die("cannot write " + options.result);
  }
  std::printf(
      "{\"device\":\"%s\",\"build_seconds\":%.6f,\"first_seconds\":%.6f,\"cpu_ms\":[%.4f,%.4f],\"wall_ms\":[%.4f,%.4f]}\n",
      m.name.c_str(), m.build.wall, first.wall, one.cpu * 1e3, two.cpu * 1e3, one.wall * 1e3, two.wall * 1e3);
}
