// /dev/kfd's ioctls without ROCm: what they answer is what Linux 6.1 does (drivers/gpu/drm/amd/amdkfd/kfd_chardev.c, kfd_events.c), and
// packets of queues are those of the HSA Platform System Architecture 1.2, written here by hand.
#include <fcntl.h>
#include <linux/kfd_ioctl.h>

#include <random>

#include "drm/kfd/driver.h"
#include "drm/session/kfd_facts.h"
#include "tests/drm/uapi.h"

namespace Atoll::drm {
namespace {

constexpr uint64_t base = 0x40000000;  // of addresses that the tests use

struct Kfd : Program {
  std::unique_ptr<kfd::Driver> driver;
  int node = -1;
  const uint32_t id = kfd_gpu_id(0);

  explicit Kfd(bool acquire = true) : Program("hawaii") {
    driver = std::make_unique<kfd::Driver>(std::vector<kfd::Driver::Known>{{0, process.get()}});
    node = open_node(1);
    if (acquire) EXPECT_EQ(acquire_vm(node), 0);
  }
  ~Kfd() {
    driver.reset();
    ::close(node);
  }

  // A descriptor of the session's file that stands for a node.
  int open_node(uint64_t number) const {
    const int opened = ::open(fmt::format("/proc/self/fd/{}", descriptor).c_str(), O_RDWR | O_CLOEXEC);
    EXPECT_GE(opened, 0);
    EXPECT_GE(::lseek(opened, off_t(position_ours | number), SEEK_SET), 0);
    return opened;
  }
  template <class T>
  int call(unsigned long request, T& argument) {
    return driver->ioctl(request, &argument);
  }
  int acquire_vm(int fd) {
    kfd_ioctl_acquire_vm_args a{.drm_fd = uint32_t(fd), .gpu_id = id};
    return call(AMDKFD_IOC_ACQUIRE_VM, a);
  }
  int allocate(uint64_t address, uint64_t bytes, uint32_t flags, uint64_t& handle, uint64_t* offset = nullptr,
               uint64_t user = 0) {
    kfd_ioctl_alloc_memory_of_gpu_args a{
        .va_addr = address, .size = bytes, .handle = 0, .mmap_offset = user, .gpu_id = id, .flags = flags};
    const int result = call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, a);
    handle = a.handle;
    if (offset) *offset = a.mmap_offset;
    return result;
  }
  int map(uint64_t handle) {
    uint32_t ids[] = {id};
    kfd_ioctl_map_memory_to_gpu_args a{
        .handle = handle, .device_ids_array_ptr = reinterpret_cast<uint64_t>(ids), .n_devices = 1, .n_success = 0};
    const int result = call(AMDKFD_IOC_MAP_MEMORY_TO_GPU, a);
    if (result == 0) EXPECT_EQ(a.n_success, 1u);
    return result;
  }
  int unmap(uint64_t handle) {
    uint32_t ids[] = {id};
    kfd_ioctl_unmap_memory_from_gpu_args a{
        .handle = handle, .device_ids_array_ptr = reinterpret_cast<uint64_t>(ids), .n_devices = 1, .n_success = 0};
    return call(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, a);
  }
  int free(uint64_t handle) {
    kfd_ioctl_free_memory_of_gpu_args a{.handle = handle};
    return call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, a);
  }
  // Memory of both, at the same address.
  uint8_t* make(uint64_t address, uint64_t bytes, uint32_t more = 0) {
    uint64_t handle = 0, offset = 0;
    EXPECT_EQ(allocate(address, bytes, KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE | more, handle, &offset),
              0);
    EXPECT_EQ(map(handle), 0);
    void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, off_t(offset));
    EXPECT_NE(at, MAP_FAILED);
    return static_cast<uint8_t*>(at);
  }
  AddressSpace& space() { return process->file(position_ours | 1)->memory()->space(); }

  uint32_t make_event(uint32_t type, bool auto_reset, uint64_t page = 0) {
    kfd_ioctl_create_event_args a{};
    a.event_page_offset = page, a.event_type = type, a.auto_reset = auto_reset;
    EXPECT_EQ(call(AMDKFD_IOC_CREATE_EVENT, a), 0);
    return a.event_id;
  }
  int wait(const std::vector<uint32_t>& ids, bool all, uint32_t timeout, uint32_t& outcome, kfd_event_data* told = nullptr) {
    std::vector<kfd_event_data> data(ids.size());
    for (size_t n = 0; n < ids.size(); n++) data[n].event_id = ids[n];
    kfd_ioctl_wait_events_args a{.events_ptr = reinterpret_cast<uint64_t>(data.data()),
                                 .num_events = uint32_t(ids.size()),
                                 .wait_for_all = all,
                                 .timeout = timeout,
                                 .wait_result = 99};
    const int result = call(AMDKFD_IOC_WAIT_EVENTS, a);
    outcome = a.wait_result;
    if (told) *told = data[0];
    return result;
  }
  int set(uint32_t event) {
    kfd_ioctl_set_event_args a{.event_id = event, .pad = 0};
    return call(AMDKFD_IOC_SET_EVENT, a);
  }
};

TEST(Kfd, TellsVersionAndApertures) {
  Kfd k(false);
  kfd_ioctl_get_version_args version{};
  EXPECT_EQ(k.call(AMDKFD_IOC_GET_VERSION, version), 0);
  EXPECT_EQ(version.major_version, 1u);
  EXPECT_EQ(version.minor_version, 11u);
  kfd_ioctl_get_process_apertures_new_args a{};
  EXPECT_EQ(k.call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, a), 0);
  EXPECT_EQ(a.num_of_nodes, 1u);
  kfd_process_device_apertures told[3]{};
  a = {.kfd_process_device_apertures_ptr = reinterpret_cast<uint64_t>(told), .num_of_nodes = 3, .pad = 0};
  EXPECT_EQ(k.call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, a), 0);
  EXPECT_EQ(a.num_of_nodes, 1u);
  // kfd_flat_memory.c: MAKE_LDS_APP_BASE_VI, MAKE_SCRATCH_APP_BASE_VI, SVM_USER_BASE
  EXPECT_EQ(told[0].lds_base, 0x2000000000000000u);
  EXPECT_EQ(told[0].lds_limit, 0x20000000ffffffffu);
  EXPECT_EQ(told[0].scratch_base, 0x2000000100000000u);
  EXPECT_EQ(told[0].gpuvm_base, 0x1000000u);
  EXPECT_LE(told[0].gpuvm_limit, (uint64_t(1) << 40) - 1);
  EXPECT_EQ(told[0].gpu_id, k.id);
  a = {.kfd_process_device_apertures_ptr = 8, .num_of_nodes = 1, .pad = 0};
  EXPECT_EQ(k.call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, a), -EFAULT);
  int none = 0;
  EXPECT_EQ(k.call(_IOWR('K', 0x7f, int), none), -ENOTTY);
}

TEST(Kfd, TellsHowImagesLie) {
  Kfd k(false);
  std::vector<uint32_t> tiles(40, 1), macros(20, 1);
  kfd_ioctl_get_tile_config_args a{};
  a.tile_config_ptr = reinterpret_cast<uint64_t>(tiles.data()),
  a.macro_tile_config_ptr = reinterpret_cast<uint64_t>(macros.data());
  a.num_tile_configs = 40, a.num_macro_tile_configs = 20, a.gpu_id = k.id;
  ASSERT_EQ(k.call(AMDKFD_IOC_GET_TILE_CONFIG, a), 0);
  EXPECT_EQ(a.num_tile_configs, 32u);
  EXPECT_EQ(a.num_macro_tile_configs, 16u);
  // the test's device answers with the address; cik_d.h: mmGB_TILE_MODE0 0x2644, mmGB_MACROTILE_MODE0 0x2664, mmGB_ADDR_CONFIG 0x263e
  constexpr uint32_t mark = 0x5a5a5a5a;
  EXPECT_EQ(tiles[0], (0x2644u * 4) ^ mark);
  EXPECT_EQ(tiles[31], (0x2663u * 4) ^ mark);
  EXPECT_EQ(tiles[32], 1u);
  EXPECT_EQ(macros[15], (0x2673u * 4) ^ mark);
  EXPECT_EQ(macros[16], 1u);
  EXPECT_EQ(a.gb_addr_config, (0x263eu * 4) ^ mark);
  a.tile_config_ptr = 8;
  EXPECT_EQ(k.call(AMDKFD_IOC_GET_TILE_CONFIG, a), -EFAULT);
  a.gpu_id = 1;
  EXPECT_EQ(k.call(AMDKFD_IOC_GET_TILE_CONFIG, a), -EINVAL);
}

TEST(Kfd, AcquiresPageTablesOnce) {
  Kfd k(false);
  uint64_t handle = 0;
  EXPECT_EQ(k.allocate(base, 4096, KFD_IOC_ALLOC_MEM_FLAGS_GTT, handle), -ENODEV);
  EXPECT_EQ(k.acquire_vm(-1), -EINVAL);
  EXPECT_EQ(k.acquire_vm(0), -EINVAL);
  EXPECT_EQ(k.acquire_vm(k.descriptor), -EINVAL);  // the session's file, but no node
  kfd_ioctl_acquire_vm_args other{.drm_fd = uint32_t(k.node), .gpu_id = 1};
  EXPECT_EQ(k.call(AMDKFD_IOC_ACQUIRE_VM, other), -EINVAL);
  EXPECT_EQ(k.acquire_vm(k.node), 0);
  EXPECT_EQ(k.acquire_vm(k.node), 0);
  const int second = k.open_node(2);
  EXPECT_EQ(k.acquire_vm(second), -EBUSY);
  ::close(second);
}

TEST(Kfd, RefusesMemoryThatCannotBe) {
  Kfd k;
  uint64_t handle = 0;
  constexpr uint32_t gtt = KFD_IOC_ALLOC_MEM_FLAGS_GTT;
  EXPECT_EQ(k.allocate(base, 0, gtt, handle), -EINVAL);
  EXPECT_EQ(k.allocate(base, UINT64_MAX, gtt, handle), -EINVAL);
  EXPECT_EQ(k.allocate(base + 8, 4096, gtt, handle), -EINVAL);
  EXPECT_EQ(k.allocate(0x100000, 4096, gtt, handle), -EINVAL);
  EXPECT_EQ(k.allocate(UINT64_MAX - 4095, 4096, gtt, handle), -EINVAL);
  EXPECT_EQ(k.allocate((uint64_t(1) << 40) - 4096, 8192, gtt, handle), -EINVAL);
  EXPECT_EQ(k.allocate(base, 4096, 0, handle), -EINVAL);
  EXPECT_EQ(k.allocate(base, uint64_t(1) << 39, gtt, handle), -ENOMEM);
  EXPECT_EQ(k.allocate(base, 4096, KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP, handle), -ENOMEM);
  EXPECT_EQ(k.allocate(base, 1 << 20, KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL, handle), -EINVAL);
  EXPECT_EQ(k.map(77), -ENOMEM);
  EXPECT_EQ(k.free(77), -EINVAL);
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
  EXPECT_EQ(k.allocate(base * 2, 4096, flags, none, nullptr, 0), -EFAULT);
  EXPECT_EQ(k.allocate(base * 2, 4096, flags, none, nullptr, uint64_t(1) << 60), -EFAULT);
  ::munmap(again + 8192, 4096);
  EXPECT_EQ(k.allocate(base * 2, 3 * 4096, flags, none, nullptr, user + 4096), -EFAULT);  // a hole
  void* shared = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  EXPECT_EQ(k.allocate(base * 2, 4096, flags, none, nullptr, reinterpret_cast<uint64_t>(shared)), -EINVAL);
}

TEST(Kfd, MapsQueueMemoryTwice) {
  Kfd k;
  k.make(base, 2 * 8192, KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM);
  k.space().host(base)[5] = 77;
  EXPECT_EQ(k.space().host(base + 8192)[5], 77);
  uint64_t handle = 0;
  EXPECT_EQ(k.allocate(base * 2, 4096, KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM, handle), -EINVAL);
}

TEST(Kfd, WaitsForEvents) {
  Kfd k;
  const uint32_t once = k.make_event(KFD_IOC_EVENT_SIGNAL, true), stays = k.make_event(KFD_IOC_EVENT_SIGNAL, false);
  uint32_t outcome = 0;
  EXPECT_EQ(k.wait({once}, true, 0, outcome), 0);
  EXPECT_EQ(outcome, uint32_t(KFD_IOC_WAIT_RESULT_TIMEOUT));
  EXPECT_EQ(k.set(once), 0);
  EXPECT_EQ(k.wait({once, stays}, true, 1, outcome), 0);
  EXPECT_EQ(outcome, uint32_t(KFD_IOC_WAIT_RESULT_TIMEOUT));  // the other is not there, and the first one was taken
  EXPECT_EQ(k.set(stays), 0);
  for (int n = 0; n < 2; n++) {
    EXPECT_EQ(k.wait({once, stays}, false, 0, outcome), 0);
    EXPECT_EQ(outcome, uint32_t(KFD_IOC_WAIT_RESULT_COMPLETE));
  }
  kfd_ioctl_reset_event_args reset{.event_id = stays, .pad = 0};
  EXPECT_EQ(k.call(AMDKFD_IOC_RESET_EVENT, reset), 0);
  EXPECT_EQ(k.wait({stays}, false, 0, outcome), 0);
  EXPECT_EQ(outcome, uint32_t(KFD_IOC_WAIT_RESULT_TIMEOUT));
  std::thread setter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    k.set(once);
  });
  EXPECT_EQ(k.wait({once}, true, UINT32_MAX, outcome), 0);
  EXPECT_EQ(outcome, uint32_t(KFD_IOC_WAIT_RESULT_COMPLETE));
  setter.join();
  std::thread destroyer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    kfd_ioctl_destroy_event_args a{.event_id = stays, .pad = 0};
    k.call(AMDKFD_IOC_DESTROY_EVENT, a);
  });
  EXPECT_EQ(k.wait({stays}, true, UINT32_MAX, outcome), -EIO);
  EXPECT_EQ(outcome, uint32_t(KFD_IOC_WAIT_RESULT_FAIL));
  destroyer.join();
  EXPECT_EQ(k.wait({stays}, true, 0, outcome), -EINVAL);
  EXPECT_EQ(k.set(12345), -EINVAL);
  const uint32_t memory = k.make_event(KFD_IOC_EVENT_MEMORY, true);
  EXPECT_EQ(k.set(memory), -EINVAL);  // the GPU's alone
  k.driver->events().raise({.gpu_id = k.id, .address = 0xabc000, .not_present = true});
  kfd_event_data told{};
  EXPECT_EQ(k.wait({memory}, true, 0, outcome, &told), 0);
  EXPECT_EQ(told.memory_exception_data.va, 0xabc000u);
  EXPECT_EQ(told.memory_exception_data.gpu_id, k.id);
  EXPECT_EQ(told.memory_exception_data.failure.NotPresent, 1u);
}

// A queue with its structure, ring and signals in memory of both.
struct Queue {
  Kfd& k;
  uint8_t* memory;  // at base: the structure; at 4096: signals of 64 bytes; at 8192: the event page
  uint8_t* ring;    // at base + 1 MiB
  uint32_t id = ~0u, event = 0;
  uint64_t written = 0;
  static constexpr uint64_t ring_address = base + (1 << 20), slots = 64;

  explicit Queue(Kfd& k, uint32_t type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL) : k(k) {
    uint64_t page = 0, offset = 0;
    EXPECT_EQ(k.allocate(base + (2 << 20), 32768, KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE, page, &offset),
              0);
    EXPECT_EQ(k.map(page), 0);
    memory = k.make(base, 65536);
    ring = k.make(ring_address, slots * 64);
    for (uint64_t n = 0; n < slots; n++) ring[n * 64] = 1;
    event = k.make_event(KFD_IOC_EVENT_SIGNAL, true, page);
    EXPECT_EQ(k.free(page), -EBUSY);
    kfd_ioctl_create_queue_args a{};
    a.ring_base_address = ring_address, a.ring_size = slots * 64;
    a.read_pointer_address = base + 128, a.write_pointer_address = base + 56;
    a.gpu_id = k.id, a.queue_type = type, a.queue_percentage = 100, a.queue_priority = 7;
    EXPECT_EQ(k.call(AMDKFD_IOC_CREATE_QUEUE, a), 0);
    id = a.queue_id;
    put<uint64_t>(192, signal(0));
  }
  template <class T>
  void put(uint64_t offset, T value) {
    __atomic_store_n(reinterpret_cast<T*>(memory + offset), value, __ATOMIC_RELEASE);
  }
  template <class T>
  T get(uint64_t offset) {
    return __atomic_load_n(reinterpret_cast<T*>(memory + offset), __ATOMIC_ACQUIRE);
  }
  // The n-th signal's address; each raises the event.
  uint64_t signal(unsigned n, int64_t value = 0) {
    const uint64_t at = 4096 + n * 64;
    put<int64_t>(at + 8, value);
    put<uint64_t>(at + 16, base + (2 << 20) + event * 8);
    put<uint32_t>(at + 24, event);
    return base + at;
  }
  int64_t value(unsigned n) { return get<int64_t>(4096 + n * 64 + 8); }
  void submit(uint16_t header, std::initializer_list<uint64_t> words, uint64_t completion) {
    uint8_t* slot = ring + written % slots * 64;
    std::memset(slot + 4, 0, 60);
    size_t at = 8;
    for (uint64_t word : words) std::memcpy(slot + at, &word, 8), at += 8;
    std::memcpy(slot + 56, &completion, 8);
    __atomic_store_n(reinterpret_cast<uint16_t*>(slot), header, __ATOMIC_RELEASE);
    put<uint64_t>(56, ++written);
  }
  template <class Condition>
  bool soon(Condition condition) {
    for (int n = 0; n < 5000 && !condition(); n++) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return condition();
  }
};
constexpr uint16_t barrier_and = 3, barrier_or = 5, agent_dispatch = 4, kernel_dispatch = 2;

TEST(KfdQueue, CarriesOutBarriers) {
  Kfd k;
  Queue q(k);
  const uint64_t a = q.signal(1, 1), b = q.signal(2, 2);
  q.submit(barrier_and, {a, 0, b}, q.signal(3, 1));
  uint32_t outcome = 0;
  EXPECT_EQ(k.wait({q.event}, true, 50, outcome), 0);
  EXPECT_EQ(outcome, uint32_t(KFD_IOC_WAIT_RESULT_TIMEOUT));
  q.put<int64_t>(4096 + 64 + 8, 0);
  EXPECT_EQ(k.wait({q.event}, true, 50, outcome), 0);
  EXPECT_EQ(outcome, uint32_t(KFD_IOC_WAIT_RESULT_TIMEOUT));
  EXPECT_EQ(q.value(3), 1);
  q.put<int64_t>(4096 + 128 + 8, 0);
  EXPECT_EQ(k.wait({q.event}, true, 5000, outcome), 0);
  EXPECT_EQ(outcome, uint32_t(KFD_IOC_WAIT_RESULT_COMPLETE));
  EXPECT_EQ(q.value(3), 0);
  EXPECT_EQ(q.get<uint64_t>(128), 1u);  // the read index
  EXPECT_EQ(q.ring[0], 1);              // the slot is free again
  // one of two is enough; none at all as well; more packets than slots
  q.submit(barrier_or, {q.signal(1, 1), q.signal(2, 0)}, q.signal(3, 1));
  EXPECT_TRUE(q.soon([&] { return q.value(3) == 0; }));
  q.signal(4, 100);
  for (int n = 0; n < 100; n++) {
    ASSERT_TRUE(q.soon([&] { return q.written - q.get<uint64_t>(128) < Queue::slots; }));
    q.submit(barrier_and, {}, base + 4096 + 4 * 64);
  }
  EXPECT_TRUE(q.soon([&] { return q.value(4) == 0; }));
}

TEST(KfdQueue, TellsWhatItCannotCarryOut) {
  constexpr struct {
    uint16_t type;
    int64_t error;
  } rows[] = {{agent_dispatch, 32}, {0, 256}, {9, 32}, {kernel_dispatch, 8}};
  for (auto& row : rows) {
    Kfd k;
    Queue q(k);
    q.submit(row.type, {0, 0, 0, 0x7000}, q.signal(3, 1));  // (a kernel's object where nothing is)
    EXPECT_TRUE(q.soon([&] { return q.value(0) == row.error; })) << row.type << ": " << q.value(0);
    uint32_t outcome = 0;
    EXPECT_EQ(k.wait({q.event}, true, 5000, outcome), 0);
    EXPECT_EQ(outcome, uint32_t(KFD_IOC_WAIT_RESULT_COMPLETE));
    EXPECT_EQ(q.value(3), 1);
  }
}

TEST(KfdQueue, FaultsWhereNothingIsMapped) {
  Kfd k;
  Queue q(k);
  const uint32_t memory = k.make_event(KFD_IOC_EVENT_MEMORY, true);
  q.submit(barrier_and, {0x33333000}, 0);
  uint32_t outcome = 0;
  kfd_event_data told{};
  EXPECT_EQ(k.wait({memory}, true, 5000, outcome, &told), 0);
  EXPECT_EQ(outcome, uint32_t(KFD_IOC_WAIT_RESULT_COMPLETE));
  EXPECT_EQ(told.memory_exception_data.va, 0x33333000u);
}

// The other kinds: pointers in dwords, a ring that the commands go round in.
TEST(KfdQueue, RunsTheChipsOwnPackets) {
  Kfd k;
  Queue q(k, KFD_IOC_QUEUE_TYPE_COMPUTE);
  std::memset(q.ring, 0, 4096);
  auto* words = reinterpret_cast<uint32_t*>(q.ring);
  const uint32_t first[] = {store, uint32_t(base + 512), 0, 41}, second[] = {store, uint32_t(base + 516), 0, 42};
  std::memcpy(words + 100, first, sizeof first);
  q.put<uint32_t>(56, 1000);
  EXPECT_TRUE(q.soon([&] { return q.get<uint32_t>(512) == 41 && q.get<uint32_t>(128) == 1000; }));
  std::memset(words, 0, 4000);
  std::memcpy(words + 8, second, sizeof second);
  q.put<uint32_t>(56, 16);
  EXPECT_TRUE(q.soon([&] { return q.get<uint32_t>(516) == 42 && q.get<uint32_t>(128) == 16; }));
  const uint32_t memory = k.make_event(KFD_IOC_EVENT_MEMORY, true);
  q.put<uint32_t>(56, 4096);  // beyond it
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(q.get<uint32_t>(128), 16u);
  (void)memory;
}

TEST(KfdQueue, RefusesWhatCannotBe) {
  Kfd k;
  kfd_ioctl_create_queue_args good{};
  good.ring_base_address = base, good.ring_size = 4096;
  good.read_pointer_address = base + 128, good.write_pointer_address = base + 56;
  good.gpu_id = k.id, good.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL, good.queue_percentage = 100;
  auto refused = [&](auto change) {
    auto a = good;
    change(a);
    return k.call(AMDKFD_IOC_CREATE_QUEUE, a);
  };
  EXPECT_EQ(refused([](auto& a) { a.queue_percentage = 101; }), -EINVAL);
  EXPECT_EQ(refused([](auto& a) { a.queue_priority = 16; }), -EINVAL);
  EXPECT_EQ(refused([](auto& a) { a.ring_size = 4100; }), -EINVAL);
  EXPECT_EQ(refused([](auto& a) { a.gpu_id = 7; }), -EINVAL);
  EXPECT_EQ(refused([](auto& a) { a.ring_base_address = uint64_t(1) << 50; }), -EFAULT);
  EXPECT_EQ(refused([](auto& a) { a.write_pointer_address = 0; }), -EFAULT);
  EXPECT_EQ(refused([](auto& a) { a.queue_type = 9; }), -524);
  EXPECT_EQ(refused([](auto&) {}), 0);  // (its pointers lead nowhere: it stands still)
  kfd_ioctl_destroy_queue_args destroy{.queue_id = 0, .pad = 0};
  EXPECT_EQ(k.call(AMDKFD_IOC_DESTROY_QUEUE, destroy), 0);
  EXPECT_EQ(k.call(AMDKFD_IOC_DESTROY_QUEUE, destroy), -EINVAL);
  kfd_ioctl_update_queue_args update{};
  EXPECT_EQ(k.call(AMDKFD_IOC_UPDATE_QUEUE, update), -EFAULT);
  kfd_ioctl_set_cu_mask_args mask{.queue_id = 0, .num_cu_mask = 32, .cu_mask_ptr = 0};
  EXPECT_EQ(k.call(AMDKFD_IOC_SET_CU_MASK, mask), -EINVAL);
}

// Whatever is asked and written, the process lives, and what was right before still is.
TEST(KfdAttacker, IoctlsOfAnyKind) {
  Kfd k;
  std::mt19937_64 random(1);
  const uint64_t likely[] = {
      0, 1, 4096, base, base + 4096, base + 8, k.id, uint64_t(k.id) << 32 | 1, ~uint64_t(0), 0xffffffff, uint64_t(1) << 40};
  auto value = [&]() -> uint64_t { return random() % 3 ? likely[random() % std::size(likely)] : random(); };
  for (int round = 0; round < 20000; round++) {
    const unsigned number = 1 + unsigned(random() % 0x24);
    if (number == _IOC_NR(AMDKFD_IOC_WAIT_EVENTS)) continue;  // (it may wait for ever)
    if (number == _IOC_NR(AMDKFD_IOC_DESTROY_QUEUE) || number == _IOC_NR(AMDKFD_IOC_UPDATE_QUEUE)) continue;
    // (a range of this test's own, which the program would lose)
    if (number == _IOC_NR(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU) || number == _IOC_NR(AMDKFD_IOC_FREE_MEMORY_OF_GPU)) continue;
    uint64_t words[128];
    for (auto& word : words) word = value();
    if (number == _IOC_NR(AMDKFD_IOC_CREATE_QUEUE)) {
      if (random() % 16) continue;
      words[3] = 0;
    }
    k.driver->ioctl(_IOC(_IOC_READ | _IOC_WRITE, 'K', number, unsigned(random() % sizeof words)), words);
  }
  kfd_ioctl_get_version_args version{};
  EXPECT_EQ(k.call(AMDKFD_IOC_GET_VERSION, version), 0);
}

// Packets of any kind with any words: a queue carries them out, or tells of the first that it cannot and stands still.
TEST(KfdAttacker, PacketsOfAnyKind) {
  std::mt19937_64 random(2);
  unsigned told = 0;
  for (int round = 0; round < 60; round++) {
    Kfd k;
    Queue q(k);
    const uint64_t likely[] = {
        0, 1, base, base + 4096, base + 4097, base + 65528, base + 65536, ~uint64_t(0), uint64_t(1) << 40, uint64_t(1) << 61};
    auto value = [&]() -> uint64_t { return random() % 4 ? likely[random() % std::size(likely)] : random(); };
    for (int n = 0; n < 6; n++) {
      const uint64_t words[] = {value(), value(), value(), value(), value()};
      q.submit(uint16_t(random() % 8 | (random() & 0xff00)), {words[0], words[1], words[2], words[3], words[4]}, value());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    told += q.value(0) != 0;
  }
  EXPECT_GT(told, 5u);
}

}  // namespace
}  // namespace Atoll::drm
