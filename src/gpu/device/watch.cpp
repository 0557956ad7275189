#include "gpu/device/watch.h"

#include <algorithm>
#include <chrono>

#include "base/start_thread.h"

namespace Atoll::gpu {
namespace {

constexpr auto period = std::chrono::milliseconds(5);
// So often it looks in vain before it sleeps: who submits all the time would wake it each time.
constexpr unsigned patience = 40;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

Watch::~Watch() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Expected<void> Watch::start() {
  std::lock_guard lock(mutex_);
  return start_locked();
}

Expected<void> Watch::start_locked() {
  if (thread_.joinable()) return {};
  auto started = start_thread([this] { watch(); }, false);
  if (!started) return fail("the watchdog: {}", started.error().message);
  thread_ = std::move(*started);
  return {};
}

Expected<void> Watch::begin(Queue& queue) {
  queue.stop = stop_.load();
  queue.seen = queue.progress.load(std::memory_order_relaxed);
  queue.since = now();
  bool wake;
  {
    std::lock_guard lock(mutex_);
    if (auto started = start_locked(); !started) return started;
    running_.push_back(&queue);
    wake = asleep_;
  }
  if (wake) wake_.notify_all();
  return {};
}

void Watch::end(Queue& queue) {
  std::lock_guard lock(mutex_);
  std::erase(running_, &queue);
}

void Watch::watch() {
  std::unique_lock lock(mutex_);
  unsigned idle = 0;
  while (!ending_) {
    if (running_.empty() && ++idle > patience) {
      asleep_ = true;
      wake_.wait(lock);
      asleep_ = false;
      idle = 0;
      continue;
    }
    wake_.wait_for(lock, period);
    if (!running_.empty()) idle = 0;
    double time = now();
    int stop = stop_.load();
    for (Queue* queue : running_) {
      uint64_t progress = queue->progress.load(std::memory_order_relaxed);
      if (progress != queue->seen) queue->seen = progress, queue->since = time;
      if (stop)
        queue->stop = stop;
      else if (max_seconds_ > 0 && time - queue->since > max_seconds_)
        queue->stop = stopped_by_watch;
    }
  }
}

}  // namespace Atoll::gpu
