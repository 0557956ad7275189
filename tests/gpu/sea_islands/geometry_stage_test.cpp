// What is kept of the messages of a geometry shader's wave.
#include "gpu/sea_islands/draw/geometry_stage.h"

#include <gtest/gtest.h>

namespace Atoll::sea_islands {
namespace {

constexpr uint8_t cut = 1, emit = 2, emit_and_cut = 3;

TEST(GeometryStage, MessagesForEverTakeNoMemory) {
  GeometryStage::Said said;
  said.begin(64);
  for (unsigned n = 0; n < 100000; n++) {
    said.add({~uint64_t(0), n % 2 ? emit : emit_and_cut, uint8_t(n / 7 % 4)}, 30);
    said.add({uint64_t(1) << n % 64, cut, uint8_t(n % 4)}, 30);
    said.add({~uint64_t(0), cut, 1}, 30);
  }
  // Of each lane and stream at most 30 vertices and as many ends.
  EXPECT_LE(said.events.size(), 4u * 64 * 30 * 2);
  for (auto& stream : said.vertices)
    for (unsigned lane = 0; lane < 64; lane++) EXPECT_EQ(stream[lane], 30);
}

TEST(GeometryStage, MessagesThatCountAreKept) {
  GeometryStage::Said said;
  said.begin(2);
  said.add({3, cut, 0}, 2);  // nothing to end
  EXPECT_TRUE(said.events.empty());
  said.add({3, emit, 0}, 2);
  said.add({1, cut, 0}, 2);
  said.add({3, emit, 0}, 2);
  said.add({3, emit, 0}, 2);          // no lane may
  said.add({3, emit_and_cut, 0}, 2);  // but strips end
  said.add({3, cut, 0}, 2);
  ASSERT_EQ(said.events.size(), 4u);
  EXPECT_EQ(said.events[3].lanes, 3u);
  said.begin(2);
  EXPECT_TRUE(said.events.empty());
  said.add({1, emit, 0}, 2);
  EXPECT_EQ(said.events.size(), 1u);
}

}  // namespace
}  // namespace Atoll::sea_islands
