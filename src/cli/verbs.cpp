#include "cli/verbs.h"

#include <cstdio>

namespace Atoll::cli {

void end(int status) { throw CLI::RuntimeError(status); }

void end_with(int status, const char* verb, const std::string& message) {
  complain(verb, message);
  end(status);
}

void complain(const char* verb, const std::string& message) {
  std::fflush(stdout);
  fmt::print(stderr, "atoll: {}: {}\n", verb, message);
}

}  // namespace Atoll::cli
