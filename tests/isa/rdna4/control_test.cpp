// Jumps, hardware registers, messages, traps and barriers (RDNA4 ISA 3.4, 5).
#include "isa/rdna4/decode.h"
#include "single_step.h"
#include "wave/work_group.h"

namespace Atoll::rdna4::test {
namespace {

Instruction with_immediate(int32_t immediate, uint16_t dst = NULL_SGPR) {
  Instruction i;
  i.immediate = immediate, i.dst = dst;
  return i;
}
Instruction from_register(int32_t immediate, uint16_t source) {
  Instruction i = with_immediate(immediate);
  i.src[0] = source;
  return i;
}
constexpr int32_t hwreg(int id, int offset, int size) { return int16_t(id | offset << 6 | (size - 1) << 11); }

TEST(Control, Branches) {
  SingleStep wave;
  struct {
    const char* name;
    uint32_t scc, vcc, exec;
    bool taken;
  } cases[] = {{"s_branch", 0, 0, 1, true},         {"s_cbranch_scc0", 0, 0, 1, true},   {"s_cbranch_scc0", 1, 0, 1, false},
               {"s_cbranch_scc1", 1, 0, 1, true},   {"s_cbranch_scc1", 0, 0, 1, false},  {"s_cbranch_vccz", 0, 0, 1, true},
               {"s_cbranch_vccz", 0, 4, 1, false},  {"s_cbranch_vccnz", 0, 4, 1, true},  {"s_cbranch_vccnz", 0, 0, 1, false},
               {"s_cbranch_execz", 0, 0, 0, true},  {"s_cbranch_execz", 0, 0, 8, false}, {"s_cbranch_execnz", 0, 0, 8, true},
               {"s_cbranch_execnz", 0, 0, 0, false}};
  for (auto& c : cases)
    for (int32_t distance : {5, 0, -7}) {
      wave.scc() = c.scc, wave.s(VCC_LO) = c.vcc, wave.s(VCC_HI) = 77, wave.s(EXEC_LO) = c.exec, wave.s(EXEC_HI) = 99;
      wave.run(c.name, with_immediate(distance));
      EXPECT_EQ(wave.w->pc, SingleStep::code_base + 4 + uint64_t(c.taken ? distance * 4 : 0))
          << c.name << " wave32 looks at 32 bits alone";
    }
  SingleStep wide(true);
  wide.set_s64(VCC_LO, uint64_t(1) << 40);
  wide.run("s_cbranch_vccnz", with_immediate(3));
  EXPECT_EQ(wide.w->pc, SingleStep::code_base + 16);
}

TEST(Control, CallsAndReturns) {
  SingleStep wave;
  wave.run("s_getpc_b64", with_immediate(0, 4));
  EXPECT_EQ(wave.s64(4), SingleStep::code_base + 4);
  wave.run("s_call_b64", with_immediate(4, 6));
  EXPECT_EQ(wave.s64(6), SingleStep::code_base + 4);
  EXPECT_EQ(wave.w->pc, SingleStep::code_base + 20);
  wave.set_s64(8, SingleStep::code_base + 40);
  Instruction i;
  i.src[0] = 8, i.dst = 8;
  wave.run("s_swappc_b64", i);
  EXPECT_EQ(wave.w->pc, SingleStep::code_base + 40);
  EXPECT_EQ(wave.s64(8), SingleStep::code_base + 4);
  wave.run("s_setpc_b64", i);
  EXPECT_EQ(wave.w->pc, SingleStep::code_base + 4);
}

TEST(Control, ModeRegister) {
  SingleStep wave;
  wave.run("s_getreg_b32", with_immediate(hwreg(1, 0, 32), 3));
  EXPECT_EQ(wave.s(3), uint32_t(MODE_DEFAULT));
  Instruction set = with_immediate(hwreg(1, 2, 2));
  set.literal = 0xffffffffu;  // only two bits of it count
  wave.run("s_setreg_imm32_b32", set);
  EXPECT_EQ(wave.cell(mode_cell), MODE_DEFAULT | 3u << 2);
  EXPECT_EQ(wave.isa.float_mode(*wave.w).round64, wave::Rounding::TowardZero);
  wave.run("s_round_mode", with_immediate(0x5));
  EXPECT_EQ(wave.cell(mode_cell), 0xf5u);
  wave.run("s_denorm_mode", with_immediate(0x3));
  EXPECT_EQ(wave.cell(mode_cell), 0x35u);
  wave.s(7) = 0xffffffffu;
  wave.run("s_setreg_b32", from_register(hwreg(1, 0, 32), 7));
  EXPECT_EQ(wave.cell(mode_cell), 0x098000ffu) << "fields that do not exist stay 0";
}

// The register stands in the SDST field, and is a source.
TEST(Control, SetregOfARegister) {
  constexpr uint8_t bytes[] = {0x01, 0x38, 0x25, 0xb9};  // s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s37
  auto decoded = decode(bytes);
  ASSERT_TRUE(decoded);
  SingleStep wave;
  wave.s(0) = 0x3a, wave.s(37) = 0xc5;
  wave.run("s_setreg_b32", decoded->main);
  EXPECT_EQ(wave.cell(mode_cell) & 0xff, 0xc5u);
}

TEST(Control, OtherHardwareRegisters) {
  SingleStep wave(true);
  auto get = [&](int id) {
    wave.run("s_getreg_b32", with_immediate(hwreg(id, 0, 32), 3));
    EXPECT_EQ(wave.w->stop, wave::Stop::Run) << id;
    return wave.s(3);
  };
  wave.cell(scratch_base_cell) = 0x1000, wave.cell(scratch_base_cell + 4) = 0x12;
  EXPECT_EQ(get(20), 0x1000u);
  EXPECT_EQ(get(21), 0x12u);
  wave.set_s64(VCC_LO, 1), wave.set_exec(0);
  EXPECT_EQ(get(2), 1u << 16 | 1u << 9 | 1u << 29) << "STATUS: valid, EXECZ, wave64";
  wave.ticks = 100;
  EXPECT_EQ(get(29), 101u);
  wave.scc() = 1;
  EXPECT_EQ(get(4) >> 9 & 1, 1u) << "STATE_PRIV.SCC";
  wave.s(7) = 5;
  wave.run("s_setreg_b32", from_register(hwreg(20, 0, 32), 7));
  EXPECT_EQ(get(20), 0x1000u) << "not writable by a user";
  wave.run("s_setreg_b32", from_register(hwreg(18, 0, 3), 7));
  EXPECT_EQ(get(18), 5u);
  wave.run("s_getreg_b32", with_immediate(hwreg(40, 0, 32), 3));
  EXPECT_EQ(wave.w->stop, wave::Stop::Fault);
  EXPECT_EQ(wave.w->fault.kind, wave::FaultKind::Illegal);
}

TEST(Control, Messages) {
  SingleStep wave;
  wave.s(M0) = 42, wave.reply = 0x1122334455667788;
  wave.run("s_sendmsg", with_immediate(1));
  ASSERT_EQ(wave.messages.size(), 1u);
  EXPECT_EQ(wave.messages[0], (std::pair<uint32_t, uint32_t>(1, 42)));
  Instruction i;
  i.immediate = 0x80, i.dst = 4;
  wave.s(5) = 9;
  wave.run("s_sendmsg_rtn_b32", i);
  EXPECT_EQ(wave.s64(4), 0x55667788u | uint64_t(9) << 32);
  wave.run("s_sendmsg_rtn_b64", i);
  EXPECT_EQ(wave.s64(4), wave.reply);
  wave.ticks = 7, i.immediate = 0x83;
  wave.run("s_sendmsg_rtn_b64", i);
  EXPECT_EQ(wave.s64(4), 8u) << "REALTIME is the clock";
  // As the decoder leaves it.
  const uint8_t words[] = {0x83, 0x4d, 0x84, 0xbe};  // s_sendmsg_rtn_b64 s[4:5], sendmsg(MSG_RTN_GET_REALTIME)
  auto decoded = decode(words);
  ASSERT_TRUE(decoded);
  wave.ticks = 20;
  wave.run("s_sendmsg_rtn_b64", decoded->main);
  EXPECT_EQ(wave.s64(4), 21u);
}

TEST(Control, Stops) {
  SingleStep wave;
  auto stop_of = [&](const char* name, int32_t immediate) {
    wave.run(name, with_immediate(immediate));
    return wave.w->stop;
  };
  EXPECT_EQ(stop_of("s_endpgm", 0), wave::Stop::End);
  EXPECT_EQ(stop_of("s_sleep", 0), wave::Stop::Run);
  EXPECT_EQ(stop_of("s_sleep", 3), wave::Stop::Yield);
  EXPECT_EQ(stop_of("s_sleep", int16_t(0x8000)), wave::Stop::Barrier) << "until somebody wakes it";
  wave.w->waits_at_barrier = false, wave.w->waits_for = wave::WaitsFor::Group;
  EXPECT_EQ(stop_of("s_setkill", 1), wave::Stop::End);
  EXPECT_EQ(stop_of("s_sethalt", 0), wave::Stop::Run);
  EXPECT_EQ(stop_of("s_sethalt", 1), wave::Stop::Fault);
  EXPECT_EQ(stop_of("s_trap", 3), wave::Stop::Run);
  EXPECT_EQ(stop_of("s_trap", 2), wave::Stop::Fault);
  EXPECT_EQ(wave.w->fault.kind, wave::FaultKind::Trap);
  EXPECT_EQ(wave.w->fault.pc, SingleStep::code_base);
  EXPECT_EQ(stop_of("s_code_end", 0), wave::Stop::Fault);
  EXPECT_EQ(wave.w->fault.kind, wave::FaultKind::Illegal);
  EXPECT_EQ(stop_of("s_wait_loadcnt", 0), wave::Stop::Run);
}

class Barriers : public ::testing::Test {
protected:
  static constexpr int count = 3;
  Barriers() {
    wave::reset(group, count);
    for (int n = 0; n < count; n++) waves[n].w->group = &group, waves[n].w->index = uint32_t(n);
  }
  void signal(int n, const char* name = "s_barrier_signal") {
    Instruction i;
    i.src[0] = INTEGER_MINUS_1;
    waves[n].run(name, i);
  }
  wave::Stop wait(int n) {
    waves[n].run("s_barrier_wait", with_immediate(-1));
    return waves[n].w->stop;
  }
  wave::WorkGroup group;
  SingleStep waves[count];
};

TEST_F(Barriers, WaitForAllOfTheGroup) {
  for (int round = 0; round < 3; round++) {
    signal(0), signal(1);
    EXPECT_EQ(wait(0), wave::Stop::Barrier);
    EXPECT_TRUE(waves[0].w->waits_at_barrier);
    EXPECT_EQ(waves[0].w->pc, SingleStep::code_base + 4) << "resumes behind the wait";
    EXPECT_FALSE(wave::may_resume(group, *waves[0].w));
    signal(2);
    EXPECT_EQ(wait(2), wave::Stop::Run) << "the last one need not wait";
    EXPECT_TRUE(wave::may_resume(group, *waves[0].w));
    EXPECT_EQ(wait(1), wave::Stop::Run);
    EXPECT_EQ(wait(1), wave::Stop::Barrier) << "once a round";
    waves[1].w->waits_at_barrier = false;
  }
}

TEST_F(Barriers, FirstOfTheRoundAndState) {
  signal(1, "s_barrier_signal_isfirst");
  EXPECT_EQ(waves[1].scc(), 1u);
  signal(0, "s_barrier_signal_isfirst");
  EXPECT_EQ(waves[0].scc(), 0u);
  Instruction i;
  i.src[0] = INTEGER_MINUS_1, i.dst = 4;
  waves[2].run("s_get_barrier_state", i);
  EXPECT_EQ(waves[2].s(4), 2u << 16 | 3u << 4 | 1u);
  signal(2, "s_barrier_signal_isfirst");
  signal(0, "s_barrier_signal_isfirst");
  EXPECT_EQ(waves[0].scc(), 1u) << "a new round";
}

TEST_F(Barriers, EndedWavesAreNotWaitedFor) {
  signal(0), signal(1);
  EXPECT_EQ(wait(0), wave::Stop::Barrier);
  wave::leave(group, 1);
  EXPECT_TRUE(wave::may_resume(group, *waves[0].w));
  EXPECT_EQ(wait(1), wave::Stop::Run);
  signal(0), signal(1);
  EXPECT_EQ(wait(0), wave::Stop::Run) << "two are left, and two have signalled";
}

TEST_F(Barriers, NothingToWaitForAlone) {
  wave::reset(group, 1);
  waves[0].scc() = 1;
  signal(0, "s_barrier_signal_isfirst");
  EXPECT_EQ(waves[0].scc(), 0u);
  EXPECT_EQ(wait(0), wave::Stop::Run);
  waves[0].w->group = nullptr;
  EXPECT_EQ(wait(0), wave::Stop::Run);
  wave::reset(group, 2);
  waves[0].w->group = &group;
  waves[0].run("s_barrier_wait", with_immediate(-2));
  EXPECT_EQ(waves[0].w->stop, wave::Stop::Run) << "the trap handler's barrier is not the user's";
  waves[0].run("s_barrier_wait", with_immediate(1));
  EXPECT_EQ(waves[0].w->stop, wave::Stop::Run) << "it has joined no named barrier";
}

}  // namespace
}  // namespace Atoll::rdna4::test
