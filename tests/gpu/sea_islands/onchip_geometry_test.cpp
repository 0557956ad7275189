// Geometry in LDS (Sea Islands 3D/Compute Register Reference, VGT_GS_MODE.ONCHIP, VGT_GS_ONCHIP_CNTL, SPI_SHADER_PGM_RSRC2_ES.LDS_SIZE;
// the layout: docs/errata.md), and what else VGT_GS_MODE asks of its stages.
#include <fmt/format.h>

#include "draws.h"

namespace Atoll::sea_islands::test {
namespace {

using Type = VGT_PRIMITIVE_TYPE::PRIM_TYPE;
using Mode = VGT_GS_MODE;
using Stages = VGT_SHADER_STAGES_EN;
using Lines = std::vector<std::string>;
constexpr uint32_t item = 4, max_vertices = 6, outputs = 0x1000;  // dwords of a vertex; bytes of LDS before what GS leaves

Lines operator+(Lines a, const Lines& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class OnchipGeometry : public Draws {
protected:
  OnchipGeometry() {
    const Lines lane = {"v_mbcnt_lo_u32_b32 v9, -1, 0", "v_mbcnt_hi_u32_b32 v9, -1, v9", "s_mov_b32 m0, -1"};
    es = program(counting(0) + lane + placed() +
                 Lines{"v_lshlrev_b32 v9, 4, v9", "v_add_i32 v9, vcc, s0, v9", "ds_write_b32 v9, v4",
                       "ds_write_b32 v9, v5 offset:4", "ds_write_b32 v9, v6 offset:8", "ds_write_b32 v9, v7 offset:12",
                       "s_endpgm"});
    // Twice the primitive's three vertices as they are, a strip each.
    Lines gs_lines =
        counting(8) + lane + Lines{fmt::format("v_mul_u32_u24 v9, {}, v9", max_vertices * item * 4), "v_add_i32 v9, vcc, s0, v9"};
    for (unsigned n = 0; n < max_vertices; n++) {
      gs_lines = gs_lines + Lines{fmt::format("v_lshlrev_b32 v10, 2, v{}", n % 3 == 2 ? 3 : n % 3), "s_mov_b32 m0, -1"};
      for (unsigned c = 0; c < 4; c++)
        gs_lines = gs_lines + Lines{fmt::format("ds_read_b32 v11, v10 offset:{}", 4 * c), "s_waitcnt lgkmcnt(0)",
                                    fmt::format("ds_write_b32 v9, v11 offset:{}", outputs + n * item * 4 + 4 * c)};
      gs_lines = gs_lines + Lines{"s_mov_b32 m0, s1", n % 3 == 2 ? "s_sendmsg 0x32" : "s_sendmsg 0x22"};
    }
    gs = program(gs_lines + Lines{"s_sendmsg 0x3", "s_endpgm"});
    copy = program(Lines{"s_mov_b32 m0, -1", "v_lshlrev_b32 v1, 2, v0"} +
                   [] {
                     Lines reads;
                     for (unsigned c = 0; c < 4; c++)
                       reads.push_back(fmt::format("ds_read_b32 v{}, v1 offset:{}", 4 + c, outputs + 4 * c));
                     return reads;
                   }() +
                   Lines{"s_waitcnt lgkmcnt(0)", "v_mov_b32 v8, 1.0", "exp pos0 v4, v5, v6, v7 done", "exp param0 v4, v5, v8, v8",
                         "s_endpgm"});
    plain =
        program(placed() + Lines{"v_mov_b32 v8, 1.0", "exp pos0 v4, v5, v6, v7 done", "exp param0 v4, v5, v8, v8", "s_endpgm"});
  }
  // Adds to two dwords of memory: 1, and the wave's lanes.
  Lines counting(uint32_t offset) {
    const uint64_t to = at(offset);
    return {fmt::format("v_mov_b32 v20, {:#x}", uint32_t(to)),
            fmt::format("v_mov_b32 v21, {:#x}", to >> 32),
            "v_mov_b32 v22, 1",
            "v_mbcnt_lo_u32_b32 v23, -1, 0",
            "v_mbcnt_hi_u32_b32 v23, -1, v23",
            "s_mov_b64 s[20:21], exec",
            "v_cmp_eq_u32 vcc, 0, v23",
            "s_and_b64 exec, exec, vcc",
            "flat_atomic_add v[20:21], v22",
            "s_mov_b64 exec, s[20:21]",
            "v_add_i32 v20, vcc, 4, v20",
            "flat_atomic_add v[20:21], v22"};
  }
  // v4 to v7: a place by the vertex's number, v0.
  static Lines placed() {
    return {"v_cvt_f32_u32 v1, v0", "v_mul_f32 v4, 0x3e99999a, v1",
            "v_sin_f32 v4, v4",     "v_mul_f32 v5, 0x3e2aaaab, v1",
            "v_cos_f32 v5, v5",     "v_mov_b32 v6, 0.5",
            "v_mov_b32 v7, 1.0"};
  }

  Words begin(uint32_t mode, uint32_t vertices, uint32_t primitives, uint32_t lds = 128) {
    std::memset(colour.host_pointer, 0, width * height * 4);
    for (unsigned n = 0; n < 4; n++) dword(n * 4) = 0;
    Words w = state(copy, interpolating());
    w.shader(SPI_SHADER_PGM_RSRC1_VS::address(), 0x000c0005).shader(SPI_SHADER_PGM_RSRC1_PS::address(), 0x000c0004);
    w.shader(SPI_SHADER_PGM_RSRC2_VS::address(), 0);
    w.shader(SPI_SHADER_PGM_LO_ES::address(), uint32_t(es >> 8)).shader(SPI_SHADER_PGM_HI_ES::address(), uint32_t(es >> 40));
    w.shader(SPI_SHADER_PGM_RSRC1_ES::address(), 0x000c0006)
        .shader(SPI_SHADER_PGM_RSRC2_ES::address(), SPI_SHADER_PGM_RSRC2_ES::LDS_SIZE::of(lds));
    w.shader(SPI_SHADER_PGM_LO_GS::address(), uint32_t(gs >> 8)).shader(SPI_SHADER_PGM_HI_GS::address(), uint32_t(gs >> 40));
    w.shader(SPI_SHADER_PGM_RSRC1_GS::address(), 0x000c0006).shader(SPI_SHADER_PGM_RSRC2_GS::address(), 0);
    w.context(Mode::address(), Mode::MODE::of(3) | mode);
    using Limits = VGT_GS_ONCHIP_CNTL;
    w.context(Limits::address(), Limits::ES_VERTS_PER_SUBGRP::of(vertices) | Limits::GS_PRIMS_PER_SUBGRP::of(primitives));
    w.context(VGT_GS_OUT_PRIM_TYPE::address(), 2).context(VGT_GS_MAX_VERT_OUT::address(), max_vertices);
    w.context(VGT_ESGS_RING_ITEMSIZE::address(), item).context(VGT_GSVS_RING_ITEMSIZE::address(), item * max_vertices);
    w.context(VGT_GS_VERT_ITEMSIZE::address(), item);
    return w.context(Stages::address(), Stages::ES_EN::of(2) | Stages::GS_EN::of(1) | Stages::VS_EN::of(2));
  }
  static Words& draw(Words& w, uint32_t count) {
    return w.packet(NUM_INSTANCES::opcode, {1}).packet(DRAW_INDEX_AUTO::opcode, {count, 2});
  }
  std::vector<uint32_t> picture() {
    auto* pixels = reinterpret_cast<uint32_t*>(colour.host_pointer);
    return {pixels, pixels + width * height};
  }
  std::vector<uint32_t> without_geometry(uint32_t count) {
    Words w = begin(0, 1, 1);
    w.context(Stages::address(), 0).context(Mode::address(), 0);
    w.shader(SPI_SHADER_PGM_LO_VS::address(), uint32_t(plain >> 8));
    good(draw(w, count));
    return picture();
  }
  static constexpr uint32_t onchip = Mode::ONCHIP::of(3);
  uint64_t es = 0, gs = 0, copy = 0, plain = 0;
};
INSTANTIATE_TEST_SUITE_P(Engines, OnchipGeometry, testing::Values("interpreter", "jit"));

// GS finds in LDS what ES left there, and the copy shader what GS left, however primitives are grouped.
TEST_P(OnchipGeometry, StagesMeetInLds) {
  const auto expected = without_geometry(150);
  EXPECT_NE(expected, std::vector<uint32_t>(width * height));
  for (uint32_t vertices : {3u, 10u, 100u, 192u})
    for (uint32_t primitives : {1u, 4u, 30u, 64u, 2047u}) {
      Words w = begin(onchip, vertices, primitives);
      good(draw(w, 150));
      ASSERT_EQ(picture(), expected) << vertices << " vertices, " << primitives << " primitives";
      // Waves of each stage and their lanes.
      const uint32_t each = std::min({vertices / 3, primitives, 50u});
      auto waves_of = [](uint32_t threads) { return (threads + 63) / 64; };
      uint32_t waves[2] = {};
      for (uint32_t left = 50; left;) {
        const uint32_t here = std::min(left, each);
        waves[0] += waves_of(here * 3), waves[1] += waves_of(here), left -= here;
      }
      EXPECT_EQ(dword(0), waves[0]);
      EXPECT_EQ(dword(4), 150u);
      EXPECT_EQ(dword(8), waves[1]);
      EXPECT_EQ(dword(12), 50u);
    }
}

// Vertices that primitives share count once.
TEST_P(OnchipGeometry, SharedVerticesCountOnce) {
  Words w = begin(onchip, 6, 2047);
  w.user(VGT_PRIMITIVE_TYPE::address(), Type::DI_PT_TRISTRIP);
  good(draw(w, 10));
  // Four triangles each have six vertices: 0 to 5 and 4 to 9.
  EXPECT_EQ(dword(0), 2u);
  EXPECT_EQ(dword(4), 12u);
}

// LDS ends where its size says: what is beyond is 0, and no triangle comes of it.
TEST_P(OnchipGeometry, LdsHasItsSize) {
  for (uint32_t size : {0u, 1u, 8u}) {
    Words w = begin(onchip, 192, 64, size);
    good(draw(w, 150));
    EXPECT_EQ(picture(), std::vector<uint32_t>(width * height)) << size;
  }
  // Room for what GS leaves of three primitives: each subgroup's.
  Words w = begin(onchip, 9, 3, outputs / 512 + 1);
  good(draw(w, 150));
  EXPECT_EQ(picture(), without_geometry(150));
}

TEST_P(OnchipGeometry, NoRoomForOnePrimitive) {
  Words w = begin(onchip, 2, 100);
  EXPECT_NE(bad(draw(w, 9)).find("no room for one primitive"), std::string::npos);
}
TEST_P(OnchipGeometry, NoPrimitives) {
  Words w = begin(onchip, 100, 0);
  EXPECT_NE(bad(draw(w, 9)).find("no primitives in a subgroup"), std::string::npos);
}
TEST_P(OnchipGeometry, HalfOfItIsUnknown) {
  Words w = begin(Mode::ONCHIP::of(1), 100, 100);
  // (The rings are in memory then, of which this draw's programs take nothing.)
  ASSERT_TRUE(run(draw(w, 9)));
  EXPECT_NE(unknown().find("VGT_GS_MODE.ONCHIP 1"), std::string::npos) << unknown();
}

// ES alone.
TEST_P(OnchipGeometry, ComputeModeRunsNoGs) {
  Words w = begin(onchip | Mode::COMPUTE_MODE::of(1), 30, 10);
  good(draw(w, 60));
  EXPECT_EQ(dword(4), 60u);
  EXPECT_EQ(dword(12), 0u);
  EXPECT_EQ(picture(), std::vector<uint32_t>(width * height));
}

// Strips go on over what would end them: of two triangles four become.
TEST_P(OnchipGeometry, CutsAreSuppressed) {
  const uint64_t counts = at(256);
  for (bool suppressed : {false, true}) {
    Words w = begin(onchip | Mode::SUPPRESS_CUTS::of(suppressed), 30, 10);
    w.store(CP_PA_CINVOC_COUNT_LO::address(), counts);
    draw(w, 9);
    w.store(CP_PA_CINVOC_COUNT_LO::address(), counts + 4);
    good(w);
    EXPECT_EQ(dword(260) - dword(256), 3 * (suppressed ? 4u : 2u));
  }
}

// Groups of the input stream are vertices of ES as well.
TEST_P(OnchipGeometry, GroupsGoToEs) {
  const auto expected = without_geometry(30);
  using Control = VGT_GROUP_VECT_0_CNTL;
  using Path = VGT_OUTPUT_PATH_CNTL::PATH_SELECT;
  for (uint32_t path : {Path::VGT_OUTPATH_GS_BLOCK, Path::VGT_OUTPATH_VTX_REUSE}) {
    Words w = begin(onchip, 30, 10);
    w.context(Control::address(), Control::COMP_X_EN::of(1) | Control::STRIDE::of(2) | Control::SHIFT::of(2));
    w.context(VGT_GROUP_VECT_0_FMT_CNTL::address(), VGT_GROUP_CONV_SEL::VGT_GRP_INDEX_32);
    w.context(VGT_GROUP_PRIM_TYPE::address(), 2)
        .context(VGT_GROUP_FIRST_DECR::address(), 1)
        .context(VGT_GROUP_DECR::address(), 1);
    w.context(VGT_OUTPUT_PATH_CNTL::address(), path);
    w.packet(NUM_INSTANCES::opcode, {1}).packet(DRAW_INDEX_AUTO::opcode, {30, 2 | VGT_DRAW_INITIATOR::MAJOR_MODE::of(1)});
    ASSERT_TRUE(run(w));
    EXPECT_EQ(picture() == expected, path == Path::VGT_OUTPATH_GS_BLOCK);
    EXPECT_EQ(unknown() == "", path == Path::VGT_OUTPATH_GS_BLOCK) << unknown();
  }
}

}  // namespace
}  // namespace Atoll::sea_islands::test
