// The smallest part of a set that has a property, against sets whose needed members are known.
#include "insight/delta_debugging.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

namespace Atoll::insight {
namespace {

std::vector<size_t> first(size_t count) {
  std::vector<size_t> all(count);
  std::iota(all.begin(), all.end(), size_t(0));
  return all;
}

TEST(DeltaDebugging, FindsExactlyWhatIsNeeded) {
  std::mt19937 dice(44);
  for (int round = 0; round < 200; round++) {
    const size_t count = dice() % 60;
    std::set<size_t> needed;
    for (size_t n = dice() % 6; n-- > 0 && count;) needed.insert(dice() % count);
    size_t tests = 0;
    auto found = smallest_part(first(count), [&](const std::vector<size_t>& part) -> Expected<bool> {
      tests++;
      EXPECT_TRUE(std::ranges::is_sorted(part));
      return std::ranges::includes(part, needed);
    });
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, std::vector<size_t>(needed.begin(), needed.end())) << count;
    EXPECT_LE(tests, count * count + 3 * count + 1);  // the paper's bound, proposition 12
  }
}

// Members that are needed only together with, or instead of, others: no one can go any more.
TEST(DeltaDebugging, NoMemberOfTheAnswerCanBeLeftOut) {
  std::mt19937 dice(45);
  for (int round = 0; round < 200; round++) {
    const size_t count = 1 + dice() % 40;
    std::vector<std::set<size_t>> ways(1 + dice() % 4);
    for (auto& way : ways)
      for (size_t n = 1 + dice() % 5; n-- > 0;) way.insert(dice() % count);
    const auto has = [&](const std::vector<size_t>& part) {
      return std::ranges::any_of(ways, [&](const auto& way) { return std::ranges::includes(part, way); });
    };
    auto found = smallest_part(first(count), [&](const auto& part) -> Expected<bool> { return has(part); });
    ASSERT_TRUE(found);
    ASSERT_TRUE(has(*found));
    for (size_t n = 0; n < found->size(); n++) {
      std::vector<size_t> less = *found;
      less.erase(less.begin() + ptrdiff_t(n));
      EXPECT_FALSE(has(less));
    }
  }
}

TEST(DeltaDebugging, AnErrorEndsIt) {
  size_t tests = 0;
  auto found = smallest_part(first(8), [&](const std::vector<size_t>&) -> Expected<bool> {
    if (++tests == 3) return fail("no more");
    return false;
  });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "no more");
  EXPECT_EQ(tests, 3u);
}

}  // namespace
}  // namespace Atoll::insight
