// amdgpu's ioctls without Mesa: buffers, page tables, the program's own memory.
#include "tests/drm/amdgpu.h"

namespace Atoll::drm {
namespace {

TEST(Amdgpu, BuffersAreZeroedSharedWithTheGpuAndReused) {
  Amdgpu p;
  uint32_t handle = p.create(8192);
  uint64_t offset = p.offset_of(handle);
  uint8_t* host = p.map_host(handle, 8192);
  ASSERT_EQ(p.va(AMDGPU_VA_OP_MAP, handle, 0x200000, 0, 8192), 0);
  EXPECT_EQ(p.wait(p.submit(store_to(0x201004, 0xc0ffee))), 0);
  uint32_t value;
  std::memcpy(&value, host + 4096 + 4, 4);
  EXPECT_EQ(value, 0xc0ffeeu);
  uint64_t used = p.file->session().used_bytes(AMDGPU_GEM_DOMAIN_VRAM);
  EXPECT_EQ(p.close(handle), 0);
  EXPECT_EQ(p.file->session().used_bytes(AMDGPU_GEM_DOMAIN_VRAM), used - 8192);
  // the address is free again, the pages are zero
  EXPECT_FALSE(p.file->memory()->space().contains(0x200000, 4));
  uint32_t next = p.create(8192);
  EXPECT_EQ(p.offset_of(next), offset);
  EXPECT_EQ(std::memcmp(p.map_host(next, 8192) + 4100, "\0\0\0\0", 4), 0);
  p.create(0, 4096, AMDGPU_GEM_DOMAIN_VRAM, -EINVAL);
  p.create(uint64_t(1) << 39, 4096, AMDGPU_GEM_DOMAIN_VRAM, -ENOMEM);
  p.create(4096, 4096, 0, -EINVAL);
  p.create(4096, 4096, AMDGPU_GEM_DOMAIN_GDS, -EINVAL);
}

TEST(Amdgpu, PageTablesAreKeptAsTheKernelKeepsThem) {
  Amdgpu p;
  uint32_t a = p.create(16384), b = p.create(16384);
  auto& space = p.file->memory()->space();
  EXPECT_EQ(p.va(AMDGPU_VA_OP_MAP, a, 0x1000, 0, 4096), -EINVAL) << "the kernel's own addresses";
  EXPECT_EQ(p.va(AMDGPU_VA_OP_MAP, a, 0x800001, 0, 4096), -EINVAL);
  EXPECT_EQ(p.va(AMDGPU_VA_OP_MAP, a, 0x800000, 0, 20480), -EINVAL) << "beyond the buffer";
  EXPECT_EQ(p.va(AMDGPU_VA_OP_MAP, 999, 0x800000, 0, 4096), -ENOENT);
  ASSERT_EQ(p.va(AMDGPU_VA_OP_MAP, a, 0x800000, 0, 16384), 0);
  EXPECT_EQ(p.va(AMDGPU_VA_OP_MAP, b, 0x803000, 0, 4096), -EINVAL) << "taken";
  EXPECT_EQ(p.va(AMDGPU_VA_OP_UNMAP, b, 0x800000, 0, 16384), -ENOENT);
  // a hole in the middle
  ASSERT_EQ(p.va(AMDGPU_VA_OP_CLEAR, 0, 0x801000, 0, 8192), 0);
  EXPECT_TRUE(space.contains(0x800000, 4096));
  EXPECT_FALSE(space.contains(0x801000, 1));
  EXPECT_TRUE(space.contains(0x803000, 4096));
  ASSERT_EQ(p.va(AMDGPU_VA_OP_MAP, b, 0x801000, 8192, 8192, AMDGPU_VM_PAGE_READABLE), 0);
  EXPECT_TRUE(space.contains(0x800000, 16384));
  EXPECT_FALSE(space.contains(0x801000, 4, true)) << "read only";
  ASSERT_EQ(p.va(AMDGPU_VA_OP_REPLACE, b, 0x800000, 0, 16384), 0);
  EXPECT_TRUE(space.contains(0x800000, 16384, true));
  p.submit(store_to(0x803000, 77));
  EXPECT_EQ(p.wait(~uint64_t(0)), 0);
  EXPECT_EQ(p.map_host(b, 16384)[0x3000], 77);
  ASSERT_EQ(p.va(AMDGPU_VA_OP_UNMAP, b, 0x800000, 0, 16384), 0);
  EXPECT_FALSE(space.contains(0x800000, 1));
}

// Partially resident resources: where they have no memory reads give 0, and what is written is dropped (Vulkan's
// residencyNonResidentStrict, which RADV has from GFX9 on).
TEST(Amdgpu, WhatIsWrittenWhereThereIsNoMemoryIsGoneWithTheNextSubmission) {
  Amdgpu p;
  const uint32_t a = p.create(16384);
  constexpr uint32_t nothing = AMDGPU_VM_PAGE_PRT;
  auto& space = p.file->memory()->space();
  ASSERT_EQ(p.va(AMDGPU_VA_OP_MAP, 0, 0x800000, 0, 16384, nothing), 0);
  ASSERT_EQ(p.va(AMDGPU_VA_OP_REPLACE, a, 0x801000, 4096, 4096), 0);
  EXPECT_EQ(p.wait(p.submit(store_to(0x800000, 1) + store_to(0x801000, 2) + store_to(0x803000, 3))), 0);
  EXPECT_EQ(p.wait(p.submit(store_to(0x802000, 4))), 0);
  auto word = [&](uint64_t address) { return *reinterpret_cast<const volatile uint32_t*>(space.host(address)); };
  EXPECT_EQ(word(0x800000), 0u);
  EXPECT_EQ(word(0x801000), 2u) << "has memory";
  EXPECT_EQ(word(0x803000), 0u);
  // (accesses that ask for residency look there)
  EXPECT_TRUE(space.has_absent(0x800000, 4096));
  EXPECT_FALSE(space.has_absent(0x801000, 4096));
  EXPECT_TRUE(space.has_absent(0x801ffc, 8));
  // Pages that get memory keep it, and pages that lose it read as 0.
  ASSERT_EQ(p.va(AMDGPU_VA_OP_REPLACE, a, 0x803000, 12288, 4096), 0);
  ASSERT_EQ(p.va(AMDGPU_VA_OP_REPLACE, 0, 0x801000, 0, 4096, nothing), 0);
  EXPECT_EQ(p.wait(p.submit(store_to(0x803000, 5) + store_to(0x801000, 6))), 0);
  EXPECT_EQ(p.wait(p.submit(store_to(0x802000, 7))), 0);
  EXPECT_EQ(word(0x803000), 5u);
  EXPECT_EQ(word(0x801000), 0u);
  EXPECT_EQ(p.map_host(a, 16384)[0x1000], 2);
}

TEST(Amdgpu, UnmappingWaitsForWhatRuns) {
  Amdgpu p;
  uint32_t a = p.create(4096), b = p.create(4096);
  uint8_t *host_a = p.map_host(a, 4096), *host_b = p.map_host(b, 4096);
  auto& space = p.file->memory()->space();
  ASSERT_EQ(p.va(AMDGPU_VA_OP_MAP, a, 0x900000, 0, 4096), 0);
  uint64_t first = 0, second = 0;
  ASSERT_EQ(p.submit(std::vector<uint32_t>{gate} + store_to(0x900000, 1), first, {.handles = {a}}), 0);
  p.wait_for_gate();
  // the address changes hands while the first submission runs
  ASSERT_EQ(p.va(AMDGPU_VA_OP_UNMAP, a, 0x900000, 0, 4096), 0);
  ASSERT_EQ(p.va(AMDGPU_VA_OP_MAP, b, 0x900000, 0, 4096), 0);
  ASSERT_EQ(p.submit(store_to(0x900000, 2), second, {.place = 4096, .handles = {b}}), 0);
  EXPECT_TRUE(space.contains(0x900000, 4));
  EXPECT_EQ(p.wait(first, monotonic_nanoseconds() + 5'000'000), 1);
  p.device->gate_open = true;
  EXPECT_EQ(p.wait(second), 0);
  EXPECT_EQ(host_a[0], 1);
  EXPECT_EQ(host_b[0], 2);
}

TEST(Amdgpu, ListsOfBuffersKeepThemAlive) {
  Amdgpu p;
  uint32_t buffer = p.create(4096);
  std::vector<drm_amdgpu_bo_list_entry> entries{{buffer, 0}, {p.commands, 0}};
  drm_amdgpu_bo_list a{};
  a.in = {AMDGPU_BO_LIST_OP_CREATE, 0, 2, sizeof entries[0], reinterpret_cast<uint64_t>(entries.data())};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_BO_LIST, a), 0);
  uint32_t list = a.out.list_handle;
  uint64_t used = p.file->session().used_bytes(AMDGPU_GEM_DOMAIN_VRAM);
  EXPECT_EQ(p.close(buffer), 0);
  EXPECT_EQ(p.file->session().used_bytes(AMDGPU_GEM_DOMAIN_VRAM), used);
  a.in = {AMDGPU_BO_LIST_OP_DESTROY, list, 0, 0, 0};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_BO_LIST, a), 0);
  EXPECT_EQ(p.file->session().used_bytes(AMDGPU_GEM_DOMAIN_VRAM), used - 4096);
  EXPECT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_BO_LIST, a), -EINVAL);
}

TEST(Amdgpu, WaitIdleKnowsWhoUsesABuffer) {
  Amdgpu p;
  uint32_t used = p.create(4096), idle = p.create(4096);
  uint64_t sequence = 0;
  ASSERT_EQ(p.submit({gate}, sequence, {.handles = {used}}), 0);
  auto status = [&](uint32_t handle, uint64_t timeout) {
    drm_amdgpu_gem_wait_idle a{};
    a.in = {handle, 0, timeout};
    EXPECT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, a), 0);
    return a.out.status;
  };
  EXPECT_EQ(status(idle, 0), 0u);
  EXPECT_EQ(status(used, 0), 1u);
  EXPECT_EQ(status(used, monotonic_nanoseconds() + 5'000'000), 1u);
  p.device->gate_open = true;
  EXPECT_EQ(status(used, UINT64_MAX), 0u);
}

// Brought in before a submission, taken back before its end is told; what the program writes meanwhile stays.
TEST(Amdgpu, TheProgramsOwnMemory) {
  Amdgpu p;
  alignas(4096) static uint32_t own[2048];
  own[0] = 1, own[1024] = 5;
  constexpr uint32_t writable = AMDGPU_GEM_USERPTR_ANONONLY | AMDGPU_GEM_USERPTR_VALIDATE | AMDGPU_GEM_USERPTR_REGISTER;
  drm_amdgpu_gem_userptr user{reinterpret_cast<uint64_t>(own), sizeof own, writable, 0};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_GEM_USERPTR, user), 0);
  drm_amdgpu_gem_mmap map{};
  map.in.handle = user.handle;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_GEM_MMAP, map), -EPERM);
  ASSERT_EQ(p.va(AMDGPU_VA_OP_MAP, user.handle, 0x800000, 0, sizeof own), 0);
  uint64_t sequence = 0;
  p.device->gate_open = false;
  ASSERT_EQ(p.submit(store_to(0x800000, 2) + std::vector<uint32_t>{gate}, sequence, {.handles = {user.handle}}), 0);
  p.wait_for_gate();
  own[1024] = 6;
  p.device->gate_open = true;
  EXPECT_EQ(p.wait(sequence), 0);
  EXPECT_EQ(own[0], 2u);
  EXPECT_EQ(own[1024], 6u);
  // It goes without its memory.
  EXPECT_EQ(p.close(user.handle), 0);
  own[0] = 3;
  EXPECT_EQ(p.wait(p.submit({})), 0);
  EXPECT_EQ(own[0], 3u);

  auto refused = [&](uint64_t address, uint64_t bytes, uint32_t flags) {
    drm_amdgpu_gem_userptr a{address, bytes, flags, 0};
    return call(*p.file, DRM_IOCTL_AMDGPU_GEM_USERPTR, a);
  };
  const uint64_t there = reinterpret_cast<uint64_t>(own);
  EXPECT_EQ(refused(there + 4, 4096, writable), -EINVAL);
  EXPECT_EQ(refused(there, 0, writable), -EINVAL);
  EXPECT_EQ(refused(there, 4096, 1 << 4), -EINVAL);
  EXPECT_EQ(refused(there, 4096, AMDGPU_GEM_USERPTR_ANONONLY), -EACCES);
  EXPECT_EQ(refused(0x1000, 4096, writable), -EFAULT);
  EXPECT_EQ(refused(~uint64_t(0) << 12, 4096, writable), -EFAULT);
}

// By the mapping's flags, or since the program has given its memory to be read only: a store there loses the context.
TEST(Amdgpu, MemoryThatMayOnlyBeRead) {
  alignas(4096) static uint32_t own[1024];
  for (bool users : {false, true}) {
    Amdgpu p;
    drm_amdgpu_gem_userptr user{reinterpret_cast<uint64_t>(own), sizeof own, AMDGPU_GEM_USERPTR_READONLY, 0};
    if (users) ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_GEM_USERPTR, user), 0);
    const uint32_t handle = users ? user.handle : p.create(4096), flags = AMDGPU_VM_PAGE_READABLE;
    ASSERT_EQ(p.va(AMDGPU_VA_OP_MAP, handle, 0x800000, 0, 4096, users ? flags | AMDGPU_VM_PAGE_WRITEABLE : flags), 0);
    auto& space = p.file->memory()->space();
    EXPECT_TRUE(space.contains(0x800000, 4096));
    EXPECT_FALSE(space.contains(0x800000, 4, true));
    uint64_t sequence = 0;
    ASSERT_EQ(p.submit(store_to(0x800000, 2), sequence, {.handles = {handle}}), 0);
    EXPECT_EQ(p.wait(sequence), 0);
    EXPECT_EQ(p.submit({nothing}, sequence, {}), -ECANCELED);
    EXPECT_EQ(own[0], 0u);
  }
}

}  // namespace
}  // namespace Atoll::drm
