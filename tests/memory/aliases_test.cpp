// Pages that stand for others: the same memory, nothing, and how they end.
#include "memory/aliases.h"

#include <gtest/gtest.h>

#include <cstring>

namespace Atoll {
namespace {

constexpr uint64_t tile = 65536;

struct AliasesTest : ::testing::Test {
  std::shared_ptr<MemoryFile> memory = *MemoryFile::create();
  std::unique_ptr<AddressSpace> space = *AddressSpace::create_sectioned(memory);
  static constexpr uint64_t begin = uint64_t(0xf) << 44, range = uint64_t(1) << 44,
                            at = (uint64_t(1) << 48) - (uint64_t(8) << 30), target = 0x10'0000'0000;
  uint64_t offset = *memory->allocate(4 * tile);
  std::shared_ptr<Aliases> aliases = Aliases::of(*space);

  AliasesTest() { EXPECT_TRUE(space->map(target, offset, 4 * tile)); }
  uint32_t& word(uint64_t address) { return *reinterpret_cast<uint32_t*>(space->host(address)); }
  bool set(const std::vector<Alias>& wanted) { return bool(aliases->set(begin, range, wanted)); }
};

TEST_F(AliasesTest, AreTheSameMemory) {
  ASSERT_TRUE(set({{at, tile, target + 2 * tile}, {at + tile, tile, target}, {at + 2 * tile, tile, target}}));
  for (uint64_t n = 0; n < 4; n++) word(target + n * tile) = uint32_t(n + 1);
  EXPECT_EQ(word(at), 3u);
  EXPECT_EQ(word(at + tile), 1u);
  word(at + 2 * tile + 8) = 77;
  EXPECT_EQ(word(target + 8), 77u);
  EXPECT_EQ(word(at + tile + 8), 77u);
  EXPECT_TRUE(space->contains(at, 3 * tile, true));
  EXPECT_FALSE(space->contains(at + 3 * tile, 1));
  // others in their place, and fewer
  ASSERT_TRUE(set({{at, tile, target + tile}}));
  EXPECT_EQ(word(at), 2u);
  EXPECT_FALSE(space->contains(at + tile, 1));
}

TEST_F(AliasesTest, OfNothingReadAs0) {
  // all of the range but a tile
  ASSERT_TRUE(
      set({{begin, at - begin, Alias::nothing}, {at, tile, target}, {at + tile, begin + range - at - tile, Alias::nothing}}));
  for (uint64_t a : {at - tile, at + tile, begin + range - 4096}) {
    ASSERT_TRUE(space->contains(a, 4096, true));
    EXPECT_EQ(word(a), 0u);
    word(a) = 5;
    aliases->drop_writes();
    EXPECT_EQ(word(a), 0u);
  }
  word(at) = 9;
  aliases->drop_writes();
  EXPECT_EQ(word(target), 9u);
  // places are left for memory
  for (uint64_t n = 1; n < 4; n++) EXPECT_TRUE(space->map(n * space->window_bytes() / 16 * 20, offset, tile)) << n;
  ASSERT_TRUE(set({}));
  EXPECT_FALSE(space->contains(at + tile, 1));
}

TEST_F(AliasesTest, EndWithTheirTargets) {
  const std::vector<Alias> wanted{{at, 2 * tile, target}, {at + 2 * tile, tile, target + 3 * tile}};
  ASSERT_TRUE(set(wanted));
  ASSERT_TRUE(space->unmap(target + tile, tile));
  EXPECT_FALSE(space->contains(at + tile, 1)) << "memory that is not the address space's any more";
  EXPECT_TRUE(space->contains(at + 2 * tile, tile));
  // what is still there comes back, and the rest with its mapping
  ASSERT_TRUE(set(wanted));
  EXPECT_TRUE(space->contains(at, tile));
  EXPECT_FALSE(space->contains(at + tile, 1));
  ASSERT_TRUE(space->map(target + tile, offset + 2 * tile, tile));
  ASSERT_TRUE(set(wanted));
  word(target + tile) = 6;
  EXPECT_EQ(word(at + tile), 6u);
  // other memory at the target
  ASSERT_TRUE(space->map(target + 3 * tile, offset, tile));
  EXPECT_FALSE(space->contains(at + 2 * tile, 1));
  // and with the last who has them
  aliases.reset();
  EXPECT_FALSE(space->contains(at, 1));
  EXPECT_TRUE(space->contains(target, 4 * tile));
}

TEST_F(AliasesTest, OfAliasesAreNothing) {
  ASSERT_TRUE(set({{at, tile, target}, {at + tile, tile, at}, {at + 2 * tile, tile, 0xdead'0000'0000}}));
  EXPECT_TRUE(space->contains(at, tile));
  EXPECT_FALSE(space->contains(at + tile, 1));
  EXPECT_FALSE(space->contains(at + 2 * tile, 1));
}

}  // namespace
}  // namespace Atoll
