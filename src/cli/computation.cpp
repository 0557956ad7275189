// Values: Khronos OpenCL 1.2 (cl.h).
#include "cli/computation.h"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace Atoll::cli {
namespace {

constexpr unsigned CL_PLATFORM_NAME = 0x0902, CL_DEVICE_NAME = 0x102b, CL_TRUE = 1;
constexpr uint64_t CL_DEVICE_TYPE_GPU = 1 << 2, CL_MEM_READ_WRITE = 1 << 0;
constexpr size_t values = 1000;

using Object = void*;

void* library = nullptr;

template <class Function>
Function find(const char* name) {
  auto found = reinterpret_cast<Function>(dlsym(library, name));
  if (!found) {
    std::fprintf(stderr, "computation: no %s\n", name);
    std::exit(3);
  }
  return found;
}

int failed(const char* what, int error = 0) {
  std::fprintf(stderr, "computation: %s%s\n", what, error ? (", error " + std::to_string(error)).c_str() : "");
  return 1;
}

using Question = int (*)(Object, unsigned, size_t, void*, size_t*);

std::string answer(const char* question, Object of, unsigned what) {
  char text[256] = {};
  find<Question>(question)(of, what, sizeof text - 1, text, nullptr);
  return text;
}

// The first GPU of a platform of Intel's.
Object find_device() {
  std::array<Object, 16> platforms{};
  unsigned count = 0;
  if (find<int (*)(unsigned, Object*, unsigned*)>("clGetPlatformIDs")(platforms.size(), platforms.data(), &count) != 0) return {};
  for (unsigned i = 0; i < count && i < platforms.size(); ++i) {
    Object device = nullptr;
    if (!answer("clGetPlatformInfo", platforms[i], CL_PLATFORM_NAME).starts_with("Intel(R) OpenCL")) continue;
    if (find<int (*)(Object, uint64_t, unsigned, Object*, unsigned*)>("clGetDeviceIDs")(platforms[i], CL_DEVICE_TYPE_GPU, 1,
                                                                                        &device, nullptr) == 0)
      return device;
  }
  return {};
}

constexpr const char* source = R"(
kernel void squares(global uint* out, uint more) {
  uint i = get_global_id(0);
  out[i] = i * i + more;
})";

}  // namespace

int compute_values() {
  library = dlopen("libOpenCL.so.1", RTLD_NOW);
  if (!library) {
    std::fprintf(stderr, "computation: %s\n", dlerror());
    return 3;
  }
  Object device = find_device();
  if (!device) return failed("no OpenCL device of Intel's");
  std::printf("%s\n", answer("clGetDeviceInfo", device, CL_DEVICE_NAME).c_str());
  std::fflush(stdout);
  int error = 0;
  Object context = find<Object (*)(const intptr_t*, unsigned, const Object*, Object, Object, int*)>("clCreateContext")(
      nullptr, 1, &device, nullptr, nullptr, &error);
  if (!context) return failed("no context", error);
  Object queue = find<Object (*)(Object, Object, uint64_t, int*)>("clCreateCommandQueue")(context, device, 0, &error);
  if (!queue) return failed("no command queue", error);
  const char* text = source;
  Object program = find<Object (*)(Object, unsigned, const char**, const size_t*, int*)>("clCreateProgramWithSource")(
      context, 1, &text, nullptr, &error);
  if (!program) return failed("no program", error);
  error = find<int (*)(Object, unsigned, const Object*, const char*, Object, Object)>("clBuildProgram")(program, 1, &device, "",
                                                                                                        nullptr, nullptr);
  if (error) return failed("the kernel does not compile", error);
  Object kernel = find<Object (*)(Object, const char*, int*)>("clCreateKernel")(program, "squares", &error);
  if (!kernel) return failed("no kernel", error);
  Object buffer = find<Object (*)(Object, uint64_t, size_t, void*, int*)>("clCreateBuffer")(context, CL_MEM_READ_WRITE,
                                                                                            values * 4, nullptr, &error);
  if (!buffer) return failed("no buffer", error);
  const uint32_t more = 77;
  auto argument = find<int (*)(Object, unsigned, size_t, const void*)>("clSetKernelArg");
  argument(kernel, 0, sizeof(Object), static_cast<const void*>(&buffer));
  argument(kernel, 1, sizeof more, &more);
  const size_t grid = values;
  error = find<int (*)(Object, Object, unsigned, const size_t*, const size_t*, const size_t*, unsigned, Object, Object)>(
      "clEnqueueNDRangeKernel")(queue, kernel, 1, nullptr, &grid, nullptr, 0, nullptr, nullptr);
  if (error) return failed("the kernel cannot be enqueued", error);
  std::array<uint32_t, values> results{};
  error = find<int (*)(Object, Object, unsigned, size_t, size_t, void*, unsigned, Object, Object)>("clEnqueueReadBuffer")(
      queue, buffer, CL_TRUE, 0, sizeof results, results.data(), 0, nullptr, nullptr);
  if (error) return failed("the results cannot be read", error);
  size_t wrong = 0;
  for (uint32_t i = 0; i < values; ++i) wrong += results[i] != i * i + more;
  if (!wrong) return 0;
  std::fprintf(stderr, "computation: %zu of %zu values are wrong\n", wrong, values);
  return 1;
}

}  // namespace Atoll::cli
