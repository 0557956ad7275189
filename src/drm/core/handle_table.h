// Numbers for a file's objects, given out in order, never 0 and never one that is in use (Linux lib/idr.c, cyclic).
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace Atoll::drm {

template <class Object>
class HandleTable {
public:
  using Pointer = std::shared_ptr<Object>;

  uint32_t add(Pointer object) {
    std::lock_guard lock(mutex_);
    while (next_ == 0 || objects_.count(next_)) next_++;
    objects_[next_] = std::move(object);
    return next_++;
  }
  // Null: there is none.
  Pointer find(uint32_t handle) const {
    std::lock_guard lock(mutex_);
    auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }
  // `make` is called under the lock.
  template <class Make>
  Pointer find_or_make(uint32_t handle, Make&& make) {
    std::lock_guard lock(mutex_);
    Pointer& object = objects_[handle];
    if (!object) object = make();
    return object;
  }
  // The object ends outside of the lock, if this was the last that held it. False: there is none.
  bool remove(uint32_t handle) {
    Pointer removed;
    std::lock_guard lock(mutex_);
    auto found = objects_.find(handle);
    if (found == objects_.end()) return false;
    removed = std::move(found->second);
    objects_.erase(found);
    return true;
  }
  std::vector<Pointer> all() const {
    std::lock_guard lock(mutex_);
    std::vector<Pointer> objects;
    objects.reserve(objects_.size());
    for (auto& [handle, object] : objects_) objects.push_back(object);
    return objects;
  }

private:
  mutable std::mutex mutex_;
  std::map<uint32_t, Pointer> objects_;
  uint32_t next_ = 1;
};

}  // namespace Atoll::drm
