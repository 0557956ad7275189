#include "base/worker_pool.h"

#include <gtest/gtest.h>

#include <chrono>

namespace Atoll {
namespace {

TEST(WorkerPool, DoesEachPartOnce) {
  for (unsigned workers : {1u, 2u, 5u}) {
    WorkerPool pool(workers);
    EXPECT_EQ(pool.count(), workers);
    for (unsigned parts : {0u, 1u, 2u, 7u, 3000u})
      for (bool together : {false, true}) {
        std::vector<std::atomic<int>> done(parts);
        auto work = [&](unsigned worker, unsigned part) {
          EXPECT_LT(worker, workers);
          done[part]++;
        };
        together ? pool.run_together(parts, work) : pool.share(parts, work);
        for (auto& count : done) EXPECT_EQ(count, 1);
      }
  }
}

// Parts that go on until all work is done run at the same time: each waits here for the other to have begun.
TEST(WorkerPool, PartsThatRunTogetherDo) {
  WorkerPool pool(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the other thread sleeps by now
  std::atomic<unsigned> begun{0}, met{0};
  pool.run_together(2, [&](unsigned, unsigned) {
    begun++;
    for (unsigned n = 0; begun < 2 && n < 60'000; n++) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    met += begun == 2;
    begun.store(2);  // the other need not wait as long where this one did in vain
  });
  EXPECT_EQ(met, 2u);
}

}  // namespace
}  // namespace Atoll
