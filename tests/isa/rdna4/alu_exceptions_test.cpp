// Exceptions of arithmetic: what EXCP_FLAG_USER notes, and the ways into a trap handler by TRAP_CTRL; on both engines. RDNA4 ISA 3.4.10.
#include "isa/rdna4/alu_exceptions.h"

#include <bit>

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
    {"v_exp_f32 v8, v2", f(-130), 0, 0, U | X},  // flushed
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
    // Conversions that raise nothing on a card (docs/errata.md).
    {"v_cvt_pk_rtz_f16_f32 v8, v2, v4", f(1), f(0.1f), 0, 0},
    {"v_cvt_pk_norm_i16_f32 v8, v2, v4", f_signaling, f_denormal, 0, 0},
    {"v_cvt_norm_u16_f16 v8, v2", h_signaling, 0, 0, 0},
    {"v_cvt_floor_i32_f32 v8, v2", f_signaling, 0, 0, 0},
    {"v_cvt_nearest_i32_f32 v8, v2", f_quiet, 0, 0, 0},
    {"v_cvt_nearest_i32_f32 v8, v2", f(3e9f), 0, 0, I},
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
    // f32's transcendentals and V_FMA_DX9_ZERO take denormals for zeros, and make zeros of them, in every mode (7.2.4).
    {"v_rcp_f32 v8, v2", f_denormal, 0, 0, D | Z},
    {"v_rcp_f32 v8, v2", f(0x1p127f), 0, 0, U | X},
    {"v_rcp_iflag_f32 v8, v2", f_denormal, 0, 0, N},
    {"v_rsq_f32 v8, v2", f_denormal | 1u << 31, 0, 0, D | Z},
    {"v_sqrt_f32 v8, v2", f_denormal, 0, 0, D},
    {"v_sqrt_f32 v8, v2", f_denormal | 1u << 31, 0, 0, D},
    {"v_exp_f32 v8, v2", f_denormal, 0, 0, D},
    {"v_log_f32 v8, v2", f_denormal | 1u << 31, 0, 0, D | Z},
    {"v_cos_f32 v8, v2", f_denormal, 0, 0, D},
    {"v_s_rcp_f32 s4, s2", f_denormal, 0, 0, D | Z},
    {"v_sin_f32 v8, v2", f_denormal, 0, 0, D | U | X},
    {"v_rcp_f16 v8, v2", 1, 0, 0, D | O | X},
    {"v_sqrt_f16 v8, v2", 1, 0, 0, D},
    {"v_rcp_f64 v[8:9], v[2:3]", 0x7fe0000000000000, 0, 0, U},
    {"v_fma_dx9_zero_f32 v8, v2, v4, v6", f_denormal, f_infinity, f(1), D},
    {"v_fma_dx9_zero_f32 v8, v2, v4, v6", f_least, f(0.5f), f(0), U | X},
    // Results below the least normal number underflow, also if they are rounded to that.
    {"v_mul_f32 v8, v2, v4", f(0x1.0008p-1f), f(0x1.fffp-126f), 0, U | X},
    {"v_fma_f32 v8, v2, v4, v6", f(0x1.0008p-1f), f(0x1.fffp-126f), 0, U | X},
    {"v_mul_f64 v[8:9], v[2:3], v[4:5]", 0x3fe0000001000000, 0x001ffffffe000000, 0, U | X},
    {"v_cvt_f32_f64 v8, v[2:3]", 0x380fffffff800000, 0, 0, U | X},
    {"v_mul_f16 v8, v2, v4", 0x3804, 0x07f8, 0, U | X},
    // Both halves of a packed result count, and each operand of a conversion by itself.
    {"v_pk_fmac_f16 v6, v2, v4", h_most << 16, h_1 << 16, h_most << 16, O | X},
    {"v_pk_fmac_f16 v6, v2, v4", h_most, h_1, h_most, O | X},
    {"s_cvt_pk_rtz_f16_f32 s4, s2, s3", f_quiet, f(0.1f), 0, X},
    {"v_fmac_f16 v6.h, v2.h, v4.h", h_most << 16, h_1 << 16, h_most << 16, O | X},
    {"v_fmac_f16 v6.l, v2.h, v4.h", h_most << 16, h_1 << 16, h_most << 16, 0},
    {"v_add_f16_e64 v8, v2, v4 op_sel:[1,1,0]", h_most << 16, h_most << 16, 0, O | X},
    // Halves of a mixed multiply-add are operands as they stand.
    {"v_fma_mix_f32 v8, v2, v4, v6 op_sel_hi:[1,0,0]", 1, f(1), f(0), D},
    {"v_fma_mix_f32 v8, v2, v4, v6 op_sel_hi:[1,0,0]", h_signaling, f(1), f(0), I},
    {"v_fma_mix_f32 v8, v2, v4, v6 op_sel:[1,0,0] op_sel_hi:[1,0,0]", h_signaling, f(1), f(0), 0},
    {"v_fma_mix_f32 v8, -|v2|, v4, v6 op_sel_hi:[1,0,0]", 0xfc00, f(1), f_infinity, I},
    {"v_fma_mixlo_f16 v8, v2, v4, v6", f(0x1p-20f), f(1), f(0), U},
    // Integers that do not fit.
    {"v_cvt_pk_i16_f32 v8, v2, v4", f(1), f(40000), 0, I},
    {"v_cvt_pk_i16_f32 v8, v2, v4", f(-32768.5f), f(1.5f), 0, 0},
    {"v_cvt_pk_u16_f32 v8, v2, v4", f(-1), f(1), 0, I},
    {"v_cvt_pk_u16_f32 v8, v2, v4", f(65535), f_quiet, 0, I},
    {"v_cvt_pk_u8_f32 v8, v2, v4, v6", f(256), 0, 0, I},
    {"v_cvt_pk_u8_f32 v8, v2, v4, v6", f(255.5f), 0, f_signaling, 0},
    // x - floor(x).
    {"v_fract_f32 v8, v2", f_infinity, 0, 0, I},
    {"v_fract_f32 v8, v2", f(-0x1p-30f), 0, 0, X},
    {"v_fract_f32 v8, v2", f(-1.25f), 0, 0, 0},
    {"v_fract_f16 v8, v2", 0x8400, 0, 0, X},
    {"v_fract_f64 v[8:9], v[2:3]", 0xbc00000000000000, 0, 0, X},
    // A product that is not taken raises nothing; 0 times anything is 0 (errata F6).
    {"v_mullit_f32 v8, v2, v4, v6", f(2), f_most, f(1), O | X},
    {"v_mullit_f32 v8, v2, v4, v6", f(2), f_most, f(-1), 0},
    {"v_mullit_f32 v8, v2, v4, v6", f(0), f_infinity, f(1), 0},
    {"v_cubema_f32 v8, v2, v4, v6", f(1), f(-2), f_most, O | X},
    {"v_cubema_f32 v8, v2, v4, v6", f(1), f(-2), f(3), 0},
    {"v_dual_fmac_f32 v6, v2, v4 :: v_dual_mov_b32 v9, v3", f_most, f(1), f_most, O | X},
    {"v_div_scale_f32 v8, vcc_lo, v2, v4, v6", f(1), f(0), f(1), 0},
    {"v_div_scale_f32 v8, vcc_lo, v2, v4, v6", f_signaling, f(1), f(1), I},
    {"v_frexp_mant_f32 v8, v2", f_signaling, 0, 0, I},
    {"v_ldexp_f16 v8, v2, v4", h_1, 20, 0, O | X},
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

// V_DIV_FMAS scales what VCC says, up or down by the size of the quotient so far (errata F1): that result overflows or underflows.
TEST_P(AluExceptions, DivisionsThatAreScaledBack) {
  struct Division {
    float sum;  // the approximate quotient; the residue is 0
    bool scaled;
    uint32_t expected;
  };
  for (const Division& c : {Division{0x1p100f, true, O | X}, Division{0x1p100f, false, 0}, Division{0x1p30f, true, 0},
                            Division{0x1p-70f, true, U}, Division{0x1p-100f, true, U | X}, Division{0x1p-70f, false, 0},
                            Division{0x1.000002p-63f, true, U | X}, Division{0x1p-62f, true, 0}}) {
    auto& a = machine({"v_div_fmas_f32 v8, v2, v4, v6", "s_getreg_b32 s0, hwreg(HW_REG_EXCP_FLAG_USER)"});
    for (unsigned lane = 0; lane < size(); lane++) set(lane, {"", f(0), f(1), f(0), 0});
    const unsigned lane = size() - 2;
    set(lane, {"", f(0), f(1), f(c.sum), 0});
    a.s(0, VCC_LO) = c.scaled && size() == 32 ? 1u << lane : 0, a.s(0, VCC_HI) = c.scaled && size() == 64 ? 1u << (lane - 32) : 0;
    ASSERT_EQ(run(), Stop::End) << a.reason(0);
    EXPECT_EQ(a.s(0, 0), c.expected) << c.sum << (c.scaled ? " scaled" : "");
  }
  auto& a = machine({"v_div_fmas_f64 v[8:9], v[2:3], v[4:5], v[6:7]", "s_getreg_b32 s0, hwreg(HW_REG_EXCP_FLAG_USER)"});
  for (unsigned lane = 0; lane < size(); lane++) set(lane, {"", 0, 0x3ff0000000000000, 0x7f00000000000000, 0});
  a.s(0, VCC_LO) = 2;
  ASSERT_EQ(run(), Stop::End) << a.reason(0);
  EXPECT_EQ(a.s(0, 0), O | X);
}

// The lanes whose operands count when lanes are moved: those that are read.
TEST_P(AluExceptions, MovedLanes) {
  for (bool read : {true, false}) {
    auto& a = machine({"v_mul_f32_dpp v8, v2, v4 quad_perm:[1,1,1,1] row_mask:0xf bank_mask:0xf",
                       "s_getreg_b32 s0, hwreg(HW_REG_EXCP_FLAG_USER)"});
    for (unsigned lane = 0; lane < size(); lane++) set(lane, {"", f(1), f(4), 0, 0});
    a.v(0, 2, read ? 1 : 2) = f_most;
    ASSERT_EQ(run(), Stop::End) << a.reason(0);
    EXPECT_EQ(a.s(0, 0), read ? O | X : 0u);
  }
}

// A vector instruction that writes EXEC raises what its lanes before it say.
TEST_P(AluExceptions, ComparisonsThatWriteExec) {
  auto& a = machine({"v_cmpx_lt_f32 v2, v4", "s_getreg_b32 s0, hwreg(HW_REG_EXCP_FLAG_USER)"});
  for (unsigned lane = 0; lane < size(); lane++) set(lane, {"", f(1), f(0), 0, 0});
  a.v(0, 2, 7) = f_signaling;
  ASSERT_EQ(run(), Stop::End);
  EXPECT_EQ(a.s(0, 0), I);
  EXPECT_EQ(a.s(0, EXEC_LO), 0u);
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

// After a sleep, too, and after what does nothing since its destination lies beyond the allocation.
TEST_P(AluExceptions, SingleStepsOverSleepAndNothing) {
  m = std::make_unique<GroupMachine>(GroupMachine::Shape{size(), 1, {.vgprs = 16}, Exceptions::watched},
                                     Lines{"s_sleep 1", "v_mul_f32 v40, v2, v2", "s_mov_b32 s0, 1"});
  auto& a = *m;
  a.base = {0x8000000000123400, 0};
  a.cell(0, trap_control_cell) = uint32_t(TRAP_AFTER_INST) | ALU_OVERFLOW;
  for (unsigned lane = 0; lane < size(); lane++) a.v(0, 2, lane) = f_most;
  for (uint64_t pc : {4, 8, 12}) {
    ASSERT_EQ(run(), Stop::Elsewhere);
    EXPECT_EQ(a.s(0, TTMP0), GroupMachine::code_base + pc);
    EXPECT_EQ(a.cell(0, trap_status_cell), 0u) << "nor does it report exceptions (7.2.7)";
    a.waves[0]->privileged = false, a.waves[0]->pc = a.s(0, TTMP0), a.waves[0]->stop = Stop::Run;
  }
  ASSERT_EQ(run(), Stop::End);
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

// The rules do not depend on the float mode that the host has meanwhile.
TEST_P(AluExceptions, Modes) {
  struct InMode {
    const char* line;
    uint32_t mode;  // FP_ROUND of f32, of f64 and f16; FP_DENORM of f32, of f64 and f16
    uint64_t a, b;
    uint32_t expected;
  };
  constexpr uint32_t kept = 0xf0, only_wide = 0xc0, only_single = 0x30, wide_up = 1 << 2, single_down = 2, single_to_zero = 3;
  for (const InMode& c : {InMode{"v_mul_f32 v8, v2, v4", kept | single_to_zero, f_most, f(2), O | X},
                          InMode{"v_mul_f32 v8, v2, v4", only_single, f_least, f(0.5f), U},
                          InMode{"v_mul_f32 v8, v2, v4", only_wide, f_least, f(0.5f), U | X},
                          InMode{"v_add_f32 v8, v2, v4", only_wide, f_denormal, f_denormal, D},
                          InMode{"v_rsq_f64 v[8:9], v[2:3]", only_wide, 2, 0, D | X},
                          InMode{"v_rsq_f64 v[8:9], v[2:3]", only_wide, 1, 0, D},
                          InMode{"v_rsq_f64 v[8:9], v[2:3]", only_single, 1, 0, D | Z},
                          InMode{"v_mul_f64 v[8:9], v[2:3], v[4:5]", only_wide, 0x0010000000000000, 0x3fe0000000000000, U},
                          InMode{"v_mul_f64 v[8:9], v[2:3], v[4:5]", only_single, 0x0010000000000000, 0x3fe0000000000000, U | X},
                          InMode{"v_cvt_f32_f64 v8, v[2:3]", only_wide, 1, 0, D | U | X},
                          InMode{"v_cvt_f32_f64 v8, v[2:3]", only_wide, 0x3800000000000000, 0, U | X},
                          InMode{"v_cvt_f64_f32 v[8:9], v2", only_single, f_denormal, 0, D},
                          InMode{"v_cvt_f16_f32 v8, v2", kept | wide_up, f(65505), 0, O | X},
                          InMode{"v_cvt_f16_f32 v8, v2", kept | single_down, f(65505), 0, X},
                          InMode{"v_cvt_f16_f32 v8, v2", only_single, f(0x1p-20f), 0, U | X},
                          InMode{"v_cvt_pk_rtz_f16_f32 v8, v2, v4", only_wide, f(0x1p-20f), f(1), 0},
                          InMode{"v_fma_mixlo_f16 v8, v2, v4, 0", only_single, f(0x1p-20f), f(1), U | X},
                          InMode{"v_fma_mixlo_f16 v8, v2, v4, 0", only_wide, f(0x1p-20f), f(1), U},
                          InMode{"v_add_f16 v8, v2, v4", only_single, 1, 1, D},
                          InMode{"v_add_f16 v8, v2, v4", kept | wide_up, h_1, 1, D | X},
                          InMode{"v_exp_f32 v8, v2", kept | single_down, f(127), 0, 0},
                          InMode{"v_div_fixup_f64 v[8:9], v[2:3], v[4:5], v[2:3]", only_wide, 0x3ff0000000000000, 1, D},
                          InMode{"v_div_fixup_f64 v[8:9], v[2:3], v[4:5], v[2:3]", only_single, 0x3ff0000000000000, 1, D | Z}}) {
    auto& a = machine({c.line, "s_getreg_b32 s0, hwreg(HW_REG_EXCP_FLAG_USER)"});
    a.cell(0, mode_cell) = c.mode;
    for (unsigned lane = 0; lane < size(); lane++) set(lane, {"", c.a, c.b, 0, 0});
    ASSERT_EQ(run(), Stop::End) << a.reason(0);
    EXPECT_EQ(a.s(0, 0), c.expected) << c.line << " in " << std::hex << c.mode << " of " << c.a << ", " << c.b;
  }
}

}  // namespace
}  // namespace Atoll::rdna4::test
