#include <gtest/gtest.h>

#include "registers/r5xx.h"
#include "tests/gpu/r5xx/stream.h"

namespace Atoll::r5xx {
namespace {

using test::Machine;
using test::Stream;

// The scratch registers with their copies in memory show what was executed.
void show_scratch(Stream& stream, const Buffer& copies) {
  stream.set(SCRATCH_ADDR::address(), uint32_t(copies.gpu_address));
  stream.set(SCRATCH_UMSK::address(), 0x3f);
}
uint32_t word(const Buffer& buffer, size_t n) {
  uint32_t value;
  std::memcpy(&value, buffer.host_pointer + n * 4, 4);
  return value;
}

TEST(CommandProcessor, RegistersInARowAndToOneRegister) {
  Machine machine;
  Buffer copies = machine.allocate(4096);
  Stream stream;
  show_scratch(stream, copies);
  stream.filler()
      .set(SCRATCH_REG::address(0), {1, 2, 3})
      .burst(SCRATCH_REG::address(4), {7, 8, 9})
      .packet(packets::NOP::opcode, {0, 0});
  auto result = machine.run(stream);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(word(copies, 0), 1u);
  EXPECT_EQ(word(copies, 2), 3u);
  EXPECT_EQ(word(copies, 4), 9u);
  EXPECT_EQ(word(copies, 5), 0u);
  EXPECT_EQ(machine.queue->statistics().packets, 6u);
  EXPECT_EQ(machine.unknowns(), "");
}

TEST(CommandProcessor, IndirectBuffersAreCalledAndComeBack) {
  Machine machine;
  Buffer copies = machine.allocate(4096);
  Stream inner, middle, outer;
  inner.set(SCRATCH_REG::address(1), 11);
  Buffer inner_buffer = machine.upload(inner.words);
  middle.set(CP_IB2_BASE::address(), {uint32_t(inner_buffer.gpu_address), uint32_t(inner.words.size())});
  middle.set(SCRATCH_REG::address(2), 22);
  Buffer middle_buffer = machine.upload(middle.words);
  show_scratch(outer, copies);
  outer.set(CP_IB_BASE::address(), {uint32_t(middle_buffer.gpu_address), uint32_t(middle.words.size())});
  outer.set(SCRATCH_REG::address(3), 33);
  auto result = machine.run(outer);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(word(copies, 1), 11u);
  EXPECT_EQ(word(copies, 2), 22u);
  EXPECT_EQ(word(copies, 3), 33u);
}

TEST(CommandProcessor, ABufferThatCallsItselfIsRefused) {
  Machine machine;
  Buffer buffer = machine.allocate(4096);
  Stream stream;
  stream.set(CP_IB_BASE::address(), {uint32_t(buffer.gpu_address), 3});
  std::memcpy(buffer.host_pointer, stream.words.data(), stream.words.size() * 4);
  gpu::CommandBuffer command{buffer.gpu_address, 3};
  auto result = machine.queue->run({&command, 1});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("nest"), std::string::npos) << result.error().message;
  // A lost context stays lost.
  EXPECT_FALSE(machine.run(Stream().filler()));
}

TEST(CommandProcessor, ReportsNamePacketAndAddress) {
  struct Bad {
    std::vector<uint32_t> words;
    const char* what;
  };
  const Bad bad[] = {
      {{0x40000000}, "type 1"},
      {{0xc0053500, 0}, "beyond the buffer"},
      {{0xc0023500, 0x00030034, 0, 0}, "3D_DRAW_IMMD_2"},  // three vertices of no dwords... of VAP_VTX_SIZE 8
      {{0xc0023300, 0x80000810, 0x00001000, 4}, "INDX_BUFFER"},
      {{(1u << 16) | CP_IB_BASE::address() / 4, 0x1000, 4}, "nothing is mapped"},
  };
  for (auto& b : bad) {
    Machine machine;
    Stream stream;
    stream.set(VAP_VTX_SIZE::address(), 8);
    stream.words.insert(stream.words.end(), b.words.begin(), b.words.end());
    auto result = machine.run(stream);
    ASSERT_FALSE(result) << b.what;
    EXPECT_NE(result.error().message.find(b.what), std::string::npos) << result.error().message;
    EXPECT_NE(result.error().message.find(" at 0x"), std::string::npos) << result.error().message;
  }
}

TEST(CommandProcessor, WhatIsUnknownIsCountedOrFatal) {
  Stream stream;
  stream.packet(0x7f, {1, 2}).packet(0x7f, {1}).set(0x2ff0, {1, 2});
  Machine machine;
  ASSERT_TRUE(machine.run(stream));
  EXPECT_EQ(machine.unknown("packet 0x7f"), 2u);
  EXPECT_EQ(machine.unknown("register 0x2ff0"), 1u);
  EXPECT_EQ(machine.unknown("register 0x2ff4"), 1u);
  Machine strict("r580", {.engine = gpu::Engine::Interpreter, .threads = 1, .strict = true});
  auto result = strict.run(stream);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("packet 0x7f"), std::string::npos);
}

TEST(CommandProcessor, OcclusionCountsArePipeZeros) {
  Machine machine;
  Buffer results = machine.allocate(4096);
  std::memset(results.host_pointer, 0xee, 64);
  Stream stream;
  stream.set(ZB_ZPASS_DATA::address(), 5);  // all pipes
  for (uint32_t pipe : {3u, 2u, 1u, 0u}) {
    stream.set(SU_REG_DEST::address(), 1u << pipe);
    if (pipe != 0) stream.set(ZB_ZPASS_DATA::address(), pipe);
    stream.set(ZB_ZPASS_ADDR::address(), uint32_t(results.gpu_address) + pipe * 4);
  }
  ASSERT_TRUE(machine.run(stream));
  EXPECT_EQ(word(results, 0), 5u);
  EXPECT_EQ(word(results, 1), 1u);
  EXPECT_EQ(word(results, 3), 3u);
}

// --- MMIO ----------------------------------------------------------------------------------------------------------------------
class RingTest : public testing::Test {
protected:
  RingTest() {
    ring = machine.allocate(64 * 4);
    copies = machine.allocate(4096);
    auto& d = *machine.device;
    d.write_register(CP_RB_BASE::address(), uint32_t(ring.gpu_address));
    d.write_register(CP_RB_CNTL::address(), CP_RB_CNTL::RB_BUFSZ::of(5) | CP_RB_CNTL::RB_RPTR_WR_ENA::of(1));
    d.write_register(CP_RB_RPTR_WR::address(), 0);
    d.write_register(CP_RB_RPTR_ADDR::address(), uint32_t(copies.gpu_address) + 64);
    d.write_register(CP_RB_WPTR::address(), 0);
    d.write_register(CP_RB_CNTL::address(), CP_RB_CNTL::RB_BUFSZ::of(5));
    d.write_register(SCRATCH_ADDR::address(), uint32_t(copies.gpu_address));
    d.write_register(SCRATCH_UMSK::address(), 0xff);
  }
  void put(const Stream& stream) {
    for (uint32_t value : stream.words) {
      std::memcpy(ring.host_pointer + at * 4, &value, 4);
      at = (at + 1) % 64;
    }
  }
  void kick() { machine.device->write_register(CP_RB_WPTR::address(), at); }

  Machine machine;
  Buffer ring, copies;
  uint32_t at = 0;
};

TEST_F(RingTest, TheWritePointerExecutes) {
  put(Stream().set(SCRATCH_REG::address(0), 0x1234));
  EXPECT_EQ(word(copies, 0), 0u);
  kick();
  EXPECT_EQ(word(copies, 0), 0x1234u);
  EXPECT_EQ(machine.device->read_register(SCRATCH_REG::address(0)), 0x1234u);
  EXPECT_EQ(machine.device->read_register(CP_RB_RPTR::address()), 2u);
  EXPECT_EQ(word(copies, 16), 2u);  // the host's copy
  EXPECT_EQ(machine.device->report(), "");
}

TEST_F(RingTest, PacketsGoAroundTheRingsEnd) {
  for (uint32_t round = 0; round < 100; round++) {
    put(Stream().set(SCRATCH_REG::address(0), {round, round + 1, round + 2}));
    kick();
    ASSERT_EQ(word(copies, 2), round + 2) << machine.device->report();
    ASSERT_EQ(machine.device->read_register(CP_RB_RPTR::address()), at);
  }
}

TEST_F(RingTest, NothingRunsWhileTheStreamIsDisabled) {
  machine.device->write_register(CP_CSQ_CNTL::address(), CP_CSQ_CNTL::CSQ_MODE::of(0));
  put(Stream().set(SCRATCH_REG::address(0), 7));
  kick();
  EXPECT_EQ(word(copies, 0), 0u);
  machine.device->write_register(CP_CSQ_CNTL::address(), CP_CSQ_CNTL::CSQ_MODE::of(2));
  kick();
  EXPECT_EQ(word(copies, 0), 7u);
}

TEST_F(RingTest, ALostContextIsReportedAndStays) {
  put(Stream().set(SCRATCH_REG::address(0), 7));
  std::vector<uint32_t> bad{0x40000000};
  std::memcpy(ring.host_pointer + at * 4, bad.data(), 4);
  at++;
  kick();
  EXPECT_EQ(word(copies, 0), 7u);
  EXPECT_NE(machine.device->report().find("type 1"), std::string::npos);
  put(Stream().set(SCRATCH_REG::address(0), 8));
  kick();
  EXPECT_EQ(word(copies, 0), 7u);
}

// ZB_HIZ_DWORD writes where ZB_HIZ_WRINDEX says, which moves on, and reads where ZB_HIZ_RDINDEX says.
TEST_F(RingTest, HierarchicalDepthMemoryIsReadBack) {
  auto index = [](uint32_t n) { return ZB_HIZ_WRINDEX::HIZ_WRINDEX::of(n); };
  machine.device->write_register(ZB_HIZ_WRINDEX::address(), index(5));
  for (uint32_t n = 0; n < 3; n++) machine.device->write_register(ZB_HIZ_DWORD::address(), 0x1000 + n);
  EXPECT_EQ(machine.device->read_register(ZB_HIZ_WRINDEX::address()), index(8));
  for (uint32_t n = 0; n < 3; n++) {
    machine.device->write_register(ZB_HIZ_RDINDEX::address(), index(5 + n));
    EXPECT_EQ(machine.device->read_register(ZB_HIZ_DWORD::address()), 0x1000 + n);
  }
  machine.device->write_register(ZB_HIZ_RDINDEX::address(), index(8));
  EXPECT_EQ(machine.device->read_register(ZB_HIZ_DWORD::address()), 0u);
}

TEST(Chips, AreFour) {
  for (const char* name : {"rv515", "r520", "rv530", "r580"}) {
    auto device = make_device(*gpu::find_chip(name), {});
    ASSERT_TRUE(device);
    EXPECT_EQ((*device)->name(), name);
  }
}

TEST(Chips, StandAsTheKernelLeavesThem) {
  for (auto [name, pipes] : {std::pair{"rv515", 1u}, {"r580", 0xfu}}) {
    Machine machine(name);
    EXPECT_EQ(machine.device->read_register(SU_REG_DEST::address()), pipes);
    EXPECT_EQ(machine.device->read_register(GB_MSPOS0::address()), 0x66666666u);
    EXPECT_EQ(machine.device->read_register(GA_ROUND_MODE::address()), 5u);
    EXPECT_EQ(GB_PIPE_SELECT::MAX_PIPE::get(machine.device->read_register(GB_PIPE_SELECT::address())), pipes == 1 ? 0u : 3u);
  }
}

}  // namespace
}  // namespace Atoll::r5xx
