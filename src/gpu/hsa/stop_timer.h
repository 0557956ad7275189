// Ends a run after some seconds, through the flag that RunOptions::stop names.
#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace Atoll::hsa {

// Raises the flag (stop_timeout) when the seconds are over, unless the timer is gone before or the flag was raised. GPU code obeys
// at once; LLVM, should it be at work, does not: `overdue` is called when the timer is still there `grace_seconds` later.
class StopTimer {
public:
  StopTimer(std::atomic<int>& stop, double seconds, std::function<void()> overdue = {}, double grace_seconds = 0);  // 0: no timer
  ~StopTimer();
  StopTimer(const StopTimer&) = delete;
  StopTimer& operator=(const StopTimer&) = delete;

private:
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable gone_;
  bool done_ = false;
};

}  // namespace Atoll::hsa
