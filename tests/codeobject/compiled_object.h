// Compiles kernels at test time with Debian's clang-19, so that the objects tested are those that users bring.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/files.h"

namespace Atoll {

// A folder that goes when the object does.
struct TemporaryFolder {
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "atoll-test-XXXXXX").string();
    path = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const { return path + "/" + name; }
  std::string path;
};

inline void write_text(const std::string& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

// Compiles OpenCL C (no device library: kernels use the __builtin_amdgcn functions) into `object`; asserts success.
inline void compile_to(const std::string& object, const std::string& source, const std::string& processor = "gfx1200",
                       const std::string& options = "-O2") {
  std::string text = object + ".cl", log = object + ".log";
  write_text(text, source);
  std::string command =
      "clang-19 -target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -Xclang -finclude-default-header -mcpu=" + processor +
      " " + options + " '" + text + "' -o '" + object + "' > '" + log + "' 2>&1";
  int status = std::system(command.c_str());
  std::ifstream said(log);
  ASSERT_EQ(status, 0) << command << "\n" << std::string(std::istreambuf_iterator<char>(said), {});
}

inline std::vector<uint8_t> compiled(const std::string& source, const std::string& processor = "gfx1200",
                                     const std::string& options = "-O2") {
  TemporaryFolder folder;
  compile_to(folder.file("k.co"), source, processor, options);
  auto bytes = read_file(folder.file("k.co"));
  EXPECT_TRUE(bytes) << bytes.error().message;
  return bytes ? *bytes : std::vector<uint8_t>{};
}

}  // namespace Atoll
