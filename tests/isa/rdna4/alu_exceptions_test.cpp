// Exceptions of arithmetic: what EXCP_FLAG_USER notes, and the ways into a trap handler by TRAP_CTRL; on both engines. RDNA4 ISA 3.4.10.
#include "isa/rdna4/alu_exceptions.h"

#include <bit>
#include <cmath>
#include <random>

#include "group_machine.h"
#include "isa/rdna4/watched.h"

namespace Atoll::rdna4::test {
namespace {

using wave::Stop;
using Lines = std::vector<std::string>;

constexpr uint32_t I = ALU_INVALID, D = ALU_INPUT_DENORMAL, Z = ALU_FLOAT_DIV0, O = ALU_OVERFLOW, U = ALU_UNDERFLOW,
                   X = ALU_INEXACT, N = ALU_INT_DIV0;
uint32_t f(float x) { return std::bit_cast<uint32_t>(x); }
constexpr uint32_t f_signaling = 0x7f800001, f_quiet = 0x7fc00000, f_infinity = 0x7f800000, f_least = 0x00800000,
                   f_denormal = 0x00000001, f_most = 0x7f7fffff;
constexpr uint32_t h_1 = 0x3c00, h_most = 0x7bff, h_least = 0x0400, h_signaling = 0x7c01;

struct Case {
  const char* line;
  uint64_t a, b, c;  // v[2:3], v[4:5], v[6:7]
  uint32_t expected;
};
const Case cases[] = {
    {"v_add_f32 v8, v2, v4", f(1), f(2), 0, 0},
    {"v_add_f32 v8, v2, v4", f(1), f(0x1p-30f), 0, X},
    {"v_add_f32 v8, v2, v4", f_most, f_most, 0, O | X},
    {"v_add_f32 v8, v2, v4", f_infinity, f_infinity | 1u << 31, 0, I},
    {"v_add_f32 v8, v2, v4", f_signaling, f(1), 0, I},
    {"v_add_f32 v8, v2, v4", f_quiet, f(1), 0, 0},
    {"v_add_f32 v8, v2, v4", f_denormal, f(0), 0, D | U},
    {"v_sub_f32 v8, v2, v4", f(1), f(1), 0, 0},
    {"v_sub_f32 v8, v2, v4", f_infinity, f_infinity, 0, I},
    {"v_subrev_f32 v8, v2, v4", f_infinity, f_infinity, 0, I},
    {"v_mul_f32 v8, v2, v4", f(3), f(5), 0, 0},
    {"v_mul_f32 v8, v2, v4", f(0), f_infinity, 0, I},
    {"v_mul_f32 v8, v2, v4", f_least, f(0.5f), 0, U},
    {"v_mul_f32 v8, v2, v4", f_least, f(0x1p-30f), 0, U | X},
    {"v_mul_f32 v8, v2, v4", f_most, f(2), 0, O | X},
    {"v_mul_f32_e64 v8, v2, v4 mul:2", f(0.1f), f(0.1f), 0, 0},
    {"v_mul_f32_e64 v8, v2, v4 mul:2", f_most, f(2), 0, O},
    {"v_mul_f32_e64 v8, -v2, |v4|", f_most, f(-2), 0, O | X},
    {"v_mul_dx9_zero_f32 v8, v2, v4", f(0), f_infinity, 0, 0},
    {"v_fma_f32 v8, v2, v4, v6", f(0.1f), f(0.1f), f(1), X},
    {"v_fma_f32 v8, v2, v4, v6", f(2), f(3), f(-6), 0},
    {"v_fma_f32 v8, v2, v4, v6", f(0), f_infinity, f(1), I},
    {"v_fmac_f32 v6, v2, v4", f_most, f(1), f_most, O | X},
    {"v_fmaak_f32 v8, v2, v4, 0x7f7fffff", f_most, f(1), 0, O | X},
    {"v_fmamk_f32 v8, v2, 0x7f7fffff, v4", f(2), f(1), 0, O | X},
    {"v_max_num_f32 v8, v2, v4", f_signaling, f(1), 0, I},
    {"v_max_num_f32 v8, v2, v4", f(3), f(0.1f), 0, 0},
    {"v_med3_num_f32 v8, v2, v4, v6", f(1), f(2), f_signaling, I},
    {"v_cmp_lt_f32 vcc_lo, v2, v4", f_quiet, f(1), 0, 0},
    {"v_cmp_lt_f32 vcc_lo, v2, v4", f_signaling, f(1), 0, I},
    {"v_cmp_lt_f32_e64 s2, v2, v4 clamp", f_quiet, f(1), 0, I},
    {"v_cmp_class_f32 vcc_lo, v2, v4", f_signaling, 1, 0, 0},
    {"v_mov_b32 v8, v2", f_signaling, 0, 0, 0},
    {"v_add_nc_u32 v8, v2, v4", ~0u, 1, 0, 0},
    {"v_rcp_f32 v8, v2", f(0), 0, 0, Z},
    {"v_rcp_f32 v8, v2", f(4), 0, 0, 0},
    {"v_rcp_f32 v8, v2", f(3), 0, 0, X},
    {"v_rcp_iflag_f32 v8, v2", f(0), 0, 0, N},
    {"v_rcp_iflag_f32 v8, v2", f_signaling, 0, 0, 0},
    {"v_rsq_f32 v8, v2", f(-1), 0, 0, I},
    {"v_rsq_f32 v8, v2", f(0), 0, 0, Z},
    {"v_rsq_f32 v8, v2", f(16), 0, 0, 0},
    {"v_rsq_f32 v8, v2", f(2), 0, 0, X},
    {"v_sqrt_f32 v8, v2", f(-1), 0, 0, I},
    {"v_sqrt_f32 v8, v2", f(9), 0, 0, 0},
    {"v_sqrt_f32 v8, v2", f(2), 0, 0, X},
    {"v_exp_f32 v8, v2", f(10), 0, 0, 0},
    {"v_exp_f32 v8, v2", f(0.5f), 0, 0, X},
    {"v_exp_f32 v8, v2", f(200), 0, 0, O | X},
    {"v_exp_f32 v8, v2", f(-130), 0, 0, U},
    {"v_exp_f32 v8, v2", f(-200), 0, 0, U | X},
    {"v_log_f32 v8, v2", f(0), 0, 0, Z},
    {"v_log_f32 v8, v2", f(-1), 0, 0, I},
    {"v_log_f32 v8, v2", f(8), 0, 0, 0},
    {"v_log_f32 v8, v2", f(3), 0, 0, X},
    {"v_sin_f32 v8, v2", f_infinity, 0, 0, I},
    {"v_sin_f32 v8, v2", f(0.25f), 0, 0, 0},
    {"v_cos_f32 v8, v2", f(0.1f), 0, 0, X},
    {"v_floor_f32 v8, v2", f(1.5f), 0, 0, 0},
    {"v_floor_f32 v8, v2", f_signaling, 0, 0, I},
    {"v_ldexp_f32 v8, v2, v4", f(1), 200, 0, O | X},
    {"v_ldexp_f32 v8, v2, v4", f(1), uint32_t(-140), 0, U},
    {"v_ldexp_f32 v8, v2, v4", f(3), 4, 0, 0},
    {"v_div_fixup_f32 v8, v2, v4, v6", f(1), f(0), f(3), Z},
    {"v_div_fixup_f32 v8, v2, v4, v6", f(1), f(0), f(0), I},
    {"v_div_fixup_f32 v8, v2, v4, v6", f_signaling, f(1), f(1), 0},
    {"v_cvt_i32_f32 v8, v2", f(1.5f), 0, 0, 0},
    {"v_cvt_i32_f32_e64 v8, v2 clamp", f(1.5f), 0, 0, X},
    {"v_cvt_i32_f32 v8, v2", f(3e9f), 0, 0, I},
    {"v_cvt_u32_f32 v8, v2", f(-1), 0, 0, I},
    {"v_cvt_u32_f32 v8, v2", f_quiet, 0, 0, I},
    {"v_cvt_f32_i32 v8, v2", 0x01000001, 0, 0, X},
    {"v_cvt_f32_i32 v8, v2", 0x01000002, 0, 0, 0},
    {"v_cvt_f32_u32 v8, v2", ~0u, 0, 0, X},
    {"v_cvt_f16_f32 v8, v2", f(1), 0, 0, 0},
    {"v_cvt_f16_f32 v8, v2", f(0.1f), 0, 0, X},
    {"v_cvt_f16_f32 v8, v2", f(1e6f), 0, 0, O | X},
    {"v_cvt_f16_f32 v8, v2", f(0x1p-20f), 0, 0, U},
    {"v_cvt_f16_f32 v8, v2", f(0x1p-30f), 0, 0, U | X},
    {"v_cvt_f32_f16 v8, v2", h_signaling, 0, 0, I},
    {"v_cvt_f32_f16 v8, v2", 1, 0, 0, D},
    {"v_cvt_f16_u16 v8, v2", 65535, 0, 0, O | X},
    {"v_cvt_f16_i16 v8, v2", 2049, 0, 0, X},
    {"v_cvt_pk_rtz_f16_f32 v8, v2, v4", f(1), f(0.1f), 0, X},
    {"v_add_f16 v8, v2, v4", h_1, h_1, 0, 0},
    {"v_add_f16 v8, v2, v4", h_1, 0x1000, 0, X},
    {"v_add_f16 v8, v2, v4", h_most, h_most, 0, O | X},
    {"v_mul_f16 v8, v2, v4", h_least, h_least, 0, U | X},
    {"v_mul_f16 v8, v2, v4", h_least, 0x3800, 0, U},
    {"v_fma_f16 v8, v2, v4, v6", h_most, h_1, h_most, O | X},
    {"v_fma_f16 v8, v2, v4, v6", 0x3c01, 0x3c01, 0, X},
    {"v_rcp_f16 v8, v2", 0, 0, 0, Z},
    {"v_pk_add_f16 v8, v2, v4", h_most << 16, h_most << 16, 0, O | X},
    {"v_pk_mul_f16 v8, v2, v4", h_signaling, h_1, 0, I},
    {"v_fma_mix_f32 v8, v2, v4, v6", f_most, f(2), f(0), O | X},
    {"v_fma_mixlo_f16 v8, v2, v4, v6", f(1e6f), f(1), f(0), O | X},
    {"v_add_f64 v[8:9], v[2:3], v[4:5]", 0x3ff0000000000000, 0x3c00000000000000, 0, X},
    {"v_mul_f64 v[8:9], v[2:3], v[4:5]", 0x7fe0000000000000, 0x4010000000000000, 0, O | X},
    {"v_mul_f64 v[8:9], v[2:3], v[4:5]", 0x0010000000000000, 0x3fe0000000000000, 0, U},
    {"v_fma_f64 v[8:9], v[2:3], v[4:5], v[6:7]", 0, 0x7ff0000000000000, 0, I},
    {"v_rcp_f64 v[8:9], v[2:3]", 0, 0, 0, Z},
    {"v_sqrt_f64 v[8:9], v[2:3]", 0xbff0000000000000, 0, 0, I},
    {"v_cvt_f32_f64 v8, v[2:3]", 0x47f0000000000000, 0, 0, O | X},
    {"v_cvt_f32_f64 v8, v[2:3]", 0x3fb999999999999a, 0, 0, X},
    {"v_cvt_i32_f64 v8, v[2:3]", 0x41e0000000000000, 0, 0, I},
    {"v_ldexp_f64 v[8:9], v[2:3], v4", 0x3ff0000000000000, 2000, 0, O | X},
    {"v_dual_mul_f32 v8, v2, v4 :: v_dual_add_f32 v9, v4, v3", f_most, f(2), f(1), O | X},
    {"v_dual_mov_b32 v8, v2 :: v_dual_mul_f32 v9, v4, v7", f(1), f_infinity, 0, I},
    {"v_wmma_f32_16x16x16_f16 v[8:15], v[16:19], v[20:23], v[8:15]", 0, 0, 0, 0},
    {"v_dot2_f32_f16 v8, v2, v4, v6", h_signaling, h_signaling, f_signaling, 0},
    {"s_mul_f32 s4, s2, s3", f_most, f(2), 0, O | X},
    {"s_add_f32 s4, s2, s3", f(1), f(0x1p-30f), 0, X},
    {"s_fmac_f32 s4, s2, s3", f_most, f(1), f_most, O | X},
    {"s_add_f16 s4, s2, s3", h_most, h_most, 0, O | X},
    {"s_cvt_hi_f32_f16 s4, s2", h_signaling << 16, 0, 0, I},
    {"s_cmp_lt_f32 s2, s3", f_signaling, 0, 0, I},
    {"s_cvt_i32_f32 s4, s2", f_quiet, 0, 0, I},
    {"v_s_rcp_f32 s4, s2", f(0), 0, 0, Z},
    {"v_s_sqrt_f16 s4, s2", 0xbc00, 0, 0, I},
    {"v_s_log_f32 s4, -s2", f(1), 0, 0, I},
};

class AluExceptions : public testing::TestWithParam<std::tuple<unsigned, wave::EngineChoice>> {
protected:
  unsigned size() const { return std::get<0>(GetParam()); }
  GroupMachine& machine(const Lines& lines) {
    m = std::make_unique<GroupMachine>(GroupMachine::Shape{size(), 1, {}, Exceptions::watched}, lines);
    return *m;
  }
  Stop run() { return m->run(std::get<1>(GetParam())).stop; }
  void set(unsigned lane, const Case& c) {
    const uint64_t values[] = {c.a, c.b, c.c};
    for (uint32_t n = 0; n < 3; n++)
      m->v(0, 2 + 2 * n, lane) = uint32_t(values[n]), m->v(0, 3 + 2 * n, lane) = uint32_t(values[n] >> 32);
  }
  std::unique_ptr<GroupMachine> m;
};

// In one lane; the others hold what raises everything, and are not active.
TEST_P(AluExceptions, WhatEachRaises) {
  for (const Case& c : cases) {
    if (std::string(c.line).starts_with("v_dual") && size() == 64) continue;
    std::string line = c.line;
    if (size() == 64) {
      if (line.starts_with("v_wmma")) continue;
      if (size_t at = line.find("vcc_lo"); at != line.npos) line.replace(at, 6, "vcc");
      if (size_t at = line.find(" s2, v"); at != line.npos) line.replace(at, 4, " s[2:3],");
    }
    auto& a = machine({line, "s_getreg_b32 s0, hwreg(HW_REG_EXCP_FLAG_USER)"});
    const unsigned lane = size() - 3;
    for (unsigned other = 0; other < size(); other++)
      set(other, other == lane ? c : Case{"", 0x7ff0000100000001 | f_signaling, 0x7ff000017f800001, 0x7c017c01, 0});
    a.s(0, EXEC_LO) = size() == 32 ? 1u << lane : 0;
    if (size() == 64) a.s(0, EXEC_HI) = 1u << (lane - 32);
    a.s(0, 2) = uint32_t(c.a), a.s(0, 3) = uint32_t(c.b), a.s(0, 4) = uint32_t(c.c);
    ASSERT_EQ(run(), Stop::End) << line << ": " << a.reason(0);
    EXPECT_EQ(a.s(0, 0), c.expected) << line << " of " << std::hex << c.a << ", " << c.b << ", " << c.c;
  }
}

TEST_P(AluExceptions, FlagsStayUntilTheyAreCleared) {
  auto& a = machine({"v_rcp_f32 v8, v2", "v_mul_f32 v8, v4, v4", "s_getreg_b32 s0, hwreg(HW_REG_EXCP_FLAG_USER)",
                     "s_setreg_imm32_b32 hwreg(HW_REG_EXCP_FLAG_USER, 2, 1), 0", "s_getreg_b32 s1, hwreg(HW_REG_EXCP_FLAG_USER)",
                     "v_mov_b32 v2, 1.0", "v_rcp_f32 v8, v2", "s_getreg_b32 s2, hwreg(HW_REG_EXCP_FLAG_USER)"});
  for (unsigned lane = 0; lane < size(); lane++) a.v(0, 2, lane) = 0, a.v(0, 4, lane) = f_most;
  ASSERT_EQ(run(), Stop::End);
  EXPECT_EQ(a.s(0, 0), Z | O | X);
  EXPECT_EQ(a.s(0, 1), O | X);
  EXPECT_EQ(a.s(0, 2), O | X);
}

// With denormals flushed: noted as operands, and zero for what comes of them.
TEST_P(AluExceptions, FlushedDenormals) {
  auto& a = machine({"v_add_f32 v8, v2, v4", "s_getreg_b32 s0, hwreg(HW_REG_EXCP_FLAG_USER)"});
  a.cell(0, mode_cell) = 0;
  for (unsigned lane = 0; lane < size(); lane++) a.v(0, 2, lane) = f_denormal, a.v(0, 4, lane) = 0;
  ASSERT_EQ(run(), Stop::End);
  EXPECT_EQ(a.s(0, 0), D);
  auto& b = machine({"v_mul_f32 v8, v2, v4", "s_getreg_b32 s0, hwreg(HW_REG_EXCP_FLAG_USER)"});
  b.cell(0, mode_cell) = 0;
  for (unsigned lane = 0; lane < size(); lane++) b.v(0, 2, lane) = f_least, b.v(0, 4, lane) = f(0.5f);
  ASSERT_EQ(run(), Stop::End);
  EXPECT_EQ(b.s(0, 0), U | X);
}

// BUFFER_OOB, which no trap follows: of any active lane's dword beyond the records, of texels as a whole.
TEST_P(AluExceptions, BuffersThatAreLeft) {
  struct Access {
    const char* line;
    uint32_t offset;  // of the last lane that is active
    bool leaves;
  };
  for (const Access& c : {Access{"buffer_load_b32 v8, v2, s[8:11], null offen", 60, false},
                          Access{"buffer_load_b32 v8, v2, s[8:11], null offen", 64, true},
                          Access{"buffer_load_b64 v[8:9], v2, s[8:11], null offen", 60, true},
                          Access{"buffer_load_u8 v8, v2, s[8:11], null offen", 63, false},
                          Access{"buffer_store_b128 v[8:11], v2, s[8:11], null offen", 48, false},
                          Access{"buffer_store_b128 v[8:11], v2, s[8:11], null offen", 52, true},
                          Access{"buffer_load_format_xyzw v[8:11], v2, s[8:11], null offen", 60, false},  // 8_8_8_8
                          Access{"buffer_load_format_x v8, v2, s[8:11], null offen", 62, true},
                          Access{"buffer_atomic_add_u64 v[8:9], v2, s[8:11], null offen", 60, true}}) {
    auto& a = machine({c.line, "s_getreg_b32 s0, hwreg(HW_REG_EXCP_FLAG_USER)"});
    a.base = {0x8000000000123400, 0};
    a.cell(0, trap_control_cell) = 0x7f;
    a.s(0, 8) = GroupMachine::memory_base, a.s(0, 9) = 0, a.s(0, 10) = 64;
    a.s(0, 11) = 42u << 12 | 4 | 5 << 3 | 6 << 6 | 7 << 9 | 3u << 28;
    a.s(0, EXEC_LO) = 0x10, a.s(0, EXEC_HI) = size() == 64 ? 1u << 3 : 0;
    for (unsigned lane = 0; lane < size(); lane++) a.v(0, 2, lane) = 5000;
    a.v(0, 2, 4) = size() == 64 ? 0 : c.offset;
    if (size() == 64) a.v(0, 2, 35) = c.offset;
    ASSERT_EQ(run(), Stop::End) << c.line << ": " << a.reason(0);
    EXPECT_EQ(a.s(0, 0), c.leaves ? EXCP_BUFFER_OOB : 0u) << c.line << " at " << c.offset;
  }
}

TEST_P(AluExceptions, AnEnabledOneEntersTheHandler) {
  const Lines lines = {"v_mul_f32 v8, v2, v2", "v_rcp_f32 v8, v4", "s_mov_b32 s0, 1"};
  auto& a = machine(lines);
  a.base = {0x8000000000123400, 0};
  a.cell(0, trap_control_cell) = ALU_FLOAT_DIV0;
  for (unsigned lane = 0; lane < size(); lane++) a.v(0, 2, lane) = f_most, a.v(0, 4, lane) = 0;
  ASSERT_EQ(run(), Stop::Elsewhere);
  EXPECT_EQ(a.waves[0]->pc, 0x123400u);
  EXPECT_TRUE(a.waves[0]->privileged);
  EXPECT_EQ(a.s(0, TTMP0), GroupMachine::code_base + 8) << "behind the instruction";
  EXPECT_EQ(a.s(0, TTMP0 + 1), 0u) << "TrapID 0";
  EXPECT_EQ(a.cell(0, trap_status_cell), Z | O | X);
  EXPECT_EQ(a.v(0, 8, 0), f_infinity) << "the result is written";
  EXPECT_EQ(a.s(0, 0), 0u);
  // Not without a handler, nor in it.
  machine(lines);
  m->cell(0, trap_control_cell) = 0x7f;
  EXPECT_EQ(run(), Stop::End);
  machine(lines);
  m->base = {0x8000000000123400, 0};
  m->cell(0, trap_control_cell) = 0x7f;
  m->waves[0]->privileged = true;
  EXPECT_EQ(run(), Stop::End);
}

TEST_P(AluExceptions, SingleSteps) {
  auto& a = machine({"s_mov_b32 s0, 1", "s_branch 1", "s_mov_b32 s0, 2", "s_mov_b32 s1, 3"});
  a.base = {0x8000000000123400, 0};
  a.cell(0, trap_control_cell) = TRAP_AFTER_INST;
  const uint64_t next[] = {4, 12, 16};
  for (uint64_t pc : next) {
    ASSERT_EQ(run(), Stop::Elsewhere);
    EXPECT_EQ(a.s(0, TTMP0), GroupMachine::code_base + pc);
    EXPECT_EQ(a.cell(0, private_flags_cell), uint32_t(EXCP_TRAP_AFTER_INST));
    a.waves[0]->privileged = false, a.waves[0]->pc = a.s(0, TTMP0), a.waves[0]->stop = Stop::Run;
  }
  ASSERT_EQ(run(), Stop::End) << "not after s_endpgm";
  EXPECT_EQ(a.s(0, 0), 1u);
  EXPECT_EQ(a.s(0, 1), 3u);
}

TEST_P(AluExceptions, BeforeTheWaveEnds) {
  auto& a = machine({"s_mov_b32 s0, 1"});
  a.base = {0x8000000000123400, 0};
  a.cell(0, trap_control_cell) = TRAP_ON_WAVE_END;
  ASSERT_EQ(run(), Stop::Elsewhere);
  EXPECT_EQ(a.s(0, TTMP0), GroupMachine::code_base + 4) << "of s_endpgm itself";
  EXPECT_EQ(a.cell(0, private_flags_cell), uint32_t(EXCP_WAVE_END));
  a.cell(0, trap_control_cell) = 0;
  a.waves[0]->privileged = false, a.waves[0]->pc = a.s(0, TTMP0), a.waves[0]->stop = Stop::Run;
  EXPECT_EQ(run(), Stop::End);
}

INSTANTIATE_TEST_SUITE_P(All, AluExceptions, testing::Combine(testing::Values(32u, 64u), testing::ValuesIn(both_engines)),
                         [](const auto& p) {
                           return "wave" + std::to_string(std::get<0>(p.param)) +
                                  (std::get<1>(p.param) == wave::EngineChoice::Jit ? "_jit" : "_interpreter");
                         });

// Every opcode with float operands has a rule, or is one that reports nothing.
TEST(AluExceptionRules, CoverEveryOpcode) {
  for (const Opcode& row : opcodes()) {
    const std::string name = row.name;
    bool floats = false;
    for (const OperandRow& o : row.rows()) floats |= o.slot == Slot::Src0 && o.type.base == Type::F && o.type.count <= 2;
    const bool alu = row.format == Format::VOP1 || row.format == Format::VOP2 || row.format == Format::VOPC ||
                     row.format == Format::VOP3 || row.format == Format::VOP3P || row.format == Format::SOP1 ||
                     row.format == Format::SOP2 || row.format == Format::SOPC;
    if (!floats || !alu || alu_operation(row).rule != AluRule::none) continue;
    bool silent = false;
    for (const char* part :
         {"class", "dot", "interp", "wmma", "swmmac", "ubyte", "pack_b32", "trig_preop", "cndmask", "_mov_", "cvt_off"})
      silent |= name.find(part) != std::string::npos;
    EXPECT_TRUE(silent) << name;
  }
}

// Sums and products of random numbers, against wider floats.
TEST(AluExceptionRules, RandomArithmetic) {
  std::mt19937 random(7);
  auto operation = [](const char* name, Format format) { return alu_operation(*find(name, format)); };
  const AluOperation add32 = operation("v_add_f32", Format::VOP2), mul32 = operation("v_mul_f32", Format::VOP2),
                     add16 = operation("v_add_f16", Format::VOP2), mul16 = operation("v_mul_f16", Format::VOP2);
  Instruction i;
  for (int n = 0; n < 200000; n++) {
    auto single = [&] { return (random() & 0x807fffffu) | (random() % 2 ? 100 + random() % 60 : random() % 255) << 23; };
    const uint32_t a = single(), b = single();
    const long double x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
    auto expected = [](long double exact, long double rounded, long double least, long double most) {
      uint32_t flags = exact != rounded ? X : 0;
      if (std::fabs(rounded) > most) flags |= O | X;
      if (exact != 0 && std::fabs(exact) < least) flags |= U;
      return flags;
    };
    auto denormal = [](uint32_t v) { return v & 0x7fffffff && !(v & 0x7f800000) ? D : 0u; };
    // (products of two floats fit a long double)
    const long double product = x * y;
    ASSERT_EQ(alu_exceptions(mul32, i, {a, b, 0}, {}),
              expected(product, float(product), 0x1p-126L, 0x1.fffffep127L) | denormal(a) | denormal(b))
        << std::hex << a << " * " << b;
    if (std::abs(std::ilogb(x) - std::ilogb(y)) < 38 && x != 0 && y != 0) {
      const long double sum = x + y;
      ASSERT_EQ(alu_exceptions(add32, i, {a, b, 0}, {}),
                expected(sum, float(sum), 0x1p-126L, 0x1.fffffep127L) | denormal(a) | denormal(b))
          << std::hex << a << " + " << b;
    }
    auto half = [&] { return uint16_t((random() & 0x83ffu) | random() % 31 << 10); };
    const uint16_t c = half(), d = half();
    auto value = [](uint16_t h) { return double(std::bit_cast<_Float16>(h)); };
    auto small = [](uint16_t v) { return v & 0x7fff && !(v & 0x7c00) ? D : 0u; };
    const double half_product = value(c) * value(d), half_sum = value(c) + value(d);
    ASSERT_EQ(alu_exceptions(mul16, i, {c, d, 0}, {}),
              expected(half_product, double(_Float16(half_product)), 0x1p-14L, 65504) | small(c) | small(d))
        << std::hex << c << " * " << d;
    ASSERT_EQ(alu_exceptions(add16, i, {c, d, 0}, {}),
              expected(half_sum, double(_Float16(half_sum)), 0x1p-14L, 65504) | small(c) | small(d))
        << std::hex << c << " + " << d;
  }
}

TEST(AluExceptionRules, ProgramsThatReadThem) {
  auto reads = [](const Lines& lines) { return reads_exceptions(assembled(lines, 32)); };
  EXPECT_TRUE(reads({"s_mov_b32 s0, 1", "s_getreg_b32 s1, hwreg(HW_REG_EXCP_FLAG_USER, 3, 2)"}));
  EXPECT_FALSE(reads({"s_getreg_b32 s1, hwreg(HW_REG_MODE)", "s_setreg_imm32_b32 hwreg(HW_REG_EXCP_FLAG_USER), 0"}));
}

}  // namespace
}  // namespace Atoll::rdna4::test
