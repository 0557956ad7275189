// A line on standard error from inside somebody else's program. If nobody reads (EPIPE) or a limit on file sizes is reached
// (EFBIG), the kernel sends a signal, SIGPIPE or SIGXFSZ, that would end the program because of our message: it is consumed here.
// System calls only, for the preloaded library (signal(7), sigtimedwait(2); both signals are sent to the thread that writes).
#pragma once
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace Atoll {

inline void write_quietly(int descriptor, const char* text, size_t bytes) {
  constexpr uint64_t ours = uint64_t(1) << (SIGPIPE - 1) | uint64_t(1) << (SIGXFSZ - 1);  // the kernel's sigset_t
  constexpr size_t set_bytes = sizeof ours;
  const int saved = errno;
  uint64_t before = 0, pending = 0;
  const bool blocked = ::syscall(SYS_rt_sigprocmask, SIG_BLOCK, &ours, &before, set_bytes) == 0;
  ::syscall(SYS_rt_sigpending, &pending, set_bytes);
  while (bytes != 0) {
    const long done = ::syscall(SYS_write, descriptor, text, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) break;
    text += done;
    bytes -= size_t(done);
  }
  if (bytes != 0 && blocked && (errno == EPIPE || errno == EFBIG)) {
    const uint64_t sent = uint64_t(1) << ((errno == EPIPE ? SIGPIPE : SIGXFSZ) - 1);
    constexpr timespec at_once{};
    if (!(pending & sent)) ::syscall(SYS_rt_sigtimedwait, &sent, nullptr, &at_once, set_bytes);
  }
  if (blocked) ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, set_bytes);
  errno = saved;
}

}  // namespace Atoll
