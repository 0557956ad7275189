#include "drm/core/call.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "drm/session/session.h"

namespace Atoll::drm {

// A thread that makes calls.
struct Caller {
  const pid_t thread = pid_t(::syscall(SYS_gettid));
  clockid_t processor_clock{};
  const bool has_clock = ::pthread_getcpuclockid(::pthread_self(), &processor_clock) == 0;
  std::atomic<uint64_t> calls{0};
  std::atomic<bool> gone{false};

  ~Caller() {
    struct stat now{};
    // (a program may close descriptors that it did not open, and have another one in its place)
    if (state_file_ >= 0 && ::fstat(state_file_, &now) == 0 && now.st_dev == state_.st_dev && now.st_ino == state_.st_ino)
      ::close(state_file_);
  }

  uint64_t processor_time() const {
    timespec time{};
    if (!has_clock || ::clock_gettime(processor_clock, &time) != 0) return UINT64_MAX;
    return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec);
  }
  // True if it has or waits for a processor, or for a page (proc(5), /proc/pid/stat: R, D); false if that cannot be read.
  bool is_runnable() {
    std::lock_guard lock(mutex_);
    if (state_file_ == unopened) {
      state_file_ = ::open(fmt::format("/proc/self/task/{}/stat", thread).c_str(), O_RDONLY | O_CLOEXEC);
      if (state_file_ >= 0) ::fstat(state_file_, &state_);
    }
    char text[96];
    const ssize_t bytes = state_file_ < 0 ? -1 : ::pread(state_file_, text, sizeof text - 1, 0);
    if (bytes <= 0) return false;
    text[bytes] = 0;
    const char* name_end = std::strrchr(text, ')');  // of at most 16 bytes, any
    return name_end && name_end[1] == ' ' && (name_end[2] == 'R' || name_end[2] == 'D');
  }

private:
  static constexpr int unopened = -2;
  std::mutex mutex_;  // what follows
  int state_file_ = unopened;
  struct stat state_{};
};

namespace {

thread_local Call* current = nullptr;
thread_local std::shared_ptr<Caller>* of_thread = nullptr;
struct ThreadsEnd {
  ~ThreadsEnd() {
    if (!of_thread) return;
    (*of_thread)->gone.store(true, std::memory_order_release);
    delete std::exchange(of_thread, nullptr);
  }
};

// exit() ends its thread's objects before it calls what was given to atexit() (glibc's stdlib/exit.c, __run_exit_handlers), and
// programs end their contexts there: calls that come then are another caller's, which stays.
const std::shared_ptr<Caller>& caller_of_thread() {
  static thread_local ThreadsEnd end;
  if (!of_thread) of_thread = new std::shared_ptr<Caller>(std::make_shared<Caller>());
  return *of_thread;
}

// Looks, gives others the processor, sleeps, until it holds or is out of patience.
template <class Holds>
void look(uint64_t spins, uint64_t longest, Holds holds) {
  if (holds()) return;
  constexpr uint64_t yields = 200'000;  // nanoseconds, as all of them
  const uint64_t begin = monotonic_nanoseconds();
  for (uint64_t past = 0; past < longest; past = monotonic_nanoseconds() - begin) {
    if (past < spins)
      __builtin_ia32_pause();
    else if (past < yields)
      ::sched_yield();
    else
      ::usleep(50);
    if (holds()) return;
  }
}

}  // namespace

Call::Call() : outer_(current), number_(caller_of_thread()->calls.fetch_add(1, std::memory_order_release) + 1) { current = this; }

Call::~Call() {
  current = outer_;
  if (!end_) return;
  end_->processor_time = end_->caller->processor_time();
  end_->time = monotonic_nanoseconds();
  end_->out.store(true, std::memory_order_release);
}

std::shared_ptr<CallEnd> Call::end_of_current() {
  if (!current) return nullptr;
  auto& end = current->end_;
  if (!end) {
    end = std::make_shared<CallEnd>();
    end->caller = caller_of_thread();
    end->number = current->number_;
  }
  return end;
}

// As a rule it is out before the ring's thread has come, or within a microsecond. A thread that left the call by a jump out of a signal
// handler never says so.
void wait_until_out(const CallEnd& end) {
  look(20'000, 5'000'000'000, [&] { return end.out.load(std::memory_order_acquire); });
}

void wait_until_gone_on(const CallEnd& end) {
  // After the call Mesa only wakes up another thread and subtracts one a buffer: microseconds. Time of a virtual processor passes while its
  // host runs something else on it (170 us were seen), so a look counts no more than `most_a_look`.
  constexpr uint64_t enough = 1'000'000, most_a_look = 50'000, longest = 2'000'000'000;
  if (!end.out.load(std::memory_order_acquire)) return;
  Caller& caller = *end.caller;
  uint64_t ran = 0, before = end.processor_time;
  look(0, longest, [&] {
    if (caller.calls.load(std::memory_order_acquire) != end.number || caller.gone.load(std::memory_order_acquire)) return true;
    if (!caller.is_runnable() || monotonic_nanoseconds() - end.time >= longest) return true;
    const uint64_t now = caller.processor_time();
    ran += std::min(now - before, most_a_look);
    before = now;
    return ran >= enough;
  });
}

}  // namespace Atoll::drm
