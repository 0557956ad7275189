// Fences, which can be waited for: the end of a submission of this process or of another one, or a sync file. All waiting goes through the
// session's event counter (Session::wait), so that any mixture can be waited for at once.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "drm/session/session.h"

namespace Atoll::drm {

class Fence {
public:
  virtual ~Fence() = default;
  virtual bool done() const = 0;
  // Asked when `done` has been false for a while: is there still somebody who will make it true?
  virtual bool abandoned() const { return false; }
  // Nanoseconds after which done() is to be asked again although no event was reported.
  virtual uint64_t interval() const { return UINT64_MAX; }
};
using FencePtr = std::shared_ptr<const Fence>;

// Signalled by this process, once.
class Completion : public Fence {
public:
  explicit Completion(std::shared_ptr<Session> session) : session_(std::move(session)) {}
  bool done() const override { return done_.load(std::memory_order_acquire); }
  void signal();
  // Calls `what` when it is signalled (on the thread that does it), or now if it was.
  void then(std::function<void()> what) const;
  bool failed = false;  // set before signal(): the work was not carried out

private:
  std::shared_ptr<Session> session_;
  std::atomic<bool> done_{false};
  mutable std::mutex mutex_;
  mutable std::vector<std::function<void()>> callbacks_;
};
using CompletionPtr = std::shared_ptr<Completion>;

// Work of another process of the session.
class ForeignFence : public Fence {
public:
  ForeignFence(std::shared_ptr<Session> session, SharedFence fence) : session_(std::move(session)), fence_(fence) {}
  bool done() const override { return session_->is_done(fence_); }
  bool abandoned() const override { return !session_->is_alive(fence_); }
  uint64_t interval() const override { return 100'000'000; }

private:
  std::shared_ptr<Session> session_;
  SharedFence fence_;
};

// A sync file: a descriptor that polls readable once it is signalled.
class DescriptorFence : public Fence {
public:
  explicit DescriptorFence(int descriptor);  // keeps a duplicate
  ~DescriptorFence() override;
  bool done() const override;
  uint64_t interval() const override { return 500'000; }
  int descriptor() const { return descriptor_; }

private:
  int descriptor_;
};

// All of several.
class FenceSet : public Fence {
public:
  explicit FenceSet(std::vector<FencePtr> fences) : fences_(std::move(fences)) {}
  bool done() const override;
  bool abandoned() const override;
  uint64_t interval() const override;

private:
  std::vector<FencePtr> fences_;
};

// Until `condition` holds; false at the deadline (CLOCK_MONOTONIC nanoseconds). It is asked after every event, and every
// `interval`. All fences are waited for, unless `give_up` says at some event that there is no use.
bool wait_until(Session& session, uint64_t deadline, uint64_t interval, const std::function<bool()>& condition);
bool wait_all(Session& session, std::span<const FencePtr> fences, uint64_t deadline, const std::function<bool()>& give_up = {});
// The index of one that is done, or -1.
int wait_any(Session& session, std::span<const FencePtr> fences, uint64_t deadline);

// Calls `what` once the fence is done, or nobody is left who will make it so: now, on the thread that signals it, or on one that waits for it.
// (It waits here if no thread can be started.)
void when_done(const std::shared_ptr<Session>& session, const FencePtr& fence, std::function<void()> what);

}  // namespace Atoll::drm
