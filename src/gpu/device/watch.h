// The watchdog: a thread beside the running queues, which passes the device's stop flag on to them and raises a
// queue's flag when the queue has made no progress for too long (a shader in an endless loop), as a kernel's lockup timer does.
// It is the last resort, for all families: work that can be counted has a budget (budget.h).
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "base/expected.h"

namespace Atoll::gpu {

inline constexpr int stopped_by_watch = 2;  // value of a queue's stop flag; others are the device's

class Watch {
public:
  // `stop`: the device's; it outlives the watchdog. `max_seconds` 0: a queue may stand still for any time.
  Watch(const std::atomic<int>& stop, double max_seconds) : stop_(stop), max_seconds_(max_seconds) {}
  ~Watch();

  // Starts its thread, unless it is there already; an error: it cannot be started.
  Expected<void> start();

  // A running queue: its own stop flag, and the counter of the packets that it begins and the waves and tiles that it ends.
  struct Queue {
    std::atomic<int>& stop;
    const std::atomic<uint64_t>& progress;
    uint64_t seen = 0;
    double since = 0;  // seconds, when `seen` last changed
  };
  // An error, as from start(): the queue must not run.
  Expected<void> begin(Queue& queue);
  void end(Queue& queue);

private:
  const std::atomic<int>& stop_;
  const double max_seconds_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Queue*> running_;
  bool ending_ = false, asleep_ = false;  // until it is woken
  std::thread thread_;                    // begun with the first queue

  Expected<void> start_locked();
  void watch();
};

// Watches a queue while it runs.
class Watched {
public:
  Watched(Watch& watch, Watch::Queue& queue) : watch_(watch), queue_(queue), begun_(watch.begin(queue)) {}
  ~Watched() {
    if (begun_) watch_.end(queue_);
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  const Expected<void>& begun() const { return begun_; }

private:
  Watch& watch_;
  Watch::Queue& queue_;
  const Expected<void> begun_;
};

}  // namespace Atoll::gpu
