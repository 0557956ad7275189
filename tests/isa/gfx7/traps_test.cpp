// The way into a trap handler and back, what a handler may write, and the skipping of vector instructions; on every engine.
#include <algorithm>

#include "machine.h"

namespace Atoll::gfx7::test {
namespace {

class Gcn2Traps : public testing::Test {
protected:
  void run(const std::vector<std::string>& lines, Way way, bool privileged, const std::function<void(Machine&)>& more = {}) {
    m.run(lines, way, [&](Machine& k) {
      for (uint32_t n = 0; n < kScalarCount; n++) k.s(n) = 0x100 + n;
      for (uint32_t l = 0; l < 64; l++)
        for (uint32_t n = 0; n < 8; n++) k.v(n, l) = n * 1000 + l;
      k.word(mode_cell) = MODE_DEFAULT, k.word(status_cell) = 0, k.word(scc_cell) = 0;
      k.w->fault = {}, k.w->privileged = privileged;
      k.set_exec(~uint64_t(0));
      if (more) more(k);
    });
  }
  std::string reason() const { return m.w->fault.reason ? m.w->fault.reason : ""; }
  Machine m;
};

TEST_F(Gcn2Traps, TheWayIn) {
  for (Way way : ways) {
    m.traps = wave::TrapAnswer::Enter;
    run({"s_mov_b32 s0, 1", "s_trap 0x42", "s_mov_b32 s0, 2"}, way, false,
        [](Machine& k) { k.s(TBA_LO) = 0x12345600, k.s(TBA_LO + 1) = 0x7f; });
    EXPECT_EQ(m.w->stop, wave::Stop::Elsewhere);
    EXPECT_EQ(m.w->pc, 0x7f12345600u);
    EXPECT_TRUE(m.w->privileged);
    EXPECT_EQ(m.s(0), 1u);
    EXPECT_EQ(m.s(TTMP0), Machine::code_base + 4) << "of s_trap itself";
    EXPECT_EQ(m.s(TTMP0 + 1), 0x42u << 16);
    EXPECT_EQ(m.s(TTMP0 + 2), 0x100u + TTMP0 + 2) << "the others stay";
  }
}

TEST_F(Gcn2Traps, WithoutAHandler) {
  for (Way way : ways) {
    m.traps = wave::TrapAnswer::Ignore;
    run({"s_trap 2", "s_mov_b32 s0, 2"}, way, false);
    EXPECT_EQ(m.w->stop, wave::Stop::End) << reason();
    EXPECT_EQ(m.s(0), 2u) << "nothing happens";
    EXPECT_EQ(m.s(TTMP0), 0x100u + TTMP0);
    m.traps = wave::TrapAnswer::Fault;
    run({"s_trap 3", "s_trap 2"}, way, false);
    EXPECT_EQ(m.w->fault.kind, wave::FaultKind::Trap);
    EXPECT_EQ(m.w->fault.pc, Machine::code_base + 4) << "3 is a breakpoint, which nobody waits for";
  }
}

TEST_F(Gcn2Traps, TheWayBack) {
  for (Way way : ways) {
    run({"s_mov_b32 ttmp4, 7", "s_mov_b32 tba_lo, 8", "s_mov_b64 tma, -1", "s_mov_b32 ttmp0, 0x5000", "s_mov_b32 ttmp1, 0xff0012",
         "s_add_u32 ttmp5, -1, -1", "s_addc_u32 ttmp5, 0, 0",  // with a carry
         "s_rfe_b64 ttmp[0:1]", "s_mov_b32 s0, 2"},
        way, true);
    EXPECT_EQ(m.w->stop, wave::Stop::Elsewhere) << reason();
    EXPECT_EQ(m.w->pc, 0x1200005000u) << "48 bits";
    EXPECT_FALSE(m.w->privileged);
    EXPECT_EQ(m.s(TTMP0 + 4), 7u) << "a handler may write its registers";
    EXPECT_EQ(m.s(TTMP0 + 5), 1u) << "with SCC as everywhere";
    EXPECT_EQ(m.s(TBA_LO), 8u);
    EXPECT_EQ(m.s(TMA_LO + 1), ~0u);
    EXPECT_EQ(m.s(0), 0x100u);
    run({"s_mov_b32 ttmp4, 7", "s_rfe_b64 ttmp[0:1]"}, way, false);
    EXPECT_EQ(m.w->stop, wave::Stop::Fault);
    EXPECT_EQ(reason(), "s_rfe_b64 outside of a trap handler");
    EXPECT_EQ(m.s(TTMP0 + 4), 0x100u + TTMP0 + 4);
  }
}

TEST_F(Gcn2Traps, StatusAsAHandlerWritesIt) {
  for (Way way : ways) {
    // SCC and COND_DBG_USER; VALID is not the handler's to clear.
    run({"s_setreg_imm32_b32 hwreg(HW_REG_STATUS), 0x100001", "s_cbranch_cdbguser 1", "s_endpgm",
         "s_getreg_b32 s0, hwreg(HW_REG_STATUS)"},
        way, true);
    EXPECT_EQ(m.w->stop, wave::Stop::End) << reason();
    EXPECT_EQ(m.s(0) & (1u << 20 | 1u << 16 | 1u << 5 | 1u), 1u << 20 | 1u << 16 | 1u << 5 | 1u);
    run({"s_setreg_imm32_b32 hwreg(HW_REG_STATUS), 0x100001", "s_getreg_b32 s0, hwreg(HW_REG_STATUS)"}, way, false);
    EXPECT_EQ(m.s(0) & (1u << 20 | 1u << 5 | 1u), 0u);
    // A halt of a handler's counts when it goes back.
    run({"s_sethalt 1", "s_mov_b32 s0, 2", "s_sethalt 0", "s_rfe_b64 ttmp[0:1]"}, way, true);
    EXPECT_EQ(m.w->stop, wave::Stop::Elsewhere);
    EXPECT_EQ(m.s(0), 2u);
    run({"s_sethalt 1", "s_rfe_b64 ttmp[0:1]"}, way, true);
    EXPECT_EQ(m.w->fault.kind, wave::FaultKind::Trap);
    EXPECT_EQ(reason(), "the wave halted, and there is no debugger to resume it");
  }
}

TEST_F(Gcn2Traps, SizesOfWhatAWaveHas) {
  for (Way way : ways) {
    run({"s_getreg_b32 s0, hwreg(HW_REG_LDS_ALLOC)", "s_getreg_b32 s1, hwreg(HW_REG_GPR_ALLOC)",
         "s_getreg_b32 s2, hwreg(HW_REG_IB_STS)"},
        way, false,
        [](Machine& k) { k.word(lds_allocation_cell) = 1536, k.word(vgpr_count_cell) = 24, k.word(sgpr_allocation_cell) = 5; });
    m.word(vgpr_count_cell) = kVgprCount;
    EXPECT_EQ(m.s(0), 3u << 12) << "units of 128 dwords";
    EXPECT_EQ(m.s(1), 5u << 8 | 5u << 24) << "24 VGPRs, 48 SGPRs";
    EXPECT_EQ(m.s(2), 0u) << "nothing is outstanding";
  }
}

// --- s_setvskip

TEST_F(Gcn2Traps, VectorInstructionsAreSkipped) {
  for (Way way : ways) {
    run({"s_mov_b32 s4, 4",   //
         "v_mov_b32 v0, 1",   //
         "s_setvskip s4, 2",  // bit 2: on
         "v_mov_b32 v1, 2", "v_cmp_eq_u32 vcc, v0, v0", "v_readfirstlane_b32 s5, v0", "ds_write_b32 v2, v3",
         "exp mrt0 v0, v0, v0, v0",
         "v_cmpx_gt_u32 vcc, 1, v3",                                //
         "s_mov_b32 s6, 6", "s_getreg_b32 s7, hwreg(HW_REG_MODE)",  //
         "s_setvskip s4, 3",                                        // bit 3: off
         "v_mov_b32 v4, 5", "s_getreg_b32 s8, hwreg(HW_REG_MODE)"},
        way, false, [](Machine& k) {
          k.s(M0) = ~0u;
          std::fill(k.lds.begin(), k.lds.end(), uint8_t(9));
          k.word(export_done_cell) = 0, k.word(export_enable_cell(MRT0)) = 0;
        });
    ASSERT_EQ(m.w->stop, wave::Stop::End) << reason();
    EXPECT_EQ(m.v(0, 3), 1u);
    EXPECT_EQ(m.v(1, 3), 1003u) << name(way);
    EXPECT_EQ(m.s(VCC_LO), 0x100u + VCC_LO);
    EXPECT_EQ(m.s(5), 0x105u);
    EXPECT_EQ(m.exec(), ~uint64_t(0));
    EXPECT_EQ(m.word(export_enable_cell(MRT0)), 0u);
    EXPECT_EQ(std::count(m.lds.begin(), m.lds.end(), uint8_t(9)), std::ptrdiff_t(m.lds.size()));
    EXPECT_EQ(m.s(6), 6u) << "scalar ones are not";
    EXPECT_EQ(m.s(7), MODE_DEFAULT | 1u << 28);
    EXPECT_EQ(m.v(4, 63), 5u);
    EXPECT_EQ(m.s(8), uint32_t(MODE_DEFAULT));
  }
}

// Through a loop, half of whose rounds skip.
TEST_F(Gcn2Traps, SkippingInALoop) {
  for (Way way : ways) {
    run({"s_mov_b32 s4, 0", "s_setvskip s4, 0", "v_add_i32 v0, vcc, 1, v0", "s_add_i32 s4, s4, 1", "s_cmp_lt_u32 s4, 100",
         "s_cbranch_scc1 0xfffa", "s_setvskip 0, 0"},
        way, false);
    ASSERT_EQ(m.w->stop, wave::Stop::End) << reason();
    EXPECT_EQ(m.s(4), 100u);
    for (uint32_t l = 0; l < 64; l++) ASSERT_EQ(m.v(0, l), l + 50) << name(way);
  }
}

}  // namespace
}  // namespace Atoll::gfx7::test
