// Objects of three compilers through the C library: clang with rocm-device-libs for RDNA4 and Sea Islands, Intel's for DG1.
#include "gpu.h"

namespace Atoll::api_tests {
namespace {

struct Target {
  const char* gpu;
  std::string command;  // that writes FOLDER/object
};
std::string amd(const char* gpu, int wave) {
  return std::string(ATOLL_SOURCE_DIR "/tests/oracle/compile_kernel " ATOLL_SOURCE_DIR "/tests/api/kernels.cl FOLDER/object ") +
         gpu + " " + std::to_string(wave) + " -O2";
}
std::string intel(const char* container) {
  return std::string("ocloc compile -q -file " ATOLL_SOURCE_DIR "/tests/api/kernels.cl -device dg1 -output k -out_dir FOLDER ") +
         container + " >FOLDER/log && mv FOLDER/k_*.bin FOLDER/object";
}

class Compilers : public testing::TestWithParam<Target> {
protected:
  std::vector<uint8_t> object() {
    char folder[] = "/tmp/atoll-api-test-XXXXXX";
    if (!::mkdtemp(folder)) return {};
    std::string command = GetParam().command;
    for (size_t at; (at = command.find("FOLDER")) != command.npos;) command.replace(at, 6, folder);
    std::vector<uint8_t> bytes;
    if (std::system(command.c_str()) == 0) bytes = file_bytes(std::string(folder) + "/object");
    (void)std::system((std::string("rm -r ") + folder).c_str());
    return bytes;
  }
};
INSTANTIATE_TEST_SUITE_P(Gpus, Compilers,
                         testing::Values(Target{"gfx1200", amd("gfx1200", 32)}, Target{"gfx1201", amd("gfx1201", 64)},
                                         Target{"hawaii", amd("hawaii", 64)}, Target{"dg1", intel("")},
                                         Target{"dg1", intel("--format zebin")}),
                         [](const auto& info) { return std::string(info.param.gpu) + "_" + std::to_string(info.index); });

TEST_P(Compilers, BuffersValuesLocalMemoryAndPrintf) {
  if (std::string(GetParam().gpu) == "dg1" && std::system("command -v ocloc >/dev/null") != 0)
    GTEST_SKIP() << "ocloc is not installed (Debian package intel-opencl-icd)";
  auto bytes = object();
  ASSERT_FALSE(bytes.empty());
  Gpu gpu(ATOLL_ENGINE_AUTO, GetParam().gpu);
  atoll_object* object = nullptr;
  ASSERT_EQ(atoll_object_load(gpu.device, bytes.data(), bytes.size(), "kernels", &object), ATOLL_OK) << atoll_error_message();
  const atoll_kernel *add = nullptr, *reverse = nullptr, *say = nullptr;
  ASSERT_EQ(atoll_object_find(object, "vector_add", &add), ATOLL_OK) << atoll_error_message();
  ASSERT_EQ(atoll_object_find(object, "reverse", &reverse), ATOLL_OK) << atoll_error_message();
  ASSERT_EQ(atoll_object_find(object, "say", &say), ATOLL_OK) << atoll_error_message();
  const uint32_t count = 200;
  atoll_memory *a = gpu.map(count * 4), *b = gpu.map(count * 4, 0x4000000), *sum = gpu.map(count * 4);
  auto floats = [](atoll_memory* m) { return static_cast<float*>(atoll_memory_pointer(m)); };
  auto words = [](atoll_memory* m) { return static_cast<uint32_t*>(atoll_memory_pointer(m)); };
  uint64_t first = 0;
  for (int round = 0; round < 50; round++) {  // what a launch takes it gives back
    for (uint32_t n = 0; n < count; n++) floats(a)[n] = float(n), floats(b)[n] = float(round), floats(sum)[n] = 0;
    std::vector arguments{buffer(a), buffer(b), buffer(sum), value(count)};
    auto launch = launch_of(arguments, 256, 64);
    ASSERT_EQ(atoll_launch(add, &launch, nullptr), ATOLL_OK) << atoll_error_message();
    for (uint32_t n = 0; n < count; n++) ASSERT_EQ(floats(sum)[n], float(n + uint32_t(round)));
    atoll_memory* next = gpu.map(4096);
    if (!round) first = atoll_memory_address(next);
    ASSERT_EQ(atoll_memory_address(next), first);
    atoll_memory_unmap(next);
  }

  for (uint32_t n = 0; n < count; n++) words(a)[n] = n;
  atoll_argument local{};
  local.kind = ATOLL_ARGUMENT_LOCAL, local.bytes = 40 * 4;
  std::vector arguments{buffer(a), buffer(sum), local};
  auto launch = launch_of(arguments, 200, 40);
  ASSERT_EQ(atoll_launch(reverse, &launch, nullptr), ATOLL_OK) << atoll_error_message();
  for (uint32_t n = 0; n < count; n++) EXPECT_EQ(words(sum)[n], n / 40 * 40 + 39 - n % 40);
  for (uint64_t wrong : {uint64_t(1) << 17, uint64_t(1) << 32, ~uint64_t(0)}) {
    arguments[2].bytes = wrong;
    EXPECT_EQ(atoll_launch(reverse, &launch, nullptr), ATOLL_ERROR_MISMATCH) << wrong;
  }

  const int32_t number = -42;
  std::vector said{value(number)};
  launch = launch_of(said, 8, 8);
  auto result = new_result();
  ASSERT_EQ(atoll_launch(say, &launch, &result), ATOLL_OK) << atoll_error_message();
  EXPECT_STREQ(result.printed, "value -42\n");
  EXPECT_EQ(result.printed_bytes, 10u);

  // A store to nowhere, on all GPUs.
  std::vector wild{buffer(a), buffer(b), buffer(uint64_t(0x10000000)), value(count)};
  launch = launch_of(wild, 256, 64);
  const atoll_status status = atoll_launch(add, &launch, &result);
  if (status == ATOLL_OK)
    EXPECT_STREQ(GetParam().gpu, "dg1");  // through a surface, whose bounds drop it
  else
    EXPECT_EQ(status, ATOLL_ERROR_FAULT) << atoll_error_message();
}

}  // namespace
}  // namespace Atoll::api_tests
