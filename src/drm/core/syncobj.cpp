#include "drm/core/syncobj.h"

#include <fcntl.h>
#include <libdrm/drm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/log.h"
#include "drm/core/file.h"
#include "drm/session/sync_file.h"

namespace Atoll::drm {

SharedLine* Syncobj::shared(std::unique_lock<std::mutex>& lock) const {
  if (shared_) lock.unlock();
  return shared_.get();
}

Expected<std::shared_ptr<SharedLine>> Syncobj::share(const std::shared_ptr<Session>& session) {
  std::lock_guard lock(mutex_);
  if (shared_) return shared_;
  auto made = SharedLine::make(session, points_, reached_);
  if (!made) return made;
  points_.clear();
  shared_ = *made;
  return shared_;
}

void Syncobj::replace(FencePtr fence) {
  std::unique_lock lock(mutex_);
  if (auto* line = shared(lock)) return line->replace(fence);
  points_.clear();
  reached_ = 0;
  if (fence) points_.push_back({0, std::move(fence)});
}

void Syncobj::add_point(uint64_t point, FencePtr fence) {
  std::unique_lock lock(mutex_);
  if (auto* line = shared(lock)) return line->add_point(point, fence);
  while (points_.size() > 1 && points_.front().fence->done()) {
    reached_ = std::max(reached_, points_.front().number);
    points_.erase(points_.begin());
  }
  uint64_t last = points_.empty() ? reached_ : points_.back().number;
  points_.push_back({std::max(point, last), std::move(fence)});
}

void Syncobj::signal(uint64_t point, FencePtr fence) {
  if (point)
    add_point(point, std::move(fence));
  else
    replace(std::move(fence));
}

std::optional<FencePtr> Syncobj::find(uint64_t point) const {
  std::unique_lock lock(mutex_);
  if (auto* line = shared(lock)) return line->find(point);
  if (points_.empty()) return {};
  std::vector<FencePtr> all;
  for (auto& one : points_) {
    all.push_back(one.fence);
    if (point != 0 && one.number >= point) break;
  }
  // point 0 of a line is its last
  if (point != 0 && points_.back().number < point) return {};
  if (all.size() == 1) return all.front();
  return std::make_shared<FenceSet>(std::move(all));
}

uint64_t Syncobj::query(bool submitted) const {
  std::unique_lock lock(mutex_);
  if (auto* line = shared(lock)) return line->query(submitted);
  uint64_t reached = reached_;
  for (auto& one : points_) {
    if (!submitted && !one.fence->done()) break;
    reached = std::max(reached, one.number);
  }
  return reached;
}

namespace {

FencePtr signalled(File& file) {
  auto fence = std::make_shared<Completion>(file.process().session());
  fence->signal();
  return fence;
}

bool find_all(File& file, uint64_t handles, uint32_t count, std::vector<std::shared_ptr<Syncobj>>& found) {
  std::vector<uint32_t> numbers;
  if (!read_user(numbers, handles, count)) return false;
  for (uint32_t number : numbers) {
    found.push_back(file.syncobjs().find(number));
    if (!found.back()) return false;
  }
  return true;
}

int create(File& file, void* argument) {
  auto& a = *static_cast<drm_syncobj_create*>(argument);
  if (a.flags & ~uint32_t(DRM_SYNCOBJ_CREATE_SIGNALED)) return -EINVAL;
  auto object = std::make_shared<Syncobj>();
  if (a.flags & DRM_SYNCOBJ_CREATE_SIGNALED) object->replace(signalled(file));
  a.handle = file.syncobjs().add(std::move(object));
  return 0;
}

int destroy(File& file, void* argument) {
  return file.syncobjs().remove(static_cast<drm_syncobj_destroy*>(argument)->handle) ? 0 : -EINVAL;
}

int handle_to_fd(File& file, void* argument) {
  auto& a = *static_cast<drm_syncobj_handle*>(argument);
  auto object = file.syncobjs().find(a.handle);
  if (!object) return -EINVAL;
  if (a.flags & DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE) {
    auto fence = object->find(0);
    if (!fence) return -EINVAL;
    a.fd = make_sync_file(file.process().session(), *fence);
    return a.fd < 0 ? a.fd : 0;
  }
  if (a.flags) return -EINVAL;
  auto line = object->share(file.process().session());
  auto fd = line ? (*line)->make_descriptor() : std::unexpected(line.error());
  if (!fd) {
    log(LogLevel::warn, "drm", "SYNCOBJ_HANDLE_TO_FD: {}", fd.error().message);
    return line ? -EMFILE : -ENOMEM;
  }
  a.fd = *fd;
  return 0;
}

int fd_to_handle(File& file, void* argument) {
  auto& a = *static_cast<drm_syncobj_handle*>(argument);
  if (a.flags & DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE) {
    auto object = file.syncobjs().find(a.handle);
    if (!object || !is_sync_file(a.fd)) return -EINVAL;
    object->replace(std::make_shared<DescriptorFence>(a.fd));
    file.session().notify();
    return 0;
  }
  if (a.flags) return -EINVAL;
  const long position = file.session().is_own(a.fd) ? ::syscall(SYS_lseek, a.fd, 0, SEEK_CUR) : 0;
  auto line = position > 0 ? SharedLine::open(file.process().session(), uint64_t(position)) : nullptr;
  if (!line) {
    log(LogLevel::info, "drm", "descriptor {} is no sync object of this session: not imported", a.fd);
    return -EINVAL;
  }
  a.handle = file.syncobjs().add(std::make_shared<Syncobj>(std::move(line)));
  return 0;
}

int wait_for(File& file, uint64_t handles, uint64_t points, uint32_t count, int64_t timeout, uint32_t flags, uint32_t& first) {
  if (flags &
      ~uint32_t(DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE))
    return -EINVAL;
  if (count == 0) return -EINVAL;
  std::vector<std::shared_ptr<Syncobj>> objects;
  if (!find_all(file, handles, count, objects)) return -ENOENT;  // bounds the count as well
  std::vector<uint64_t> numbers(count);
  if (points && !read_user(numbers, points, count)) return -EFAULT;
  bool all = flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL, available = flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE;
  bool later = available || (flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT);
  if (!later)
    for (uint32_t i = 0; i < count; ++i)
      if (!objects[i]->find(numbers[i])) return -EINVAL;
  bool asked = false;
  auto look = [&] {
    uint32_t ready = 0;
    int found = -1;
    for (uint32_t i = 0; i < count; ++i) {
      auto fence = objects[i]->find(numbers[i]);
      if (!fence || !(available || (*fence)->done() || (asked && (*fence)->abandoned()))) continue;
      if (found < 0) found = int(i);
      ready++;
    }
    asked = true;
    if (all ? ready < count : ready == 0) return false;
    first = uint32_t(found);
    return true;
  };
  // what other processes or sync files end is asked for now and then
  uint64_t deadline = timeout < 0 ? 0 : uint64_t(timeout);
  return wait_until(file.session(), deadline, 5'000'000, look) ? 0 : -ETIME;
}

int wait(File& file, void* argument) {
  auto& a = *static_cast<drm_syncobj_wait*>(argument);
  return wait_for(file, a.handles, 0, a.count_handles, a.timeout_nsec, a.flags, a.first_signaled);
}

int timeline_wait(File& file, void* argument) {
  auto& a = *static_cast<drm_syncobj_timeline_wait*>(argument);
  return wait_for(file, a.handles, a.points, a.count_handles, a.timeout_nsec, a.flags, a.first_signaled);
}

int reset(File& file, void* argument) {
  auto& a = *static_cast<drm_syncobj_array*>(argument);
  std::vector<std::shared_ptr<Syncobj>> objects;
  if (a.count_handles == 0) return -EINVAL;
  if (!find_all(file, a.handles, a.count_handles, objects)) return -ENOENT;
  for (auto& object : objects) object->replace(nullptr);
  return 0;
}

int signal(File& file, void* argument) {
  auto& a = *static_cast<drm_syncobj_array*>(argument);
  std::vector<std::shared_ptr<Syncobj>> objects;
  if (a.count_handles == 0) return -EINVAL;
  if (!find_all(file, a.handles, a.count_handles, objects)) return -ENOENT;
  for (auto& object : objects) object->replace(signalled(file));
  file.session().notify();
  return 0;
}

int timeline_signal(File& file, void* argument) {
  auto& a = *static_cast<drm_syncobj_timeline_array*>(argument);
  std::vector<std::shared_ptr<Syncobj>> objects;
  std::vector<uint64_t> numbers;
  if (a.count_handles == 0 || a.flags) return -EINVAL;
  if (!find_all(file, a.handles, a.count_handles, objects)) return -ENOENT;
  if (!read_user(numbers, a.points, a.count_handles)) return -EFAULT;
  for (uint32_t i = 0; i < a.count_handles; ++i) objects[i]->add_point(numbers[i], signalled(file));
  file.session().notify();
  return 0;
}

int query(File& file, void* argument) {
  auto& a = *static_cast<drm_syncobj_timeline_array*>(argument);
  std::vector<std::shared_ptr<Syncobj>> objects;
  if (a.count_handles == 0 || (a.flags & ~uint32_t(DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED))) return -EINVAL;
  if (!find_all(file, a.handles, a.count_handles, objects)) return -ENOENT;
  std::vector<uint64_t> numbers;
  numbers.reserve(objects.size());
  for (auto& object : objects) numbers.push_back(object->query(a.flags & DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED));
  return write_user(a.points, numbers.data(), numbers.size() * 8) ? 0 : -EFAULT;
}

int transfer(File& file, void* argument) {
  auto& a = *static_cast<drm_syncobj_transfer*>(argument);
  auto from = file.syncobjs().find(a.src_handle), to = file.syncobjs().find(a.dst_handle);
  if (!from || !to) return -ENOENT;
  std::optional<FencePtr> fence = from->find(a.src_point);
  if (!fence && (a.flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT))
    wait_until(file.session(), monotonic_nanoseconds() + file.process().submit_wait, UINT64_MAX,
               [&] { return bool(fence = from->find(a.src_point)); });
  if (!fence) return -EINVAL;
  to->signal(a.dst_point, *fence);
  file.session().notify();
  return 0;
}

constexpr Ioctl table[] = {
    {0xbf, sizeof(drm_syncobj_create), "SYNCOBJ_CREATE", create},
    {0xc0, sizeof(drm_syncobj_destroy), "SYNCOBJ_DESTROY", destroy},
    {0xc1, sizeof(drm_syncobj_handle), "SYNCOBJ_HANDLE_TO_FD", handle_to_fd},
    {0xc2, sizeof(drm_syncobj_handle), "SYNCOBJ_FD_TO_HANDLE", fd_to_handle},
    {0xc3, sizeof(drm_syncobj_wait), "SYNCOBJ_WAIT", wait},
    {0xc4, sizeof(drm_syncobj_array), "SYNCOBJ_RESET", reset},
    {0xc5, sizeof(drm_syncobj_array), "SYNCOBJ_SIGNAL", signal},
    {0xca, sizeof(drm_syncobj_timeline_wait), "SYNCOBJ_TIMELINE_WAIT", timeline_wait},
    {0xcb, sizeof(drm_syncobj_timeline_array), "SYNCOBJ_QUERY", query},
    {0xcc, sizeof(drm_syncobj_transfer), "SYNCOBJ_TRANSFER", transfer},
    {0xcd, sizeof(drm_syncobj_timeline_array), "SYNCOBJ_TIMELINE_SIGNAL", timeline_signal},
};

}  // namespace

std::span<const Ioctl> syncobj_ioctls() { return table; }

}  // namespace Atoll::drm
