// amdgpu's ioctls without Mesa: submissions, fences, dependencies, lost contexts.
#include "tests/drm/amdgpu.h"

#include <poll.h>

namespace Atoll::drm {
namespace {

// Buffers of one submission for several rings run at once; the fence is that of the ring of the last one. Older chips refuse them
// (Linux amdgpu_cs.c, amdgpu_cs_p1_ib; amdgpu_vm.c, concurrent_flush).
TEST(Amdgpu, AGangOfRingsRunsAtOnce) {
  for (std::string_view gpu : {"gfx1201", "bonaire"}) {
    Amdgpu p(-1, gpu);
    const std::vector<uint32_t> waiting{gate}, storing = store_to(Amdgpu::commands_address + 0x8000, 7);
    std::memcpy(p.commands_host, waiting.data(), waiting.size() * 4);
    std::memcpy(p.commands_host + 0x1000, storing.data(), storing.size() * 4);
    drm_amdgpu_cs_chunk_ib ibs[2] = {
        {0, 0, Amdgpu::commands_address + 0x1000, uint32_t(storing.size() * 4), AMDGPU_HW_IP_COMPUTE, 0, 1},
        {0, 0, Amdgpu::commands_address, uint32_t(waiting.size() * 4), AMDGPU_HW_IP_GFX, 0, 0}};
    drm_amdgpu_bo_list_entry entry{p.commands, 0};
    drm_amdgpu_bo_list_in list{~0u, ~0u, 1, sizeof entry, reinterpret_cast<uint64_t>(&entry)};
    drm_amdgpu_cs_chunk chunks[3] = {{AMDGPU_CHUNK_ID_BO_HANDLES, sizeof list / 4, reinterpret_cast<uint64_t>(&list)},
                                     {AMDGPU_CHUNK_ID_IB, sizeof ibs[0] / 4, reinterpret_cast<uint64_t>(&ibs[0])},
                                     {AMDGPU_CHUNK_ID_IB, sizeof ibs[1] / 4, reinterpret_cast<uint64_t>(&ibs[1])}};
    uint64_t pointers[3];
    for (int n = 0; n < 3; n++) pointers[n] = reinterpret_cast<uint64_t>(&chunks[n]);
    drm_amdgpu_cs a{};
    a.in.ctx_id = p.context;
    a.in.num_chunks = 3;
    a.in.chunks = reinterpret_cast<uint64_t>(pointers);
    const int result = call(*p.file, DRM_IOCTL_AMDGPU_CS, a);
    if (gpu == "bonaire") {
      EXPECT_EQ(result, -EINVAL);
      continue;
    }
    ASSERT_EQ(result, 0);
    const uint64_t sequence = a.out.handle;
    p.wait_for_gate();
    EXPECT_EQ(p.wait(sequence, 0), 1) << "the leader waits";
    auto* stored = reinterpret_cast<std::atomic<uint32_t>*>(p.commands_host + 0x8000);
    while (stored->load() != 7) std::this_thread::yield();  // while it does
    p.device->gate_open = true;
    EXPECT_EQ(p.wait(sequence), 0);
  }
}

TEST(Amdgpu, FencesAreNumberedAndWritten) {
  Amdgpu p;
  uint8_t* fence = p.map_host(p.user_fence, 4096);
  for (uint64_t i = 1; i <= 5; ++i) EXPECT_EQ(p.submit({nothing}), i);
  EXPECT_EQ(p.wait(5), 0);
  uint64_t value;
  std::memcpy(&value, fence + 8, 8);
  EXPECT_EQ(value, 5u);
  EXPECT_EQ(p.wait(0), 0);
  EXPECT_EQ(p.wait(6), -EINVAL) << "not submitted";
  EXPECT_EQ(p.wait(1, 0, 77), -EINVAL) << "no such context";
  // of another ring the numbers start again
  uint64_t sequence = 0;
  ASSERT_EQ(p.submit({nothing}, sequence, {.ip = AMDGPU_HW_IP_COMPUTE, .ring = 7}), 0);
  EXPECT_EQ(sequence, 1u);
  EXPECT_EQ(p.submit({nothing}, sequence, {.ip = AMDGPU_HW_IP_COMPUTE, .ring = 8}), -EINVAL);
  EXPECT_EQ(p.submit({nothing}, sequence, {.ip = AMDGPU_HW_IP_UVD}), -EINVAL);
  EXPECT_EQ(p.submit({nothing}, sequence, {.handles = {12345}}), -ENOENT);
}

TEST(Amdgpu, ManySubmissionsWaitTheirTurn) {
  Amdgpu p;
  uint32_t counter = p.create(4096);
  uint8_t* host = p.map_host(counter, 4096);
  ASSERT_EQ(p.va(AMDGPU_VA_OP_MAP, counter, 0xa00000, 0, 4096), 0);
  uint64_t sequence = 0;
  for (uint32_t i = 0; i < 500; ++i) {
    // the room is used again after 256 submissions, more than can be under way
    ASSERT_EQ(p.submit(store_to(0xa00000 + i % 64 * 4, i), sequence, {.place = i % 256 * 64, .handles = {counter}}), 0);
  }
  EXPECT_EQ(p.wait(sequence), 0);
  for (uint32_t i = 436; i < 500; ++i) {
    uint32_t value;
    std::memcpy(&value, host + i % 64 * 4, 4);
    EXPECT_EQ(value, i);
  }
}

TEST(Amdgpu, DependenciesHoldSubmissionsBack) {
  Amdgpu p;
  drm_amdgpu_ctx other{};
  other.in.op = AMDGPU_CTX_OP_ALLOC_CTX;
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_CTX, other), 0);
  uint32_t second_context = other.out.alloc.ctx_id;
  uint64_t first = 0, second = 0;
  ASSERT_EQ(p.submit({gate}, first, {}), 0);
  p.wait_for_gate();
  drm_amdgpu_cs_chunk_dep dependency{AMDGPU_HW_IP_GFX, 0, 0, p.context, first};
  ASSERT_EQ(p.submit({nothing}, second,
                     {.place = 4096,
                      .more = {{AMDGPU_CHUNK_ID_DEPENDENCIES, sizeof dependency / 4, reinterpret_cast<uint64_t>(&dependency)}},
                      .context = second_context,
                      .fence = false}),
            0);
  EXPECT_EQ(p.wait(second, monotonic_nanoseconds() + 20'000'000, second_context), 1);
  // either of the two, then both
  drm_amdgpu_fence fences[2] = {{p.context, AMDGPU_HW_IP_GFX, 0, 0, first}, {second_context, AMDGPU_HW_IP_GFX, 0, 0, second}};
  drm_amdgpu_wait_fences wait{};
  wait.in = {reinterpret_cast<uint64_t>(fences), 2, 0, monotonic_nanoseconds() + 1'000'000};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_WAIT_FENCES, wait), 0);
  EXPECT_EQ(wait.out.status, 0u);
  drm_amdgpu_fence_to_handle file{};
  file.in.fence = fences[1];
  file.in.what = AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD;
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, file), 0);
  pollfd poll{int(file.out.handle), POLLIN, 0};
  EXPECT_EQ(::poll(&poll, 1, 0), 0);
  p.device->gate_open = true;
  EXPECT_EQ(::poll(&poll, 1, 10000), 1);
  ::close(poll.fd);
  wait.in = {reinterpret_cast<uint64_t>(fences), 2, 1, UINT64_MAX};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_WAIT_FENCES, wait), 0);
  EXPECT_EQ(wait.out.status, 1u);
}

TEST(Amdgpu, AFailureLosesItsContextAlone) {
  Amdgpu p;
  drm_amdgpu_ctx other{};
  other.in.op = AMDGPU_CTX_OP_ALLOC_CTX;
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_CTX, other), 0);
  uint32_t second_context = other.out.alloc.ctx_id;
  EXPECT_EQ(p.wait(p.submit({error})), 0) << "whoever waits is let go";
  uint64_t sequence = 0;
  EXPECT_EQ(p.submit({nothing}, sequence, {}), -ECANCELED);
  drm_amdgpu_ctx state{};
  state.in.op = AMDGPU_CTX_OP_QUERY_STATE2;
  state.in.ctx_id = p.context;
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_CTX, state), 0);
  EXPECT_EQ(state.out.state.flags, uint64_t(AMDGPU_CTX_QUERY2_FLAGS_RESET | AMDGPU_CTX_QUERY2_FLAGS_GUILTY));
  for (uint32_t expected : {AMDGPU_CTX_GUILTY_RESET, AMDGPU_CTX_NO_RESET}) {
    state = {};
    state.in.op = AMDGPU_CTX_OP_QUERY_STATE;
    state.in.ctx_id = p.context;
    ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_CTX, state), 0);
    EXPECT_EQ(state.out.state.reset_status, expected);
  }
  EXPECT_EQ(p.submit({nothing}, sequence, {.context = second_context}), 0);
  EXPECT_EQ(p.wait(sequence, UINT64_MAX, second_context), 0);
  EXPECT_EQ(p.file->session().statistics().failed, 1u);
}

// A program that makes a context anew for each frame loses each by the same fault: one line, and its count.
TEST(Amdgpu, ALossThatComesAgainIsCounted) {
  Amdgpu p;
  Session& session = p.file->session();
  EXPECT_EQ(session.count_lost("load of 4 bytes at 0x1000, lane 3"), 0u);
  EXPECT_EQ(session.count_lost("load of 4 bytes at 0xfe20, lane 12"), 1u);
  EXPECT_EQ(session.count_lost("store of 4 bytes at 0x1000, lane 3"), 0u) << "another one";
  const auto& lost = session.statistics().lost;
  EXPECT_STREQ(lost[0].why, "load of 4 bytes at 0x1000, lane 3");
  EXPECT_EQ(lost[0].times, 2u);
  EXPECT_EQ(lost[1].times, 1u);
  testing::internal::CaptureStderr();
  for (int n = 0; n < 120; n++) {
    drm_amdgpu_ctx other{};
    other.in.op = AMDGPU_CTX_OP_ALLOC_CTX;
    ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_CTX, other), 0);
    p.context = other.out.alloc.ctx_id;
    EXPECT_EQ(p.wait(p.submit({error})), 0);
  }
  const std::string said = testing::internal::GetCapturedStderr();
  size_t lines = 0;
  for (size_t at = 0; (at = said.find("its context is lost", at)) != said.npos; ++at) lines++;
  EXPECT_EQ(lines, 3u) << "the first, the 10th, the 100th: " << said;
  EXPECT_NE(said.find("the 100th like it"), said.npos) << said;
  EXPECT_EQ(lost[2].times, 120u);
}

TEST(Amdgpu, SyncobjsInSubmissions) {
  Amdgpu p;
  drm_syncobj_create binary{}, line{};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_CREATE, binary), 0);
  ASSERT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_CREATE, line), 0);
  uint64_t sequence = 0;
  drm_amdgpu_cs_chunk_sem out{binary.handle};
  drm_amdgpu_cs_chunk_syncobj point{line.handle, 0, 7};
  ASSERT_EQ(p.submit({gate}, sequence,
                     {.more = {{AMDGPU_CHUNK_ID_SYNCOBJ_OUT, 1, reinterpret_cast<uint64_t>(&out)},
                               {AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, sizeof point / 4, reinterpret_cast<uint64_t>(&point)}}}),
            0);
  drm_syncobj_wait wait{};
  wait.handles = reinterpret_cast<uint64_t>(&binary.handle);
  wait.count_handles = 1;
  wait.timeout_nsec = int64_t(monotonic_nanoseconds() + 2'000'000);
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_WAIT, wait), -ETIME);
  uint64_t number = 7;
  drm_syncobj_timeline_wait points{};
  points.handles = reinterpret_cast<uint64_t>(&line.handle);
  points.points = reinterpret_cast<uint64_t>(&number);
  points.count_handles = 1;
  points.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, points), 0) << "it was submitted";
  points.flags = 0;
  number = 8;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, points), -EINVAL) << "nobody will signal 8";
  number = 7;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, points), -ETIME);
  uint64_t value = 99;
  drm_syncobj_timeline_array query{};
  query.handles = points.handles;
  query.points = reinterpret_cast<uint64_t>(&value);
  query.count_handles = 1;
  ASSERT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_QUERY, query), 0);
  EXPECT_EQ(value, 0u);
  p.device->gate_open = true;
  wait.timeout_nsec = INT64_MAX;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_WAIT, wait), 0);
  ASSERT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_QUERY, query), 0);
  EXPECT_EQ(value, 7u);
  // host signals, resets and transfers
  value = 20;
  ASSERT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, query), 0);
  number = 15;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, points), 0);
  drm_syncobj_array array{reinterpret_cast<uint64_t>(&binary.handle), 1, 0};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_RESET, array), 0);
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_WAIT, wait), -EINVAL);
  drm_syncobj_transfer transfer{line.handle, binary.handle, 20, 0, 0, 0};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_TRANSFER, transfer), 0);
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_WAIT, wait), 0);
  drm_syncobj_destroy destroy{binary.handle, 0};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_DESTROY, destroy), 0);
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_WAIT, wait), -ENOENT);
}

TEST(Amdgpu, AWaitForALaterSubmissionIsWoken) {
  Amdgpu p;
  drm_syncobj_create object{};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_CREATE, object), 0);
  std::thread later([&] {
    ::usleep(20000);
    drm_syncobj_array array{reinterpret_cast<uint64_t>(&object.handle), 1, 0};
    EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_SIGNAL, array), 0);
  });
  drm_syncobj_wait wait{};
  wait.handles = reinterpret_cast<uint64_t>(&object.handle);
  wait.count_handles = 1;
  wait.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL;
  wait.timeout_nsec = INT64_MAX;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_WAIT, wait), 0);
  later.join();
}

TEST(Amdgpu, ThreadsSubmitAtOnce) {
  Amdgpu p;
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        drm_amdgpu_gem_create a{};
        a.in = {4096, 4096, AMDGPU_GEM_DOMAIN_GTT, 0};
        failures += call(*p.file, DRM_IOCTL_AMDGPU_GEM_CREATE, a) != 0;
        uint32_t handle = a.out.handle;
        uint64_t address = 0x40000000 + uint64_t(handle) * 4096;
        failures += p.va(AMDGPU_VA_OP_MAP, handle, address, 0, 4096) != 0;
        drm_amdgpu_cs_chunk_ib ib{0, 0, address, 64, AMDGPU_HW_IP_GFX, 0, 0};
        drm_amdgpu_cs_chunk chunk{AMDGPU_CHUNK_ID_IB, sizeof ib / 4, reinterpret_cast<uint64_t>(&ib)};
        uint64_t pointer = reinterpret_cast<uint64_t>(&chunk);
        drm_amdgpu_cs cs{};
        cs.in.ctx_id = p.context;
        cs.in.num_chunks = 1;
        cs.in.chunks = reinterpret_cast<uint64_t>(&pointer);
        failures += call(*p.file, DRM_IOCTL_AMDGPU_CS, cs) != 0;
        failures += p.close(handle) != 0;  // while it runs, perhaps: the addresses stay until it is done
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(p.wait(~uint64_t(0)), 0);
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(p.file->session().statistics().failed, 0u);
  EXPECT_EQ(p.file->session().statistics().submissions, 800u);
}

}  // namespace
}  // namespace Atoll::drm
