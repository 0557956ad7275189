// Wave starts, against a plain enumeration of every work-item.
#include "gpu/rdna4/initial_state.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace Atoll::rdna4 {
namespace {

Dispatch dispatch(std::array<uint32_t, 3> grid, std::array<uint32_t, 3> group, uint32_t wave_size) {
  Dispatch d;
  d.grid = grid;
  d.group = group;
  for (int i = 0; i < 3; ++i) d.groups[i] = (grid[i] + group[i] - 1) / group[i];
  d.wave_size = wave_size;
  return d;
}

TEST(InitialState, EveryWorkItemStartsOnce) {
  for (uint32_t wave_size : {32u, 64u})
    for (auto [grid, group] :
         std::vector<std::pair<std::array<uint32_t, 3>, std::array<uint32_t, 3>>>{{{64, 1, 1}, {64, 1, 1}},
                                                                                  {{1, 1, 1}, {1, 1, 1}},
                                                                                  {{100, 1, 1}, {64, 1, 1}},
                                                                                  {{10, 7, 5}, {4, 3, 2}},
                                                                                  {{5, 5, 5}, {8, 8, 8}},
                                                                                  {{33, 2, 1}, {33, 2, 1}},
                                                                                  {{1024, 1, 2}, {1024, 1, 1}},
                                                                                  {{3, 200, 3}, {2, 33, 3}}}) {
      Dispatch d = dispatch(grid, group, wave_size);
      std::set<std::array<uint32_t, 3>> seen;
      for (uint32_t z = 0; z < d.groups[2]; ++z)
        for (uint32_t y = 0; y < d.groups[1]; ++y)
          for (uint32_t x = 0; x < d.groups[0]; ++x) {
            GroupShape shape = group_shape(d, {x, y, z});
            uint32_t expected = 0;  // the next work-item of this group, X fastest
            for (uint32_t w = 0; w < shape.waves; ++w) {
              WaveStart start = initial_state(d, {}, {x, y, z}, w);
              EXPECT_EQ(start.ttmps[9], x);
              EXPECT_EQ(start.ttmps[8] >> 25 & 31, w);
              uint64_t live = start.exec;
              EXPECT_NE(live, 0u);
              if (w + 1 < shape.waves) EXPECT_EQ(std::popcount(live), int(wave_size));
              for (uint32_t lane = 0; lane < 64; ++lane) {
                if (!(live >> lane & 1)) {
                  EXPECT_EQ(start.vgpr0[lane], 0u);
                  continue;
                }
                std::array<uint32_t, 3> item{start.vgpr0[lane] & 1023, start.vgpr0[lane] >> 10 & 1023, start.vgpr0[lane] >> 20};
                EXPECT_EQ(item[0] + shape.size[0] * (item[1] + shape.size[1] * item[2]), expected++);
                std::array<uint32_t, 3> global{x * group[0] + item[0], y * group[1] + item[1], z * group[2] + item[2]};
                for (int i = 0; i < 3; ++i) EXPECT_LT(global[i], grid[i]);
                EXPECT_TRUE(seen.insert(global).second);
              }
            }
            EXPECT_EQ(expected, shape.items);
          }
      EXPECT_EQ(seen.size(), size_t(grid[0]) * grid[1] * grid[2]);
    }
}

TEST(InitialState, TrapRegistersHoldTheIds) {
  Dispatch d = dispatch({64 * 70000u, 70000, 300}, {64, 2, 1}, 32);
  WaveSetup setup;
  auto without = initial_state(d, setup, {69999, 34999, 299}, 3);
  EXPECT_EQ(without.ttmps[7], 0u);
  EXPECT_EQ(without.ttmps[8], 3u << 25);
  EXPECT_EQ(without.ttmps[9], 69999u);
  setup.grid_yz_valid = true;
  d.dispatch_index = 5;
  auto with = initial_state(d, setup, {1, 34999, 299}, 2);
  EXPECT_EQ(with.ttmps[7], 299u << 16 | 34999u);
  EXPECT_EQ(with.ttmps[8], 1u << 30 | 2u << 25 | 5u);
}

TEST(InitialState, SgprsThenGroupInfo) {
  Dispatch d = dispatch({100, 1, 1}, {64, 1, 1}, 32);
  d.entry = 0x123400;
  WaveSetup setup;
  setup.mode = 0xf0;
  d.user_sgpr_count = 3;
  d.user_sgprs[0] = 7, d.user_sgprs[2] = 9;
  auto start = initial_state(d, setup, {0, 0, 0}, 1);
  EXPECT_EQ(start.pc, 0x123400u);
  EXPECT_EQ(start.mode, 0xf0u);
  EXPECT_EQ(start.sgpr_count, 3u);
  EXPECT_EQ(start.sgprs[0], 7u);
  EXPECT_EQ(start.sgprs[2], 9u);
  setup.workgroup_info = true;
  start = initial_state(d, setup, {0, 0, 0}, 1);
  EXPECT_EQ(start.sgpr_count, 4u);
  EXPECT_EQ(start.sgprs[3], 2u);  // waves of the group
  start = initial_state(d, setup, {1, 0, 0}, 0);
  EXPECT_EQ(start.exec, 0xffffffffu);
  start = initial_state(d, setup, {1, 0, 0}, 1);  // 36 items are left for the last group
  EXPECT_EQ(start.exec, 0xfu);
  EXPECT_EQ(start.sgprs[3], 2u);
}

TEST(InitialState, GridsNearTheLimit) {
  Dispatch d = dispatch({UINT32_MAX, 1, 1}, {256, 1, 1}, 64);
  d.groups[0] = 1 << 24;
  GroupShape last = group_shape(d, {(1 << 24) - 1, 0, 0});
  EXPECT_EQ(last.items, 255u);
  EXPECT_EQ(last.waves, 4u);
}

}  // namespace
}  // namespace Atoll::rdna4
