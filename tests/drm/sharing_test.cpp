// Buffers between open files and processes of a session, and what is left when a process dies.
#include <fcntl.h>
#include <libdrm/amdgpu_drm.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/drm/uapi.h"

namespace Atoll::drm {
namespace {

uint32_t create(File& file, uint64_t bytes, uint64_t alignment = 4096) {
  drm_amdgpu_gem_create a{};
  a.in = {bytes, alignment, AMDGPU_GEM_DOMAIN_VRAM, 0};
  EXPECT_EQ(call(file, DRM_IOCTL_AMDGPU_GEM_CREATE, a), 0);
  return a.out.handle;
}

int export_from(File& file, uint32_t handle) {
  drm_prime_handle a{handle, O_CLOEXEC | O_RDWR, -1};
  EXPECT_EQ(call(file, DRM_IOCTL_PRIME_HANDLE_TO_FD, a), 0);
  return a.fd;
}

int import_to(File& file, int fd, uint32_t& handle) {
  drm_prime_handle a{0, 0, fd};
  int result = call(file, DRM_IOCTL_PRIME_FD_TO_HANDLE, a);
  handle = a.handle;
  return result;
}

uint64_t offset_of(File& file, uint32_t handle) {
  drm_amdgpu_gem_mmap a{};
  a.in.handle = handle;
  EXPECT_EQ(call(file, DRM_IOCTL_AMDGPU_GEM_MMAP, a), 0);
  return a.out.addr_ptr;
}

void close_handle(File& file, uint32_t handle) {
  drm_gem_close a{handle, 0};
  EXPECT_EQ(call(file, DRM_IOCTL_GEM_CLOSE, a), 0);
}

TEST(Sharing, HandlesAreAFilesOwn) {
  Program p;
  auto other = p.process->open_file(position_ours | 2);
  uint32_t handle = create(*p.file, 4096);
  drm_amdgpu_gem_mmap a{};
  a.in.handle = handle;
  EXPECT_EQ(call(*other, DRM_IOCTL_AMDGPU_GEM_MMAP, a), -ENOENT);
  int fd = export_from(*p.file, handle);
  uint32_t there = 0, again = 0, back = 0;
  ASSERT_EQ(import_to(*other, fd, there), 0);
  EXPECT_EQ(offset_of(*other, there), offset_of(*p.file, handle));
  ASSERT_EQ(import_to(*other, fd, again), 0);
  EXPECT_EQ(again, there) << "one handle a buffer and file";
  ASSERT_EQ(import_to(*p.file, fd, back), 0);
  EXPECT_EQ(back, handle);
  ::close(fd);
  int null = ::open("/dev/null", O_RDWR);
  EXPECT_EQ(import_to(*other, null, there), -EINVAL);
  ::close(null);
  p.process->close_file(position_ours | 2);
}

TEST(Sharing, BetweenProcessesWithAllThatBelongsToIt) {
  Program a;
  Program b("bonaire", a.descriptor);
  uint32_t handle = create(*a.file, 300000, 65536);
  drm_amdgpu_gem_metadata metadata{};
  metadata.handle = handle;
  metadata.op = AMDGPU_GEM_METADATA_OP_SET_METADATA;
  metadata.data.tiling_info = 0x123456789;
  metadata.data.data_size_bytes = 44;
  for (uint32_t i = 0; i < 11; ++i) metadata.data.data[i] = i * 3 + 1;
  ASSERT_EQ(call(*a.file, DRM_IOCTL_AMDGPU_GEM_METADATA, metadata), 0);
  int fd = export_from(*a.file, handle);
  uint32_t there = 0;
  ASSERT_EQ(import_to(*b.file, fd, there), 0);
  EXPECT_EQ(offset_of(*b.file, there), offset_of(*a.file, handle));
  drm_amdgpu_gem_metadata got{};
  got.handle = there;
  got.op = AMDGPU_GEM_METADATA_OP_GET_METADATA;
  ASSERT_EQ(call(*b.file, DRM_IOCTL_AMDGPU_GEM_METADATA, got), 0);
  EXPECT_EQ(got.data.tiling_info, 0x123456789u);
  EXPECT_EQ(got.data.data_size_bytes, 44u);
  EXPECT_EQ(std::memcmp(got.data.data, metadata.data.data, 44), 0);
  drm_amdgpu_gem_create_in info{};
  drm_amdgpu_gem_op op{there, AMDGPU_GEM_OP_GET_GEM_CREATE_INFO, reinterpret_cast<uint64_t>(&info)};
  ASSERT_EQ(call(*b.file, DRM_IOCTL_AMDGPU_GEM_OP, op), 0);
  EXPECT_EQ(info.alignment, 65536u);
  EXPECT_EQ(info.bo_size, 303104u);
  // by name, too
  drm_gem_flink name{handle, 0};
  ASSERT_EQ(call(*a.file, DRM_IOCTL_GEM_FLINK, name), 0);
  drm_gem_open open{name.name, 0, 0};
  ASSERT_EQ(call(*b.file, DRM_IOCTL_GEM_OPEN, open), 0);
  EXPECT_EQ(open.handle, there);
  open.name = 40000;
  EXPECT_EQ(call(*b.file, DRM_IOCTL_GEM_OPEN, open), -ENOENT);
  ::close(fd);
}

TEST(Sharing, LivesAsLongAsAnybodyHasIt) {
  Program a;
  Program b("bonaire", a.descriptor);
  auto used = [&] { return a.file->session().used_bytes(AMDGPU_GEM_DOMAIN_VRAM); };
  uint64_t before = used();
  uint32_t handle = create(*a.file, 4096);
  uint64_t offset = offset_of(*a.file, handle);
  uint32_t value = 0xfeed;
  ASSERT_EQ(::pwrite(a.descriptor, &value, 4, off_t(offset)), 4);
  int fd = export_from(*a.file, handle);
  int copy = ::dup(fd);
  ::close(fd);
  close_handle(*a.file, handle);
  EXPECT_EQ(used(), before + 4096) << "the dma-buf holds it";
  uint32_t there = 0;
  ASSERT_EQ(import_to(*b.file, copy, there), 0);
  ::close(copy);
  value = 0;
  ASSERT_EQ(::pread(b.descriptor, &value, 4, off_t(offset_of(*b.file, there))), 4);
  EXPECT_EQ(value, 0xfeedu);
  uint32_t other = create(*a.file, 4096);
  EXPECT_NE(offset_of(*a.file, other), offset);
  close_handle(*a.file, other);
  EXPECT_EQ(used(), before + 4096);
  close_handle(*b.file, there);
  EXPECT_EQ(used(), before);
}

TEST(Sharing, ADmaBufOfAFreedBufferIsNotOneOfItsSuccessor) {
  Program a;
  uint32_t handle = create(*a.file, 4096);
  int fd = export_from(*a.file, handle);
  uint64_t position = uint64_t(::lseek(fd, 0, SEEK_CUR));
  ::close(fd);
  close_handle(*a.file, handle);
  (void)create(*a.file, 4096);
  uint32_t index = 0;
  EXPECT_EQ(a.file->session().find_dma_buf(position, index), nullptr);
}

TEST(Sharing, AnotherProcessWaitsForTheWorkOfTheFirst) {
  Program a;
  Program b("bonaire", a.descriptor);
  uint32_t handle = create(*a.file, 4096), commands = create(*a.file, 4096);
  uint32_t word = gate;
  ASSERT_EQ(::pwrite(a.descriptor, &word, 4, off_t(offset_of(*a.file, commands))), 4);
  drm_amdgpu_gem_va va{commands, 0, AMDGPU_VA_OP_MAP, AMDGPU_VM_PAGE_READABLE, 0x400000, 0, 4096};
  ASSERT_EQ(call(*a.file, DRM_IOCTL_AMDGPU_GEM_VA, va), 0);
  drm_amdgpu_ctx context{};
  context.in.op = AMDGPU_CTX_OP_ALLOC_CTX;
  ASSERT_EQ(call(*a.file, DRM_IOCTL_AMDGPU_CTX, context), 0);
  int fd = export_from(*a.file, handle);
  drm_amdgpu_bo_list_entry entries[2] = {{handle, 0}, {commands, 0}};
  drm_amdgpu_bo_list_in list{~0u, ~0u, 2, sizeof entries[0], reinterpret_cast<uint64_t>(entries)};
  drm_amdgpu_cs_chunk_ib ib{0, 0, 0x400000, 4, AMDGPU_HW_IP_GFX, 0, 0};
  drm_amdgpu_cs_chunk chunks[2] = {{AMDGPU_CHUNK_ID_BO_HANDLES, sizeof list / 4, reinterpret_cast<uint64_t>(&list)},
                                   {AMDGPU_CHUNK_ID_IB, sizeof ib / 4, reinterpret_cast<uint64_t>(&ib)}};
  uint64_t pointers[2] = {reinterpret_cast<uint64_t>(&chunks[0]), reinterpret_cast<uint64_t>(&chunks[1])};
  drm_amdgpu_cs cs{};
  cs.in.ctx_id = context.out.alloc.ctx_id;
  cs.in.num_chunks = 2;
  cs.in.chunks = reinterpret_cast<uint64_t>(pointers);
  ASSERT_EQ(call(*a.file, DRM_IOCTL_AMDGPU_CS, cs), 0);
  uint32_t there = 0;
  ASSERT_EQ(import_to(*b.file, fd, there), 0);
  auto status = [&](uint64_t timeout) {
    drm_amdgpu_gem_wait_idle wait{};
    wait.in = {there, 0, timeout};
    EXPECT_EQ(call(*b.file, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, wait), 0);
    return wait.out.status;
  };
  EXPECT_EQ(status(monotonic_nanoseconds() + 10'000'000), 1u);
  a.device->gate_open = true;
  EXPECT_EQ(status(UINT64_MAX), 0u);
  ::close(fd);
}

// Runs in a child, which is killed when it has written a byte.
template <class Work>
void in_killed_child(Work work) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  pid_t child = ::fork();
  if (child == 0) {
    work();
    (void)!::write(ready[1], "x", 1);
    for (;;) ::pause();
  }
  char byte;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(Sharing, ADeadProcessLeavesNothingBehind) {
  auto file = Session::create_file();
  ASSERT_TRUE(file);
  auto mine = Session::open(*file);
  ASSERT_TRUE(mine);
  in_killed_child([&] {
    auto session = Session::open(*file);
    Session::Request request{
        .bytes = 1 << 20, .asked_bytes = 1 << 20, .begin = uint64_t(4) << 30, .end = memory_bytes, .domains = 4};
    for (int i = 0; i < 10; ++i) (void)(*session)->allocate(request);
    new std::shared_ptr<Session>(*session);  // no destructor tidies up
  });
  EXPECT_EQ((*mine)->used_bytes(4), uint64_t(10) << 20);
  // noticed when somebody joins
  auto another = Session::open(*file);
  ASSERT_TRUE(another);
  EXPECT_EQ((*mine)->used_bytes(4), 0u);
  ::close(*file);
}

TEST(Sharing, AProcessThatDiesWithTheLockHeldStopsNobody) {
  auto file = Session::create_file();
  ASSERT_TRUE(file);
  auto mine = Session::open(*file);
  ASSERT_TRUE(mine);
  in_killed_child([&] {
    auto* session = new std::shared_ptr<Session>(*Session::open(*file));
    new Session::Lock(**session);
  });
  Session::Request request{.bytes = 4096, .asked_bytes = 4096, .begin = uint64_t(4) << 30, .end = memory_bytes, .domains = 4};
  auto index = (*mine)->allocate(request);
  ASSERT_TRUE(index);
  (*mine)->disown(*index);
  EXPECT_EQ((*mine)->used_bytes(4), 0u);
  ::close(*file);
}

TEST(Sharing, SessionsHaveRoomForManyBuffers) {
  Program p;
  std::vector<uint32_t> handles;
  for (int i = 0; i < 5000; ++i) handles.push_back(create(*p.file, 4096));
  std::vector<uint64_t> offsets;
  for (uint32_t handle : handles) offsets.push_back(offset_of(*p.file, handle));
  std::sort(offsets.begin(), offsets.end());
  EXPECT_EQ(std::adjacent_find(offsets.begin(), offsets.end(), [](uint64_t a, uint64_t b) { return b - a < 4096; }),
            offsets.end());
  for (size_t i = 0; i < handles.size(); i += 2) close_handle(*p.file, handles[i]);
  EXPECT_EQ(p.file->session().used_bytes(AMDGPU_GEM_DOMAIN_VRAM), 2500u * 4096);
}

}  // namespace
}  // namespace Atoll::drm
