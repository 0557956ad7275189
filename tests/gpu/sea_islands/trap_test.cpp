// Trap handlers of compute waves: where they stand, what they get, and that the program goes on behind the trap.
#include "gpu/sea_islands/dispatch_fixture.h"

namespace Atoll::sea_islands::test {
namespace {

constexpr uint32_t trap_present = COMPUTE_PGM_RSRC2::TRAP_PRESENT::of(1);

class TrapTest : public DispatchTest, public testing::WithParamInterface<const char*> {
protected:
  TrapTest() : DispatchTest("bonaire", {.engine = *gpu::parse_engine(GetParam()), .threads = 2}) {}
  static Words with_handler(Words w, uint64_t handler, uint64_t data) {
    Words all;
    all.shader(COMPUTE_TBA_LO::address(), uint32_t(handler >> 8)).shader(COMPUTE_TBA_HI::address(), uint32_t(handler >> 40));
    all.shader(COMPUTE_TMA_LO::address(), uint32_t(data >> 8)).shader(COMPUTE_TMA_HI::address(), uint32_t(data >> 40));
    all.insert(all.end(), w.begin(), w.end());
    return all;
  }
};

// The handler saves what it uses in TTMPs, and its VGPRs are those of the program: v8 to v11 are the handler's by agreement.
const std::vector<const char*> handler_lines = {"s_getreg_b32 ttmp4, hwreg(HW_REG_STATUS)",  // SCC
                                                "s_mov_b64 ttmp[6:7], exec",
                                                "s_mov_b64 exec, 1",  //
                                                "v_mov_b32 v8, tma_lo",
                                                "v_mov_b32 v9, tma_hi",  //
                                                "v_mov_b32 v10, 1",
                                                "flat_atomic_add v[8:9], v10",      // traps
                                                "s_bfe_u32 ttmp5, ttmp1, 0x80010",  // the number
                                                "v_mov_b32 v10, ttmp5",
                                                "v_add_i32 v8, vcc, 4, v8",     //
                                                "flat_atomic_add v[8:9], v10",  //
                                                "s_mov_b64 exec, ttmp[6:7]",    //
                                                "s_add_u32 ttmp0, ttmp0, 4",
                                                "s_addc_u32 ttmp1, ttmp1, 0",      // behind s_trap
                                                "s_and_b32 ttmp1, ttmp1, 0xffff",  //
                                                "s_setreg_b32 hwreg(HW_REG_STATUS), ttmp4",
                                                "s_rfe_b64 ttmp[0:1]"};

TEST_P(TrapTest, AHandlerCountsAndReturns) {
  // Waves of groups of two, which meet at a barrier between their traps; SCC outlives the trap.
  uint64_t code =
      program({"s_cmp_eq_u32 s0, s0", "s_trap 5", "s_cbranch_scc0 0x8", "s_barrier", "s_cmp_lg_u32 s0, s0", "s_trap 7",
               "s_cbranch_scc1 0x4",                                                                       //
               "v_mov_b32 v8, s0", "v_mov_b32 v9, s1", "v_mov_b32 v10, 1", "flat_atomic_add v[8:9], v10",  // 64 lanes
               "s_endpgm"});
  uint64_t handler = program(handler_lines);
  Setup s{.program = code, .threads = {128, 1, 1}, .groups = {40, 1, 1}, .rsrc2 = trap_present | 2u << 1};
  s.user_data = {Words::low(at(0x208)), Words::high(at(0x208))};
  good(with_handler(stream(s), handler, at(0x200)));
  EXPECT_EQ(dword(0x200), 2u * 2 * 40) << "traps";
  EXPECT_EQ(dword(0x204), (5u + 7) * 2 * 40);
  EXPECT_EQ(dword(0x208), 64u * 2 * 40) << "all waves came to their end";
}

TEST_P(TrapTest, WithoutAHandlerATrapIsNothing) {
  uint64_t code = program(
      {"s_trap 5", "v_mov_b32 v8, s0", "v_mov_b32 v9, s1", "v_mov_b32 v10, 1", "flat_atomic_add v[8:9], v10", "s_endpgm"});
  Setup s{.program = code, .rsrc2 = 2u << 1};
  s.user_data = {Words::low(at(0x208)), Words::high(at(0x208))};
  good(with_handler(stream(s), 0x100, 0));
  EXPECT_EQ(dword(0x208), 64u);
}

TEST_P(TrapTest, WhereThereIsNoHandler) {
  Setup s{.program = program({"s_trap 5", "s_endpgm"}), .rsrc2 = trap_present};
  std::string report = bad(with_handler(stream(s), nowhere, 0));
  EXPECT_NE(report.find("its trap handler: a program at 0x9000000000, where nothing is mapped"), std::string::npos) << report;
}

TEST_P(TrapTest, AHandlerMayEndTheWave) {
  Setup s{.program = program({"s_trap 5", "s_rfe_b64 s[0:1]"}), .groups = {10, 1, 1}, .rsrc2 = trap_present};
  good(with_handler(stream(s), program({"s_endpgm"}), 0));
  EXPECT_EQ(statistics().waves, 10u);
}

// A wave started privileged is as in a handler.
TEST_P(TrapTest, PrivilegedWaves) {
  uint64_t code = program({"s_mov_b32 ttmp3, 0x77", "v_mov_b32 v8, s0", "v_mov_b32 v9, s1", "v_mov_b32 v10, ttmp3",
                           "flat_store_dword v[8:9], v10", "s_endpgm"});
  Setup s{.program = code, .rsrc2 = 2u << 1};
  s.user_data = {Words::low(at(0x208)), Words::high(at(0x208))};
  good(stream(s));
  EXPECT_EQ(dword(0x208), 0u);
  s.rsrc1 |= COMPUTE_PGM_RSRC1::PRIV::of(1);
  good(stream(s));
  EXPECT_EQ(dword(0x208), 0x77u);
}

// --- a debugger's handler (SPI_GDBG_*)

using Config = SPI_GDBG_TRAP_CONFIG;
constexpr uint32_t enabled = Config::TRAP_EN::of(1) | Config::VMID_SEL::of(1);

// The values that the debugger's handler stores: data words, TMA, MODE, a count of its calls.
const std::vector<const char*> debugger_lines = {"v_mov_b32 v8, tma_lo",
                                                 "v_mov_b32 v9, tma_hi",
                                                 "v_mov_b32 v4, ttmp2",
                                                 "v_mov_b32 v5, ttmp3",
                                                 "s_getreg_b32 ttmp4, hwreg(HW_REG_MODE)",
                                                 "v_mov_b32 v6, ttmp4",
                                                 "flat_store_dwordx3 v[8:9], v[4:6]",
                                                 "v_add_i32 v8, vcc, 16, v8",
                                                 "v_mov_b32 v10, 1",
                                                 "s_mov_b64 exec, 1",
                                                 "flat_atomic_add v[8:9], v10",
                                                 "s_add_u32 ttmp0, ttmp0, 4",
                                                 "s_addc_u32 ttmp1, ttmp1, 0",
                                                 "s_and_b32 ttmp1, ttmp1, 0xffff",
                                                 "s_rfe_b64 ttmp[0:1]"};

class DebuggerTest : public TrapTest {
protected:
  static Words& put(Words& w, uint32_t address, uint32_t value) {
    w.push_back(address / 4), w.push_back(value);  // a packet of type 0
    return w;
  }
  // A dispatch of one wave that traps, under a debugger's registers.
  Words debugged(uint32_t config, uint32_t mask = 0, uint32_t rsrc2 = 0) {
    if (!handler_) handler_ = program(debugger_lines), code_ = program({"s_trap 5", "s_endpgm"});
    Words w;
    put(w, Config::address(), config), put(w, SPI_GDBG_TRAP_MASK::address(), mask);
    put(w, SPI_GDBG_TBA_LO::address(), uint32_t(handler_ >> 8)), put(w, SPI_GDBG_TBA_HI::address(), uint32_t(handler_ >> 40));
    put(w, SPI_GDBG_TMA_LO::address(), uint32_t(at(0x100) >> 8)), put(w, SPI_GDBG_TMA_HI::address(), uint32_t(at(0x100) >> 40));
    put(w, SPI_GDBG_TRAP_DATA0::address(), 0x11111), put(w, SPI_GDBG_TRAP_DATA1::address(), 0x22222);
    Words all = stream({.program = code_, .rsrc2 = rsrc2});
    w.insert(w.end(), all.begin(), all.end());
    return w;
  }
  uint32_t traps() { return dword(0x110); }

private:
  uint64_t handler_ = 0, code_ = 0;
};

TEST_P(DebuggerTest, GivesWavesItsHandler) {
  good(debugged(enabled));
  EXPECT_EQ(traps(), 1u) << "without TRAP_PRESENT";
  EXPECT_EQ(dword(0x100), 0x11111u);
  EXPECT_EQ(dword(0x104), 0x22222u);
  // In place of the program's own.
  good(with_handler(debugged(enabled, 0, trap_present), nowhere, 0));
  EXPECT_EQ(traps(), 2u);
  good(debugged(Config::VMID_SEL::of(0xffff)));
  EXPECT_EQ(traps(), 2u) << "without TRAP_EN";
}

TEST_P(DebuggerTest, IsForTheQueuesThatItNames) {
  using gpu::QueueKind;
  constexpr uint32_t me = Config::ME_MATCH::of(1), pipe = Config::PIPE_MATCH::of(1), queue = Config::QUEUE_MATCH::of(1);
  struct Row {
    uint32_t config;
    bool graphics, compute;
  };
  for (const Row& row :
       {Row{enabled, true, true}, Row{enabled | me, true, false}, Row{enabled | me | Config::ME_SEL::of(1), false, true},
        Row{enabled | Config::ME_SEL::of(3), true, true}, Row{enabled | pipe, true, true},
        Row{enabled | pipe | Config::PIPE_SEL::of(2), false, false}, Row{enabled | Config::PIPE_SEL::of(2), true, true},
        Row{enabled | queue, true, true}, Row{enabled | queue | Config::QUEUE_SEL::of(7), false, false},
        Row{enabled | Config::QUEUE_SEL::of(7), true, true},
        Row{Config::TRAP_EN::of(1) | Config::VMID_SEL::of(0xfffe), false, false}})
    for (QueueKind kind : {QueueKind::graphics, QueueKind::compute}) {
      dword(0x110) = 0;
      good(debugged(row.config), kind);
      EXPECT_EQ(traps(), kind == QueueKind::graphics ? row.graphics : row.compute) << std::hex << row.config << " " << int(kind);
    }
}

TEST_P(DebuggerTest, AddsToExceptionsOrReplacesThem) {
  using Mask = SPI_GDBG_TRAP_MASK;
  constexpr uint32_t own = COMPUTE_PGM_RSRC2::EXCP_EN::of(0x11);
  good(debugged(enabled, Mask::EXCP_EN::of(0x106), own));
  EXPECT_EQ(dword(0x108) >> 12 & 0x1ff, 0x117u);
  good(debugged(enabled, Mask::EXCP_EN::of(0x106) | Mask::REPLACE::of(1), own));
  EXPECT_EQ(dword(0x108) >> 12 & 0x1ff, 0x106u);
}

// The ring's queue is the one that SRBM_GFX_CNTL selected.
TEST_P(DebuggerTest, KnowsTheQueuesOfRings) {
  device->attach(*space);
  for (uint32_t selected : {0u, 1u}) {
    constexpr uint32_t selection = 2u << 2 | 3 | 5 << 8;  // engine 2, pipe 3, queue 5
    Words w = debugged(enabled | Config::ME_MATCH::of(1) | Config::PIPE_MATCH::of(1) | Config::QUEUE_MATCH::of(1) |
                       Config::ME_SEL::of(2) | Config::PIPE_SEL::of(3) | Config::QUEUE_SEL::of(4 + selected));
    Buffer ring = *space->allocate(4096, 4096);
    std::memcpy(ring.host_pointer, w.data(), w.size() * 4);
    device->write_register(0xe44, selection);
    device->write_register(0xc934, uint32_t(ring.gpu_address >> 8));
    device->write_register(0xc938, uint32_t(ring.gpu_address >> 40));
    device->write_register(0xc958, 9);
    device->write_register(0xc93c, 0);
    device->write_register(0xc91c, 1);
    device->write_register(0xc954, uint32_t(w.size()));
    EXPECT_EQ(device->report(), "");
    EXPECT_EQ(traps(), selected);
  }
}

TEST_P(DebuggerTest, HoldsWavesBack) {
  Words w;
  std::string report = bad([&] {
    Words all = put(w, SPI_GDBG_WAVE_CNTL::address(), 1);
    Words rest = debugged(enabled);
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  }());
  EXPECT_NE(report.find("SPI_GDBG_WAVE_CNTL.STALL_RA holds new waves back"), std::string::npos) << report;
  EXPECT_EQ(traps(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Engines, DebuggerTest, testing::Values("interpreter", "jit"));
INSTANTIATE_TEST_SUITE_P(Engines, TrapTest, testing::Values("interpreter", "jit"));

}  // namespace
}  // namespace Atoll::sea_islands::test
