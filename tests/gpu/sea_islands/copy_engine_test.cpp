// Packets of the copy engines.
#include "gpu/sea_islands/stream.h"

namespace Atoll::sea_islands::test {
namespace {

class CopyEngineTest : public SeaIslandsTest {
protected:
  void copies(const std::vector<uint32_t>& words) { good(words, gpu::QueueKind::copy); }
  uint32_t low(uint32_t offset) { return Words::low(at(offset)); }
  uint32_t high(uint32_t offset) { return Words::high(at(offset)); }
};

TEST_F(CopyEngineTest, CopiesFillsAndWrites) {
  for (unsigned n = 0; n < 64; n++) memory.host_pointer[n] = uint8_t(n + 1);
  copies({
      0,
      0x20000,
      1,
      2,  // NOP, NOP of three dwords
      1,
      33,
      0,
      low(3),
      high(3),
      low(0x101),
      high(0x101),  // copy
      2,
      low(0x200),
      high(0x200),
      2,
      77,
      78,  // write
      2u << 30 | 11,
      low(0x300),
      high(0x300),
      0x01020304,
      8,  // fill
      11,
      low(0x308),
      high(0x308),
      0x55,
      3,  // fill with bytes
      5,
      low(0x400),
      high(0x400),
      99,  // fence
      6,
      4,  // trap, with the number of an event (which is a packet of its own elsewhere)
      2 << 8 | 13,
      low(0x420),
      high(0x420),  // timestamp (of all engines: at multiples of 32)
  });
  EXPECT_EQ(memory.host_pointer[0x101], 4);
  EXPECT_EQ(memory.host_pointer[0x101 + 32], 36);
  EXPECT_EQ(memory.host_pointer[0x101 + 33], 0);
  EXPECT_EQ(dword(0x204), 78u);
  EXPECT_EQ(dword(0x304), 0x01020304u);
  EXPECT_EQ(dword(0x308), 0x555555u);
  EXPECT_EQ(dword(0x400), 99u);
  EXPECT_NE(qword(0x420), 0u);
}

TEST_F(CopyEngineTest, Windows) {
  // 3x2 dwords from (1, 2) of a surface 8 wide to (4, 1) of one 16 wide.
  for (unsigned n = 0; n < 64; n++) dword(n * 4) = n;
  copies({4 << 8 | 1 | 2u << 29, low(0), high(0), 1 | 2 << 16, 7 << 16, 63, low(0x1000), high(0x1000), 4 | 1 << 16, 15 << 16, 255,
          3 | 2 << 16, 1});
  for (unsigned y = 0; y < 2; y++)
    for (unsigned x = 0; x < 3; x++) EXPECT_EQ(dword(0x1000 + ((y + 1) * 16 + 4 + x) * 4), (y + 2) * 8 + 1 + x);
  EXPECT_EQ(dword(0x1000 + (16 + 7) * 4), 0u);
}

TEST_F(CopyEngineTest, BuffersConditionsAndPolls) {
  auto called = buffer({5, low(0), high(0), 1});
  dword(8) = 3;
  copies({
      4,
      Words::low(called.address),
      Words::high(called.address),
      called.dwords,  //
      9,
      low(8),
      high(8),
      4,
      4,
      5,
      low(12),
      high(12),
      1,  // not executed
      9,
      low(8),
      high(8),
      3,
      4,
      5,
      low(16),
      high(16),
      1,  // executed
      1u << 31 | 3u << 28 | 8,
      low(8),
      high(8),
      3,
      ~0u,
      0xfff0000a,  // poll
  });
  EXPECT_EQ(dword(0), 1u);
  EXPECT_EQ(dword(12), 0u);
  EXPECT_EQ(dword(16), 1u);
}

TEST_F(CopyEngineTest, WhatItCannotRead) {
  EXPECT_NE(bad({0x5f}, gpu::QueueKind::copy).find("0x5f"), std::string::npos);
  for (std::vector<uint32_t> words :
       {std::vector<uint32_t>{2, low(0), high(0), 0x7fffffff, 1}, {1, 4, 0, 0, 0x7f, low(0), high(0)}}) {
    auto lone = *device->make_queue(gpu::QueueKind::copy, *space);
    gpu::CommandBuffer one = buffer(words);
    EXPECT_FALSE(lone->run(std::span(&one, 1)));
  }
}

}  // namespace
}  // namespace Atoll::sea_islands::test
