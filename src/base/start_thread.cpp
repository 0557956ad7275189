#include "base/start_thread.h"

#include <signal.h>

#include <cstring>

namespace Atoll {

SignalsBlocked::SignalsBlocked(bool faults_land) {
  static_assert(sizeof(sigset_t) <= sizeof before_);
  sigset_t all, before;
  ::sigfillset(&all);
  if (faults_land)
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) ::sigdelset(&all, signal);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::memcpy(before_, &before, sizeof before);
}

SignalsBlocked::~SignalsBlocked() {
  sigset_t before;
  std::memcpy(&before, before_, sizeof before);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// (pthread_create(3), EAGAIN: RLIMIT_NPROC, kernel.threads-max, the pids controller, or no memory for the stack.)
Error no_thread(const std::exception& why) {
  return {
      fmt::format("no thread is to be had ({}): raise the limit on processes (ulimit -u, the container's pids limit) or on "
                  "memory (ulimit -v)",
                  why.what())};
}

}  // namespace Atoll
