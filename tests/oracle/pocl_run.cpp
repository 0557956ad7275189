// The kernel oracle: runs one OpenCL C kernel through the system's OpenCL (PoCL on the CPU) with the same argument
// forms as `atoll launch`, so that one manifest drives both. Source: OpenCL 3.0 API specification, chapters 4 and 5.
//
//   pocl_run SOURCE.cl [--build OPTIONS] [--threads N] [--stats] [--repeat N] --kernel NAME --grid X[,Y[,Z]] --group X[,Y[,Z]]
//   ARG... pocl_run SOURCE.cl [--build OPTIONS] --batch FILE     one launch a line, its words separated by tabs
//
// A batch reads on after a launch that failed, prints `! LINE: reason` to standard error and ends with status 1.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Bytes = std::vector<unsigned char>;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Failures inside this one program are thrown and caught in main; `call` is a fault of the command line (exit 2).
struct Failure {
  std::string text;
  bool call = false;
};

void check(cl_int status, std::string_view what) {
  if (status != CL_SUCCESS) throw Failure{fmt::format("{}: OpenCL error {}", what, status)};
}

Bytes read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Failure{fmt::format("cannot read {}", path)};
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const Bytes& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw Failure{fmt::format("cannot write {}", path)};
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t start = 0;;) {
    size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

// One number in the named type's bytes (i8 u8 ... f64; f16 rounds to nearest even).
Bytes scalar(std::string_view type, const std::string& text) {
  Bytes bytes(static_cast<size_t>(std::stoi(std::string(type.substr(1)))) / 8);
  if (type[0] != 'f') {
    uint64_t value = text[0] == '-' ? static_cast<uint64_t>(std::stoll(text, nullptr, 0)) : std::stoull(text, nullptr, 0);
    std::memcpy(bytes.data(), &value, bytes.size());
  } else if (type == "f64") {
    double value = std::stod(text);
    std::memcpy(bytes.data(), &value, 8);
  } else if (type == "f32") {
    float value = std::stof(text);
    std::memcpy(bytes.data(), &value, 4);
  } else {
    auto value = static_cast<_Float16>(std::stod(text));
    std::memcpy(bytes.data(), &value, 2);
  }
  return bytes;
}

struct Dimensions {
  size_t size[3] = {1, 1, 1};
  cl_uint count = 0;
};

Dimensions dimensions(const std::string& text) {
  Dimensions result;
  for (const auto& part : split(text, ',')) {
    if (result.count == 3) throw Failure{fmt::format("{}: at most three sizes", text), true};
    result.size[result.count++] = std::stoull(part, nullptr, 0);
  }
  return result;
}

struct Launch {
  std::string kernel;
  Dimensions grid, group;
  int repeat = 1;
  bool stats = false;
  std::vector<std::string> arguments;
};

struct Output {
  cl_mem buffer;
  std::string path;
  size_t bytes;
};

// Other platforms may be installed beside it, and have no devices.
cl_platform_id pocl() {
  cl_platform_id all[16];
  cl_uint count = 0;
  check(clGetPlatformIDs(std::size(all), all, &count), "clGetPlatformIDs (install pocl-opencl-icd)");
  for (cl_uint n = 0; n < std::min<cl_uint>(count, std::size(all)); n++) {
    char name[256] = {};
    check(clGetPlatformInfo(all[n], CL_PLATFORM_NAME, sizeof name - 1, name, nullptr), "clGetPlatformInfo");
    if (std::strstr(name, "Portable Computing Language")) return all[n];
  }
  check(-1001, "no platform of PoCL (install pocl-opencl-icd)");
  return nullptr;
}

class Runner {
public:
  explicit Runner(const std::string& source, const std::string& options) {
    cl_platform_id platform = pocl();
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), "clGetDeviceIDs");
    cl_int status;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, 0, &status);
    check(status, "clCreateCommandQueue");
    Bytes text = read_file(source);
    auto start = Clock::now();
    const char* pointer = reinterpret_cast<const char*>(text.data());
    size_t size = text.size();
    program_ = clCreateProgramWithSource(context_, 1, &pointer, &size, &status);
    check(status, "clCreateProgramWithSource");
    status = clBuildProgram(program_, 1, &device_, options.c_str(), nullptr, nullptr);
    if (status != CL_SUCCESS) {
      size_t length = 0;
      clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &length);
      std::string log(length, '\0');
      clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, length, log.data(), nullptr);
      throw Failure{fmt::format("{} does not build:\n{}", source, log)};
    }
    build_seconds_ = seconds_since(start);
  }

  void run(const Launch& launch) {
    cl_int status;
    auto start = Clock::now();
    cl_kernel kernel = clCreateKernel(program_, launch.kernel.c_str(), &status);
    check(status, launch.kernel);
    double create_seconds = seconds_since(start);
    cl_uint wanted = 0;
    check(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof wanted, &wanted, nullptr), "clGetKernelInfo");
    if (wanted != launch.arguments.size())
      throw Failure{fmt::format("{}: takes {} arguments, {} given", launch.kernel, wanted, launch.arguments.size())};
    std::vector<Output> outputs;
    std::vector<cl_mem> buffers;
    for (cl_uint index = 0; index < wanted; ++index) argument(kernel, index, launch.arguments[index], outputs, buffers);
    std::vector<double> times;
    for (int round = 0; round < launch.repeat; ++round) {
      start = Clock::now();
      check(clEnqueueNDRangeKernel(queue_, kernel, launch.grid.count, nullptr, launch.grid.size, launch.group.size, 0, nullptr,
                                   nullptr),
            launch.kernel + ": clEnqueueNDRangeKernel");
      check(clFinish(queue_), launch.kernel + ": clFinish");
      times.push_back(seconds_since(start));
    }
    for (const auto& output : outputs) {
      Bytes bytes(output.bytes);
      check(clEnqueueReadBuffer(queue_, output.buffer, CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
            "clEnqueueReadBuffer");
      write_file(output.path, bytes);
    }
    for (cl_mem buffer : buffers) clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    if (launch.stats) {
      std::string list;
      for (double time : times) list += fmt::format("{}{:.9f}", list.empty() ? "" : ",", time);
      fmt::print("{{\"engine\":\"pocl\",\"build_seconds\":{:.9f},\"create_seconds\":{:.9f},\"run_seconds_each\":[{}]}}\n",
                 build_seconds_, create_seconds, list);
    }
    std::fflush(stdout);
  }

private:
  void argument(cl_kernel kernel, cl_uint index, const std::string& text, std::vector<Output>& outputs,
                std::vector<cl_mem>& buffers) {
    auto set = [&](size_t size, const void* value) { check(clSetKernelArg(kernel, index, size, value), "argument " + text); };
    if (text == "null") return set(sizeof(cl_mem), nullptr);
    size_t equals = text.find('=');
    if (equals == std::string::npos) throw Failure{fmt::format("{}: unknown argument form", text), true};
    std::string form = text.substr(0, equals), value = text.substr(equals + 1);
    if (form == "local") return set(std::stoull(value, nullptr, 0), nullptr);
    if (form == "struct") {
      Bytes bytes = read_file(value);
      return set(bytes.size(), bytes.data());
    }
    if (form == "image") {  // FILE:rgba-unorm8|rgba-float:WxH
      const auto parts = split(value, ':');
      const auto size = parts.size() == 3 ? split(parts[2], 'x') : std::vector<std::string>{};
      if (size.size() != 2 || (parts[1] != "rgba-unorm8" && parts[1] != "rgba-float"))
        throw Failure{fmt::format("{}: wants FILE:rgba-unorm8:WxH or FILE:rgba-float:WxH", text), true};
      const bool floats = parts[1] == "rgba-float";
      const cl_image_format format{CL_RGBA, cl_channel_type(floats ? CL_FLOAT : CL_UNORM_INT8)};
      cl_image_desc description{};
      description.image_type = CL_MEM_OBJECT_IMAGE2D;
      description.image_width = std::stoull(size[0]), description.image_height = std::stoull(size[1]);
      Bytes bytes = read_file(parts[0]);
      if (bytes.size() != description.image_width * description.image_height * (floats ? 16 : 4))
        throw Failure{fmt::format("{}: the file has {} bytes", text, bytes.size())};
      cl_int status;
      cl_mem image =
          clCreateImage(context_, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &description, bytes.data(), &status);
      check(status, "clCreateImage");
      buffers.push_back(image);
      return set(sizeof(cl_mem), static_cast<const void*>(&image));
    }
    if (form == "in" || form == "out" || form == "inout") {
      Bytes bytes;
      std::string path = value;
      size_t colon = value.rfind(':');
      if (form == "out") {
        if (colon == std::string::npos) throw Failure{fmt::format("{}: wants FILE:BYTES", text), true};
        path = value.substr(0, colon);
        bytes.resize(std::stoull(value.substr(colon + 1), nullptr, 0));
      } else if (form == "inout" && colon != std::string::npos) {
        path = value.substr(colon + 1);
        bytes = read_file(value.substr(0, colon));
      } else {
        bytes = read_file(value);
      }
      cl_int status;
      cl_mem buffer = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes.size(), bytes.data(), &status);
      check(status, "clCreateBuffer");
      buffers.push_back(buffer);
      if (form != "in") outputs.push_back({buffer, path, bytes.size()});
      return set(sizeof(cl_mem), static_cast<const void*>(&buffer));
    }
    // A scalar, or a vector such as f32x4=1,2,3,4; x3 takes the room of x4.
    size_t times = form.find('x');
    std::string type = form.substr(0, times);
    static constexpr std::string_view types[] = {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64"};
    bool known = false;
    for (auto name : types) known = known || name == type;
    if (!known) throw Failure{fmt::format("{}: unknown argument form", text), true};
    Bytes bytes;
    auto parts = split(value, ',');
    size_t count = times == std::string::npos ? 1 : std::stoull(form.substr(times + 1));
    if (count == 3) {
      count = 4;
      if (parts.size() == 3) parts.emplace_back("0");
    }
    if (parts.size() != count) throw Failure{fmt::format("{}: {} elements wanted", text, count), true};
    for (const auto& part : parts) {
      Bytes one = scalar(type, part);
      bytes.insert(bytes.end(), one.begin(), one.end());
    }
    set(bytes.size(), bytes.data());
  }

  cl_device_id device_{};
  cl_context context_{};
  cl_command_queue queue_{};
  cl_program program_{};
  double build_seconds_ = 0;
};

struct Command {
  std::string source, build, batch, threads;
  Launch launch;
};

Command parse(const std::vector<std::string>& words) {
  Command command;
  for (size_t index = 0; index < words.size(); ++index) {
    const auto& word = words[index];
    auto next = [&]() -> const std::string& {
      if (index + 1 == words.size()) throw Failure{word + ": wants a value", true};
      return words[++index];
    };
    if (word == "--build")
      command.build = next();
    else if (word == "--batch")
      command.batch = next();
    else if (word == "--threads")
      command.threads = next();
    else if (word == "--kernel")
      command.launch.kernel = next();
    else if (word == "--grid")
      command.launch.grid = dimensions(next());
    else if (word == "--group")
      command.launch.group = dimensions(next());
    else if (word == "--repeat")
      command.launch.repeat = std::stoi(next());
    else if (word == "--stats")
      command.launch.stats = true;
    else if (word.starts_with("--"))
      throw Failure{word + ": unknown option", true};
    else if (word.find('=') == std::string::npos && word != "null")
      command.source = word;
    else
      command.launch.arguments.push_back(word);
  }
  return command;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Command command = parse({argv + 1, argv + argc});
    if (command.source.empty()) throw Failure{"no source file given", true};
    if (!command.threads.empty()) setenv("POCL_MAX_PTHREAD_COUNT", command.threads.c_str(), 1);
    Runner runner(command.source, command.build);
    if (command.batch.empty()) {
      runner.run(command.launch);
      return 0;
    }
    Bytes text = read_file(command.batch);
    int status = 0;
    for (const auto& line : split({reinterpret_cast<const char*>(text.data()), text.size()}, '\n')) {
      if (line.empty()) continue;
      try {
        runner.run(parse(split(line, '\t')).launch);
      } catch (const Failure& failure) {
        fmt::print(stderr, "! {}: {}\n", line, failure.text);
        status = 1;
      }
    }
    return status;
  } catch (const Failure& failure) {
    fmt::print(stderr, "pocl_run: {}\n", failure.text);
    return failure.call ? 2 : 1;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "pocl_run: a number does not parse: {}\n", failure.what());
    return 2;
  }
}
