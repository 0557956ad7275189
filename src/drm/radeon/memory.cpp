// radeon's buffers (Linux drivers/gpu/drm/radeon/radeon_gem.c). On R5xx a buffer's GPU address is its offset in the session file:
// the card's memory from 1 MiB, the system's from 512 MiB, all below 4 GiB.
#include <libdrm/radeon_drm.h>

#include <algorithm>
#include <bit>
#include <cerrno>

#include "base/log.h"
#include "drm/core/file.h"
#include "drm/radeon/radeon.h"

namespace Atoll::drm::radeon {
namespace {

constexpr uint64_t reserved_addresses = 8 << 20;                     // of each address space, the kernel's
constexpr uint64_t wait_nanoseconds = uint64_t(30) * 1'000'000'000;  // radeon_gem_wait_idle_ioctl

// The ranges in which a buffer of these domains may lie, the preferred one first.
std::vector<Session::Request> places(const gpu::Chip& chip, uint32_t domains) {
  std::vector<Session::Request> found;
  auto add = [&](uint64_t begin, uint64_t end) {
    Session::Request request;
    request.begin = begin;
    request.end = end;
    found.push_back(request);
  };
  if (!chip.has_page_tables) {
    constexpr uint64_t vram = 1 << 20, gtt = uint64_t(512) << 20, end = uint64_t(1) << 32;
    if (domains & RADEON_GEM_DOMAIN_VRAM) add(vram, gtt);
    add(gtt, end - page_bytes);
  } else {
    add(uint64_t(4) << 30, memory_bytes);
    found.back().most = chip.vram_bytes + chip.gtt_bytes;
  }
  return found;
}

}  // namespace

int gem_create(File& file, void* argument) {
  auto& a = *static_cast<drm_radeon_gem_create*>(argument);
  if (a.size > memory_bytes) return -EINVAL;
  uint64_t bytes = round_up(std::max<uint64_t>(a.size, 1), page_bytes);
  Expected<uint32_t> index = fail("no place");
  for (auto& request : places(file.process().chip(), a.initial_domain)) {
    request.bytes = bytes;
    request.asked_bytes = a.size;
    request.alignment = std::bit_ceil(std::clamp<uint64_t>(a.alignment, page_bytes, 1 << 20));
    request.domains = a.initial_domain;
    request.flags = a.flags;
    if (request.bytes > request.end - request.begin) continue;
    index = file.session().allocate(request);
    if (index) break;
  }
  if (!index) {
    log(LogLevel::warn, "drm", "GEM_CREATE of {} bytes: {}", a.size, index.error().message);
    return -ENOMEM;
  }
  a.handle = file.add_buffer(file.process().adopt(*index));
  return 0;
}

int gem_mmap(File& file, void* argument) {
  auto& a = *static_cast<drm_radeon_gem_mmap*>(argument);
  auto buffer = file.find_buffer(a.handle);
  if (!buffer) return -ENOENT;
  if (file.user_memories().find(*buffer)) return -EPERM;
  if (auto& recorder = file.process().recorder()) recorder->cpu_visible(buffer->offset(), buffer->bytes());
  a.addr_ptr = buffer->offset();
  return 0;
}

int gem_set_domain(File& file, void* argument) {
  auto& a = *static_cast<drm_radeon_gem_set_domain*>(argument);
  auto buffer = file.find_buffer(a.handle);
  if (!buffer) return -ENOENT;
  uint32_t domain = a.write_domain ? a.write_domain : a.read_domains;
  if (domain != RADEON_GEM_DOMAIN_CPU) return 0;
  return wait_all(file.session(), buffer->uses(), monotonic_nanoseconds() + wait_nanoseconds) ? 0 : -EBUSY;
}

int gem_wait_idle(File& file, void* argument) {
  auto buffer = file.find_buffer(static_cast<drm_radeon_gem_wait_idle*>(argument)->handle);
  if (!buffer) return -ENOENT;
  return wait_all(file.session(), buffer->uses(), monotonic_nanoseconds() + wait_nanoseconds) ? 0 : -EBUSY;
}

int gem_busy(File& file, void* argument) {
  auto& a = *static_cast<drm_radeon_gem_busy*>(argument);
  auto buffer = file.find_buffer(a.handle);
  if (!buffer) return -ENOENT;
  a.domain = uint32_t(buffer->shared().domains);
  return buffer->uses().empty() ? 0 : -EBUSY;
}

int gem_set_tiling(File& file, void* argument) {
  auto& a = *static_cast<drm_radeon_gem_set_tiling*>(argument);
  auto buffer = file.find_buffer(a.handle);
  if (!buffer) return -ENOENT;
  Session::Lock lock(file.session());
  buffer->shared().radeon_tiling = a.tiling_flags;
  buffer->shared().radeon_pitch = a.pitch;
  return 0;
}

int gem_get_tiling(File& file, void* argument) {
  auto& a = *static_cast<drm_radeon_gem_get_tiling*>(argument);
  auto buffer = file.find_buffer(a.handle);
  if (!buffer) return -ENOENT;
  Session::Lock lock(file.session());
  a.tiling_flags = buffer->shared().radeon_tiling;
  a.pitch = buffer->shared().radeon_pitch;
  return 0;
}

int gem_va(File& file, void* argument) {
  auto& a = *static_cast<drm_radeon_gem_va*>(argument);
  uint32_t operation = a.operation;
  a.operation = RADEON_VA_RESULT_ERROR;
  if (!file.process().chip().has_page_tables) return -ENOTTY;
  if (a.vm_id != 0 || a.offset < reserved_addresses || a.offset % page_bytes) return -EINVAL;
  // the kernel's own bits, and what it always wants
  if ((a.flags & (RADEON_VM_PAGE_VALID | RADEON_VM_PAGE_SYSTEM)) || !(a.flags & RADEON_VM_PAGE_SNOOPED)) return -EINVAL;
  auto buffer = file.find_buffer(a.handle);
  if (!buffer) return -ENOENT;
  auto memory = file.memory();
  if (!memory) return -ENOMEM;
  int result = 0;
  switch (operation) {
    case RADEON_VA_MAP:
      // a buffer has one address
      if (uint64_t there = memory->find(*buffer)) {
        a.operation = RADEON_VA_RESULT_VA_EXIST;
        a.offset = there;
        return 0;
      }
      result = memory->map(buffer, a.offset, 0, buffer->bytes(),
                           (a.flags & RADEON_VM_PAGE_WRITEABLE) && !file.user_memories().is_read_only(*buffer), file.running());
      break;
    case RADEON_VA_UNMAP: result = memory->unmap(buffer, a.offset, file.running()); break;
    default: return -EINVAL;
  }
  if (result == 0) a.operation = RADEON_VA_RESULT_OK;
  return result;
}

int gem_op(File& file, void* argument) {
  auto& a = *static_cast<drm_radeon_gem_op*>(argument);
  auto buffer = file.find_buffer(a.handle);
  if (!buffer) return -ENOENT;
  switch (a.op) {
    case RADEON_GEM_OP_GET_INITIAL_DOMAIN: a.value = buffer->shared().domains; return 0;
    case RADEON_GEM_OP_SET_INITIAL_DOMAIN:
      buffer->shared().domains = a.value & (RADEON_GEM_DOMAIN_VRAM | RADEON_GEM_DOMAIN_GTT | RADEON_GEM_DOMAIN_CPU);
      return 0;
    default: return -EINVAL;
  }
}

// (Mesa asks with no flags and no address whether there is the call at all: EACCES is yes; radeon_drm_winsys.c.)
int gem_userptr(File& file, void* argument) {
  auto& a = *static_cast<drm_radeon_gem_userptr*>(argument);
  constexpr uint32_t known =
      RADEON_GEM_USERPTR_READONLY | RADEON_GEM_USERPTR_ANONONLY | RADEON_GEM_USERPTR_VALIDATE | RADEON_GEM_USERPTR_REGISTER;
  constexpr uint32_t to_write = RADEON_GEM_USERPTR_ANONONLY | RADEON_GEM_USERPTR_REGISTER;
  if ((a.addr | a.size) % page_bytes || a.flags & ~known) return -EINVAL;
  if (a.flags & RADEON_GEM_USERPTR_READONLY) {
    if (!file.process().chip().has_page_tables) return -EINVAL;
  } else if ((a.flags & to_write) != to_write)
    return -EACCES;
  if (int error = check_user_memory(a.addr, a.size)) return error;
  if (a.flags & RADEON_GEM_USERPTR_VALIDATE)
    if (int error = probe_user_memory(a.addr, a.size)) return error;
  drm_radeon_gem_create made{};
  made.size = a.size;
  made.initial_domain = RADEON_GEM_DOMAIN_GTT;
  if (int error = gem_create(file, &made)) return error;
  a.handle = made.handle;
  file.add_user_memory(file.find_buffer(a.handle), a.addr, a.size, a.flags & RADEON_GEM_USERPTR_READONLY);
  return 0;
}

int not_there(File& file, void* argument) { return -ENOSYS; }

}  // namespace Atoll::drm::radeon
