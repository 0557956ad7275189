// Address spaces of 48 bits: sections stand in the window in the order in which they are first mapped.
#include <gtest/gtest.h>

#include "memory/address_space.h"

namespace Atoll {
namespace {

// A range that is in one piece as a GPU counts, but not in the window, is none.
TEST(Sections, NeighboursThatAreNoneInTheWindowAreNoRange) {
  auto memory = MemoryFile::create();
  ASSERT_TRUE(memory);
  auto made = AddressSpace::create_sectioned(*memory);
  auto place = (*memory)->allocate(2 * page_bytes);
  ASSERT_TRUE(made && place);
  AddressSpace& space = **made;
  const uint64_t section = space.window_bytes() / 16, offset = *place;
  constexpr uint64_t numbers[] = {5, 20, 30, 40, 50, 60};
  for (uint64_t n : numbers) ASSERT_TRUE(space.map(n * section, offset, page_bytes));
  unsigned apart = 0, together = 0;
  for (uint64_t n : numbers) {
    const uint64_t before = n * section - page_bytes;
    ASSERT_TRUE(space.map(before, offset + page_bytes, page_bytes));
    const bool neighbours = space.host(before) + page_bytes == space.host(n * section);
    (neighbours ? together : apart)++;
    EXPECT_EQ(space.contains(before, 2 * page_bytes), neighbours) << n;
    EXPECT_EQ(space.contains(n * section - 8, 16), neighbours) << n;
    EXPECT_TRUE(space.contains(before, page_bytes) && space.contains(n * section, page_bytes)) << n;
  }
  EXPECT_GT(apart, 0u);
  EXPECT_GT(together, 0u);
}

}  // namespace
}  // namespace Atoll
