// The interval map beside a plain list of bytes.
#include "base/interval_map.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace Atoll {
namespace {

struct Range {
  uint64_t bytes, offset;
  char name;
};
using Map = std::map<uint64_t, Range>;

std::string text(const Map& map) {
  std::string out;
  for (auto& [first, range] : map)
    out += std::to_string(first) + "+" + std::to_string(range.bytes) + range.name + std::to_string(range.offset) + " ";
  return out;
}

std::string cut(Map& map, uint64_t begin, uint64_t bytes) {
  std::string removed;
  cut_range(map, begin, bytes, &Range::offset, [&](uint64_t first, uint64_t count, const Range& whole) {
    removed += std::to_string(first) + "+" + std::to_string(count) + whole.name + " ";
  });
  return removed;
}

const Map two{{10, {10, 100, 'a'}}, {30, {10, 200, 'b'}}};

TEST(CutRange, KeepsWhatLiesOutside) {
  struct Case {
    uint64_t begin, bytes;
    const char *removed, *left;
  };
  for (auto& c : {Case{0, 10, "", "10+10a100 30+10b200 "}, Case{20, 10, "", "10+10a100 30+10b200 "},
                  Case{40, 100, "", "10+10a100 30+10b200 "}, Case{10, 10, "10+10a ", "30+10b200 "},
                  Case{10, 3, "10+3a ", "13+7a103 30+10b200 "}, Case{17, 3, "17+3a ", "10+7a100 30+10b200 "},
                  Case{14, 2, "14+2a ", "10+4a100 16+4a106 30+10b200 "}, Case{15, 20, "15+5a 30+5b ", "10+5a100 35+5b205 "},
                  Case{0, 100, "10+10a 30+10b ", ""}}) {
    Map map = two;
    EXPECT_EQ(cut(map, c.begin, c.bytes), c.removed) << c.begin << "+" << c.bytes;
    EXPECT_EQ(text(map), c.left) << c.begin << "+" << c.bytes;
  }
}

TEST(CutRange, Overlaps) {
  EXPECT_FALSE(overlaps(Map{}, 0, 100));
  for (uint64_t begin = 0; begin < 50; begin++)
    for (uint64_t bytes = 1; bytes < 30; bytes++) {
      bool expected = (begin < 20 && begin + bytes > 10) || (begin < 40 && begin + bytes > 30);
      EXPECT_EQ(overlaps(two, begin, bytes), expected) << begin << "+" << bytes;
    }
}

TEST(CutRange, RandomRangesAsBytes) {
  struct Byte {
    char name;
    uint64_t offset;
  };
  std::mt19937 random(1);
  std::array<std::optional<Byte>, 64> bytes;
  Map map;
  for (int n = 0; n < 5000; n++) {
    uint64_t begin = random() % 60, count = 1 + random() % (64 - begin);
    uint64_t gone = 0, there = 0;
    cut_range(map, begin, count, &Range::offset, [&](uint64_t first, uint64_t removed, const Range& whole) {
      gone += removed;
      EXPECT_EQ(bytes[first]->name, whole.name);
    });
    for (uint64_t i = begin; i < begin + count; i++) there += bytes[i].has_value(), bytes[i].reset();
    ASSERT_EQ(gone, there) << n;
    if (random() % 3) {
      Range range{count, random() % 1000, char('a' + random() % 26)};
      ASSERT_FALSE(overlaps(map, begin, count));
      map.emplace(begin, range);
      for (uint64_t i = 0; i < count; i++) bytes[begin + i] = Byte{range.name, range.offset + i};
    }
    std::array<std::optional<Byte>, 64> shown;
    for (auto& [first, range] : map)
      for (uint64_t i = 0; i < range.bytes; i++) {
        ASSERT_FALSE(shown[first + i]) << "two ranges at " << first + i;
        shown[first + i] = Byte{range.name, range.offset + i};
      }
    for (size_t i = 0; i < bytes.size(); i++) {
      ASSERT_EQ(shown[i].has_value(), bytes[i].has_value()) << n << ": " << i;
      if (!shown[i]) continue;
      ASSERT_EQ(shown[i]->name, bytes[i]->name) << n << ": " << i;
      ASSERT_EQ(shown[i]->offset, bytes[i]->offset) << n << ": " << i;
    }
  }
}

}  // namespace
}  // namespace Atoll
