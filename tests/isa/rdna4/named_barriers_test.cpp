// Named barriers, sleep and wakeup between the waves of a work-group, on both engines: what has to come before what is seen in the order of
// marks that the waves leave in LDS. LLVM's AMDGPUExecutionSynchronization document (GFX12); RDNA4 ISA 5.2, 16.5.
#include "group_machine.h"

namespace Atoll::rdna4::test {
namespace {

using wave::Stop;

// The wave leaves a mark: a number that counts up in LDS at 0, in its s[20 + place].
std::vector<std::string> mark(int place) {
  return {"v_mov_b32 v2, 0",           "v_mov_b32 v3, 1",
          "s_mov_b64 s[30:31], exec",  "s_mov_b64 exec, 1",
          "ds_add_rtn_u32 v4, v2, v3", "s_wait_dscnt 0x0",
          "s_mov_b64 exec, s[30:31]",  "v_readlane_b32 s" + std::to_string(20 + place) + ", v4, 0"};
}
std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
using Lines = std::vector<std::string>;

class NamedBarriers : public testing::TestWithParam<std::tuple<unsigned, wave::EngineChoice>> {
protected:
  unsigned size() const { return std::get<0>(GetParam()); }
  wave::EngineChoice engine() const { return std::get<1>(GetParam()); }
};

// Wave 0 makes barrier 3 for two signals; waves 1 and 2 meet there, wave 3 has nothing to do with it.
TEST_P(NamedBarriers, TwoOfFourMeet) {
  Lines lines = Lines{"s_cmp_eq_u32 s0, 0", "s_cbranch_scc0 3", "s_mov_b32 m0, 0x20003", "s_barrier_init m0"} +
                Lines{"s_barrier_signal -1", "s_barrier_wait -1", "s_get_barrier_state s10, 3", "s_barrier_signal -1",
                      "s_barrier_wait -1"} +
                Lines{"s_add_co_i32 s1, s0, -1", "s_cmp_lt_u32 s1, 2"};
  Lines meet = Lines{"s_barrier_join 3"} + mark(0) +
               Lines{"s_barrier_signal_isfirst 3", "s_cselect_b32 s11, 1, 0", "s_barrier_wait 3"} + mark(1);
  const size_t words = assembled(meet, size()).size();
  lines = lines + Lines{"s_cbranch_scc0 " + std::to_string(words)} + meet;
  GroupMachine m({size(), 4}, lines);
  for (unsigned n = 0; n < 4; n++) m.s(n, 0) = n;
  ASSERT_EQ(m.run(engine()).stop, Stop::End) << m.reason(0);
  for (unsigned n = 0; n < 4; n++) EXPECT_EQ(m.s(n, 10), 2u << 4 | 1u) << "two members, no signal yet";
  EXPECT_EQ(m.s(1, 11) + m.s(2, 11), 1u) << "one of them is the first";
  EXPECT_LT(m.s(1, 20), m.s(2, 21));
  EXPECT_LT(m.s(2, 20), m.s(1, 21));
}

// A signal with M0 brings the number of members; who signals need not have joined, and who has not joined does not wait.
TEST_P(NamedBarriers, SignalsOfOthers) {
  Lines lines =
      Lines{"s_cmp_eq_u32 s0, 0", "s_cbranch_scc0 4", "s_barrier_join 16", "s_mov_b32 m0, 0x30010", "s_barrier_signal m0"} +
      Lines{"s_barrier_signal -1", "s_barrier_wait -1"};
  lines = lines + Lines{"s_barrier_wait 16"} + mark(0) + Lines{"s_cmp_eq_u32 s0, 0", "s_cbranch_scc1 1", "s_barrier_signal 16"};
  GroupMachine m({size(), 3}, lines);
  for (unsigned n = 0; n < 3; n++) m.s(n, 0) = n;
  ASSERT_EQ(m.run(engine()).stop, Stop::End);
  EXPECT_EQ(m.s(0, 20), 2u) << "after both others, which did not wait";
}

// A barrier that never comes is a deadlock, and ends as one.
TEST_P(NamedBarriers, TooFewSignals) {
  GroupMachine m({size(), 2},
                 {"s_mov_b32 m0, 0x50002", "s_barrier_init m0", "s_barrier_join 2", "s_barrier_signal 2", "s_barrier_wait 2"});
  ASSERT_EQ(m.run(engine()).stop, Stop::Barrier);
  EXPECT_EQ(wave::what_it_waits_for(*m.waves[0]), "waits at named barrier 2, which has 1 signals of 5")
      << "the second init took the first one's signal";
}

// A wave that leaves is waited for no longer; the last one is told so.
TEST_P(NamedBarriers, Leaving) {
  Lines lines = Lines{"s_mov_b32 m0, 0x20005", "s_cmp_eq_u32 s0, 0", "s_cbranch_scc0 1",        "s_barrier_init m0",
                      "s_barrier_signal -1",   "s_barrier_wait -1",  "s_barrier_join 5",        "s_cmp_eq_u32 s0, 0",
                      "s_cbranch_scc1 3",      "s_barrier_leave",    "s_cselect_b32 s11, 1, 0", "s_branch 4",
                      "s_barrier_signal 5",    "s_barrier_wait 5",   "s_barrier_leave",         "s_cselect_b32 s11, 1, 0"};
  GroupMachine m({size(), 2}, lines);
  for (unsigned n = 0; n < 2; n++) m.s(n, 0) = n, m.s(n, 11) = 9;
  ASSERT_EQ(m.run(engine()).stop, Stop::End) << wave::what_it_waits_for(*m.waves[0]);
  EXPECT_EQ(m.s(1, 11), 0u) << "one is left";
  EXPECT_EQ(m.s(0, 11), 1u) << "none is";
}

// Barrier 0 is none: joining it is leaving without a word, waiting then is nothing.
TEST_P(NamedBarriers, TheNullBarrier) {
  GroupMachine m({size(), 2},
                 {"s_barrier_join 1", "s_barrier_join 0", "s_barrier_signal 0", "s_barrier_wait 1", "s_barrier_wait 0",
                  "s_get_barrier_state s10, 0", "s_get_barrier_state s11, -1", "s_get_barrier_state s12, 17"});
  ASSERT_EQ(m.run(engine()).stop, Stop::End);
  EXPECT_EQ(m.s(0, 10), 0u);
  EXPECT_EQ(m.s(0, 11), 2u << 4 | 1u);
  EXPECT_EQ(m.s(0, 12), 0u) << "there are 16";
}

// A wave that is alone has nobody to wait for.
TEST_P(NamedBarriers, Alone) {
  GroupMachine m({size(), 1}, {"s_mov_b32 m0, 0x50002", "s_barrier_init m0", "s_barrier_join 2", "s_barrier_wait 2",
                               "s_barrier_leave", "s_cselect_b32 s11, 1, 0"});
  m.s(0, 11) = 9;
  ASSERT_EQ(m.run(engine()).stop, Stop::End);
  EXPECT_EQ(m.s(0, 11), 0u);
}

// The work-group's barrier between a wave in compiled code and one that waits at a named one.
TEST_P(NamedBarriers, BesideTheGroupsBarrier) {
  Lines lines = Lines{"s_cmp_eq_u32 s0, 2",
                      "s_cbranch_scc1 6",
                      "s_barrier_join 1",
                      "s_mov_b32 m0, 0x30001",
                      "s_barrier_signal m0",
                      "s_barrier_wait 1",
                      "s_branch 2",
                      "s_barrier_signal 1",
                      "s_nop 0"} +
                mark(0) + Lines{"s_barrier_signal -1", "s_barrier_wait -1"} + mark(1);
  GroupMachine m({size(), 3}, lines);
  for (unsigned n = 0; n < 3; n++) m.s(n, 0) = n;
  ASSERT_EQ(m.run(engine()).stop, Stop::End);
  for (unsigned n = 0; n < 3; n++) EXPECT_GE(m.s(n, 21), 3u) << "after all first marks";
}

// --- sleep

TEST_P(NamedBarriers, SleepForEverUntilWoken) {
  Lines lines = Lines{"s_cmp_eq_u32 s0, 1", "s_cbranch_scc1 2", "s_sleep 0x8000", "s_branch 1", "s_wakeup"};
  GroupMachine m({size(), 2}, lines);
  for (unsigned n = 0; n < 2; n++) m.s(n, 0) = n;
  EXPECT_EQ(m.run(engine()).stop, Stop::End);
  // Woken before it sleeps: that counts for the next sleep, and for that alone.
  m.reset();
  m.s(1, 0) = 0, m.s(0, 0) = 1;
  EXPECT_EQ(m.run(engine()).stop, Stop::End);
  m.reset();
  m.s(0, 0) = m.s(1, 0) = 7;
  ASSERT_EQ(m.run(engine()).stop, Stop::Barrier);
  EXPECT_EQ(wave::what_it_waits_for(*m.waves[1]), "sleeps for ever, and no wave is left that could wake it");
}

TEST_P(NamedBarriers, ACreditIsForOneSleep) {
  Lines lines = {"s_cmp_eq_u32 s0, 1",
                 "s_cbranch_scc1 6",
                 "s_barrier_signal -1",
                 "s_barrier_wait -1",
                 "s_getreg_b32 s10, hwreg(HW_REG_STATE_PRIV, 1, 1)",
                 "s_sleep 0x8000",
                 "s_getreg_b32 s11, hwreg(HW_REG_STATE_PRIV, 1, 1)",
                 "s_branch 3",
                 "s_wakeup",
                 "s_barrier_signal -1",
                 "s_barrier_wait -1"};
  GroupMachine m({size(), 2}, lines);
  for (unsigned n = 0; n < 2; n++) m.s(n, 0) = n, m.s(n, 10) = m.s(n, 11) = 9;
  ASSERT_EQ(m.run(engine()).stop, Stop::End);
  EXPECT_EQ(m.s(0, 10), 1u);
  EXPECT_EQ(m.s(0, 11), 0u);
}

TEST_P(NamedBarriers, WakeupOfThoseWhoHaveJoined) {
  Lines lines = {"s_cmp_eq_u32 s0, 2", "s_cbranch_scc1 5", "s_cmp_eq_u32 s0, 1", "s_cbranch_scc0 1",
                 "s_barrier_join 4",   "s_sleep 0x8000",   "s_endpgm",           "s_wakeup_barrier 4"};
  GroupMachine m({size(), 3}, lines);
  for (unsigned n = 0; n < 3; n++) m.s(n, 0) = n;
  auto end = m.run(engine());
  ASSERT_EQ(end.stop, Stop::Barrier);
  EXPECT_EQ(end.wave, 0u) << "the one that has not joined it";
  EXPECT_TRUE(wave::is_over(m.group, 1));
}

TEST_P(NamedBarriers, SleepOfNoTimeIsNone) {
  GroupMachine m({size(), 1}, {"s_mov_b32 s4, 0x80", "s_sleep_var s4", "s_sleep 0", "s_mov_b32 s5, 1"});
  ASSERT_EQ(m.run(engine()).stop, Stop::End);
  EXPECT_EQ(m.s(0, 5), 1u);
}

INSTANTIATE_TEST_SUITE_P(All, NamedBarriers, testing::Combine(testing::Values(32u, 64u), testing::ValuesIn(both_engines)),
                         [](const auto& p) {
                           return "wave" + std::to_string(std::get<0>(p.param)) +
                                  (std::get<1>(p.param) == wave::EngineChoice::Jit ? "_jit" : "_interpreter");
                         });

}  // namespace
}  // namespace Atoll::rdna4::test
