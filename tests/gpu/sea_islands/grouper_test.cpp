// Primitives that the VGT_GROUP registers describe (Sea Islands 3D/Compute Register Reference, VGT; docs/errata.md).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "draws.h"

namespace Atoll::sea_islands::test {
namespace {

using Type = VGT_PRIMITIVE_TYPE::PRIM_TYPE;
using Group = VGT_GROUP_PRIM_TYPE;
using Path = VGT_OUTPUT_PATH_CNTL::PATH_SELECT;
using Initiator = VGT_DRAW_INITIATOR;
constexpr uint32_t by_registers = Initiator::MAJOR_MODE::of(1), counted = Initiator::SOURCE_SELECT::of(2);

class Grouper : public Draws {
protected:
  Grouper() {
    stream = *space->allocate(0x10000, 4096);
    seen = *space->allocate(0x10000, 4096);
    std::mt19937 random(7);
    for (unsigned n = 0; n < 0x8000; n++) words()[n] = uint16_t(random());
    const auto address = seen.gpu_address;
    // Each vertex stores v0 to v7 at its lane's place.
    storing = program(std::vector<std::string>{
        "v_mbcnt_lo_u32_b32 v10, -1, 0", "v_mbcnt_hi_u32_b32 v10, -1, v10", "v_lshlrev_b32 v10, 5, v10",
        fmt::format("v_add_i32 v10, vcc, {:#x}, v10", uint32_t(address)), fmt::format("v_mov_b32 v11, {:#x}", address >> 32),
        "flat_store_dwordx4 v[10:11], v[0:3]", "v_add_i32 v10, vcc, 16, v10", "flat_store_dwordx4 v[10:11], v[4:7]",
        "v_mov_b32 v12, 0", "exp pos0 v12, v12, v12, v12 done", "s_endpgm"});
    white = program({"v_mov_b32 v0, 1.0", "exp mrt0 v0, v0, v0, v0 done vm", "s_endpgm"});
    // Positions around the window by the vertex's number, so that what follows each other makes triangles; red and green by number.
    placed = program({"v_cvt_f32_u32 v1, v0", "v_mul_f32 v2, 0x3e4ccccd, v1" /* a fifth of a turn and a little */,
                      "v_mul_f32 v3, 0x3dcccccd, v1", "v_add_f32 v2, v2, v3", "v_sin_f32 v4, v2", "v_cos_f32 v5, v2",
                      "v_mul_f32 v6, 0x3d000000, v1", "v_sub_f32 v6, 1.0, v6", "v_mul_f32 v4, v4, v6", "v_mul_f32 v5, v5, v6",
                      "v_mov_b32 v7, 0", "v_mov_b32 v8, 1.0", "exp pos0 v4, v5, v7, v8 done", "v_mul_f32 v9, 0x3d000000, v1",
                      "exp param0 v9, v6, v4, v8", "s_endpgm"});
  }
  uint16_t* words() { return reinterpret_cast<uint16_t*>(stream.host_pointer); }
  const uint32_t* of_lane(unsigned n) { return reinterpret_cast<const uint32_t*>(seen.host_pointer) + n * 8; }

  Words storing_state(uint32_t vgprs = 4) {
    std::memset(seen.host_pointer, 0xee, 0x10000);
    Words w = state(storing, white);
    w.shader(SPI_SHADER_PGM_RSRC1_VS::address(), 0x000c0004 | SPI_SHADER_PGM_RSRC1_VS::VGPR_COMP_CNT::of(vgprs - 1));
    return w.context(VGT_GROUP_FIRST_DECR::address(), 1).context(VGT_GROUP_DECR::address(), 1);
  }
  // Component X alone, an index of 16 bits; a vertex for each.
  Words& one_index(Words& w) {
    w.context(VGT_GROUP_FIRST_DECR::address(), 1).context(VGT_GROUP_DECR::address(), 1);
    using Control = VGT_GROUP_VECT_0_CNTL;
    return w.context(Control::address(), Control::COMP_X_EN::of(1) | Control::STRIDE::of(1) | Control::SHIFT::of(1));
  }
  Words& indexed(Words& w, uint32_t count, bool wide = false, uint32_t initiator = by_registers) {
    const uint64_t at = stream.gpu_address;
    return w.packet(NUM_INSTANCES::opcode, {1})
        .packet(INDEX_TYPE::opcode, {wide})
        .packet(DRAW_INDEX_2::opcode, {count, Words::low(at), Words::high(at), count, initiator});
  }
  // How many lanes of the first wave ran.
  unsigned lanes() {
    unsigned n = 0;
    while (n < 64 && of_lane(n)[0] != 0xeeeeeeee) n++;
    return n;
  }

  Words picture_state() {
    std::memset(colour.host_pointer, 0, width * height * 4);
    Words w = state(placed, interpolating());
    w.shader(SPI_SHADER_PGM_RSRC1_VS::address(), 0x000c0004).shader(SPI_SHADER_PGM_RSRC1_PS::address(), 0x000c0004);
    w.context(PA_SU_LINE_CNTL::address(), PA_SU_LINE_CNTL::WIDTH::of(8));
    w.context(PA_SU_POINT_SIZE::address(), 0x00180018).context(PA_SU_POINT_MINMAX::address(), 0xffff0000);
    return w;
  }
  std::vector<uint32_t> picture() {
    auto* pixels = reinterpret_cast<uint32_t*>(colour.host_pointer);
    return {pixels, pixels + width * height};
  }
  // The picture of the indices drawn in the ordinary way.
  std::vector<uint32_t> ordinary(uint32_t type, const std::vector<uint16_t>& indices, uint32_t mode) {
    std::ranges::copy(indices, words());
    Words w = picture_state();
    w.context(PA_SU_SC_MODE_CNTL::address(), mode).user(VGT_PRIMITIVE_TYPE::address(), type);
    good(indexed(w, uint32_t(indices.size()), false, 0));
    return picture();
  }
  std::vector<uint32_t> grouped(uint32_t group, uint32_t path, const std::vector<uint16_t>& indices, uint32_t mode) {
    std::ranges::copy(indices, words());
    Words w = picture_state();
    one_index(w)
        .context(PA_SU_SC_MODE_CNTL::address(), mode)
        .context(Group::address(), group)
        .context(VGT_OUTPUT_PATH_CNTL::address(), path);
    w.user(VGT_PRIMITIVE_TYPE::address(), Type::DI_PT_NONE);
    good(indexed(w, uint32_t(indices.size())));
    return picture();
  }

  Buffer stream, seen;
  uint64_t storing = 0, white = 0, placed = 0;
};
INSTANTIATE_TEST_SUITE_P(Engines, Grouper, testing::Values("interpreter", "jit"));

// Each conversion in each component, from each place, with indices of 16 and 32 bits: what the words of the stream say.
TEST_P(Grouper, ComponentsAreTakenFromTheStream) {
  std::mt19937 random(11);
  constexpr uint32_t base = 0xfffffff0, least = 20, most = 0x00ff0000;
  for (unsigned round = 0; round < 60; round++) {
    struct {
      uint32_t enabled, stride, shift, conversion[4], offset[4];
    } vector[2];
    uint32_t control[2], format[2] = {};
    for (unsigned v = 0; v < 2; v++) {
      auto& one = vector[v];
      one.enabled = random() % 16, one.stride = random() % 20, one.shift = random() % 24;
      if (v == 1 && round % 4 == 0) one.enabled = 0;
      control[v] = one.enabled | one.stride << 8 | one.shift << 16;
      for (unsigned c = 0; c < 4; c++) {
        one.conversion[c] = random() % 9, one.offset[c] = random() % 16;
        format[v] |= one.conversion[c] << 8 * c | one.offset[c] << (8 * c + 4);
      }
    }
    const uint32_t vgprs = 1 + random() % 4, count = 2 + random() % 40;
    const bool wide = random() % 2;
    Words w = storing_state(vgprs);
    w.context(VGT_GROUP_VECT_0_CNTL::address(), control[0]).context(VGT_GROUP_VECT_0_FMT_CNTL::address(), format[0]);
    w.context(VGT_GROUP_VECT_1_CNTL::address(), control[1]).context(VGT_GROUP_VECT_1_FMT_CNTL::address(), format[1]);
    w.context(Group::address(), Group::PRIM_TYPE::of(1) | Group::PRIM_ORDER::of(1));  // a strip of lines
    w.context(VGT_INDX_OFFSET::address(), base).context(VGT_MIN_VTX_INDX::address(), least);
    w.context(VGT_MAX_VTX_INDX::address(), most);
    good(indexed(w, count, wide));
    ASSERT_EQ(lanes(), count);
    uint64_t at = 0;
    auto word = [&](uint64_t n) -> uint32_t { return n < count * (wide ? 2u : 1u) ? words()[n] : 0; };
    for (unsigned g = 0; g < count; g++)
      for (unsigned v = 0; v < 2; v++) {
        const auto& one = vector[v];
        if (v == 1 && !one.enabled) continue;
        for (unsigned c = 0; c < 4; c++) {
          if (v == 0 && c >= vgprs) continue;
          if (!(one.enabled >> c & 1)) {
            if (c == 0 && v == 0) {
              ASSERT_EQ(of_lane(g)[0], 0u);
            }
            continue;
          }
          auto taken = [&](unsigned n) { return one.offset[c] + n < one.stride ? word(at + one.offset[c] + n) : 0; };
          const uint32_t low = taken(0), both = low | taken(1) << 16;
          auto index = [&](uint32_t n) { return std::clamp(n + base, least, most); };
          auto number = [](double x) { return std::bit_cast<uint32_t>(float(x)); };
          const uint32_t expected[] = {index(low),   index(both & 0xffffff), number(low),
                                       number(both), number(int16_t(low)),   number(int32_t(both)),
                                       both,         g < 1 ? 0 : g - 1,      0};
          ASSERT_EQ(of_lane(g)[4 * v + c], expected[one.conversion[c]])
              << "round " << round << ", group " << g << ", vector " << v << ", component " << c << ", conversion "
              << one.conversion[c] << ", offset " << one.offset[c] << ", stride " << one.stride;
        }
        at += std::min(one.shift, one.stride);
      }
  }
}

// Without indices the stream has numbers from 0 on, in 32 bits each.
TEST_P(Grouper, WithoutIndicesTheStreamCounts) {
  Words w = storing_state(2);
  using Control = VGT_GROUP_VECT_0_CNTL;
  w.context(Control::address(), 3 | Control::STRIDE::of(4) | Control::SHIFT::of(4));
  using Format = VGT_GROUP_VECT_0_FMT_CNTL;
  using Conversion = VGT_GROUP_CONV_SEL;
  w.context(Format::address(), Format::X_CONV::of(Conversion::VGT_GRP_INDEX_32) |
                                   Format::Y_CONV::of(Conversion::VGT_GRP_UINT_16) | Format::Y_OFFSET::of(2));
  good(w.packet(NUM_INSTANCES::opcode, {1}).packet(DRAW_INDEX_AUTO::opcode, {9, counted | by_registers}));
  ASSERT_EQ(lanes(), 9u);
  for (unsigned g = 0; g < 9; g++) {
    EXPECT_EQ(of_lane(g)[0], 2 * g);
    EXPECT_EQ(of_lane(g)[1], std::bit_cast<uint32_t>(float(2 * g + 1)));
  }
}

// VGPRs of components that are not enabled have what they have in other draws.
TEST_P(Grouper, OtherRegistersHaveTheInstance) {
  Words w = storing_state(4);
  one_index(w).context(VGT_INSTANCE_STEP_RATE_0::address(), 2).context(VGT_INSTANCE_STEP_RATE_1::address(), 3);
  using Control = VGT_GROUP_VECT_0_CNTL;
  w.context(Control::address(), Control::COMP_X_EN::of(1) | Control::COMP_Z_EN::of(1) | Control::STRIDE::of(1));
  w.packet(NUM_INSTANCES::opcode, {8}).packet(DRAW_INDEX_AUTO::opcode, {1, counted | by_registers});
  good(w);
  EXPECT_EQ(of_lane(7)[1], 7u / 2);
  EXPECT_EQ(of_lane(7)[2], 0u);  // of the stream
  EXPECT_EQ(of_lane(7)[3], 7u);
}

TEST_P(Grouper, GroupsTakeFromTheCount) {
  for (uint32_t first = 0; first < 16; first += 3)
    for (uint32_t each = 1; each < 16; each += 2)
      for (uint32_t count : {1u, 2u, 7u, 30u, 45u}) {
        Words w = storing_state();
        one_index(w).context(VGT_GROUP_FIRST_DECR::address(), first).context(VGT_GROUP_DECR::address(), each);
        good(w.packet(NUM_INSTANCES::opcode, {1}).packet(DRAW_INDEX_AUTO::opcode, {count, counted | by_registers}));
        unsigned groups = 0;
        for (int left = int(count) - int(first); left >= 0; left -= int(each)) groups++;
        ASSERT_EQ(lanes(), groups) << first << ", " << each << " of " << count;
      }
}

struct Kind {
  uint32_t type, order, implicit;
  bool passes = true;  // as well through the path without a store of vertices
};
constexpr Kind kinds[] = {
    {0, 0, Type::DI_PT_POINTLIST},       {1, 0, Type::DI_PT_LINELIST},       {1, 1, Type::DI_PT_LINESTRIP},
    {1, 3, Type::DI_PT_LINELOOP, false}, {2, 0, Type::DI_PT_TRILIST},        {2, 1, Type::DI_PT_TRISTRIP},
    {2, 2, Type::DI_PT_TRIFAN, false},   {2, 4, Type::DI_PT_POLYGON, false}, {3, 0, Type::DI_PT_RECTLIST},
    {4, 0, Type::DI_PT_QUADLIST},        {4, 1, Type::DI_PT_QUADSTRIP},      {10, 0, Type::DI_PT_LINELIST},
    {10, 1, Type::DI_PT_LINESTRIP},      {11, 0, Type::DI_PT_TRILIST},       {11, 1, Type::DI_PT_TRISTRIP},
    {15, 0, Type::DI_PT_LINELIST_ADJ},   {15, 1, Type::DI_PT_LINESTRIP_ADJ}, {16, 0, Type::DI_PT_TRILIST_ADJ},
    {16, 1, Type::DI_PT_TRISTRIP_ADJ},
};
constexpr uint32_t group_of(const Kind& kind) { return Group::PRIM_TYPE::of(kind.type) | Group::PRIM_ORDER::of(kind.order); }
const std::vector<uint16_t> some = {3, 0, 1, 7, 2, 9, 4, 5, 12, 6, 11, 8, 13};

TEST_P(Grouper, PrimitivesAreThoseOfOtherDraws) {
  const std::vector<uint32_t> nothing(width * height);
  for (const Kind& kind : kinds)
    for (uint32_t cull : {0u, 1u, 2u}) {
      const auto expected = ordinary(kind.implicit, some, cull);
      if (!cull) {
        EXPECT_NE(expected, nothing);
      }
      EXPECT_EQ(grouped(group_of(kind), Path::VGT_OUTPATH_VTX_REUSE, some, cull), expected) << kind.type << ", " << kind.order;
      if (kind.passes) {
        EXPECT_EQ(grouped(group_of(kind), Path::VGT_OUTPATH_PASSTHRU, some, cull), expected) << kind.type << ", " << kind.order;
      }
    }
}

// With RETAIN_ORDER primitives are what follows each other in the stream; strips that pass through are turned all the same.
TEST_P(Grouper, GroupsKeepTheirOrder) {
  std::vector<uint16_t> triangles, spread;
  const std::vector<uint16_t> whole(some.begin(), some.begin() + 12);  // of a strip with adjacency
  for (unsigned n = 0; n + 2 < some.size(); n++) triangles.insert(triangles.end(), {some[n], some[n + 1], some[n + 2]});
  for (unsigned n = 0; n + 5 < whole.size(); n += 2) spread.insert(spread.end(), {some[n], some[n + 2], some[n + 4]});
  constexpr uint32_t keep = Group::RETAIN_ORDER::of(1), reuse = Path::VGT_OUTPATH_VTX_REUSE, pass = Path::VGT_OUTPATH_PASSTHRU;
  for (uint32_t cull : {1u, 2u}) {
    const auto in_order = ordinary(Type::DI_PT_TRILIST, triangles, cull), turned = ordinary(Type::DI_PT_TRISTRIP, some, cull);
    ASSERT_NE(in_order, turned);
    for (const Kind& kind : {Kind{2, 1, 0}, Kind{2, 2, 0}, Kind{2, 4, 0}, Kind{11, 1, 0}})
      EXPECT_EQ(grouped(keep | group_of(kind), reuse, some, cull), in_order) << kind.type << ", " << kind.order;
    EXPECT_EQ(grouped(keep | group_of({2, 1, 0}), pass, some, cull), turned);
    EXPECT_EQ(grouped(keep | group_of({11, 1, 0}), pass, some, cull), turned);
    EXPECT_EQ(grouped(keep | group_of({16, 1, 0}), reuse, whole, cull), ordinary(Type::DI_PT_TRILIST, spread, cull));
  }
  EXPECT_EQ(grouped(keep | group_of({1, 3, 0}), reuse, some, 0), ordinary(Type::DI_PT_LINESTRIP, some, 0));
}

// Each packet that draws, and the register, takes the mode from its own word.
TEST_P(Grouper, EveryDrawHasTheMode) {
  for (unsigned way = 0; way < 8; way++)
    for (bool explicit_mode : {false, true}) {
      const uint32_t initiator = explicit_mode ? by_registers : 0, count = 5;
      Words w = storing_state(1);
      one_index(w).user(VGT_PRIMITIVE_TYPE::address(), Type::DI_PT_POINTLIST);
      w.context(VGT_GROUP_DECR::address(), 2);  // of five three are left
      w.packet(NUM_INSTANCES::opcode, {1}).packet(INDEX_TYPE::opcode, {0});
      const uint64_t at = stream.gpu_address, arguments = memory.gpu_address;
      for (unsigned n = 0; n < 5; n++) dword(n * 4) = n == 0 ? count : n == 1 ? 1 : 0;
      w.packet(SET_BASE::opcode, {1, Words::low(arguments), Words::high(arguments)});
      w.packet(INDEX_BASE::opcode, {Words::low(at), Words::high(at)}).packet(INDEX_BUFFER_SIZE::opcode, {100});
      switch (way) {
        case 0: w.packet(DRAW_INDEX_AUTO::opcode, {count, counted | initiator}); break;
        case 1: w.packet(DRAW_INDEX_2::opcode, {count, Words::low(at), Words::high(at), count, initiator}); break;
        case 2: w.packet(DRAW_INDEX_OFFSET_2::opcode, {100, 0, count, initiator}); break;
        case 3: w.packet(DRAW_INDIRECT::opcode, {0, 0, 0, counted | initiator}); break;
        case 4: w.packet(DRAW_INDEX_INDIRECT::opcode, {0, 0, 0, initiator}); break;
        case 5: w.packet(DRAW_INDIRECT_MULTI::opcode, {0, 0, 0, 0, 1, 0, 0, 16, counted | initiator}); break;
        case 6: w.packet(DRAW_INDEX_INDIRECT_MULTI::opcode, {0, 0, 0, 0, 1, 0, 0, 20, initiator}); break;
        default: w.user(VGT_NUM_INDICES::address(), count).context(VGT_DRAW_INITIATOR::address(), counted | initiator);
      }
      good(w);
      EXPECT_EQ(lanes(), explicit_mode ? 3u : 5u) << "way " << way;
    }
}

// Values without a meaning are reported, and draw nothing.
TEST_P(Grouper, WhatCannotBeDrawnIsSaid) {
  struct Row {
    uint32_t address, value;
    const char* said;
  };
  const Row rows[] = {
      {VGT_GROUP_DECR::address(), 0, "VGT_GROUP_DECR.DECR 0"},      {Group::address(), Group::PRIM_TYPE::of(5), "PRIM_TYPE 5"},
      {Group::address(), Group::PRIM_TYPE::of(13), "PRIM_TYPE 13"}, {Group::address(), Group::PRIM_TYPE::of(31), "PRIM_TYPE 31"},
      {Group::address(), Group::PRIM_ORDER::of(7), "PRIM_ORDER 7"}, {VGT_OUTPUT_PATH_CNTL::address(), 1, "PATH_SELECT 1"},
      {VGT_OUTPUT_PATH_CNTL::address(), 3, "PATH_SELECT 3"},        {VGT_OUTPUT_PATH_CNTL::address(), 4, "PATH_SELECT 4"},
      {VGT_GROUP_VECT_0_FMT_CNTL::address(), 12, "conversion 12"},
  };
  for (const Row& row : rows) {
    Words w = storing_state();
    one_index(w).context(row.address, row.value);
    ASSERT_TRUE(run(indexed(w, 9)));
    EXPECT_NE(unknown().find(row.said), std::string::npos) << row.said << ": " << unknown();
    EXPECT_EQ(lanes(), 0u) << row.said;
  }
  Words w = storing_state();
  one_index(w)
      .context(Group::address(), group_of({2, 2, 0}))
      .context(VGT_OUTPUT_PATH_CNTL::address(), Path::VGT_OUTPATH_PASSTHRU);
  ASSERT_TRUE(run(indexed(w, 9)));
  EXPECT_NE(unknown().find("keeps no vertex"), std::string::npos) << unknown();
}

// Words far beyond the stream's end are 0.
TEST_P(Grouper, BeyondTheStream) {
  Words w = storing_state(4);
  w.context(VGT_GROUP_VECT_0_CNTL::address(), 0x00ffff0f).context(VGT_GROUP_VECT_0_FMT_CNTL::address(), 0xf3f3f3f3);
  w.context(VGT_GROUP_VECT_1_CNTL::address(), 0x00ffff0f).context(VGT_GROUP_VECT_1_FMT_CNTL::address(), 0xf5f5f5f5);
  good(indexed(w, 0x4000));
  EXPECT_EQ(lanes(), 64u);  // the last wave's
  for (unsigned lane = 0; lane < 64; lane++)
    for (unsigned n = 0; n < 8; n++) EXPECT_EQ(of_lane(lane)[n], 0u);
}

}  // namespace
}  // namespace Atoll::sea_islands::test
