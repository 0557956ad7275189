// endless_kernel PLATFORM: a kernel that never ends, through OpenCL. The GPU's kernel driver resets the context, and what the program sees
// is an error of OpenCL's from a call that waits, after which it goes on. Ends with 0 where that is so; 77: there is no such platform.
// Source: OpenCL 1.2 API specification, chapter 5.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

// The compiler cannot know that nobody writes there.
const char* source =
    "kernel void endless(global volatile int* flag, global int* out) { while (!flag[0]) out[get_global_id(0)] += 1; }";

constexpr size_t count = 1024;

[[noreturn]] void die(const char* what) {
  std::fprintf(stderr, "endless_kernel: %s\n", what);
  std::exit(1);
}

cl_device_id find(std::string_view wanted) {
  cl_platform_id platforms[16];
  cl_uint platform_count = 0;
  if (clGetPlatformIDs(16, platforms, &platform_count) != CL_SUCCESS) return nullptr;
  for (cl_uint n = 0; n < platform_count; n++) {
    char name[256] = {};
    clGetPlatformInfo(platforms[n], CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
    cl_device_id device = nullptr;
    if (std::string_view(name).starts_with(wanted) &&
        clGetDeviceIDs(platforms[n], CL_DEVICE_TYPE_ALL, 1, &device, nullptr) == CL_SUCCESS)
      return device;
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  cl_device_id device = argc == 2 ? find(argv[1]) : nullptr;
  if (!device) return std::fprintf(stderr, "endless_kernel: no device of a platform '%s'\n", argc == 2 ? argv[1] : ""), 77;
  cl_int error = 0;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  if (error != CL_SUCCESS) die("no context");
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, nullptr, &error);
  if (error != CL_SUCCESS) die("no queue");
  cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &error);
  if (error != CL_SUCCESS || clBuildProgram(program, 1, &device, "", nullptr, nullptr) != CL_SUCCESS) die("no program");
  cl_kernel kernel = clCreateKernel(program, "endless", &error);
  if (error != CL_SUCCESS) die("no kernel");
  static cl_int zeros[count];
  for (cl_uint index = 0; index < 2; index++) {
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros, &error);
    if (error != CL_SUCCESS || clSetKernelArg(kernel, index, sizeof(cl_mem), static_cast<const void*>(&buffer)) != CL_SUCCESS)
      die("no buffer");
  }
  error = clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &count, nullptr, 0, nullptr, nullptr);
  if (error == CL_SUCCESS) error = clFinish(queue);
  std::printf("a kernel without an end: OpenCL error %d\n", error);
  return error == CL_SUCCESS;
}
