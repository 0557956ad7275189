// radeon's ioctls without Mesa: relocations as the kernel applies them, and a submission on R5xx.
#include "drm/radeon/radeon.h"

#include <libdrm/radeon_drm.h>

#include <cstdlib>

#include "tests/drm/uapi.h"

namespace Atoll::drm {
namespace {

constexpr uint32_t packet0(uint32_t address, uint32_t count, bool one = false) {
  return (count - 1) << 16 | uint32_t(one) << 15 | address / 4;
}
constexpr uint32_t packet3(uint32_t opcode, uint32_t count) { return 3u << 30 | (count - 1) << 16 | opcode << 8; }
constexpr uint32_t nop = packet3(0x10, 1);

constexpr radeon::Relocation buffers[] = {
    {0x00100000, 0}, {0x20000000, RADEON_TILING_MACRO | RADEON_TILING_MICRO}, {0x20100000, RADEON_TILING_MICRO_SQUARE}};

struct Case {
  const char* name;
  bool keep_tiling;
  std::vector<uint32_t> before, after;  // `after` empty: refused
};

TEST(Relocations, AsTheKernelAppliesThem) {
  const std::vector<Case> cases = {
      {"colour buffer", true, {packet0(0x4e28, 1), 0x200, nop, 4}, {packet0(0x4e28, 1), 0x20000200, nop, 4}},
      {"two of them",
       true,
       {packet0(0x4e28, 2), 0x200, 0x300, nop, 4, nop, 8},
       {packet0(0x4e28, 2), 0x20000200, 0x20100300, nop, 4, nop, 8}},
      {"depth buffer", true, {packet0(0x4f20, 1), 0x800, nop, 0}, {packet0(0x4f20, 1), 0x00100800, nop, 0}},
      {"its pitch names a buffer that nobody asked for",
       true,
       {packet0(0x4f24, 1), 0x123, nop, 0},
       {packet0(0x4f24, 1), 0x123, nop, 0}},
      {"its pitch, tiling from the buffer", false, {packet0(0x4f24, 1), 0x70123, nop, 4}, {packet0(0x4f24, 1), 0x30123, nop, 4}},
      {"colour pitch, square tiles", false, {packet0(0x4e38, 1), 0x40, nop, 8}, {packet0(0x4e38, 1), 0x40040, nop, 8}},
      {"texture keeps its low bits", true, {packet0(0x4540, 1), 0x40c, nop, 4}, {packet0(0x4540, 1), 0x2000040c, nop, 4}},
      {"texture, tiling from the buffer", false, {packet0(0x457c, 1), 0x400, nop, 4}, {packet0(0x457c, 1), 0x2000040c, nop, 4}},
      {"occlusion counter", true, {packet0(0x4f5c, 1), 0x10, nop, 4}, {packet0(0x4f5c, 1), 0x20000010, nop, 4}},
      {"resolve", true, {packet0(0x4e80, 1), 0x10, nop, 4}, {packet0(0x4e80, 1), 0x20000010, nop, 4}},
      {"other registers and single register bursts",
       true,
       {packet0(0x2208, 3, true), 1, 2, 3, packet0(0x4e0c, 1), 15},
       {packet0(0x2208, 3, true), 1, 2, 3, packet0(0x4e0c, 1), 15}},
      {"vertex arrays",
       true,
       {packet3(0x2f, 7), 3, 0x11, 0x100, 0x200, 0x22, 0x300, 0, nop, 0, nop, 4, nop, 8},
       {packet3(0x2f, 7), 3, 0x11, 0x00100100, 0x20000200, 0x22, 0x20100300, 0, nop, 0, nop, 4, nop, 8}},
      {"indices", true, {packet3(0x33, 3), 0x80000810, 0x40, 12, nop, 4}, {packet3(0x33, 3), 0x80000810, 0x20000040, 12, nop, 4}},
      {"filler", true, {0x80000000, 0x80000000}, {0x80000000, 0x80000000}},
      {"hierarchical depth is switched off", true, {packet0(0x43a4, 1), 0x1d}, {packet0(0x43a4, 1), 0x1c}},
      {"hierarchical depth in use", true, {packet0(0x4f1c, 1), 1}, {}},
      {"clear of depth through the colour unit is something else", true, {packet0(0x4f1c, 1), 0x20}, {packet0(0x4f1c, 1), 0x20}},
      {"clear of hierarchical depth", true, {packet3(0x37, 3), 0, 1, 0}, {}},
      {"clear of the depth mask", true, {packet3(0x32, 3), 0, 1, 0}, {}},
      {"clear of the colour mask", true, {packet3(0x38, 3), 0, 1, 0}, {}},
      {"colour mask in use", true, {packet0(0x4e00, 1), 0x400}, {}},
      {"size of depth tiles", true, {packet0(0x4028, 1), 1}, {}},
      {"places of masks of depth", true, {packet0(0x4f30, 2), 0, 64}, {}},
      {"places of hierarchical depth", true, {packet0(0x4f54, 1), 64}, {}},
      {"no size and no place",
       true,
       {packet0(0x4028, 1), 0, packet0(0x4f30, 2), 0, 0},
       {packet0(0x4028, 1), 0, packet0(0x4f30, 2), 0, 0}},
      {"no relocation", true, {packet0(0x4e28, 1), 0x200}, {}},
      {"another packet instead", true, {packet0(0x4e28, 1), 0x200, packet0(0x4e0c, 1), 4}, {}},
      {"a buffer that is not there", true, {packet0(0x4e28, 1), 0x200, nop, 12}, {}},
      {"a packet that is cut off", true, {packet0(0x4e28, 4), 0x200}, {}},
      {"arrays that are cut off", true, {packet3(0x2f, 2), 3, 0, nop, 0, nop, 0, nop, 0}, {}},
      {"type 1", true, {1u << 30, 0, 0}, {}},
  };
  for (auto& one : cases) {
    auto stream = one.before;
    auto done = radeon::relocate(stream, buffers, one.keep_tiling);
    if (one.after.empty())
      EXPECT_FALSE(done) << one.name;
    else
      EXPECT_TRUE(done && stream == one.after)
          << one.name << ": " << (done ? testing::PrintToString(stream) : done.error().message);
  }
}

// Linux drivers/gpu/drm/radeon/r300.c: each of the two rights lets its own registers and packets through.
TEST(Relocations, WhatHyperZAndCmaskAllow) {
  const std::vector<uint32_t> depth[] = {{packet0(0x43a4, 1), 0x1d},  {packet0(0x4f1c, 1), 0x1d},   {packet0(0x4028, 1), 1},
                                         {packet0(0x4f30, 2), 4, 64}, {packet0(0x4f44, 1), 4},      {packet0(0x4f54, 1), 64},
                                         {packet3(0x32, 3), 0, 9, 0}, {packet3(0x37, 3), 0, 9, ~0u}};
  const std::vector<uint32_t> colour[] = {{packet0(0x4e00, 1), 0x400}, {packet3(0x38, 3), 0, 9, 0}};
  for (unsigned has = 0; has < 4; has++) {
    const radeon::Granted granted{bool(has & 1), bool(has & 2)};
    auto passes = [&](const std::vector<uint32_t>& words) {
      auto stream = words;
      return radeon::relocate(stream, buffers, true, granted) && stream == words;
    };
    for (auto& words : depth) EXPECT_EQ(passes(words), granted.hyperz) << has << " " << std::hex << words[0];
    for (auto& words : colour) EXPECT_EQ(passes(words), granted.cmask) << has << " " << std::hex << words[0];
  }
}

uint32_t create(File& file, uint64_t bytes, uint32_t domain) {
  drm_radeon_gem_create a{};
  a.size = bytes;
  a.alignment = 4096;
  a.initial_domain = domain;
  EXPECT_EQ(call(file, DRM_IOCTL_RADEON_GEM_CREATE, a), 0);
  return a.handle;
}

uint64_t offset_of(File& file, uint32_t handle) {
  drm_radeon_gem_mmap a{};
  a.handle = handle;
  EXPECT_EQ(call(file, DRM_IOCTL_RADEON_GEM_MMAP, a), 0);
  return a.addr_ptr;
}

TEST(Radeon, InfoOfR5xx) {
  Program p("r580");
  uint32_t value = 0;
  drm_radeon_info query{};
  query.value = reinterpret_cast<uint64_t>(&value);
  for (auto [request, expected] :
       {std::pair(RADEON_INFO_DEVICE_ID, 0x7249u), {RADEON_INFO_NUM_GB_PIPES, 4u}, {RADEON_INFO_NUM_Z_PIPES, 1u}}) {
    query.request = uint32_t(request);
    EXPECT_EQ(call(*p.file, DRM_IOCTL_RADEON_INFO, query), 0);
    EXPECT_EQ(value, expected);
  }
  query.request = RADEON_INFO_MAX_SE;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_RADEON_INFO, query), -EINVAL);
  query.value = 0;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_RADEON_INFO, query), -EFAULT);
}

// One open file at a time has them: the first that asks, until it gives them back or is closed, in whichever process.
TEST(Radeon, HyperZAndCmaskAreOneFiles) {
  for (uint32_t request : {RADEON_INFO_WANT_HYPERZ, RADEON_INFO_WANT_CMASK}) {
    Program one("r580"), two("r580", one.descriptor);
    auto another = one.process->open_file(position_ours | 2), third = two.process->open_file(position_ours | 3);
    auto ask = [&](File& file, uint32_t value) {
      drm_radeon_info query{};
      query.request = request;
      query.value = reinterpret_cast<uint64_t>(&value);
      const int error = call(file, DRM_IOCTL_RADEON_INFO, query);
      return error ? error : int(value);
    };
    EXPECT_EQ(ask(*another, 0), 0);
    EXPECT_EQ(ask(*another, 2), -EINVAL);
    EXPECT_EQ(ask(*another, 1), 1);
    EXPECT_EQ(ask(*one.file, 1), 0) << "another file of the process";
    EXPECT_EQ(ask(*third, 1), 0) << "of another process";
    EXPECT_EQ(ask(*one.file, 0), 0) << "gives back what it has not got";
    EXPECT_EQ(ask(*another, 1), 1) << "has it already";
    EXPECT_EQ(ask(*another, 0), 0);
    EXPECT_EQ(ask(*third, 1), 1);
    EXPECT_EQ(ask(*another, 1), 0);
    third.reset();
    two.process->close_file(position_ours | 3);
    EXPECT_EQ(ask(*another, 1), 1) << "the file was closed";
    another.reset();
    one.process->close_file(position_ours | 2);
    {
      Program ends("r580", one.descriptor);
      auto last = ends.process->open_file(position_ours | 4);
      EXPECT_EQ(ask(*last, 1), 1);
    }
    EXPECT_EQ(ask(*one.file, 1), 1) << "the process ended";
  }
}

// A stream of one buffer, with what DRM_IOCTL_RADEON_CS points to (Linux radeon_drm.h).
struct Stream {
  std::vector<uint32_t> words;
  drm_radeon_cs_reloc relocation;
  uint32_t flags[2] = {RADEON_CS_KEEP_TILING_FLAGS, RADEON_CS_RING_GFX};
  drm_radeon_cs_chunk chunks[3];
  uint64_t pointers[3];
  drm_radeon_cs cs{};

  Stream(std::vector<uint32_t> w, drm_radeon_cs_reloc r) : words(std::move(w)), relocation(r) {
    auto chunk = [](uint32_t id, size_t dwords, const void* data) {
      return drm_radeon_cs_chunk{id, uint32_t(dwords), reinterpret_cast<uint64_t>(data)};
    };
    chunks[0] = chunk(RADEON_CHUNK_ID_IB, words.size(), words.data());
    chunks[1] = chunk(RADEON_CHUNK_ID_RELOCS, 4, &relocation);
    chunks[2] = chunk(RADEON_CHUNK_ID_FLAGS, 2, flags);
    for (unsigned n = 0; n < 3; n++) pointers[n] = reinterpret_cast<uint64_t>(&chunks[n]);
    cs.num_chunks = 3;
    cs.chunks = reinterpret_cast<uint64_t>(pointers);
  }
  Stream(const Stream&) = delete;
};

TEST(Radeon, R5xxRunsStreamsAtPhysicalAddresses) {
  Program p("r580");
  uint32_t vram = create(*p.file, 8192, RADEON_GEM_DOMAIN_VRAM), gtt = create(*p.file, 4096, RADEON_GEM_DOMAIN_GTT);
  EXPECT_GE(offset_of(*p.file, vram), 0x100000u);
  EXPECT_LT(offset_of(*p.file, vram), 0x20000000u);
  EXPECT_GE(offset_of(*p.file, gtt), 0x20000000u);
  EXPECT_LT(offset_of(*p.file, gtt), uint64_t(1) << 32);
  // for the checker a write of register 4 for the fake device a store, which is why it starts with 1
  Stream stream({packet0(4, 3), uint32_t(offset_of(*p.file, vram)) + 16, 0, 0xabcd}, {vram, 0, RADEON_GEM_DOMAIN_VRAM, 0});
  stream.flags[0] |= RADEON_CS_USE_VM;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_RADEON_CS, stream.cs), -EINVAL) << "no page tables here";
  stream.flags[0] = RADEON_CS_KEEP_TILING_FLAGS;
  stream.relocation.handle = 55;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_RADEON_CS, stream.cs), -ENOENT);
  stream.relocation.handle = vram;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_RADEON_CS, stream.cs), 0);
  drm_radeon_gem_wait_idle wait{vram, 0};
  EXPECT_EQ(call(*p.file, DRM_IOCTL_RADEON_GEM_WAIT_IDLE, wait), 0);
  EXPECT_EQ(p.file->session().statistics().submissions, 1u);
  uint32_t value = 0;
  ASSERT_EQ(::pread(p.descriptor, &value, 4, off_t(offset_of(*p.file, vram) + 16)), 4);
  EXPECT_EQ(value, 0xabcdu);
}

// More streams than there are places for them (112 below what programs may map), of which each is used again.
TEST(Radeon, PlacesOfStreamsAreUsedAgain) {
  for (const char* gpu : {"bonaire", "r580"}) {
    ::setenv("ATOLL_UAPI", "radeon", 1);
    Program p(gpu);
    ::unsetenv("ATOLL_UAPI");
    uint32_t buffer = create(*p.file, 4096, RADEON_GEM_DOMAIN_GTT);
    Stream stream({packet0(0, 1), nothing}, {buffer, 0, RADEON_GEM_DOMAIN_GTT, 0});
    if (gpu == std::string("bonaire")) stream.flags[0] |= RADEON_CS_USE_VM;
    drm_radeon_gem_wait_idle wait{buffer, 0};
    for (unsigned n = 0; n < 300; n++) {
      ASSERT_EQ(call(*p.file, DRM_IOCTL_RADEON_CS, stream.cs), 0) << gpu << " " << n;
      if (n % 40 == 0) ASSERT_EQ(call(*p.file, DRM_IOCTL_RADEON_GEM_WAIT_IDLE, wait), 0);
    }
    ASSERT_EQ(call(*p.file, DRM_IOCTL_RADEON_GEM_WAIT_IDLE, wait), 0);
    EXPECT_EQ(p.file->session().statistics().submissions, 300u) << gpu;
  }
}

// Sea Islands' pages by the mapping's flags, or since the program has given its memory to be read only.
TEST(Radeon, MemoryThatMayOnlyBeRead) {
  ::setenv("ATOLL_UAPI", "radeon", 1);
  Program p("bonaire");
  ::unsetenv("ATOLL_UAPI");
  alignas(4096) static uint32_t own[1024];
  drm_radeon_gem_userptr user{reinterpret_cast<uint64_t>(own), sizeof own, RADEON_GEM_USERPTR_READONLY, 0};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_RADEON_GEM_USERPTR, user), 0);
  const uint32_t plain = create(*p.file, 4096, RADEON_GEM_DOMAIN_GTT), other = create(*p.file, 4096, RADEON_GEM_DOMAIN_GTT);
  constexpr uint32_t readable = RADEON_VM_PAGE_READABLE | RADEON_VM_PAGE_SNOOPED, all = readable | RADEON_VM_PAGE_WRITEABLE;
  uint64_t at = 0x1000000;
  for (auto [handle, flags, writable] : {std::tuple(user.handle, all, false), {plain, readable, false}, {other, all, true}}) {
    drm_radeon_gem_va va{handle, RADEON_VA_MAP, 0, flags, at};
    ASSERT_EQ(call(*p.file, DRM_IOCTL_RADEON_GEM_VA, va), 0);
    EXPECT_TRUE(p.file->memory()->space().contains(at, 4096));
    EXPECT_EQ(p.file->memory()->space().contains(at, 4, true), writable) << at;
    at += 0x100000;
  }
}

TEST(Radeon, AFailureResetsTheRing) {
  Program p("r580");
  uint32_t buffer = create(*p.file, 4096, RADEON_GEM_DOMAIN_GTT);
  Stream stream({packet0(0, 1), error}, {buffer, 0, RADEON_GEM_DOMAIN_GTT, 0});  // the device meets 0, then 2
  drm_radeon_gem_wait_idle wait{buffer, 0};
  for (uint32_t value : {uint32_t(error), uint32_t(nothing)}) {
    stream.words[1] = value;
    ASSERT_EQ(call(*p.file, DRM_IOCTL_RADEON_CS, stream.cs), 0);
    ASSERT_EQ(call(*p.file, DRM_IOCTL_RADEON_GEM_WAIT_IDLE, wait), 0);
  }
  EXPECT_EQ(p.file->session().statistics().failed, 1u);
  EXPECT_EQ(p.file->session().statistics().submissions, 2u);
  EXPECT_EQ(p.process->resets(), 1u);
}

TEST(Radeon, BusyBuffersSaySo) {
  Program p("r580");
  uint32_t buffer = create(*p.file, 4096, RADEON_GEM_DOMAIN_GTT);
  drm_radeon_gem_busy busy{buffer, 0};
  EXPECT_EQ(call(*p.file, DRM_IOCTL_RADEON_GEM_BUSY, busy), 0);
  EXPECT_EQ(busy.domain, uint32_t(RADEON_GEM_DOMAIN_GTT));
  Stream stream({packet0(0, 1), gate}, {buffer, 0, RADEON_GEM_DOMAIN_GTT, 0});
  ASSERT_EQ(call(*p.file, DRM_IOCTL_RADEON_CS, stream.cs), 0);
  EXPECT_EQ(call(*p.file, DRM_IOCTL_RADEON_GEM_BUSY, busy), -EBUSY);
  p.device->gate_open = true;
  drm_radeon_gem_wait_idle wait{buffer, 0};
  EXPECT_EQ(call(*p.file, DRM_IOCTL_RADEON_GEM_WAIT_IDLE, wait), 0);
  EXPECT_EQ(call(*p.file, DRM_IOCTL_RADEON_GEM_BUSY, busy), 0);
}

}  // namespace
}  // namespace Atoll::drm
