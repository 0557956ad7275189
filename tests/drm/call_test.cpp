// The order of a submission's call and of everything that its submission does: through each uapi, whoever sees what the GPU wrote, or a
// fence, sees the call's answer too. And a call that cannot be granted since no thread is to be had.
#include "drm/core/call.h"

#include <libdrm/amdgpu_drm.h>
#include <libdrm/i915_drm.h>
#include <libdrm/radeon_drm.h>
#include <signal.h>

#include <filesystem>
#include <functional>

#include "drm/core/ring.h"
#include "tests/drm/uapi.h"
#include "tests/gpu/memory_limit.h"

namespace Atoll::drm {
namespace {

TEST(Call, WhatIsSubmittedBeginsWhenItIsOut) {
  Program p;
  for (auto kind : {gpu::QueueKind::graphics, gpu::QueueKind::compute}) {
    Ring ring(*p.process, kind, p.file->memory(), "a ring", nullptr);
    Submitted submitted;
    for (int n = 0; n < 2; n++) {  // by a thread that is made for it, and by one that looks for it
      {
        const Call call;
        ASSERT_EQ(ring.submit({}, submitted), 0);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        EXPECT_FALSE(submitted.done->done());
        EXPECT_EQ(ring.running().size(), 1u);
      }
      const FencePtr fence = submitted.done;
      EXPECT_TRUE(wait_all(p.file->session(), {&fence, 1}, UINT64_MAX));
    }
    // a call in a signal handler that has interrupted another one
    const Call outer;
    {
      const Call inner;
      ASSERT_EQ(ring.submit({}, submitted), 0);
    }
    const FencePtr fence = submitted.done;
    EXPECT_TRUE(wait_all(p.file->session(), {&fence, 1}, UINT64_MAX));
  }
}

// A virtual processor's time passes without its thread: 170 us of it did, and Mesa had not yet counted its buffer as idle. A thread that
// sleeps has gone on at once, one that runs has to have run for a millisecond.
TEST(Call, ItsThreadGoesOnBeforeTheWorkIsDone) {
  const auto ran_meanwhile = [](bool sleeps) {
    std::shared_ptr<CallEnd> end;
    std::atomic<bool> out{false}, seen{false};
    clockid_t processor{};
    std::thread caller([&] {
      ::pthread_getcpuclockid(::pthread_self(), &processor);
      {
        const Call call;
        end = Call::end_of_current();
      }
      out = true;
      while (!seen)
        if (sleeps) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    });
    while (!out) std::this_thread::yield();
    wait_until_gone_on(*end);
    timespec now{};
    EXPECT_EQ(::clock_gettime(processor, &now), 0);
    seen = true;
    caller.join();
    return uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec) - end->processor_time;
  };
  for (int n = 0; n < 8; n++) EXPECT_GE(ran_meanwhile(false), 1'000'000u);
  EXPECT_LT(ran_meanwhile(true), 1'000'000u);
}

// Programs end their contexts in functions that exit() calls, when the objects of its thread have ended already: memory that was given
// back meanwhile is others'.
TEST(Call, CallsInFunctionsOfAtexitLeaveOthersMemoryAlone) {
  auto at_exit = [] {
    constexpr size_t least = 64, most = 512;
    constexpr unsigned char mark = 0xa5;
    std::vector<std::vector<unsigned char>> others;
    for (size_t bytes = least; bytes < most; bytes += 8)
      for (unsigned n = 0; n < 8; n++) others.emplace_back(bytes, mark);
    for (unsigned n = 0; n < 100; n++) const Call call;
    for (const auto& block : others)
      if (std::ranges::count(block, mark) != ptrdiff_t(block.size())) ::_exit(1);
  };
  auto program = [&] {
    {
      const Call call;
    }
    std::atexit(at_exit);
    std::exit(0);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0), "");
}

// Submits again and again while another thread looks at what the GPU writes: as soon as that is there, the answer of the call must be.
constexpr uint32_t rounds = 2000;
void expect_answer_first(const std::function<void(uint32_t round)>& submit, const std::function<uint32_t()>& written,
                         const std::function<bool(uint32_t round)>& answered) {
  std::atomic<uint32_t> looked{1};  // the rounds begin with 2
  uint32_t early = 0;
  std::thread other([&] {
    for (uint32_t round = 2; round < rounds; round++) {
      while (written() != round) std::this_thread::yield();
      early += !answered(round);
      looked = round;
    }
  });
  for (uint32_t round = 2; round < rounds; round++) {
    submit(round);
    while (looked != round) std::this_thread::yield();
  }
  other.join();
  EXPECT_EQ(early, 0u) << "of " << rounds - 2;
}

uint32_t at_once(const uint8_t* p) { return __atomic_load_n(reinterpret_cast<const uint32_t*>(p), __ATOMIC_ACQUIRE); }

uint32_t create_amdgpu(File& file) {
  drm_amdgpu_gem_create a{};
  a.in = {page_bytes, page_bytes, AMDGPU_GEM_DOMAIN_GTT, 0};
  EXPECT_EQ(call(file, DRM_IOCTL_AMDGPU_GEM_CREATE, a), 0);
  return a.out.handle;
}
void map_amdgpu(File& file, uint32_t handle, uint64_t address) {
  drm_amdgpu_gem_va a{};
  a.handle = handle, a.operation = AMDGPU_VA_OP_MAP, a.flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE;
  a.va_address = address, a.map_size = page_bytes;
  EXPECT_EQ(call(file, DRM_IOCTL_AMDGPU_GEM_VA, a), 0);
}

struct AmdgpuSubmission {
  uint32_t commands, fence, context;
  uint8_t* words;
  uint64_t address;
  drm_amdgpu_cs_chunk_ib ib{};
  drm_amdgpu_cs_chunk_fence fence_place{};
  drm_amdgpu_cs_chunk chunks[2];
  uint64_t pointers[2];
  drm_amdgpu_cs cs{};

  AmdgpuSubmission(File& file, uint64_t at) : address(at) {
    commands = create_amdgpu(file), fence = create_amdgpu(file);
    map_amdgpu(file, commands, address);
    map_amdgpu(file, fence, address + page_bytes);
    words = file.find_buffer(commands)->host();
    drm_amdgpu_ctx a{};
    a.in.op = AMDGPU_CTX_OP_ALLOC_CTX;
    EXPECT_EQ(call(file, DRM_IOCTL_AMDGPU_CTX, a), 0);
    context = a.out.alloc.ctx_id;
    ib.va_start = address, ib.ib_bytes = 16, ib.ip_type = AMDGPU_HW_IP_GFX;
    fence_place = {fence, 8};
    chunks[0] = {AMDGPU_CHUNK_ID_IB, sizeof ib / 4, reinterpret_cast<uint64_t>(&ib)};
    chunks[1] = {AMDGPU_CHUNK_ID_FENCE, sizeof fence_place / 4, reinterpret_cast<uint64_t>(&fence_place)};
    for (int n = 0; n < 2; n++) pointers[n] = reinterpret_cast<uint64_t>(&chunks[n]);
  }
  int submit(File& file, uint32_t value) {
    const uint32_t stored[] = {store, uint32_t(address + page_bytes), uint32_t((address + page_bytes) >> 32), value};
    std::memcpy(words, stored, sizeof stored);
    cs = {};
    cs.in.ctx_id = context, cs.in.num_chunks = 2, cs.in.chunks = reinterpret_cast<uint64_t>(pointers);
    return call(file, DRM_IOCTL_AMDGPU_CS, cs);
  }
};

TEST(Call, AmdgpuAnswersBeforeAnythingIsSeen) {
  for (bool by_fence : {false, true}) {  // the user fence, or what commands write
    Program p("bonaire");
    AmdgpuSubmission s(*p.file, 0x400000);
    ASSERT_EQ(s.submit(*p.file, 1), 0);
    const uint8_t* memory = p.file->find_buffer(s.fence)->host() + (by_fence ? 8 : 0);
    expect_answer_first([&](uint32_t round) { ASSERT_EQ(s.submit(*p.file, round), 0); }, [&] { return at_once(memory); },
                        [&](uint32_t round) { return at_once(reinterpret_cast<const uint8_t*>(&s.cs.out.handle)) == round; });
  }
}

TEST(Call, RadeonAnswersBeforeAnythingIsSeen) {
  Program p("r580");
  drm_radeon_gem_create created{};
  created.size = created.alignment = page_bytes, created.initial_domain = RADEON_GEM_DOMAIN_VRAM;
  ASSERT_EQ(call(*p.file, DRM_IOCTL_RADEON_GEM_CREATE, created), 0);
  auto buffer = p.file->find_buffer(created.handle);
  // for the checker a write of three registers, for the device a store (radeon_test.cpp)
  uint32_t words[] = {2u << 16 | 1, uint32_t(buffer->offset()), 0, 0};
  uint32_t flags[] = {RADEON_CS_KEEP_TILING_FLAGS, RADEON_CS_RING_GFX};
  drm_radeon_cs_reloc relocation{created.handle, 0, RADEON_GEM_DOMAIN_VRAM, 0};
  drm_radeon_cs_chunk chunks[] = {{RADEON_CHUNK_ID_IB, 4, reinterpret_cast<uint64_t>(words)},
                                  {RADEON_CHUNK_ID_RELOCS, 4, reinterpret_cast<uint64_t>(&relocation)},
                                  {RADEON_CHUNK_ID_FLAGS, 2, reinterpret_cast<uint64_t>(flags)}};
  const uint64_t pointers[] = {reinterpret_cast<uint64_t>(&chunks[0]), reinterpret_cast<uint64_t>(&chunks[1]),
                               reinterpret_cast<uint64_t>(&chunks[2])};
  drm_radeon_cs cs{};
  expect_answer_first(
      [&](uint32_t round) {
        words[3] = round;
        cs = {};
        cs.num_chunks = 3, cs.chunks = reinterpret_cast<uint64_t>(pointers);
        ASSERT_EQ(call(*p.file, DRM_IOCTL_RADEON_CS, cs), 0);
      },
      [&] { return at_once(buffer->host()); },
      [&](uint32_t) { return at_once(reinterpret_cast<const uint8_t*>(&cs.gart_limit)) != 0; });
}

struct I915Submission {
  uint32_t batch, memory;
  drm_i915_gem_exec_object2 objects[2]{};
  drm_i915_gem_execbuffer2 a{};

  explicit I915Submission(File& file) {
    for (uint32_t* handle : {&memory, &batch}) {
      drm_i915_gem_create created{};
      created.size = page_bytes;
      EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_CREATE, created), 0);
      *handle = created.handle;
    }
    objects[0].handle = memory, objects[0].offset = 0x10000;
    objects[1].handle = batch, objects[1].offset = 0x20000;
    for (auto& object : objects) object.flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
  }
  int submit(File& file, uint32_t value, uint32_t context = 0, uint64_t flags = 0) {
    const uint32_t words[] = {store, 0x10000, 0, value};
    std::memcpy(file.find_buffer(batch)->host(), words, sizeof words);
    a = {};
    a.buffers_ptr = reinterpret_cast<uint64_t>(objects), a.buffer_count = 2, a.batch_len = sizeof words;
    a.rsvd1 = context, a.flags = flags, a.rsvd2 = ~uint64_t(0);
    return call(file, flags & I915_EXEC_FENCE_OUT ? DRM_IOCTL_I915_GEM_EXECBUFFER2_WR : DRM_IOCTL_I915_GEM_EXECBUFFER2, a);
  }
};

TEST(Call, I915AnswersBeforeAnythingIsSeen) {
  Program p("dg1");
  I915Submission s(*p.file);
  const uint8_t* memory = p.file->find_buffer(s.memory)->host();
  const auto* answer = reinterpret_cast<const uint8_t*>(&s.a.rsvd2) + 4;  // the descriptor of FENCE_OUT
  int descriptor = -1;
  expect_answer_first(
      [&](uint32_t round) {
        if (descriptor >= 0) ::close(descriptor);
        ASSERT_EQ(s.submit(*p.file, round, 0, I915_EXEC_FENCE_OUT), 0);
        descriptor = int(s.a.rsvd2 >> 32);
      },
      [&] { return at_once(memory); }, [&](uint32_t) { return at_once(answer) != ~0u; });
  ::close(descriptor);
}

// A process that may have no further thread: its calls fail, its signals come as before, and it works when there is room again.
template <class Submit>
[[noreturn]] void without_room(Submit submit) {
  const auto passed = [](bool it, int status) {
    if (!it) ::_exit(status);
  };
  sigset_t before, now;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  {
    const gpu::test::MemoryLimit limit(uint64_t(512) << 10);  // less than any thread's stack
    for (int n = 0; n < 2; n++) passed(submit() == -ENOMEM, 2);
  }
  ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
  for (int signal = 1; signal < NSIG; signal++) passed(sigismember(&now, signal) == sigismember(&before, signal), 3);
  passed(submit() == 0, 4);
  ::_exit(0);
}

TEST(NoThreadsDeathTest, AmdgpuRefusesTheSubmission) {
  auto body = [] {
    Program p("bonaire");
    AmdgpuSubmission s(*p.file, 0x400000);
    without_room([&] { return s.submit(*p.file, 1); });
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(0), "no thread is to be had .*ulimit -u");
}
TEST(NoThreadsDeathTest, I915RefusesTheSubmission) {
  auto body = [] {
    Program p("dg1");
    I915Submission s(*p.file);
    s.submit(*p.file, 1, 77);  // (no such context, but it loads what there is to load)
    p.file->memory();
    without_room([&] {
      static uint32_t context = [&] {
        drm_i915_gem_context_create_ext made{};
        call(*p.file, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, made);
        return made.ctx_id;
      }();
      return s.submit(*p.file, 1, context);
    });
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(0), "");
}

size_t threads_of_this_process() {
  size_t count = 0;
  for (auto& entry : std::filesystem::directory_iterator("/proc/self/task")) count += !entry.path().empty();
  return count;
}

// Contexts that have had their submission keep no thread, and 1,024 of them fit into a process's addresses.
TEST(ManyContexts, I915) {
  Program p("dg1");
  I915Submission s(*p.file);
  const size_t before = threads_of_this_process();
  for (uint32_t n = 1; n <= 1024; n++) {
    drm_i915_gem_context_create_ext made{};
    ASSERT_EQ(call(*p.file, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, made), 0);
    ASSERT_EQ(s.submit(*p.file, n, made.ctx_id), 0) << "context " << n;
  }
  drm_i915_gem_wait wait{};
  wait.bo_handle = s.memory, wait.timeout_ns = -1;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_I915_GEM_WAIT, wait), 0);
  EXPECT_EQ(at_once(p.file->find_buffer(s.memory)->host()), 1024u);
  for (int n = 0; n < 3000 && threads_of_this_process() > before; n++) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(threads_of_this_process(), before);
  EXPECT_EQ(s.submit(*p.file, 1, 1), 0) << "a thread comes back with work";
  EXPECT_EQ(call(*p.file, DRM_IOCTL_I915_GEM_WAIT, wait), 0);
  EXPECT_EQ(at_once(p.file->find_buffer(s.memory)->host()), 1u);
}

TEST(ManyContexts, Amdgpu) {
  Program p("bonaire");
  AmdgpuSubmission s(*p.file, 0x400000);
  const size_t before = threads_of_this_process();
  for (uint32_t n = 1; n <= 2000; n++) {
    drm_amdgpu_ctx a{};
    a.in.op = AMDGPU_CTX_OP_ALLOC_CTX;
    ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_CTX, a), 0);
    s.context = a.out.alloc.ctx_id;
    ASSERT_EQ(s.submit(*p.file, 1), 0) << "context " << n;
  }
  for (int n = 0; n < 3000 && threads_of_this_process() > before; n++) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(threads_of_this_process(), before);
}

}  // namespace
}  // namespace Atoll::drm
