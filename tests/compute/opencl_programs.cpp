// opencl_programs PLATFORM FOLDER [CASE...|-CASE...]: runs OpenCL programs on the first platform whose name begins so, and leaves each one's
// results in FOLDER/CASE.TYPE.ULPS.bin. The host API's features besides buffers and kernels are cases of their own (host_cases).
// 77: there is no such platform.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "compute_cases.h"
#include "opencl_cases.h"

using namespace Atoll::compute;

namespace {

[[noreturn]] void die(const std::string& what, cl_int error) {
  std::fprintf(stderr, "opencl_programs: %s: error %d\n", what.c_str(), error);
  std::exit(1);
}
void check(cl_int error, const char* what) {
  if (error != CL_SUCCESS) die(what, error);
}

struct Machine {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
};
Machine m;
std::string folder;

bool open(const char* wanted) {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return false;
  for (cl_uint i = 0; i < count; ++i) {
    char name[256] = {};
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, nullptr);
    if (std::strncmp(name, wanted, std::strlen(wanted)) != 0) continue;
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &m.device, nullptr) != CL_SUCCESS) continue;
    cl_int error = 0;
    m.context = clCreateContext(nullptr, 1, &m.device, nullptr, nullptr, &error);
    check(error, "clCreateContext");
    m.queue = clCreateCommandQueueWithProperties(m.context, m.device, nullptr, &error);
    check(error, "clCreateCommandQueueWithProperties");
    return true;
  }
  return false;
}

cl_kernel kernel_of(const char* source, const char* options = "") {
  cl_int error = 0;
  cl_program program = clCreateProgramWithSource(m.context, 1, &source, nullptr, &error);
  check(error, "clCreateProgramWithSource");
  if (clBuildProgram(program, 1, &m.device, options, nullptr, nullptr) != CL_SUCCESS) {
    char text[8192] = {};
    clGetProgramBuildInfo(program, m.device, CL_PROGRAM_BUILD_LOG, sizeof text - 1, text, nullptr);
    die(std::string("clBuildProgram: ") + text, 0);
  }
  cl_kernel kernel = clCreateKernel(program, "k", &error);
  check(error, "clCreateKernel");
  return kernel;
}

void save(std::string_view name, std::string_view type, unsigned ulps, const void* data, size_t bytes) {
  std::ofstream out(folder + "/" + std::string(name) + "." + std::string(type) + "." + std::to_string(ulps) + ".bin",
                    std::ios::binary);
  out.write(static_cast<const char*>(data), std::streamsize(bytes));
}

size_t size_of(std::string_view type) { return std::strtoul(type.data() + 1, nullptr, 10) / 8; }

// The same values every time: whole numbers of all sizes, and floats of about +-1000.
std::vector<uint8_t> values(std::string_view type, size_t count, uint32_t seed) {
  std::vector<uint8_t> bytes(count * size_of(type));
  uint64_t state = seed * uint64_t(0x9e3779b97f4a7c15) + 1;
  auto next = [&] {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
  };
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits = next() >> (next() % 24);
    if (type == "f32") {
      float f = (float(next() >> 40) / float(1 << 23) - 1) * 1000;
      std::memcpy(&bits, &f, 4);
    }
    std::memcpy(&bytes[i * size_of(type)], &bits, size_of(type));
  }
  return bytes;
}

void set_argument(cl_kernel kernel, cl_uint index, const cl_mem& memory) {
  check(clSetKernelArg(kernel, index, sizeof(cl_mem), static_cast<const void*>(&memory)), "clSetKernelArg");
}
void set_argument(cl_kernel kernel, cl_uint index, cl_int value) {
  check(clSetKernelArg(kernel, index, sizeof value, &value), "clSetKernelArg");
}

cl_mem buffer_of(std::vector<uint8_t>& bytes, cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR) {
  cl_int error = 0;
  cl_mem buffer = clCreateBuffer(m.context, flags, bytes.size(), bytes.data(), &error);
  check(error, "clCreateBuffer");
  return buffer;
}

void run(const OpenClCase& c) {
  auto a = values(c.type, c.elements, 1), b = values(c.type, c.elements, 2), out = values(c.type, c.elements, 3);
  cl_mem buffers[] = {buffer_of(a), buffer_of(b), buffer_of(out)};
  cl_kernel kernel = kernel_of(c.source, c.options);
  for (cl_uint i = 0; i < 3; ++i) set_argument(kernel, i, buffers[i]);
  set_argument(kernel, 3, cl_int(c.elements));
  size_t global[3], local[3];
  std::copy_n(c.global, 3, global), std::copy_n(c.local, 3, local);
  check(clEnqueueNDRangeKernel(m.queue, kernel, 3, nullptr, global, c.local[0] ? local : nullptr, 0, nullptr, nullptr),
        "clEnqueueNDRangeKernel");
  check(clEnqueueReadBuffer(m.queue, buffers[2], CL_TRUE, 0, out.size(), out.data(), 0, nullptr, nullptr), "clEnqueueReadBuffer");
  save(c.name, c.type, c.ulps, out.data(), out.size());
  for (cl_mem buffer : buffers) clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
}

const char* add_source = R"(
kernel void k(global const int* a, global const int* b, global int* out, int n) { int i = get_global_id(0); out[i] = a[i] + b[i] * 2; })";

void add(cl_command_queue queue, cl_kernel kernel, cl_mem a, cl_mem b, cl_mem out, size_t count, cl_uint waits = 0,
         const cl_event* wait = nullptr, cl_event* event = nullptr, size_t offset = 0) {
  set_argument(kernel, 0, a), set_argument(kernel, 1, b);
  set_argument(kernel, 2, out), set_argument(kernel, 3, cl_int(count));
  check(clEnqueueNDRangeKernel(queue, kernel, 1, offset ? &offset : nullptr, &count, nullptr, waits, wait, event),
        "clEnqueueNDRangeKernel");
}

// A chain through an out-of-order queue, held together by events alone.
void out_of_order() {
  cl_int error = 0;
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  cl_command_queue queue = clCreateCommandQueueWithProperties(m.context, m.device, properties, &error);
  check(error, "an out-of-order queue");
  auto a = values("i32", 256, 5), b = values("i32", 256, 6), out = values("i32", 256, 7);
  cl_mem x = buffer_of(a), y = buffer_of(b), z = buffer_of(out);
  cl_kernel kernel = kernel_of(add_source);
  cl_event events[3];
  add(queue, kernel, x, y, z, 256, 0, nullptr, &events[0]);
  add(queue, kernel, z, x, y, 256, 1, &events[0], &events[1]);
  add(queue, kernel, y, z, x, 256, 1, &events[1], &events[2]);
  check(clEnqueueReadBuffer(queue, x, CL_TRUE, 0, a.size(), a.data(), 1, &events[2], nullptr), "clEnqueueReadBuffer");
  save("out_of_order", "i32", 0, a.data(), a.size());
  clReleaseCommandQueue(queue);
}

// Work that waits for the host, and a callback.
void user_event() {
  cl_int error = 0;
  cl_event begin = clCreateUserEvent(m.context, &error);
  check(error, "clCreateUserEvent");
  auto a = values("i32", 64, 5), b = values("i32", 64, 6), out = values("i32", 64, 7);
  cl_mem x = buffer_of(a), y = buffer_of(b), z = buffer_of(out);
  cl_event done;
  add(m.queue, kernel_of(add_source), x, y, z, 64, 1, &begin, &done);
  check(clFlush(m.queue), "clFlush");
  check(clSetUserEventStatus(begin, CL_COMPLETE), "clSetUserEventStatus");
  check(clWaitForEvents(1, &done), "clWaitForEvents");
  check(clEnqueueReadBuffer(m.queue, z, CL_TRUE, 0, out.size(), out.data(), 0, nullptr, nullptr), "clEnqueueReadBuffer");
  save("user_event", "i32", 0, out.data(), out.size());
}

void sub_buffers() {
  auto a = values("i32", 4096, 5), b = values("i32", 4096, 6);
  cl_mem x = buffer_of(a), y = buffer_of(b);
  const cl_buffer_region part{4096, 4096}, other{8192, 4096};
  cl_int error = 0;
  cl_mem from = clCreateSubBuffer(x, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &part, &error);
  check(error, "clCreateSubBuffer");
  cl_mem to = clCreateSubBuffer(x, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &other, &error);
  check(error, "clCreateSubBuffer");
  add(m.queue, kernel_of(add_source), from, y, to, 1024);
  check(clEnqueueReadBuffer(m.queue, x, CL_TRUE, 0, a.size(), a.data(), 0, nullptr, nullptr), "clEnqueueReadBuffer");
  save("sub_buffers", "i32", 0, a.data(), a.size());
}

void copies_and_fills() {
  auto a = values("u8", 65536, 5), out = values("u8", 65536, 6);
  cl_mem x = buffer_of(a), y = buffer_of(out);
  const uint8_t pattern[4] = {1, 2, 3, 250};
  check(clEnqueueFillBuffer(m.queue, y, pattern, 4, 256, 1024, 0, nullptr, nullptr), "clEnqueueFillBuffer");
  check(clEnqueueCopyBuffer(m.queue, x, y, 100, 5000, 3333, 0, nullptr, nullptr), "clEnqueueCopyBuffer");
  const size_t from[3] = {3, 5, 0}, to[3] = {64, 40, 0}, region[3] = {50, 30, 1};
  check(clEnqueueCopyBufferRect(m.queue, x, y, from, to, region, 256, 0, 256, 0, 0, nullptr, nullptr), "clEnqueueCopyBufferRect");
  std::vector<uint8_t> part(1000);
  check(clEnqueueReadBuffer(m.queue, y, CL_TRUE, 4990, part.size(), part.data(), 0, nullptr, nullptr), "clEnqueueReadBuffer");
  std::reverse(part.begin(), part.end());
  check(clEnqueueWriteBuffer(m.queue, y, CL_TRUE, 60001, part.size(), part.data(), 0, nullptr, nullptr), "clEnqueueWriteBuffer");
  check(clEnqueueReadBuffer(m.queue, y, CL_TRUE, 0, out.size(), out.data(), 0, nullptr, nullptr), "clEnqueueReadBuffer");
  save("copies_and_fills", "u8", 0, out.data(), out.size());
}

void mapped() {
  auto a = values("i32", 1024, 5), b = values("i32", 1024, 6);
  cl_mem x = buffer_of(a), y = buffer_of(b);
  cl_int error = 0;
  auto* at = static_cast<int*>(
      clEnqueueMapBuffer(m.queue, x, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, a.size(), 0, nullptr, nullptr, &error));
  check(error, "clEnqueueMapBuffer");
  for (int i = 0; i < 1024; ++i) at[i] ^= i;
  check(clEnqueueUnmapMemObject(m.queue, x, at, 0, nullptr, nullptr), "clEnqueueUnmapMemObject");
  add(m.queue, kernel_of(add_source), x, x, y, 1024);
  check(clEnqueueReadBuffer(m.queue, y, CL_TRUE, 0, b.size(), b.data(), 0, nullptr, nullptr), "clEnqueueReadBuffer");
  save("mapped", "i32", 0, b.data(), b.size());
}

// A buffer over the program's own memory, which the GPU then writes.
void host_pointer() {
  auto a = values("i32", 4096, 5), b = values("i32", 4096, 6);
  auto* own = static_cast<uint8_t*>(std::aligned_alloc(4096, a.size()));
  std::memcpy(own, a.data(), a.size());
  cl_int error = 0;
  cl_mem x = clCreateBuffer(m.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, a.size(), own, &error);
  check(error, "clCreateBuffer over own memory");
  cl_mem y = buffer_of(b);
  add(m.queue, kernel_of(add_source), x, y, x, 4096);
  void* at = clEnqueueMapBuffer(m.queue, x, CL_TRUE, CL_MAP_READ, 0, a.size(), 0, nullptr, nullptr, &error);
  check(error, "clEnqueueMapBuffer");
  save("host_pointer", "i32", 0, at, a.size());
  check(clEnqueueUnmapMemObject(m.queue, x, at, 0, nullptr, nullptr), "clEnqueueUnmapMemObject");
  check(clFinish(m.queue), "clFinish");
  clReleaseMemObject(x);
  std::free(own);
}

void shared_virtual_memory() {
  constexpr size_t count = 1024;
  auto* at = static_cast<int*>(clSVMAlloc(m.context, CL_MEM_READ_WRITE, count * 4, 0));
  if (!at) die("clSVMAlloc", 0);
  check(clEnqueueSVMMap(m.queue, CL_TRUE, CL_MAP_WRITE, at, count * 4, 0, nullptr, nullptr), "clEnqueueSVMMap");
  for (size_t i = 0; i < count; ++i) at[i] = int(i * i);
  check(clEnqueueSVMUnmap(m.queue, at, 0, nullptr, nullptr), "clEnqueueSVMUnmap");
  cl_kernel kernel = kernel_of("kernel void k(global int* p) { int i = get_global_id(0); p[i] = p[i] * 3 + 1; }");
  check(clSetKernelArgSVMPointer(kernel, 0, at), "clSetKernelArgSVMPointer");
  check(clEnqueueNDRangeKernel(m.queue, kernel, 1, nullptr, &count, nullptr, 0, nullptr, nullptr), "clEnqueueNDRangeKernel");
  check(clEnqueueSVMMap(m.queue, CL_TRUE, CL_MAP_READ, at, count * 4, 0, nullptr, nullptr), "clEnqueueSVMMap");
  save("shared_virtual_memory", "i32", 0, at, count * 4);
  check(clEnqueueSVMUnmap(m.queue, at, 0, nullptr, nullptr), "clEnqueueSVMUnmap");
  check(clFinish(m.queue), "clFinish");
  clSVMFree(m.context, at);
}

void global_offset() {
  auto a = values("i32", 512, 5), b = values("i32", 512, 6), out = values("i32", 512, 7);
  cl_mem x = buffer_of(a), y = buffer_of(b), z = buffer_of(out);
  add(m.queue, kernel_of(add_source), x, y, z, 256, 0, nullptr, nullptr, 100);
  check(clEnqueueReadBuffer(m.queue, z, CL_TRUE, 0, out.size(), out.data(), 0, nullptr, nullptr), "clEnqueueReadBuffer");
  save("global_offset", "i32", 0, out.data(), out.size());
}

void many_small_kernels() {
  auto a = values("i32", 64, 5), b = values("i32", 64, 6), out = values("i32", 64, 7);
  cl_mem x = buffer_of(a), y = buffer_of(b), z = buffer_of(out);
  cl_kernel kernel = kernel_of(add_source);
  for (int i = 0; i < 100; ++i) {
    add(m.queue, kernel, x, y, z, 64);
    std::swap(x, z);
  }
  check(clEnqueueReadBuffer(m.queue, x, CL_TRUE, 0, out.size(), out.data(), 0, nullptr, nullptr), "clEnqueueReadBuffer");
  save("many_small_kernels", "i32", 0, out.data(), out.size());
}

cl_mem image_of(cl_channel_order order, cl_channel_type type, size_t width, size_t height, void* data) {
  const cl_image_format format{order, type};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = width, desc.image_height = height;
  cl_int error = 0;
  cl_mem image = clCreateImage(m.context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0), &format, &desc, data, &error);
  check(error, "clCreateImage");
  return image;
}

void image_case(const char* name, const char* source, cl_channel_order order, cl_channel_type type, size_t pixel_bytes,
                const char* saved, unsigned ulps) {
  constexpr size_t width = 40, height = 24;
  auto a = values(type == CL_FLOAT ? "f32" : "u8", width * height * pixel_bytes / (type == CL_FLOAT ? 4 : 1), 9);
  std::vector<uint8_t> out(width * height * pixel_bytes);
  cl_mem from = image_of(order, type, width, height, a.data()), to = image_of(order, type, width, height, nullptr);
  cl_kernel kernel = kernel_of(source);
  set_argument(kernel, 0, from), set_argument(kernel, 1, to);
  const size_t global[2] = {width, height}, origin[3] = {0, 0, 0}, region[3] = {width, height, 1};
  check(clEnqueueNDRangeKernel(m.queue, kernel, 2, nullptr, global, nullptr, 0, nullptr, nullptr), "clEnqueueNDRangeKernel");
  check(clEnqueueReadImage(m.queue, to, CL_TRUE, origin, region, 0, 0, out.data(), 0, nullptr, nullptr), "clEnqueueReadImage");
  save(name, saved, ulps, out.data(), out.size());
}

void image_fetch() {
  image_case("image_fetch", R"(
kernel void k(read_only image2d_t a, write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imageui(out, p, read_imageui(a, (int2)(39 - p.x, p.y)).yxwz + 1);
})",
             CL_RGBA, CL_UNSIGNED_INT8, 4, "u8", 0);
}
void image_nearest() {
  image_case("image_nearest", R"(
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void k(read_only image2d_t a, write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, p, read_imagef(a, s, (float2)(p.x * 1.5f - 5.3f, p.y * 0.7f + 10.2f)));
})",
             CL_RGBA, CL_FLOAT, 16, "f32", 0);
}
void image_linear() {
  image_case("image_linear", R"(
constant sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
kernel void k(read_only image2d_t a, write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float4 v = read_imagef(a, s, (float2)((p.x * 4 + 2) / 128.f, (p.y * 4 + 2) / 64.f));
  write_imagef(out, p, round(v * 15) / 15);
})",
             CL_RGBA, CL_UNORM_INT8, 4, "u8", 17);
}

// The output of kernels; each line once, in any order.
void prints() {
  cl_kernel kernel = kernel_of(
      R"(kernel void k(int n) { printf("item %d of %d: %.3f %s\n", (int)get_global_id(0), n, get_global_id(0) / 8.f, "text"); })");
  set_argument(kernel, 0, cl_int(8));
  const size_t count = 8;
  std::fflush(stdout);
  std::FILE* file = std::tmpfile();
  const int before = dup(1);
  dup2(fileno(file), 1);
  check(clEnqueueNDRangeKernel(m.queue, kernel, 1, nullptr, &count, nullptr, 0, nullptr, nullptr), "clEnqueueNDRangeKernel");
  check(clFinish(m.queue), "clFinish");
  clReleaseKernel(kernel);
  std::fflush(stdout);
  dup2(before, 1);
  close(before);
  if (std::fseek(file, 0, SEEK_SET)) die("fseek", 0);
  std::vector<std::string> lines;
  for (char line[256]; std::fgets(line, sizeof line, file);) lines.emplace_back(line);
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (auto& line : lines) text += line;
  save("prints", "u8", 0, text.data(), text.size());
}

struct HostCase {
  std::string_view name;
  void (*run)();
};
constexpr HostCase host_cases[] = {
    {"out_of_order", out_of_order},
    {"user_event", user_event},
    {"sub_buffers", sub_buffers},
    {"copies_and_fills", copies_and_fills},
    {"mapped", mapped},
    {"host_pointer", host_pointer},
    {"shared_virtual_memory", shared_virtual_memory},
    {"global_offset", global_offset},
    {"many_small_kernels", many_small_kernels},
    {"image_fetch", image_fetch},
    {"image_nearest", image_nearest},
    {"image_linear", image_linear},
    {"prints", prints},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "opencl_programs PLATFORM FOLDER [CASE...|-CASE...]\n"), 2;
  folder = argv[2];
  if (!open(argv[1])) return std::fprintf(stderr, "opencl_programs: no platform '%s'\n", argv[1]), 77;
  for (auto& c : opencl_cases)
    if (is_wanted(c.name, argc, argv, 3)) run(c);
  for (auto& c : host_cases)
    if (is_wanted(c.name, argc, argv, 3)) c.run();
  check(clFinish(m.queue), "clFinish");
}
