// Packets that set registers, and the registers that a chip begins with.
#include "gpu/sea_islands/stream.h"

namespace Atoll::sea_islands::test {
namespace {

using namespace packets;
class RegisterPackets : public SeaIslandsTest {};

TEST_F(RegisterPackets, SetRegistersOfEachRange) {
  Words w;
  w.context(CB_BLEND_RED::address(), 0x3f800000).shader(COMPUTE_PGM_LO::address(), 77).user(SCRATCH_REG::address(2), 5);
  w.packet(SET_CONFIG_REG::opcode, {(GB_ADDR_CONFIG::address() - 0x8000) / 4, 9});
  w.store(CB_BLEND_RED::address(), at(0)).store(COMPUTE_PGM_LO::address(), at(4)).store(SCRATCH_REG::address(2), at(8));
  w.store(GB_ADDR_CONFIG::address(), at(12));
  good(w);
  EXPECT_EQ(dword(0), 0x3f800000u);
  EXPECT_EQ(dword(4), 77u);
  EXPECT_EQ(dword(8), 5u);
  EXPECT_EQ(dword(12), 9u);
}

TEST_F(RegisterPackets, AType0PacketSetsRegistersInARow) {
  Words w;
  w.push_back(1u << 16 | SCRATCH_REG::address(0) / 4);
  w.push_back(11);
  w.push_back(12);
  w.push_back(2u << 30);    // filler
  w.push_back(0xffff1000);  // NOP of one dword
  w.store(SCRATCH_REG::address(1), at(0));
  good(w);
  EXPECT_EQ(dword(0), 12u);
}

TEST_F(RegisterPackets, ClearStateGivesTheDefaults) {
  Words w;
  w.context(PA_SC_CLIPRECT_RULE::address(), 1).context(CB_BLEND_RED::address(), 2).context(PA_SC_RASTER_CONFIG::address(), 3);
  w.packet(CLEAR_STATE::opcode, {0});
  w.store(PA_SC_CLIPRECT_RULE::address(), at(0)).store(CB_BLEND_RED::address(), at(4));
  w.store(PA_SC_RASTER_CONFIG::address(), at(8)).store(PA_SC_VPORT_ZMAX::address(15), at(12));
  w.store(PA_SC_VPORT_SCISSOR_BR::address(7), at(16)).store(PA_SC_AA_MASK_X0Y1_X1Y1::address(), at(20));
  good(w);
  EXPECT_EQ(dword(0), 0xffffu);
  EXPECT_EQ(dword(4), 0u);
  EXPECT_EQ(dword(8), 3u) << "no part of the clear state";
  EXPECT_EQ(dword(12), 0x3f800000u);
  EXPECT_EQ(dword(16), 0x40004000u);
  EXPECT_EQ(dword(20), ~0u);
}

TEST_F(RegisterPackets, ModifyAndLoad) {
  dword(0x100 + 0x40 * 4) = 21;
  dword(0x100 + 0x41 * 4) = 22;
  Words w;
  w.user(SCRATCH_REG::address(0), 0);
  w.context(CB_BLEND_RED::address(), 0xff00ff00);
  w.packet(CONTEXT_REG_RMW::opcode, {(CB_BLEND_RED::address() - 0x28000) / 4, 0xffff, 0x12345678});
  w.packet(LOAD_UCONFIG_REG::opcode, {w.low(at(0x100)), w.high(at(0x100)), 0x40, 2});
  w.store(CB_BLEND_RED::address(), at(0)).store(SCRATCH_REG::address(1), at(4));
  good(w);
  EXPECT_EQ(dword(0), 0xff005678u);
  EXPECT_EQ(SCRATCH_REG::address(0), 0x30100u);
  EXPECT_EQ(dword(4), 22u);
}

TEST_F(RegisterPackets, UnknownOnesAreNamedAndCounted) {
  Words w;
  w.context(0x28fdc, 1).context(0x28fdc, 2);
  w.packet(0x0f, {1, 2, 3});
  w.packet(QUERY_STATUS::opcode, {1});
  ASSERT_TRUE(run(w));
  auto list = queue(gpu::QueueKind::graphics).statistics().unknown;
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].what, "register 0x28fdc");
  EXPECT_EQ(list[0].times, 2u);
  EXPECT_TRUE(list[0].where.starts_with("SET_CONTEXT_REG at 0x")) << list[0].where;
  EXPECT_EQ(list[1].what, "packet 0xf");
  EXPECT_EQ(list[2].what, "packet QUERY_STATUS");
}

TEST_F(RegisterPackets, BrokenStreamsLoseTheContext) {
  EXPECT_NE(bad({0xc0ff6900, 1, 2}).find("announces 256 dwords, its buffer ends after 2"), std::string::npos);
  EXPECT_NE(bad({0xffff1000}).find("announces"), std::string::npos) << "the context stays lost";
}

TEST_F(RegisterPackets, Type1AndShortPackets) {
  EXPECT_NE(bad({1u << 30}).find("type 1"), std::string::npos);
  auto other = *device->make_queue(gpu::QueueKind::graphics, *space);
  gpu::CommandBuffer one = buffer(Words().packet(DRAW_INDEX_2::opcode, {1, 2}));
  auto done = other->run(std::span(&one, 1));
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("2 dwords behind the header, 5 are needed"), std::string::npos) << done.error().message;
}

struct Expectation {
  const char* chip;
  uint32_t address, value;
};
class ChipRegisters : public testing::TestWithParam<Expectation> {};

// The registers that a driver reads of the chips (Linux gfx_v7_0.c; the findings' recordings for Bonaire's).
TEST_P(ChipRegisters, Read) {
  auto device = *make_device(*gpu::find_chip(GetParam().chip), {});
  EXPECT_EQ(device->read_register(GetParam().address), GetParam().value) << GetParam().chip;
}
INSTANTIATE_TEST_SUITE_P(Chips, ChipRegisters,
                         testing::Values(Expectation{"bonaire", 0x98f8, 0x12010001}, Expectation{"hawaii", 0x98f8, 0x12011003},
                                         Expectation{"kabini", 0x98f8, 0x02010001}, Expectation{"bonaire", 0x28350, 0x16000012},
                                         Expectation{"hawaii", 0x28350, 0x3a00161a}, Expectation{"hawaii", 0x28354, 0x2e},
                                         Expectation{"kaveri", 0x28350, 2}, Expectation{"bonaire", 0x2760, 0x42},
                                         // 2D thin, P4_16x16, sample split 2; depth with 64-byte split; linear
                                         Expectation{"bonaire", 0x9910 + 14 * 4, 4u << 2 | 5u << 6 | 1u << 22 | 1u << 25},
                                         Expectation{"bonaire", 0x9910, 4u << 2 | 5u << 6 | 2u << 22},
                                         Expectation{"bonaire", 0x9910 + 8 * 4, 1u << 2 | 5u << 6},
                                         Expectation{"bonaire", 0x9910 + 4 * 4, 4u << 2 | 5u << 6 | 5u << 11 | 2u << 22},
                                         Expectation{"bonaire", 0x9910 + 20 * 4, 7u << 2 | 5u << 6 | 1u << 22},
                                         Expectation{"hawaii", 0x9910 + 20 * 4, 7u << 2 | 17u << 6 | 4u << 22},
                                         Expectation{"hawaii", 0x9910 + 12 * 4, 6u << 2 | 5u << 6 | 3u << 25},
                                         Expectation{"kabini", 0x9910 + 13 * 4, 2u << 2 | 1u << 22},
                                         // 2 banks wide, 8 high, aspect 4, 16 banks
                                         Expectation{"bonaire", 0x9990 + 8 * 4, 1 | 3 << 2 | 2 << 4 | 3 << 6},
                                         Expectation{"hawaii", 0x9990 + 5 * 4, 1 << 6},
                                         Expectation{"kaveri", 0x9990, 2 << 2 | 2 << 4 | 2 << 6}));

}  // namespace
}  // namespace Atoll::sea_islands::test
