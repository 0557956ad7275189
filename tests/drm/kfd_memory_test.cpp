// /dev/kfd: memory of the GPU and of programs.
#include "tests/drm/kfd.h"

namespace Atoll::drm {
namespace {

TEST(Kfd, RefusesMemoryThatCannotBe) {
  Kfd k;
  uint64_t handle = 0;
  constexpr uint32_t gtt = KFD_IOC_ALLOC_MEM_FLAGS_GTT;
  EXPECT_EQ(k.allocate(base, 0, gtt, handle), -EINVAL);
  EXPECT_EQ(k.allocate(base, UINT64_MAX, gtt, handle), -ENOMEM);
  // a range that cannot be is noticed when it is mapped
  for (uint64_t address : {uint64_t(0), base + 8, uint64_t(0x100000), UINT64_MAX - 4095, (uint64_t(1) << 40) - 4096}) {
    ASSERT_EQ(k.allocate(address, 8192, gtt, handle), 0);
    EXPECT_EQ(k.map(handle), -EINVAL) << address;
    EXPECT_EQ(k.unmap(handle), -EINVAL);  // it is not mapped
    EXPECT_EQ(k.free(handle), 0);
  }
  EXPECT_EQ(k.allocate(base, 4096, 0, handle), -EINVAL);
  EXPECT_EQ(k.allocate(base, uint64_t(1) << 39, gtt, handle), -ENOMEM);
  EXPECT_EQ(k.allocate(base, 4096, KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP, handle), -ENOMEM);
  // 1,024 doorbells of 4 bytes (kfd_doorbell_process_slice)
  EXPECT_EQ(k.allocate(base, 8192, KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL, handle), -EINVAL);
  EXPECT_EQ(k.allocate(base, 2048, KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL, handle), -EINVAL);
  EXPECT_EQ(k.allocate(base, 4096, KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL, handle), 0);
  // a handle names its GPU in the upper half
  EXPECT_EQ(k.map(77), -EINVAL);
  EXPECT_EQ(k.free(77), -EINVAL);
  EXPECT_EQ(k.map(uint64_t(k.id) << 32 | 77), -ENOMEM);
  EXPECT_EQ(k.unmap(uint64_t(k.id) << 32 | 77), -ENOMEM);
  EXPECT_EQ(k.free(uint64_t(k.id) << 32 | 77), -EINVAL);
  ASSERT_EQ(k.allocate(base, 8192, gtt, handle), 0);
  uint64_t over = 0;
  ASSERT_EQ(k.allocate(base + 4096, 8192, gtt, over), 0);
  EXPECT_EQ(k.map(handle), 0);
  EXPECT_EQ(k.map(handle), 0);
  EXPECT_EQ(k.map(over), -EINVAL);  // something is there already
  EXPECT_EQ(k.free(handle), -EBUSY);
  EXPECT_TRUE(k.space().contains(base, 8192));
  EXPECT_FALSE(k.space().contains(base, 8192, true));  // not asked for
  EXPECT_EQ(k.unmap(handle), 0);
  EXPECT_FALSE(k.space().contains(base, 1));
  EXPECT_EQ(k.free(handle), 0);
  uint32_t ids[] = {k.id, 5};
  kfd_ioctl_map_memory_to_gpu_args a{
      .handle = over, .device_ids_array_ptr = reinterpret_cast<uint64_t>(ids), .n_devices = 2, .n_success = 0};
  EXPECT_EQ(k.call(AMDKFD_IOC_MAP_MEMORY_TO_GPU, a), -EINVAL);
  EXPECT_EQ(a.n_success, 1u);  // the first of the two is mapped
  a.n_devices = 0;
  EXPECT_EQ(k.call(AMDKFD_IOC_MAP_MEMORY_TO_GPU, a), -EINVAL);
  a = {.handle = over, .device_ids_array_ptr = 16, .n_devices = 1, .n_success = 0};
  EXPECT_EQ(k.call(AMDKFD_IOC_MAP_MEMORY_TO_GPU, a), -EFAULT);
  a = {.handle = over, .device_ids_array_ptr = reinterpret_cast<uint64_t>(ids), .n_devices = 1, .n_success = 2};
  EXPECT_EQ(k.call(AMDKFD_IOC_MAP_MEMORY_TO_GPU, a), -EINVAL);
}

TEST(Kfd, SharesTheProgramsOwnPages) {
  Kfd k;
  constexpr uint64_t bytes = 3 << 20;
  auto* own = static_cast<uint8_t*>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (uint64_t n = 0; n < bytes; n += 997) own[n] = uint8_t(n * 7);
  const auto user = reinterpret_cast<uint64_t>(own);
  constexpr uint32_t flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE;
  uint64_t handle = 0, part = 0, none = 0;
  ASSERT_EQ(k.allocate(base, bytes, flags, handle, nullptr, user), 0);
  ASSERT_EQ(k.map(handle), 0);
  uint8_t* there = k.space().host(base);
  for (uint64_t n = 0; n < bytes; n += 997) ASSERT_EQ(own[n], uint8_t(n * 7)) << n;
  EXPECT_EQ(std::memcmp(own, there, bytes), 0);
  own[5000] = 1, there[2 << 20] = 2;
  EXPECT_EQ(there[5000], 1);
  EXPECT_EQ(own[2 << 20], 2);
  // the same pages once more, at another address, while the first is there and after it is gone
  ASSERT_EQ(k.allocate(base + bytes, 8192, flags, part, nullptr, user + 4096), 0);
  ASSERT_EQ(k.map(part), 0);
  EXPECT_EQ(k.space().host(base + bytes)[5000 - 4096], 1);
  EXPECT_EQ(k.unmap(handle), 0);
  EXPECT_EQ(k.free(handle), 0);
  own[5001] = 3;
  EXPECT_EQ(k.space().host(base + bytes)[5001 - 4096], 3);
  EXPECT_EQ(own[2 << 20], 2);  // the program keeps what it had
  // other pages at the same address are other pages
  ::munmap(own, bytes);
  auto* again = static_cast<uint8_t*>(::mmap(own, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
  again[4096] = 9;
  ASSERT_EQ(k.allocate(base, bytes, flags, handle, nullptr, user), 0);
  ASSERT_EQ(k.map(handle), 0);
  EXPECT_EQ(k.space().host(base)[4096], 9);
  EXPECT_EQ(k.space().host(base)[5000], 0);

  // pages that were taken one by one, and then all at once: some, or some and others
  auto* pages = static_cast<uint8_t*>(::mmap(nullptr, 8 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (uint64_t n = 0; n < 8; n++) pages[n * 4096] = uint8_t(n + 1);
  for (uint64_t n : {1, 2, 3, 5, 6}) {
    uint64_t one = 0;
    ASSERT_EQ(k.allocate(base * 3 + n * 4096, 4096, flags, one, nullptr, reinterpret_cast<uint64_t>(pages) + n * 4096), 0);
    ASSERT_EQ(k.map(one), 0);
  }
  uint64_t all = 0;
  ASSERT_EQ(k.allocate(base * 3 + 65536, 8 * 4096, flags, all, nullptr, reinterpret_cast<uint64_t>(pages)), 0);
  ASSERT_EQ(k.map(all), 0);
  for (uint64_t n = 0; n < 8; n++) {
    pages[n * 4096 + 1] = uint8_t(n + 10);
    EXPECT_EQ(k.space().host(base * 3 + 65536)[n * 4096], n + 1);
    EXPECT_EQ(k.space().host(base * 3 + 65536)[n * 4096 + 1], n + 10);
  }

  EXPECT_EQ(k.allocate(base * 2, 4096, flags, none, nullptr, user + 1), -EINVAL);
  EXPECT_EQ(k.allocate(base * 2, 4096, flags, none, nullptr, 0), -EINVAL);
  EXPECT_EQ(k.allocate(base * 2, 4096, flags, none, nullptr, uint64_t(1) << 60), -EFAULT);
  ::munmap(again + 8192, 4096);
  EXPECT_EQ(k.allocate(base * 2, 3 * 4096, flags, none, nullptr, user + 4096), -EFAULT);  // a hole
  const int file = ::memfd_create("of a file", 0);
  EXPECT_EQ(::ftruncate(file, 4096), 0);
  void* shared = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  EXPECT_EQ(k.allocate(base * 2, 4096, flags, none, nullptr, reinterpret_cast<uint64_t>(shared)), -EINVAL);
  ::close(file);
  // shared with children alone, of which there are none
  auto* own_shared = static_cast<uint8_t*>(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  own_shared[7] = 8;
  ASSERT_EQ(k.allocate(base * 4, 4096, flags, none, nullptr, reinterpret_cast<uint64_t>(own_shared)), 0);
  ASSERT_EQ(k.map(none), 0);
  EXPECT_EQ(k.space().host(base * 4)[7], 8);
  own_shared[7] = 9;
  EXPECT_EQ(k.space().host(base * 4)[7], 9);
}

TEST(Kfd, MapsQueueMemoryTwice) {
  Kfd k;
  k.make(base, 2 * 8192, KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM);
  k.space().host(base)[5] = 77;
  EXPECT_EQ(k.space().host(base + 8192)[5], 77);
  uint64_t handle = 0;
  EXPECT_EQ(k.allocate(base * 2, 4096, KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM, handle), -EINVAL);
}

}  // namespace
}  // namespace Atoll::drm
