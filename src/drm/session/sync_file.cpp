#include "drm/session/sync_file.h"

#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/start_thread.h"
#include "drm/session/session_file.h"

namespace Atoll::drm {
namespace {

struct Ends {
  int waits = -1, signals = -1;
};

int make_ends(Ends& ends) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0) return -errno;
  // what tells it from other sockets; nothing is ever sent by this end
  const timeval mark{sync_file_mark, 0};
  ::setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &mark, sizeof mark);
  ends = {pair[0], pair[1]};
  // away from the low numbers, which programs count on (and close)
  constexpr int first_number = 700;
  if (int high = ::fcntl(ends.signals, F_DUPFD_CLOEXEC, first_number); high >= 0) {
    ::close(ends.signals);
    ends.signals = high;
  }
  return 0;
}

void signal(int end, uint64_t time) {
  (void)!::send(end, &time, sizeof time, MSG_NOSIGNAL | MSG_DONTWAIT);
  ::close(end);
}

bool is_done(int descriptor) {
  pollfd one{descriptor, POLLIN, 0};
  return ::poll(&one, 1, 0) != 0;
}

// When it was done; 0 if nobody said it.
uint64_t time_of(int descriptor) {
  uint64_t time = 0;
  return ::recv(descriptor, &time, sizeof time, MSG_PEEK | MSG_DONTWAIT) == sizeof time ? time : 0;
}

int copy_of(int descriptor) {
  int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  return copy < 0 ? -errno : copy;
}

// One that is done when both are.
int merge(int a, int b) {
  if (is_done(a)) return copy_of(is_done(b) && time_of(a) > time_of(b) ? a : b);
  if (is_done(b)) return copy_of(a);
  const int first = copy_of(a), second = copy_of(b);
  Ends ends;
  int error = std::min({first, second, 0});
  if (!error) error = make_ends(ends);
  if (error) {
    for (int one : {first, second})
      if (one >= 0) ::close(one);
    return error;
  }
  auto wait = [first, second, end = ends.signals] {
    for (int one : {first, second}) {
      pollfd waited{one, POLLIN, 0};
      while (::poll(&waited, 1, -1) < 0 && errno == EINTR) {
      }
    }
    signal(end, std::max(time_of(first), time_of(second)));
    for (int one : {first, second}) ::close(one);
  };
  if (auto thread = start_thread(wait, false))
    thread->detach();
  else
    wait();
  return ends.waits;
}

constexpr char fence_name[] = "atoll";

int file_info(int descriptor, sync_file_info& a) {
  if (a.flags || a.pad) return -EINVAL;
  const bool done = is_done(descriptor);
  if (a.num_fences) {
    sync_fence_info fence{};
    std::memcpy(fence.obj_name, fence_name, sizeof fence_name);
    std::memcpy(fence.driver_name, fence_name, sizeof fence_name);
    fence.status = done;
    fence.timestamp_ns = done ? time_of(descriptor) : 0;
    if (!a.sync_fence_info) return -EFAULT;
    std::memcpy(reinterpret_cast<void*>(a.sync_fence_info), &fence, sizeof fence);
  }
  std::memset(a.name, 0, sizeof a.name);
  std::memcpy(a.name, fence_name, sizeof fence_name);
  a.status = done;
  a.num_fences = 1;
  return 0;
}

}  // namespace

int make_sync_file(const std::shared_ptr<Session>& session, const FencePtr& fence) {
  if (auto* external = dynamic_cast<const DescriptorFence*>(fence.get())) return copy_of(external->descriptor());
  Ends ends;
  if (int error = make_ends(ends)) return error;
  when_done(session, fence, [end = ends.signals] { signal(end, monotonic_nanoseconds()); });
  return ends.waits;
}

bool is_sync_file(int descriptor) {
  timeval mark{};
  socklen_t bytes = sizeof mark;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &mark, &bytes) == 0 && mark.tv_sec == sync_file_mark;
}

int sync_file_ioctl(int descriptor, unsigned long request, void* argument) {
  if (!is_sync_file(descriptor)) return -ENOTTY;
  if (!argument) return -EFAULT;
  switch (unsigned(request)) {
    case unsigned(SYNC_IOC_MERGE): {
      auto& a = *static_cast<sync_merge_data*>(argument);
      if (a.flags || a.pad) return -EINVAL;
      if (!is_sync_file(a.fd2)) return -ENOENT;
      const int merged = merge(descriptor, a.fd2);
      if (merged < 0) return merged;
      a.fence = merged;
      return 0;
    }
    case unsigned(SYNC_IOC_FILE_INFO): return file_info(descriptor, *static_cast<sync_file_info*>(argument));
    default: return -ENOTTY;
  }
}

}  // namespace Atoll::drm
