// Threads that share work, kept from one piece of work to the next. The thread that calls share() is worker
// 0; the others only ever run work that is handed out here.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

namespace Atoll {

class WorkerPool {
public:
  // `count` workers, the caller of share() among them; 0: as many as the machine has processors.
  // `at_once`: their threads begin now, else with the first work for them.
  explicit WorkerPool(unsigned count, bool at_once = true);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  unsigned count() const { return count_; }

  // The threads end, and come back with the next work that is handed out. For whoever has none for a while; nothing is begun.
  void rest();

  // work(worker, part) for every part below `parts` (at most max_parts), each once, in any order and on any worker; returns when
  // all of them are done; the same parts of the next work are as a rule the same worker's, whose caches have what they are of. One
  // caller at a time. Other threads are woken when the work is found to take its time.
  template <class Work>
  void share(unsigned parts, Work&& work) {
    share(parts, call<std::remove_reference_t<Work>>, &work, false);
  }
  // The same for parts that each go on until all work is done: the others are woken before the first begins.
  template <class Work>
  void run_together(unsigned parts, Work&& work) {
    share(parts, call<std::remove_reference_t<Work>>, &work, true);
  }
  // Work that the other threads do while the caller goes on. It and what it works on stand until finish(), which does what is left of
  // it with them. What is shared in between is the caller's alone as long as it is little, and waits for finish() if it is more. With
  // one worker it is done before begin() returns.
  template <class Work>
  void begin(unsigned parts, Work& work) {
    begin(parts, call<Work>, &work);
  }
  // True: there was some. Both this and share() throw bad_alloc where a part did, when all others have ended.
  bool finish();
  // The same, whatever becomes of it: for whoever cannot go on.
  void abandon();
  // True if nothing is left of what was begun, so that finish() waits for nobody.
  bool is_idle() const { return !begun_ || done_.load(std::memory_order_acquire) == parts_; }
  static constexpr unsigned max_parts = (1u << 20) - 1;

private:
  // The parts of a job that a worker begins with: generation << 40 | end << 20 | next. The thread that moves one of the ends owns
  // that part of that very job: the worker the first one, those who have none left the last one.
  struct alignas(64) Range {
    std::atomic<uint64_t> ticket{0};
  };
  using Function = void (*)(void* context, unsigned worker, unsigned part);
  template <class Work>
  static void call(void* work, unsigned worker, unsigned part) {
    (*static_cast<Work*>(work))(worker, part);
  }
  void share(unsigned parts, Function function, void* context, bool wake_at_once);
  void begin(unsigned parts, Function function, void* context);
  void start_threads();
  void take_part_until_done();
  void pass_on_failure();
  void hand_out(unsigned first, unsigned parts, Function function, void* context);
  void wake();
  bool take_part(unsigned worker);  // false: none is left
  bool take_part_of(Range& range, unsigned worker);
  void serve(unsigned worker);

  unsigned count_;
  Function function_ = nullptr;
  void* context_ = nullptr;
  uint32_t parts_ = 0;  // of what is handed out
  bool begun_ = false;  // begin() without finish()
  std::unique_ptr<Range[]> ranges_;
  uint64_t generation_ = 0;
  alignas(64) std::atomic<uint32_t> done_{0};
  alignas(64) std::atomic<uint32_t> wake_{0};
  std::atomic<bool> end_{false};
  std::atomic<bool> no_memory_{false};  // in some part of the work
  bool started_ = false;                // all threads that there were to be had, with the first work for them
  std::vector<std::thread> threads_;
};

}  // namespace Atoll
