#include "drm/amdgpu/contexts.h"

namespace Atoll::drm::amdgpu {

Ring* Context::find(uint32_t type, uint32_t number) {
  std::lock_guard lock(mutex);
  auto found = rings.find(type << 8 | number);
  return found == rings.end() ? nullptr : found->second.get();
}

void Contexts::add_running(std::vector<FencePtr>& fences) const {
  std::vector<std::shared_ptr<Context>> contexts;
  {
    std::lock_guard lock(mutex_);
    for (auto& [id, context] : contexts_) contexts.push_back(context);
  }
  for (auto& context : contexts) {
    std::lock_guard lock(context->mutex);
    for (auto& [key, ring] : context->rings)
      for (auto& fence : ring->running()) fences.push_back(fence);
  }
}

uint32_t Contexts::add() {
  std::lock_guard lock(mutex_);
  while (next_ == 0 || contexts_.count(next_)) next_++;
  uint32_t id = next_++;
  contexts_[id] = std::make_shared<Context>();
  return id;
}

std::shared_ptr<Context> Contexts::find(uint32_t id) const {
  std::lock_guard lock(mutex_);
  auto found = contexts_.find(id);
  return found == contexts_.end() ? nullptr : found->second;
}

bool Contexts::remove(uint32_t id) {
  std::shared_ptr<Context> removed;  // ends its rings outside of the lock
  std::lock_guard lock(mutex_);
  auto found = contexts_.find(id);
  if (found == contexts_.end()) return false;
  removed = std::move(found->second);
  contexts_.erase(found);
  return true;
}

}  // namespace Atoll::drm::amdgpu
