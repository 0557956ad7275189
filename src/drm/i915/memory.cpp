// i915's buffers (Linux drivers/gpu/drm/i915/gem/i915_gem_create.c, i915_gem_mman.c, i915_gem_userptr.c, i915_gem_busy.c,
// i915_gem_wait.c).
#include <libdrm/i915_drm.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "base/log.h"
#include "drm/core/file.h"
#include "drm/i915/contexts.h"
#include "drm/i915/extensions.h"
#include "drm/i915/i915.h"
#include "drm/i915/regions.h"

namespace Atoll::drm::i915 {
namespace {

// Buffers lie in the session file above what R5xx can address, as amdgpu's do.
constexpr uint64_t first_offset = uint64_t(4) << 30;

// A buffer that may lie in the regions of `domains`; together they hold what all of them can.
int create(File& file, uint64_t& size, uint64_t domains, uint32_t& handle) {
  if (size == 0 || size > memory_bytes) return -EINVAL;
  Session::Request request;
  request.bytes = round_up(size, page_bytes);
  request.asked_bytes = size;
  request.begin = first_offset;
  request.end = memory_bytes;
  request.most = file.process().chip().vram_bytes + file.process().chip().gtt_bytes;
  request.domains = domains;
  auto index = file.session().allocate(request);
  if (!index) {
    log(LogLevel::warn, "drm", "GEM_CREATE of {} bytes: {}", size, index.error().message);
    return -ENOMEM;
  }
  size = request.bytes;
  handle = file.add_buffer(file.process().adopt(*index));
  return 0;
}

int read_regions(File& file, uint64_t address, uint64_t& domains) {
  drm_i915_gem_create_ext_memory_regions list;
  if (!read_user(&list, address, sizeof list)) return -EFAULT;
  const auto there = regions(file.process().chip());
  if (domains || list.pad || list.num_regions == 0 || list.num_regions > there.size()) return -EINVAL;
  std::vector<drm_i915_gem_memory_class_instance> rows;
  if (!read_user(rows, list.regions, list.num_regions)) return -EFAULT;
  for (auto& row : rows) {
    auto found = std::ranges::find(there, row.memory_class, &Region::memory_class);
    if (found == there.end() || row.memory_instance || (domains & found->domain())) return -EINVAL;
    domains |= found->domain();
  }
  return 0;
}

}  // namespace

int gem_create(File& file, void* argument) {
  auto& a = *static_cast<drm_i915_gem_create*>(argument);
  uint64_t size = a.size;
  int result = create(file, size, uint64_t(1) << I915_MEMORY_CLASS_SYSTEM, a.handle);
  a.size = size;
  return result;
}

int gem_create_ext(File& file, void* argument) {
  auto& a = *static_cast<drm_i915_gem_create_ext*>(argument);
  if (a.flags & ~uint32_t(I915_GEM_CREATE_EXT_FLAG_NEEDS_CPU_ACCESS)) return -EINVAL;
  uint64_t domains = 0;
  int error = each_extension(a.extensions, [&](uint32_t name, uint64_t address) {
    switch (name) {
      case I915_GEM_CREATE_EXT_MEMORY_REGIONS: return read_regions(file, address, domains);
      case I915_GEM_CREATE_EXT_PROTECTED_CONTENT: return -ENODEV;
      default: log(LogLevel::info, "drm", "GEM_CREATE_EXT extension {} is not there", name); return -EINVAL;
    }
  });
  if (error) return error;
  uint64_t size = a.size;
  int result = create(file, size, domains ? domains : uint64_t(1) << I915_MEMORY_CLASS_SYSTEM, a.handle);
  a.size = size;
  return result;
}

int gem_mmap_offset(File& file, void* argument) {
  auto& a = *static_cast<drm_i915_gem_mmap_offset*>(argument);
  if (a.extensions) return -EINVAL;
  if (a.flags > I915_MMAP_OFFSET_FIXED) return -EINVAL;
  if (a.flags != I915_MMAP_OFFSET_FIXED) return -ENODEV;  // how it is cached goes with where it lies
  auto buffer = file.find_buffer(a.handle);
  if (!buffer) return -ENOENT;
  if (file.user_memories().find(*buffer)) return -ENODEV;
  if (auto& recorder = file.process().recorder()) recorder->cpu_visible(buffer->offset(), buffer->bytes());
  a.offset = buffer->offset();
  return 0;
}

int gem_userptr(File& file, void* argument) {
  auto& a = *static_cast<drm_i915_gem_userptr*>(argument);
  if (a.flags & ~uint32_t(I915_USERPTR_READ_ONLY | I915_USERPTR_PROBE | I915_USERPTR_UNSYNCHRONIZED)) return -EINVAL;
  if (int error = check_user_memory(a.user_ptr, a.user_size)) return error;
  // Gen12 has no page that may only be read (Linux gt/gen8_ppgtt.c, has_read_only; gem/i915_gem_userptr.c).
  if (a.flags & (I915_USERPTR_UNSYNCHRONIZED | I915_USERPTR_READ_ONLY)) return -ENODEV;
  if (a.flags & I915_USERPTR_PROBE)
    if (int error = probe_user_memory(a.user_ptr, a.user_size)) return error;
  uint64_t size = a.user_size;
  if (int error = create(file, size, uint64_t(1) << I915_MEMORY_CLASS_SYSTEM, a.handle)) return error;
  file.add_user_memory(file.find_buffer(a.handle), a.user_ptr, a.user_size);
  return 0;
}

int gem_busy(File& file, void* argument) {
  auto& a = *static_cast<drm_i915_gem_busy*>(argument);
  auto buffer = file.find_buffer(a.handle);
  if (!buffer) return -ENOENT;
  // which engines read it (a bit each from 16 on), and the one that writes it (its number + 1)
  constexpr uint32_t render = 1u << (16 + I915_ENGINE_CLASS_RENDER) | (I915_ENGINE_CLASS_RENDER + 1);
  a.busy = buffer->uses().empty() ? 0 : render;
  return 0;
}

int gem_wait(File& file, void* argument) {
  auto& a = *static_cast<drm_i915_gem_wait*>(argument);
  if (a.flags) return -EINVAL;
  auto buffer = file.find_buffer(a.bo_handle);
  if (!buffer) return -ENOENT;
  const uint64_t begin = monotonic_nanoseconds();
  const uint64_t deadline = a.timeout_ns < 0 ? UINT64_MAX : begin + uint64_t(a.timeout_ns);
  bool idle = wait_all(file.session(), buffer->uses(), deadline);
  if (a.timeout_ns > 0) a.timeout_ns = int64_t(std::max<uint64_t>(deadline, monotonic_nanoseconds()) - monotonic_nanoseconds());
  return idle ? 0 : -ETIME;
}

int gem_madvise(File& file, void* argument) {
  auto& a = *static_cast<drm_i915_gem_madvise*>(argument);
  if (a.madv > I915_MADV_DONTNEED) return -EINVAL;
  if (!file.find_buffer(a.handle)) return -ENOENT;
  a.retained = 1;  // memory never runs short here
  return 0;
}

}  // namespace Atoll::drm::i915
