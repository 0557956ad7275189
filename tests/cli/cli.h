// The atoll binary from outside, in a folder of its own: calls, output, messages and exit statuses.
#pragma once
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/files.h"
#include "codeobject/compiled_object.h"

namespace Atoll {

// Work-item functions as OpenCL defines them, over what the launch provides.
inline const char* const work_items = R"(
  size_t group_items(void) { return __builtin_amdgcn_workgroup_size_x(); }
  #define GROUP __builtin_amdgcn_workgroup_id_x()
  #define ITEM __builtin_amdgcn_workitem_id_x()
  #define ARGS __builtin_amdgcn_implicitarg_ptr()
  int global_id(void) { return GROUP * ((constant ushort*)ARGS)[6] + ITEM; }
)";

struct Result {
  int status = 0;
  std::string out, err;
};

struct Cli : testing::Test {
  TemporaryFolder folder;
  std::string processor = "gfx1200";  // that objects are made for

  std::string path(const std::string& name) const { return folder.file(name); }
  void put(const std::string& name, const std::string& bytes) { write_text(path(name), bytes); }
  template <class T>
  void put(const std::string& name, const std::vector<T>& values) {
    put(name, std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
  }
  std::string get(const std::string& name) {
    auto bytes = read_file(path(name));
    EXPECT_TRUE(bytes) << bytes.error().message;
    return bytes ? std::string(bytes->begin(), bytes->end()) : "";
  }
  template <class T>
  std::vector<T> values(const std::string& name) {
    std::string bytes = get(name);
    std::vector<T> out(bytes.size() / sizeof(T));
    std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
    return out;
  }
  bool exists(const std::string& name) { return ::access(path(name).c_str(), F_OK) == 0; }
  void object(const std::string& name, const std::string& source, const std::string& made_for = "",
              const std::string& options = "-O2") {
    compile_to(path(name), std::string(work_items) + source, made_for.empty() ? processor : made_for, options);
  }

  // Runs `atoll ARGS` in the folder, through the shell.
  Result atoll(const std::string& arguments) {
    int status = std::system(fmt::format("cd '{}' && {} {} > .out 2> .err", folder.path, ATOLL_BINARY, arguments).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), get(".out"), get(".err")};
  }
  void expect(int status, const std::string& part, const std::string& arguments) {
    Result r = atoll(arguments);
    EXPECT_EQ(r.status, status) << arguments << "\n" << r.err;
    EXPECT_NE(r.err.find(part), std::string::npos) << arguments << "\n" << r.err;
    EXPECT_EQ(r.err.find("atoll: "), 0u) << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
};

}  // namespace Atoll
