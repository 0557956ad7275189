// at_level LEVEL PROGRAM [ARGUMENTS...]: the program at this host level (atoll_level_test in cmake/rooms.cmake). If this host
// cannot run it, or the build lacks it, nothing runs: a line says why, and the status is that of a skipped test.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/environment.h"
#include "base/host_level.h"

using namespace Atoll;

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("at_level: call it with LEVEL PROGRAM [ARGUMENTS...]\n", stderr);
    return 2;
  }
  ::setenv("ATOLL_LEVEL", argv[1], 1);
  if (environment_text("ATOLL_LEVEL").empty()) {
    fmt::print(stderr, "at_level: {}: no such host level\n", argv[1]);
    return 2;
  }
  if (name_of(host_level()) != argv[1]) {
    std::vector<std::string_view> lacking;
    for (HostLevel level : {HostLevel::Avx2, HostLevel::Avx512})
      if (name_of(level) == argv[1]) lacking = lacking_for(level);
    if (lacking.empty())
      fmt::print("skipped: the host level {} is not built (ATOLL_LEVELS): {} alone is\n", argv[1], name_of(host_level()));
    else
      fmt::print("skipped: the host level {} needs {}, which this host lacks\n", argv[1], fmt::join(lacking, ", "));
    return 77;
  }
  ::execv(argv[2], argv + 2);
  fmt::print(stderr, "at_level: {}: {}\n", argv[2], std::strerror(errno));
  return 2;
}
