#include "base/worker_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <new>

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

// Work that was begun goes on while the caller shares other work, little and much, and is done when it is finished.
TEST(WorkerPool, BegunWorkGoesOnBesideOther) {
  for (unsigned workers : {1u, 2u, 5u}) {
    WorkerPool pool(workers);
    for (unsigned parts : {0u, 1u, 7u, 3000u})
      for (bool together : {false, true})
        for (unsigned beside : {0u, 3u, 100u, 3000u}) {
          std::vector<std::atomic<int>> begun(parts), shared(beside);
          auto work = [&](unsigned worker, unsigned part) {
            EXPECT_LT(worker, workers);
            begun[part]++;
          };
          auto other = [&](unsigned worker, unsigned part) {
            EXPECT_LT(worker, workers);
            std::this_thread::sleep_for(std::chrono::microseconds(part % 10 ? 0 : 5));
            shared[part]++;
          };
          pool.begin(parts, work);
          together ? pool.run_together(beside, other) : pool.share(beside, other);
          for (auto& count : shared) EXPECT_EQ(count, 1);
          pool.finish();
          EXPECT_FALSE(pool.finish());
          for (auto& count : begun) EXPECT_EQ(count, 1);
        }
  }
}

TEST(WorkerPool, BegunWorkNeedsNoCaller) {
  WorkerPool pool(2);
  std::atomic<unsigned> done{0};
  auto work = [&](unsigned worker, unsigned) { done += worker == 1; };
  pool.begin(3, work);
  for (unsigned n = 0; done < 3 && n < 60'000; n++) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(done, 3u);
  EXPECT_TRUE(pool.finish());
  // Parts that are not finished end with the pool.
  std::atomic<unsigned> last{0};
  auto slow = [&](unsigned, unsigned) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    last++;
  };
  {
    WorkerPool short_lived(2);
    short_lived.begin(20, slow);
  }
  EXPECT_EQ(last, 20u);
}

size_t threads_of_this_process() {
  size_t count = 0;
  for (auto& entry : std::filesystem::directory_iterator("/proc/self/task")) count += !entry.path().empty();
  return count;
}

// Threads come with the first work for them, go when there is none for a while, and come back.
TEST(WorkerPool, Rests) {
  const size_t before = threads_of_this_process();
  WorkerPool pool(3, false);
  EXPECT_EQ(threads_of_this_process(), before);
  EXPECT_EQ(WorkerPool(3).count(), 3u);
  for (int n = 0; n < 3; n++) {
    std::atomic<unsigned> done{0};
    pool.run_together(5, [&](unsigned, unsigned) { done++; });
    EXPECT_EQ(done, 5u);
    EXPECT_EQ(threads_of_this_process(), before + 2);
    pool.rest();
    EXPECT_EQ(threads_of_this_process(), before);
  }
}

// Whoever's part had no memory, the caller hears of it, when nobody works on anything any more.
TEST(WorkerPool, NoMemoryIsTheCallersError) {
  WorkerPool pool(3);
  for (unsigned fails : {0u, 40u, 99u})
    for (bool begun : {false, true}) {
      std::atomic<unsigned> done{0};
      auto work = [&](unsigned, unsigned part) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        done++;
        if (part == fails) throw std::bad_alloc();
      };
      if (begun) {
        pool.begin(100, work);
        EXPECT_THROW(pool.finish(), std::bad_alloc);
      } else {
        EXPECT_THROW(pool.run_together(100, work), std::bad_alloc);
      }
      EXPECT_EQ(done, 100u);
      pool.begin(100, work);
      pool.abandon();
      EXPECT_EQ(done, 200u);
      EXPECT_FALSE(pool.finish());
    }
  std::atomic<unsigned> good{0};
  pool.run_together(100, [&](unsigned, unsigned) { good++; });
  EXPECT_EQ(good, 100u);
}

}  // namespace
}  // namespace Atoll
