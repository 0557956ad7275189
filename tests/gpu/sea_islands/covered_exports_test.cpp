// The exports that a pixel program is sure to make for all pixels that it starts with (isa/amd/covered_exports.h): programs of each kind,
// and random ones that are run.
#include <gtest/gtest.h>

#include "gpu/sea_islands/shaders/effects.h"
#include "isa/gfx7/machine.h"
#include "isa/gfx7/table.h"

namespace Atoll::sea_islands {
namespace {

using namespace gfx7::test;

uint32_t covered(const std::vector<std::string>& lines) {
  std::vector<std::string> all = lines;
  all.push_back("s_endpgm");
  const std::vector<uint32_t> code = assemble(all);
  const wave::Program program(gfx7::isa(), 0x1000, code);
  return covered_exports(program, 0x1000);
}

constexpr const char *red = "exp mrt0 v0, v0, v0, v0 done vm", *second = "exp mrt1 v0, v0, v0, v0";

TEST(CoveredExports, StraightOn) {
  EXPECT_EQ(covered({red}), 1u);
  EXPECT_EQ(covered({second, red}), 3u);
  EXPECT_EQ(covered({"exp mrt0 v0, v0, v0, v0 done compr vm"}), 1u);
  EXPECT_EQ(covered({"exp mrt3 v0, off, off, off done vm"}), 8u);
  EXPECT_EQ(covered({}), 0u);
  EXPECT_EQ(covered({"exp mrt0 off, off, off, off done vm"}), 0u);
  // Depths and coverage are no colours.
  EXPECT_EQ(covered({"exp mrtz v0, off, off, off", red}) & 0xff, 1u);
}

TEST(CoveredExports, MasksThatAreKept) {
  // Whole quads, and back.
  EXPECT_EQ(covered({"s_mov_b64 s[4:5], exec", "s_wqm_b64 exec, exec", "v_mov_b32 v0, v1", "s_and_b64 exec, exec, s[4:5]", red}),
            1u);
  EXPECT_EQ(covered({"s_wqm_b64 vcc, exec", "s_mov_b64 exec, vcc", red}), 1u);
  EXPECT_EQ(covered({"s_mov_b64 exec, -1", red}), 1u);
  EXPECT_EQ(covered({"s_mov_b32 s6, exec_lo", "s_mov_b32 s7, exec_hi", "s_mov_b64 exec, 0", "s_mov_b64 exec, s[6:7]", red}), 1u);
  // Halves in the other's place.
  EXPECT_EQ(covered({"s_mov_b32 s7, exec_lo", "s_mov_b32 s6, exec_hi", "s_mov_b64 exec, s[6:7]", red}), 0u);
  // A branch that some take, and back.
  EXPECT_EQ(covered({"v_cmp_lt_f32 vcc, v0, v1", "s_and_saveexec_b64 s[4:5], vcc", "v_mov_b32 v0, v1",
                     "s_or_b64 exec, exec, s[4:5]", red}),
            1u);
  EXPECT_EQ(covered({"v_cmp_lt_f32 vcc, v0, v1", "s_and_saveexec_b64 s[4:5], vcc", "v_mov_b32 v0, v1",
                     "s_xor_b64 exec, exec, s[4:5]", "v_mov_b32 v0, v2", "s_mov_b64 exec, s[4:5]", red}),
            1u);
  // The saved mask was overwritten: by a scalar, a load, a comparison, a lane, a register by number.
  for (const char* line : {"s_mov_b32 s5, 0", "s_load_dwordx2 s[4:5], s[0:1], 0x0", "s_load_dwordx8 s[0:7], s[0:1], 0x0",
                           "v_cmp_lt_f32 s[4:5], v0, v1", "v_readfirstlane_b32 s4, v0", "v_readlane_b32 s5, v0, 0",
                           "s_movreld_b32 s2, s0", "v_add_i32 v0, s[4:5], v0, v1", "s_and_saveexec_b64 s[4:5], s[4:5]",
                           "s_not_b64 s[4:5], s[4:5]", "s_cmov_b64 s[4:5], 0", "s_cselect_b64 s[4:5], s[4:5], 0"})
    EXPECT_EQ(covered({"s_mov_b64 s[4:5], exec", "s_mov_b64 exec, 0", line, "s_mov_b64 exec, s[4:5]", red}), 0u) << line;
  EXPECT_EQ(covered({"s_mov_b64 s[4:5], exec", "s_cmov_b64 s[4:5], -1", "s_mov_b64 exec, s[4:5]", red}), 1u);
}

TEST(CoveredExports, PixelsThatAreLeftOut) {
  EXPECT_EQ(covered({"s_mov_b64 exec, 0", red}), 0u);
  EXPECT_EQ(covered({"s_mov_b32 exec_hi, 0", red}), 0u);
  EXPECT_EQ(covered({"v_cmpx_lt_f32 vcc, v0, v1", red}), 0u);
  EXPECT_EQ(covered({"v_cmp_lt_f32 vcc, v0, v1", "s_and_b64 exec, exec, vcc", red}), 0u);
  EXPECT_EQ(covered({"v_cmp_lt_f32 vcc, v0, v1", "s_and_saveexec_b64 s[4:5], vcc", red}), 0u);
  for (const char* line :
       {"s_xor_saveexec_b64 s[4:5], vcc", "s_andn2_saveexec_b64 s[4:5], vcc", "s_orn2_saveexec_b64 s[4:5], vcc",
        "s_nand_saveexec_b64 s[4:5], vcc", "s_nor_saveexec_b64 s[4:5], vcc", "s_xnor_saveexec_b64 s[4:5], vcc"})
    EXPECT_EQ(covered({line, red}), 0u) << line;
  EXPECT_EQ(covered({"s_or_saveexec_b64 s[4:5], vcc", red}), 1u);
  // Some are exported before, the last export leaves them out: these are killed.
  EXPECT_EQ(covered({"exp mrt0 v0, v0, v0, v0", "v_cmpx_lt_f32 vcc, v0, v1", "exp null off, off, off, off done vm"}), 0u);
  EXPECT_EQ(covered({"exp mrt0 v0, v0, v0, v0", "v_cmpx_lt_f32 vcc, v0, v1", "exp mrt1 v0, v0, v0, v0 done"}), 1u);
  // Two halves of the pixels export apart.
  EXPECT_EQ(covered({"v_cmp_lt_f32 vcc, v0, v1", "s_and_saveexec_b64 s[4:5], vcc", "exp mrt0 v0, v0, v0, v0",
                     "s_xor_b64 exec, exec, s[4:5]", "exp mrt0 v1, v0, v0, v0", "s_mov_b64 exec, s[4:5]",
                     "exp null off, off, off, off done vm"}),
            0u);
}

TEST(CoveredExports, Branches) {
  // One way exports nothing; both do; one target on both, another on one.
  EXPECT_EQ(covered({"s_cbranch_scc0 2", red}), 0u);
  EXPECT_EQ(covered({"s_cbranch_scc0 3", red, "s_branch 2", red}), 1u);
  EXPECT_EQ(covered({"s_cbranch_scc0 2", second, red}), 1u);
  EXPECT_EQ(covered({"s_cbranch_scc0 1", "s_endpgm", red}), 0u);
  EXPECT_EQ(covered({"s_cbranch_scc0 3", red, "s_endpgm", second}), 0u);
  EXPECT_EQ(covered({"s_cbranch_scc0 3", red, "s_endpgm", second, red}), 1u);
  // A mask that is kept on one way only.
  EXPECT_EQ(covered({"s_mov_b64 s[4:5], exec", "s_cbranch_scc0 1", "s_mov_b64 s[4:5], 0", "s_mov_b64 exec, s[4:5]", red}), 0u);
  EXPECT_EQ(covered({"s_cbranch_scc0 1", "s_mov_b64 exec, 0", red}), 0u);
  // Loops: the mask is lost in the second turn.
  EXPECT_EQ(covered({"s_mov_b64 s[4:5], exec", "v_cmp_lt_f32 vcc, v0, v1", "s_and_b64 exec, exec, vcc", "s_cbranch_execnz -3",
                     "s_mov_b64 exec, s[4:5]", red}),
            1u);
  EXPECT_EQ(covered({"s_mov_b64 s[4:5], exec", "s_mov_b64 exec, s[4:5]", "s_mov_b64 s[4:5], 0", "s_cbranch_scc0 -3", red}), 0u);
  EXPECT_EQ(covered({red, "s_branch -3"}), 0u);  // no way ends
  // The target of the jump is not known.
  EXPECT_EQ(covered({"s_setpc_b64 s[0:1]", red}), 0u);
  EXPECT_EQ(covered({"s_cbranch_scc0 2", "s_setpc_b64 s[0:1]", "s_nop 0", red}), 0u);
  EXPECT_EQ(covered({"s_branch 9", red}), 0u);
}

// Instructions that write EXEC without naming it are found by their flag or their rule.
TEST(CoveredExports, EveryRowThatWritesExecIsKnown) {
  for (const gfx7::Opcode& row : gfx7::opcodes()) {
    const std::string name = row.name;
    if (name.find("saveexec") == std::string::npos && name.find("cmpx") == std::string::npos) continue;
    const std::string operands = row.format == gfx7::Format::SOP1 ? " s[4:5], vcc" : "";
    if (operands.empty())
      EXPECT_TRUE(row.has(gfx7::Flag::WritesExec)) << name;
    else if (name != "s_or_saveexec_b64")
      EXPECT_EQ(covered({name + operands, red}), 0u) << name;
  }
}

// Random programs: what is said of them is so.
TEST(CoveredExports, WhatIsSaidIsSo) {
  Random random(20261130);
  unsigned said = 0, others = 0;
  for (unsigned round = 0; round < 1500; round++) {
    auto pick = [&](std::initializer_list<const char*> list) {
      return std::string(list.begin()[random.below(uint32_t(list.size()))]);
    };
    auto mask = [&] { return pick({"exec", "exec", "s[4:5]", "s[4:5]", "s[6:7]", "vcc"}); };
    auto kept = [&] { return pick({"s[4:5]", "s[6:7]", "vcc"}); };
    std::vector<std::string> lines = {"s_mov_b64 s[4:5], exec"};
    const unsigned count = 4 + random.below(14);
    for (unsigned n = 0; n < count; n++) {
      switch (random.below(12)) {
        case 0: lines.push_back("s_mov_b64 " + mask() + ", " + mask()); break;
        case 1:
          lines.push_back(pick({"s_or_b64 ", "s_and_b64 ", "s_orn2_b64 ", "s_andn2_b64 ", "s_xor_b64 ", "s_cselect_b64 "}) +
                          mask() + ", " + mask() + ", " + mask());
          break;
        case 2:
          lines.push_back(pick({"s_and_saveexec_b64 ", "s_or_saveexec_b64 ", "s_orn2_saveexec_b64 ", "s_andn2_saveexec_b64 ",
                                "s_xor_saveexec_b64 "}) +
                          kept() + ", " + mask());
          break;
        case 3:
          lines.push_back(pick({"v_cmp_lt_u32 vcc, v0, v1", "v_cmp_lt_u32 s[6:7], v0, v1", "v_cmpx_lt_u32 vcc, v0, v1",
                                "v_cmp_gt_u32 s[4:5], v0, v1"}));
          break;
        case 4: lines.push_back(pick({"s_wqm_b64 ", "s_not_b64 ", "s_cmov_b64 "}) + mask() + ", " + mask()); break;
        case 5:
          lines.push_back(
              pick({"s_mov_b32 s4, exec_lo", "s_mov_b32 s5, exec_hi", "s_mov_b32 exec_lo, s4", "s_mov_b32 exec_hi, s7",
                    "s_mov_b32 s6, s7", "s_mov_b32 vcc_lo, -1", "s_mov_b64 exec, -1", "s_mov_b64 s[6:7], exec"}));
          break;
        case 6:
          lines.push_back(
              pick({"s_cmp_eq_u32 s0, s1", "s_cmp_lt_u32 s0, s1", "v_readfirstlane_b32 s5, v0", "s_movreld_b32 s4, s0"}));
          break;
        case 7:
        case 8:
          lines.push_back(pick({"exp mrt0 v0, v0, v0, v0", "exp mrt1 v0, v0, v0, v0", "exp mrt2 v0, v0, v0, v0 vm"}));
          break;
        case 9: lines.push_back("s_mov_b64 exec, s[4:5]"); break;
        case 10: lines.push_back("s_or_b64 exec, exec, " + kept()); break;
        default: lines.push_back("?");  // a branch, once all are there
      }
    }
    lines.push_back("exp mrt0 v0, v0, v0, v0 done vm");
    for (size_t n = 0; n < lines.size(); n++) {
      if (lines[n] != "?") continue;
      size_t words = 0, to = n + 1 + random.below(uint32_t(lines.size() - n - 1) + 1);
      for (size_t k = n + 1; k < to; k++) words += lines[k] == "?" ? 1 : assemble({lines[k]}).size();
      lines[n] = pick({"s_cbranch_scc0 ", "s_cbranch_scc1 ", "s_cbranch_execz ", "s_cbranch_vccnz ", "s_branch "}) +
                 std::to_string(words);
    }
    const uint32_t targets = covered(lines);
    others += !targets;
    for (unsigned run = 0; run < 4 && targets; run++) {
      Machine machine;
      const uint64_t exec = random.next64() & random.next64() & (run % 2 ? random.next64() : ~uint64_t(0));
      machine.run(lines, Way::Interpreted, [&](Machine& m) {
        Random values(round * 4 + run);
        for (unsigned n = 0; n < 8; n++) m.s(n) = n < 2 ? values.below(3) : values.next();
        m.s(106) = values.next(), m.s(107) = values.next(), m.s(124) = values.below(4);
        for (unsigned lane = 0; lane < 64; lane++) m.v(0, lane) = values.below(3), m.v(1, lane) = values.below(3);
        m.set_exec(exec);
      });
      ASSERT_EQ(machine.w->stop, wave::Stop::End);
      auto mask_at = [&](uint32_t cell) { return machine.word(cell) | uint64_t(machine.word(cell + 4)) << 32; };
      std::string text;
      for (const std::string& line : lines) text += line + "\n";
      for (unsigned t = 0; t < 3; t++)
        if (targets >> t & 1) {
          said++;
          ASSERT_EQ(exec & ~mask_at(gfx7::export_mask_cell(gfx7::MRT0 + t)), 0u) << "mrt" << t << "\n" << text;
        }
      if (machine.word(gfx7::export_valid_seen_cell)) ASSERT_EQ(exec & ~mask_at(gfx7::export_valid_cell), 0u) << text;
    }
  }
  EXPECT_GT(said, 500u);
  EXPECT_GT(others, 500u);
}

}  // namespace
}  // namespace Atoll::sea_islands
