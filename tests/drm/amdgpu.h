// A program that talks to amdgpu by ioctls alone: a context, a buffer for command streams, submissions.
#pragma once
#include <libdrm/amdgpu_drm.h>

#include <vector>

#include "tests/drm/uapi.h"

namespace Atoll::drm {

struct Amdgpu : Program {
  uint32_t context = 0;
  uint32_t commands = 0;  // handle of a buffer for command streams, at 0x400000
  uint8_t* commands_host = nullptr;
  static constexpr uint64_t commands_address = 0x400000;
  uint32_t user_fence = 0;

  explicit Amdgpu(int session = -1, std::string_view gpu = "bonaire") : Program(gpu, session) {
    drm_amdgpu_ctx a{};
    a.in.op = AMDGPU_CTX_OP_ALLOC_CTX;
    EXPECT_EQ(call(*file, DRM_IOCTL_AMDGPU_CTX, a), 0);
    context = a.out.alloc.ctx_id;
    commands = create(65536);
    commands_host = map_host(commands, 65536);
    EXPECT_EQ(va(AMDGPU_VA_OP_MAP, commands, commands_address, 0, 65536), 0);
    user_fence = create(4096);
  }

  uint32_t create(uint64_t bytes, uint64_t alignment = 4096, uint64_t domains = AMDGPU_GEM_DOMAIN_VRAM, int expected = 0) {
    drm_amdgpu_gem_create a{};
    a.in = {bytes, alignment, domains, 0};
    EXPECT_EQ(call(*file, DRM_IOCTL_AMDGPU_GEM_CREATE, a), expected);
    return a.out.handle;
  }
  uint64_t offset_of(uint32_t handle) {
    drm_amdgpu_gem_mmap a{};
    a.in.handle = handle;
    EXPECT_EQ(call(*file, DRM_IOCTL_AMDGPU_GEM_MMAP, a), 0);
    return a.out.addr_ptr;
  }
  uint8_t* map_host(uint32_t handle, uint64_t bytes) {
    void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, off_t(offset_of(handle)));
    EXPECT_NE(at, MAP_FAILED);
    return static_cast<uint8_t*>(at);
  }
  int va(uint32_t operation, uint32_t handle, uint64_t address, uint64_t offset, uint64_t bytes,
         uint32_t flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE) {
    drm_amdgpu_gem_va a{};
    a.handle = handle;
    a.operation = operation;
    a.flags = flags;
    a.va_address = address;
    a.offset_in_bo = offset;
    a.map_size = bytes;
    return call(*file, DRM_IOCTL_AMDGPU_GEM_VA, a);
  }
  int close(uint32_t handle) {
    drm_gem_close a{handle, 0};
    return call(*file, DRM_IOCTL_GEM_CLOSE, a);
  }

  // One submission of these words, put at `place` of the command buffer.
  struct Options {
    uint32_t ip = AMDGPU_HW_IP_GFX, ring = 0, place = 0;
    std::vector<uint32_t> handles;
    std::vector<drm_amdgpu_cs_chunk> more;
    uint32_t context = 0;
    bool fence = true;
  };
  int submit(std::vector<uint32_t> words, uint64_t& sequence, Options options) {
    std::memcpy(commands_host + options.place, words.data(), words.size() * 4);
    drm_amdgpu_cs_chunk_ib ib{};
    ib.va_start = commands_address + options.place;
    ib.ib_bytes = uint32_t(words.size() * 4);
    ib.ip_type = options.ip;
    ib.ring = options.ring;
    drm_amdgpu_cs_chunk_fence fence{user_fence, 8};
    std::vector<drm_amdgpu_bo_list_entry> entries{{commands, 0}};
    for (uint32_t handle : options.handles) entries.push_back({handle, 0});
    drm_amdgpu_bo_list_in list{~0u, ~0u, uint32_t(entries.size()), sizeof entries[0], reinterpret_cast<uint64_t>(entries.data())};
    std::vector<drm_amdgpu_cs_chunk> chunks{
        {AMDGPU_CHUNK_ID_BO_HANDLES, sizeof list / 4, reinterpret_cast<uint64_t>(&list)},
        {AMDGPU_CHUNK_ID_IB, sizeof ib / 4, reinterpret_cast<uint64_t>(&ib)},
    };
    if (options.fence) chunks.push_back({AMDGPU_CHUNK_ID_FENCE, sizeof fence / 4, reinterpret_cast<uint64_t>(&fence)});
    chunks.insert(chunks.end(), options.more.begin(), options.more.end());
    std::vector<uint64_t> pointers;
    for (auto& chunk : chunks) pointers.push_back(reinterpret_cast<uint64_t>(&chunk));
    drm_amdgpu_cs a{};
    a.in.ctx_id = options.context ? options.context : context;
    a.in.num_chunks = uint32_t(chunks.size());
    a.in.chunks = reinterpret_cast<uint64_t>(pointers.data());
    int result = call(*file, DRM_IOCTL_AMDGPU_CS, a);
    sequence = a.out.handle;
    return result;
  }
  uint64_t submit(std::vector<uint32_t> words) {
    uint64_t sequence = 0;
    EXPECT_EQ(submit(std::move(words), sequence, {}), 0);
    return sequence;
  }
  // 0 done, 1 busy, or a negative errno
  int64_t wait(uint64_t sequence, uint64_t timeout = UINT64_MAX, uint32_t of_context = 0, uint32_t ip = AMDGPU_HW_IP_GFX) {
    drm_amdgpu_wait_cs a{};
    a.in.handle = sequence;
    a.in.timeout = timeout;
    a.in.ip_type = ip;
    a.in.ctx_id = of_context ? of_context : context;
    int result = call(*file, DRM_IOCTL_AMDGPU_WAIT_CS, a);
    return result ? result : int64_t(a.out.status);
  }
  void wait_for_gate() {
    while (device->at_gate == 0) std::this_thread::yield();
  }
};

inline std::vector<uint32_t> store_to(uint64_t address, uint32_t value) {
  return {store, uint32_t(address), uint32_t(address >> 32), value};
}

inline std::vector<uint32_t> operator+(std::vector<uint32_t> a, const std::vector<uint32_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace Atoll::drm
