// Launches with a trap handler: traps, memory violations and illegal instructions enter it and come back, waves meet there; on both engines.
#include <gtest/gtest.h>

#include <cstring>

#include "gpu/rdna4/run.h"
#include "isa/rdna4/parse.h"

namespace Atoll::rdna4 {
namespace {

using Lines = std::vector<std::string>;

class TrapHandlers : public testing::TestWithParam<std::tuple<unsigned, hsa::Engine>> {
protected:
  std::unique_ptr<AddressSpace> space = *AddressSpace::create();
  uint64_t start = *space->reserve(4 * page_bytes), handler = start + page_bytes, data = start + 2 * page_bytes;

  TrapHandlers() {
    uint64_t offset = *space->memory().allocate(3 * page_bytes);
    EXPECT_TRUE(space->map(start, offset, 3 * page_bytes));
  }
  unsigned size() const { return std::get<0>(GetParam()); }
  void put(uint64_t at, Lines lines) {
    auto* to = reinterpret_cast<uint32_t*>(space->host(at));
    for (const std::string& line : lines) {
      auto decoded = parse(line, {size()});
      ASSERT_TRUE(decoded) << line << ": " << decoded.error().message;
      auto words = encode(decoded->main, {size()});
      ASSERT_TRUE(words) << line;
      to = std::copy_n(words->dwords.begin(), words->count, to);
    }
  }
  // Two waves run `program`, and then store s20 as their items' results.
  Expected<hsa::RunResult> run_with(Lines program, const Lines& in_handler) {
    for (std::string line :
         {std::string("v_mov_b32 v2, s20"), std::string("v_and_b32 v0, 0x3ff, v0"), std::string("v_lshlrev_b32 v0, 2, v0"),
          fmt::format("s_mov_b32 s0, {:#x}", uint32_t(data)), fmt::format("s_mov_b32 s1, {:#x}", uint32_t(data >> 32)),
          std::string("global_store_b32 v0, v2, s[0:1]"), std::string("s_endpgm")})
      program.push_back(line);
    put(start, program);
    put(handler, in_handler);
    hsa::Dispatch d;
    d.kernel = "k";
    d.wave_size = size();
    d.rsrc1 = 1;  // a few VGPRs
    d.grid = d.group = {2 * size(), 1, 1};
    d.groups = {1, 1, 1};
    d.entry = d.code_start = start;
    d.code_bytes = page_bytes;
    return run(d, *space, {.engine = std::get<1>(GetParam()), .threads = 1, .trap_handler = {handler, page_bytes, 0x1234500}});
  }
  uint32_t result(unsigned item) { return reinterpret_cast<uint32_t*>(space->host(data))[item]; }
};

// To the instruction behind the one that led here, of so many bytes.
Lines back(int bytes) {
  return {fmt::format("s_add_co_u32 ttmp0, ttmp0, {}", bytes), "s_add_co_ci_u32 ttmp1, ttmp1, 0",
          "s_and_b32 ttmp1, ttmp1, 0xffff", "s_rfe_b64 ttmp[0:1]"};
}
Lines operator+(Lines a, const Lines& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST_P(TrapHandlers, TrapsComeBack) {
  // The sum of the traps' numbers, and where the handler's memory is.
  auto ran = run_with({"s_mov_b32 s20, 0", "s_trap 4", "s_trap 9", "s_sendmsg_rtn_b32 s21, sendmsg(MSG_RTN_GET_TMA)",
                       "s_add_co_u32 s20, s20, s21"},
                      Lines{"s_lshr_b32 ttmp2, ttmp1, 28", "s_add_co_u32 s20, s20, ttmp2"} + back(4));
  ASSERT_TRUE(ran) << ran.error().message;
  ASSERT_FALSE(ran->fault) << ran->fault->other;
  for (unsigned n = 0; n < 2 * size(); n++) EXPECT_EQ(result(n), 13u + 0x1234500u);
}

TEST_P(TrapHandlers, MemoryViolationsEnterIt) {
  auto ran = run_with(
      {"s_mov_b32 s20, 0", "v_mov_b32 v4, 0", "v_mov_b32 v5, 0", "global_load_b32 v6, v[4:5], off"},
      Lines{"s_getreg_b32 s20, hwreg(HW_REG_EXCP_FLAG_PRIV)", "s_lshr_b32 ttmp2, ttmp1, 28", "s_or_b32 s20, s20, ttmp2"} +
          back(12));
  ASSERT_TRUE(ran) << ran.error().message;
  ASSERT_FALSE(ran->fault) << ran->fault->other;
  for (unsigned n = 0; n < 2 * size(); n++) EXPECT_EQ(result(n), 3u << 30 | 1u << 4) << "of vector memory; TrapID 0";
}

TEST_P(TrapHandlers, IllegalInstructionsEnterIt) {
  auto ran = run_with({"s_mov_b32 s20, 0", "s_code_end"}, Lines{"s_getreg_b32 s20, hwreg(HW_REG_EXCP_FLAG_PRIV)"} + back(4));
  ASSERT_TRUE(ran) << ran.error().message;
  ASSERT_FALSE(ran->fault) << ran->fault->other;
  for (unsigned n = 0; n < 2 * size(); n++) EXPECT_EQ(result(n), 1u << 6);
}

// An error in the handler itself is a fault.
TEST_P(TrapHandlers, FaultsOfTheHandler) {
  auto ran = run_with({"s_trap 4"}, {"s_code_end"});
  ASSERT_TRUE(ran) << ran.error().message;
  ASSERT_TRUE(ran->fault);
  EXPECT_EQ(ran->fault->kind, gpu::FaultKind::IllegalInstruction);
}

TEST_P(TrapHandlers, WavesMeetThere) {
  const Lines meets = Lines{"s_barrier_signal -2", "s_barrier_wait -2", "s_add_co_u32 s20, s20, 1"} + back(4);
  auto ran = run_with({"s_mov_b32 s20, 7", "s_trap 4", "s_barrier_signal -1", "s_barrier_wait -1", "s_trap 4"}, meets);
  ASSERT_TRUE(ran) << ran.error().message;
  ASSERT_FALSE(ran->fault) << ran->fault->other;
  for (unsigned n = 0; n < 2 * size(); n++) EXPECT_EQ(result(n), 9u);
  // One that goes in alone waits for ever.
  ran = run_with({"v_readfirstlane_b32 s4, v0", "s_and_b32 s4, s4, 0x3ff", "s_cmp_eq_u32 s4, 0", "s_cbranch_scc0 1", "s_trap 4",
                  "s_barrier_signal -1", "s_barrier_wait -1"},
                 meets);
  ASSERT_TRUE(ran) << ran.error().message;
  ASSERT_TRUE(ran->fault);
  EXPECT_NE(ran->fault->other.find("deadlock"), std::string::npos) << ran->fault->other;
}

// The handler enables exceptions when it is asked to (s_trap 4), and counts in s20 those that lead here.
Lines counts(uint32_t control, const Lines& when_counted = {}) {
  Lines lines = {"s_lshr_b32 ttmp2, ttmp1, 28", "s_cmp_eq_u32 ttmp2, 0", "s_cbranch_scc1 7",  // (in words)
                 fmt::format("s_setreg_imm32_b32 hwreg(19), {:#x}", control)};
  lines = lines + back(4);
  lines.push_back("s_add_co_u32 s20, s20, 1");
  lines = lines + when_counted;
  lines.push_back("s_rfe_b64 ttmp[0:1]");
  return lines;
}

TEST_P(TrapHandlers, ExceptionsOfArithmetic) {
  auto ran = run_with({"s_mov_b32 s20, 0", "v_mov_b32 v4, 0", "v_rcp_f32 v5, v4", "s_trap 4", "v_rcp_f32 v5, v4",
                       "v_rcp_f32 v5, 1.0", "v_sqrt_f32 v5, 2.0", "v_rcp_f32 v5, v4",
                       "s_getreg_b32 s21, hwreg(HW_REG_EXCP_FLAG_USER)", "s_lshl_b32 s21, s21, 8", "s_or_b32 s20, s20, s21"},
                      counts(1u << 2));
  ASSERT_TRUE(ran) << ran.error().message;
  ASSERT_FALSE(ran->fault) << ran->fault->other;
  for (unsigned n = 0; n < 2 * size(); n++) EXPECT_EQ(result(n), (0x24u << 8) + 2) << "divisions by 0; a root is inexact";
}

// Single steps go through barriers: the trap comes when the wave is through.
TEST_P(TrapHandlers, SingleStepsThroughABarrier) {
  auto ran = run_with({"s_mov_b32 s20, 0", "s_trap 4", "s_mov_b32 s21, 1", "s_sleep 1", "s_barrier_signal -1",
                       "s_barrier_wait -1", "s_branch 0", "s_mov_b32 s22, s20"},
                      counts(1u << 9));
  ASSERT_TRUE(ran) << ran.error().message;
  ASSERT_FALSE(ran->fault) << ran->fault->other;
  for (unsigned n = 0; n < 2 * size(); n++) EXPECT_EQ(result(n), 6u) << "and v_mov_b32 of the result reads it then";
}

// The handler stores that it was there, and clears TRAP_ON_WAVE_END, or the wave would never end.
TEST_P(TrapHandlers, TheWavesEnd) {
  auto ran =
      run_with({"s_mov_b32 s20, 0", "s_trap 4"},
               counts(1u << 8, {"v_mov_b32 v2, s20", "global_store_b32 v0, v2, s[0:1]", "s_setreg_imm32_b32 hwreg(19), 0"}));
  ASSERT_TRUE(ran) << ran.error().message;
  ASSERT_FALSE(ran->fault) << ran->fault->other;
  for (unsigned n = 0; n < 2 * size(); n++) EXPECT_EQ(result(n), 1u);
}

TEST_P(TrapHandlers, WithoutCode) {
  hsa::Dispatch d;
  d.kernel = "k", d.wave_size = size(), d.grid = d.group = {1, 1, 1}, d.groups = {1, 1, 1};
  d.entry = d.code_start = start, d.code_bytes = page_bytes;
  auto ran = run(d, *space, {.engine = std::get<1>(GetParam()), .trap_handler = {start + 3 * page_bytes, 64, 0}});
  ASSERT_FALSE(ran);
  EXPECT_NE(ran.error().message.find("the trap handler"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, TrapHandlers,
                         testing::Combine(testing::Values(32u, 64u), testing::Values(hsa::Engine::Interpreter, hsa::Engine::Jit)),
                         [](const auto& p) {
                           return "wave" + std::to_string(std::get<0>(p.param)) +
                                  (std::get<1>(p.param) == hsa::Engine::Jit ? "_jit" : "_interpreter");
                         });

}  // namespace
}  // namespace Atoll::rdna4
