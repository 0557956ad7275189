// One ring as a context sees it: submissions are carried out one after the other on a thread of its own, by a queue of the
// device.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "drm/core/call.h"
#include "drm/core/user_memory.h"
#include "drm/core/virtual_memory.h"
#include "drm/session/buffer.h"
#include "drm/session/fence.h"
#include "gpu/device/device.h"

namespace Atoll::drm {

class Process;

struct Submission {
  std::vector<gpu::CommandBuffer> commands;
  std::vector<FencePtr> waits;
  std::vector<BufferPtr> buffers;          // alive until it is done
  std::vector<UserMemoryPtr> user_memory;  // of buffers among them: brought in before, taken back after
  std::shared_ptr<VirtualMemory> memory;
  uint64_t memory_mark = 0;
  bool polled = false;     // the program learns of its end by memory that its commands write, and so before it counts as done
  BufferPtr fence_buffer;  // amdgpu: where the sequence number is written when it is done
  uint64_t fence_offset = 0;
  // Called, if it fails, with the report and the queue that was lost by it (null: there is none), before it counts as done.
  std::function<void(const std::string& why, const gpu::Queue* queue)> failed;
  // set by Ring::submit
  CompletionPtr done;
  std::shared_ptr<CallEnd> call;  // that submits it; or null
  uint64_t sequence = 0;          // of the ring, from 1
  uint64_t number = 0;            // of the process, from 1
};

struct Submitted {
  uint64_t sequence = 0;
  CompletionPtr done;
};

class Ring {
public:
  // Makes the queue of the device when the first submission comes. `lost` is set when a submission fails: nothing is carried
  // out any more, by any ring with the same `lost`. Without it a failure resets the ring: the next submission has a new queue.
  Ring(Process& process, gpu::QueueKind kind, std::shared_ptr<VirtualMemory> memory, std::string name,
       std::shared_ptr<std::atomic<bool>> lost);
  ~Ring();

  // 0, or a negative errno, and then it was not submitted: ENOMEM where no thread is to be had. Waits while too many are in progress
  // (Linux amdgpu_ctx_wait_prev_fence).
  int submit(Submission submission, Submitted& submitted);
  // The submission with that number, or the last one for ~0; null when it is done or never was.
  FencePtr find(uint64_t sequence) const;
  uint64_t last() const;
  std::vector<FencePtr> running() const;
  gpu::Statistics statistics() const;

private:
  bool start_thread();
  void work();
  bool wait_for_submission(std::unique_lock<std::mutex>& lock);
  void carry_out(Submission& submission);
  Expected<void> run(Submission& submission);
  void count();
  void report(uint64_t sequence, const std::string& why);

  Process& process_;
  gpu::QueueKind kind_;
  std::shared_ptr<VirtualMemory> memory_;
  std::string name_;
  std::shared_ptr<std::atomic<bool>> lost_;
  std::unique_ptr<gpu::Queue> queue_;
  unsigned recorded_queue_ = 0;  // its number in the recording
  bool said_no_thread_ = false;
  bool owes_count_ = false;  // of the submission that has just been carried out
  gpu::Statistics counted_;  // what the session's counters know already

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Submission> waiting_;
  std::deque<std::pair<uint64_t, CompletionPtr>> in_flight_;  // by sequence
  uint64_t last_ = 0;
  bool ends_ = false;
  std::atomic<bool> has_news_{false};  // since a submission was last taken: another one, or the end
  bool last_came_soon_ = false;
  bool works_ = false;  // thread_ is there for what is submitted
  std::thread thread_;  // while there is work, and a little longer
};

// Adds the fences of everything that runs on the contexts' rings; contexts have `mutex` and `rings`.
template <class Contexts>
void add_running(const Contexts& contexts, std::vector<FencePtr>& fences) {
  for (auto& context : contexts) {
    std::lock_guard lock(context->mutex);
    for (auto& [number, ring] : context->rings)
      for (auto& fence : ring->running()) fences.push_back(fence);
  }
}

}  // namespace Atoll::drm
