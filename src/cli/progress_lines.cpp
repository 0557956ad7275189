#include "cli/progress_lines.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>

#include "cli/verbs.h"

namespace Atoll::cli {

ProgressLines::ProgressLines(const char* verb, std::function<std::string()> state) {
  if (!::isatty(STDERR_FILENO)) return;
  // Signals are for the thread that works.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this, verb, state = std::move(state)] { tell(verb, state); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ProgressLines::tell(const char* verb, const std::function<std::string()>& state) {
  const auto begin = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  for (int seconds = 3;; seconds = seconds < 60 ? seconds * 2 : seconds + 60) {
    if (changed_.wait_until(lock, begin + std::chrono::seconds(seconds), [this] { return ends_; })) return;
    say(fmt::format("atoll: {}: {}: {} s until now", verb, state(), seconds));
  }
}

ProgressLines::~ProgressLines() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

}  // namespace Atoll::cli
