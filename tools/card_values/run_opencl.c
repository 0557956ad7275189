/* Runs what `card_values prepare` made on the first GPU of the machine's OpenCL:
     run_opencl DIR     reads DIR/kernel.co (or compiles DIR/kernel.cl) and DIR/rows.bin, writes DIR/results.bin */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void end(const char* what, int code) {
  fprintf(stderr, "run_opencl: %s (%d)\n", what, code);
  exit(1);
}
static void* read_file(const char* folder, const char* name, size_t* bytes) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char* data = size >= 0 ? malloc((size_t)size + 1) : NULL;
  if (!data || fread(data, 1, (size_t)size, file) != (size_t)size) end("a file cannot be read", 0);
  data[size] = 0;
  fclose(file);
  *bytes = (size_t)size;
  return data;
}
static cl_device_id first_gpu(void) {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) || !count) end("no OpenCL platform: install the card's OpenCL", 0);
  for (cl_uint n = 0; n < count && n < 16; n++) {
    cl_device_id device;
    if (!clGetDeviceIDs(platforms[n], CL_DEVICE_TYPE_GPU, 1, &device, NULL)) return device;
  }
  end("no GPU: install the card's OpenCL", 0);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 2) end("call: run_opencl DIR", 2);
  size_t row_bytes, code_bytes, first_data;
  const unsigned* rows = read_file(argv[1], "rows.bin", &row_bytes);
  if (!rows) end("DIR/rows.bin is missing: card_values prepare writes it", 0);
  first_data = rows[4];                            /* where the first row's registers stand: behind all headers of 8 dwords */
  const size_t count = first_data / 8, result_bytes = count * 8 * 64 * 4;
  cl_device_id device = first_gpu();
  char name[256] = "";
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
  cl_int error;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  if (error) end("no context", error);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  if (error) end("no queue", error);
  const unsigned char* code = read_file(argv[1], "kernel.co", &code_bytes);
  cl_program program;
  if (code) {
    program = clCreateProgramWithBinary(context, 1, &device, &code_bytes, &code, NULL, &error);
  } else {
    const char* source = read_file(argv[1], "kernel.cl", &code_bytes);
    if (!source) end("neither DIR/kernel.co nor DIR/kernel.cl is there", 0);
    program = clCreateProgramWithSource(context, 1, &source, &code_bytes, &error);
  }
  if (error) end("the program is refused", error);
  if ((error = clBuildProgram(program, 1, &device, "", NULL, NULL))) {
    char log[65536] = "";
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    fprintf(stderr, "%s\n", log);
    end("the program does not build", error);
  }
  cl_kernel kernel = clCreateKernel(program, "card_values", &error);
  if (error) end("the program has no kernel card_values", error);
  cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, row_bytes, (void*)rows, &error);
  if (error) end("no buffer", error);
  cl_mem out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, result_bytes, NULL, &error);
  if (error) end("no buffer", error);
  size_t wanted[3] = {0, 0, 0};
  clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof wanted, wanted, NULL);
  const size_t group = wanted[0] ? wanted[0] : 64, grid = count * group;
  if (clSetKernelArg(kernel, 0, sizeof in, &in) || clSetKernelArg(kernel, 1, sizeof out, &out)) end("the kernel takes other arguments", 0);
  if ((error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &grid, &group, 0, NULL, NULL))) end("the kernel does not start", error);
  void* results = malloc(result_bytes);
  if (!results || (error = clEnqueueReadBuffer(queue, out, CL_TRUE, 0, result_bytes, results, 0, NULL, NULL)))
    end("the kernel did not end well", error);
  char path[4096];
  snprintf(path, sizeof path, "%s/results.bin", argv[1]);
  FILE* file = fopen(path, "wb");
  if (!file || fwrite(results, 1, result_bytes, file) != result_bytes || fclose(file)) end("DIR/results.bin cannot be written", 0);
  printf("%zu rows on %s\n", count, name);
  return 0;
}
