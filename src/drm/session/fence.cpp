#include "drm/session/fence.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "base/start_thread.h"

namespace Atoll::drm {

void Completion::signal() {
  std::vector<std::function<void()>> callbacks;
  {
    std::lock_guard lock(mutex_);
    done_.store(true, std::memory_order_release);
    callbacks.swap(callbacks_);
  }
  for (auto& what : callbacks) what();
  session_->notify();
}

void Completion::then(std::function<void()> what) const {
  {
    std::lock_guard lock(mutex_);
    if (!done()) {
      callbacks_.push_back(std::move(what));
      return;
    }
  }
  what();
}

DescriptorFence::DescriptorFence(int descriptor) : descriptor_(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) {}

DescriptorFence::~DescriptorFence() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool DescriptorFence::done() const {
  pollfd one{descriptor_, POLLIN, 0};
  return descriptor_ < 0 || ::poll(&one, 1, 0) != 0;  // an error is no reason to wait for ever
}

bool FenceSet::done() const {
  return std::all_of(fences_.begin(), fences_.end(), [](auto& fence) { return fence->done(); });
}

bool FenceSet::abandoned() const {
  return std::all_of(fences_.begin(), fences_.end(), [](auto& fence) { return fence->done() || fence->abandoned(); });
}

uint64_t FenceSet::interval() const {
  uint64_t least = UINT64_MAX;
  for (auto& fence : fences_) least = std::min(least, fence->interval());
  return least;
}

bool wait_until(Session& session, uint64_t deadline, uint64_t interval, const std::function<bool()>& condition) {
  constexpr uint64_t longest = 3'600'000'000'000;  // timespec's range
  for (;;) {
    uint32_t seen = session.events();
    if (condition()) return true;
    uint64_t now = monotonic_nanoseconds();
    if (now >= deadline) return false;
    session.wait(seen, std::min(deadline, now + std::min(interval, longest)));
  }
}

bool wait_all(Session& session, std::span<const FencePtr> fences, uint64_t deadline, const std::function<bool()>& give_up) {
  uint64_t interval = UINT64_MAX;
  for (auto& fence : fences) interval = std::min(interval, fence->interval());
  return wait_until(session, deadline, interval, [&, asked = false]() mutable {
    bool all = std::all_of(fences.begin(), fences.end(), [&](auto& f) { return f->done() || (asked && f->abandoned()); });
    asked = true;
    return all || (give_up && give_up());
  });
}

int wait_any(Session& session, std::span<const FencePtr> fences, uint64_t deadline) {
  uint64_t interval = UINT64_MAX;
  for (auto& fence : fences) interval = std::min(interval, fence->interval());
  int first = -1;
  wait_until(session, deadline, interval, [&, asked = false]() mutable {
    auto found = std::find_if(fences.begin(), fences.end(), [&](auto& f) { return f->done() || (asked && f->abandoned()); });
    asked = true;
    if (found == fences.end()) return false;
    first = int(found - fences.begin());
    return true;
  });
  return first;
}

void when_done(const std::shared_ptr<Session>& session, const FencePtr& fence, std::function<void()> what) {
  if (!fence || fence->done()) return what();
  if (auto* completion = dynamic_cast<const Completion*>(fence.get())) return completion->then(std::move(what));
  auto wait = [session, fence, what] {
    wait_all(*session, {&fence, 1}, UINT64_MAX);
    what();
  };
  auto thread = start_thread(wait, false);
  if (thread)
    thread->detach();
  else
    wait();
}

}  // namespace Atoll::drm
