// EXPORT on both engines: every target, masks, order, rows, what does not exist. RDNA4 ISA 14, 16.19.
#include "program_wave.h"
#include "single_step.h"

namespace Atoll::rdna4::test {
namespace {

class Exports : public testing::TestWithParam<EngineAndSize> {
protected:
  const unsigned lanes = GetParam().lanes;
  Words words{lanes + 7u};

  void fill(ProgramWave& wave) {
    for (uint32_t n = 0; n < 8; n++)
      for (uint32_t lane = 0; lane < lanes; lane++) wave.v(n, lane) = words.next();
  }
  // Dual-source blending: 0x5555… are the even lanes.
  uint64_t exporting(uint64_t exec, unsigned target) const {
    const uint64_t even = 0x5555555555555555, all = lanes == 64 ? ~uint64_t(0) : 0xffffffff;
    if (target == 21) return ((exec & even) | (exec & even) << 1) & all;
    if (target == 22) return ((exec & ~even) | (exec & ~even) >> 1) & all;
    return exec & all;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, Exports, engines_and_sizes, name_of);

struct Target {
  const char* name;
  unsigned number;
};
constexpr Target targets[] = {{"mrt0", 0},
                              {"mrt1", 1},
                              {"mrt2", 2},
                              {"mrt3", 3},
                              {"mrt4", 4},
                              {"mrt5", 5},
                              {"mrt6", 6},
                              {"mrt7", 7},
                              {"mrtz", 8},
                              {"pos0", 12},
                              {"pos1", 13},
                              {"pos2", 14},
                              {"pos3", 15},
                              {"pos4", 16},
                              {"prim", 20},
                              {"dual_src_blend0", 21},
                              {"dual_src_blend1", 22},
                              {"invalid_target_9", 9}};

TEST_P(Exports, EveryTargetWithAnyMask) {
  for (const Target& t : targets)
    for (unsigned enabled : {15u, 5u, 8u, 0u}) {
      const bool done = enabled != 5;
      std::string text = fmt::format("export {} ", t.name);
      for (unsigned c = 0; c < 4; c++)
        text += (c ? ", " : "") + (enabled >> c & 1 ? fmt::format("v{}", 7 - c) : std::string("off"));
      ProgramWave wave({text + (done ? " done" : "")}, lanes, GetParam().engine);
      for (int round = 0; round < 4; round++) {
        fill(wave);
        wave.set_exec(round == 0 ? ~uint64_t(0) : round == 1 ? 1 : words.next64());
        begin_exports(*wave.w);
        wave.run();
        ASSERT_EQ(wave.w->stop, wave::Stop::End) << text;
        if (GetParam().engine == wave::EngineChoice::Jit) ASSERT_EQ(wave.w->called + wave.w->interpreted, 0u) << text;
        auto list = wave.exports();
        const uint64_t expected = exporting(wave.exec(), t.number);
        if (!expected && !done && t.number != 12) {
          EXPECT_TRUE(list.empty());
          continue;
        }
        ASSERT_EQ(list.size(), 1u) << text;
        const Export& e = list[0];
        EXPECT_EQ(e.target, t.number);
        EXPECT_EQ(export_target_text(e.target), t.number == 9 ? "null" : t.name);
        EXPECT_EQ(e.enabled, enabled);
        EXPECT_EQ(e.done, done);
        EXPECT_EQ(e.lanes, expected) << text;
        EXPECT_FALSE(e.row);
        for (unsigned c = 0; c < 4; c++) {
          ASSERT_EQ(e.values[c].size(), enabled >> c & 1 ? lanes : 0);
          for (uint32_t lane = 0; lane < e.values[c].size(); lane++)
            if (expected >> lane & 1) ASSERT_EQ(e.values[c][lane], wave.v(7 - c, lane)) << text << " lane " << lane;
        }
      }
    }
}

TEST_P(Exports, ListedInTheirOrder) {
  ProgramWave wave({"export pos1 v0, off, off, off", "v_add_nc_u32 v1, v1, v0", "export pos0 v0, v1, v2, v3 done",
                    "s_mov_b32 exec_lo, 0xff00", "export mrt0 v0, v1, off, off", "s_mov_b32 exec_lo, 0xff", "v_mov_b32 v0, 5",
                    "export mrt0 v0, off, off, v3 done", "export prim v0, off, off, off done"},
                   lanes, GetParam().engine);
  fill(wave);
  std::vector<uint32_t> v0(lanes), v1(lanes);
  for (uint32_t lane = 0; lane < lanes; lane++) v0[lane] = wave.v(0, lane), v1[lane] = wave.v(1, lane) + v0[lane];
  wave.set_exec(lanes == 64 ? 0xffffffff : ~uint64_t(0));
  wave.run();
  ASSERT_EQ(wave.w->stop, wave::Stop::End);
  auto list = wave.exports();
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0].target, 13u);
  EXPECT_FALSE(list[0].done);
  EXPECT_EQ(list[1].target, 12u);
  EXPECT_EQ(list[1].values[1][3], v1[3]);
  EXPECT_EQ(list[2].target, 0u);  // twice to one target: one, of all lanes
  EXPECT_EQ(list[2].lanes, 0xffffu);
  EXPECT_EQ(list[2].enabled, 11u);
  EXPECT_EQ(list[2].values[0][3], 5u);
  EXPECT_EQ(list[2].values[0][9], v0[9]);
  EXPECT_EQ(list[2].values[1][9], v1[9]);
  EXPECT_TRUE(list[2].done);
  EXPECT_EQ(list[3].target, 20u);
}

TEST_P(Exports, RowsOfMeshShaders) {
  ProgramWave wave(
      {"s_mov_b32 m0, 0x103", "export pos0 v0, v1, v2, v3 row_en", "s_mov_b32 m0, 1", "export pos0 v1, off, off, off done row_en",
       "export prim v2, off, off, off done", "export prim v4, off, off, off done row_en"},
      lanes, GetParam().engine);
  fill(wave);
  wave.set_exec(0x8000ffff);
  wave.run();
  ASSERT_EQ(wave.w->stop, wave::Stop::End);
  auto list = wave.exports();
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0].row, 3u) << "eight bits of M0";
  EXPECT_EQ(list[0].target, 12u);
  EXPECT_EQ(list[0].lanes, 0x8000ffffu);
  EXPECT_EQ(list[0].values[2][31], wave.v(2, 31));
  EXPECT_EQ(list[1].row, 1u);
  EXPECT_TRUE(list[1].done && list[1].enabled == 1 && list[1].values[1].empty());
  EXPECT_EQ(list[1].values[0][5], wave.v(1, 5));
  EXPECT_FALSE(list[2].row);
  EXPECT_EQ(list[3].row, 1u);
  EXPECT_EQ(list[3].order, 4u);

  wave.takes_rows = false;
  wave.run();
  ASSERT_EQ(wave.w->stop, wave::Stop::Fault);
  EXPECT_STREQ(wave.w->fault.reason, "export of a row where nobody takes rows");
  EXPECT_EQ(wave.w->fault.pc, ProgramWave::code_base + 8);
}

TEST_P(Exports, WhatDoesNotExistFaults) {
  auto reason = [&](const std::string& text, bool exports = true) {
    ProgramWave wave({"v_mov_b32 v3, v0"}, lanes, GetParam().engine);
    ProgramWave other({"v_mov_b32 v3, v0", text}, lanes, GetParam().engine);
    other.w->exports = exports;
    other.run();
    return other.w->stop == wave::Stop::Fault ? std::string(other.w->fault.reason) : "no fault";
  };
  for (unsigned target : {10u, 11u, 17u, 19u, 23u, 32u, 63u})
    EXPECT_EQ(reason(fmt::format("export invalid_target_{} v0, v1, v2, v3 done", target)),
              "export to a target that does not exist");
  EXPECT_EQ(reason("export mrt0 v0, v1, v2, v3 done row_en"), "export of a row to a target that has none");
  EXPECT_EQ(reason("export dual_src_blend0 v0, v1, v2, v3 row_en"), "export of a row to a target that has none");
  EXPECT_EQ(reason("export mrt0 v0, v1, v2, v3 done", false), "export by a wave that has nothing to export to");
}

// EXPCNT: parameter loads write their VGPR later, exports read theirs and EXEC later (RDNA4 ISA 5.7).
TEST_P(Exports, ChecksOfWaits) {
  auto found = [&](const std::vector<std::string>& lines) {
    auto findings = std::make_shared<wave::Findings>();
    ProgramWave wave(lines, lanes, GetParam().engine, 65536, 0, findings);
    wave.run();
    EXPECT_EQ(wave.w->stop, wave::Stop::End);
    std::string all;
    for (const wave::Finding& f : findings->take()) all += f.text + "\n";
    return all;
  };
  const std::string two[] = {"ds_param_load v2, attr0.x", "ds_param_load v3, attr0.y"};
  EXPECT_EQ(found({two[0], two[1], "v_interp_p10_f32 v4, v2, v0, v2 wait_exp:1", "v_interp_p10_f32 v5, v3, v0, v3 wait_exp:0"}),
            "");
  EXPECT_NE(found({two[0], two[1], "v_interp_p10_f32 v4, v3, v0, v3 wait_exp:1"}).find("v3"), std::string::npos);
  EXPECT_NE(found({two[0], "v_interp_p10_f32 v4, v2, v0, v2 wait_exp:7"}).find("s_wait_expcnt 0x0"), std::string::npos);
  EXPECT_EQ(found({two[0], "s_wait_expcnt 0x0", "v_mov_b32 v5, v2"}), "");
  EXPECT_EQ(found({"export pos0 v0, v1, v2, v3 done", "s_wait_expcnt 0x0", "v_mov_b32 v1, v5"}), "");
  EXPECT_NE(found({"export pos0 v0, v1, v2, v3 done", "v_mov_b32 v1, v5"}).find("v1"), std::string::npos);
  EXPECT_EQ(found({"export pos0 v0, off, v2, v3 done", "v_mov_b32 v1, v5"}), "");
  EXPECT_NE(found({"export prim v0, off, off, off done", "s_mov_b32 exec_lo, 1"}).find("exec"), std::string::npos);
  EXPECT_NE(found({"export prim v0, off, off, off done", two[0], "s_wait_expcnt 0x1", "v_mov_b32 v0, v5"}).find("v0"),
            std::string::npos)
      << "exports and loads are in no order with each other";
}

// Values of inactive lanes of a pair go along where the other lane is active.
TEST_P(Exports, RegistersWrittenBeforeInTheSameRegion) {
  ProgramWave wave({"v_add_nc_u32 v0, 1, v0", "export dual_src_blend0 v0, v1, off, off", "v_add_nc_u32 v1, 1, v1",
                    "export dual_src_blend1 v0, v1, off, off done"},
                   lanes, GetParam().engine);
  for (int round = 0; round < 20; round++) {
    fill(wave);
    wave.set_exec(words.next64());
    std::vector<uint32_t> v0(lanes), v1(lanes), later(lanes);
    for (uint32_t lane = 0; lane < lanes; lane++)
      v0[lane] = wave.v(0, lane) + wave.active(lane), v1[lane] = wave.v(1, lane), later[lane] = v1[lane] + wave.active(lane);
    begin_exports(*wave.w);
    wave.run();
    for (const Export& e : wave.exports()) {
      ASSERT_EQ(e.lanes, exporting(wave.exec(), e.target));
      for (uint32_t lane = 0; lane < lanes; lane++) {
        if (!(e.lanes >> lane & 1)) continue;
        ASSERT_EQ(e.values[0][lane], v0[lane]) << e.target << " lane " << lane;
        ASSERT_EQ(e.values[1][lane], e.target == 21 ? v1[lane] : later[lane]) << e.target << " lane " << lane;
      }
    }
  }
}

}  // namespace
}  // namespace Atoll::rdna4::test
