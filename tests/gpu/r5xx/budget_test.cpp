// Streams that take more than they may, and streams that write over themselves.
#include <gtest/gtest.h>

#include "gpu/device/command_reader.h"
#include "registers/r5xx.h"
#include "tests/gpu/memory_limit.h"
#include "tests/gpu/r5xx/stream.h"

namespace Atoll::r5xx {
namespace {

using test::Machine;
using test::Stream;

constexpr uint64_t MiB = 1 << 20;
constexpr uint32_t filler = 0x80000000;

gpu::Options with(gpu::Limits limits, unsigned threads = 1) {
  return {.engine = gpu::Engine::Interpreter, .threads = threads, .limits = limits};
}
void expect_in(const std::string& report, std::string_view what) { EXPECT_NE(report.find(what), std::string::npos) << report; }
std::string report_of(const Expected<void>& done) { return done ? "" : done.error().message; }

Stream calls(uint64_t address, uint32_t dwords, unsigned times, bool second) {
  Stream stream;
  for (unsigned n = 0; n < times; n++)
    stream.set(second ? CP_IB2_BASE::address() : CP_IB_BASE::address(), {uint32_t(address), dwords});
  return stream;
}
uint32_t word(const Buffer& buffer, size_t n) {
  uint32_t value;
  std::memcpy(&value, buffer.host_pointer + n * 4, 4);
  return value;
}

// R5xx has no chains: two levels of calls, each many times.
TEST(Budgets, CallsWithoutEndAreLostAtOnePacket) {
  struct Case {
    gpu::Limits limits;
    uint32_t fillers;
    const char *place, *what;
  };
  for (const Case& c : {Case{{}, 1 << 19, "PACKET2 at 0x", "more than 16777216 packets in one submission: the GPU hangs"},
                        Case{{}, 1, "PACKET0 to 0x0738 at 0x", "more than 65536 command buffers"},
                        Case{{.dwords = 100'000}, 1 << 14, "PACKET2 at 0x", "more than 100000 dwords of commands"}}) {
    std::string first;
    uint64_t packets = 0;
    for (unsigned round = 0; round < 3; round++) {
      Machine machine("r580", with(c.limits, round == 2 ? 2 : 1));
      Buffer inner = machine.upload(std::vector<uint32_t>(c.fillers, filler));
      Stream middle = calls(inner.gpu_address, c.fillers, 300, true);
      Buffer middle_buffer = machine.upload(middle.words);
      std::string report = report_of(machine.run(calls(middle_buffer.gpu_address, uint32_t(middle.words.size()), 300, false)));
      if (round == 0) first = report, packets = machine.queue->statistics().packets;
      EXPECT_EQ(report, first);
      EXPECT_EQ(machine.queue->statistics().packets, packets);
    }
    if (c.fillers > 1) expect_in(first, c.place);
    expect_in(first, c.what);
  }
}

TEST(Budgets, ALongBufferIsTakenPieceByPiece) {
  Machine machine("r580", with({.packets = 100'000}));
  Buffer large = machine.allocate(1024 * MiB);
  for (uint32_t n = 0; n < 200'000; n++) std::memcpy(large.host_pointer + n * 4, &filler, 4);
  ASSERT_TRUE(machine.run(Stream().filler()));
  gpu::test::MemoryLimit limit(512 * MiB);
  gpu::CommandBuffer command{large.gpu_address, 1u << 28};
  std::string report = report_of(machine.queue->run({&command, 1}));
  expect_in(report, fmt::format("PACKET2 at {:#x}: more than 100000 packets", large.gpu_address + 100'000 * 4));
}

// 2^28 dwords of indices for a draw of none, and for registers.
TEST(Budgets, IndexBuffersTakeWhatTheDrawWants) {
  Machine machine("r580", with({.dwords = 1'000'000}));
  Buffer large = machine.allocate(1024 * MiB);
  ASSERT_TRUE(machine.run(Stream().filler()));
  gpu::test::MemoryLimit limit(512 * MiB);
  Stream port;
  port.packet(packets::INDX_BUFFER::opcode, {1u << 31 | VAP_PORT_IDX::address(0) / 4, uint32_t(large.gpu_address), 1u << 28});
  ASSERT_TRUE(machine.run(port));
  EXPECT_EQ(machine.unknown("dwords for a vertex port without a draw"), 1u);
  Stream registers;
  registers.packet(packets::INDX_BUFFER::opcode, {1u << 31 | SCRATCH_REG::address(0) / 4, uint32_t(large.gpu_address), 1u << 28});
  expect_in(report_of(machine.run(registers)), "more than 1000000 dwords");
}

TEST(Budgets, ADrawThatWantsTooManyDwordsIsLost) {
  Machine machine;
  Stream stream;
  stream.set(VAP_VTX_SIZE::address(), 127).set(VAP_ALT_NUM_VERTICES::address(), 0xffffff);
  stream.set(VAP_VF_CNTL::address(), VAP_VF_CNTL::USE_ALT_NUM_VERTS::of(1) | VAP_VF_CNTL::PRIM_TYPE::of(4) |
                                         VAP_VF_CNTL::PRIM_WALK::of(VAP_VF_CNTL::PRIM_WALK::Vertex_Data));
  expect_in(report_of(machine.run(stream)), "wants 2130706305 dwords through the port");
}

// --- what a stream does to itself: a scratch register that is written goes to memory (SCRATCH_UMSK), where the stream itself
// stands.

class Overwriting : public testing::TestWithParam<unsigned> {
protected:
  Machine machine{"r580", with({}, GetParam())};
  Buffer results = machine.allocate(4096);

  // Scratch register 0's copy goes to `address`, a multiple of 32.
  static Stream& copy_to(Stream& s, uint64_t address, uint32_t mask = 1) {
    return s.set(SCRATCH_ADDR::address(), uint32_t(address)).set(SCRATCH_UMSK::address(), mask);
  }
  // The copies of all scratch registers to the results.
  void show(Stream& s) { copy_to(s, results.gpu_address, 0xff); }
  Expected<void> run(const Buffer& b, size_t dwords) {
    gpu::CommandBuffer command{b.gpu_address, uint32_t(dwords)};
    return machine.queue->run({&command, 1});
  }
};

// The value of a packet behind: as fetched within the piece, as written beyond it.
TEST_P(Overwriting, PacketsBehindAreSeenFromTheNextPieceOn) {
  constexpr uint32_t piece = gpu::CommandReader::block_dwords, dwords = 2 * piece;
  Buffer b = machine.allocate(dwords * 4);
  // Dwords whose address is a multiple of 32: the values of two writes.
  constexpr uint32_t near_value = 128, far_value = piece + piece / 2;
  Stream s;
  copy_to(s, b.gpu_address + near_value * 4).set(SCRATCH_REG::address(0), 0x222);
  copy_to(s, b.gpu_address + far_value * 4).set(SCRATCH_REG::address(0), 0x222);
  show(s);
  s.words.resize(near_value - 1, filler);
  s.set(SCRATCH_REG::address(2), 0x111);
  s.words.resize(far_value - 1, filler);
  s.set(SCRATCH_REG::address(3), 0x111);
  s.words.resize(dwords, filler);
  std::memcpy(b.host_pointer, s.words.data(), s.words.size() * 4);
  ASSERT_TRUE(run(b, dwords));
  EXPECT_EQ(word(results, 2), 0x111u) << "fetched before it was overwritten";
  EXPECT_EQ(word(results, 3), 0x222u) << "fetched after it was overwritten";
}

// The packet itself: its first value goes to memory where its third stands, its third to the results.
TEST_P(Overwriting, APacketIsExecutedAsItWasChecked) {
  Buffer b = machine.allocate(4096);
  constexpr uint32_t value = 16;  // dword of the third value
  Stream s;
  copy_to(s, b.gpu_address + value * 4);
  s.words.resize(value - 3, filler);
  s.set(SCRATCH_REG::address(0), {0x222, 0x333, 0x111});
  std::memcpy(b.host_pointer, s.words.data(), s.words.size() * 4);
  auto& device = *machine.device;  // the registers of MMIO can be read back
  Buffer ring = machine.allocate(64 * 4);
  std::memcpy(ring.host_pointer,
              Stream().set(CP_IB_BASE::address(), {uint32_t(b.gpu_address), uint32_t(s.words.size())}).words.data(), 12);
  device.write_register(CP_RB_BASE::address(), uint32_t(ring.gpu_address));
  device.write_register(CP_RB_CNTL::address(), CP_RB_CNTL::RB_BUFSZ::of(5) | CP_RB_CNTL::RB_NO_UPDATE::of(1));
  device.write_register(CP_RB_WPTR::address(), 3);
  EXPECT_EQ(device.report(), "");
  EXPECT_EQ(word(b, value), 0x222u) << "memory is written";
  EXPECT_EQ(device.read_register(SCRATCH_REG::address(2)), 0x111u) << "the packet is what was fetched";
}

// A buffer that is called is fetched when it is called.
TEST_P(Overwriting, ACalledBufferIsFetchedWhenItIsCalled) {
  Buffer inner = machine.allocate(4096);
  Stream called;
  called.words.assign(7, filler);
  called.set(SCRATCH_REG::address(4), 0x111);  // the value stands at dword 8
  std::memcpy(inner.host_pointer, called.words.data(), called.words.size() * 4);
  Stream s;
  copy_to(s, inner.gpu_address + 32).set(SCRATCH_REG::address(0), 0x222);
  show(s);
  s.set(CP_IB_BASE::address(), {uint32_t(inner.gpu_address), uint32_t(called.words.size())});
  ASSERT_TRUE(machine.run(s));
  EXPECT_EQ(word(results, 4), 0x222u);
}

INSTANTIATE_TEST_SUITE_P(Threads, Overwriting, testing::Values(1u, 2u));

}  // namespace
}  // namespace Atoll::r5xx
