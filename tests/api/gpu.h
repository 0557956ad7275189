// Shared parts of the C library's tests: a device that closes itself, launches in a line, words from text.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "api/atoll.h"

namespace Atoll::api_tests {

inline std::vector<uint8_t> file_bytes(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// examples/c-library/vector_add.cl, compiled for gfx1201 with the tests.
inline std::vector<uint8_t> example_object() { return file_bytes(ATOLL_EXAMPLE_OBJECT); }

struct Gpu {
  atoll_device* device = nullptr;
  explicit Gpu(uint32_t engine = ATOLL_ENGINE_AUTO, const char* name = "gfx1201") {
    atoll_device_options options{};
    options.size = sizeof options;
    options.engine = engine;
    options.threads = 2;
    EXPECT_EQ(atoll_device_open(name, &options, &device), ATOLL_OK) << atoll_error_message();
  }
  ~Gpu() { atoll_device_close(device); }
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  atoll_memory* map(uint64_t bytes, uint64_t address = 0) {
    atoll_memory* memory = nullptr;
    EXPECT_EQ(atoll_memory_map(device, bytes, address, &memory), ATOLL_OK) << atoll_error_message();
    return memory;
  }
  const atoll_kernel* kernel(const char* name) {
    auto bytes = example_object();
    atoll_object* object = nullptr;
    const atoll_kernel* found = nullptr;
    EXPECT_EQ(atoll_object_load(device, bytes.data(), bytes.size(), nullptr, &object), ATOLL_OK) << atoll_error_message();
    EXPECT_EQ(atoll_object_find(object, name, &found), ATOLL_OK) << atoll_error_message();
    return found;
  }
};

inline atoll_argument buffer(uint64_t address) {
  atoll_argument a{};
  a.kind = ATOLL_ARGUMENT_BUFFER, a.address = address;
  return a;
}
inline atoll_argument buffer(const atoll_memory* memory) { return buffer(atoll_memory_address(memory)); }
template <class T>
atoll_argument value(const T& x) {
  atoll_argument a{};
  a.kind = ATOLL_ARGUMENT_VALUE, a.bytes = sizeof x, a.value = &x;
  return a;
}

inline atoll_launch_options launch_of(const std::vector<atoll_argument>& arguments, uint64_t grid, uint64_t group) {
  atoll_launch_options options{};
  options.size = sizeof options;
  options.grid[0] = grid, options.group[0] = group;
  options.grid[1] = options.grid[2] = options.group[1] = options.group[2] = 1;
  options.arguments = arguments.data();
  options.argument_count = uint32_t(arguments.size());
  options.argument_size = sizeof(atoll_argument);
  return options;
}
inline atoll_result new_result() {
  atoll_result result{};
  result.size = sizeof result;
  return result;
}

// The output of a command; empty if it fails.
inline std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return {};
  char part[4096];
  for (size_t n; (n = std::fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, n);
  return ::pclose(pipe) == 0 ? text : "";
}

enum class Assembler { Atoll, Llvm };
// The words of gfx1201's text; empty if the assembler is not there or refuses it.
inline std::vector<uint32_t> assemble(const std::string& text, Assembler by) {
  char folder[] = "/tmp/atoll-api-test-XXXXXX";
  if (!::mkdtemp(folder)) return {};
  const std::string at = folder;
  std::ofstream(at + "/text.s") << text;
  const std::string command = by == Assembler::Atoll
                                  ? std::string(ATOLL_BINARY) + " asm --isa gfx1201 -o " + at + "/words " + at + "/text.s"
                                  : "llvm-mc-19 -triple=amdgcn -mcpu=gfx1201 -filetype=obj -o " + at + "/text.o " + at +
                                        "/text.s && llvm-objcopy-19 -O binary -j .text " + at + "/text.o " + at + "/words";
  std::vector<uint32_t> words;
  if (std::system(command.c_str()) == 0) {
    auto bytes = file_bytes(at + "/words");
    words.resize(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), words.size() * 4);
  }
  (void)std::system(("rm -r " + at).c_str());
  return words;
}

}  // namespace Atoll::api_tests
