// Events and what they write.
#include "gpu/sea_islands/stream.h"

namespace Atoll::sea_islands::test {
namespace {

using namespace packets;
class EventPackets : public SeaIslandsTest {
protected:
  Words event(uint32_t type, uint32_t index, uint64_t address) {
    return Words().packet(EVENT_WRITE::opcode, {type | index << 8, Words::low(address), Words::high(address)});
  }
};
constexpr uint64_t there = uint64_t(1) << 63;

TEST_F(EventPackets, OcclusionCountsOfEveryRenderBackend) {
  good(event(21, 1, at(0)));
  for (unsigned backend = 0; backend < 4; backend++) {
    EXPECT_EQ(qword(backend * 16), there);
    EXPECT_EQ(qword(backend * 16 + 8), 0u) << "the other half is for the end";
  }
  EXPECT_EQ(qword(64), 0u);
}

TEST_F(EventPackets, EndOfPipeValues) {
  Words w;
  auto eop = [&](uint32_t select, uint64_t address) {
    w.packet(EVENT_WRITE_EOP::opcode, {40 | 5 << 8, w.low(address), w.high(address) | select << 29, 0x11, 0x22});
  };
  qword(8) = ~uint64_t(0);
  eop(0, at(0)), eop(1, at(8)), eop(2, at(16)), eop(3, at(24));
  w.packet(RELEASE_MEM::opcode, {40 | 5 << 8, 2u << 29, w.low(at(32)), w.high(at(32)), 0x33, 0x44});
  w.packet(EVENT_WRITE_EOS::opcode, {47 | 6 << 8, w.low(at(40)), w.high(at(40)) | 2u << 29, 0x55});
  good(w);
  EXPECT_EQ(qword(0), 0u);
  EXPECT_EQ(qword(8), 0xffffffff00000011u);
  EXPECT_EQ(qword(16), 0x2200000011u);
  EXPECT_NE(qword(24), 0u);
  EXPECT_EQ(qword(32), 0x4400000033u);
  EXPECT_EQ(qword(40), 0x55u);
}

TEST_F(EventPackets, PipelineAndStreamOutStatistics) {
  std::memset(memory.host_pointer, 0xcc, 256);
  Words w = event(30, 2, at(0));
  Words more = event(32, 3, at(128));
  w.insert(w.end(), more.begin(), more.end());
  good(w);
  for (unsigned n = 0; n < 11; n++) EXPECT_EQ(qword(n * 8), 0u) << n;
  EXPECT_EQ(qword(88), 0xccccccccccccccccu);
  EXPECT_EQ(qword(128), there);
  EXPECT_EQ(qword(136), there);
}

TEST_F(EventPackets, StreamOutOffsets) {
  Words w;
  auto update = [&](uint32_t control, uint64_t destination, uint64_t source) {
    w.packet(STRMOUT_BUFFER_UPDATE::opcode, {control, w.low(destination), w.high(destination), w.low(source), w.high(source)});
  };
  constexpr uint32_t bytes = 1 << 7, store = 1, none = 3 << 1, from_memory = 2 << 1, second = 1 << 8;
  dword(0) = 400;
  update(second | bytes, 0, 25);  // at 25 dwords
  update(second | bytes | store | none, at(16), 0);
  update(second | store | none, at(20), 0);
  update(second | bytes | from_memory, 0, at(0));
  w.store(VGT_STRMOUT_BUFFER_OFFSET_1::address(), at(24));
  // The flush that makes the sizes known, and the wait for it.
  w.user(CP_STRMOUT_CNTL::address(), 0);
  w.packet(EVENT_WRITE::opcode, {31});
  w.packet(WAIT_REG_MEM::opcode, {3, CP_STRMOUT_CNTL::address() / 4, 0, 1, 1, 4});
  good(w);
  EXPECT_EQ(dword(16), 100u);
  EXPECT_EQ(dword(20), 25u);
  EXPECT_EQ(dword(24), 100u);
}

TEST_F(EventPackets, FlushesAreKnown) {
  Words w;
  for (uint32_t type : {7u, 15u, 16u, 36u, 44u, 46u, 25u, 26u, 23u, 24u, 27u, 42u, 49u}) w.packet(EVENT_WRITE::opcode, {type});
  w.packet(SURFACE_SYNC::opcode, {0x28c00000, ~0u, 0, 10});
  w.packet(ACQUIRE_MEM::opcode, {0x28c00000, ~0u, 0xff, 0, 0, 10});
  w.packet(PFP_SYNC_ME::opcode, {0}).packet(CONTEXT_CONTROL::opcode, {1u << 31, 1u << 31});
  good(w);
  ASSERT_TRUE(run(Words().packet(EVENT_WRITE::opcode, {0x3e})));
  EXPECT_EQ(unknown(), "event 62 (1)");
}

}  // namespace
}  // namespace Atoll::sea_islands::test
