// A program on /dev/kfd without ROCm: ioctls as calls, and a queue whose packets are written by hand. Expectations: Linux 6.1 and 6.13
// drivers/gpu/drm/amd/amdkfd (kfd_chardev.c, kfd_events.c), the HSA Platform System Architecture 1.2.
#pragma once
#include <fcntl.h>
#include <linux/kfd_ioctl.h>

#include "drm/kfd/driver.h"
#include "drm/session/kfd_facts.h"
#include "tests/drm/uapi.h"

namespace Atoll::drm {

inline constexpr uint64_t base = 0x40000000;  // of addresses that the tests use

struct Kfd : Program {
  std::unique_ptr<kfd::Driver> driver;
  int node = -1;
  const uint32_t id = kfd_gpu_id(0);

  explicit Kfd(bool acquire = true, std::string_view gpu = "hawaii") : Program(gpu) {
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

// A queue with its structure, ring and signals in memory of both.
struct KfdQueueProgram {
  Kfd& k;
  uint8_t* memory;  // at base: the structure; at 4096: signals of 64 bytes; at 8192: the event page
  uint8_t* ring;    // at base + 1 MiB
  uint32_t id = ~0u, event = 0;
  uint64_t written = 0;
  static constexpr uint64_t ring_address = base + (1 << 20), slots = 64;

  explicit KfdQueueProgram(Kfd& k, uint32_t type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL) : k(k) {
    uint64_t page = 0, offset = 0;
    EXPECT_EQ(k.allocate(base + (2 << 20), 32768, KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE, page, &offset),
              0);
    EXPECT_EQ(k.map(page), 0);
    memory = k.make(base, 65536);
    ring = k.make(ring_address, slots * 64);
    for (uint64_t n = 0; n < slots; n++) ring[n * 64] = 1;
    event = k.make_event(KFD_IOC_EVENT_SIGNAL, true, page);
    EXPECT_EQ(k.free(page), -EPERM);
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
inline constexpr uint16_t barrier_and = 3, barrier_or = 5, agent_dispatch = 4, kernel_dispatch = 2;

}  // namespace Atoll::drm
