// Calls that are wrong, and objects that are: values, and the process goes on.
#include <limits>

#include "gpu.h"

namespace Atoll::api_tests {
namespace {

TEST(CLibraryErrors, NullPointersAreErrors) {
  Gpu gpu;
  atoll_memory* memory = nullptr;
  atoll_object* object = nullptr;
  const atoll_kernel* kernel = nullptr;
  auto good_kernel = gpu.kernel("fill");
  uint64_t address = 0;
  const uint32_t word = 0;
  auto launch = launch_of({}, 1, 1);
  atoll_device* device = gpu.device;
  EXPECT_EQ(atoll_device_open(nullptr, nullptr, &device), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(device, nullptr);
  EXPECT_EQ(atoll_device_open("gfx1201", nullptr, nullptr), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_memory_map(nullptr, 1, 0, &memory), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_memory_map(gpu.device, 1, 0, nullptr), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_read(nullptr, 0, &address, 8), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_read(gpu.device, 0, nullptr, 8), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_write(nullptr, 0, &address, 8), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_write(gpu.device, 0, nullptr, 8), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_object_load(nullptr, &word, 4, nullptr, &object), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_object_load(gpu.device, nullptr, 4, nullptr, &object), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_object_load(gpu.device, &word, 4, nullptr, nullptr), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_object_find(nullptr, "fill", &kernel), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_object_symbol(nullptr, "fill", &address), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_object_kernel(nullptr, 0), nullptr);
  EXPECT_EQ(atoll_kernel_describe(nullptr, nullptr), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_kernel_describe(good_kernel, nullptr), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_kernel_parameter(good_kernel, 0, nullptr), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_launch(nullptr, &launch, nullptr), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_launch(good_kernel, nullptr, nullptr), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_launch_words(gpu.device, nullptr, nullptr), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_launch_words(nullptr, nullptr, nullptr), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_run_asm(nullptr, nullptr), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(run_asm(nullptr, 4, 1, 1, 1, 1, 1, 1, nullptr), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_memory_pointer(nullptr), nullptr);
  EXPECT_EQ(atoll_memory_address(nullptr), 0u);
  EXPECT_EQ(atoll_memory_bytes(nullptr), 0u);
  EXPECT_EQ(atoll_device_gpu(nullptr), nullptr);
  EXPECT_EQ(atoll_device_address_limit(nullptr), 0u);
  atoll_device_close(nullptr), atoll_device_stop(nullptr), atoll_memory_unmap(nullptr), atoll_object_unload(nullptr);
  EXPECT_STREQ(atoll_status_name(99), "unknown");
}

TEST(CLibraryErrors, SizesOfStructsAreLookedAt) {
  atoll_device* device = nullptr;
  atoll_device_options options{};
  EXPECT_EQ(atoll_device_open("gfx1201", &options, &device), ATOLL_ERROR_ARGUMENT);  // 0: forgotten
  EXPECT_NE(std::string(atoll_error_message()).find("sizeof(atoll_device_options)"), std::string::npos);
  options.size = 0x7fffffff;
  EXPECT_EQ(atoll_device_open("gfx1201", &options, &device), ATOLL_ERROR_ARGUMENT);
  // A program that was built with a later header: good as long as it asks for nothing that is not there.
  struct {
    atoll_device_options known{};
    uint32_t later = 0;
  } longer;
  longer.known.size = sizeof longer;
  ASSERT_EQ(atoll_device_open("gfx1201", &longer.known, &device), ATOLL_OK) << atoll_error_message();
  atoll_device_close(device);
  longer.later = 1;
  EXPECT_EQ(atoll_device_open("gfx1201", &longer.known, &device), ATOLL_ERROR_UNSUPPORTED);
  EXPECT_EQ(device, nullptr);
  options = {};
  options.size = sizeof options, options.engine = 17;
  EXPECT_EQ(atoll_device_open("gfx1201", &options, &device), ATOLL_ERROR_ARGUMENT);
  options.engine = 0, options.threads = 1025;
  EXPECT_EQ(atoll_device_open("gfx1201", &options, &device), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_device_open("gfx9999", nullptr, &device), ATOLL_ERROR_NOT_FOUND);
  EXPECT_EQ(atoll_device_open("rv515", nullptr, &device), ATOLL_ERROR_UNSUPPORTED);
  // A result that is shorter than a library's is written as far as it goes: what lies behind stays.
  struct {
    atoll_result known = new_result();
    uint64_t behind = 0x1234;
  } guarded;
  constexpr uint32_t end[] = {0xbfb00000};
  Gpu gpu;
  atoll_words_options words{};
  words.size = sizeof words, words.words = end, words.word_bytes = sizeof end;
  for (int n = 0; n < 3; n++) words.grid[n] = words.group[n] = 1;
  EXPECT_EQ(atoll_launch_words(gpu.device, &words, &guarded.known), ATOLL_OK);
  EXPECT_EQ(guarded.known.waves, 1u);
  EXPECT_EQ(guarded.behind, 0x1234u);
  guarded.known.size = 8;
  EXPECT_EQ(atoll_launch_words(gpu.device, &words, &guarded.known), ATOLL_ERROR_ARGUMENT);
}

TEST(CLibraryErrors, MemoryThatThereIsNot) {
  Gpu gpu;
  atoll_memory* memory = nullptr;
  for (uint64_t bytes : {uint64_t(1) << 39, uint64_t(1) << 45, uint64_t(1) << 63, ~uint64_t(0), ~uint64_t(0) - 4095}) {
    EXPECT_EQ(atoll_memory_map(gpu.device, bytes, 0, &memory), ATOLL_ERROR_MEMORY) << bytes;
    EXPECT_EQ(memory, nullptr);
    EXPECT_NE(atoll_memory_map(gpu.device, bytes, 0x100000, &memory), ATOLL_OK) << bytes;
  }
  EXPECT_EQ(atoll_memory_map(gpu.device, 0, 0, &memory), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_memory_map(gpu.device, 4096, 0x1001, &memory), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_memory_map(gpu.device, 4096, ~uint64_t(4095), &memory), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_memory_map(gpu.device, 4096, atoll_device_address_limit(gpu.device), &memory), ATOLL_ERROR_ARGUMENT);
  atoll_memory* there = gpu.map(10000, 0x10000);
  for (uint64_t at : {0xf000, 0x10000, 0x11000, 0x12000})
    EXPECT_EQ(atoll_memory_map(gpu.device, 4097, at, &memory), ATOLL_ERROR_UNMAPPED) << at;
  EXPECT_NE(gpu.map(4096, 0xf000), nullptr);
  EXPECT_NE(gpu.map(4096, 0x13000), nullptr);
  uint8_t bytes[16] = {};
  EXPECT_EQ(atoll_read(gpu.device, 0x13ff8, bytes, 16), ATOLL_ERROR_UNMAPPED);
  EXPECT_EQ(atoll_write(gpu.device, ~uint64_t(7), bytes, 16), ATOLL_ERROR_UNMAPPED);
  EXPECT_EQ(atoll_read(gpu.device, 0x12ff8, bytes, 16), ATOLL_OK) << atoll_error_message();
  atoll_memory_unmap(there);
  EXPECT_EQ(atoll_read(gpu.device, 0x12ff0, bytes, 16), ATOLL_ERROR_UNMAPPED);
  EXPECT_NE(gpu.map(0x3000, 0x10000), nullptr);
}

TEST(CLibraryErrors, ArgumentsThatDoNotFit) {
  Gpu gpu;
  const atoll_kernel* fill = gpu.kernel("fill");
  atoll_memory* memory = gpu.map(4096);
  const uint32_t count = 3;
  const uint64_t wide = 3;
  auto status = [&](std::vector<atoll_argument> arguments, uint64_t grid = 64, uint64_t group = 64) {
    auto launch = launch_of(arguments, grid, group);
    return atoll_launch(fill, &launch, nullptr);
  };
  EXPECT_EQ(status({buffer(memory), value(count)}), ATOLL_OK) << atoll_error_message();
  EXPECT_EQ(status({}), ATOLL_ERROR_MISMATCH);
  EXPECT_EQ(status({buffer(memory)}), ATOLL_ERROR_MISMATCH);
  EXPECT_EQ(status({buffer(memory), value(count), value(count)}), ATOLL_ERROR_MISMATCH);
  EXPECT_EQ(status({value(count), buffer(memory)}), ATOLL_ERROR_MISMATCH);
  EXPECT_EQ(status({buffer(memory), value(wide)}), ATOLL_ERROR_MISMATCH);
  auto none = value(count);
  none.value = nullptr;
  EXPECT_EQ(status({buffer(memory), none}), ATOLL_ERROR_ARGUMENT);
  none.kind = 77;
  EXPECT_EQ(status({buffer(memory), none}), ATOLL_ERROR_MISMATCH);
  EXPECT_EQ(status({buffer(uint64_t(0)), value(count)}), ATOLL_ERROR_FAULT);
  EXPECT_EQ(status({buffer(~uint64_t(0)), value(count)}), ATOLL_ERROR_FAULT);
  for (uint64_t n : {uint64_t(0), uint64_t(2048), uint64_t(1) << 32, ~uint64_t(0)})
    EXPECT_EQ(status({buffer(memory), value(count)}, 64, n), ATOLL_ERROR_MISMATCH) << n;
  for (uint64_t n : {uint64_t(0), uint64_t(1) << 32, ~uint64_t(0)})
    EXPECT_EQ(status({buffer(memory), value(count)}, n, 64), ATOLL_ERROR_MISMATCH) << n;
  std::vector arguments{buffer(memory), value(count)};
  for (double seconds : {-1.0, 1e30, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto launch = launch_of(arguments, 64, 64);
    launch.timeout_seconds = seconds;
    EXPECT_EQ(atoll_launch(fill, &launch, nullptr), ATOLL_ERROR_ARGUMENT);
  }
  auto launch = launch_of(arguments, 64, 64);
  launch.argument_size = 8;
  EXPECT_EQ(atoll_launch(fill, &launch, nullptr), ATOLL_ERROR_ARGUMENT);
  launch = launch_of(arguments, 64, 64);
  launch.arguments = nullptr;
  EXPECT_EQ(atoll_launch(fill, &launch, nullptr), ATOLL_ERROR_ARGUMENT);
  launch = launch_of(arguments, 64, 64);
  launch.dimensions = 4;
  EXPECT_EQ(atoll_launch(fill, &launch, nullptr), ATOLL_ERROR_ARGUMENT);
  launch = launch_of(arguments, 64, 64);
  launch.dynamic_lds_bytes = 1 << 20;
  EXPECT_EQ(atoll_launch(fill, &launch, nullptr), ATOLL_ERROR_MISMATCH);
}

TEST(CLibraryErrors, ObjectsThatAreDamaged) {
  Gpu gpu;
  const auto good = example_object();
  ASSERT_GT(good.size(), 1000u);
  auto load = [&](const std::vector<uint8_t>& bytes, atoll_device* device) {
    atoll_object* object = nullptr;
    atoll_status status = atoll_object_load(device, bytes.data(), bytes.size(), "damaged.co", &object);
    EXPECT_EQ(status == ATOLL_OK, object != nullptr);
    atoll_object_unload(object);
    return status;
  };
  EXPECT_EQ(load(good, gpu.device), ATOLL_OK);
  for (size_t bytes = 1; bytes < good.size() / 2; bytes += 61)
    EXPECT_EQ(load({good.begin(), good.begin() + long(bytes)}, gpu.device), ATOLL_ERROR_OBJECT) << bytes;
  EXPECT_EQ(std::string(atoll_error_message()).substr(0, 12), "damaged.co: ");
  uint32_t random = 12345;
  int refused = 0;
  for (int round = 0; round < 2000; round++) {
    auto bytes = good;
    for (int n = 0; n < 4; n++) {
      random = random * 1664525 + 1013904223;
      bytes[random % bytes.size()] = uint8_t(random >> 24);
    }
    refused += load(bytes, gpu.device) != ATOLL_OK;
  }
  EXPECT_GT(refused, 100);
  Gpu other(ATOLL_ENGINE_AUTO, "gfx1200"), sea_islands(ATOLL_ENGINE_AUTO, "bonaire"), dg1(ATOLL_ENGINE_AUTO, "dg1");
  for (Gpu* gpu : {&other, &sea_islands, &dg1}) EXPECT_EQ(load(good, gpu->device), ATOLL_ERROR_OBJECT) << atoll_error_message();
  const atoll_kernel* kernel = nullptr;
  atoll_object* object = nullptr;
  uint64_t address = 0;
  ASSERT_EQ(atoll_object_load(gpu.device, good.data(), good.size(), nullptr, &object), ATOLL_OK);
  EXPECT_EQ(atoll_object_find(object, "no such", &kernel), ATOLL_ERROR_NOT_FOUND);
  EXPECT_EQ(atoll_object_find(object, nullptr, &kernel), ATOLL_ERROR_NOT_FOUND);  // there are two
  EXPECT_EQ(atoll_object_symbol(object, "no such", &address), ATOLL_ERROR_NOT_FOUND);
  EXPECT_EQ(atoll_object_symbol(object, "fill.kd", &address), ATOLL_OK);
  EXPECT_EQ(address % 64, 0u);
  EXPECT_EQ(atoll_object_kernel(object, 2), nullptr);
  EXPECT_NE(atoll_object_kernel(object, 1), nullptr);
}

TEST(CLibraryErrors, WordsThatCannotRun) {
  Gpu gpu;
  const uint32_t illegal[] = {0xffffffff, 0xffffffff, 0xffffffff}, end[] = {0xbfb00000};
  atoll_words_options options{};
  options.size = sizeof options;
  options.words = illegal, options.word_bytes = sizeof illegal;
  for (int n = 0; n < 3; n++) options.grid[n] = options.group[n] = 1;
  auto result = new_result();
  EXPECT_EQ(atoll_launch_words(gpu.device, &options, &result), ATOLL_ERROR_FAULT);
  EXPECT_EQ(result.fault.kind, uint32_t(ATOLL_FAULT_ILLEGAL));
  options.words = end;
  auto status = [&](auto change) {
    auto changed = options;
    changed.word_bytes = sizeof end;
    change(changed);
    return atoll_launch_words(gpu.device, &changed, nullptr);
  };
  EXPECT_EQ(status([](auto&) {}), ATOLL_OK) << atoll_error_message();
  EXPECT_EQ(status([](auto& o) { o.word_bytes = 3; }), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(status([](auto& o) { o.word_bytes = 0; }), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(status([](auto& o) { o.word_bytes = ~uint64_t(3); }), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(status([](auto& o) { o.wave_lanes = 48; }), ATOLL_ERROR_MISMATCH);
  EXPECT_EQ(status([](auto& o) { o.lds_bytes = 65537; }), ATOLL_ERROR_MISMATCH);
  EXPECT_EQ(status([](auto& o) { o.scratch_bytes = ~0u; }), ATOLL_ERROR_MISMATCH);
  EXPECT_EQ(status([](auto& o) { o.user_sgpr_count = 33, o.user_sgprs = &o.size; }), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(status([](auto& o) { o.user_sgpr_count = 3; }), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(status([](auto& o) { o.group[0] = o.group[1] = 64; }), ATOLL_ERROR_MISMATCH);
  EXPECT_EQ(status([](auto& o) { o.grid[1] = 70000; }), ATOLL_ERROR_MISMATCH);
  EXPECT_EQ(status([](auto& o) { o.grid[2] = 0; }), ATOLL_ERROR_MISMATCH);
  Gpu other(ATOLL_ENGINE_AUTO, "bonaire");
  EXPECT_EQ(atoll_launch_words(other.device, &options, nullptr), ATOLL_ERROR_UNSUPPORTED);
}

}  // namespace
}  // namespace Atoll::api_tests
