#include "base/shared_range.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/worker_pool.h"

namespace Atoll {
namespace {

TEST(SharedRange, GivesEachNumberOnceAndInOrder) {
  for (unsigned takers : {1u, 2u, 5u}) {
    WorkerPool pool(takers);
    for (uint64_t count : {0u, 1u, 2u, 31u, 33u, 1000u, 100'000u}) {
      SharedRange range(count, takers);
      std::vector<std::atomic<int>> given(count);
      pool.run_together(takers, [&](unsigned, unsigned) {
        SharedRange::Stretch own;
        uint64_t before = 0;
        for (uint64_t number, first = 1; range.take(own, number); first = 0, before = number) {
          EXPECT_TRUE(first || number > before);
          given[number]++;
        }
        uint64_t none;
        EXPECT_FALSE(range.take(own, none));  // and again
      });
      for (auto& times : given) EXPECT_EQ(times, 1);
    }
  }
}

// If there are few, each is given to the first that asks: work-groups that wait for the next one find it running.
TEST(SharedRange, FewAreGivenOneByOne) {
  SharedRange range(40, 2);
  SharedRange::Stretch one, other;
  for (uint64_t n = 0; n < 40; n += 2) {
    uint64_t first, second;
    ASSERT_TRUE(range.take(one, first) && range.take(other, second));
    EXPECT_EQ(first, n);
    EXPECT_EQ(second, n + 1);
  }
}

// The last numbers of many are shared as the first ones are: nobody is left with a long rest.
TEST(SharedRange, ManyAreGivenSomeAtATime) {
  SharedRange range(10'000, 2);
  SharedRange::Stretch own;
  uint64_t number;
  ASSERT_TRUE(range.take(own, number));
  EXPECT_EQ(own.end - number, 16u);
  while (number < 9'980) ASSERT_TRUE(range.take(own, number));
  EXPECT_TRUE(own.empty());
}

}  // namespace
}  // namespace Atoll
