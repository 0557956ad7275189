// VGPRs beyond a wave's allocation: what an instruction that names them does, worked out by hand; on both engines, for waves that were given
// their registers and for those that get them by S_ALLOC_VGPR. RDNA4 ISA 3.3.2.2, 3.3.3.
#include <bit>

#include "group_machine.h"

namespace Atoll::rdna4::test {
namespace {

using wave::Stop;
using Lines = std::vector<std::string>;

// 24 registers: v0 to v23. v0 holds 5000 and the lane; vN otherwise 100 N and the lane; what lies beyond holds 0xbad.
class Beyond : public testing::TestWithParam<std::tuple<unsigned, wave::EngineChoice>> {
protected:
  unsigned size() const { return std::get<0>(GetParam()); }
  GroupMachine& run(const Lines& lines) {
    m = std::make_unique<GroupMachine>(GroupMachine::Shape{size(), 1, {24, 0}}, lines);
    for (uint32_t lane = 0; lane < size(); lane++) {
      for (uint32_t n = 0; n < 64; n++) m->v(0, n, lane) = n >= 24 ? 0xbad : n ? 100 * n + lane : 5000 + lane;
      m->v(0, 20, lane) = GroupMachine::memory_base + 16 * lane, m->v(0, 21, lane) = 0;  // an address
      m->v(0, 19, lane) = 4 * lane;
      m->dword(16 * lane) = 0x11, m->dword(16 * lane + 4) = 0x22, m->dword(16 * lane + 8) = 0x33, m->dword(16 * lane + 12) = 0x44;
    }
    for (uint32_t n = 0; n < 20; n++) m->s(0, n) = 7;
    EXPECT_EQ(m->run(std::get<1>(GetParam())).stop, Stop::End) << m->reason(0);
    return *m;
  }
  uint32_t plain(uint32_t n, uint32_t lane) const { return n ? 100 * n + lane : 5000 + lane; }
  std::unique_ptr<GroupMachine> m;
};

#define EACH_LANE for (uint32_t lane = 0; lane < size(); lane++)

TEST_P(Beyond, SourcesOfVectorAluAreV0) {
  auto& a = run({"v_add_nc_u32 v2, v3, v24", "v_mov_b32 v4, v255", "v_add3_u32 v5, v100, v6, v24", "v_readlane_b32 s4, v40, 3",
                 size() == 64 ? "v_cmp_eq_u32 vcc, v0, v200" : "v_cmp_eq_u32 vcc_lo, v0, v200"});
  EACH_LANE {
    EXPECT_EQ(a.v(0, 2, lane), plain(3, lane) + plain(0, lane));
    EXPECT_EQ(a.v(0, 4, lane), plain(0, lane));
    EXPECT_EQ(a.v(0, 5, lane), 2 * plain(0, lane) + plain(6, lane));
  }
  EXPECT_EQ(a.s(0, 4), plain(0, 3));
  EXPECT_EQ(a.s(0, VCC_LO), ~0u);
}

// Wider ones are v0, v1, ... also where only their end lies beyond.
TEST_P(Beyond, WideSourcesAreV0AndOn) {
  auto& a = run({"v_lshlrev_b64 v[2:3], 0, v[23:24]", "v_lshlrev_b64 v[4:5], 0, v[60:61]", "v_lshlrev_b64 v[6:7], 0, v[22:23]"});
  EACH_LANE {
    EXPECT_EQ(a.v(0, 2, lane), plain(0, lane));
    EXPECT_EQ(a.v(0, 3, lane), plain(1, lane));
    EXPECT_EQ(a.v(0, 4, lane), plain(0, lane));
    EXPECT_EQ(a.v(0, 6, lane), plain(22, lane));
    EXPECT_EQ(a.v(0, 7, lane), plain(23, lane));
  }
}

TEST_P(Beyond, ResultsAreNotWrittenNorIsWhatComesWithThem) {
  const bool wide = size() == 64;
  auto& a = run({"v_mov_b32 v24, 1", "v_add_f64 v[23:24], 1.0, 2.0",
                 wide ? "v_add_co_u32 v30, s[4:5], v0, v0" : "v_add_co_u32 v30, s4, v0, v0", "v_mov_b32 v23, 9",
                 "v_writelane_b32 v24, s4, 2", "v_swap_b32 v2, v24", "v_swap_b32 v24, v2"});
  EACH_LANE {
    EXPECT_EQ(a.v(0, 24, lane), 0xbadu);
    EXPECT_EQ(a.v(0, 30, lane), 0xbadu);
    EXPECT_EQ(a.v(0, 23, lane), 9u) << "after the f64, which did nothing";
    EXPECT_EQ(a.v(0, 2, lane), plain(2, lane));
  }
  EXPECT_EQ(a.s(0, 4), 7u);
}

// The number modulo 4; nothing at all if a result lies beyond.
TEST_P(Beyond, DualInstructions) {
  if (size() == 64) GTEST_SKIP() << "wave32 alone has them";
  auto& a = run({"v_dual_mov_b32 v2, v26 :: v_dual_add_f32 v5, v27, v101", "v_dual_mov_b32 v8, v1 :: v_dual_mov_b32 v31, v4"});
  EACH_LANE {
    EXPECT_EQ(a.v(0, 2, lane), plain(2, lane)) << "26 is 2 modulo 4";
    float x = std::bit_cast<float>(plain(3, lane)), y = std::bit_cast<float>(plain(1, lane));
    EXPECT_EQ(a.v(0, 5, lane), std::bit_cast<uint32_t>(x + y));
    EXPECT_EQ(a.v(0, 8, lane), plain(8, lane));
    EXPECT_EQ(a.v(0, 31, lane), 0xbadu);
  }
}

TEST_P(Beyond, IndexedMoves) {
  auto& a = run({"s_mov_b32 m0, 4", "v_movrels_b32 v2, v19", "v_movrels_b32 v3, v20", "v_movreld_b32 v20, v5",
                 "v_movreld_b32 v1, v90", "v_mov_b32 v23, v23"});
  EACH_LANE {
    EXPECT_EQ(a.v(0, 2, lane), plain(23, lane));
    EXPECT_EQ(a.v(0, 3, lane), plain(0, lane)) << "v24 is none";
    EXPECT_EQ(a.v(0, 24, lane), 0xbadu);
    EXPECT_EQ(a.v(0, 5, lane), plain(0, lane)) << "v1 and 4, from v90, which is none";
  }
}

TEST_P(Beyond, MatricesFromV0On) {
  // D = A * B + C of which B lies beyond: as if v0 to v3 (wave64: v0, v1) were named.
  const bool wide = size() == 64;
  const std::string d = wide ? "v[4:7]" : "v[4:11]", c = wide ? "v[4:7]" : "v[4:11]";
  auto text = [&](const char* b) {
    return "v_wmma_f32_16x16x16_f16 " + d + ", " + (wide ? "v[12:13]" : "v[12:15]") + ", " + b + ", " + c;
  };
  auto& a = run({text(wide ? "v[30:31]" : "v[30:33]")});
  std::vector<uint32_t> beyond;
  for (uint32_t n = 4; n < 12; n++) EACH_LANE beyond.push_back(a.v(0, n, lane));
  auto& b = run({text(wide ? "v[0:1]" : "v[0:3]")});
  std::vector<uint32_t> named;
  for (uint32_t n = 4; n < 12; n++) EACH_LANE named.push_back(b.v(0, n, lane));
  EXPECT_EQ(beyond, named);
}

// --- memory: each register by itself

TEST_P(Beyond, StoresOfDataThatReachBeyond) {
  auto& a = run({"global_store_b128 v[20:21], v[22:25], off", "s_wait_storecnt 0x0"});
  EACH_LANE {
    EXPECT_EQ(a.dword(16 * lane), plain(22, lane));
    EXPECT_EQ(a.dword(16 * lane + 4), plain(23, lane));
    EXPECT_EQ(a.dword(16 * lane + 8), plain(0, lane));
    EXPECT_EQ(a.dword(16 * lane + 12), plain(0, lane));
  }
}

TEST_P(Beyond, LoadsDoNothingIfAnyResultLiesBeyond) {
  auto& a = run({"global_load_b128 v[22:25], v[20:21], off", "global_load_b64 v[2:3], v[20:21], off", "s_wait_loadcnt 0x0"});
  EACH_LANE {
    EXPECT_EQ(a.v(0, 22, lane), plain(22, lane));
    EXPECT_EQ(a.v(0, 2, lane), 0x11u);
    EXPECT_EQ(a.v(0, 3, lane), 0x22u);
  }
}

TEST_P(Beyond, AtomicsWithAndWithoutResult) {
  auto& a = run(
      {"global_atomic_add_u32 v24, v[20:21], v3, off th:TH_ATOMIC_RETURN", "global_atomic_add_u32 v[20:21], v30, off offset:4",
       "global_atomic_add_u32 v4, v[20:21], v3, off offset:8 th:TH_ATOMIC_RETURN", "s_wait_loadcnt 0x0", "s_wait_storecnt 0x0"});
  EACH_LANE {
    EXPECT_EQ(a.dword(16 * lane), 0x11u) << "it was not done at all";
    EXPECT_EQ(a.dword(16 * lane + 4), 0x22u + plain(0, lane)) << "v0 is added";
    EXPECT_EQ(a.dword(16 * lane + 8), 0x33u + plain(3, lane));
    EXPECT_EQ(a.v(0, 4, lane), 0x33u);
  }
}

TEST_P(Beyond, LocalMemory) {
  auto& a = run({"v_mov_b32 v0, v19", "ds_store_b32 v19, v3", "ds_load_b32 v24, v19", "ds_load_b32 v2, v99", "s_wait_dscnt 0x0",
                 "ds_store_b64 v19, v[23:24] offset:2048", "s_wait_dscnt 0x0"});
  EACH_LANE { EXPECT_EQ(a.v(0, 2, lane), plain(3, lane)) << "the address is v0's"; }
  uint32_t word;
  std::memcpy(&word, a.lds.data() + 2048 + 4 * (size() - 1) + 4, 4);
  EXPECT_EQ(word, a.v(0, 0, size() - 1)) << "the second dword is v0";
}

TEST_P(Beyond, Buffers) {
  auto& a =
      run({"s_mov_b32 s4, 0x100000", "s_mov_b32 s5, 0", "s_mov_b32 s6, 0x8000", "s_mov_b32 s7, 0x30016fac", "v_mov_b32 v0, 16",
           "buffer_load_b32 v2, v40, s[4:7], null offen", "buffer_load_b32 v24, v0, s[4:7], null offen", "s_wait_loadcnt 0x0"});
  EACH_LANE { EXPECT_EQ(a.v(0, 2, lane), 0x11u) << "at v0, 16"; }
}

TEST_P(Beyond, TextIsAsWritten) {
  auto& a = run({"v_add_nc_u32 v2, v3, v24", "v_mov_b32 v24, 1"});
  EXPECT_EQ(a.isa.text(a.program->decoded(*a.program->at(GroupMachine::code_base))), "v_add_nc_u32_e32 v2, v3, v24");
  EXPECT_EQ(a.isa.text(a.program->decoded(*a.program->at(GroupMachine::code_base + 4))), "v_mov_b32_e32 v24, 1");
}

INSTANTIATE_TEST_SUITE_P(All, Beyond, testing::Combine(testing::Values(32u, 64u), testing::ValuesIn(both_engines)),
                         [](const auto& p) {
                           return "wave" + std::to_string(std::get<0>(p.param)) +
                                  (std::get<1>(p.param) == wave::EngineChoice::Jit ? "_jit" : "_interpreter");
                         });

// --- S_ALLOC_VGPR

class Allocates : public testing::TestWithParam<wave::EngineChoice> {
protected:
  GroupMachine& run(uint32_t block, const Lines& lines, unsigned waves = 1) {
    m = std::make_unique<GroupMachine>(GroupMachine::Shape{32, waves, {256, block}}, lines);
    EXPECT_EQ(m->run(GetParam()).stop, Stop::End) << m->reason(0);
    return *m;
  }
  std::unique_ptr<GroupMachine> m;
};

TEST_P(Allocates, BlocksAreAddedAndGivenBack) {
  auto& a = run(16, {"v_mov_b32 v0, 5", "v_mov_b32 v16, 6", "v_mov_b32 v2, v16",          // v16 is none: v0
                     "s_alloc_vgpr 17", "s_cselect_b32 s4, 1, 0",                         // 32 registers
                     "v_mov_b32 v3, v16", "v_mov_b32 v16, 7", "v_mov_b32 v4, v16",        // new: 0
                     "v_mov_b32 v32, 8", "v_mov_b32 v5, v32",                             // beyond
                     "s_movk_i32 s6, 0x80", "s_alloc_vgpr s6", "s_cselect_b32 s5, 1, 0",  // all 128
                     "v_mov_b32 v127, 9", "v_mov_b32 v6, v127",                           //
                     "s_alloc_vgpr 0", "s_cselect_b32 s7, 1, 0",                          // one block stays
                     "v_mov_b32 v7, v16", "v_mov_b32 v8, v15"});
  EXPECT_EQ(a.s(0, 4), 1u);
  EXPECT_EQ(a.s(0, 5), 1u);
  EXPECT_EQ(a.s(0, 7), 1u);
  EXPECT_EQ(a.cell(0, vgpr_count_cell), 16u);
  for (uint32_t lane = 0; lane < 32; lane++) {
    EXPECT_EQ(a.v(0, 2, lane), 5u);
    EXPECT_EQ(a.v(0, 3, lane), 0u);
    EXPECT_EQ(a.v(0, 4, lane), 7u);
    EXPECT_EQ(a.v(0, 5, lane), 5u);
    EXPECT_EQ(a.v(0, 6, lane), 9u);
    EXPECT_EQ(a.v(0, 7, lane), 5u);
  }
}

TEST_P(Allocates, TooMany) {
  auto& a = run(16, {"s_movk_i32 s6, 0x81", "s_alloc_vgpr s6", "s_cselect_b32 s4, 1, 0", "s_movk_i32 s6, 0x220",
                     "s_alloc_vgpr s6", "s_cselect_b32 s5, 1, 0"});
  EXPECT_EQ(a.s(0, 4), 0u) << "more than 8 blocks";
  EXPECT_EQ(a.s(0, 5), 1u) << "nine bits count: 32";
  EXPECT_EQ(a.cell(0, vgpr_count_cell), 32u);
  auto& b = run(
      32, {"s_movk_i32 s6, 0x100", "s_alloc_vgpr s6", "s_cselect_b32 s4, 1, 0", "s_getreg_b32 s8, hwreg(HW_REG_STATUS, 30, 1)"});
  EXPECT_EQ(b.s(0, 4), 1u);
  EXPECT_EQ(b.cell(0, vgpr_count_cell), 256u);
  EXPECT_EQ(b.s(0, 8), 1u) << "DYN_VGPR_EN";
}

// Waves of one group with different allocations, in a loop that grows by a block each time.
TEST_P(Allocates, EachWaveForItself) {
  m = std::make_unique<GroupMachine>(
      GroupMachine::Shape{32, 2, {256, 16}},
      Lines{"v_mov_b32 v0, 1", "s_mov_b32 s4, 16", "v_mov_b32 v2, 0",  //
            "s_add_co_u32 s4, s4, s0", "s_alloc_vgpr s4", "v_mov_b32 v40, 3", "v_add_nc_u32 v2, v2, v40", "s_barrier_signal -1",
            "s_barrier_wait -1", "s_sub_co_u32 s5, s5, 1", "s_cmp_lg_u32 s5, 0", "s_cbranch_scc1 0xfff7"});
  for (unsigned n = 0; n < 2; n++) m->s(n, 0) = n * 16, m->s(n, 5) = 6;
  ASSERT_EQ(m->run(GetParam()).stop, Stop::End) << m->reason(0);
  EXPECT_EQ(m->v(0, 2, 5), 6u) << "v40 stays beyond: v0, six times";
  EXPECT_EQ(m->v(1, 2, 5), 1 + 5 * 3u) << "with 32 registers still beyond, with 48 and more not";
}

TEST_P(Allocates, OnlyWhereTheWaveWasLaunchedSo) {
  GroupMachine m({32, 1}, {"s_alloc_vgpr 16"});
  EXPECT_EQ(m.run(GetParam()).stop, Stop::Fault);
  EXPECT_EQ(m.reason(0), "s_alloc_vgpr: the wave is not in dynamic VGPR mode");
}

INSTANTIATE_TEST_SUITE_P(All, Allocates, testing::ValuesIn(both_engines),
                         [](const auto& p) { return p.param == wave::EngineChoice::Jit ? "jit" : "interpreter"; });

}  // namespace
}  // namespace Atoll::rdna4::test
