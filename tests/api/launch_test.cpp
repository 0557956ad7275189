// The C library: devices, memory, objects and launches as a program uses them.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "gpu.h"

extern "C" const char* c99_uses_the_library(void);
const char* cpp98_uses_the_library();

namespace Atoll::api_tests {
namespace {

TEST(CLibrary, TheHeaderIsUsableFromStrictC99AndCpp98) {
  EXPECT_STREQ(c99_uses_the_library(), "gfx1201");
  EXPECT_STREQ(cpp98_uses_the_library(), "ATOLL_ERROR_FAULT");
}

TEST(CLibrary, NamesTheGpusThatItOpens) {
  unsigned count = 0;
  for (; const char* name = atoll_gpu_name(count); count++) {
    Gpu gpu(ATOLL_ENGINE_INTERPRETER, name);
    EXPECT_STREQ(atoll_device_gpu(gpu.device), name);
  }
  EXPECT_EQ(count, 7u);  // gfx1200, gfx1201, four of Sea Islands, dg1
}

TEST(CLibrary, AddsVectorsOnAllEngines) {
  for (uint32_t engine : {ATOLL_ENGINE_AUTO, ATOLL_ENGINE_INTERPRETER, ATOLL_ENGINE_JIT}) {
    Gpu gpu(engine);
    const uint32_t count = 1000;
    atoll_memory *a = gpu.map(count * 4), *b = gpu.map(count * 4, 0x7000000), *sum = gpu.map(count * 4);
    EXPECT_EQ(atoll_memory_address(b), 0x7000000u);
    EXPECT_EQ(atoll_memory_address(a) % 4, 0u);
    std::vector<float> ones(count, 1), out(count);
    for (uint32_t n = 0; n < count; n++) static_cast<float*>(atoll_memory_pointer(a))[n] = float(n);
    ASSERT_EQ(atoll_write(gpu.device, 0x7000000, ones.data(), count * 4), ATOLL_OK);
    auto result = new_result();
    std::vector arguments{buffer(a), buffer(b), buffer(sum), value(count)};
    auto launch = launch_of(arguments, 1024, 64);
    ASSERT_EQ(atoll_launch(gpu.kernel("vector_add"), &launch, &result), ATOLL_OK) << atoll_error_message();
    ASSERT_EQ(atoll_read(gpu.device, atoll_memory_address(sum), out.data(), count * 4), ATOLL_OK);
    for (uint32_t n = 0; n < count; n++) ASSERT_EQ(out[n], float(n + 1)) << n;
    EXPECT_EQ(result.waves, 32u);
    EXPECT_EQ(result.instructions, result.compiled + result.called + result.interpreted);
    EXPECT_GT(result.instructions, 32u * 10);
    EXPECT_EQ(result.faulted, 0u);
    EXPECT_STREQ(result.printed, "");
  }
}

// Each of them has memory of its own, with a guard, and works.
TEST(CLibrary, AThousandDevicesOfAProcess) {
  rlimit files{};  // each has a descriptor
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, 4096);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
  std::vector<std::unique_ptr<Gpu>> all;
  for (unsigned n = 0; n < 1000; n++) {
    auto& gpu = *all.emplace_back(std::make_unique<Gpu>(ATOLL_ENGINE_INTERPRETER));
    ASSERT_NE(gpu.device, nullptr) << n;
    const uint32_t count = 64;
    atoll_memory *a = gpu.map(count * 4), *b = gpu.map(count * 4), *sum = gpu.map(count * 4);
    for (uint32_t k = 0; k < count; k++) {
      static_cast<float*>(atoll_memory_pointer(a))[k] = float(n);
      static_cast<float*>(atoll_memory_pointer(b))[k] = float(k);
    }
    if (n % 111) continue;
    auto result = new_result();
    std::vector arguments{buffer(a), buffer(b), buffer(sum), value(count)};
    auto launch = launch_of(arguments, count, count);
    ASSERT_EQ(atoll_launch(gpu.kernel("vector_add"), &launch, &result), ATOLL_OK) << atoll_error_message();
    for (uint32_t k = 0; k < count; k++) ASSERT_EQ(static_cast<float*>(atoll_memory_pointer(sum))[k], float(n + k)) << n;
    std::vector beside{buffer(a), buffer(b), buffer(atoll_memory_address(sum) + count * 4), value(count)};
    launch = launch_of(beside, count, count);
    result = new_result();
    ASSERT_EQ(atoll_launch(gpu.kernel("vector_add"), &launch, &result), ATOLL_ERROR_FAULT);
    EXPECT_EQ(result.fault.address, atoll_memory_address(sum) + count * 4);
  }
}

TEST(CLibrary, DescribesKernels) {
  Gpu gpu;
  const atoll_kernel* kernel = gpu.kernel("vector_add");
  atoll_kernel_info info{};
  info.size = sizeof info;
  ASSERT_EQ(atoll_kernel_describe(kernel, &info), ATOLL_OK);
  EXPECT_STREQ(info.name, "vector_add");
  EXPECT_EQ(info.parameter_count, 4u);
  EXPECT_EQ(info.wave_lanes, 32u);
  atoll_parameter_info parameter{};
  parameter.size = sizeof parameter;
  ASSERT_EQ(atoll_kernel_parameter(kernel, 2, &parameter), ATOLL_OK);
  EXPECT_EQ(parameter.kind, uint32_t(ATOLL_PARAMETER_BUFFER));
  EXPECT_EQ(parameter.offset, 16u);
  ASSERT_EQ(atoll_kernel_parameter(kernel, 3, &parameter), ATOLL_OK);
  EXPECT_EQ(parameter.kind, uint32_t(ATOLL_PARAMETER_VALUE));
  EXPECT_EQ(parameter.bytes, 4u);
  EXPECT_EQ(atoll_kernel_parameter(kernel, 4, &parameter), ATOLL_ERROR_NOT_FOUND);
}

TEST(CLibrary, AFaultIsAnErrorWithItsPlace) {
  for (uint32_t engine : {ATOLL_ENGINE_INTERPRETER, ATOLL_ENGINE_JIT}) {
    Gpu gpu(engine);
    const atoll_kernel* fill = gpu.kernel("fill");
    atoll_memory* memory = gpu.map(4096);
    uint32_t count = 1024 + 3;
    std::vector arguments{buffer(memory), value(count)};
    auto launch = launch_of(arguments, 64, 64);
    auto result = new_result();
    ASSERT_EQ(atoll_launch(fill, &launch, &result), ATOLL_ERROR_FAULT);
    const std::string text = atoll_error_message();
    EXPECT_EQ(result.faulted, 1u);
    EXPECT_EQ(result.fault.kind, uint32_t(ATOLL_FAULT_STORE));
    EXPECT_EQ(result.fault.address, atoll_memory_address(memory) + 4096);
    EXPECT_EQ(result.fault.bytes, 4u);
    EXPECT_EQ(result.fault.lane, 0);
    EXPECT_EQ(result.fault.group[0], 0u);
    EXPECT_EQ(std::string(result.fault.instruction).substr(0, 16), "global_store_b32");
    EXPECT_EQ(text.substr(0, 32), "fill: fault: store of 4 bytes at");
    EXPECT_EQ(result.waves | result.instructions | result.compiled | result.called | result.interpreted, 0u);
    count = 1024;
    ASSERT_EQ(atoll_launch(fill, &launch, &result), ATOLL_OK) << atoll_error_message();
    EXPECT_EQ(static_cast<uint32_t*>(atoll_memory_pointer(memory))[1023], 1023u);
    EXPECT_STREQ(atoll_error_message(), text.c_str());  // that of the last call that failed
  }
}

// s_branch to itself.
constexpr uint32_t endless[] = {0xbfa0ffff};

atoll_words_options words_of(const uint32_t* words, uint64_t bytes) {
  atoll_words_options options{};
  options.size = sizeof options;
  options.words = words, options.word_bytes = bytes;
  for (int n = 0; n < 3; n++) options.grid[n] = options.group[n] = 1;
  options.grid[0] = options.group[0] = 32;
  return options;
}

TEST(CLibrary, AnEndlessKernelEndsWithItsTime) {
  for (uint32_t engine : {ATOLL_ENGINE_AUTO, ATOLL_ENGINE_INTERPRETER, ATOLL_ENGINE_JIT}) {
    Gpu gpu(engine);
    auto options = words_of(endless, sizeof endless);
    options.timeout_seconds = 0.05;
    EXPECT_EQ(atoll_launch_words(gpu.device, &options, nullptr), ATOLL_ERROR_TIMEOUT) << atoll_error_message();
  }
}

TEST(CLibrary, AnotherThreadStopsALaunch) {
  Gpu gpu;
  std::atomic<bool> ended{false};
  std::thread stopper([&] {
    while (!ended) {
      atoll_device_stop(gpu.device);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  auto options = words_of(endless, sizeof endless);
  const atoll_status status = atoll_launch_words(gpu.device, &options, nullptr);
  ended = true;
  stopper.join();
  EXPECT_EQ(status, ATOLL_ERROR_STOPPED);
  atoll_device_stop(gpu.device);  // nothing runs: the next launch is not ended by it
  constexpr uint32_t end[] = {0xbfb00000};
  auto good = words_of(end, sizeof end);
  EXPECT_EQ(atoll_launch_words(gpu.device, &good, nullptr), ATOLL_OK) << atoll_error_message();
}

TEST(CLibrary, TwoThreadsWithADeviceEach) {
  auto work = [](uint32_t seed, std::atomic<int>* wrong) {
    Gpu gpu;
    const atoll_kernel* fill = gpu.kernel("fill");
    for (uint32_t round = 0; round < 20; round++) {
      atoll_memory* memory = gpu.map(4096);
      const uint32_t count = 100 + seed + round;
      std::vector arguments{buffer(memory), value(count)};
      auto launch = launch_of(arguments, 64, 64);
      if (atoll_launch(fill, &launch, nullptr) != ATOLL_OK) ++*wrong;
      const auto* words = static_cast<const uint32_t*>(atoll_memory_pointer(memory));
      for (uint32_t n = 0; n < 1024; n++) *wrong += words[n] != (n < count ? n : 0);
      // Each has its own last message.
      if (atoll_memory_map(gpu.device, 4096, 0x1000 * (seed + 1) + 1, &memory) != ATOLL_ERROR_ARGUMENT) ++*wrong;
      if (std::string(atoll_error_message()).find(seed ? "0x2001" : "0x1001") == std::string::npos) ++*wrong;
    }
  };
  std::atomic<int> wrong{0};
  std::thread a(work, 0, &wrong), b(work, 1, &wrong);
  a.join(), b.join();
  EXPECT_EQ(wrong, 0);
}

TEST(CLibrary, TwoThreadsWithOneDevice) {
  Gpu gpu;
  const atoll_kernel* fill = gpu.kernel("fill");
  std::atomic<int> wrong{0};
  auto work = [&](uint32_t count) {
    for (int round = 0; round < 20; round++) {
      atoll_memory* memory = gpu.map(4096);
      std::vector arguments{buffer(memory), value(count)};
      auto launch = launch_of(arguments, 64, 64);
      if (atoll_launch(fill, &launch, nullptr) != ATOLL_OK) ++wrong;
      const auto* words = static_cast<const uint32_t*>(atoll_memory_pointer(memory));
      for (uint32_t n = 0; n < 1024; n++) wrong += words[n] != (n < count ? n : 0);
      atoll_memory_unmap(memory);
    }
  };
  std::thread a(work, 100u), b(work, 1000u);
  a.join(), b.join();
  EXPECT_EQ(wrong, 0);
}

// Launches and loads give their part of the address space back.
TEST(CLibrary, ManyLaunchesLeaveNothingBehind) {
  Gpu gpu(ATOLL_ENGINE_INTERPRETER);
  auto bytes = example_object();
  uint64_t first = 0, second = 0;
  for (int round = 0; round < 300; round++) {
    atoll_object* object = nullptr;
    const atoll_kernel* fill = nullptr;
    ASSERT_EQ(atoll_object_load(gpu.device, bytes.data(), bytes.size(), nullptr, &object), ATOLL_OK);
    ASSERT_EQ(atoll_object_find(object, "fill", &fill), ATOLL_OK);
    atoll_memory* memory = gpu.map(4096);
    if (!round) first = atoll_memory_address(memory);
    EXPECT_EQ(atoll_memory_address(memory), first);
    const uint32_t count = 10;
    std::vector arguments{buffer(memory), value(count)};
    auto launch = launch_of(arguments, 64, 64);
    ASSERT_EQ(atoll_launch(fill, &launch, nullptr), ATOLL_OK) << atoll_error_message();
    atoll_memory* behind = gpu.map(4096);
    if (!round) second = atoll_memory_address(behind);
    ASSERT_EQ(atoll_memory_address(behind), second);
    atoll_memory_unmap(behind);
    atoll_memory_unmap(memory);
    atoll_object_unload(object);
  }
}

}  // namespace
}  // namespace Atoll::api_tests
