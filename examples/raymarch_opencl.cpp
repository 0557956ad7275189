// The picture of raymarch.cl by an OpenCL driver: raymarch_opencl PLATFORM RAYMARCH.CL PNG [WIDTH HEIGHT [SAMPLES]]
// takes the first platform whose name begins so and says which device it was. Ends with 77 if there is no such platform.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "png_file.h"

namespace {

void check(cl_int error, const char* what) {
  if (error == CL_SUCCESS) return;
  std::fprintf(stderr, "raymarch_opencl: %s: error %d\n", what, error);
  std::exit(1);
}

std::string text_of(cl_device_id device, cl_device_info which) {
  char text[256] = {};
  check(clGetDeviceInfo(device, which, sizeof text - 1, text, nullptr), "clGetDeviceInfo");
  return text;
}

cl_device_id find_device(const char* wanted) {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) count = 0;
  for (cl_uint i = 0; i < count && i < 16; ++i) {
    char name[256] = {};
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
    cl_device_id device = nullptr;
    if (std::strncmp(name, wanted, std::strlen(wanted)) == 0 &&
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, nullptr) == CL_SUCCESS)
      return device;
  }
  return nullptr;
}

cl_program build(cl_context context, cl_device_id device, const std::string& source) {
  const char* text = source.c_str();
  cl_int error = 0;
  cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, &error);
  check(error, "clCreateProgramWithSource");
  if (clBuildProgram(program, 1, &device, "-cl-std=CL1.2", nullptr, nullptr) != CL_SUCCESS) {
    std::vector<char> log(1 << 16);
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(), nullptr);
    std::fprintf(stderr, "raymarch_opencl: the compiler says:\n%s\n", log.data());
    std::exit(1);
  }
  return program;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 6 && argc != 7) {
    std::fprintf(stderr, "usage: raymarch_opencl PLATFORM RAYMARCH.CL PNG [WIDTH HEIGHT [SAMPLES]]\n");
    return 2;
  }
  cl_int width = argc > 5 ? std::atoi(argv[4]) : 1280, height = argc > 5 ? std::atoi(argv[5]) : 720;
  cl_int samples = argc > 6 ? std::atoi(argv[6]) : 2;
  if (width < 1 || height < 1 || samples < 1 || width > 16384 || height > 16384 || samples > 64) {
    std::fprintf(stderr, "raymarch_opencl: WIDTH and HEIGHT from 1 to 16384, SAMPLES from 1 to 64\n");
    return 2;
  }
  std::ifstream file(argv[2], std::ios::binary);
  std::string source{std::istreambuf_iterator<char>(file), {}};
  if (!file) {
    std::fprintf(stderr, "raymarch_opencl: %s: cannot be read\n", argv[2]);
    return 1;
  }
  cl_device_id device = find_device(argv[1]);
  if (!device) {
    std::fprintf(stderr, "raymarch_opencl: no OpenCL platform '%s'\n", argv[1]);
    return 77;
  }
  std::printf("device: %s, driver %s\n", text_of(device, CL_DEVICE_NAME).c_str(), text_of(device, CL_DRIVER_VERSION).c_str());

  cl_int error = 0;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  check(error, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  check(error, "clCreateCommandQueue");
  cl_program program = build(context, device, source);
  cl_kernel kernel = clCreateKernel(program, "raymarch", &error);
  check(error, "clCreateKernel");
  std::vector<unsigned char> texels(size_t(width) * size_t(height) * 4);
  cl_mem image = clCreateBuffer(context, CL_MEM_WRITE_ONLY, texels.size(), nullptr, &error);
  check(error, "clCreateBuffer");
  check(clSetKernelArg(kernel, 0, sizeof(cl_mem), static_cast<const void*>(&image)), "clSetKernelArg");
  const cl_int numbers[] = {width, height, samples};
  for (cl_uint i = 0; i < 3; ++i) check(clSetKernelArg(kernel, i + 1, sizeof numbers[i], &numbers[i]), "clSetKernelArg");
  const size_t grid[] = {size_t(width), size_t(height)};
  check(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, grid, nullptr, 0, nullptr, nullptr), "clEnqueueNDRangeKernel");
  check(clEnqueueReadBuffer(queue, image, CL_TRUE, 0, texels.size(), texels.data(), 0, nullptr, nullptr), "clEnqueueReadBuffer");
  if (!write_png("raymarch_opencl", argv[3], size_t(width), size_t(height), texels.data())) return 1;

  clReleaseMemObject(image);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
