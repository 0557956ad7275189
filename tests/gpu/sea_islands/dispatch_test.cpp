// Compute dispatches: what waves start with, which work-groups run, what ends them.
#include <thread>

#include "gpu/sea_islands/dispatch_fixture.h"

namespace Atoll::sea_islands::test {
namespace {

using namespace packets;

constexpr uint32_t partial_groups = COMPUTE_DISPATCH_INITIATOR::PARTIAL_TG_EN::of(1);
constexpr uint32_t in_threads = COMPUTE_DISPATCH_INITIATOR::USE_THREAD_DIMENSIONS::of(1);
constexpr uint32_t from_zero = COMPUTE_DISPATCH_INITIATOR::FORCE_START_AT_000::of(1);

TEST_F(DispatchTest, WavesOfAGrid) {
  good(stream({.program = program({"s_endpgm"}), .threads = {10, 7, 2}, .groups = {3, 2, 5}}));
  EXPECT_EQ(statistics().dispatches, 1u);
  EXPECT_EQ(statistics().waves, 3u * 30) << "140 threads take three waves";
  EXPECT_EQ(statistics().instructions, 3u * 30);
  EXPECT_EQ(invocations(), 140u * 30);
}

TEST_F(DispatchTest, PartialGroups) {
  // 3 groups of 64 threads, the last of 5; 2 groups of 1.
  good(stream({.program = program({"s_endpgm"}),
               .threads = {64 | 5 << 16, 1 | 1 << 16, 1 | 1 << 16},
               .groups = {3, 2, 1},
               .initiator = 1 | partial_groups}));
  EXPECT_EQ(invocations(), (64u + 64 + 5) * 2);
}

TEST_F(DispatchTest, SizesInThreads) {
  good(stream({.program = program({"s_endpgm"}), .threads = {64, 2, 1}, .groups = {200, 3, 1}, .initiator = 1 | in_threads}));
  EXPECT_EQ(statistics().waves, (3u * 2 + 1) + (3u * 1 + 1)) << "two waves a full group, 64 threads in the last row's";
  EXPECT_EQ(invocations(), 600u);
}

TEST_F(DispatchTest, AGridReachesFromItsStartToItsEnd) {
  Setup s{.program = program({"s_endpgm"}), .groups = {5, 4, 1}};
  s.start[0] = 2, s.start[1] = 3;
  good(stream(s));
  EXPECT_EQ(statistics().waves, 3u);
  s.initiator |= from_zero;
  good(stream(s));
  EXPECT_EQ(statistics().waves, 23u);
  s.groups[1] = 0;
  good(stream(s));
  EXPECT_EQ(statistics().waves, 23u) << "nothing to do";
}

TEST_F(DispatchTest, IndirectSizes) {
  dword(0x40) = 4, dword(0x44) = 3, dword(0x48) = 2;
  Setup s{.program = program({"s_endpgm"})};
  Words w = registers(s);
  w.packet(SET_BASE::opcode, {1, w.low(at(0)), w.high(at(0))});
  w.packet(DISPATCH_INDIRECT::opcode, {0x40, 1});
  good(w);
  EXPECT_EQ(statistics().waves, 24u);
  Words compute = registers(s);
  compute.packet(DISPATCH_INDIRECT::opcode, {w.low(at(0x40)), w.high(at(0x40)), 1});
  good(compute, gpu::QueueKind::compute);
  EXPECT_EQ(queue(gpu::QueueKind::compute).statistics().waves, 24u);
}

TEST_F(DispatchTest, ByRegistersAlone) {
  device->attach(*space);
  Setup s{.program = program({"s_endpgm"})};
  const uint32_t values[][2] = {
      {COMPUTE_PGM_LO::address(), uint32_t(s.program >> 8)},
      {COMPUTE_PGM_HI::address(), uint32_t(s.program >> 40)},
      {COMPUTE_PGM_RSRC1::address(), 3},
      {COMPUTE_NUM_THREAD_X::address(), 64},
      {COMPUTE_NUM_THREAD_Y::address(), 1},
      {COMPUTE_NUM_THREAD_Z::address(), 1},
      {COMPUTE_DIM_X::address(), 7},
      {COMPUTE_DIM_Y::address(), 1},
      {COMPUTE_DIM_Z::address(), 1},
      {COMPUTE_DISPATCH_INITIATOR::address(), 1},
  };
  for (auto& [address, value] : values) device->write_register(address, value);
  EXPECT_EQ(device->report(), "");
  EXPECT_EQ(device->read_register(CP_VGT_CSINVOC_COUNT_LO::address()), 7u * 64);
}

TEST_F(DispatchTest, WhatCannotRun) {
  struct Case {
    Setup setup;
    const char* report;
  };
  uint64_t end = program({"s_endpgm"});
  const Case cases[] = {
      {{.program = end, .threads = {0, 1, 1}}, "work-groups of 0 threads"},
      {{.program = end, .threads = {64, 64, 1}}, "more than 2048 threads"},
      {{.program = nowhere}, "nothing is mapped"},
      {{.program = program({"s_rfe_b64 s[0:1]"})}, "s_rfe_b64"},
      {{.program = end, .rsrc2 = 1, .ring = 1 << 12}, "scratch memory for 0"},
  };
  for (const Case& c : cases) {
    auto lone = *device->make_queue(gpu::QueueKind::graphics, *space);
    gpu::CommandBuffer one = buffer(stream(c.setup));
    auto done = lone->run(std::span(&one, 1));
    ASSERT_FALSE(done) << c.report;
    EXPECT_TRUE(done.error().message.starts_with("DISPATCH_DIRECT at 0x")) << done.error().message;
    EXPECT_NE(done.error().message.find(c.report), std::string::npos) << done.error().message;
  }
}

TEST_F(DispatchTest, StopEndsAShaderThatNeverEnds) {
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    device->stop = 1;
  });
  EXPECT_NE(bad(stream({.program = program({"s_branch 0xffff", "s_endpgm"}), .groups = {8, 1, 1}})).find("stopped"),
            std::string::npos);
  other.join();
}

// Leftovers of compilers in fields that an instruction does not use do not matter when it runs: here the VSRCs of an export's
// channels that are off, as Mesa's ACO has them.
TEST_F(DispatchTest, UnusedFieldsAreIgnored) {
  uint64_t code = program({"s_nop 0x0"});
  const uint32_t words[] = {0xf80008d4, 0x80018080, 0xbf810000};
  std::memcpy(space->host(code), words, sizeof words);
  good(stream({.program = code}));
  EXPECT_EQ(statistics().instructions, 2u);
}

// A program that begins near a page's end goes on behind it.
TEST_F(DispatchTest, ProgramsReachOverPages) {
  Buffer two = *space->allocate(8192, 4096);
  uint32_t* words = reinterpret_cast<uint32_t*>(two.host_pointer + 4096 - 256);
  for (unsigned n = 0; n < 200; n++) words[n] = 0xbf800000;  // s_nop
  words[200] = 0xbf810000;
  good(stream({.program = two.gpu_address + 4096 - 256}));
  EXPECT_EQ(statistics().instructions, 201u);
}

// A program is compared with memory at every submission, and after an invalidate within one.
TEST_F(DispatchTest, ProgramsMayChange) {
  uint64_t code = program({"s_endpgm"});
  Setup s{.program = code};
  good(stream(s));
  EXPECT_EQ(statistics().instructions, 1u);
  uint32_t* words = reinterpret_cast<uint32_t*>(space->host(code));
  words[1] = words[0], words[0] = 0xbf800000;  // s_nop
  good(stream(s));
  EXPECT_EQ(statistics().instructions, 3u);
  Words w = stream(s);
  w.write(code + 4, 0xbf800000).write(code + 8, 0xbf810000);
  w.packet(SURFACE_SYNC::opcode, {CP_COHER_CNTL::SH_ICACHE_ACTION_ENA::of(1), ~0u, 0, 10});
  Words again = stream(s);
  w.insert(w.end(), again.begin(), again.end());
  good(w);
  EXPECT_EQ(statistics().instructions, 3u + 2 + 3);
}

// Flat addresses: LDS, private memory where FLAT_SCRATCH and the hidden base place it, anything else as it is.
class FlatTest : public DispatchTest {
protected:
  static constexpr uint32_t hidden_base = 0x1000;  // in `memory`

  Words flat(const char* last, uint32_t bases = 0x2000) {
    Words w;
    w.insert(w.end(), {registers::register_header(SH_MEM_BASES::address(), 1), SH_MEM_BASES::PRIVATE_BASE::of(bases)});
    w.insert(w.end(), {registers::register_header(SH_HIDDEN_PRIVATE_BASE_VMID::address(), 1), uint32_t(at(hidden_base) >> 8)});
    auto code = program({"s_mov_b32 m0, -1",
                         "s_mov_b32 flat_scratch_lo, 12",
                         "s_mov_b32 flat_scratch_hi, 2",
                         "v_lshlrev_b32 v1, 2, v0",
                         "v_mov_b32 v3, 0x20000001",  // private memory
                         "v_mov_b32 v5, 0x20000000",  // LDS
                         "v_mov_b32 v2, 4",
                         "flat_store_dword v[2:3], v0",
                         "v_mov_b32 v2, 9",
                         "flat_store_byte v[2:3], v0",
                         "v_mov_b32 v4, v1",
                         "flat_store_dword v[4:5], v0",
                         "ds_read_b32 v6, v1",
                         "v_mov_b32 v2, 4",
                         "flat_load_dword v7, v[2:3]",
                         "v_add_i32 v6, vcc, v6, v7",
                         "v_add_i32 v8, vcc, s0, v1",
                         "v_mov_b32 v9, s1",
                         "flat_store_dword v[8:9], v6",
                         last,
                         "flat_store_dword v[2:3], v0",
                         "s_endpgm"});
    Words rest = stream({.program = code,
                         .rsrc2 = COMPUTE_PGM_RSRC2::USER_SGPR::of(2) | COMPUTE_PGM_RSRC2::LDS_SIZE::of(1),
                         .user_data = {Words::low(at(0)), Words::high(at(0))}});
    w.insert(w.end(), rest.begin(), rest.end());
    return w;
  }
};

TEST_F(FlatTest, AperturesOfLdsAndPrivateMemory) {
  good(flat("v_mov_b32 v2, 0"));
  for (uint32_t lane = 0; lane < 64; lane++) {
    EXPECT_EQ(dword(lane * 4), 2 * lane);
    uint32_t place = hidden_base + 2 * 256 + lane * 4;
    EXPECT_EQ(dword(place), lane) << "dword 0";
    EXPECT_EQ(dword(place + 256), lane) << "dword 1";
    EXPECT_EQ(dword(place + 512), lane << 8) << "byte 9";
  }
}

TEST_F(FlatTest, BeyondPrivateMemoryIsAFault) {
  std::string report = bad(flat("v_mov_b32 v2, 12"));
  EXPECT_NE(report.find("store of 4 bytes at 0xc"), std::string::npos) << report;
  EXPECT_NE(report.find("beyond the lane's private memory"), std::string::npos) << report;
  auto fault = queue(gpu::QueueKind::graphics).fault();
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, gpu::FaultKind::Store);
  EXPECT_EQ(fault->lane, 0);
  EXPECT_EQ(fault->instruction_text, "flat_store_dword v[2:3], v0");
  EXPECT_EQ(dword(0), 0u) << "lane 0's sum";
  EXPECT_EQ(dword(4), 2u) << "what came before the fault";
}

// Waves one after the other in the same memory: each finds zeros where the one before has counted.
TEST_F(FlatTest, PrivateMemoryOfAWaveBeginsAsZeros) {
  constexpr uint32_t results = 0x400, bytes = 1024, groups = 48;
  std::memset(memory.host_pointer + hidden_base, 0x55, 4 * bytes);
  Words w;
  w.insert(w.end(), {registers::register_header(SH_MEM_BASES::address(), 1), SH_MEM_BASES::PRIVATE_BASE::of(0x2000)});
  w.insert(w.end(), {registers::register_header(SH_HIDDEN_PRIVATE_BASE_VMID::address(), 1), uint32_t(at(hidden_base) >> 8)});
  auto code = program({"s_mov_b32 flat_scratch_lo, 16", "s_lshr_b32 flat_scratch_hi, s3, 8", "v_mov_b32 v3, 0x20000001",
                       "v_mov_b32 v2, 4", "flat_load_dword v4, v[2:3]", "s_waitcnt vmcnt(0) lgkmcnt(0)",
                       "v_add_i32 v4, vcc, 1, v4", "flat_store_dword v[2:3], v4", "s_lshl_b32 s4, s2, 2", "s_add_u32 s4, s4, s0",
                       "v_mov_b32 v8, s4", "v_mov_b32 v9, s1", "flat_store_dword v[8:9], v4", "s_endpgm"});
  Words rest = stream(
      {.program = code,
       .groups = {groups, 1, 1},
       .rsrc2 = COMPUTE_PGM_RSRC2::USER_SGPR::of(2) | COMPUTE_PGM_RSRC2::TGID_X_EN::of(1) | COMPUTE_PGM_RSRC2::SCRATCH_EN::of(1),
       .ring = COMPUTE_TMPRING_SIZE::WAVES::of(4) | COMPUTE_TMPRING_SIZE::WAVESIZE::of(1),
       .user_data = {Words::low(at(results)), Words::high(at(results))}});
  w.insert(w.end(), rest.begin(), rest.end());
  good(w);
  for (uint32_t group = 0; group < groups; group++) EXPECT_EQ(dword(results + group * 4), 1u) << group;
}

TEST_F(FlatTest, WithoutAperturesAddressesAreWhatTheyAre) {
  std::string report = bad(flat("v_mov_b32 v2, 0", 0));
  EXPECT_NE(report.find("store of 4 bytes at 0x2000000100000004"), std::string::npos) << report;
}

TEST_F(DispatchTest, FunctionsStandAnywhere) {
  Buffer code = *space->allocate(0x4000, 4096);
  auto put = [&](uint32_t offset, std::initializer_list<const char*> lines) {
    uint32_t* to = reinterpret_cast<uint32_t*>(code.host_pointer + offset);
    for (const char* line : lines) {
      auto words = gfx7::encode(*gfx7::parse(line));
      for (unsigned n = 0; n < words->count; n++) *to++ = words->dwords[n];
    }
  };
  put(0x100, {"s_add_i32 s10, s10, 1", "s_setpc_b64 s[4:5]"});
  put(0x3f00, {"s_add_i32 s10, s10, 32", "s_setpc_b64 s[4:5]"});
  // Behind s_getpc_b64 (4 bytes) the program is at 0x2004.
  put(0x2000, {"s_getpc_b64 s[2:3]", "s_mov_b32 s10, 0", "s_sub_u32 s6, s2, 0x1f04", "s_subb_u32 s7, s3, 0",
               "s_swappc_b64 s[4:5], s[6:7]", "s_add_u32 s6, s2, 0x1efc", "s_addc_u32 s7, s3, 0", "s_swappc_b64 s[4:5], s[6:7]",
               "v_mov_b32 v1, s0", "v_mov_b32 v2, s1", "v_mov_b32 v3, s10", "flat_store_dword v[1:2], v3", "s_endpgm"});
  good(stream({.program = code.gpu_address + 0x2000,
               .rsrc2 = COMPUTE_PGM_RSRC2::USER_SGPR::of(2),
               .user_data = {Words::low(at(0x40)), Words::high(at(0x40))}}));
  EXPECT_EQ(dword(0x40), 33u);
}

}  // namespace
}  // namespace Atoll::sea_islands::test
