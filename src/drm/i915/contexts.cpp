#include "drm/i915/contexts.h"

#include "base/log.h"

namespace Atoll::drm::i915 {

void Contexts::add_running(std::vector<FencePtr>& fences) const {
  std::vector<std::shared_ptr<Context>> contexts;
  {
    std::lock_guard lock(mutex_);
    for (auto& [id, context] : contexts_) contexts.push_back(context);
  }
  for (auto& context : contexts) {
    std::lock_guard lock(context->mutex);
    for (auto& [index, ring] : context->rings)
      for (auto& fence : ring->running()) fences.push_back(fence);
  }
}

void Contexts::forget(const Buffer& buffer, const std::vector<FencePtr>& running) {
  std::vector<std::shared_ptr<VirtualMemory>> memories;
  {
    std::lock_guard lock(mutex_);
    user_memory_.erase(&buffer);
    std::erase_if(all_memories_, [](auto& memory) { return memory.expired(); });
    for (auto& weak : all_memories_)
      if (auto memory = weak.lock()) memories.push_back(std::move(memory));
  }
  for (auto& memory : memories) memory->unmap_all(buffer, running);
}

std::shared_ptr<VirtualMemory> Contexts::make_memory(File& file) {
  auto memory = VirtualMemory::create(file.process(), AddressSpace::create_sectioned(file.process().session()));
  if (!memory) return nullptr;
  std::lock_guard lock(mutex_);
  all_memories_.push_back(memory);
  return memory;
}

std::shared_ptr<VirtualMemory> Contexts::memory_of(File& file, Context& context) {
  std::lock_guard lock(context.mutex);
  if (!context.memory) context.memory = make_memory(file);
  return context.memory;
}

uint32_t Contexts::add(std::shared_ptr<Context> context) {
  std::lock_guard lock(mutex_);
  while (next_ == 0 || contexts_.count(next_)) next_++;
  contexts_[next_] = std::move(context);
  return next_++;
}

std::shared_ptr<Context> Contexts::find(uint32_t id) {
  std::lock_guard lock(mutex_);
  if (auto found = contexts_.find(id); found != contexts_.end()) return found->second;
  if (id) return nullptr;
  return contexts_[0] = std::make_shared<Context>();
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

uint32_t Contexts::add_memory(std::shared_ptr<VirtualMemory> memory) {
  std::lock_guard lock(mutex_);
  while (next_memory_ == 0 || memories_.count(next_memory_)) next_memory_++;
  memories_[next_memory_] = std::move(memory);
  return next_memory_++;
}

std::shared_ptr<VirtualMemory> Contexts::find_memory(uint32_t id) const {
  std::lock_guard lock(mutex_);
  auto found = memories_.find(id);
  return found == memories_.end() ? nullptr : found->second;
}

bool Contexts::remove_memory(uint32_t id) {
  std::lock_guard lock(mutex_);
  return memories_.erase(id) != 0;
}

void Contexts::add_user_memory(const Buffer& buffer, UserMemoryPtr memory) {
  std::lock_guard lock(mutex_);
  user_memory_[&buffer] = std::move(memory);
}

UserMemoryPtr Contexts::find_user_memory(const Buffer& buffer) const {
  std::lock_guard lock(mutex_);
  auto found = user_memory_.find(&buffer);
  return found == user_memory_.end() ? nullptr : found->second;
}

}  // namespace Atoll::drm::i915
