// The end of a program whose work is under way: who else can see it, and that it is done for them.
#include <fcntl.h>
#include <libdrm/amdgpu_drm.h>
#include <sys/mman.h>

#include "tests/drm/uapi.h"

namespace Atoll::drm {
namespace {

// Work that stands at the gate, then stores a word in another buffer of the file, which the submission names.
struct Work {
  static constexpr uint64_t commands_at = 0x400000, target_at = 0x500000;
  Program& program;
  uint32_t context = 0, commands = 0;

  explicit Work(Program& p) : program(p) {
    drm_amdgpu_ctx made{};
    made.in.op = AMDGPU_CTX_OP_ALLOC_CTX;
    EXPECT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_CTX, made), 0);
    context = made.out.alloc.ctx_id;
    commands = create();
    const uint32_t words[] = {gate, store, uint32_t(target_at), 0, 0xfeed};
    EXPECT_EQ(::pwrite(p.descriptor, words, sizeof words, off_t(offset(commands))), ssize_t(sizeof words));
    map(commands, commands_at);
  }

  uint32_t create() const {
    drm_amdgpu_gem_create made{};
    made.in = {4096, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0};
    EXPECT_EQ(call(*program.file, DRM_IOCTL_AMDGPU_GEM_CREATE, made), 0);
    return made.out.handle;
  }
  uint64_t offset(uint32_t handle) const {
    drm_amdgpu_gem_mmap mapped{};
    mapped.in.handle = handle;
    EXPECT_EQ(call(*program.file, DRM_IOCTL_AMDGPU_GEM_MMAP, mapped), 0);
    return mapped.out.addr_ptr;
  }
  void map(uint32_t handle, uint64_t address) const {
    drm_amdgpu_gem_va va{handle, 0, AMDGPU_VA_OP_MAP, AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE, address, 0, 4096};
    EXPECT_EQ(call(*program.file, DRM_IOCTL_AMDGPU_GEM_VA, va), 0);
  }
  // Returns once it stands at the gate.
  void submit(uint32_t target) const {
    map(target, target_at);
    drm_amdgpu_bo_list_entry entries[2] = {{target, 0}, {commands, 0}};
    drm_amdgpu_bo_list_in list{~0u, ~0u, 2, sizeof entries[0], reinterpret_cast<uint64_t>(entries)};
    drm_amdgpu_cs_chunk_ib ib{0, 0, commands_at, 20, AMDGPU_HW_IP_GFX, 0, 0};
    drm_amdgpu_cs_chunk chunks[2] = {{AMDGPU_CHUNK_ID_BO_HANDLES, sizeof list / 4, reinterpret_cast<uint64_t>(&list)},
                                     {AMDGPU_CHUNK_ID_IB, sizeof ib / 4, reinterpret_cast<uint64_t>(&ib)}};
    uint64_t pointers[2] = {reinterpret_cast<uint64_t>(&chunks[0]), reinterpret_cast<uint64_t>(&chunks[1])};
    drm_amdgpu_cs cs{};
    cs.in.ctx_id = context;
    cs.in.num_chunks = 2;
    cs.in.chunks = reinterpret_cast<uint64_t>(pointers);
    ASSERT_EQ(call(*program.file, DRM_IOCTL_AMDGPU_CS, cs), 0);
    while (!program.device->at_gate) std::this_thread::yield();
  }
  void wait(uint32_t target) const {
    drm_amdgpu_gem_wait_idle idle{};
    idle.in = {target, 0, UINT64_MAX};
    EXPECT_EQ(call(*program.file, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, idle), 0);
  }
};

int exported(Program& p, uint32_t handle) {
  drm_prime_handle prime{handle, O_CLOEXEC | O_RDWR, -1};
  EXPECT_EQ(call(*p.file, DRM_IOCTL_PRIME_HANDLE_TO_FD, prime), 0);
  return prime.fd;
}

TEST(Ending, NobodySeesWorkOnAProgramsOwnBuffers) {
  Program p;
  Work work(p);
  EXPECT_FALSE(p.process->others_see_work());
  const uint32_t idle = work.create(), target = work.create();
  const int fd = exported(p, idle);  // not the work's
  work.submit(target);
  EXPECT_FALSE(p.process->others_see_work());
  p.process->finish();
  EXPECT_TRUE(p.process->ending()) << "it is cut short";
  ::close(fd);
}

TEST(Ending, OthersSeeWorkOnABufferThatWasExported) {
  Program p;
  Work work(p);
  const uint32_t target = work.create();
  work.submit(target);
  EXPECT_FALSE(p.process->others_see_work());
  const int fd = exported(p, target);  // while it is used
  EXPECT_TRUE(p.process->others_see_work());
  p.device->gate_open = true;
  work.wait(target);
  EXPECT_FALSE(p.process->others_see_work()) << "what is done needs no time";
  ::close(fd);
}

TEST(Ending, OthersSeeWorkOnABufferWithAName) {
  Program p;
  Work work(p);
  const uint32_t target = work.create();
  drm_gem_flink name{target, 0};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_GEM_FLINK, name), 0);
  work.submit(target);
  EXPECT_TRUE(p.process->others_see_work());
}

TEST(Ending, OthersSeeWorkOnTheirOwnBuffers) {
  Program p;
  Program other("bonaire", p.descriptor);
  Work work(p), theirs(other);
  const int fd = exported(other, theirs.create());
  drm_prime_handle prime{0, 0, fd};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_PRIME_FD_TO_HANDLE, prime), 0);
  work.submit(prime.handle);
  EXPECT_TRUE(p.process->others_see_work());
  ::close(fd);
}

TEST(Ending, OthersSeeTheProgramsMemoryWhereItIsMappedShared) {
  for (bool is_shared : {false, true}) {
    Program p;
    Work work(p);
    void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | (is_shared ? MAP_SHARED : MAP_PRIVATE), -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    drm_amdgpu_gem_userptr user{reinterpret_cast<uint64_t>(memory), 4096, AMDGPU_GEM_USERPTR_REGISTER, 0};
    ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_GEM_USERPTR, user), 0);
    work.submit(user.handle);
    EXPECT_EQ(p.process->others_see_work(), is_shared);
    p.device->gate_open = true;
    work.wait(user.handle);
    ::munmap(memory, 4096);
  }
}

TEST(Ending, WhatOthersSeeIsCarriedOut) {
  Program p;
  Program other("bonaire", p.descriptor);
  Work work(p);
  const uint32_t target = work.create();
  const int fd = exported(p, target);
  work.submit(target);
  std::thread opens([&] { p.device->gate_open = true; });
  p.process->finish();
  opens.join();
  EXPECT_FALSE(p.process->ending());
  uint32_t word = 0;
  EXPECT_EQ(::pread(other.descriptor, &word, 4, off_t(work.offset(target))), 4);
  EXPECT_EQ(word, 0xfeedu);
  ::close(fd);
}

// A ring that waits for what another process will never do ends with the program.
TEST(Ending, WaitsForOthersAreGivenUp) {
  Program p;
  Program other("bonaire", p.descriptor);
  Work theirs(other), work(p);
  const uint32_t buffer = theirs.create();
  const int fd = exported(other, buffer);
  theirs.submit(buffer);
  drm_prime_handle prime{0, 0, fd};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_PRIME_FD_TO_HANDLE, prime), 0);
  p.device->gate_open = true;
  p.device->at_gate = 1;
  work.submit(prime.handle);  // waits for the others' work first
  EXPECT_TRUE(p.process->others_see_work());
  p.process->finish();
  EXPECT_TRUE(p.process->ending());
  // its fence is signalled right behind
  for (int tries = 0; tries < 10'000 && p.process->others_see_work(); ++tries) ::usleep(1000);
  EXPECT_FALSE(p.process->others_see_work()) << "nothing is under way any more";
  EXPECT_FALSE(other.device->gate_open);
  ::close(fd);
}

}  // namespace
}  // namespace Atoll::drm
