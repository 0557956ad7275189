// A queue's work round the commands of a submission, in all families, and how draws that ended lose a
// context.
#include "gpu/device/submission.h"

#include <gtest/gtest.h>

#include <thread>

namespace Atoll::gpu {
namespace {

struct Submissions : testing::Test {
  std::unique_ptr<AddressSpace> space = *AddressSpace::create();
  Options options{.limits = {.packets = 3}};
  std::atomic<int> device_stop{0}, stop{0};
  QueueState queue{*space, options, stop};
  Watch watch{device_stop, 0};
  Watch::Queue watched{stop, queue.progress};

  template <class Execute>
  Expected<void> run(Execute execute) {
    return run_submission(queue, watch, watched, execute);
  }
};

TEST_F(Submissions, AreCountedAndHaveTheirBudgetEach) {
  for (int n = 0; n < 2; n++)
    EXPECT_TRUE(run([&] {
      for (int packet = 0; packet < 3; packet++) EXPECT_TRUE(queue.within(queue.budget.packets())) << n << ", " << packet;
    }));
  auto third = run([&] { queue.within(queue.budget.packets(4)); });
  ASSERT_FALSE(third);
  EXPECT_NE(third.error().message.find("more than 3 packets in one submission"), std::string::npos) << third.error().message;
  EXPECT_EQ(queue.statistics.submissions, 3u);
}

TEST_F(Submissions, OfALostContextAreNotExecuted) {
  queue.lose("it has had enough");
  auto done = run([] { FAIL() << "executed"; });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "the context is lost: MMIO: it has had enough");
  EXPECT_EQ(queue.statistics.submissions, 0u);
}

TEST_F(Submissions, AreWatchedWhileTheyRunAndNotBehindThat) {
  EXPECT_TRUE(run([&] {
    device_stop = 1;
    while (!stop) std::this_thread::yield();  // (the watchdog hands it on)
  }));
  stop = device_stop = 0;
  EXPECT_TRUE(run([] {}));
  EXPECT_EQ(stop, 0);
}

// A draw ends when packets behind it have been executed. Its packet is the earlier one.
TEST_F(Submissions, AreLostByTheDrawThatFailedFirst) {
  queue.packet = "DRAW", queue.packet_address = 0x100;
  Reports::Kept waiting(queue);
  queue.packet = "DRAW", queue.packet_address = 0x200;
  Reports::Kept good(queue);
  queue.packet = "COPY", queue.packet_address = 0x300;
  auto done = run([&] {
    queue.lose("where nothing is mapped");
    std::thread worker([&] { EXPECT_FALSE(queue.lose(waiting, "pixel shader: a fault")); });
    worker.join();
    EXPECT_EQ(queue.report(), "COPY at 0x300: where nothing is mapped");
    queue.end_draw(good, true);
    queue.end_draw(waiting, false);
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "DRAW at 0x100: pixel shader: a fault");
}

TEST_F(Submissions, AreLostByADrawThatSaysNothingOfItsFailure) {
  queue.packet = "DRAW", queue.packet_address = 0x100;
  Reports::Kept draw(queue);
  auto done = run([&] { queue.end_draw(draw, false); });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "DRAW at 0x100: the draw failed");
}

}  // namespace
}  // namespace Atoll::gpu
