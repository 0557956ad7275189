// Into a trap handler and back, and what a handler may write that nobody else may; on both engines. RDNA4 ISA 3.4, 5.2, 5.6.
#include "group_machine.h"

namespace Atoll::rdna4::test {
namespace {

using wave::Stop;
using Lines = std::vector<std::string>;

class Traps : public testing::TestWithParam<std::tuple<unsigned, wave::EngineChoice>> {
protected:
  unsigned size() const { return std::get<0>(GetParam()); }
  GroupMachine& machine(const Lines& lines) {
    m = std::make_unique<GroupMachine>(GroupMachine::Shape{size(), 1}, lines);
    for (uint32_t n = 0; n < 124; n++) m->s(0, n) = 0x100 + n;
    return *m;
  }
  Stop run(bool privileged) {
    m->waves[0]->privileged = privileged;
    return m->run(std::get<1>(GetParam())).stop;
  }
  std::unique_ptr<GroupMachine> m;
};

TEST_P(Traps, TheWayIn) {
  auto& a = machine({"s_mov_b32 s0, 1", "s_trap 5", "s_mov_b32 s0, 2"});
  a.base = {0x8000007f12345600, 0x1234567890};
  ASSERT_EQ(run(false), Stop::Elsewhere);
  EXPECT_EQ(a.waves[0]->pc, 0x7f12345600u);
  EXPECT_TRUE(a.waves[0]->privileged);
  EXPECT_EQ(a.s(0, 0), 1u);
  EXPECT_EQ(a.s(0, TTMP0), GroupMachine::code_base + 4) << "of s_trap itself";
  EXPECT_EQ(a.s(0, TTMP0 + 1), 5u << 28);
  EXPECT_EQ(a.s(0, TTMP0 + 2), 0x100u + TTMP0 + 2) << "the others stay";
}

TEST_P(Traps, WithoutAHandler) {
  auto& a = machine({"s_trap 2", "s_mov_b32 s0, 2", "s_getreg_b32 s1, hwreg(HW_REG_STATUS, 5, 2)"});
  a.answer = wave::TrapAnswer::Ignore;
  ASSERT_EQ(run(false), Stop::End);
  EXPECT_EQ(a.s(0, 0), 2u);
  EXPECT_EQ(a.s(0, 1), 0u);
  EXPECT_EQ(a.s(0, TTMP0), 0x100u + TTMP0);
  a.reset();
  a.answer = wave::TrapAnswer::Fault;
  ASSERT_EQ(run(false), Stop::Fault);
  EXPECT_EQ(a.waves[0]->fault.kind, wave::FaultKind::Trap);
}

TEST_P(Traps, TheWayBack) {
  auto& a = machine({"s_mov_b32 ttmp4, 7", "s_mov_b32 ttmp0, 0x5000", "s_mov_b32 ttmp1, 0xff0012", "s_add_co_u32 ttmp5, -1, -1",
                     "s_add_co_ci_u32 ttmp5, 0, 0", "v_readlane_b32 ttmp6, v1, 3", "s_rfe_b64 ttmp[0:1]", "s_mov_b32 s0, 2"});
  ASSERT_EQ(run(true), Stop::Elsewhere) << a.reason(0);
  EXPECT_EQ(a.waves[0]->pc, 0x1200005000u) << "48 bits";
  EXPECT_FALSE(a.waves[0]->privileged);
  EXPECT_EQ(a.s(0, TTMP0 + 4), 7u);
  EXPECT_EQ(a.s(0, TTMP0 + 5), 1u) << "with SCC as everywhere";
  EXPECT_EQ(a.s(0, TTMP0 + 6), 3u);
  EXPECT_EQ(a.s(0, 0), 0x100u);
  // Nobody else: neither the register nor SCC changes.
  auto& b = machine({"s_cmp_eq_u32 s0, s0", "s_mov_b32 ttmp4, 7", "s_and_b32 ttmp4, 0, 0", "s_cselect_b32 s1, 1, 0",
                     "v_readlane_b32 ttmp6, v1, 3", "s_rfe_b64 ttmp[0:1]"});
  ASSERT_EQ(run(false), Stop::Fault);
  EXPECT_EQ(b.reason(0), "s_rfe_b64 outside of a trap handler");
  EXPECT_EQ(b.s(0, TTMP0 + 4), 0x100u + TTMP0 + 4);
  EXPECT_EQ(b.s(0, TTMP0 + 6), 0x100u + TTMP0 + 6);
  EXPECT_EQ(b.s(0, 1), 1u);
}

TEST_P(Traps, RegistersThatAHandlerWrites) {
  const Lines writes = {"s_setreg_imm32_b32 hwreg(HW_REG_STATE_PRIV), 0x3e07",     // SCC, priorities, credit
                        "s_cselect_b32 s8, 1, 0",                                  //
                        "s_getreg_b32 s0, hwreg(HW_REG_STATE_PRIV)",               //
                        "s_setreg_imm32_b32 hwreg(HW_REG_EXCP_FLAG_PRIV), 0x840",  //
                        "s_getreg_b32 s1, hwreg(HW_REG_EXCP_FLAG_PRIV)",           //
                        "s_setreg_imm32_b32 hwreg(19), 0xfc00",                    // TRAP_CTRL
                        "s_getreg_b32 s2, hwreg(19)",                              //
                        "s_setreg_imm32_b32 hwreg(20), 0x12345600",                // SCRATCH_BASE
                        "s_getreg_b32 s3, hwreg(20)",                              //
                        "s_getreg_b32 s4, hwreg(HW_REG_STATUS)",                   //
                        "s_sendmsg_rtn_b64 s[6:7], sendmsg(MSG_RTN_GET_TBA)"};
  for (bool privileged : {true, false}) {
    auto& a = machine(writes);
    a.base = {0x8000007f12345600, 0};
    a.cell(0, scc_cell) = 0;
    ASSERT_EQ(run(privileged), Stop::End) << a.reason(0);
    EXPECT_EQ(a.s(0, 0), privileged ? 0x3e03u : 0u) << "BARRIER_COMPLETE needs a barrier that was";
    EXPECT_EQ(a.s(0, 8), privileged);
    EXPECT_EQ(a.s(0, 1), privileged ? 0x840u : 0u);
    EXPECT_EQ(a.s(0, 2), 0u) << "bits that do not exist";
    EXPECT_EQ(a.s(0, 3), privileged ? 0x12345600u : 0u);
    EXPECT_EQ(a.s(0, 4) >> 5 & 3, privileged ? 3u : 2u) << "PRIV and TRAP_EN";
    EXPECT_EQ(a.s(0, 6), 0x12345600u);
    EXPECT_EQ(a.s(0, 7), 0x8000007fu);
  }
}

TEST_P(Traps, PriorityAndHalts) {
  auto& a = machine({"s_setprio 2", "s_getreg_b32 s0, hwreg(HW_REG_STATE_PRIV, 12, 2)", "s_sethalt 4", "s_sethalt 5",
                     "s_sethalt 0", "s_mov_b32 s1, 1", "s_sethalt 1", "s_mov_b32 s1, 2"});
  ASSERT_EQ(run(false), Stop::Fault);
  EXPECT_EQ(a.s(0, 0), 2u);
  EXPECT_EQ(a.s(0, 1), 1u) << "FATAL_HALT is not a user's to set";
  EXPECT_EQ(a.reason(0), "the wave halted, and there is no debugger to resume it");
  auto& b = machine({"s_sethalt 1", "s_mov_b32 s0, 2", "s_sethalt 0", "s_rfe_b64 ttmp[0:1]"});
  EXPECT_EQ(run(true), Stop::Elsewhere);
  EXPECT_EQ(b.s(0, 0), 2u);
  machine({"s_sethalt 1", "s_rfe_b64 ttmp[0:1]"});
  EXPECT_EQ(run(true), Stop::Fault) << "it counts when the handler returns";
  machine({"s_sethalt 5", "s_rfe_b64 ttmp[0:1]"});
  EXPECT_EQ(run(true), Stop::Fault) << "at once";
}

// The handlers' own barrier, which a user's signals and waits leave alone.
TEST_P(Traps, TheHandlersBarrier) {
  GroupMachine g({size(), 2}, {"s_barrier_signal_isfirst -2", "s_cselect_b32 s1, 1, 0", "s_get_barrier_state s2, -2",
                               "s_barrier_wait -2", "s_mov_b32 s3, 1"});
  for (bool privileged : {true, false}) {
    g.reset();
    for (auto* w : g.waves) w->privileged = privileged;
    ASSERT_EQ(g.run(std::get<1>(GetParam())).stop, Stop::End);
    EXPECT_EQ(g.s(0, 1), privileged);
    EXPECT_EQ(g.s(1, 1), 0u);
    EXPECT_EQ(g.s(0, 2), privileged ? 1u << 16 | 2u << 4 | 1u : 2u << 4 | 1u);
    EXPECT_EQ(g.s(0, 3), 1u);
  }
  GroupMachine h({size(), 2}, {"s_cmp_eq_u32 s0, 0", "s_cbranch_scc1 1", "s_endpgm", "s_barrier_wait -2"});
  for (unsigned n = 0; n < 2; n++) h.s(n, 0) = n, h.waves[n]->privileged = true;
  ASSERT_EQ(h.run(std::get<1>(GetParam())).stop, Stop::Barrier);
  EXPECT_EQ(wave::what_it_waits_for(*h.waves[0]),
            "waits at the trap handlers' barrier, which the work-group's other waves never reach");
}

INSTANTIATE_TEST_SUITE_P(All, Traps, testing::Combine(testing::Values(32u, 64u), testing::ValuesIn(both_engines)),
                         [](const auto& p) {
                           return "wave" + std::to_string(std::get<0>(p.param)) +
                                  (std::get<1>(p.param) == wave::EngineChoice::Jit ? "_jit" : "_interpreter");
                         });

}  // namespace
}  // namespace Atoll::rdna4::test
