// Sync objects, sync files and the work on dma-bufs between the processes of a session.
#include <fcntl.h>
#include <libdrm/amdgpu_drm.h>
#include <linux/capability.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <random>

#include "drm/session/sync_file.h"
#include "drm/session/sync_table.h"
#include "pass_descriptors.h"
#include "tests/drm/uapi.h"

namespace Atoll::drm {
namespace {

// A process whose ring stops at the gate of its device.
struct Amdgpu : Program {
  uint32_t context = 0, commands = 0;
  uint32_t* words = nullptr;

  explicit Amdgpu(int session = -1) : Program("bonaire", session) {
    drm_amdgpu_ctx a{};
    a.in.op = AMDGPU_CTX_OP_ALLOC_CTX;
    EXPECT_EQ(call(*file, DRM_IOCTL_AMDGPU_CTX, a), 0);
    context = a.out.alloc.ctx_id;
    commands = create();
    words = reinterpret_cast<uint32_t*>(file->find_buffer(commands)->host());
    words[0] = gate;
    drm_amdgpu_gem_va va{commands, 0, AMDGPU_VA_OP_MAP, AMDGPU_VM_PAGE_READABLE, 0x400000, 0, 4096};
    EXPECT_EQ(call(*file, DRM_IOCTL_AMDGPU_GEM_VA, va), 0);
  }

  uint32_t create() {
    drm_amdgpu_gem_create a{};
    a.in = {4096, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0};
    EXPECT_EQ(call(*file, DRM_IOCTL_AMDGPU_GEM_CREATE, a), 0);
    return a.out.handle;
  }

  // Command 0 is a wait for the gate, 1 does nothing.
  int submit(uint32_t command, std::vector<std::pair<uint32_t, drm_amdgpu_cs_chunk_syncobj>> points,
             std::vector<uint32_t> handles = {}, uint32_t type = AMDGPU_HW_IP_GFX) {
    handles.push_back(commands);
    std::vector<drm_amdgpu_bo_list_entry> entries;
    for (uint32_t handle : handles) entries.push_back({handle, 0});
    drm_amdgpu_bo_list_in list{~0u, ~0u, uint32_t(entries.size()), sizeof entries[0], reinterpret_cast<uint64_t>(entries.data())};
    drm_amdgpu_cs_chunk_ib ib{0, 0, 0x400000 + command * 4, 4, type, 0, 0};
    std::vector<drm_amdgpu_cs_chunk> chunks = {{AMDGPU_CHUNK_ID_BO_HANDLES, sizeof list / 4, reinterpret_cast<uint64_t>(&list)},
                                               {AMDGPU_CHUNK_ID_IB, sizeof ib / 4, reinterpret_cast<uint64_t>(&ib)}};
    for (auto& [kind, point] : points) chunks.push_back({kind, sizeof point / 4, reinterpret_cast<uint64_t>(&point)});
    std::vector<uint64_t> pointers;
    for (auto& chunk : chunks) pointers.push_back(reinterpret_cast<uint64_t>(&chunk));
    drm_amdgpu_cs cs{};
    cs.in.ctx_id = context;
    cs.in.num_chunks = uint32_t(pointers.size());
    cs.in.chunks = reinterpret_cast<uint64_t>(pointers.data());
    return call(*file, DRM_IOCTL_AMDGPU_CS, cs);
  }

  uint32_t make(uint32_t flags = 0) {
    drm_syncobj_create a{0, flags};
    EXPECT_EQ(call(*file, DRM_IOCTL_SYNCOBJ_CREATE, a), 0);
    return a.handle;
  }
  int descriptor_of(uint32_t handle, uint32_t flags = 0) {
    drm_syncobj_handle a{handle, flags, -1, 0};
    EXPECT_EQ(call(*file, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, a), 0);
    return a.fd;
  }
  uint32_t handle_of(int fd) {
    drm_syncobj_handle a{0, 0, fd, 0};
    EXPECT_EQ(call(*file, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, a), 0);
    return a.handle;
  }
  int wait(uint32_t handle, uint64_t point = 0, uint64_t nanoseconds = 0, uint32_t flags = 0) {
    drm_syncobj_timeline_wait a{};
    a.handles = reinterpret_cast<uint64_t>(&handle);
    a.points = reinterpret_cast<uint64_t>(&point);
    a.count_handles = 1;
    a.flags = flags;
    a.timeout_nsec = nanoseconds == UINT64_MAX ? INT64_MAX : int64_t(monotonic_nanoseconds() + nanoseconds);
    return call(*file, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, a);
  }
  int change(unsigned long request, uint32_t handle) {
    drm_syncobj_array a{reinterpret_cast<uint64_t>(&handle), 1, 0};
    return call(*file, request, a);
  }
  int signal(uint32_t handle, uint64_t point) {
    drm_syncobj_timeline_array a{reinterpret_cast<uint64_t>(&handle), reinterpret_cast<uint64_t>(&point), 1, 0};
    return call(*file, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, a);
  }
  uint64_t query(uint32_t handle, uint32_t flags = 0) {
    uint64_t value = ~uint64_t(0);
    drm_syncobj_timeline_array a{reinterpret_cast<uint64_t>(&handle), reinterpret_cast<uint64_t>(&value), 1, flags};
    EXPECT_EQ(call(*file, DRM_IOCTL_SYNCOBJ_QUERY, a), 0);
    return value;
  }
};

constexpr uint64_t short_time = 3'000'000;

void drop_capability(unsigned number) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3]{};
  ASSERT_EQ(::syscall(SYS_capget, &header, sets), 0);
  sets[number / 32].effective &= ~(1u << number % 32);
  ASSERT_EQ(::syscall(SYS_capset, &header, sets), 0);
}

bool readable(int fd, int milliseconds = 0) {
  pollfd one{fd, POLLIN, 0};
  return ::poll(&one, 1, milliseconds) == 1;
}

TEST(SyncSharing, ASubmissionIsWaitedForByAnotherProcess) {
  Amdgpu a, b(a.descriptor);
  const uint32_t mine = a.make();
  const int fd = a.descriptor_of(mine);
  const uint32_t theirs = b.handle_of(fd), again = b.handle_of(fd);
  ::close(fd);
  EXPECT_EQ(b.wait(theirs), -EINVAL) << "nothing was submitted";
  ASSERT_EQ(a.submit(0, {{AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, {mine, 0, 0}}}), 0);
  EXPECT_EQ(b.wait(theirs, 0, short_time), -ETIME);
  EXPECT_EQ(b.wait(again, 0, short_time), -ETIME);
  // the other one's ring waits for it as well
  ASSERT_EQ(b.submit(1, {{AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT, {theirs, 0, 0}},
                         {AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, {b.make(), 0, 0}}}),
            0);
  a.device->gate_open = true;
  EXPECT_EQ(b.wait(theirs, 0, UINT64_MAX), 0);
  EXPECT_EQ(b.change(DRM_IOCTL_SYNCOBJ_RESET, again), 0);
  EXPECT_EQ(a.wait(mine), -EINVAL) << "it is one object";
}

TEST(SyncSharing, TimelinesAreOne) {
  Amdgpu a, b(a.descriptor);
  const uint32_t mine = a.make();
  ASSERT_EQ(a.signal(mine, 3), 0);  // before it is shared
  const int fd = a.descriptor_of(mine);
  const uint32_t theirs = b.handle_of(fd);
  ::close(fd);
  EXPECT_EQ(b.query(theirs), 3u);
  ASSERT_EQ(a.submit(0, {{AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, {mine, 0, 7}}}), 0);
  ASSERT_EQ(b.submit(1, {{AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT, {theirs, 0, 7}},
                         {AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, {theirs, 0, 9}}}),
            0);
  EXPECT_EQ(a.query(mine), 3u);
  EXPECT_EQ(a.query(mine, DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED), 9u);
  EXPECT_EQ(a.wait(mine, 9, short_time), -ETIME);
  EXPECT_EQ(a.wait(mine, 10), -EINVAL);
  a.device->gate_open = true;
  EXPECT_EQ(a.wait(mine, 9, UINT64_MAX), 0);
  EXPECT_EQ(b.query(theirs), 9u);
}

// Submission 1 of a process waits for what another process does after its submission 2: a fence of all before it would never be done.
TEST(SyncSharing, AFenceIsOfItsSubmissionAlone) {
  Amdgpu a, b(a.descriptor);
  const uint32_t first = a.make(), second = a.make();
  const int fds[] = {a.descriptor_of(first), a.descriptor_of(second)};
  const uint32_t their_first = b.handle_of(fds[0]), their_second = b.handle_of(fds[1]);
  for (int fd : fds) ::close(fd);
  ASSERT_EQ(a.submit(0, {}), 0);  // stands at the gate
  ASSERT_EQ(a.submit(1, {{AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, {first, 0, 1}}}, {}, AMDGPU_HW_IP_COMPUTE), 0);
  EXPECT_EQ(b.wait(their_first, 1, 20'000'000'000), 0) << "of the other ring, which is done";
  ASSERT_EQ(b.signal(their_second, 1), 0);
  EXPECT_EQ(a.wait(second, 1, 0), 0);
}

TEST(SyncSharing, AWaitForALaterSubmissionIsWokenByAnotherProcess) {
  Amdgpu a, b(a.descriptor);
  const uint32_t mine = a.make();
  const int fd = a.descriptor_of(mine);
  const uint32_t theirs = b.handle_of(fd);
  ::close(fd);
  std::thread later([&] {
    ::usleep(20'000);
    EXPECT_EQ(a.signal(mine, 5), 0);
  });
  EXPECT_EQ(b.wait(theirs, 5, UINT64_MAX, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT), 0);
  later.join();
}

// A line has room for so many points that are not done; older ones that are done make room.
TEST(SyncSharing, LongLines) {
  Amdgpu a, b(a.descriptor);
  const uint32_t mine = a.make();
  const int fd = a.descriptor_of(mine);
  const uint32_t theirs = b.handle_of(fd);
  ::close(fd);
  for (uint64_t point = 1; point <= 5 * max_points; ++point) ASSERT_EQ(a.signal(mine, point), 0);
  EXPECT_EQ(b.query(theirs), 5 * max_points);
  for (uint64_t point = 1; point <= 5 * max_points; point += 7) EXPECT_EQ(b.wait(theirs, point), 0);
}

// Entries of the table are free again when nobody has them, by handle or by descriptor.
TEST(SyncSharing, TheTableDoesNotFillUp) {
  Amdgpu a, b(a.descriptor);
  for (uint32_t i = 0; i < 2 * SyncTable::max_syncobjs; ++i) {
    const uint32_t mine = a.make();
    const int fd = a.descriptor_of(mine);
    drm_syncobj_destroy destroy{mine, 0};
    ASSERT_EQ(call(*a.file, DRM_IOCTL_SYNCOBJ_DESTROY, destroy), 0);
    if (i % 2) {
      destroy.handle = b.handle_of(fd);
      ASSERT_EQ(call(*b.file, DRM_IOCTL_SYNCOBJ_DESTROY, destroy), 0);
    }
    ::close(fd);
  }
}

TEST(SyncSharing, WhatIsNoSyncObject) {
  Amdgpu a, other;
  const int fd = a.descriptor_of(a.make()), null = ::open("/dev/null", O_RDWR);
  drm_syncobj_handle import{0, 0, null, 0};
  EXPECT_EQ(call(*a.file, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, import), -EINVAL);
  import.fd = fd;
  EXPECT_EQ(call(*other.file, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, import), -EINVAL) << "of another session";
  drm_prime_handle prime{0, 0, fd};
  EXPECT_EQ(call(*a.file, DRM_IOCTL_PRIME_FD_TO_HANDLE, prime), -EINVAL);
  ::close(fd);
  ::close(null);
}

// The model: plain numbers. Two processes signal and wait on shared lines in random order.
TEST(SyncSharing, RandomTurnsAgreeWithAModel) {
  std::mt19937 random(7);
  int cases = 0;
  for (int round = 0; round < 40; ++round) {
    Amdgpu first, second(first.descriptor);
    Amdgpu* const processes[] = {&first, &second};
    uint32_t handles[2][4];
    uint64_t reached[4]{};
    for (int line = 0; line < 4; ++line) {
      const int maker = int(random() % 2);
      handles[maker][line] = processes[maker]->make();
      const int fd = processes[maker]->descriptor_of(handles[maker][line]);
      handles[!maker][line] = processes[!maker]->handle_of(fd);
      ::close(fd);
    }
    for (int step = 0; step < 50; ++step, ++cases) {
      const int who = int(random() % 2), line = int(random() % 4);
      Amdgpu& p = *processes[who];
      const uint32_t handle = handles[who][line];
      switch (random() % 4) {
        case 0: {
          const uint64_t point = reached[line] + 1 + random() % 5;
          ASSERT_EQ(p.signal(handle, point), 0);
          reached[line] = point;
          break;
        }
        case 1: {
          const uint64_t point = reached[line] + 1 + random() % 5;
          ASSERT_EQ(p.submit(1, {{AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, {handle, 0, point}}}), 0);
          reached[line] = point;
          ASSERT_EQ(processes[!who]->wait(handles[!who][line], point, UINT64_MAX), 0);
          break;
        }
        case 2: ASSERT_EQ(p.query(handle), reached[line]) << cases; break;
        case 3: {
          const uint64_t point = 1 + random() % (reached[line] + 2);
          ASSERT_EQ(p.wait(handle, point), point <= reached[line] ? 0 : -EINVAL) << cases;
          break;
        }
      }
    }
  }
  EXPECT_EQ(cases, 2000);
}

TEST(SyncFiles, AreReadableWhenTheWorkIsDone) {
  Amdgpu a, b(a.descriptor);
  const uint32_t mine = a.make();
  ASSERT_EQ(a.submit(0, {{AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, {mine, 0, 0}}}), 0);
  const int file = a.descriptor_of(mine, DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE);
  ASSERT_TRUE(is_sync_file(file));
  drm_syncobj_handle import{b.make(), DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE, file, 0};
  ASSERT_EQ(call(*b.file, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, import), 0);
  // one that another process's work ends: exporting it does not wait
  const int shared = a.descriptor_of(mine);
  const uint32_t theirs = b.handle_of(shared);
  const int second = b.descriptor_of(theirs, DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE);
  // and that is given on, shared, by the process that has imported the file
  const int given_on = b.descriptor_of(import.handle);
  const uint32_t back = a.handle_of(given_on);
  EXPECT_FALSE(readable(file) || readable(second));
  EXPECT_EQ(a.wait(back, 0, short_time), -ETIME);
  const uint64_t before = monotonic_nanoseconds();
  a.device->gate_open = true;
  EXPECT_TRUE(readable(file, -1) && readable(second, -1));
  EXPECT_EQ(b.wait(import.handle, 0, UINT64_MAX), 0);
  EXPECT_EQ(a.wait(back, 0, UINT64_MAX), 0);
  sync_fence_info fence{};
  sync_file_info info{};
  info.num_fences = 1;
  info.sync_fence_info = reinterpret_cast<uint64_t>(&fence);
  ASSERT_EQ(sync_file_ioctl(file, SYNC_IOC_FILE_INFO, &info), 0);
  EXPECT_EQ(info.status, 1);
  EXPECT_EQ(fence.status, 1);
  EXPECT_GE(fence.timestamp_ns, before);
  EXPECT_LE(fence.timestamp_ns, monotonic_nanoseconds());
  for (int fd : {file, second, shared, given_on}) ::close(fd);
}

TEST(SyncFiles, MergedAreReadableWhenBothAre) {
  for (int first_done : {0, 1})
    for (int second_done : {0, 1}) {
      Amdgpu p[2];
      int files[2];
      for (int i : {0, 1}) {
        const uint32_t object = p[i].make();
        if (i ? second_done : first_done) p[i].device->gate_open = true;
        ASSERT_EQ(p[i].submit(0, {{AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, {object, 0, 0}}}), 0);
        if (p[i].device->gate_open) ASSERT_EQ(p[i].wait(object, 0, UINT64_MAX), 0);
        files[i] = p[i].descriptor_of(object, DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE);
      }
      sync_merge_data merge{};
      merge.fd2 = files[1];
      ASSERT_EQ(sync_file_ioctl(files[0], SYNC_IOC_MERGE, &merge), 0);
      sync_file_info info{};
      ASSERT_EQ(sync_file_ioctl(merge.fence, SYNC_IOC_FILE_INFO, &info), 0);
      EXPECT_EQ(info.num_fences, 1u);
      EXPECT_EQ(info.status, first_done && second_done);
      EXPECT_EQ(readable(merge.fence), first_done && second_done);
      p[1].device->gate_open = true;
      EXPECT_TRUE(readable(files[1], -1));
      if (!first_done) EXPECT_FALSE(readable(merge.fence));
      p[0].device->gate_open = true;
      EXPECT_TRUE(readable(merge.fence, -1));
      for (int fd : {files[0], files[1], merge.fence}) ::close(fd);
    }
  int pair[2];
  ASSERT_EQ(::pipe(pair), 0);
  sync_merge_data merge{};
  EXPECT_EQ(sync_file_ioctl(pair[0], SYNC_IOC_MERGE, &merge), -ENOTTY);
  ::close(pair[0]);
  ::close(pair[1]);
}

// Without free descriptors a merge fails; it neither counts as done nor keeps any.
TEST(SyncFiles, AreNotMergedWithoutDescriptors) {
  Amdgpu p;
  const uint32_t object = p.make();
  ASSERT_EQ(p.submit(0, {{AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, {object, 0, 0}}}), 0);
  const int file = p.descriptor_of(object, DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE);
  const int lowest = ::dup(file);
  ASSERT_EQ(::close(lowest), 0);
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
  int failed = 0;
  for (rlim_t room = 0; room < 4; ++room) {
    const rlimit few{rlim_t(lowest) + room, usual.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    sync_merge_data merge{};
    merge.fd2 = file;
    const int result = sync_file_ioctl(file, SYNC_IOC_MERGE, &merge);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
    if (result == 0) {
      EXPECT_FALSE(readable(merge.fence)) << room;
      ::close(merge.fence);
      continue;
    }
    EXPECT_EQ(result, -EMFILE);
    const int next = ::dup(file);
    EXPECT_EQ(next, lowest) << room;
    ::close(next);
    failed++;
  }
  EXPECT_EQ(failed, 4);
  p.device->gate_open = true;
  EXPECT_TRUE(readable(file, -1));
  ::close(file);
}

// The work of a dma-buf as a file, and a file as work of the dma-buf, which every process that has it waits for.
TEST(SyncFiles, OfDmaBufs) {
  Amdgpu a, b(a.descriptor);
  const uint32_t mine = a.create();
  drm_prime_handle prime{mine, O_CLOEXEC | O_RDWR, -1};
  ASSERT_EQ(call(*a.file, DRM_IOCTL_PRIME_HANDLE_TO_FD, prime), 0);
  const uint64_t position = uint64_t(::lseek(prime.fd, 0, SEEK_CUR));
  auto export_from = [&](Program& p) {
    dma_buf_export_sync_file out{DMA_BUF_SYNC_RW, -1};
    EXPECT_EQ(dma_buf_ioctl(*p.process, position, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &out), 0);
    return out.fd;
  };
  const int idle = export_from(b);
  EXPECT_TRUE(readable(idle));
  ASSERT_EQ(a.submit(0, {}, {mine}), 0);
  const int from_maker = export_from(a), from_other = export_from(b);
  EXPECT_FALSE(readable(from_maker) || readable(from_other));
  a.device->gate_open = true;
  EXPECT_TRUE(readable(from_maker, -1) && readable(from_other, -1));

  const uint32_t object = b.make();
  ASSERT_EQ(b.submit(0, {{AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, {object, 0, 0}}}), 0);
  dma_buf_import_sync_file in{DMA_BUF_SYNC_WRITE, b.descriptor_of(object, DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE)};
  ASSERT_EQ(dma_buf_ioctl(*b.process, position, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &in), 0);
  drm_amdgpu_gem_wait_idle idle_wait{};
  idle_wait.in = {mine, 0, monotonic_nanoseconds() + short_time};
  ASSERT_EQ(call(*a.file, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, idle_wait), 0);
  EXPECT_EQ(idle_wait.out.status, 1u);
  const int of_import = export_from(a);
  EXPECT_FALSE(readable(of_import));
  b.device->gate_open = true;
  EXPECT_TRUE(readable(of_import, -1));
  idle_wait.in = {mine, 0, UINT64_MAX};
  ASSERT_EQ(call(*a.file, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, idle_wait), 0);
  EXPECT_EQ(idle_wait.out.status, 0u);
  // an answer that cannot be written leaves no descriptor
  auto* page =
      static_cast<dma_buf_export_sync_file*>(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(static_cast<void*>(page), MAP_FAILED);
  *page = {DMA_BUF_SYNC_RW, -1};
  ASSERT_EQ(::mprotect(page, 4096, PROT_READ), 0);
  const int lowest = ::dup(idle);
  ::close(lowest);
  EXPECT_EQ(dma_buf_ioctl(*b.process, position, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, page), -EFAULT);
  const int next = ::dup(idle);
  EXPECT_EQ(next, lowest);
  ::close(next);
  ::munmap(page, 4096);
  dma_buf_export_sync_file wrong{0, -1};
  EXPECT_EQ(dma_buf_ioctl(*a.process, position, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &wrong), -EINVAL);
  in.fd = 0;
  EXPECT_EQ(dma_buf_ioctl(*a.process, position, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &in), -EINVAL);
  for (int fd : {idle, from_maker, from_other, of_import, prime.fd}) ::close(fd);
}

// A wait for a process that is killed goes on.
TEST(SyncFiles, OfAProcessThatDied) {
  auto file = Session::create_file();
  ASSERT_TRUE(file);
  auto mine = *Session::open(*file);
  int sockets[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto* session = new std::shared_ptr<Session>(*Session::open(*file));
    auto* fence = new FencePtr(std::make_shared<Completion>(*session));
    auto line = *SharedLine::make(*session, {{4, *fence}}, 0);
    const int fds[] = {*line->make_descriptor(), make_sync_file(*session, *fence)};
    new std::shared_ptr<SharedLine>(line);
    test::send_descriptors(sockets[1], fds);
    for (;;) ::pause();
  }
  int fds[2] = {-1, -1};
  ASSERT_TRUE(test::receive_descriptors(sockets[0], fds));
  auto line = SharedLine::open(mine, uint64_t(::lseek(fds[0], 0, SEEK_CUR)));
  ASSERT_TRUE(line);
  auto fence = line->find(4);
  ASSERT_TRUE(fence);
  EXPECT_FALSE((*fence)->done() || (*fence)->abandoned());
  EXPECT_FALSE(readable(fds[1]));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(readable(fds[1], -1));
  EXPECT_TRUE(wait_all(*mine, {&*fence, 1}, UINT64_MAX));
  line.reset();
  for (int fd : {fds[0], fds[1], sockets[0], sockets[1], *file}) ::close(fd);
}

TEST(Priorities, AboveTheNormalOneIsForThePrivileged) {
  Amdgpu p;
  auto master = p.process->open_file(position_ours | position_primary | 5);
  auto create = [](File& file, int32_t priority) {
    drm_amdgpu_ctx a{};
    a.in.op = AMDGPU_CTX_OP_ALLOC_CTX;
    a.in.priority = priority;
    return call(file, DRM_IOCTL_AMDGPU_CTX, a);
  };
  // CAP_SYS_NICE is a thread's own (capabilities(7)); what is no priority counts as the normal one
  std::thread unprivileged([&] {
    drop_capability(CAP_SYS_NICE);
    for (int32_t priority : {AMDGPU_CTX_PRIORITY_UNSET, AMDGPU_CTX_PRIORITY_VERY_LOW, AMDGPU_CTX_PRIORITY_LOW,
                             AMDGPU_CTX_PRIORITY_NORMAL, 1, 511, 4000, INT32_MIN}) {
      EXPECT_EQ(create(*p.file, priority), 0) << priority;
      EXPECT_EQ(create(*master, priority), 0) << priority;
    }
    for (int32_t priority : {AMDGPU_CTX_PRIORITY_HIGH, AMDGPU_CTX_PRIORITY_VERY_HIGH}) {
      EXPECT_EQ(create(*p.file, priority), -EACCES) << priority;
      EXPECT_EQ(create(*master, priority), 0) << priority;
    }
  });
  unprivileged.join();
  if (has_capability(CAP_SYS_NICE)) EXPECT_EQ(create(*p.file, AMDGPU_CTX_PRIORITY_VERY_HIGH), 0);
  p.process->close_file(position_ours | position_primary | 5);
}

}  // namespace
}  // namespace Atoll::drm
