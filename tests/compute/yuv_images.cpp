// yuv_images: images of cl_intel_planar_yuv (NV12) and cl_intel_packed_yuv through OpenCL, random bytes in several sizes, every texel by
// read_imagef: (V, Y, U, 1), as the tables of both extensions say, and of NV12 each plane as an image of its own. A line for each wrong
// image; ends with 0 if there is none, 77: no device has the extensions.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr cl_uint nv12 = 0x410e, yuyv = 0x4076, uyvy = 0x4077, yvyu = 0x4078, vyuy = 0x4079;
constexpr cl_mem_flags unrestricted = 1 << 25;  // CL_MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL

struct Size {
  size_t width, height;
};
constexpr Size sizes[] = {{4, 4}, {64, 32}, {52, 12}, {260, 68}};

// Bytes of a pair of texels: Y, U, the second Y, V.
struct Packed {
  const char* name;
  cl_uint order;
  unsigned y, u, second, v;
};
constexpr Packed packed[] = {
    {"YUYV", yuyv, 0, 1, 2, 3}, {"UYVY", uyvy, 1, 0, 3, 2}, {"YVYU", yvyu, 0, 3, 2, 1}, {"VYUY", vyuy, 1, 2, 3, 0}};

const char* source =
    "kernel void texels(read_only image2d_t image, global float4* out) {\n"
    "  const sampler_t sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "  const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  out[at.y * get_global_size(0) + at.x] = read_imagef(image, sampler, at);\n"
    "}\n";

cl_context context;
cl_command_queue queue;
cl_kernel kernel;
int wrong = 0;

[[noreturn]] void die(const char* what, cl_int error) {
  std::fprintf(stderr, "yuv_images: %s: error %d\n", what, error);
  std::exit(1);
}
void check(cl_int error, const char* what) {
  if (error != CL_SUCCESS) die(what, error);
}

cl_device_id find() {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return nullptr;
  for (cl_uint n = 0; n < count; n++) {
    cl_device_id device = nullptr;
    if (clGetDeviceIDs(platforms[n], CL_DEVICE_TYPE_GPU, 1, &device, nullptr) != CL_SUCCESS) continue;
    std::vector<char> names(1 << 16);
    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, names.size() - 1, names.data(), nullptr);
    if (std::strstr(names.data(), "cl_intel_planar_yuv") && std::strstr(names.data(), "cl_intel_packed_yuv")) return device;
  }
  return nullptr;
}

std::vector<float> read(cl_mem image, Size size) {
  cl_int error = 0;
  std::vector<float> texels(size.width * size.height * 4);
  cl_mem out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, texels.size() * 4, nullptr, &error);
  check(error, "clCreateBuffer");
  check(clSetKernelArg(kernel, 0, sizeof image, &image), "clSetKernelArg");
  check(clSetKernelArg(kernel, 1, sizeof out, &out), "clSetKernelArg");
  const size_t global[] = {size.width, size.height};
  check(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global, nullptr, 0, nullptr, nullptr), "clEnqueueNDRangeKernel");
  check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, texels.size() * 4, texels.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
  clReleaseMemObject(out);
  return texels;
}

// `expected(x, y, c)`: a byte, or -1 for one.
template <typename Expected>
void compare(const char* name, Size size, const std::vector<float>& texels, Expected expected) {
  size_t bad = 0, first = 0;
  for (size_t n = 0; n < texels.size(); n++) {
    const int byte = expected(n / 4 % size.width, n / 4 / size.width, n % 4);
    if (std::abs(texels[n] - (byte < 0 ? 1.0f : float(byte) / 255)) < 1e-6f) continue;
    if (!bad++) first = n;
  }
  if (!bad) return;
  wrong++;
  std::printf("%s of %zux%zu: %zu of %zu are wrong, the first at %zu, %zu: %g in component %zu\n", name, size.width, size.height,
              bad, texels.size(), first / 4 % size.width, first / 4 / size.width, double(texels[first]) * 255, first % 4);
}

cl_mem image_of(cl_mem_flags flags, cl_uint order, Size size, const uint8_t* bytes, cl_mem parent = nullptr, size_t plane = 0) {
  cl_image_format format{order, CL_UNORM_INT8};
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = size.width, description.image_height = size.height, description.image_depth = plane;
  description.mem_object = parent;
  cl_int error = 0;
  cl_mem image = clCreateImage(context, flags | (bytes ? CL_MEM_COPY_HOST_PTR : 0), &format, &description,
                               const_cast<uint8_t*>(bytes), &error);
  check(error, "clCreateImage");
  return image;
}

std::vector<uint8_t> random_bytes(size_t count) {
  static uint32_t state = 12;
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) state = state * 1664525 + 1013904223, byte = uint8_t(state >> 24);
  return bytes;
}

}  // namespace

int main() {
  cl_device_id device = find();
  if (!device) return std::puts("skipped: no OpenCL device has cl_intel_planar_yuv and cl_intel_packed_yuv"), 77;
  cl_int error = 0;
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  check(error, "clCreateContext");
  queue = clCreateCommandQueueWithProperties(context, device, nullptr, &error);
  check(error, "clCreateCommandQueueWithProperties");
  cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &error);
  check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  kernel = clCreateKernel(program, "texels", &error);
  check(error, "clCreateKernel");
  int images = 0;
  for (const Size size : sizes) {
    const std::vector<uint8_t> bytes = random_bytes(size.width * size.height * 3 / 2);
    const size_t chroma = size.width * size.height;
    cl_mem whole = image_of(CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS | unrestricted, nv12, size, bytes.data());
    compare("NV12", size, read(whole, size), [&](size_t x, size_t y, size_t c) {
      const size_t pair = chroma + y / 2 * size.width + x / 2 * 2;
      return c == 3 ? -1 : int(c == 1 ? bytes[y * size.width + x] : bytes[pair + (c == 0)]);
    });
    const Size half{size.width / 2, size.height / 2};
    cl_mem luma = image_of(CL_MEM_READ_ONLY, CL_R, size, nullptr, whole, 0),
           pairs = image_of(CL_MEM_READ_ONLY, CL_RG, half, nullptr, whole, 1);
    compare("NV12's plane of Y", size, read(luma, size), [&](size_t x, size_t y, size_t c) {
      return c == 3 ? -1 : c ? 0 : int(bytes[y * size.width + x]);
    });
    compare("NV12's plane of U and V", half, read(pairs, half), [&](size_t x, size_t y, size_t c) {
      return c == 3 ? -1 : c == 2 ? 0 : int(bytes[chroma + y * size.width + 2 * x + c]);
    });
    for (cl_mem image : {pairs, luma, whole}) clReleaseMemObject(image);
    images += 3;
    for (const Packed& p : packed) {
      const std::vector<uint8_t> texels = random_bytes(size.width * size.height * 2);
      cl_mem image = image_of(CL_MEM_READ_ONLY, p.order, size, texels.data());
      compare(p.name, size, read(image, size), [&](size_t x, size_t y, size_t c) {
        const uint8_t* pair = &texels[(y * size.width + x / 2 * 2) * 2];
        return c == 3 ? -1 : int(pair[c == 0 ? p.v : c == 2 ? p.u : x % 2 ? p.second : p.y]);
      });
      clReleaseMemObject(image);
      images++;
    }
  }
  std::printf("%d images, %d wrong\n", images, wrong);
  return wrong ? 1 : 0;
}
