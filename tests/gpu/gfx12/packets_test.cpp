// The device's packets: registers one, in rows, in pairs and by index, what events write, what draws and dispatches are refused for.
// Forms: Mesa 25.0.7 src/amd/common/sid.h, src/amd/registers/pkt3.json.
#include "gpu/gfx12/stream.h"

namespace Atoll::gfx12::test {
namespace {

using namespace packets;

class PacketTest : public Gfx12Test {};

TEST_F(PacketTest, RegistersInPairsInRowsAndByIndex) {
  auto pair = [](uint32_t address, uint32_t first) { return (address - first) / 4; };
  Words w;
  w.packet(SET_CONTEXT_REG_PAIRS::opcode,
           {pair(CB_BLEND_RED::address(), 0x28000), 11, pair(CB_BLEND_BLUE::address(), 0x28000), 22});
  w.packet(SET_SH_REG_PAIRS::opcode,
           {pair(COMPUTE_START_X::address(), 0xb000), 33, pair(COMPUTE_START_Z::address(), 0xb000), 44});
  w.packet(SET_UCONFIG_REG_PAIRS::opcode, {pair(GE_MIN_VTX_INDX::address(), 0x30000), 55});
  w.packet(SET_UCONFIG_REG_INDEX::opcode, {pair(VGT_INDEX_TYPE::address(), 0x30000) | 2u << 28, 1});
  w.packet(SET_SH_REG_INDEX::opcode, {pair(COMPUTE_DISPATCH_INTERLEAVE::address(), 0xb000) | 3u << 28, 64});
  w.packet(SET_CONTEXT_REG::opcode, {pair(CB_BLEND_GREEN::address(), 0x28000), 66, 77});
  const uint32_t read[] = {CB_BLEND_RED::address(),
                           CB_BLEND_BLUE::address(),
                           COMPUTE_START_X::address(),
                           COMPUTE_START_Z::address(),
                           GE_MIN_VTX_INDX::address(),
                           VGT_INDEX_TYPE::address(),
                           COMPUTE_DISPATCH_INTERLEAVE::address(),
                           CB_BLEND_GREEN::address()};
  uint32_t n = 0;
  for (uint32_t address : read) w.store(address, at(n++ * 4));
  good(w);
  const uint32_t wanted[] = {11, 77, 33, 44, 55, 1, 64, 66};  // (the row of two went over the blue one)
  for (n = 0; n < std::size(wanted); n++) EXPECT_EQ(dword(n * 4), wanted[n]) << n;
}

// The words of RADV's indirect dispatches, and the form with pairs of number and value.
TEST_F(PacketTest, RegistersFromMemory) {
  const uint32_t user = (COMPUTE_USER_DATA::address(2) - 0xb000) / 4, size = (COMPUTE_NUM_THREAD_X::address() - 0xb000) / 4;
  dword(0x100) = 7, dword(0x104) = 8, dword(0x108) = 9;
  dword(0x200) = size, dword(0x204) = 64, dword(0x208) = user + 5, dword(0x20c) = 65;
  Words w;
  w.packet(LOAD_SH_REG_INDEX::opcode, {low(at(0x100)), high(at(0x100)), user, 3});
  w.packet(LOAD_SH_REG_INDEX::opcode, {low(at(0x200)), high(at(0x200)), 1u << 31, 4});
  const uint32_t read[] = {COMPUTE_USER_DATA::address(2), COMPUTE_USER_DATA::address(3), COMPUTE_USER_DATA::address(4),
                           COMPUTE_NUM_THREAD_X::address(), COMPUTE_USER_DATA::address(7)};
  uint32_t n = 0;
  for (uint32_t address : read) w.store(address, at(n++ * 4));
  good(w);
  const uint32_t wanted[] = {7, 8, 9, 64, 65};
  for (n = 0; n < std::size(wanted); n++) EXPECT_EQ(dword(n * 4), wanted[n]) << n;
}

// Behind a draw that nobody looks at the targets of, the pipeline keeps them.
TEST_F(PacketTest, ReleasesThatConcernNobody) {
  const auto concerns = [](std::vector<uint32_t> body) { return Pm4::row(RELEASE_MEM::opcode)->writes_back(body); };
  constexpr uint32_t bottom_of_pipe = 0x528;  // EVENT_INDEX 5
  EXPECT_FALSE(concerns({bottom_of_pipe, 0, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(concerns({bottom_of_pipe | 1u << 31, 0, 0, 0, 0, 0, 0})) << "somebody waits for it";
  EXPECT_TRUE(concerns({bottom_of_pipe | 1u << 21, 0, 0, 0, 0, 0, 0})) << "a cache is flushed";
  EXPECT_TRUE(concerns({0x514, 0, 0, 0, 0, 0, 0})) << "targets are flushed";
  EXPECT_TRUE(concerns({bottom_of_pipe, 1u << 29, 0x1000, 0, 1, 0, 0})) << "a fence";
  EXPECT_TRUE(concerns({bottom_of_pipe, 1u << 24, 0, 0, 0, 0, 0})) << "an interrupt";
}

// Nothing is there, and RADV writes it for every context.
TEST_F(PacketTest, DepthRangesWhereOlderChipsHaveThem) {
  Words w;
  for (uint32_t address = 0x282d0; address < 0x28350; address += 4) w.context(address, 0x3f80'0000);
  good(w);
}

TEST_F(PacketTest, ARegisterThatThereIsNot) {
  Words w;
  w.context(0x28ffc, 5);
  ASSERT_TRUE(run(w));
  EXPECT_EQ(unknown(), "register 0x28ffc (1)");
}

// 14 counts of statistics, and a pair of counts a backend of which the end's are the odd ones: what is written are whole numbers of bit
// 63 and a count.
TEST_F(PacketTest, EventsThatWrite) {
  for (uint32_t n = 0; n < 0x400; n += 4) dword(n) = 0xdead'beef;
  Words w;
  w.packet(EVENT_WRITE_ZPASS::opcode, {low(at(0)), high(at(0))});
  w.packet(EVENT_WRITE::opcode, {EVENT_TYPE::SAMPLE_PIPELINESTAT | 2 << 8, low(at(0x200)), high(at(0x200))});
  good(w);
  for (uint32_t backend = 0; backend < 16; backend++) {
    EXPECT_EQ(qword(backend * 16), uint64_t(1) << 63) << backend;
    EXPECT_EQ(dword(backend * 16 + 8), 0xdead'beef) << backend;
  }
  for (uint32_t n = 0; n < 14; n++) EXPECT_EQ(qword(0x200 + n * 8), 0u) << n;
  EXPECT_EQ(dword(0x200 + 14 * 8), 0xdead'beef);
}

// RADV gives compute queues the place of the one count that it wants (Mesa 25.0.7 radv_query.c, radv_begin_pipeline_stat_query), and has
// dispatches counted by a register (radv_cs.c, radv_emit_cache_flush).
TEST_F(PacketTest, StatisticsOfComputeQueues) {
  const uint64_t code = program("s_endpgm", 32);
  for (uint32_t n = 0; n < 0x40; n += 4) dword(n) = 0xdead'beef;
  Words w;
  w.shader(COMPUTE_PGM_LO::address(), uint32_t(code >> 8)).shader(COMPUTE_PGM_HI::address(), uint32_t(code >> 40));
  w.shader(COMPUTE_NUM_THREAD_X::address(), 5);
  w.shader(COMPUTE_NUM_THREAD_Y::address(), 1).shader(COMPUTE_NUM_THREAD_Z::address(), 1);
  using Initiator = COMPUTE_DISPATCH_INITIATOR;
  const std::vector<uint32_t> groups = {3, 2, 1, Initiator::COMPUTE_SHADER_EN::of(1) | Initiator::CS_W32_EN::of(1)};
  for (uint32_t counts : {0u, 1u, 0u})
    w.shader(COMPUTE_PIPELINESTAT_ENABLE::address(), counts).packet(DISPATCH_DIRECT::opcode, groups);
  w.packet(EVENT_WRITE::opcode, {EVENT_TYPE::SAMPLE_PIPELINESTAT | 2 << 8, low(at(8)), high(at(8))});
  good(w, gpu::QueueKind::compute);
  EXPECT_EQ(dword(4), 0xdead'beef);
  EXPECT_EQ(qword(8), 30u);
  EXPECT_EQ(dword(16), 0xdead'beef);
}

TEST_F(PacketTest, EndOfPipe) {
  const uint32_t event = EVENT_TYPE::BOTTOM_OF_PIPE_TS | 5 << 8;
  Words w;
  w.packet(RELEASE_MEM::opcode, {event, 1u << 29, low(at(0)), high(at(0)), 123, 0, 0});
  w.packet(RELEASE_MEM::opcode, {event, 2u << 29, low(at(8)), high(at(8)), 4, 5, 0});
  w.packet(RELEASE_MEM::opcode, {event, 3u << 29, low(at(16)), high(at(16)), 0, 0, 0});
  w.packet(ACQUIRE_MEM::opcode, {0x8000'0000, ~0u, 0x1ff'ffff, 0, 0, 10, 0xc381});
  good(w);
  EXPECT_EQ(dword(0), 123u);
  EXPECT_EQ(qword(8), 5ull << 32 | 4);
  EXPECT_NE(qword(16), 0u);
}

TEST_F(PacketTest, QueuesThatDoNotDraw) {
  Words w;
  w.packet(DRAW_INDEX_AUTO::opcode, {3, 2});
  ASSERT_TRUE(run(w, gpu::QueueKind::compute));
  EXPECT_EQ(unknown(gpu::QueueKind::compute), "draw on a compute queue (1)");
}

TEST_F(PacketTest, DrawsOfNothing) {
  Words w;
  w.packet(NUM_INSTANCES::opcode, {0});
  w.packet(DRAW_INDEX_AUTO::opcode, {3, 2});
  w.packet(NUM_INSTANCES::opcode, {1});
  w.packet(DRAW_INDEX_AUTO::opcode, {0, 2});
  good(w);
}

TEST_F(PacketTest, MmioHasGbAddrConfigAlone) {
  EXPECT_EQ(device->read_register(GB_ADDR_CONFIG::address()), gb_addr_config);
  EXPECT_EQ(device->read_register(0x8010), 0u);
  device->write_register(0x8010, 1);
  EXPECT_EQ(device->report(), "write of register 0x8010: gfx1201 has no rings behind MMIO");
}

TEST_F(PacketTest, MemoryThatIsNotThere) { EXPECT_NE(bad(Words().write(nowhere, 1)).find("write of data"), std::string::npos); }

}  // namespace
}  // namespace Atoll::gfx12::test
