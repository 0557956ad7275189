#include "cli/verbs.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>

namespace Atoll::cli {
namespace {

void (*file_size_action)(int) = SIG_DFL;

}  // namespace

void end(int status) { throw CLI::RuntimeError(status); }

void end_with(int status, const char* verb, const std::string& message) {
  complain(verb, message);
  end(status);
}

void complain(const char* verb, const std::string& message) {
  std::fflush(stdout);
  say(fmt::format("atoll: {}: {}", verb, message));
}

void say(const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); }

void prepare_process() {
  // A closed number would go to the next file that is opened, and output into it: it is taken by what cannot be read or written,
  // which answers EBADF as the closed one would.
  for (int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(number, F_GETFD) < 0) (void)::open("/dev/null", (number == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
  file_size_action = ::signal(SIGXFSZ, SIG_IGN);
}

sigset_t default_signals() {
  sigset_t all;
  ::sigemptyset(&all);
  if (file_size_action == SIG_DFL) ::sigaddset(&all, SIGXFSZ);
  return all;
}

}  // namespace Atoll::cli
