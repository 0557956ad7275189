// Features that only Sea Islands has, against a scalar model written apart from the semantics: multiply-adds that round twice,
// DX9's rules, clamped reciprocals, comparisons that write EXEC, relative registers, the branch stack, output modifiers,
// LDS_DIRECT. Both engines. Sea Islands register guide section 4.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

#include "eval/evaluator.h"

namespace Atoll::eval {
namespace {

using std::bit_cast;
uint32_t bits(float x) { return bit_cast<uint32_t>(x); }
float value(uint32_t x) { return bit_cast<float>(x); }

const std::vector<uint32_t> edges = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x80800000,
                                     0x3f800000, 0xbf800000, 0x40490fdb, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
                                     0x7fc00000, 0xffc12345, 0x7f800001, 0x33800001, 0x00ffffff, 0x20000000, 0x1f800000,
                                     0x5f000000, 0x3f7fffff, 0xc2f00000, 0x43800000, 0x43800001, 0xc3800001, 0x3e800000,
                                     0xffffffff, 0x0000001f, 0x00000021, 0x7fffffff};

struct Setting {
  std::vector<RegisterValue> registers = {};
  std::vector<uint8_t> lds = {};
};
RegisterValue lanes(const char* name, const std::function<uint32_t(int)>& f) {
  RegisterValue v{name, {}, true};
  for (int l = 0; l < 64; l++) v.values.push_back(f(l));
  return v;
}
RegisterValue scalar(const char* name, uint64_t x) { return {name, {x}, false}; }

class Gcn2Own : public testing::Test {
protected:
  std::unique_ptr<Evaluator> evaluator = *Evaluator::create();
  // The values of `out`, the same on both engines.
  std::vector<std::vector<uint64_t>> run(std::vector<std::string> text, Setting setting, std::vector<std::string> out) {
    std::vector<std::vector<uint64_t>> results[2];
    for (int jit = 0; jit < 2; jit++) {
      Request request;
      request.isa = "gfx7";
      request.text = text;
      request.registers = setting.registers;
      request.lds = setting.lds;
      request.out = out;
      request.engine = jit ? wave::EngineChoice::Jit : wave::EngineChoice::Interpreter;
      auto result = evaluator->run(request);
      if (!result) {
        ADD_FAILURE() << text[0] << ": " << result.error().message;
        return std::vector<std::vector<uint64_t>>(out.size(), std::vector<uint64_t>(64));
      }
      for (auto& r : result->registers) results[jit].push_back(r.values);
    }
    EXPECT_EQ(results[0], results[1]) << text[0] << ": interpreter and JIT";
    return results[0];
  }
  // A vector instruction on v1, v2, v3 (and the old v0) against f(v1, v2, v3, v0), over all pairs of edges.
  void check(const std::string& text, uint32_t mode, const std::function<uint32_t(uint32_t, uint32_t, uint32_t, uint32_t)>& f) {
    for (size_t first = 0; first < edges.size(); first += 2) {
      auto a = [&](int l) { return edges[first + size_t(l) / 32]; };
      auto b = [&](int l) { return edges[size_t(l) % 32]; };
      auto c = [&](int l) { return edges[(size_t(l) * 7 + first) % 32]; };
      auto d = [&](int l) { return edges[(size_t(l) * 5 + first + 3) % 32]; };
      auto r = run({text}, {{lanes("v1", a), lanes("v2", b), lanes("v3", c), lanes("v0", d), scalar("mode", mode)}}, {"v0"});
      for (int l = 0; l < 64; l++)
        ASSERT_EQ(uint32_t(r[0][size_t(l)]), f(a(l), b(l), c(l), d(l)))
            << text << " mode " << std::hex << mode << " on " << a(l) << " " << b(l) << " " << c(l) << " " << d(l);
    }
  }
};

// --- the model
bool is_nan(uint32_t x) { return (x & 0x7fffffff) > 0x7f800000; }
uint32_t flush(uint32_t x) { return x & 0x7f800000 ? x : x & 0x80000000; }
// First NaN operand, quieted; else the default NaN where the result is one. A result below the normal numbers even with all its
// 24 bits (x86: after rounding with no bound on the exponent) is flushed.
uint32_t operation(uint32_t a, uint32_t b, double result, bool flushes) {
  if (is_nan(a)) return a | 0x400000;
  if (is_nan(b)) return b | 0x400000;
  if (std::isnan(result)) return 0xffc00000;
  if (flushes && std::fabs(result) < 0x1p-100 && std::fabs(float(result * 0x1p64)) < 0x1p-62f)
    return std::signbit(result) ? 0x80000000 : 0;
  return bits(float(result));
}
uint32_t multiply(uint32_t a, uint32_t b, bool flushes) {
  if (flushes) a = flush(a), b = flush(b);
  return operation(a, b, double(value(a)) * value(b), flushes);
}
uint32_t add(uint32_t a, uint32_t b, bool flushes) {
  if (flushes) a = flush(a), b = flush(b);
  return operation(a, b, double(value(a)) + value(b), flushes);
}
uint32_t mad_model(uint32_t a, uint32_t b, uint32_t c, bool legacy) {
  a = flush(a), b = flush(b);
  bool zero = legacy && (!(a & 0x7fffffff) || !(b & 0x7fffffff));
  return add(zero ? 0 : multiply(a, b, true), c, true);
}

TEST_F(Gcn2Own, MultiplyAddsRoundTwiceAndFlush) {
  for (uint32_t mode : {0xc0u, 0xf0u}) {
    check("v_mad_f32 v0, v1, v2, v3", mode, [](auto a, auto b, auto c, auto) { return mad_model(a, b, c, false); });
    check("v_mad_legacy_f32 v0, v1, v2, v3", mode, [](auto a, auto b, auto c, auto) { return mad_model(a, b, c, true); });
    check("v_mac_f32 v0, v1, v2", mode, [](auto a, auto b, auto, auto d) { return mad_model(a, b, d, false); });
    check("v_mac_legacy_f32 v0, v1, v2", mode, [](auto a, auto b, auto, auto d) { return mad_model(a, b, d, true); });
    check("v_madmk_f32 v0, v1, 0x3f8ccccd, v2", mode,
          [](auto a, auto b, auto, auto) { return mad_model(a, 0x3f8ccccd, b, false); });
    check("v_madak_f32 v0, v1, v2, 0x3f8ccccd", mode,
          [](auto a, auto b, auto, auto) { return mad_model(a, b, 0x3f8ccccd, false); });
    bool flushes = mode == 0xc0;
    check("v_mul_f32 v0, v1, v2", mode, [&](auto a, auto b, auto, auto) { return multiply(a, b, flushes); });
    check("v_mul_legacy_f32 v0, v1, v2", mode, [&](auto a, auto b, auto, auto) {
      if (flushes) a = flush(a), b = flush(b);
      return !(a & 0x7fffffff) || !(b & 0x7fffffff) ? 0 : multiply(a, b, flushes);
    });
  }
}

TEST_F(Gcn2Own, LegacyExtremesTakeTheSecondOperandOfAFailedComparison) {
  auto quiet = [](uint32_t x) { return is_nan(x) ? x | 0x400000 : x; };
  check("v_min_legacy_f32 v0, v1, v2", 0xf0, [&](auto a, auto b, auto, auto) { return quiet(value(a) < value(b) ? a : b); });
  check("v_max_legacy_f32 v0, v1, v2", 0xf0, [&](auto a, auto b, auto, auto) { return quiet(value(a) >= value(b) ? a : b); });
}

TEST_F(Gcn2Own, ClampedAndLegacyFunctions) {
  auto reciprocal = [](uint32_t a) { return operation(a, 0, 1.0 / value(flush(a)), true); };
  auto infinite = [](uint32_t x) { return (x & 0x7fffffff) == 0x7f800000; };
  check("v_rcp_f32 v0, v1", 0xc0, [&](auto a, auto, auto, auto) { return reciprocal(a); });
  check("v_rcp_clamp_f32 v0, v1", 0xc0, [&](auto a, auto, auto, auto) {
    uint32_t r = reciprocal(a);
    return infinite(r) ? r - 1 : r;
  });
  check("v_rcp_legacy_f32 v0, v1", 0xc0, [&](auto a, auto, auto, auto) {
    uint32_t r = reciprocal(a);
    return infinite(r) ? r & 0x80000000 : r;
  });
  check("v_rsq_legacy_f32 v0, v1", 0xc0, [&](auto a, auto, auto, auto) {
    uint32_t x = flush(a);
    return x & 0x7fffffff ? operation(x, 0, 1.0 / std::sqrt(double(value(x))), true) : 0u;
  });
  check("v_rsq_clamp_f32 v0, v1", 0xc0, [&](auto a, auto, auto, auto) {
    uint32_t x = flush(a);
    if (!(x & 0x7fffffff)) return (x & 0x80000000) | 0x7f7fffff;
    return operation(x, 0, 1.0 / std::sqrt(double(value(x))), true);
  });
  check("v_log_clamp_f32 v0, v1", 0xc0, [&](auto a, auto, auto, auto) {
    uint32_t x = flush(a);
    if (!(x & 0x7fffffff)) return 0xff7fffffu;
    uint32_t r = operation(x, 0, std::log2(double(value(x))), true);
    return r;
  });
  auto turn = [](uint32_t a, uint32_t beyond, auto f) -> uint32_t {
    if (is_nan(a)) return a | 0x400000;
    if (std::fabs(value(a)) > 256) return beyond;
    return bits(float(f(std::fmod(double(value(a)), 1.0) * 2 * M_PI)));
  };
  auto close = [](uint32_t got, uint32_t wanted) { return got == wanted || std::fabs(value(got) - value(wanted)) < 1e-6f; };
  auto r =
      run({"v_sin_f32 v0, v1", "v_cos_f32 v3, v1"}, {{lanes("v1", [](int l) { return edges[size_t(l) % 32]; })}}, {"v0", "v3"});
  for (size_t l = 0; l < 32; l++) {
    EXPECT_TRUE(close(uint32_t(r[0][l]), turn(edges[l], 0, [](double x) { return std::sin(x); })))
        << std::hex << edges[l] << " " << r[0][l];
    EXPECT_TRUE(close(uint32_t(r[1][l]), turn(edges[l], 0x3f800000, [](double x) { return std::cos(x); })))
        << std::hex << edges[l] << " " << r[1][l];
  }
}

TEST_F(Gcn2Own, ShiftsWithTheValueFirst) {
  check("v_lshl_b32 v0, v1, v2", 0xc0, [](auto a, auto b, auto, auto) { return a << (b & 31); });
  check("v_lshr_b32 v0, v1, v2", 0xc0, [](auto a, auto b, auto, auto) { return a >> (b & 31); });
  check("v_ashr_i32 v0, v1, v2", 0xc0, [](auto a, auto b, auto, auto) { return uint32_t(int32_t(a) >> (b & 31)); });
  for (uint32_t count : {0u, 1u, 31u, 32u, 33u, 63u, 64u, 97u}) {
    uint64_t x = 0x8123456789abcdef;
    unsigned n = count & 63;
    Setting setting{{lanes("v2", [&](int) { return uint32_t(x); }), lanes("v3", [&](int) { return uint32_t(x >> 32); }),
                     lanes("v4", [&](int) { return count; })}};
    auto r = run({"v_lshl_b64 v[6:7], v[2:3], v4", "v_lshr_b64 v[8:9], v[2:3], v4", "v_ashr_i64 v[10:11], v[2:3], v4"}, setting,
                 {"v6", "v7", "v8", "v9", "v10", "v11"});
    EXPECT_EQ(r[0][0] | r[1][0] << 32, x << n) << count;
    EXPECT_EQ(r[2][0] | r[3][0] << 32, x >> n) << count;
    EXPECT_EQ(r[4][0] | r[5][0] << 32, uint64_t(int64_t(x) >> n)) << count;
  }
}

TEST_F(Gcn2Own, OneByteOfTheDestination) {
  check("v_cvt_pkaccum_u8_f32 v0, v1, v2", 0xc0, [](auto a, auto b, auto, auto d) {
    float x = value(a);
    uint32_t byte = std::isnan(x) || x <= 0 ? 0 : x >= 255 ? 255 : uint32_t(x), place = (b & 3) * 8;
    return (d & ~(255u << place)) | byte << place;
  });
  check("v_cvt_f16_f32 v0, v1", 0xf0, [](auto a, auto, auto, auto) -> uint32_t {
    if (is_nan(a)) return (a >> 16 & 0x8000) | 0x7e00 | (a >> 13 & 0x3ff);
    return bit_cast<uint16_t>(_Float16(value(a)));  // the upper half becomes 0
  });
}

TEST_F(Gcn2Own, ComparisonsThatAlwaysOrNeverHoldAndThoseThatWriteExec) {
  Setting setting{{lanes("v1", [](int l) { return uint32_t(l); }), lanes("v2", [](int) { return 20u; }),
                   scalar("exec", 0xffff0000ffffffff), scalar("s4", 5)}};
  auto r = run({"v_cmp_tru_f32 vcc, v1, v2"}, setting, {"vcc", "exec"});
  EXPECT_EQ(r[0][0], 0xffff0000ffffffff);
  r = run({"v_cmp_f_f64 s[4:5], v[1:2], v[1:2]"}, setting, {"s4", "exec"});
  EXPECT_EQ(r[0][0], 0u);
  r = run({"v_cmpx_lt_u32 vcc, v1, v2"}, setting, {"vcc", "exec"});
  EXPECT_EQ(r[0][0], 0xfffffu);
  EXPECT_EQ(r[1][0], 0xfffffu);
  r = run({"v_cmpx_ge_u32 s[4:5], v1, v2", "v_mov_b32 v3, 1.0"}, setting, {"s4", "s5", "exec", "v3"});
  EXPECT_EQ(r[0][0] | r[1][0] << 32, 0xffff0000fff00000);
  EXPECT_EQ(r[2][0], 0xffff0000fff00000);
  EXPECT_EQ(r[3][19], 0u);
  EXPECT_EQ(r[3][20], 0x3f800000u);
  r = run({"v_cmpx_t_i32 vcc, v1, v2"}, setting, {"exec"});
  EXPECT_EQ(r[0][0], 0xffff0000ffffffff);
  r = run({"v_cmpsx_f_f32 vcc, v1, v2", "s_cbranch_execnz 1", "s_mov_b32 s4, src_execz", "s_nop 0"}, setting, {"exec", "s4"});
  EXPECT_EQ(r[0][0], 0u);
  EXPECT_EQ(r[1][0], 1u);
}

TEST_F(Gcn2Own, ScalarsOfItsOwn) {
  for (uint32_t a : edges)
    for (uint32_t b : {0u, 5u, 0x80000000u, 0xffffffffu, 0xffff8000u, 0x7fffu}) {
      Setting setting{{scalar("s2", a), scalar("s3", b), scalar("s4", a)}};
      auto r =
          run({"s_max_i32 s8, s2, s3", "s_mov_b32 s9, src_scc", "s_max_u32 s10, s2, s3"}, setting, {"s8", "s9", "s10", "scc"});
      EXPECT_EQ(r[0][0], uint32_t(std::max(int32_t(a), int32_t(b))));
      EXPECT_EQ(r[1][0], int32_t(a) > int32_t(b) ? 1u : 0u);
      EXPECT_EQ(r[2][0], std::max(a, b));
      EXPECT_EQ(r[3][0], a > b ? 1u : 0u);
      r = run({"s_ff0_i32_b32 s8, s2", "s_ff0_i32_b64 s9, s[2:3]", "s_cmpk_gt_i32 s4, 0x8000", "s_mov_b32 s10, src_scc",
               "s_cmpk_gt_u32 s4, 0x8000"},
              setting, {"s8", "s9", "s10", "scc"});
      EXPECT_EQ(r[0][0], a == ~0u ? ~0u : uint32_t(std::countr_one(a)));
      uint64_t both = a | uint64_t(b) << 32;
      EXPECT_EQ(r[1][0], both == ~uint64_t(0) ? ~0u : uint32_t(std::countr_one(both)));
      EXPECT_EQ(r[2][0], int32_t(a) > -32768 ? 1u : 0u);
      EXPECT_EQ(r[3][0], a > 32768 ? 1u : 0u);
      r = run({"s_addk_i32 s4, 0xffff", "s_mov_b32 s10, src_scc", "s_mulk_i32 s2, 0xfffd"}, setting, {"s4", "s10", "s2"});
      EXPECT_EQ(r[0][0], a - 1);
      EXPECT_EQ(r[1][0], a == 0x80000000 ? 1u : 0u);
      EXPECT_EQ(r[2][0], a * uint32_t(-3));
    }
}

TEST_F(Gcn2Own, LanesByNumber) {
  Setting setting{{lanes("v1", [](int l) { return uint32_t(100 + l); }), scalar("exec", 0xf0), scalar("s2", 70), scalar("m0", 63),
                   scalar("s3", 9)}};
  auto r =
      run({"v_readlane_b32 s8, v1, s2", "v_readlane_b32 s9, v1, m0", "v_readfirstlane_b32 s10, v1", "v_writelane_b32 v5, s3, 33"},
          setting, {"s8", "s9", "s10", "v5"});
  EXPECT_EQ(r[0][0], 106u);
  EXPECT_EQ(r[1][0], 163u);
  EXPECT_EQ(r[2][0], 104u);
  EXPECT_EQ(r[3][33], 9u);
  EXPECT_EQ(r[3][4], 0u);
  setting.registers[1] = scalar("exec", 0);
  r = run({"v_readfirstlane_b32 s10, v1"}, setting, {"s10"});
  EXPECT_EQ(r[0][0], 100u);
}

TEST_F(Gcn2Own, RelativeRegisters) {
  Setting setting{{lanes("v1", [](int l) { return uint32_t(l); }), lanes("v4", [](int l) { return uint32_t(400 + l); }),
                   scalar("s2", 11), scalar("s5", 22), scalar("s6", 33), scalar("m0", 3)}};
  auto r = run({"v_movrels_b32 v10, v1", "v_movreld_b32 v11, v1", "v_movrelsd_b32 v20, v1"}, setting, {"v10", "v14", "v23"});
  EXPECT_EQ(r[0][7], 407u);
  EXPECT_EQ(r[1][7], 7u);
  EXPECT_EQ(r[2][7], 407u);
  r = run({"s_movrels_b32 s8, s2", "s_movreld_b32 s9, s2"}, setting, {"s8", "s12"});
  EXPECT_EQ(r[0][0], 22u);
  EXPECT_EQ(r[1][0], 11u);
  setting.registers[5] = scalar("m0", 300);  // beyond all registers: v0 and s0, and no write
  r = run({"v_movrels_b32 v10, v4", "v_movreld_b32 v11, v4", "s_movrels_b32 s8, s2", "s_movreld_b32 s9, s2"}, setting,
          {"v10", "s8"});
  EXPECT_EQ(r[0][7], 0u);
  EXPECT_EQ(r[1][0], 0u);
}

// Lanes that disagree go the way of the smaller half first; the join sends the others on theirs. EXEC is the program's to restore.
TEST_F(Gcn2Own, BranchStack) {
  std::vector<std::string> code = {
      "s_mov_b32 s20, 0",
      "s_mov_b64 s[50:51], exec",
      "s_cbranch_i_fork s[40:41], 3",  // to `taken`
      "v_add_f32 v1, 1.0, v1",
      "s_nop 0",
      "s_branch 2",
      "v_add_f32 v1, 2.0, v1",  // taken
      "s_nop 0",
      "s_cbranch_join s20",
      "s_mov_b64 exec, s[50:51]",
      "v_add_f32 v2, 4.0, v2",
  };
  for (uint64_t condition : {uint64_t(0xff), ~uint64_t(0xff), uint64_t(0), ~uint64_t(0)}) {
    auto r = run(code, {{scalar("s40", uint32_t(condition)), scalar("s41", condition >> 32)}}, {"v1", "v2", "exec", "mode"});
    for (size_t l = 0; l < 64; l++) {
      EXPECT_EQ(r[0][l], condition >> l & 1 ? bits(2) : bits(1)) << condition << " lane " << l;
      EXPECT_EQ(r[1][l], bits(4)) << condition << " lane " << l;
    }
    EXPECT_EQ(r[2][0], ~uint64_t(0));
    EXPECT_EQ(r[3][0], 0xc0u);
  }
}

TEST_F(Gcn2Own, OutputModifiersAndClampFollowTheMode) {
  auto one = [&](const char* text, uint32_t a, uint32_t mode) {
    return uint32_t(run({text}, {{lanes("v1", [&](int) { return a; }), scalar("mode", mode)}}, {"v0"})[0][0]);
  };
  EXPECT_EQ(one("v_add_f32 v0, v1, 0 mul:2", bits(3), 0xc0), bits(6));
  EXPECT_EQ(one("v_add_f32 v0, v1, 0 div:2", bits(3), 0xc0), bits(1.5f));
  EXPECT_EQ(one("v_add_f32 v0, v1, 0 mul:4", bits(3), 0xf0), bits(3));   // results keep denormals: no modifier
  EXPECT_EQ(one("v_add_f32 v0, v1, 0 mul:4", bits(3), 0x2c0), bits(3));  // IEEE: none either
  EXPECT_EQ(one("v_add_f32 v0, v1, 0 clamp", bits(3), 0xc0), bits(1));
  EXPECT_EQ(one("v_add_f32 v0, v1, 0 clamp", bits(-3), 0xc0), bits(0));
  EXPECT_EQ(one("v_add_f32 v0, v1, 0 clamp", 0x7fc00001, 0xc0), 0x7fc00001u);
  EXPECT_EQ(one("v_add_f32 v0, v1, 0 clamp", 0x7fc00001, 0x1c0), 0u);  // DX10_CLAMP
}

TEST_F(Gcn2Own, LdsDirect) {
  std::vector<uint8_t> lds(64);
  for (size_t n = 0; n < lds.size(); n++) lds[n] = uint8_t(0xf0 + n);
  auto read = [&](uint32_t m0) {
    return uint32_t(run({"v_mov_b32 v0, src_lds_direct"}, {{scalar("m0", m0)}, lds}, {"v0"})[0][5]);
  };
  EXPECT_EQ(read(0x20004), 0xf7f6f5f4u);
  EXPECT_EQ(read(0x00005), 0xf5u);
  EXPECT_EQ(read(0x10006), 0xf7f6u);
  EXPECT_EQ(read(0x40007), 0xfffffff7u);
  EXPECT_EQ(read(0x50006), 0xfffff7f6u);
}

TEST_F(Gcn2Own, HardwareRegisters) {
  auto r = run({"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3", "s_getreg_b32 s8, hwreg(HW_REG_MODE)",
                "s_getreg_b32 s9, hwreg(HW_REG_MODE, 4, 4)", "v_add_f32 v0, 1, v1"},
               {{lanes("v1", [](int) { return 1u; })}}, {"s8", "s9", "v0"});
  EXPECT_EQ(r[0][0], 0xf0u);
  EXPECT_EQ(r[1][0], 0xfu);
  EXPECT_EQ(r[2][0], 2u);  // 1 and 1 as denormals
  // Trap registers belong to the trap handler: writes are dropped.
  r = run({"s_mov_b32 s8, 5", "s_mov_b32 ttmp3, s8", "s_mov_b32 s9, ttmp3"}, {}, {"s9"});
  EXPECT_EQ(r[0][0], 0u);
}

}  // namespace
}  // namespace Atoll::eval
