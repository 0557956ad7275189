#include "base/worker_pool.h"

#include <algorithm>
#include <new>

#include "base/start_thread.h"

namespace Atoll {

namespace {
constexpr uint64_t part_mask = (1u << 20) - 1;
// The time that the caller works alone: about 10 microseconds, and 150 while the others have something to do.
constexpr uint64_t cycles_alone = 30000, cycles_beside = 450000;
void pause() { __builtin_ia32_pause(); }
}  // namespace

WorkerPool::WorkerPool(unsigned count, bool at_once)
    : count_(count ? count : std::max(1u, std::thread::hardware_concurrency())), ranges_(std::make_unique<Range[]>(count_)) {
  threads_.reserve(count_ - 1);
  if (at_once) start_threads();
}

// If the system gives no more threads, those that there are do all the work.
void WorkerPool::start_threads() {
  started_ = true;
  for (unsigned worker = 1; worker < count_; worker++) {
    auto thread = start_thread([this, worker] { serve(worker); });
    if (!thread) return;
    threads_.push_back(std::move(*thread));
  }
}

WorkerPool::~WorkerPool() {
  abandon();
  rest();
}

void WorkerPool::abandon() {
  if (begun_) take_part_until_done();
  begun_ = false;
  no_memory_.store(false, std::memory_order_relaxed);
}

void WorkerPool::rest() {
  if (begun_) return;
  end_ = true;
  wake();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
  end_ = false;
  started_ = false;
}

void WorkerPool::wake() {
  wake_.fetch_add(1, std::memory_order_release);
  wake_.notify_all();
}

// From part `first` on.
void WorkerPool::hand_out(unsigned first, unsigned parts, Function function, void* context) {
  if (!started_) start_threads();
  function_ = function;
  context_ = context;
  parts_ = parts;
  done_.store(first, std::memory_order_relaxed);
  generation_++;
  for (unsigned worker = 0; worker < count_; worker++) {
    const uint64_t begin = std::max<uint64_t>(first, uint64_t(parts) * worker / count_),
                   end = std::max<uint64_t>(first, uint64_t(parts) * (worker + 1) / count_);
    ranges_[worker].ticket.store(generation_ << 40 | end << 20 | begin, std::memory_order_release);
  }
  wake();
}

void WorkerPool::take_part_until_done() {
  while (take_part(0)) {
  }
  for (unsigned spin = 0; done_.load(std::memory_order_acquire) != parts_; spin++) {
    if (spin < 4000) {
      pause();
      continue;
    }
    uint32_t done = done_.load(std::memory_order_acquire);
    if (done != parts_) done_.wait(done, std::memory_order_acquire);
  }
}

void WorkerPool::pass_on_failure() {
  if (no_memory_.exchange(false, std::memory_order_relaxed)) throw std::bad_alloc();
}

void WorkerPool::share(unsigned parts, Function function, void* context, bool wake_at_once) {
  unsigned part = 0;
  if (parts > 1 && count_ > 1) {
    // Waking another thread costs more than little work does: it is done when the work is found to take its time.
    const uint64_t begin = __builtin_ia32_rdtsc(), alone = begun_ ? cycles_beside : cycles_alone;
    while (!wake_at_once && part < parts && __builtin_ia32_rdtsc() - begin < alone) function(context, 0, part++);
    if (part + 1 < parts) {
      finish();
      hand_out(part, parts, function, context);
      take_part_until_done();
      return pass_on_failure();
    }
  }
  while (part < parts) function(context, 0, part++);
}

void WorkerPool::begin(unsigned parts, Function function, void* context) {
  if (count_ == 1) {
    for (unsigned part = 0; part < parts; part++) function(context, 0, part);
    return;
  }
  finish();
  if (!parts) return;
  hand_out(0, parts, function, context);
  begun_ = true;
}

bool WorkerPool::finish() {
  if (!begun_) return false;
  begun_ = false;
  take_part_until_done();
  pass_on_failure();
  return true;
}

bool WorkerPool::take_part_of(Range& range, unsigned worker) {
  const bool own = &range == &ranges_[worker];
  uint64_t ticket = range.ticket.load(std::memory_order_acquire);
  for (;;) {
    const uint64_t next = ticket & part_mask, end = ticket >> 20 & part_mask;
    if (next >= end) return false;
    const uint64_t taken = own ? ticket + 1 : ticket - (uint64_t(1) << 20);
    if (range.ticket.compare_exchange_weak(ticket, taken, std::memory_order_acq_rel, std::memory_order_acquire)) {
      const uint32_t parts = parts_;
      try {
        function_(context_, worker, unsigned(own ? next : end - 1));
      } catch (const std::bad_alloc&) {  // for whoever waits for the work, when all of it has been looked at
        no_memory_.store(true, std::memory_order_relaxed);
      }
      if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == parts) done_.notify_one();
      return true;
    }
  }
}

bool WorkerPool::take_part(unsigned worker) {
  for (unsigned n = 0; n < count_; n++)
    if (take_part_of(ranges_[(worker + n) % count_], worker)) return true;
  return false;
}

void WorkerPool::serve(unsigned worker) {
  uint32_t seen = 0;
  for (;;) {
    uint32_t now = wake_.load(std::memory_order_acquire);
    for (unsigned spin = 0; now == seen && spin < 2000; spin++) {
      pause();
      now = wake_.load(std::memory_order_acquire);
    }
    if (now == seen) {
      wake_.wait(seen, std::memory_order_acquire);
      continue;
    }
    seen = now;
    if (end_) return;
    while (take_part(worker)) {
    }
  }
}

}  // namespace Atoll
