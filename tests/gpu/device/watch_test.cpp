// The thread that ends queues which do not end.
#include "gpu/device/watch.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "tests/gpu/memory_limit.h"

namespace Atoll::gpu {
namespace {

void wait_for(std::atomic<int>& flag) {
  for (unsigned n = 0; n < 400 && !flag; n++) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

TEST(Watch, HandsOnTheDevicesStop) {
  std::atomic<int> device{0}, stop{0};
  std::atomic<uint64_t> progress{0};
  Watch watch(device, 1000);
  Watch::Queue queue{stop, progress};
  ASSERT_TRUE(watch.begin(queue));
  EXPECT_EQ(stop, 0);
  device = 1;
  wait_for(stop);
  EXPECT_EQ(stop, 1);
  watch.end(queue);
  device = 0;
  ASSERT_TRUE(watch.begin(queue));
  EXPECT_EQ(stop, 0) << "a queue begins with the device's flag";
  watch.end(queue);
}

TEST(Watch, EndsWhatMakesNoProgress) {
  std::atomic<int> device{0}, still{0}, busy{0};
  std::atomic<uint64_t> none{0}, some{0};
  Watch watch(device, 0.1);
  Watch::Queue hanging{still, none}, working{busy, some};
  ASSERT_TRUE(watch.begin(hanging));
  ASSERT_TRUE(watch.begin(working));
  for (unsigned n = 0; n < 400 && !still; n++) {
    some++;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(still, stopped_by_watch);
  EXPECT_EQ(busy, 0);
  watch.end(hanging);
  watch.end(working);
}

// In a process that may have no further thread a queue does not run; when it may again, it does.
[[noreturn]] void watch_without_room() {
  std::atomic<int> device{0}, stop{0};
  std::atomic<uint64_t> progress{0};
  Watch watch(device, 1000);
  Watch::Queue queue{stop, progress};
  {
    const test::MemoryLimit limit(uint64_t(512) << 10);  // less than a thread's stack
    const Watched watched(watch, queue);
    if (watched.begun() || watched.begun().error().message.find("no thread is to be had") == std::string::npos) ::_exit(2);
  }
  sigset_t blocked;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  if (sigismember(&blocked, SIGUSR1)) ::_exit(3);
  const Watched watched(watch, queue);
  ::_exit(watched.begun() ? 0 : 4);
}
TEST(WatchDeathTest, NoThreadIsAnError) { EXPECT_EXIT(watch_without_room(), testing::ExitedWithCode(0), ""); }

}  // namespace
}  // namespace Atoll::gpu
