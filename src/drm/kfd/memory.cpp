// Linux drivers/gpu/drm/amd/amdkfd/kfd_chardev.c (kfd_ioctl_alloc_memory_of_gpu and its neighbours), amdgpu_amdkfd_gpuvm.c.
#include <linux/kfd_ioctl.h>

#include <algorithm>
#include <cerrno>

#include "base/log.h"
#include "drm/kfd/driver.h"
#include "drm/session/kfd_facts.h"

namespace Atoll::drm::kfd {
namespace {

constexpr uint32_t domain_gtt = 2, domain_vram = 4;  // AMDGPU_GEM_DOMAIN_*

}  // namespace

BufferPtr Driver::make_buffer(Process& process, uint64_t bytes, uint32_t domains, uint64_t most, uint64_t alignment) {
  Session::Request request;
  request.alignment = alignment;
  request.asked_bytes = bytes;
  request.bytes = round_up(bytes, page_bytes);
  request.begin = uint64_t(4) << 30;  // above what R5xx can address, as amdgpu's
  request.end = memory_bytes;
  request.most = most;
  request.domains = domains;
  auto index = process.session()->allocate(request);
  if (!index) {
    log(LogLevel::warn, "kfd", "memory of {} bytes: {}", bytes, index.error().message);
    return nullptr;
  }
  BufferPtr buffer = process.adopt(*index);
  if (auto& recorder = process.recorder()) recorder->cpu_visible(buffer->offset(), buffer->bytes());
  return buffer;
}

int Driver::allocate(Allocation& a) {
  if (a.bytes == 0) return -EINVAL;
  if (int error = why_not_ready(a.gpu_id, -ENODEV)) return error;
  if (a.bytes > memory_bytes) return -ENOMEM;
  Gpu* gpu = find(a.gpu_id);
  const gpu::Chip& chip = gpu->process->chip();
  const bool mirrored = a.flags & KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM;
  const uint64_t bytes = round_up(a.bytes, page_bytes), held = mirrored ? round_up(bytes / 2, page_bytes) : bytes;
  MemoryObject object{.gpu = gpu,
                      .address = a.address,
                      .bytes = bytes,
                      .writable = (a.flags & KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE) != 0,
                      .mirrored = mirrored};
  if (mirrored && held * 2 != bytes) return -EINVAL;
  if (a.flags & (KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT)) {
    const uint32_t domain = a.flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM ? domain_vram : domain_gtt;
    BufferPtr buffer = make_buffer(*gpu->process, held, domain, chip.vram_bytes + chip.gtt_bytes);
    if (!buffer) return -ENOMEM;
    a.offset = buffer->offset();
    object.pieces.push_back({std::move(buffer), 0, held});
  } else if (a.flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) {
    if (a.user_address == 0) return -EINVAL;
    if (int error = check_user_memory(a.user_address, held)) return error;
    std::string why;
    pages_.collect(*gpu->process);
    if (int error = pages_.take(*gpu->process, a.user_address, held, object.pieces, why)) {
      if (!why.empty()) lacks(why);
      return error;
    }
  } else if (a.flags & KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL) {
    if (a.bytes != gpu->doorbells->bytes()) return -EINVAL;
    a.offset = gpu->doorbells->offset();
    object.pieces.push_back({gpu->doorbells, 0, bytes});
  } else if (a.flags & KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP) {
    // Chips before GC 9 have no such page (amdgpu_device.h, rmmio_remap).
    if (bytes != page_bytes) return -EINVAL;
    return -ENOMEM;
  } else {
    return -EINVAL;
  }
  std::lock_guard lock(memory_mutex_);
  a.handle = uint64_t(gpu->id) << 32 | next_object_++;
  objects_.emplace(a.handle, std::move(object));
  return 0;
}

int Driver::free(uint64_t handle) {
  std::lock_guard lock(memory_mutex_);
  if (event_page_ && handle == event_page_) return -EPERM;
  auto found = objects_.find(handle);
  if (found == objects_.end()) return -EINVAL;
  if (!found->second.mapped.empty()) return -EBUSY;
  objects_.erase(found);
  return 0;
}

// The range is looked at when it is mapped (amdgpu_vm.c, amdgpu_vm_bo_map).
int Driver::map_into(Gpu& gpu, const MemoryObject& object) {
  uint64_t at = object.address;
  const uint64_t end = gpu.memory->space().size();
  if (at % page_bytes || at < kfd_first_address || at > end || object.bytes > end - at) return -EINVAL;
  for (unsigned round = 0; round < (object.mirrored ? 2u : 1u); round++)
    for (const auto& piece : object.pieces) {
      if (int error = gpu.memory->map(piece.buffer, at, piece.offset, piece.bytes, object.writable, {})) {
        std::lock_guard alone(gpu.tables);
        if (at > object.address) gpu.memory->clear(object.address, at - object.address, {});
        return error;
      }
      at += piece.bytes;
    }
  return 0;
}

void Driver::unmap_from(Gpu& gpu, const MemoryObject& object) {
  std::lock_guard alone(gpu.tables);
  gpu.memory->clear(object.address, object.bytes, {});
}

int Driver::for_each_gpu(uint64_t handle, uint64_t ids, uint32_t count, uint32_t& done, bool bound,
                         int (*change)(Gpu& gpu, MemoryObject& object)) {
  if (count == 0 || done > count) return -EINVAL;
  std::vector<uint32_t> wanted;
  if (!read_user(wanted, ids, count)) return -EFAULT;
  const uint32_t owner = uint32_t(handle >> 32);
  if (int error = why_not_ready(owner, bound ? -ENODEV : -ENOMEM)) return error;
  std::lock_guard lock(memory_mutex_);
  auto found = objects_.find(handle);
  if (found == objects_.end()) return -ENOMEM;
  for (; done < count; done++) {
    if (int error = why_not_ready(wanted[done], bound ? -ENODEV : -EINVAL)) return error;
    if (int error = change(*find(wanted[done]), found->second)) return error;
  }
  return 0;
}

int Driver::map(uint64_t handle, uint64_t ids, uint32_t count, uint32_t& done) {
  return for_each_gpu(handle, ids, count, done, true, [](Gpu& gpu, MemoryObject& object) {
    if (std::ranges::find(object.mapped, &gpu) != object.mapped.end()) return 0;
    if (int error = map_into(gpu, object)) return error;
    object.mapped.push_back(&gpu);
    return 0;
  });
}

int Driver::unmap(uint64_t handle, uint64_t ids, uint32_t count, uint32_t& done) {
  return for_each_gpu(handle, ids, count, done, false, [](Gpu& gpu, MemoryObject& object) {
    if (!std::erase(object.mapped, &gpu)) return -EINVAL;  // amdgpu_amdkfd_gpuvm_unmap_memory_from_gpu
    unmap_from(gpu, object);
    return 0;
  });
}

int Driver::use_as_event_page(uint64_t handle) {
  if (events_.has_page()) return -EINVAL;
  if (int error = why_not_ready(uint32_t(handle >> 32), -ENODEV)) return error;
  std::lock_guard lock(memory_mutex_);
  auto found = objects_.find(handle);
  if (found == objects_.end() || found->second.pieces.size() != 1 || found->second.pieces[0].offset != 0) return -EINVAL;
  if (!events_.set_page(found->second.pieces[0].buffer)) return -EINVAL;
  event_page_ = handle;
  return 0;
}

int Driver::make_event_page(uint64_t& offset) {
  std::lock_guard lock(memory_mutex_);
  if (!own_event_page_ && !events_.has_page()) {
    own_event_page_ = make_buffer(*gpus_.front()->process, Events::slots * 8, domain_gtt, UINT64_MAX);
    if (!own_event_page_ || !events_.set_page(own_event_page_)) return -ENOMEM;
  }
  // where the program has brought one, it asks for no place
  offset = own_event_page_ ? own_event_page_->offset() : 1;
  return 0;
}

}  // namespace Atoll::drm::kfd
