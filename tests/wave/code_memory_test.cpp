// Memory for machine code: what is written in one view runs in the other, blocks never overlap, what is released is used again.
#include "wave/jit/code_memory.h"

#include <gtest/gtest.h>

#include <cstring>

namespace Atoll::wave {
namespace {

// mov eax, number; ret
void put_function(const CodeMemory::Block& block, uint32_t number) {
  block.written[0] = 0xb8;
  std::memcpy(block.written + 1, &number, 4);
  block.written[5] = 0xc3;
}
uint32_t call(const CodeMemory::Block& block) { return reinterpret_cast<uint32_t (*)()>(block.executed)(); }

TEST(CodeMemory, CodeWrittenInOneViewRunsInTheOther) {
  CodeMemory memory;
  std::vector<CodeMemory::Block> blocks;
  for (uint32_t n = 0; n < 3000; n++) {
    auto block = memory.allocate(1 + n * 7 % 5000);
    ASSERT_TRUE(block) << block.error().message;
    ASSERT_GE(block->bytes, 1 + n * 7 % 5000);
    ASSERT_EQ(uintptr_t(block->executed) % 64, 0u);
    std::memset(block->written, 0xcc, block->bytes);
    put_function(*block, n);
    blocks.push_back(*block);
  }
  // Later blocks have not been laid over earlier ones, nor do released ones damage their neighbours.
  for (uint32_t n = 0; n < blocks.size(); n++) ASSERT_EQ(call(blocks[n]), n);
  for (uint32_t n = 0; n < blocks.size(); n += 2) memory.release(blocks[n]);
  for (uint32_t n = 0; n < blocks.size(); n += 2) {
    auto block = memory.allocate(64);
    ASSERT_TRUE(block);
    put_function(*block, 7);
  }
  for (uint32_t n = 1; n < blocks.size(); n += 2) ASSERT_EQ(call(blocks[n]), n);
}

TEST(CodeMemory, NeighboursThatAreReleasedBecomeOneHole) {
  CodeMemory memory;
  std::vector<CodeMemory::Block> blocks;
  for (int n = 0; n < 16; n++) blocks.push_back(*memory.allocate(size_t(256) << 10));  // a slab
  for (int n : {3, 5, 4}) memory.release(blocks[size_t(n)]);
  auto joined = memory.allocate(3 * (size_t(256) << 10));
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->executed, blocks[3].executed);
}

TEST(CodeMemory, ABlockMayBeLargerThanASlab) {
  CodeMemory memory;
  auto block = memory.allocate(size_t(9) << 20);
  ASSERT_TRUE(block);
  block->written[block->bytes - 1] = 0xc3;
  EXPECT_EQ(block->executed[block->bytes - 1], 0xc3);
}

TEST(CodeMemory, WhatIsReleasedGoesBackToTheSystem) {
  CodeMemory memory;
  for (int round = 0; round < 3; round++) {
    std::vector<CodeMemory::Block> blocks;
    for (int n = 0; n < 160; n++) blocks.push_back(*memory.allocate(size_t(256) << 10));  // ten slabs
    blocks.push_back(*memory.allocate(size_t(9) << 20));
    EXPECT_GE(memory.bytes(), size_t(49) << 20);
    put_function(blocks[40], 5);
    for (size_t n = 0; n < blocks.size(); n++)
      if (n != 40) memory.release(blocks[n]);
    EXPECT_LE(memory.bytes(), size_t(8) << 20);  // that in which code still stands, and one that is kept ready
    EXPECT_EQ(call(blocks[40]), 5u);
    memory.release(blocks[40]);
    EXPECT_LE(memory.bytes(), size_t(4) << 20);
  }
}

}  // namespace
}  // namespace Atoll::wave
