// Command buffers read piece by piece.
#include "gpu/device/command_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace Atoll::gpu {
namespace {

constexpr uint64_t base = 0x10000;

class CommandReaderTest : public testing::Test {
protected:
  CommandReaderTest() { std::iota(memory.begin(), memory.end(), 0u); }
  std::span<const uint32_t> peek(CommandReader& reader, uint64_t dwords) {
    return reader.peek(dwords, [this](uint64_t address, uint32_t* to, uint64_t bytes) {
      if (address + bytes > base + memory.size() * 4) return false;
      reads += bytes / 4;
      most = std::max(most, bytes / 4);
      std::memcpy(to, memory.data() + (address - base) / 4, bytes);
      return true;
    });
  }
  std::vector<uint32_t> memory = std::vector<uint32_t>(4 * CommandReader::block_dwords + 100);
  uint64_t reads = 0, most = 0;
};

TEST_F(CommandReaderTest, ReadsEachDwordOnceAndAPieceAtMost) {
  CommandReader reader(base, memory.size());
  uint32_t expected = 0;
  for (uint64_t length = 1; reader.left(); length = length * 7 % 16381 + 1) {
    length = std::min(length, reader.left());
    EXPECT_EQ(reader.address(), base + expected * 4);
    EXPECT_EQ(peek(reader, 1)[0], expected);
    auto words = peek(reader, length);
    ASSERT_EQ(words.size(), length);
    for (uint32_t word : words) ASSERT_EQ(word, expected++);
    reader.skip(length);
  }
  EXPECT_EQ(expected, memory.size());
  EXPECT_EQ(reads, memory.size());
  EXPECT_LE(most, CommandReader::block_dwords);
}

// A header that was looked at is what is executed, even if more of its packet has to be brought.
TEST_F(CommandReaderTest, WhatWasReadStays) {
  CommandReader reader(base, memory.size());
  peek(reader, 1);
  reader.skip(CommandReader::block_dwords - 1);
  uint32_t header = peek(reader, 1)[0];
  memory[CommandReader::block_dwords - 1] = 0xdead, memory[CommandReader::block_dwords] = 0xbeef;
  auto words = peek(reader, 3);
  EXPECT_EQ(words[0], header);
  EXPECT_EQ(words[1], 0xbeefu) << "of the next piece";
  reader.skip(3);
  reader.back(3);
  EXPECT_EQ(peek(reader, 1)[0], header);
}

TEST_F(CommandReaderTest, WordsAtHandAreNotReadAgain) {
  CommandReader reader(base, std::vector<uint32_t>{7, 8, 9});
  EXPECT_EQ(peek(reader, 3)[2], 9u);
  reader.skip(100);
  EXPECT_EQ(reader.left(), 0u);
  EXPECT_EQ(reads, 0u);
}

TEST_F(CommandReaderTest, SkipsWithoutReadingAndSaysWhatCannotBeRead) {
  CommandReader reader(base, uint64_t(1) << 40);
  EXPECT_EQ(peek(reader, 1)[0], 0u);
  reader.skip(3 * CommandReader::block_dwords);
  EXPECT_EQ(peek(reader, 1)[0], 3 * CommandReader::block_dwords);
  EXPECT_EQ(reads, 2 * CommandReader::block_dwords);
  reader.skip(CommandReader::block_dwords);
  EXPECT_TRUE(peek(reader, 1).empty());
}

}  // namespace
}  // namespace Atoll::gpu
