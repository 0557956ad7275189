// eval's requests on both engines: registers in and out, defaults, memory, LDS, and every way a request can fail.
// Words are what llvm-mc-19 -mcpu=gfx1200 gives for the text beside them.
#include <gtest/gtest.h>

#include <bit>

#include "eval/evaluator.h"

namespace Atoll::eval {
namespace {

class Eval : public testing::TestWithParam<wave::EngineChoice> {
protected:
  static Evaluator& evaluator() {
    static std::unique_ptr<Evaluator> made = [] {
      auto e = Evaluator::create();
      return e ? std::move(*e) : nullptr;
    }();
    return *made;
  }
  Expected<Result> run(Request request) {
    request.isa = request.isa.empty() ? "gfx1200" : request.isa;
    request.engine = GetParam();
    return evaluator().run(request);
  }
  // The error of a request that must fail.
  std::string error(Request request) {
    auto r = run(std::move(request));
    return r ? "no error" : r.error().message;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, Eval, testing::Values(wave::EngineChoice::Interpreter, wave::EngineChoice::Jit),
                         [](const auto& info) { return info.param == wave::EngineChoice::Jit ? "Jit" : "Interpreter"; });

TEST_P(Eval, OneValueStandsForAllLanes) {
  auto r = run({.words = {0xd5250000, 0x00010701},  // v_add_nc_u32 v0, v1, 3
                .registers = {{"v1", {5}}},
                .out = {"v0", "exec", "mode", "scc"}});
  ASSERT_TRUE(r) << r.error().message;
  ASSERT_EQ(r->registers.size(), 4u);
  EXPECT_EQ(r->registers[0].values, std::vector<uint64_t>(32, 8));
  EXPECT_TRUE(r->registers[0].list);
  EXPECT_EQ(r->registers[1].values, std::vector<uint64_t>{0xffffffff});
  EXPECT_FALSE(r->registers[1].list);
  EXPECT_EQ(r->registers[2].values, std::vector<uint64_t>{0xf0});
  EXPECT_EQ(r->registers[3].values, std::vector<uint64_t>{0});
}

TEST_P(Eval, InactiveLanesStay) {
  std::vector<uint64_t> lanes(64), expected(64);
  for (unsigned l = 0; l < 64; l++) lanes[l] = l, expected[l] = l % 2 ? 7 : l + 3;
  auto r = run({.wave = 64,
                .words = {0xd5250000, 0x00010701},
                .registers = {{"v1", lanes, true}, {"v0", {7}}, {"exec", {0x5555555555555555}}},
                .out = {"v0"}});
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->registers[0].values, expected);
}

TEST_P(Eval, SeveralInstructionsUntilEndpgm) {
  auto r = run({.words = {0x7c920501,   // v_cmp_lt_u32 vcc_lo, v1, v2
                          0x80020100,   // s_add_co_u32 s2, s0, s1
                          0xbfb00000,   // s_endpgm
                          0x80020202},  // not reached: s_add_co_u32 s2, s2, s2
                .registers = {{"v1", {1}}, {"v2", {2}}, {"s0", {0xffffffff}}, {"s1", {3}}, {"exec", {0xff}}},
                .out = {"vcc", "s2", "scc"}});
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->registers[0].values, std::vector<uint64_t>{0xff});
  EXPECT_EQ(r->registers[1].values, std::vector<uint64_t>{2});
  EXPECT_EQ(r->registers[2].values, std::vector<uint64_t>{1});
}

TEST_P(Eval, BranchesBeyondTheLastWordEnd) {
  auto r = run({.words = {0xbfa10002, 0x80020100, 0x80020100}, .registers = {{"s0", {1}}}, .out = {"s2"}});  // s_cbranch_scc0 2
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->registers[0].values, std::vector<uint64_t>{0});
  EXPECT_NE(error({.words = {0xbfa10005, 0x80020100, 0x80020100}}).find("instruction fetch"), std::string::npos);
}

TEST_P(Eval, WhatChanged) {
  auto r = run({.words = {0x7e0a0200}, .registers = {{"s0", {9}}}, .changed = true});  // v_mov_b32 v5, s0
  ASSERT_TRUE(r) << r.error().message;
  ASSERT_EQ(r->registers.size(), 1u);
  EXPECT_EQ(r->registers[0].name, "v5");
  EXPECT_EQ(r->registers[0].values, std::vector<uint64_t>(32, 9));
}

TEST_P(Eval, EveryRequestStartsAfresh) {
  ASSERT_TRUE(run({.words = {0x7e0a0200}, .registers = {{"s0", {9}}}, .memory = {{0x10000, {1, 2, 3}}}, .lds = {4, 5}}));
  auto r = run({.words = {}, .out = {"v5", "s0"}, .read_memory = {{0x10000, 3}}, .read_lds = MemoryRange{0, 2}});
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->registers[0].values, std::vector<uint64_t>(32, 0));
  EXPECT_EQ(r->registers[1].values, std::vector<uint64_t>{0});
  EXPECT_EQ(r->memory[0].bytes, std::vector<uint8_t>(3));
  EXPECT_EQ(r->lds, std::vector<uint8_t>(2));
}

TEST_P(Eval, Refused) {
  EXPECT_NE(error({.isa = "gfx9"}).find("gfx9"), std::string::npos);
  EXPECT_NE(error({.wave = 16}).find("16"), std::string::npos);
  EXPECT_NE(error({.registers = {{"v256", {0}}}}).find("v256"), std::string::npos);
  EXPECT_NE(error({.registers = {{"v1", {0, 1}, true}}}).find("32"), std::string::npos);
  EXPECT_NE(error({.registers = {{"s1", {0}, true}}}).find("s1"), std::string::npos);
  EXPECT_NE(error({.registers = {{"scc", {2}}}}).find("scc"), std::string::npos);
  EXPECT_NE(error({.registers = {{"vcc", {0x100000000}}}}).find("vcc"), std::string::npos);
  EXPECT_NE(error({.out = {"w1"}}).find("w1"), std::string::npos);
  EXPECT_NE(error({.memory = {{0x10, {1}}}}).find("0x10"), std::string::npos);
  EXPECT_NE(error({.read_memory = {{~uint64_t(0) - 3, 8}}}).find("beyond"), std::string::npos);
  EXPECT_NE(error({.read_lds = MemoryRange{65530, 8}}).find("lds"), std::string::npos);
  EXPECT_NE(error({.words = {0xffffffff}}).find("illegal instruction: instruction 0x0, word 0xffffffff"), std::string::npos)
      << error({.words = {0xffffffff}});
  EXPECT_NE(error({.words = {0xd5250000}}).find("illegal instruction"), std::string::npos);  // its second word is missing
}

TEST_P(Eval, R500VertexShaderOfOneVertex) {
  // As Mesa's r300g writes a move, then arithmetic, an address and a predicate.
  auto r = run({.isa = "r500-vs",
                .words = {0x00f02203, 0x00d10021, 0x01248021, 0x01248021},
                .text = {"arl a0.x, i0.y", "mul t0.xz, i1.wzyx, c[a0.x+2].xyzw", "pred_gt t1.w, i0.x", "(!p) mov t2.x, c4.0",
                         "add t3.y, i0.xyzw, c4.xyzw | rcp u1.z, i1.y"},
                .registers = {{"i0", {0xc0800000, 0x40200000, 0, 0}, true},
                              {"i1", {0xbf800000, 0x40000000, 0x3f000000, 0x40400000}, true},
                              {"c4", {0x40000000, 0x3f800000, 0x40800000, 0}, true},
                              {"t2.x", {0x40400000}}},
                .out = {"o1", "a0.x", "t0", "p", "t2.x", "t3.y", "u1.z"}});
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->registers[0].values, (std::vector<uint64_t>{0xbf800000, 0x40000000, 0x3f000000, 0x40400000}));
  EXPECT_EQ(r->registers[1].values, (std::vector<uint64_t>{2}));
  EXPECT_EQ(r->registers[2].values, (std::vector<uint64_t>{0x40c00000, 0, 0x41000000, 0}));
  EXPECT_EQ(r->registers[3].values, (std::vector<uint64_t>{0}));
  EXPECT_EQ(r->registers[4].values, (std::vector<uint64_t>{0}));
  EXPECT_EQ(r->registers[5].values, (std::vector<uint64_t>{0x40600000}));
  EXPECT_EQ(r->registers[6].values, (std::vector<uint64_t>{0x3f000000}));
  EXPECT_NE(error({.isa = "r500-vs", .words = {29, 0, 0, 0}}).find("reserved"), std::string::npos);
  EXPECT_NE(error({.isa = "r500-vs", .text = {"mul t0.x, t1"}}).find("sources"), std::string::npos);
  EXPECT_NE(error({.isa = "r500-vs", .text = {"nop"}, .out = {"u20"}}).find("u0-u19"), std::string::npos);
}

TEST_P(Eval, R500PairsOfOnePixel) {
  // The alpha half reads t0.x before the RGB half writes it.
  auto r = run(
      {.isa = "r500-fs",
       .text = {"mad t0.rgb, t1.zyx, c0.wh1, -t2.zzz | rcp t0.a, |t0.x|", "mad.lt p.rg, t0, 1, 0", "(p.g) mad o1.rgb, 1, 1, 0"},
       .registers = {{"t0", {0xc0800000}},
                     {"t1", {0x3f800000, 0x40000000, 0x40400000, 0x40800000}, true},
                     {"c0", {0, 0, 0, 0x40000000}, true},
                     {"t2.z", {0x40400000}}},
       .out = {"t0", "p", "o1", "t0.wx"}});
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->registers[0].values, (std::vector<uint64_t>{0x40400000, 0xc0000000, 0xc0000000, 0x3e800000}));
  EXPECT_EQ(r->registers[1].values, (std::vector<uint64_t>{0, 1, 0, 0}));
  EXPECT_EQ(r->registers[2].values, (std::vector<uint64_t>{0x3f800000, 0x3f800000, 0x3f800000, 0}));
  EXPECT_EQ(r->registers[3].values, (std::vector<uint64_t>{0x3e800000, 0x40400000}));
  // The hardware's words, as Mesa's r300g writes them.
  r = run({.isa = "r500-fs",
           .words = {0x00078005, 0x08020000, 0x08020000, 0x00db0220, 0x00c0c000, 0x20490000},
           .registers = {{"i0", {0x3f800000, 0xc0000000, 0x40400000, 0x7f800000}, true}},
           .out = {"o0", "t0"}});
  ASSERT_TRUE(r) << r.error().message;
  for (int n : {0, 1})
    EXPECT_EQ(r->registers[n].values, (std::vector<uint64_t>{0x3f800000, 0xc0000000, 0x40400000, 0x7f800000})) << n;
  r = run({.isa = "r500-fs",
           .text = {"mad _, c[al+1].x, 1, 0 | mad depth, 2, 1, 0 @alu_wmask @alu_result_op=ne", "texkill t1.xxxy"},
           .registers = {{"al", {3}}, {"c4.x", {0x3f800000}}, {"t1.y", {0xbf800000}}},
           .out = {"depth", "alu_result", "killed"}});
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->registers[0].values, std::vector<uint64_t>{0x40000000});
  EXPECT_EQ(r->registers[1].values, std::vector<uint64_t>{1});
  EXPECT_EQ(r->registers[2].values, std::vector<uint64_t>{1});
  EXPECT_NE(error({.isa = "r500-fs", .words = {0, 0, 0, 0, 0, 6}}).find("reserved"), std::string::npos);
  EXPECT_NE(error({.isa = "r500-fs", .text = {"ld t0.rgba, tex0, t1"}}).find("no images"), std::string::npos);
  EXPECT_NE(error({.isa = "r500-fs", .text = {"mul t0.rgb, t1, t2"}}).find("no operation"), std::string::npos);
  EXPECT_NE(error({.isa = "r500-fs", .words = {0x52355046}}).find("illegal"), std::string::npos);
  EXPECT_NE(error({.isa = "r500-fs", .text = {"nop"}, .out = {"t128"}}).find("t0-t127"), std::string::npos);
}

// A NaN's sign as the host leaves it is another than the rule's: what is stored there before the exact version runs stays.
TEST_P(Eval, NoAddressIsMadeFromAnotherNan) {
  auto r = run({.words = {0xd6130001, 0x241a0b04,   // v_fma_f32 v1, -v4, v5, v6
                          0x3204029f,               // v_lshrrev_b32 v2, 31, v1
                          0x30040484,               // v_lshlrev_b32 v2, 4, v2
                          0xd8340000, 0x00000302},  // ds_store_b32 v2, v3
                .registers = {{"v4", {0x7fc00000}}, {"v5", {0x3f800000}}, {"v3", {0xab}}, {"exec", {1}}},
                .read_lds = MemoryRange{0, 32}});
  ASSERT_TRUE(r) << r.error().message;
  std::vector<uint8_t> expected(32);
  expected[16] = 0xab;
  EXPECT_EQ(r->lds, expected);
}

// Moves carry a float's bits around a loop: over several regions (EXEC), and inside one (scalars). Enough rounds for final code.
TEST_P(Eval, LoopsCarryNansByTheRule) {
  auto r = run({.words = {0xd5030001, 0x40020704,  // v_add_f32 v1, v4, -v3
                          0x7e040301,              // v_mov_b32 v2, v1
                          0x7e020280,              // v_mov_b32 v1, 0
                          0xd5250005, 0x00010305,  // v_add_nc_u32 v5, v5, 1
                          0x7c920f05,              // v_cmp_lt_u32 vcc_lo, v5, v7
                          0x8b7e6a7e,              // s_and_b32 exec_lo, exec_lo, vcc_lo
                          0xbfa6fff7},             // s_cbranch_execnz to the first
                .registers = {{"v3", {0x7fc12345}}, {"v4", {0x40000000}}, {"v7", {0x100000}}},
                .out = {"v2"}});
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->registers[0].values, std::vector<uint64_t>(32, 0xffc12345));
  r = run({.words = {0x280c0d02,              // v_max_u32 v6, v2, v6
                     0xd5030001, 0x40020704,  // v_add_f32 v1, v4, -v3
                     0x7e040301,              // v_mov_b32 v2, v1
                     0x7e020280,              // v_mov_b32 v1, 0
                     0x7e060308,              // v_mov_b32 v3, v8
                     0x80008100,              // s_add_co_u32 s0, s0, 1
                     0xbf0a8a00,              // s_cmp_lt_u32 s0, 10
                     0xbfa2fff7,              // s_cbranch_scc1 to the first
                     0x7e040280},             // v_mov_b32 v2, 0
           .registers = {{"v3", {0x7fc12345}}, {"v4", {0x40000000}}, {"v8", {0x3f800000}}},
           .out = {"v6"}});
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->registers[0].values, std::vector<uint64_t>(32, 0xffc12345));
}

// x - 0 is not x where results are flushed, also when the 0 is found out only by computing.
TEST_P(Eval, NothingIsFoldedThatFlushes) {
  auto r = run({.words = {0xbe88099d,   // s_ctz_i32_b64 s8, 29
                          0x0a0e1c08},  // v_subrev_f32 v7, s8, v14
                .registers = {{"mode", {0x50}}, {"v14", {0x80000001}}},
                .out = {"v7"}});
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->registers[0].values, std::vector<uint64_t>(32, 0x80000000));
}

// In a loop a mask that a scalar sets and the lanes set again: each reads what was last set.
TEST_P(Eval, MasksSetBothWaysInALoop) {
  auto r = run({.words = {0xbeea0003,   // s_mov_b32 vcc_lo, s3
                          0x40021500,   // v_add_co_ci_u32 v1, vcc_lo, v0, v10, vcc_lo
                          0x4a040302,   // v_add_nc_u32 v2, v2, v1
                          0x80008100,   // s_add_co_u32 s0, s0, 1
                          0xbf0a8300,   // s_cmp_lt_u32 s0, 3
                          0xbfa2fffa},  // s_cbranch_scc1 to the first
                .registers = {{"s3", {0xf0f0f0f0}}},
                .out = {"v2"}});
  ASSERT_TRUE(r) << r.error().message;
  for (unsigned l = 0; l < 32; l++) EXPECT_EQ(r->registers[0].values[l], l & 4 ? 3u : 0u) << l;
}

// f32 denormals count, f16 ones do not: the host flushes what it converts, and rounding up still has to see it.
TEST_P(Eval, DenormalsAreNarrowedByTheirOwnMode) {
  auto r = run({.words = {0xbe896801},  // s_cvt_f16_f32 s9, s1
                .registers = {{"mode", {0x96}}, {"s1", {0x3c}}},
                .out = {"s9"}});
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->registers[0].values, std::vector<uint64_t>{1});
}

// The global data share of Sea Islands: M0 has the base and size of the shader's part.
TEST_P(Eval, GlobalDataShare) {
  std::vector<uint8_t> gds(64);
  gds[32 + 4] = 9;
  auto r = run({.isa = "gfx7",
                .wave = 64,
                .text = {"ds_add_rtn_u32 v2, v0, v1 offset:4 gds"},
                .registers = {{"m0", {32u << 16 | 8}}, {"exec", {3}}, {"v1", {5}}},
                .gds = gds,
                .out = {"v2"},
                .read_gds = MemoryRange{32, 8}});
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->registers[0].values[0], 9u);
  EXPECT_EQ(r->registers[0].values[1], 14u);
  EXPECT_EQ(r->gds, (std::vector<uint8_t>{0, 0, 0, 0, 19, 0, 0, 0}));
  EXPECT_NE(error({.read_gds = MemoryRange{65530, 8}}).find("gds: 8 bytes from 65530 on were asked for, there are 65536"),
            std::string::npos);
  r = run({.words = {}, .read_gds = MemoryRange{32, 8}});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->gds, std::vector<uint8_t>(8)) << "each request has a fresh one";
}

// --- graphics waves

TEST_P(Eval, PixelWavesExport) {
  std::vector<uint64_t> i(32), j(32);
  auto bits = [](float x) { return uint64_t(std::bit_cast<uint32_t>(x)); };
  for (unsigned l = 0; l < 32; l++) i[l] = bits(float(l) / 32), j[l] = bits(0.25f);
  Stage stage{"pixel",
              {{"user", {7}},
               {"input_ena", {2}},
               {"persp_center_i", i, true},
               {"persp_center_j", j, true},
               {"new_primitive", {0x10}},  // lanes 16 on
               {"lds_offset", {128}},
               {"attr1.y", {bits(1), bits(2), bits(4), bits(-1), bits(8), bits(16)}, true}}};
  auto r = run({.isa = "gfx1201",
                .text = {"s_mov_b32 m0, s1", "ds_param_load v2, attr1.y", "v_interp_p10_f32 v3, v2, v0, v2",
                         "v_interp_p2_f32 v3, v2, v1, v3", "v_mov_b32 v4, s0", "export mrt0 v3, off, v4, off done"},
                .registers = {{"exec", {0xffff000f}}},
                .stage = stage,
                .out = {"s1"}});
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->registers[0].values, (std::vector<uint64_t>{8u << 16 | 128}));
  ASSERT_EQ(r->exports.size(), 1u);
  const ExportValue& e = r->exports[0];
  EXPECT_EQ(e.target, "mrt0");
  EXPECT_EQ(e.enabled, 5u);
  EXPECT_TRUE(e.done);
  EXPECT_EQ(e.lanes, 0xffff000fu);
  for (unsigned l = 0; l < 32; l++) {
    if (!(0xffff000fu >> l & 1)) continue;
    const float want = l < 16 ? 1 + 2 * (float(l) / 32) + 1 : -1 + 8 * (float(l) / 32) + 4;
    EXPECT_EQ(e.values[0][l], bits(want)) << l;
    EXPECT_EQ(e.values[2][l], 7u);
  }
  EXPECT_TRUE(e.values[1].empty());
}

TEST_P(Eval, GeometryMeshAndHullWavesStart) {
  auto r =
      run({.isa = "gfx1201",
           .wave = 64,
           .text = {"export pos0 v3, v4, off, off done", "export prim v0, off, off, off done"},
           .stage = Stage{"geometry",
                          {{"vertices", {6}}, {"primitives", {2}}, {"primitive", {0x80200}}, {"vertex", {5}}, {"instance", {9}}}},
           .out = {"s3", "exec"}});
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->registers[0].values[0], 1u << 28 | 2u << 8 | 6);
  EXPECT_EQ(r->registers[1].values[0], 0x3fu);
  ASSERT_EQ(r->exports.size(), 2u);
  EXPECT_EQ(r->exports[0].values[1][5], 9u);
  EXPECT_EQ(r->exports[1].target, "prim");
  r = run({.isa = "gfx1201",
           .text = {"s_mov_b32 m0, 0x1003", "s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)", "s_mov_b32 m0, 2",
                    "export pos0 v0, v0, v0, v0 row_en", "export pos0 v0, off, off, off done"},
           .stage = Stage{"mesh", {{"group_x", {3}}, {"group_z", {4}}}},
           .out = {"s4", "s5"}});
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->registers[0].values[0], 3u);
  EXPECT_EQ(r->registers[1].values[0], 4u << 16);
  ASSERT_EQ(r->exports.size(), 2u);
  EXPECT_EQ(r->exports[0].row, 2u);
  EXPECT_FALSE(r->exports[1].row);
  ASSERT_EQ(r->messages.size(), 1u);
  EXPECT_EQ(r->messages[0].message, 9u);
  EXPECT_EQ(r->messages[0].m0, 0x1003u);
  r = run({.isa = "gfx1201",
           .words = {},
           .stage = Stage{"hull", {{"patches", {2}}, {"vertices", {6}}, {"relative_id", {0x201}}}},
           .out = {"s3", "v1"}});
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->registers[0].values[0], 2u << 16 | 6);
  EXPECT_EQ(r->registers[1].values[0], 0x201u);
}

TEST_P(Eval, StagesRefuseWhatTheyDoNotHave) {
  auto with = [](std::string stage, std::vector<RegisterValue> values, std::string isa = "gfx1201") {
    return Request{.isa = isa, .words = {}, .stage = Stage{stage, values}};
  };
  EXPECT_NE(error(with("vertex", {})).find("stage 'vertex': pixel, geometry, mesh and hull are"), std::string::npos);
  EXPECT_NE(error(with("pixel", {{"vertices", {1}}})).find("vertices: a pixel wave starts with user, "), std::string::npos);
  EXPECT_NE(error(with("pixel", {}, "gfx7")).find("gfx7 has no stages of graphics"), std::string::npos);
  EXPECT_NE(error(with("pixel", {{"attr0.x", {1, 2}, true}})).find("attr0.x: three values for each primitive"),
            std::string::npos);
  EXPECT_NE(error(with("pixel", {{"attr0.x", {1, 2, 3, 4, 5, 6}, true}})).find("of 2 primitives, the wave's quads are of 1"),
            std::string::npos);
  EXPECT_NE(
      error(with("pixel", {{"input_ena", {1}}, {"persp_sample_i", {1, 2}, true}})).find("2 values given, the wave has 32 lanes"),
      std::string::npos);
  EXPECT_NE(error(with("geometry", {{"vertices", {256}}})).find("vertices 256: it has 8 bits"), std::string::npos);
  EXPECT_NE(error(with("hull", {{"first_wave", {2}}})).find("first_wave: 0x2 is too large"), std::string::npos);
}

TEST_P(Eval, EndlessLoopsEnd) {
  evaluator().set_time_limit(0.2);
  EXPECT_NE(error({.words = {0xbfa0ffff}}).find("no end within 0.2 seconds"), std::string::npos);  // s_branch to itself
  EXPECT_NE(error({.words = {0xd5250000, 0x00010701, 0xbfa0fffd}}).find("no end"), std::string::npos);
  evaluator().set_time_limit(10);
}

}  // namespace
}  // namespace Atoll::eval
