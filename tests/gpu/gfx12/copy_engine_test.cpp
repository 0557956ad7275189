// Packets of SDMA 7, in the words of Mesa 25.0.7 src/amd/vulkan/radv_sdma.c. The place of a texel in a tiled surface comes from
// the rule of addrlib's gfx12 block of 4 KiB with elements of 4 bytes, written apart from src/surface: the address bits above the
// element's are x0 y0 x1 y1 x2 y2 y3 x3 y4 x4 (gfx12SwizzlePattern.h).
#include "gpu/gfx12/stream.h"

namespace Atoll::gfx12::test {
namespace {

class CopyEngineTest : public Gfx12Test {
protected:
  void copies(const std::vector<uint32_t>& words) { good(words, gpu::QueueKind::copy); }
  std::string report(const std::vector<uint32_t>& words) { return bad(words, gpu::QueueKind::copy); }
};

TEST_F(CopyEngineTest, CopiesFillsWritesAndFences) {
  for (unsigned n = 0; n < 64; n++) memory.host_pointer[n] = uint8_t(n + 1);
  std::vector<uint32_t> w = {0, 0x20000, 1, 2};                                                 // NOPs of one and of three dwords
  w.insert(w.end(), {1, 33 - 1, 0, low(at(3)), high(at(3)), low(at(0x101)), high(at(0x101))});  // copy of 33 bytes
  w.insert(w.end(), {2, low(at(0x200)), high(at(0x200)), 2 - 1, 77, 78});                       // write of two dwords
  w.insert(w.end(), {2u << 30 | 11, low(at(0x300)), high(at(0x300)), 0x01020304, 8 - 1});       // fill with dwords
  w.insert(w.end(), {11, low(at(0x308)), high(at(0x308)), 0x55, 3 - 1});                        // with bytes
  w.insert(w.end(), {5, low(at(0x400)), high(at(0x400)), 99});                                  // fence
  w.insert(w.end(), {8 | 3u << 28 | 1u << 31, low(at(0x400)), high(at(0x400)), 99, ~0u, 0x0fff000a});  // wait for it
  w.insert(w.end(), {2 << 8 | 13, low(at(0x420)), high(at(0x420))});                                   // timestamp
  copies(w);
  EXPECT_EQ(memory.host_pointer[0x101], 4);
  EXPECT_EQ(memory.host_pointer[0x101 + 32], 36);
  EXPECT_EQ(memory.host_pointer[0x101 + 33], 0);
  EXPECT_EQ(dword(0x200), 77u);
  EXPECT_EQ(dword(0x204), 78u);
  EXPECT_EQ(dword(0x304), 0x01020304u);
  EXPECT_EQ(dword(0x308), 0x00555555u);
  EXPECT_EQ(dword(0x400), 99u);
  EXPECT_NE(qword(0x420), 0u);
}

TEST_F(CopyEngineTest, LinearWindows) {
  // 3 x 2 dwords from (1, 2) of a surface 8 wide to (4, 1) of one 16 wide.
  for (unsigned n = 0; n < 64; n++) dword(n * 4) = n;
  copies({4 << 8 | 1 | 2u << 29, low(at(0)), high(at(0)), 1 | 2 << 16, 7 << 16, 63, low(at(0x1000)), high(at(0x1000)),
          4 | 1 << 16, 15 << 16, 255, 2 | 1 << 16, 0});
  for (unsigned y = 0; y < 2; y++)
    for (unsigned x = 0; x < 3; x++) EXPECT_EQ(dword(0x1000 + ((y + 1) * 16 + 4 + x) * 4), (y + 2) * 8 + 1 + x);
  EXPECT_EQ(dword(0x1000 + (16 + 7) * 4), 0u);
}

uint32_t in_block_of_4k(uint32_t x, uint32_t y) {
  uint32_t offset = 0;
  for (unsigned bit = 0; bit < 3; bit++) offset |= (x >> bit & 1) << (2 + 2 * bit) | (y >> bit & 1) << (3 + 2 * bit);
  for (unsigned bit = 3; bit < 5; bit++) offset |= (y >> bit & 1) << (2 + 2 * bit) | (x >> bit & 1) << (3 + 2 * bit);
  return offset;
}

// A surface of 64 x 32 dwords in two blocks of 4 KiB; a window of 20 x 9 goes in at (25, 7), over both, and comes out again.
TEST_F(CopyEngineTest, TiledWindows) {
  const uint32_t tiled = 0x2000, source = 0x0, back = 0x6000;
  ASSERT_EQ(at(tiled) % 4096, 0u);
  for (unsigned n = 0; n < 32 * 9; n++) dword(source + n * 4) = 1000 + n;
  const uint32_t how = 2 | 2 << 3;  // dwords, blocks of 4 KiB
  auto window = [&](bool out, uint32_t linear) {
    return std::vector<uint32_t>{1 | 5 << 8 | uint32_t(out) << 31,
                                 low(at(tiled)),
                                 high(at(tiled)),
                                 25 | 7 << 16,
                                 (64 - 1) << 16,
                                 32 - 1,
                                 how,
                                 low(at(linear)),
                                 high(at(linear)),
                                 0,
                                 (32 - 1) << 16,
                                 32 * 9 - 1,
                                 (20 - 1) | (9 - 1) << 16,
                                 0};
  };
  copies(window(false, source));
  for (unsigned y = 0; y < 9; y++)
    for (unsigned x = 0; x < 20; x++) {
      const uint32_t tx = 25 + x, ty = 7 + y;
      ASSERT_EQ(dword(tiled + tx / 32 * 4096 + in_block_of_4k(tx % 32, ty)), 1000 + y * 32 + x) << x << ", " << y;
    }
  EXPECT_EQ(dword(tiled + in_block_of_4k(24, 7)), 0u);
  copies(window(true, back));
  for (unsigned y = 0; y < 9; y++)
    for (unsigned x = 0; x < 20; x++) ASSERT_EQ(dword(back + (y * 32 + x) * 4), 1000 + y * 32 + x) << x << ", " << y;
  EXPECT_EQ(dword(back + 20 * 4), 0u);
  // Compressed, as radeonsi fills surfaces with DCC (si_sdma_copy_image.c): its format follows.
  for (unsigned n = 0; n < 32 * 9; n++) dword(source + n * 4) = 5000 + n;
  std::vector<uint32_t> words = window(false, source);
  words[0] |= 1u << 19;
  words.push_back(10 | 2u << 16 | 1u << 18);
  words.insert(words.end(), {5, low(at(0x7f00)), high(at(0x7f00)), 99});  // a fence behind it
  copies(words);
  EXPECT_EQ(dword(tiled + in_block_of_4k(25, 7)), 5000u);
  EXPECT_EQ(dword(0x7f00), 99u);
}

TEST_F(CopyEngineTest, ConditionsAndBuffers) {
  auto called = buffer({5, low(at(0x40)), high(at(0x40)), 7});
  dword(8) = 3;
  std::vector<uint32_t> w = {9, low(at(8)), high(at(8)), 4, 4};  // the next four only if memory has a 4
  w.insert(w.end(), {5, low(at(0x44)), high(at(0x44)), 8});
  w.insert(w.end(), {4, low(called.address), high(called.address), called.dwords, 0, 0});
  copies(w);
  EXPECT_EQ(dword(0x40), 7u);
  EXPECT_EQ(dword(0x44), 0u);
}

TEST_F(CopyEngineTest, WhatIsRefused) {
  auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const std::string unknown_packet = report({0x1f});
  EXPECT_TRUE(has(unknown_packet, "SDMA packet 0x1f, sub-opcode 0x0 is not understood")) << unknown_packet;
  queues[size_t(gpu::QueueKind::copy)] = *device->make_queue(gpu::QueueKind::copy, *space);
  const std::string cut = report({1, 3});
  EXPECT_TRUE(has(cut, "needs 6 dwords behind its header, its buffer ends after 1")) << cut;
  queues[size_t(gpu::QueueKind::copy)] = *device->make_queue(gpu::QueueKind::copy, *space);
  const std::string beyond = report({1 | 5 << 8, low(at(0)), high(at(0)), 60, 63 << 16, 31, 2 | 2 << 3, low(at(0x4000)),
                                     high(at(0x4000)), 0, 31 << 16, 1023, 8 - 1, 0});
  EXPECT_TRUE(has(beyond, "a box beyond a level of 64 x 32 x 1")) << beyond;
}

}  // namespace
}  // namespace Atoll::gfx12::test
