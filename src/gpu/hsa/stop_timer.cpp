#include "gpu/hsa/stop_timer.h"

#include <chrono>
#include <utility>

#include "gpu/hsa/run.h"

namespace Atoll::hsa {
namespace {

using Clock = std::chrono::steady_clock;
Clock::duration ticks(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

StopTimer::StopTimer(std::atomic<int>& stop, double seconds, std::function<void()> overdue, double grace_seconds) {
  if (!(seconds > 0)) return;
  const Clock::time_point end = Clock::now() + ticks(seconds);
  thread_ = std::thread([this, end, &stop, overdue = std::move(overdue), grace_seconds] {
    std::unique_lock lock(mutex_);
    if (gone_.wait_until(lock, end, [this] { return done_; })) return;
    int running = 0;
    stop.compare_exchange_strong(running, stop_timeout);
    if (!overdue || gone_.wait_for(lock, ticks(grace_seconds), [this] { return done_; })) return;
    overdue();
  });
}

StopTimer::~StopTimer() {
  {
    std::lock_guard lock(mutex_);
    done_ = true;
  }
  gone_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace Atoll::hsa
