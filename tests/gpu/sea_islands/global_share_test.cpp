// State that waves of different work-groups share: the GDS, the order of their launch, global wave sync with more groups than
// threads.
#include <set>
#include <thread>

#include "gpu/sea_islands/dispatch_fixture.h"

namespace Atoll::sea_islands::test {
namespace {

using namespace packets;

constexpr uint32_t size_sgpr = COMPUTE_PGM_RSRC2::TG_SIZE_EN::of(1), x_sgpr = COMPUTE_PGM_RSRC2::TGID_X_EN::of(1),
                   two_user_sgprs = COMPUTE_PGM_RSRC2::USER_SGPR::of(2);
constexpr uint32_t ordered = COMPUTE_DISPATCH_INITIATOR::ORDERED_APPEND_ENBL::of(1),
                   ordered_groups = COMPUTE_DISPATCH_INITIATOR::ORDERED_APPEND_MODE::of(1);

class GlobalShareTest : public DispatchTest, public testing::WithParamInterface<const char*> {
protected:
  GlobalShareTest() : DispatchTest("bonaire", {.engine = *gpu::parse_engine(GetParam()), .threads = 2}) {}
  // The whole GDS from `from` on, in memory at `to`.
  Words& read_gds(Words& w, uint32_t from, uint32_t to, uint32_t bytes) {
    return w.packet(DMA_DATA::opcode,
                    {DMA_DATA::DMA_DATA_WORD0::SRC_SEL::of(1), from, 0, Words::low(at(to)), Words::high(at(to)), bytes});
  }
  Setup setup(uint64_t code, uint32_t groups, uint32_t rsrc2) {
    Setup s{.program = code, .groups = {groups, 1, 1}, .rsrc2 = rsrc2 | two_user_sgprs};
    s.user_data = {Words::low(at(0x1000)), Words::high(at(0x1000))};
    return s;
  }
};

// --- memory

TEST_P(GlobalShareTest, CountersAreExact) {
  uint64_t code =
      program({"s_mov_b32 m0, 0x1000100", "v_mov_b32 v1, 0", "v_mov_b32 v2, 3",  //
               "ds_add_u32 v1, v2 offset:8 gds", "ds_append v3 offset:12 gds", "ds_inc_u32 v1, v2 offset:16 gds", "s_endpgm"});
  Words w = stream(setup(code, 500, 0));
  read_gds(w, 0x100, 0, 0x20);
  good(w);
  EXPECT_EQ(dword(8), 500u * 64 * 3);
  EXPECT_EQ(dword(12), 500u * 64);
  EXPECT_EQ(dword(16), 500u * 64 % 4) << "0 to 3 and round";
  // It stays from dispatch to dispatch, and another queue sees it.
  Words again = stream(setup(code, 1, 0));
  read_gds(again, 0x100, 0x40, 0x20);
  good(again, gpu::QueueKind::compute);
  EXPECT_EQ(dword(0x48), 501u * 64 * 3);
}

TEST_P(GlobalShareTest, AQueueHasItsPart) {
  uint64_t code = program({"s_mov_b32 m0, 0xffff", "v_mov_b32 v1, 0", "v_mov_b32 v2, 0x77", "s_mov_b64 exec, 1",
                           "ds_write_b32 v1, v2 offset:252 gds", "ds_write_b32 v1, v2 offset:256 gds", "s_endpgm"});
  Words w;
  w.packet(WRITE_DATA::opcode, {0, GDS_VMID_BASE::address(0) / 4, 0, 0x400, 0x100});
  Words s = stream(setup(code, 1, 0));
  w.insert(w.end(), s.begin(), s.end());
  read_gds(w, 252, 0, 8);  // as the queue counts
  w.packet(WRITE_DATA::opcode, {0, GDS_VMID_BASE::address(0) / 4, 0, 0, 0x10000});
  read_gds(w, 0x400 + 252, 0x10, 8);
  good(w);
  EXPECT_EQ(dword(0), 0x77u);
  EXPECT_EQ(dword(4), 0u) << "beyond its part";
  EXPECT_EQ(dword(0x10), 0x77u);
  EXPECT_EQ(dword(0x14), 0u);
}

// --- ordered count

// Each wave's number in the order, as its place, has what the count was at its turn: the sum of those before it.
TEST_P(GlobalShareTest, AnOrderedAppendGivesTheOrderOfLaunch) {
  constexpr uint32_t groups = 500;  // of two waves
  uint64_t code =
      program({"s_bfe_u32 s8, s3, 0xb0006",                                             // ordered append term
               "s_or_b32 m0, s8, 0x200000",                                             // GDS address 0x20
               "v_and_b32 v1, 63, v0", "v_mov_b32 v2, s2", "v_add_i32 v2, vcc, 1, v2",  // group + 1
               "v_lshrrev_b32 v3, 6, v0", "v_readfirstlane_b32 s9, v3",                 // which of the two
               "ds_ordered_count v4, v2 offset:768 gds",                                // unit 0, release and done
               "s_lshl_b32 s10, s2, 1", "s_add_u32 s10, s10, s9", "s_lshl_b32 s10, s10, 2", "s_add_u32 s0, s0, s10",
               "s_addc_u32 s1, s1, 0", "v_mov_b32 v6, s0", "v_mov_b32 v7, s1", "flat_store_dword v[6:7], v4", "s_endpgm"});
  Setup s = setup(code, groups, x_sgpr | size_sgpr);
  s.threads[0] = 128;
  s.initiator |= ordered;
  for (unsigned round = 0; round < 3; round++) {
    Words w;
    w.packet(WRITE_DATA::opcode, {3u << 8, 0x20, 0, 1000});
    Words d = stream(s);
    w.insert(w.end(), d.begin(), d.end());
    good(w);
    uint32_t sum = 1000;
    for (uint32_t n = 0; n < groups * 2; n++) {
      ASSERT_EQ(dword(0x1000 + n * 4), sum) << "wave " << n << " round " << round;
      sum += n / 2 + 1;
    }
  }
}

// Waves that never count give way when they end; a group's waves have one number in the other mode.
TEST_P(GlobalShareTest, WavesThatDoNotCount) {
  uint64_t code = program({"s_bfe_u32 s8, s3, 0xb0006", "s_or_b32 m0, s8, 0x200000", "s_bitcmp1_b32 s2, 0", "s_cbranch_scc1 0x3",
                           "v_mov_b32 v2, 1", "ds_ordered_count v4, v2 offset:768 gds", "s_endpgm"});
  Setup s = setup(code, 1001, x_sgpr | size_sgpr);
  s.initiator |= ordered;
  Words w = stream(s);
  s.initiator |= ordered_groups;
  Words second = stream(s);
  w.insert(w.end(), second.begin(), second.end());
  read_gds(w, 0x20, 0, 4);
  good(w);
  EXPECT_EQ(dword(0), 501u * 2);
}

// --- global wave sync

// More work-groups than threads meet again and again: after each barrier every group sees what all had written before it.
TEST_P(GlobalShareTest, ABarrierAcrossWorkGroups) {
  constexpr uint32_t groups = 60, rounds = 5;
  const std::string last = "v_mov_b32 v1, " + std::to_string(groups - 1);
  uint64_t init = program({last.c_str(), "s_mov_b32 m0, 0x30000", "ds_gws_init v1 gds", "s_endpgm"});
  uint64_t code = program({"s_mov_b32 m0, 0x30000",
                           last.c_str(),
                           "v_mov_b32 v8, s0",
                           "v_mov_b32 v9, s1",
                           "s_mov_b64 exec, 1",
                           "s_mov_b32 s4, 0",
                           "s_mov_b32 s5, 0",  // round, sum wanted
                           "v_mov_b32 v10, 1",
                           "flat_atomic_add v[8:9], v10",
                           "ds_gws_barrier v1 gds",  // all have added
                           "flat_load_dword v11, v[8:9] glc",
                           "ds_gws_barrier v1 gds",  // all have looked
                           "s_add_u32 s5, s5, 60",
                           "v_cmp_ne_u32 vcc, s5, v11",
                           "v_cndmask_b32 v12, 0, 1, vcc",
                           "v_add_i32 v14, vcc, 4, v8",
                           "v_mov_b32 v15, v9",
                           "flat_atomic_add v[14:15], v12",  // wrong sums
                           "s_add_u32 s4, s4, 1",
                           "s_cmp_lt_u32 s4, 5",
                           "s_cbranch_scc1 0xffec",
                           "s_endpgm"});
  Words w = stream(setup(init, 1, 0));
  Words d = stream(setup(code, groups, 0));
  w.insert(w.end(), d.begin(), d.end());
  good(w);
  EXPECT_EQ(dword(0x1000), groups * rounds);
  EXPECT_EQ(dword(0x1004), 0u);
}

// A semaphore of one: who holds it is alone.
TEST_P(GlobalShareTest, ASemaphoreAsALock) {
  uint64_t init = program({"v_mov_b32 v1, 1", "s_mov_b32 m0, 0", "ds_gws_init v1 offset:63 gds", "s_endpgm"});
  uint64_t code = program({"s_mov_b32 m0, 0", "v_mov_b32 v8, s0", "v_mov_b32 v9, s1", "s_mov_b64 exec, 1",
                           "ds_gws_sema_p offset:63 gds", "flat_load_dword v11, v[8:9] glc", "v_add_i32 v11, vcc, 1, v11",
                           "s_sleep 1", "flat_store_dword v[8:9], v11", "ds_gws_sema_v offset:63 gds", "s_endpgm"});
  Words w = stream(setup(init, 1, 0));
  Setup s = setup(code, 200, 0);
  s.threads[0] = 192;
  Words d = stream(s);
  w.insert(w.end(), d.begin(), d.end());
  good(w);
  EXPECT_EQ(dword(0x1000), 600u);
}

// The last group lets all go that wait, again and again until all are through.
TEST_P(GlobalShareTest, ReleaseAll) {
  uint64_t code = program({"s_mov_b32 m0, 0", "v_mov_b32 v8, s0", "v_mov_b32 v9, s1", "s_mov_b64 exec, 1", "v_mov_b32 v10, 1",
                           "s_cmp_eq_u32 s2, 29", "s_cbranch_scc1 0x7",                                                 //
                           "flat_atomic_add v[8:9], v10", "ds_gws_sema_p offset:1 gds", "flat_atomic_add v[8:9], v10",  //
                           "s_endpgm",                                                                                  //
                           "flat_load_dword v11, v[8:9] glc", "s_sleep 7", "v_cmp_gt_u32 vcc, 58, v11",
                           "ds_gws_sema_release_all offset:1 gds", "s_cbranch_vccnz 0xfff9", "s_endpgm"});
  good(stream(setup(code, 30, x_sgpr)));
  EXPECT_EQ(dword(0x1000), 58u) << "29 have begun and come through";
}

// A barrier that can never be completed ends with the queue's stop, and says where it waits.
TEST_P(GlobalShareTest, ABarrierThatNobodyCompletes) {
  uint64_t code = program({"s_mov_b32 m0, 0", "v_mov_b32 v1, 1000", "ds_gws_init v1 gds", "ds_gws_barrier v1 gds", "s_endpgm"});
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    device->stop = 1;
  });
  std::string report = bad(stream(setup(code, 20, 0)));
  other.join();
  EXPECT_NE(report.find("work-groups of a thread wait, one at instruction 0x14 'ds_gws_barrier v1 gds': the GPU hangs"),
            std::string::npos)
      << report;
}

// --- the command processor

TEST_P(GlobalShareTest, PacketsReachTheGds) {
  dword(0x100) = 11, dword(0x104) = 22;
  Words w;
  // Memory, an immediate and a packet's data into it; out of it to memory by three ways.
  w.packet(DMA_DATA::opcode, {DMA_DATA::DMA_DATA_WORD0::DST_SEL::of(1), w.low(at(0x100)), w.high(at(0x100)), 0x40, 0, 8});
  w.packet(DMA_DATA::opcode,
           {DMA_DATA::DMA_DATA_WORD0::DST_SEL::of(1) | DMA_DATA::DMA_DATA_WORD0::SRC_SEL::of(2), 33, 0, 0x48, 0, 8});
  w.packet(WRITE_DATA::opcode, {3u << 8, 0x50, 0, 44, 55});
  w.packet(COPY_DATA::opcode, {5u | 3u << 8, 66, 0, 0x58, 0});
  read_gds(w, 0x40, 0, 0x1c);
  w.packet(COPY_DATA::opcode, {3u | 5u << 8, 0x50, 0, w.low(at(0x20)), w.high(at(0x20))});
  // Two dwords from dword 0x50 / 4 on, at the pipe's end.
  w.packet(EVENT_WRITE_EOP::opcode, {40 | 5 << 8, w.low(at(0x28)), w.high(at(0x28)) | 5u << 29, 0x14 | 2u << 16, 0});
  // None, to where nothing is mapped.
  w.packet(EVENT_WRITE_EOP::opcode, {40 | 5 << 8, w.low(nowhere), w.high(nowhere) | 5u << 29, 0x14, 0});
  good(w);
  const uint32_t expected[] = {11, 22, 33, 33, 44, 55, 66};
  for (unsigned n = 0; n < 7; n++) EXPECT_EQ(dword(n * 4), expected[n]) << n;
  EXPECT_EQ(dword(0x20), 44u);
  EXPECT_EQ(dword(0x28), 44u);
  EXPECT_EQ(dword(0x2c), 55u);
}

TEST_P(GlobalShareTest, RegistersReachTheGds) {
  device->attach(*space);
  auto write = [&](uint32_t address, uint32_t value) { device->write_register(address, value); };
  auto read = [&](uint32_t address) { return device->read_register(address); };
  write(GDS_WR_ADDR::address(), 0x80);
  write(GDS_WR_DATA::address(), 7);
  write(GDS_WR_BURST_ADDR::address(), 0x84);
  write(GDS_WR_BURST_DATA::address(), 8);
  write(GDS_WR_BURST_DATA::address(), 9);
  write(GDS_RD_ADDR::address(), 0x80);
  EXPECT_EQ(read(GDS_RD_DATA::address()), 7u);
  write(GDS_RD_BURST_ADDR::address(), 0x80);
  for (uint32_t n = 7; n < 10; n++) EXPECT_EQ(read(GDS_RD_BURST_DATA::address()), n);
  // ds_add_rtn_u32 at 0x80 + 4 (base 0x40, address 0x40, offset 4) of 5.
  write(GDS_ATOM_BASE::address(), 0x40);
  write(GDS_ATOM_SIZE::address(), 0x100);
  write(GDS_ATOM_OFFSET0::address(), 4);
  write(GDS_ATOM_OFFSET1::address(), 0);
  write(GDS_ATOM_DST::address(), 0x40);
  write(GDS_ATOM_SRC::address(0), 5);
  write(GDS_ATOM_OP::address(), 32);
  EXPECT_EQ(read(GDS_ATOM_COMPLETE::address()) & 1, 1u);
  EXPECT_EQ(read(GDS_ATOM_READ::address(0)), 8u);
  write(GDS_RD_ADDR::address(), 0x84);
  EXPECT_EQ(read(GDS_RD_DATA::address()), 13u);
  EXPECT_EQ(device->report(), "");
}

INSTANTIATE_TEST_SUITE_P(Engines, GlobalShareTest, testing::Values("interpreter", "jit"));

}  // namespace
}  // namespace Atoll::sea_islands::test
