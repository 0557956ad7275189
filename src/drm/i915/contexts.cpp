#include "drm/i915/contexts.h"

#include "base/log.h"

namespace Atoll::drm::i915 {

void Contexts::forget(const Buffer& buffer, const std::vector<FencePtr>& running) {
  std::vector<std::shared_ptr<VirtualMemory>> memories;
  {
    std::lock_guard lock(mutex_);
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

}  // namespace Atoll::drm::i915
