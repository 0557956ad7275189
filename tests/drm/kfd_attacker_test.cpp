// /dev/kfd: ioctls and packets of any kind.
#include <random>

#include "tests/drm/kfd.h"

namespace Atoll::drm {
namespace {

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
    KfdQueueProgram q(k);
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
