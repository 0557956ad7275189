// Ends what takes too long, and what its owner wants ended: raises a flag that waves and draws look at.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace Atoll::r5xx {

class Watchdog {
public:
  // `outside`: raised by somebody else, passed on to `stop`; may be null.
  Watchdog(std::atomic<int>& stop, const std::atomic<int>* outside)
      : stop_(stop), outside_(outside), thread_([this] { watch(); }) {}
  ~Watchdog() {
    {
      std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  void arm(double seconds) {
    expired_.store(false);
    deadline_.store(now() + int64_t(seconds * 1e9));
    // A sleeping thread looks every so often only while something runs.
    if (!armed_.exchange(true)) wake_.notify_all();
  }
  void disarm() { deadline_.store(0); }
  bool expired() const { return expired_.load(); }

private:
  static int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
  void watch() {
    std::unique_lock lock(mutex_);
    while (!ending_) {
      int64_t deadline = deadline_.load();
      if (deadline && now() > deadline) {
        expired_.store(true);
        stop_.store(1);
      }
      if (outside_ && outside_->load()) stop_.store(1);
      if (deadline) {
        wake_.wait_for(lock, std::chrono::milliseconds(20));
      } else {
        armed_.store(false);
        wake_.wait_for(lock, std::chrono::milliseconds(500), [this] { return ending_ || armed_.load(); });
      }
    }
  }

  std::atomic<int>& stop_;
  const std::atomic<int>* outside_;
  std::atomic<int64_t> deadline_{0};
  std::atomic<bool> expired_{false}, armed_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace Atoll::r5xx
