// /dev/kfd of a chip with discovery, gfx1201: addresses of 47 bits, queues whose pointers go on counting, areas that queues are saved into.
// Expectations: Linux 6.13 kfd_flat_memory.c, kfd_queue.c, kfd_chardev.c; ROCT-Thunk 5.2.3 tests/kfdtest (pointers of rings).
#include <random>

#include "tests/drm/kfd.h"

namespace Atoll::drm {
namespace {

constexpr uint64_t program_address = 0x7f12'3400'0000;  // as the C library's mmap() answers

// kfd_queue_ctx_save_restore_size for 64 units of 32 waves: 40 bytes of a header, 8 bytes and 12 a wave, in whole pages; VGPRs, SGPRs, LDS and
// the rest of each unit; 32 bytes a wave for a debugger.
constexpr uint32_t save_control_bytes = 28672, save_bytes = save_control_bytes + 64 * (0x60000 + 0x4000 + 0x10000 + 0x1000);
constexpr uint64_t debug_bytes = 65536;

struct Gfx12 : Kfd {
  uint8_t* memory;  // at `program_address`: pointers at 0 and 64, values from 256 on
  uint8_t* ring;    // 1 MiB behind it
  uint64_t* doorbell = nullptr;
  static constexpr uint64_t ring_address = program_address + (1 << 20), save_address = program_address + (16 << 20);
  static constexpr uint32_t ring_bytes = 4096;
  kfd_ioctl_create_queue_args good{};

  Gfx12() : Kfd(true, "gfx1201") {
    memory = make(program_address, 4096);
    ring = make(ring_address, ring_bytes);
    make(save_address, save_bytes + debug_bytes);
    make(program_address + (2 << 20), 4096);
    good.ring_base_address = ring_address, good.ring_size = ring_bytes;
    good.read_pointer_address = program_address, good.write_pointer_address = program_address + 64;
    good.gpu_id = id, good.queue_percentage = 100, good.queue_priority = 7;
    good.eop_buffer_address = program_address + (2 << 20), good.eop_buffer_size = 4096;
    good.ctx_save_restore_address = save_address, good.ctx_save_restore_size = save_bytes;
    good.ctl_stack_size = save_control_bytes;
  }
  int create(uint32_t type) {
    auto a = good;
    a.queue_type = type;
    const int result = call(AMDKFD_IOC_CREATE_QUEUE, a);
    if (result != 0) return result;
    // as programs map them: two pages, from a multiple of them on
    const uint64_t frame = a.doorbell_offset & ~uint64_t(0x1fff);
    void* doorbells = ::mmap(nullptr, 0x2000, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, off_t(frame));
    EXPECT_NE(doorbells, MAP_FAILED);
    doorbell = reinterpret_cast<uint64_t*>(static_cast<uint8_t*>(doorbells) + (a.doorbell_offset - frame));
    return 0;
  }
  template <class T>
  T& at(uint64_t offset) {
    return *reinterpret_cast<T*>(memory + offset);
  }
  void write(uint64_t position, bool rings) {
    if (!rings) __atomic_store_n(&at<uint64_t>(64), position, __ATOMIC_RELEASE);
    if (rings) __atomic_store_n(doorbell, position, __ATOMIC_RELEASE);
  }
  // A store of a dword, {1, address, value} of the test's device, at a place of the ring, which it may go round in.
  void put_store(uint64_t dword, uint32_t offset, uint32_t value) {
    const uint32_t words[] = {store, uint32_t(program_address + offset), uint32_t((program_address + offset) >> 32), value};
    for (unsigned n = 0; n < 4; n++) reinterpret_cast<uint32_t*>(ring)[(dword + n) % (ring_bytes / 4)] = words[n];
  }
  template <class Condition>
  bool soon(Condition condition) {
    for (int n = 0; n < 5000 && !condition(); n++) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return condition();
  }
};

TEST(KfdGfx12, TellsAperturesAndVersion) {
  Gfx12 k;
  kfd_ioctl_get_version_args version{};
  EXPECT_EQ(k.call(AMDKFD_IOC_GET_VERSION, version), 0);
  EXPECT_EQ(version.minor_version, 17u);
  kfd_process_device_apertures told{};
  kfd_ioctl_get_process_apertures_new_args a{
      .kfd_process_device_apertures_ptr = reinterpret_cast<uint64_t>(&told), .num_of_nodes = 1, .pad = 0};
  ASSERT_EQ(k.call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, a), 0);
  EXPECT_EQ(told.lds_base, uint64_t(1) << 48);
  EXPECT_EQ(told.lds_limit, (uint64_t(1) << 48) + 0xffffffff);
  EXPECT_EQ(told.scratch_base, uint64_t(2) << 48);
  EXPECT_EQ(told.gpuvm_limit, (uint64_t(1) << 47) - 1);
  uint64_t doorbells = 0;
  EXPECT_EQ(k.allocate(base, 4096, KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL, doorbells), -EINVAL);
  EXPECT_EQ(k.allocate(base, 8192, KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL, doorbells), 0);
}

TEST(KfdGfx12, EnablesTheRuntimeOnce) {
  Gfx12 k;
  struct {
    uint64_t debug = 0;
    uint32_t mode = 0, capabilities = 0;
  } a;
  const unsigned long request = _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x25, sizeof a);
  EXPECT_EQ(k.call(request, a), 0);  // disabled
  a.mode = 1;
  EXPECT_EQ(k.call(request, a), 0);
  EXPECT_EQ(k.call(request, a), -EBUSY);
  Gfx12 other;
  ASSERT_EQ(other.create(KFD_IOC_QUEUE_TYPE_SDMA), 0);
  EXPECT_EQ(other.call(request, a), -EEXIST);
}

TEST(KfdGfx12, MapsTheProcessorsAddresses) {
  Gfx12 k;
  EXPECT_TRUE(k.space().contains(program_address, 4096, true));
  k.memory[100] = 5;
  EXPECT_EQ(k.space().host(program_address)[100], 5);
  uint64_t handle = 0;
  ASSERT_EQ(k.allocate(uint64_t(1) << 48, 4096, KFD_IOC_ALLOC_MEM_FLAGS_GTT, handle), 0);
  EXPECT_EQ(k.map(handle), -EINVAL);
}

TEST(KfdGfx12, WantsAllAreasOfAQueue) {
  Gfx12 k;
  auto refused = [&](auto change) {
    auto a = k.good;
    change(a);
    return k.call(AMDKFD_IOC_CREATE_QUEUE, a);
  };
  EXPECT_EQ(refused([](auto& a) { a.write_pointer_address = base; }), -EINVAL);
  EXPECT_EQ(refused([](auto& a) { a.ring_size = 8192; }), -EINVAL);
  EXPECT_EQ(refused([](auto& a) { a.eop_buffer_size = 8192; }), -EINVAL);
  EXPECT_EQ(refused([](auto& a) { a.ctl_stack_size -= 4096; }), -EINVAL);
  EXPECT_EQ(refused([](auto& a) { a.ctx_save_restore_size -= 4096; }), -EINVAL);
  EXPECT_EQ(refused([](auto& a) { a.ctx_save_restore_address += 4096; }), -EINVAL);
  EXPECT_EQ(refused([](auto& a) { a.queue_percentage = 101; }), -EINVAL);
  EXPECT_EQ(refused([](auto& a) { a.queue_type = 5; }), -524);
  EXPECT_EQ(refused([](auto& a) { a.queue_percentage = 100 | 1 << 8; }), 0);  // for the second part of a chip that has several
  // two engines, 6 queues each beside the graphics driver's two, that have no areas to be saved into
  for (int n = 0; n < 12; n++)
    EXPECT_EQ(refused([&](auto& a) { a.queue_type = n % 2 ? 4 : KFD_IOC_QUEUE_TYPE_SDMA, a.ctl_stack_size = 0; }), 0);
  EXPECT_EQ(refused([](auto& a) { a.queue_type = KFD_IOC_QUEUE_TYPE_SDMA; }), -ENOMEM);
}

// PM4: dwords. What is read is told as a place in the ring.
TEST(KfdGfx12, RunsARingOfPackets) {
  Gfx12 k;
  ASSERT_EQ(k.create(KFD_IOC_QUEUE_TYPE_COMPUTE), 0);
  uint64_t position = 0;
  for (unsigned round = 0; round < 1000; round++) {  // 4,000 dwords and 3 each time: three times round, at all places
    k.put_store(position, 256 + round % 64 * 4, round + 1);
    for (unsigned n = 4; n < 7; n++) reinterpret_cast<uint32_t*>(k.ring)[(position + n) % 1024] = nothing;
    position += 7;
    k.write(position, round % 2);
    ASSERT_TRUE(k.soon([&] {
      return __atomic_load_n(&k.at<uint32_t>(256 + round % 64 * 4), __ATOMIC_ACQUIRE) == round + 1 &&
             __atomic_load_n(&k.at<uint64_t>(0), __ATOMIC_ACQUIRE) == position % 1024;
    })) << round;
  }
  // more than the ring has cannot be there
  k.write(position + 1025, true);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(k.at<uint64_t>(0), position % 1024);
}

// SDMA: bytes, and what is read counts on as well.
TEST(KfdGfx12, RunsARingOfCopies) {
  Gfx12 k;
  ASSERT_EQ(k.create(KFD_IOC_QUEUE_TYPE_SDMA), 0);
  uint64_t position = 0;
  for (unsigned round = 0; round < 600; round++) {
    k.put_store(position / 4, 256, round + 1);
    position += 16;
    k.write(position, true);
    ASSERT_TRUE(k.soon([&] { return __atomic_load_n(&k.at<uint64_t>(0), __ATOMIC_ACQUIRE) == position; })) << round;
    ASSERT_EQ(k.at<uint32_t>(256), round + 1);
  }
}

// A queue that fails without an address tells of the hardware.
TEST(KfdGfx12, TellsWhatAQueueCannotDo) {
  Gfx12 k;
  const uint32_t hardware = k.make_event(KFD_IOC_EVENT_HW_EXCEPTION, false);
  ASSERT_EQ(k.create(KFD_IOC_QUEUE_TYPE_COMPUTE), 0);
  reinterpret_cast<uint32_t*>(k.ring)[0] = error;
  k.write(1, false);
  uint32_t outcome = 0;
  kfd_event_data told{};
  EXPECT_EQ(k.wait({hardware}, true, 5000, outcome, &told), 0);
  EXPECT_EQ(outcome, uint32_t(KFD_IOC_WAIT_RESULT_COMPLETE));
  EXPECT_EQ(told.hw_exception_data.gpu_id, k.id);
}

// Pointers of any kind: a queue carries out what can be, or stands still.
TEST(KfdAttacker, PointersOfAnyKind) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 40; round++) {
    Gfx12 k;
    ASSERT_EQ(k.create(round % 2 ? KFD_IOC_QUEUE_TYPE_SDMA : KFD_IOC_QUEUE_TYPE_COMPUTE), 0);
    for (unsigned n = 0; n < 1024; n++) reinterpret_cast<uint32_t*>(k.ring)[n] = uint32_t(random() % 5 ? 0 : random());
    const uint64_t likely[] = {1, 3, 1023, 1024, 1025, 4096, 4097, ~uint64_t(0), uint64_t(1) << 62, uint64_t(1) << 32};
    for (int n = 0; n < 4; n++) {
      k.write(likely[random() % std::size(likely)], random() % 2);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

}  // namespace
}  // namespace Atoll::drm
