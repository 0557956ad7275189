// Accesses to watched bytes are seen, and do what they would have done; those beside them are not.
#include "memory/access_trap.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "memory/fault.h"
#include "memory/memory_file.h"

namespace Atoll {
namespace {

struct AccessTraps : testing::Test {
  uint8_t* pages =
      static_cast<uint8_t*>(mmap(nullptr, 2 * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::unique_ptr<AccessTrap> trap = AccessTrap::make();

  ~AccessTraps() override {
    trap.reset();
    munmap(pages, 2 * page_bytes);
  }
  void store(size_t at, uint8_t value) { *reinterpret_cast<volatile uint8_t*>(pages + at) = value; }
  uint8_t load(size_t at) { return *reinterpret_cast<volatile uint8_t*>(pages + at); }
};

TEST_F(AccessTraps, TellReadsFromWrites) {
  trap->watch({{pages, true, 128, 132}, {pages + page_bytes, true, 0, 4096}});
  store(129, 7);
  auto seen = trap->take();
  EXPECT_TRUE(seen.written && !seen.read && !seen.missed);
  EXPECT_EQ(load(129), 7);
  seen = trap->take();
  EXPECT_TRUE(seen.read && !seen.written);
  seen = trap->take();
  EXPECT_FALSE(seen.read || seen.written);
  EXPECT_EQ(load(page_bytes + 4000), 0);
  EXPECT_TRUE(trap->take().read);
  // Both, whichever is first.
  store(128, 1);
  EXPECT_EQ(load(128), 1);
  seen = trap->take();
  EXPECT_TRUE(seen.read && seen.written);
  EXPECT_EQ(load(128), 1);
  store(128, 2);
  seen = trap->take();
  EXPECT_TRUE(seen.read && seen.written);
}

TEST_F(AccessTraps, SayNothingOfBytesBeside) {
  trap->watch({{pages, true, 128, 132}});
  for (int n = 0; n < 100; n++) {
    store(132, uint8_t(n)), store(0, uint8_t(n));
    EXPECT_EQ(load(132), n);
    EXPECT_EQ(load(0), n);
  }
  auto seen = trap->take();
  EXPECT_FALSE(seen.read || seen.written || seen.missed);
  // An access that begins shortly before them may reach into them: it counts as a read, not as a write.
  store(127, 1), load(127);
  seen = trap->take();
  EXPECT_TRUE(seen.read && !seen.written);
  for (unsigned n = 0; n <= AccessTrap::most_steps; n++) store(0, 1);
  EXPECT_TRUE(trap->take().missed);
}

TEST_F(AccessTraps, LeaveFaultsAsTheyWere) {
  ::mprotect(pages, page_bytes, PROT_READ);
  trap->watch({{pages, false, 0, 4096}});
  FaultRecovery recovery;
  bool faulted = false;
  if (sigsetjmp(recovery.environment, 0) == 0) {
    recovery.activate();
    store(8, 1);
    recovery.deactivate();
  } else {
    faulted = true;
  }
  EXPECT_TRUE(faulted);
  EXPECT_EQ(recovery.last_fault().access, HostAccess::Write);
  EXPECT_EQ(load(8), 0);
  EXPECT_TRUE(trap->take().read);
  trap->watch({});
  EXPECT_EQ(load(8), 0);
}

TEST_F(AccessTraps, AreOneInAProcess) {
  EXPECT_EQ(AccessTrap::make(), nullptr);
  trap.reset();
  trap = AccessTrap::make();
  EXPECT_NE(trap, nullptr);
}

}  // namespace
}  // namespace Atoll
