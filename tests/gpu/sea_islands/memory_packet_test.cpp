// Packets that write and copy memory.
#include "gpu/sea_islands/stream.h"

namespace Atoll::sea_islands::test {
namespace {

using namespace packets;
class MemoryPackets : public SeaIslandsTest {};

TEST_F(MemoryPackets, WriteData) {
  Words w;
  w.packet(WRITE_DATA::opcode, {5u << 8, w.low(at(0)), w.high(at(0)), 1, 2, 3});
  w.packet(WRITE_DATA::opcode, {5u << 8 | 1u << 16, w.low(at(16)), w.high(at(16)), 4, 5});  // one address
  w.packet(WRITE_DATA::opcode, {0, SCRATCH_REG::address(3) / 4, 0, 99});
  w.store(SCRATCH_REG::address(3), at(24));
  good(w);
  EXPECT_EQ(dword(8), 3u);
  EXPECT_EQ(dword(16), 5u);
  EXPECT_EQ(dword(20), 0u);
  EXPECT_EQ(dword(24), 99u);
}

TEST_F(MemoryPackets, CopyData) {
  qword(0) = 0x1122334455667788;
  Words w;
  w.packet(COPY_DATA::opcode, {1 | 5u << 8 | 1u << 16, w.low(at(0)), w.high(at(0)), w.low(at(8)), w.high(at(8))});
  w.packet(COPY_DATA::opcode, {5 | 5u << 8 | 1u << 16, 0xaa, 0xbb, w.low(at(16)), w.high(at(16))});
  w.packet(COPY_DATA::opcode, {9 | 5u << 8 | 1u << 16, 0, 0, w.low(at(24)), w.high(at(24))});
  w.packet(COPY_DATA::opcode, {1, w.low(at(0)), w.high(at(0)), SCRATCH_REG::address(0) / 4, 0});
  w.store(SCRATCH_REG::address(0), at(32));
  good(w);
  EXPECT_EQ(qword(8), 0x1122334455667788u);
  EXPECT_EQ(qword(16), 0xbb000000aau);
  EXPECT_NE(qword(24), 0u) << "a timestamp";
  EXPECT_EQ(dword(32), 0x55667788u);
}

TEST_F(MemoryPackets, DmaFillsCopiesAndPrefetches) {
  for (unsigned n = 0; n < 100; n++) memory.host_pointer[0x200 + n] = uint8_t(n);
  Words w;
  w.packet(DMA_DATA::opcode, {2u << 29, 0xdeadbeef, 0, w.low(at(0)), w.high(at(0)), 16});
  w.packet(DMA_DATA::opcode, {3u << 29 | 3u << 20, w.low(at(0x201)), w.high(at(0x201)), w.low(at(0x303)), w.high(at(0x303)), 51});
  // Onto itself where nothing is mapped: a prefetch. No bytes: a wait.
  w.packet(DMA_DATA::opcode, {3u << 29 | 3u << 20, w.low(nowhere), w.high(nowhere), w.low(nowhere), w.high(nowhere), 0x60});
  w.packet(DMA_DATA::opcode, {1u << 31, 0, 0, 0, 0, 0});
  // From a register, and the same dword over and over.
  w.user(SCRATCH_REG::address(0), 1234);
  w.packet(DMA_DATA::opcode, {0, SCRATCH_REG::address(0), 0, w.low(at(0x40)), w.high(at(0x40)), 4 | 1u << 26});
  w.packet(DMA_DATA::opcode, {0, w.low(at(0)), w.high(at(0)), w.low(at(0x50)), w.high(at(0x50)), 12 | 1u << 28});
  good(w);
  EXPECT_EQ(dword(12), 0xdeadbeefu);
  EXPECT_EQ(dword(16), 0u);
  EXPECT_EQ(memory.host_pointer[0x302], 0);
  EXPECT_EQ(memory.host_pointer[0x303], 1);
  EXPECT_EQ(memory.host_pointer[0x303 + 50], 51);
  EXPECT_EQ(memory.host_pointer[0x303 + 51], 0);
  EXPECT_EQ(dword(0x40), 1234u);
  EXPECT_EQ(dword(0x58), 0xdeadbeefu);
}

TEST_F(MemoryPackets, CpDma) {
  dword(0) = 7;
  Words w;
  w.packet(CP_DMA::opcode, {w.low(at(0)), w.high(at(0)), w.low(at(64)), w.high(at(64)), 4});
  w.packet(CP_DMA::opcode, {0x55, 2u << 29, w.low(at(68)), w.high(at(68)), 8});
  good(w);
  EXPECT_EQ(dword(64), 7u);
  EXPECT_EQ(dword(72), 0x55u);
}

struct Atomic {
  uint32_t operation;  // of 32 bits, without return
  uint32_t before, data, comparand, after;
};
TEST_F(MemoryPackets, Atomics) {
  const Atomic all[] = {
      {0x47, 5, 9, 0, 9},       {0x48, 5, 9, 5, 9},     {0x48, 5, 9, 6, 5},    {0x4f, 5, 9, 0, 14},
      {0x50, 5, 9, 0, ~0u - 3}, {0x51, ~0u, 1, 0, ~0u}, {0x52, ~0u, 1, 0, 1},  {0x53, ~0u, 1, 0, 1},
      {0x54, ~0u, 1, 0, ~0u},   {0x55, 12, 10, 0, 8},   {0x56, 12, 10, 0, 14}, {0x57, 12, 10, 0, 6},
      {0x58, 3, 3, 0, 0},       {0x58, 2, 3, 0, 3},     {0x59, 0, 3, 0, 3},    {0x59, 2, 3, 0, 1},
  };
  for (const Atomic& a : all) {
    dword(0) = a.before;
    good(Words().packet(ATOMIC_MEM::opcode, {a.operation, Words::low(at(0)), Words::high(at(0)), a.data, 0, a.comparand, 0, 0}));
    EXPECT_EQ(dword(0), a.after) << std::hex << a.operation;
  }
  qword(8) = 0xffffffff;
  good(Words().packet(ATOMIC_MEM::opcode, {0x6f, Words::low(at(8)), Words::high(at(8)), 1, 0, 0, 0, 0}));
  EXPECT_EQ(qword(8), 0x100000000u);
}

// Each alone in a queue of its own, since the context is lost.
TEST_F(MemoryPackets, WhatIsNotMappedLosesTheContext) {
  const uint32_t low = Words::low(nowhere), high = Words::high(nowhere), here = Words::low(at(0)), here_high = Words::high(at(0));
  const std::vector<std::pair<const char*, Words>> all = {
      {"WRITE_DATA", Words().write(nowhere, 1)},
      {"COPY_DATA", Words().packet(COPY_DATA::opcode, {1 | 5u << 8, low, high, here, here_high})},
      {"DMA_DATA", Words().packet(DMA_DATA::opcode, {0, low, high, here, here_high, 4})},
      {"DMA_DATA", Words().packet(DMA_DATA::opcode, {0, here, here_high, low, high, 4})},
      {"DMA_DATA", Words().packet(DMA_DATA::opcode, {2u << 29, 1, 0, low, high, 1 << 20})},
      {"ATOMIC_MEM", Words().packet(ATOMIC_MEM::opcode, {0x4f, low, high, 1, 0, 0, 0, 0})},
      {"WAIT_REG_MEM", Words().packet(WAIT_REG_MEM::opcode, {3 | 1 << 4, low, high, 1, 1, 1})},
      {"EVENT_WRITE_EOP", Words().packet(EVENT_WRITE_EOP::opcode, {40, low, high | 1u << 29, 1, 0})},
      {"EVENT_WRITE", Words().packet(EVENT_WRITE::opcode, {21 | 1 << 8, low, high})},
      {"INDIRECT_BUFFER_CIK", Words().packet(INDIRECT_BUFFER_CIK::opcode, {low, high, 4})},
      {"COND_EXEC", Words().packet(COND_EXEC::opcode, {low, high, 0, 1})},
      {"DISPATCH_INDIRECT", Words().packet(DISPATCH_INDIRECT::opcode, {0, 1})},
      {"MEM_SEMAPHORE", Words().packet(MEM_SEMAPHORE::opcode, {low, high | 6u << 29})},
      {"DISPATCH_DIRECT", Words()
                              .shader(COMPUTE_NUM_THREAD_X::address(), 1)
                              .shader(COMPUTE_NUM_THREAD_Y::address(), 1)
                              .shader(COMPUTE_NUM_THREAD_Z::address(), 1)
                              .shader(COMPUTE_PGM_LO::address(), uint32_t(nowhere >> 8))
                              .packet(DISPATCH_DIRECT::opcode, {1, 1, 1, 1})},
  };
  for (auto& [name, words] : all) {
    auto lone = *device->make_queue(gpu::QueueKind::graphics, *space);
    gpu::CommandBuffer one = buffer(words);
    auto done = lone->run(std::span(&one, 1));
    ASSERT_FALSE(done) << name;
    EXPECT_TRUE(done.error().message.starts_with(std::string(name) + " at 0x")) << done.error().message;
    EXPECT_NE(done.error().message.find("nothing is mapped"), std::string::npos) << done.error().message;
  }
}

}  // namespace
}  // namespace Atoll::sea_islands::test
