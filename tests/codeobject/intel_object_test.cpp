// Intel's device binaries (zebin and patch tokens) that say what cannot be: each is refused by name.
#include "codeobject/intel_object.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "intel_containers.h"

using namespace Atoll;
using namespace Atoll::intel;
using namespace Atoll::intel::test;

namespace {

constexpr std::string_view head = R"(kernels:
  - name: k
    execution_env:
      simd_size: 16
)";

// A zebin of one kernel with what .ze_info says of it, and of its arguments.
std::vector<uint8_t> zebin_of(const std::string& kernel, const std::string& arguments = "") {
  std::string info = std::string(head) + kernel;
  if (!arguments.empty()) info += "kernels_misc_info:\n  - name: k\n    args_info:\n" + arguments;
  const ElfPart parts[] = {{.name = ".text.k", .flags = 2, .bytes = std::vector<uint8_t>(16)},
                           {.name = ".ze_info", .type = ZE_INFO, .bytes = bytes_of(info)}};
  return zebin(parts);
}
std::string value_part(uint32_t offset, uint64_t source, uint32_t bytes) {
  return fmt::format(
      "      - arg_type: arg_byvalue\n        offset: {}\n        size: {}\n        arg_index: 0\n        source_offset: {}\n",
      offset, bytes, source);
}
std::string described(const char* type) {
  return fmt::format("      - index: 0\n        name: a\n        type_name: '{}'\n", type);
}

// A kernel of patch tokens that runs at SIMD16, and what else its list has.
std::vector<uint8_t> tokens_of(std::initializer_list<std::vector<uint8_t>> list) {
  TokenKernel k{.name = "k", .code = std::vector<uint8_t>(16), .dynamic_heap = {}, .surface_heap = {}, .tokens = {}};
  k.tokens = token(23, {0, 0, 0, 16, 0, 0});  // EXECUTION_ENVIRONMENT
  for (auto& one : list) k.tokens.insert(k.tokens.end(), one.begin(), one.end());
  return patch_tokens({}, {&k, 1});
}
// DATA_PARAMETER_BUFFER: a part of argument 0, by value.
std::vector<uint8_t> value_token(uint32_t offset, uint32_t source, uint32_t bytes) {
  return token(17, {1, 0, offset, bytes, source});
}
// KERNEL_ARGUMENT_INFO of argument 0.
std::vector<uint8_t> info_token(const std::string& type) {
  Writer texts;
  for (const std::string& text : {std::string("__private"), std::string("NONE"), std::string("a"), type, std::string("NONE")})
    texts.text(text);
  Writer w;
  const auto size = [](std::string_view s) { return uint32_t(s.size() + 1); };
  w.words({26, uint32_t(32 + texts.bytes.size()), 0, size("__private"), size("NONE"), size("a"), size(type), size("NONE")});
  return w.append(texts.bytes).bytes;
}

std::string error_of(const std::vector<uint8_t>& bytes) {
  auto read = read_intel_object(bytes, "k.bin");
  return read ? "" : read.error().message;
}
uint32_t bytes_of_argument(const std::vector<uint8_t>& bytes) {
  auto read = read_intel_object(bytes, "k.bin");
  EXPECT_TRUE(read) << read.error().message;
  return read && read->kernels.size() == 1 && read->kernels[0].signature.arguments.size() == 1
             ? read->kernels[0].signature.arguments[0].bytes
             : ~0u;
}

TEST(IntelObject, PartsOfAnArgumentLieInIt) {
  const std::string parts = "    payload_arguments:\n" + value_part(0, 0, 4) + value_part(4, 8, 4);
  EXPECT_EQ(bytes_of_argument(zebin_of(parts)), 12u);
  EXPECT_EQ(bytes_of_argument(zebin_of(parts, described("struct S;12"))), 12u);
  EXPECT_EQ(bytes_of_argument(tokens_of({value_token(0, 0, 4), value_token(4, 8, 4)})), 12u);
  EXPECT_EQ(bytes_of_argument(tokens_of({value_token(0, 0, 4), value_token(4, 8, 4), info_token("struct S;12")})), 12u);
  // a char has a part of four bytes
  EXPECT_EQ(bytes_of_argument(zebin_of("    payload_arguments:\n" + value_part(0, 0, 4), described("char;1"))), 1u);
  EXPECT_EQ(bytes_of_argument(tokens_of({value_token(0, 0, 4), info_token("char;1")})), 1u);
}

TEST(IntelObject, APartBeyondItsArgumentIsRefusedByName) {
  auto zebin_says = [](uint64_t source, uint32_t bytes, const char* type) {
    return error_of(zebin_of("    payload_arguments:\n" + value_part(0, source, bytes), type ? described(type) : ""));
  };
  auto tokens_say = [](uint32_t source, uint32_t bytes, const char* type) {
    return error_of(type ? tokens_of({value_token(0, source, bytes), info_token(type)})
                         : tokens_of({value_token(0, source, bytes)}));
  };
  EXPECT_EQ(zebin_says(12, 4, "struct S;12"), "k.bin: kernel k: bytes 12 to 15 of argument 0, which has 12");
  EXPECT_EQ(tokens_say(12, 4, "struct S;12"), "k.bin: kernel k: bytes 12 to 15 of argument 0, which has 12");
  // whose size is nowhere said: as large as a kernel's arguments may be
  EXPECT_EQ(zebin_says(2044, 4, nullptr), "");
  EXPECT_EQ(zebin_says(2048, 4, nullptr), "k.bin: kernel k: bytes 2048 to 2051 of argument 0, which has 2048 at most");
  EXPECT_EQ(zebin_says(0xfffffffc, 4, nullptr),
            "k.bin: kernel k: bytes 4294967292 to 4294967295 of argument 0, which has 2048 at most");
  EXPECT_EQ(zebin_says(0x1'0000'0000, 4, nullptr),
            "k.bin: kernel k: bytes 4294967296 to 4294967299 of argument 0, which has 2048 at most");
  EXPECT_EQ(zebin_says(0xfffffffc, 0, nullptr),
            "k.bin: kernel k: bytes 4294967292 to 4294967292 of argument 0, which has 2048 at most");
  EXPECT_EQ(tokens_say(2048, 4, nullptr), "k.bin: kernel k: bytes 2048 to 2051 of argument 0, which has 2048 at most");
  EXPECT_EQ(tokens_say(0xfffffffc, 8, nullptr),
            "k.bin: kernel k: bytes 4294967292 to 4294967299 of argument 0, which has 2048 at most");
}

}  // namespace
