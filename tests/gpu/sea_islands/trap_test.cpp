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

INSTANTIATE_TEST_SUITE_P(Engines, TrapTest, testing::Values("interpreter", "jit"));

}  // namespace
}  // namespace Atoll::sea_islands::test
