// Graphics waves without a driver: shaders as Mesa 25 compiles them, from their initial registers to their exports, on both engines. What
// they have to give is worked out here in plain C++.
#include <gtest/gtest.h>

#include <cmath>

#include "base/half.h"
#include "image_numbers.h"
#include "stage_memory.h"

namespace Atoll::rdna4::test {
namespace {

class Stage : public StageMemory, public testing::TestWithParam<hsa::Engine> {
protected:
  GraphicsResult run() { return StageMemory::run(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Engines, Stage, testing::Values(hsa::Engine::Interpreter, hsa::Engine::Jit),
                         [](const auto& info) { return info.param == hsa::Engine::Jit ? "jit" : "interpreter"; });

// --- pixels

TEST_P(Stage, PixelsInterpolateAndExportHalves) {
  for (unsigned lanes : {32u, 64u}) {
    assemble(R"(s_wqm_b64 exec, exec
s_mov_b32 m0, s2
ds_param_load v2, attr0.x wait_va_vdst:15 wait_vm_vsrc:1
ds_param_load v3, attr0.y wait_va_vdst:15 wait_vm_vsrc:1
ds_param_load v4, attr1.w wait_va_vdst:15 wait_vm_vsrc:1
v_interp_p10_f32 v5, v2, v0, v2 wait_exp:2
v_interp_p10_f32 v6, v3, v0, v3 wait_exp:1
v_interp_p10_f32 v7, v4, v0, v4 wait_exp:0
v_interp_p2_f32 v5, v2, v1, v5 wait_exp:7
v_interp_p2_f32 v6, v3, v1, v6 wait_exp:7
v_interp_p2_f32 v7, v4, v1, v7 wait_exp:7
v_mul_f32_e32 v7, s0, v7
v_cvt_pk_rtz_f16_f32_e32 v5, v5, v6
v_cvt_pk_rtz_f16_f32_e32 v7, v7, v8
export mrt0 v5, v7, off, off done
s_nop 0
s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
s_endpgm
)",
             64);
    if (lanes == 32) {
      assemble(R"(s_mov_b32 m0, s2
ds_param_load v2, attr0.x wait_va_vdst:15 wait_vm_vsrc:1
ds_param_load v3, attr0.y wait_va_vdst:15 wait_vm_vsrc:1
ds_param_load v4, attr1.w wait_va_vdst:15 wait_vm_vsrc:1
v_interp_p10_f32 v5, v2, v0, v2 wait_exp:2
v_interp_p10_f32 v6, v3, v0, v3 wait_exp:1
v_interp_p10_f32 v7, v4, v0, v4 wait_exp:0
v_interp_p2_f32 v5, v2, v1, v5 wait_exp:7
v_interp_p2_f32 v6, v3, v1, v6 wait_exp:7
v_interp_p2_f32 v7, v4, v1, v7 wait_exp:7
v_mul_f32_e32 v7, s0, v7
v_cvt_pk_rtz_f16_f32_e32 v5, v5, v6
v_cvt_pk_rtz_f16_f32_e32 v7, v7, v8
export mrt0 v5, v7, off, off done
s_endpgm
)",
               32);
    }
    PixelStart start;
    start.input_ena = 1 << 1 | 1 << 11, start.input_addr = 1 << 1 | 0xf << 7 | 1 << 11;  // persp center; w lies behind x, y, z
    start.new_primitive = 0x24, start.lds_offset = 0x80;                                 // quads 0-1, 2-4, 5 on
    auto at = [&](float a, float b, float c) { return std::array<uint32_t, 3>{bits(a), bits(b), bits(c)}; };
    start.parameters = {{0, 0, {at(1, 0.5f, 0.25f), at(-1, 2, 3), at(0.125f, 0, -1)}},
                        {0, 1, {at(0, 1, 2), at(3, 4, 5), at(6, 7, 8)}},
                        {1, 3, {at(-0.5f, 0.75f, 0.3f), at(1e-3f, 1e-2f, 0.1f), at(100, -99, 0.7f)}}};
    std::vector<float> i(lanes), j(lanes);
    LaneValues& in_i = start.terms[size_t(PixelTerm::persp_center_i)];
    LaneValues& in_j = start.terms[size_t(PixelTerm::persp_center_j)];
    in_i.clear(), in_j.clear();
    for (unsigned lane = 0; lane < lanes; lane++) {
      i[lane] = float(lane % 13) / 13, j[lane] = float(lane % 7) / 11;
      in_i.push_back(bits(i[lane])), in_j.push_back(bits(j[lane]));
    }
    // v0, v1; v2-v5 are places of line stipple, x, y, z; v6 is w.
    start.terms[size_t(PixelTerm::pos_w)] = {bits(0.5f)};
    const uint64_t covered = lanes == 64 ? 0xf0f37ffe1f08ffff : 0x1f08ffff;
    group.waves = {{start, {bits(2.0f), 0}, covered}};
    // v8 is nobody's and 0.
    auto result = run();
    ASSERT_EQ(result.exports.size(), 1u);
    ASSERT_EQ(result.exports[0].size(), 1u);
    const Export& e = result.exports[0][0];
    EXPECT_EQ(e.target, 0u);
    EXPECT_TRUE(e.done);
    EXPECT_EQ(e.enabled, 3u);
    uint64_t quads = 0;
    for (unsigned lane = 0; lane < lanes; lane++)
      if (covered >> (lane & ~3u) & 15) quads |= uint64_t(1) << lane;
    EXPECT_EQ(e.lanes, lanes == 64 ? quads : covered) << "whole quads where the shader asks for them";
    if (GetParam() == hsa::Engine::Jit) EXPECT_EQ(result.called + result.interpreted, 0u);
    auto toward_zero = [](float x) {
      uint16_t half = half_from_float(x);
      return std::fabs(float_from_half(half)) > std::fabs(x) ? uint16_t(half - 1) : half;
    };
    for (unsigned lane = 0; lane < lanes; lane++) {
      if (!(e.lanes >> lane & 1)) continue;
      const unsigned primitive = lane / 4 >= 5 ? 2 : lane / 4 >= 2 ? 1 : 0;
      auto value = [&](unsigned n) {
        auto part = [&](unsigned p) { return std::bit_cast<float>(start.parameters[n].primitives[primitive][p]); };
        return std::fmaf(part(2), j[lane], std::fmaf(part(1), i[lane], part(0)));
      };
      const uint32_t red_green = toward_zero(value(0)) | uint32_t(toward_zero(value(1))) << 16;
      ASSERT_EQ(e.values[0][lane], red_green) << "lane " << lane;
      ASSERT_EQ(e.values[1][lane], toward_zero(2 * value(2))) << "lane " << lane;
    }
  }
}

// A pixel wave samples a texture that descriptors in memory name, and stores to an image.
TEST_P(Stage, PixelsSampleAndStore) {
  assemble(R"(s_load_b256 s[8:15], s[0:1], 0x0
s_load_b128 s[16:19], s[0:1], 0x20
s_load_b256 s[20:27], s[0:1], 0x40
s_wait_kmcnt 0x0
image_sample_lz v[4:7], [v0, v1], s[8:15], s[16:19] dmask:0xf dim:SQ_RSRC_IMG_2D
v_mbcnt_lo_u32_b32 v2, -1, 0
v_mov_b32_e32 v3, 1
s_wait_samplecnt 0x0
image_store v[4:7], [v2, v3], s[20:27] dmask:0xf dim:SQ_RSRC_IMG_2D
export mrt0 v4, v5, v6, v7 done
s_endpgm
)",
           32);
  constexpr uint64_t texels = data, stored = data + 0x1000;
  auto describe = [&](uint64_t at, uint64_t texels, unsigned width, unsigned height) {
    ImageNumbers n;
    n.address = texels, n.width = width, n.height = height, n.format = 42, n.mode = 0;  // linear
    for (unsigned w = 0; w < 8; w++) word(at + 4 * w) = n.words()[w];
  };
  describe(descriptors, texels, 64, 4), describe(descriptors + 0x40, stored, 64, 2);
  for (unsigned n = 0; n < 64 * 4; n++) word(texels + 4 * n) = n * 0x01030507u;
  PixelStart start;
  start.input_ena = start.input_addr = 1 << 1;
  LaneValues& s = start.terms[size_t(PixelTerm::persp_center_i)];
  LaneValues& t = start.terms[size_t(PixelTerm::persp_center_j)];
  s.clear(), t.clear();
  for (unsigned lane = 0; lane < 32; lane++) s.push_back(bits((float(lane * 2) + 0.5f) / 64)), t.push_back(bits(0.625f));
  group.waves = {{start, {uint32_t(descriptors), uint32_t(descriptors >> 32)}, 0xffffffff}};
  auto result = run();
  ASSERT_EQ(result.exports.size(), 1u);
  ASSERT_EQ(result.exports[0].size(), 1u);
  for (unsigned lane = 0; lane < 32; lane++) {
    const uint32_t texel = (2 * 64 + lane * 2) * 0x01030507u;
    for (unsigned c = 0; c < 4; c++)
      ASSERT_EQ(result.exports[0][0].values[c][lane], bits(float(texel >> 8 * c & 255) / 255))
          << "lane " << lane << " component " << c;
    ASSERT_EQ(word(stored + 4 * (64 + lane)), texel) << "lane " << lane;
  }
  EXPECT_TRUE(result.unknown.empty());
}

// --- vertices: NGG, passthrough (RADV's triangle)

TEST_P(Stage, PassthroughVerticesAndPrimitives) {
  assemble(R"(s_setprio 3
s_pack_ll_b32_b16 s2, 0, s3
s_bfe_u64 exec, -1, s2
s_cbranch_execz 16
s_mov_b32 s2, s9
s_movk_i32 s9, 0x10
s_load_b128 s[16:19], s[8:9], 0x0
v_add_nc_u32_e32 v3, s2, v3
s_wait_kmcnt 0x0
buffer_load_b128 v[4:7], v3, s[16:19], null idxen
buffer_load_b128 v[8:11], v3, s[16:19], null idxen offset:16
s_wait_loadcnt 0x0
v_mul_f32_e32 v4, s10, v4
v_mul_f32_e32 v5, s11, v5
export pos0 v4, v5, v6, v7 done
s_lshl_b32 s2, s3, 8
s_bfe_u64 exec, -1, s2
s_cbranch_execz 2
export prim v0, off, off, off done
s_load_b128 s[8:11], s[0:1], 0xa0
s_add_co_u32 s0, s3, 7
s_and_b32 s0, s0, -8
s_pack_ll_b32_b16 s0, 0, s0
s_bfe_u64 exec, -1, s0
s_bfe_u32 s3, s3, 0x40018
s_lshl_b32 s3, s3, 6
v_mbcnt_lo_u32_b32 v0, -1, s3
v_mbcnt_hi_u32_b32 v0, -1, v0
s_wait_kmcnt 0x0
s_or_b32 s9, s9, 0x100000
s_and_b32 s5, s5, 0x7fff
s_lshl_b32 s5, s5, 9
buffer_store_b128 v[8:11], v0, s[8:11], s5 idxen scope:SCOPE_DEV
s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
s_endpgm
)",
           64);
  constexpr unsigned vertices = 9, primitives = 3, first = 2;
  buffer(descriptors, data, 32, first + vertices);
  buffer(ring_table + 0xa0, ring, 0, 64);
  word(ring_table + 0xac) &= ~(3u << 28);  // by records, whose size the shader puts in
  for (unsigned v = 0; v < first + vertices; v++)
    for (unsigned c = 0; c < 8; c++) number(data + v * 32 + c * 4) = float(v) + float(c) / 16;
  GeometryStart start{.address = ring_table, .primitives = primitives, .vertices = vertices, .attribute_ring = 1};
  for (unsigned lane = 0; lane < 64; lane++) {
    start.vgprs[0].push_back(lane < primitives ? primitive_word(3 * lane, 3 * lane + 1, 3 * lane + 2) : 0);
    start.vgprs[3].push_back(lane);
  }
  group.waves = {{start, {uint32_t(descriptors), first, bits(2.0f), bits(-1.0f)}}};
  auto result = run();
  ASSERT_EQ(result.exports[0].size(), 2u);
  const Export &position = result.exports[0][0], &primitive = result.exports[0][1];
  EXPECT_EQ(position.target, 12u);
  EXPECT_TRUE(position.done);
  EXPECT_EQ(position.lanes, (1u << vertices) - 1);
  for (unsigned v = 0; v < vertices; v++)
    for (unsigned c = 0; c < 4; c++) {
      const float factor[] = {2, -1, 1, 1};
      EXPECT_EQ(position.values[c][v], bits(factor[c] * (float(v + first) + float(c) / 16))) << v << " " << c;
    }
  EXPECT_EQ(primitive.target, 20u);
  EXPECT_EQ(primitive.lanes, (1u << primitives) - 1);
  for (unsigned p = 0; p < primitives; p++) EXPECT_EQ(primitive.values[0][p], 3 * p | (3 * p + 1) << 9 | (3 * p + 2) << 18);
  for (unsigned v = 0; v < vertices; v++)
    for (unsigned c = 0; c < 4; c++) EXPECT_EQ(number(ring + 512 + v * 16 + c * 4), float(v + first) + float(c + 4) / 16);
  EXPECT_TRUE(result.messages.empty()) << "DEALLOC_VGPRS is nobody's concern";
}

// --- mesh shaders: rows, several waves that share LDS and a barrier

TEST_P(Stage, MeshWavesExportRowsAndAllocate) {
  assemble(R"(v_mbcnt_lo_u32_b32 v0, -1, 0
s_bfe_u32 s6, s3, 0x40018
s_lshl_b32 s6, s6, 5
v_add_nc_u32_e32 v1, s6, v0
v_lshlrev_b32_e32 v2, 2, v1
v_add_nc_u32_e32 v3, s8, v1
ds_store_b32 v2, v3
s_wait_dscnt 0x0
s_barrier_signal -1
s_barrier_wait 0xffff
v_xor_b32_e32 v2, 0x80, v2
ds_load_b32 v4, v2
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 3
s_mov_b32 m0, 0x2040
s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)
s_wait_dscnt 0x0
s_lshr_b32 m0, s6, 5
export pos0 v4, v1, off, off done row_en
s_mov_b32 m0, 7
s_mov_b32 exec_lo, 3
export prim v1, off, off, off done row_en
s_endpgm
)",
           32);
  group.lds_bytes = 256;
  for (unsigned wave = 0; wave < 2; wave++)
    group.waves.push_back(
        {GeometryStart{.address = ring_table, .mesh = true, .group_id = {1, 2, 3}, .waves_in_group = 2, .wave_in_group = wave},
         {1000}});
  auto result = run();
  ASSERT_EQ(result.exports.size(), 2u);
  for (unsigned wave = 0; wave < 2; wave++) {
    ASSERT_EQ(result.exports[wave].size(), 2u);
    const Export &position = result.exports[wave][0], &primitive = result.exports[wave][1];
    EXPECT_EQ(position.row, wave);
    EXPECT_EQ(position.enabled, 3u);
    EXPECT_EQ(position.lanes, 0xffffffffu);
    for (unsigned lane = 0; lane < 32; lane++) {
      EXPECT_EQ(position.values[0][lane], 1000 + ((wave * 32 + lane) ^ 32)) << "what the other wave has stored";
      EXPECT_EQ(position.values[1][lane], wave * 32 + lane);
    }
    EXPECT_EQ(primitive.row, 7u);
    EXPECT_EQ(primitive.lanes, 3u);
  }
  ASSERT_EQ(result.messages.size(), 1u);
  EXPECT_EQ(result.messages[0].message, 9u);
  EXPECT_EQ(result.messages[0].m0, 0x2040u);
  EXPECT_EQ(result.messages[0].wave, 0u);
}

// --- hull waves

TEST_P(Stage, HullWavesStoreFactorsAndTellOfThem) {
  assemble(R"(s_load_b128 s[12:15], s[0:1], 0x50
v_bfe_u32 v4, v1, 8, 5
v_and_b32_e32 v5, 0xff, v1
v_cmp_eq_u32_e32 vcc, 0, v4
s_and_b64 exec, vcc, exec
v_lshlrev_b32_e32 v5, 4, v5
v_cvt_f32_u32_e32 v6, v0
v_cvt_f32_u32_e32 v7, v2
v_mov_b32_e32 v8, s8
v_cvt_f32_u32_e32 v9, v3
s_wait_kmcnt 0x0
buffer_store_b128 v[6:9], v5, s[12:15], s4 offen scope:SCOPE_SYS
s_mov_b32 m0, 1
s_sendmsg sendmsg(MSG_HS_TESSFACTOR)
s_endpgm
)",
           64);
  constexpr unsigned patches = 5, points = 3;
  buffer(ring_table + 0x50, ring, 0, 4096);
  HullStart start{.address = ring_table,
                  .factor_ring = 256,
                  .first_wave = true,
                  .group_size = 1,
                  .patches = patches,
                  .hull_vertices = 15,
                  .vertices = 15};
  for (unsigned lane = 0; lane < 64; lane++) {
    start.vgprs[0].push_back(100 + lane / points), start.vgprs[1].push_back(lane / points | lane % points << 8);
    start.vgprs[2].push_back(lane), start.vgprs[3].push_back(9);
  }
  group.waves = {{start, {bits(0.5f)}}};
  auto result = run();
  EXPECT_TRUE(result.exports[0].empty());
  for (unsigned p = 0; p < patches; p++) {
    EXPECT_EQ(number(ring + 256 + p * 16), float(100 + p));
    EXPECT_EQ(number(ring + 256 + p * 16 + 4), float(p * points)) << "the vertex of its first control point";
    EXPECT_EQ(number(ring + 256 + p * 16 + 8), 0.5f);
    EXPECT_EQ(number(ring + 256 + p * 16 + 12), 9.0f);
  }
  EXPECT_EQ(word(ring + 256 + patches * 16), 0u) << "15 of 64 lanes are active";
  ASSERT_EQ(result.messages.size(), 1u);
  EXPECT_EQ(result.messages[0].message, 2u);
  EXPECT_EQ(result.messages[0].m0, 1u);
}

// --- the ways to fail

TEST_P(Stage, FaultsAndRefusals) {
  assemble("v_mov_b32 v0, 1.0\nexport mrt0 v0, off, off, off\nexport invalid_target_17 v0, off, off, off done\ns_endpgm\n", 32);
  group.waves = {{PixelStart{}}};
  auto result = run_graphics(group, *space, {.engine = GetParam()});
  ASSERT_TRUE(result && result->fault);
  EXPECT_EQ(result->fault->other, "export to a target that does not exist");
  ASSERT_EQ(result->exports[0].size(), 1u) << "what was exported until then";

  group.skip_export = true;
  assemble("s_getreg_b32 s0, hwreg(HW_REG_STATUS)\nv_mov_b32 v0, s0\nexport mrt0 v0, off, off, off done\ns_endpgm\n", 32);
  auto skipped = run();
  EXPECT_TRUE(skipped.exports[0].empty());
  group.skip_export = false;
  auto taken = run();
  ASSERT_EQ(taken.exports[0].size(), 1u);
  EXPECT_EQ(taken.exports[0][0].values[0][0] & (1u << 8 | 1u << 18 | 1u << 25), 1u << 8 | 1u << 25);

  auto refused = [&](auto change) {
    GraphicsGroup other = group;
    change(other);
    auto r = run_graphics(other, *space, {.engine = GetParam()});
    return r ? std::string("no error") : r.error().message;
  };
  EXPECT_EQ(refused([](auto& g) { g.waves = {}; }), "0 waves in a group: 1 to 16");
  EXPECT_EQ(refused([](auto& g) { g.waves.push_back(g.waves[0]); }), "a pixel wave is alone in its group");
  EXPECT_EQ(refused([](auto& g) { g.waves.push_back({HullStart{}}); }), "a group has waves of one stage");
  EXPECT_EQ(refused([](auto& g) { g.wave_size = 16; }), "waves of 16 lanes: 32 or 64");
  EXPECT_EQ(refused([](auto& g) { g.lds_bytes = 65540; }), "65540 bytes of LDS: at most 65536");
  EXPECT_NE(refused([](auto& g) { g.code_bytes = 1 << 30; }).find("not all of the code is in memory"), std::string::npos);
  EXPECT_NE(refused([](auto& g) { std::get<PixelStart>(g.waves[0].start).lds_offset = 1; }).find("a multiple of 128"),
            std::string::npos);
}

// A pixel wave that runs for ever ends when it is told to.
TEST_P(Stage, EndlessWavesStop) {
  assemble("s_branch 65535\ns_endpgm\n", 64);
  group.waves = {{PixelStart{}}};
  std::atomic<int> stop{1};
  auto result = run_graphics(group, *space, {.engine = GetParam(), .stop = &stop});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->stopped);
}

}  // namespace
}  // namespace Atoll::rdna4::test
