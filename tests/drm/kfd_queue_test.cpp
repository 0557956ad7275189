// /dev/kfd: queues and their packets.
#include "tests/drm/kfd.h"

namespace Atoll::drm {
namespace {

TEST(KfdQueue, CarriesOutBarriers) {
  Kfd k;
  KfdQueueProgram q(k);
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
    ASSERT_TRUE(q.soon([&] { return q.written - q.get<uint64_t>(128) < KfdQueueProgram::slots; }));
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
    KfdQueueProgram q(k);
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
  KfdQueueProgram q(k);
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
  KfdQueueProgram q(k, KFD_IOC_QUEUE_TYPE_COMPUTE);
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
  EXPECT_EQ(refused([](auto& a) { a.write_pointer_address = (uint64_t(1) << 47) - 4096; }), -EFAULT);
  EXPECT_EQ(refused([](auto& a) { a.eop_buffer_address = uint64_t(1) << 47; }), -EFAULT);
  EXPECT_EQ(refused([](auto& a) { a.queue_type = 9; }), -524);
  EXPECT_EQ(refused([](auto&) {}), 0);  // (its pointers lead nowhere: it stands still)
  kfd_ioctl_destroy_queue_args destroy{.queue_id = 0, .pad = 0};
  EXPECT_EQ(k.call(AMDKFD_IOC_DESTROY_QUEUE, destroy), 0);
  EXPECT_EQ(k.call(AMDKFD_IOC_DESTROY_QUEUE, destroy), -EINVAL);
  kfd_ioctl_update_queue_args update{};
  EXPECT_EQ(k.call(AMDKFD_IOC_UPDATE_QUEUE, update), -EFAULT);
  kfd_ioctl_set_cu_mask_args mask{.queue_id = 0, .num_cu_mask = 32, .cu_mask_ptr = 0};
  EXPECT_EQ(k.call(AMDKFD_IOC_SET_CU_MASK, mask), -EFAULT);
  const uint32_t units[] = {~0u};
  mask.cu_mask_ptr = reinterpret_cast<uint64_t>(units);
  EXPECT_EQ(k.call(AMDKFD_IOC_SET_CU_MASK, mask), -EFAULT);  // there is no such queue any more
  mask.num_cu_mask = 31;
  EXPECT_EQ(k.call(AMDKFD_IOC_SET_CU_MASK, mask), -EINVAL);
  // two engines of two queues
  good.queue_type = KFD_IOC_QUEUE_TYPE_SDMA;
  for (int n = 0; n < 4; n++) EXPECT_EQ(refused([](auto&) {}), 0);
  EXPECT_EQ(refused([](auto&) {}), -ENOMEM);
}

}  // namespace
}  // namespace Atoll::drm
