// amdgpu's buffers and page tables (Linux drivers/gpu/drm/amd/amdgpu/amdgpu_gem.c).
#include <libdrm/amdgpu_drm.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "drm/amdgpu/amdgpu.h"
#include "drm/core/file.h"

namespace Atoll::drm::amdgpu {
namespace {

// Buffers lie in the session file above what R5xx can address, so that mixed sessions do not crowd each other.
constexpr uint64_t first_offset = uint64_t(4) << 30;
constexpr uint64_t reserved_addresses = 2 << 20;  // of each address space, the kernel's (AMDGPU_VA_RESERVED_SIZE)

}  // namespace

int gem_create(File& file, void* argument) {
  auto& a = *static_cast<drm_amdgpu_gem_create*>(argument);
  auto in = a.in;
  constexpr uint64_t memory_domains = AMDGPU_GEM_DOMAIN_CPU | AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_VRAM;
  if (in.domains == 0 || (in.domains & ~uint64_t(AMDGPU_GEM_DOMAIN_MASK))) return -EINVAL;
  if (in.domain_flags & AMDGPU_GEM_CREATE_ENCRYPTED) return -EINVAL;
  if (in.domains & ~memory_domains) {
    // on-chip memory (GDS, GWS, OA) has no pages; amdgpu hands out whole or part of it
    file.lacks(fmt::format("on-chip memory (GDS, GWS, OA) as a buffer (GEM_CREATE, domain {:#x})", in.domains));
    return -EINVAL;
  }
  if (in.bo_size == 0 || in.bo_size > memory_bytes) return -EINVAL;
  const gpu::Chip& chip = file.process().chip();
  Session::Request request;
  request.asked_bytes = in.bo_size;
  request.bytes = round_up(in.bo_size, page_bytes);
  request.alignment = std::bit_ceil(std::clamp<uint64_t>(in.alignment, page_bytes, 1 << 20));
  request.begin = first_offset;
  request.end = memory_bytes;
  // the kernel moves buffers between the two: together they hold what both can
  request.most = chip.vram_bytes + chip.gtt_bytes;
  request.domains = in.domains;
  request.flags = in.domain_flags;
  auto index = file.session().allocate(request);
  if (!index) {
    log(LogLevel::warn, "drm", "GEM_CREATE of {} bytes: {}", in.bo_size, index.error().message);
    return -ENOMEM;
  }
  file.session().allocation(*index).alignment = in.alignment;  // as asked for: an importer compares it
  a.out = {};
  a.out.handle = file.add_buffer(file.process().adopt(*index));
  return 0;
}

int gem_mmap(File& file, void* argument) {
  auto& a = *static_cast<drm_amdgpu_gem_mmap*>(argument);
  auto buffer = file.find_buffer(a.in.handle);
  if (!buffer) return -ENOENT;
  if (buffer->shared().flags & AMDGPU_GEM_CREATE_NO_CPU_ACCESS || file.user_memories().find(*buffer)) return -EPERM;
  if (auto& recorder = file.process().recorder()) recorder->cpu_visible(buffer->offset(), buffer->bytes());
  a.out.addr_ptr = buffer->offset();
  return 0;
}

int gem_metadata(File& file, void* argument) {
  auto& a = *static_cast<drm_amdgpu_gem_metadata*>(argument);
  auto buffer = file.find_buffer(a.handle);
  if (!buffer) return -ENOENT;
  Session::Lock lock(file.session());
  SharedAllocation& shared = buffer->shared();
  switch (a.op) {
    case AMDGPU_GEM_METADATA_OP_SET_METADATA:
      if (a.data.data_size_bytes > sizeof a.data.data) return -EINVAL;
      shared.metadata_flags = a.data.flags;
      shared.tiling_info = a.data.tiling_info;
      shared.metadata_bytes = a.data.data_size_bytes;
      std::memcpy(shared.metadata, a.data.data, a.data.data_size_bytes);
      return 0;
    case AMDGPU_GEM_METADATA_OP_GET_METADATA:
      a.data.flags = shared.metadata_flags;
      a.data.tiling_info = shared.tiling_info;
      a.data.data_size_bytes = shared.metadata_bytes;
      std::memcpy(a.data.data, shared.metadata, std::min<size_t>(shared.metadata_bytes, sizeof a.data.data));
      return 0;
    default: return -EINVAL;
  }
}

int gem_wait_idle(File& file, void* argument) {
  auto& a = *static_cast<drm_amdgpu_gem_wait_idle*>(argument);
  auto buffer = file.find_buffer(a.in.handle);
  if (!buffer) return -ENOENT;
  bool idle = wait_all(file.session(), buffer->uses(), a.in.timeout);
  a.out = {};
  a.out.status = !idle;
  a.out.domain = uint32_t(buffer->shared().domains);
  return 0;
}

int gem_va(File& file, void* argument) {
  auto& a = *static_cast<drm_amdgpu_gem_va*>(argument);
  constexpr uint32_t known = AMDGPU_VM_DELAY_UPDATE | AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE |
                             AMDGPU_VM_PAGE_EXECUTABLE | AMDGPU_VM_MTYPE_MASK | AMDGPU_VM_PAGE_PRT;
  if (a.flags & ~known) return -EINVAL;
  constexpr uint64_t hole = uint64_t(0xffff) << 48;  // addresses are 48 bits, the upper half sign-extended
  uint64_t address = a.va_address & ~hole, bytes = a.map_size;
  bool unmaps = a.operation == AMDGPU_VA_OP_UNMAP;
  if (address < reserved_addresses || address % page_bytes || a.offset_in_bo % page_bytes ||
      (!unmaps && (bytes == 0 || bytes % page_bytes)))
    return -EINVAL;
  BufferPtr buffer;
  if (a.operation != AMDGPU_VA_OP_CLEAR && !(a.flags & AMDGPU_VM_PAGE_PRT)) {
    buffer = file.find_buffer(a.handle);
    if (!buffer) return -ENOENT;
  }
  auto memory = file.memory();
  if (!memory) return -ENOMEM;
  auto running = file.running();
  bool writable = (a.flags & AMDGPU_VM_PAGE_WRITEABLE) && !(buffer && file.user_memories().is_read_only(*buffer));
  switch (a.operation) {
    case AMDGPU_VA_OP_MAP:
    case AMDGPU_VA_OP_REPLACE:
      if (!buffer) return memory->map_nothing(address, bytes, a.operation == AMDGPU_VA_OP_REPLACE, running);
      if (a.operation == AMDGPU_VA_OP_REPLACE)
        if (int cleared = memory->clear(address, bytes, running)) return cleared;
      return memory->map(buffer, address, a.offset_in_bo, bytes, writable, running);
    case AMDGPU_VA_OP_UNMAP: return buffer ? memory->unmap(buffer, address, running) : memory->clear(address, bytes, running);
    case AMDGPU_VA_OP_CLEAR: return memory->clear(address, bytes, running);
    default: return -EINVAL;
  }
}

int gem_op(File& file, void* argument) {
  auto& a = *static_cast<drm_amdgpu_gem_op*>(argument);
  auto buffer = file.find_buffer(a.handle);
  if (!buffer) return -ENOENT;
  SharedAllocation& shared = buffer->shared();
  switch (a.op) {
    case AMDGPU_GEM_OP_GET_GEM_CREATE_INFO: {
      drm_amdgpu_gem_create_in in{shared.bytes, shared.alignment, shared.domains, shared.flags};
      return write_user(a.value, &in, sizeof in) ? 0 : -EFAULT;
    }
    case AMDGPU_GEM_OP_SET_PLACEMENT: {
      if (shared.shared && (a.value & AMDGPU_GEM_DOMAIN_VRAM)) return -EINVAL;
      uint64_t domains = a.value & (AMDGPU_GEM_DOMAIN_VRAM | AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_CPU);
      if (domains) shared.domains = domains;
      return 0;
    }
    default: return -EINVAL;
  }
}

int gem_userptr(File& file, void* argument) {
  auto& a = *static_cast<drm_amdgpu_gem_userptr*>(argument);
  constexpr uint32_t known =
      AMDGPU_GEM_USERPTR_READONLY | AMDGPU_GEM_USERPTR_ANONONLY | AMDGPU_GEM_USERPTR_VALIDATE | AMDGPU_GEM_USERPTR_REGISTER;
  if (int error = check_user_memory(a.addr, a.size)) return error;
  if (a.flags & ~known) return -EINVAL;
  if (!(a.flags & (AMDGPU_GEM_USERPTR_READONLY | AMDGPU_GEM_USERPTR_REGISTER))) return -EACCES;
  if (a.flags & AMDGPU_GEM_USERPTR_VALIDATE)
    if (int error = probe_user_memory(a.addr, a.size)) return error;
  drm_amdgpu_gem_create made{};
  made.in.bo_size = a.size;
  made.in.domains = AMDGPU_GEM_DOMAIN_GTT;
  if (int error = gem_create(file, &made)) return error;
  a.handle = made.out.handle;
  file.add_user_memory(file.find_buffer(a.handle), a.addr, a.size, a.flags & AMDGPU_GEM_USERPTR_READONLY);
  return 0;
}

int vm(File& file, void* argument) {
  auto& a = *static_cast<drm_amdgpu_vm*>(argument);
  // a fixed VMID makes no difference here
  return a.in.op == AMDGPU_VM_OP_RESERVE_VMID || a.in.op == AMDGPU_VM_OP_UNRESERVE_VMID ? 0 : -EINVAL;
}

}  // namespace Atoll::drm::amdgpu
