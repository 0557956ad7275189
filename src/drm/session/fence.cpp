#include "drm/session/fence.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

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

int make_sync_file(const FencePtr& fence) {
  if (auto* external = dynamic_cast<const DescriptorFence*>(fence.get())) {
    int copy = ::fcntl(external->descriptor(), F_DUPFD_CLOEXEC, 0);
    return copy < 0 ? -errno : copy;
  }
  int fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (fd < 0) return -errno;
  auto signal = [](int where) { return ::eventfd_write(where, 1); };
  if (!fence || fence->done()) {
    signal(fd);
    return fd;
  }
  if (auto* completion = dynamic_cast<const Completion*>(fence.get())) {
    int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
    completion->then([copy, signal] {
      signal(copy);
      ::close(copy);
    });
    return fd;
  }
  // of several, or of another process: nobody calls back, so the wait is now
  while (!fence->done() && !fence->abandoned()) ::usleep(200);
  signal(fd);
  return fd;
}

// make_sync_file's are event counters.
bool is_sync_file(int descriptor) {
  char target[64]{};
  return ::readlink(fmt::format("/proc/self/fd/{}", descriptor).c_str(), target, sizeof target - 1) > 0 &&
         std::string_view(target) == "anon_inode:[eventfd]";
}

}  // namespace Atoll::drm
