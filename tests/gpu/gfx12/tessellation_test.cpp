// Tessellation: merged hull waves store control points off chip and factors into their ring, or say that all are alike; NGG waves run as
// domain shader on the tessellator's points. The picture must be the pipeline's own of the same points from a table.
#include <cmath>
#include <random>

#include "pipeline/front/tessellator.h"
#include "primitive_machine.h"

namespace Atoll::gfx12::test {
namespace {

using pipeline::Canvas;

constexpr unsigned width = 96, height = 64;
constexpr uint64_t factors = base + 0x140000, off_chip = base + 0x180000;

const Setting settings[] = {
    {gpu::Engine::Interpreter, 1, 64, 128, 128},
    {gpu::Engine::Jit, 1, 64, 128, 128},
    {gpu::Engine::Jit, 3, 64, 30, 20},
    {gpu::Engine::Jit, 3, 32, 128, 128},
};

class TessellationTest : public testing::TestWithParam<Setting> {};
INSTANTIATE_TEST_SUITE_P(Settings, TessellationTest, testing::ValuesIn(settings), [](const auto& info) {
  const Setting& s = info.param;
  return std::string(wave::name_of(s.engine)) + "_" + std::to_string(s.threads) + "_threads_wave" + std::to_string(s.lanes) +
         "_" + std::to_string(s.vertices);
});

std::string first_lanes(bool wide, const char* amount) {
  return std::string(wide ? "s_bfe_u64 exec, -1, " : "s_bfe_u32 exec_lo, -1, ") + amount + "\n";
}

// A hull shader's treatment of its factors: each patch has its own, which come from the vertices' z; all are alike.
enum class Factors : uint8_t { stored, all_one, all_zero };

// Three control points of a patch, as the vertices are: v1 has the patch in the group and the control point.
std::string hull_shader(bool wide, Factors kind) {
  std::string text = R"(s_pack_ll_b32_b16 s12, 0, s3
s_load_b128 s[16:19], s[8:9], 0x0
s_load_b128 s[20:23], s[0:1], 0x60
s_load_b128 s[24:27], s[0:1], 0x50
)" + first_lanes(wide, "s12") +
                     R"(s_wait_kmcnt 0x0
buffer_load_b128 v[4:7], v2, s[16:19], null idxen
buffer_load_b128 v[8:11], v2, s[16:19], null idxen offset:16
v_bfe_u32 v12, v1, 8, 5
v_and_b32_e32 v13, 0xff, v1
v_mul_u32_u24_e32 v14, 0x60, v13
v_lshl_add_u32 v14, v12, 5, v14
s_wait_loadcnt 0x0
buffer_store_b128 v[4:7], v14, s[20:23], s2 offen scope:SCOPE_DEV
buffer_store_b128 v[8:11], v14, s[20:23], s2 offen offset:16 scope:SCOPE_DEV
v_cmpx_eq_u32_e32 0, v12
)";
  if (kind == Factors::stored)
    return text + R"(v_mov_b32_e32 v16, v6
v_mov_b32_e32 v17, 2.0
v_mov_b32_e32 v18, 1.0
v_mov_b32_e32 v19, v6
v_lshlrev_b32_e32 v15, 4, v13
buffer_store_b128 v[16:19], v15, s[24:27], s4 offen scope:SCOPE_SYS
s_endpgm
)";
  return text + (kind == Factors::all_one ? "s_mov_b32 m0, 1\n" : "s_mov_b32 m0, 0\n") + R"(s_cmp_eq_u32 s5, 0
s_cbranch_scc0 1
s_sendmsg sendmsg(MSG_HS_TESSFACTOR)
s_endpgm
)";
}

// v3, v4: u, v; v5: the patch in its group, v6: in the draw.
std::string domain_shader(bool wide) {
  std::string text = R"(s_pack_ll_b32_b16 s12, 0, s3
s_load_b128 s[16:19], s[0:1], 0x60
s_load_b128 s[20:23], s[0:1], 0xa0
)" + first_lanes(wide, "s12") +
                     R"(v_mul_u32_u24_e32 v7, 0x60, v5
s_wait_kmcnt 0x0
buffer_load_b128 v[8:11], v7, s[16:19], s4 offen scope:SCOPE_DEV
buffer_load_b128 v[12:15], v7, s[16:19], s4 offen offset:16 scope:SCOPE_DEV
buffer_load_b128 v[16:19], v7, s[16:19], s4 offen offset:32 scope:SCOPE_DEV
buffer_load_b128 v[20:23], v7, s[16:19], s4 offen offset:48 scope:SCOPE_DEV
buffer_load_b128 v[24:27], v7, s[16:19], s4 offen offset:64 scope:SCOPE_DEV
buffer_load_b128 v[28:31], v7, s[16:19], s4 offen offset:80 scope:SCOPE_DEV
v_add_f32_e32 v32, v3, v4
v_sub_f32_e32 v32, 1.0, v32
v_cvt_f32_u32_e32 v6, v6
v_mul_f32_e32 v6, 0x3b000000, v6
s_wait_loadcnt 0x0
)";
  for (unsigned part = 0; part < 2; part++)
    for (unsigned c = 0; c < 4; c++) {
      auto v = [&](unsigned corner) { return "v" + std::to_string(8 + 8 * corner + 4 * part + c); };
      text += "v_mul_f32_e32 " + v(0) + ", " + v(0) + ", v3\n";
      text += "v_fmac_f32_e32 " + v(0) + ", " + v(1) + ", v4\n";
      text += "v_fmac_f32_e32 " + v(0) + ", " + v(2) + ", v32\n";
    }
  // The last component of the colour is the patch's number.
  return text + "v_mov_b32_e32 v15, v6\nv_mov_b32_e32 v11, 1.0\n" + R"(export pos0 v8, v9, v10, v11 done
s_lshl_b32 s13, s3, 8
)" + first_lanes(wide, "s13") +
         "export prim v0, off, off, off done\n" + first_lanes(wide, "s12") + "s_bfe_u32 s13, s3, 0x40018\n" +
         (wide ? "s_lshl_b32 s13, s13, 6\nv_mbcnt_lo_u32_b32 v4, -1, s13\nv_mbcnt_hi_u32_b32 v4, -1, v4\n"
               : "s_lshl_b32 s13, s13, 5\nv_mbcnt_lo_u32_b32 v4, -1, s13\n") +
         R"(s_or_b32 s21, s21, 0x100000
s_and_b32 s5, s5, 0x7fff
s_lshl_b32 s5, s5, 9
buffer_store_b128 v[12:15], v4, s[20:23], s5 idxen scope:SCOPE_DEV
s_endpgm
)";
}

TEST_P(TessellationTest, PointsOfTheDomain) {
  const Setting& s = GetParam();
  const bool wide = s.lanes == 64;
  for (Factors kind : {Factors::stored, Factors::all_one, Factors::all_zero})
    for (unsigned output : {2u, 3u, 0u})
      for (unsigned patches_of_group : {1u, 7u, 20u}) {
        SCOPED_TRACE(testing::Message() << "factors " << int(kind) << ", output " << output << ", " << patches_of_group
                                        << " patches");
        constexpr unsigned patches = 37;
        std::mt19937 random(9);
        auto unit = [&] { return float(random() % 4096) / 4096; };
        pipeline::TableVertices table;
        Canvas drawn(width, height), expected(width, height);
        for (unsigned n = 0; n < 3 * patches; n++)
          table.add(unit() * 120 - 12, unit() * 80 - 8, n % 3 ? 0.5f : float(n / 3 % 5), 1, {unit(), unit(), unit(), unit()});
        const pipeline::TessellatorState state{pipeline::Domain::triangles, pipeline::Partitioning::fractional_odd,
                                               pipeline::TessellatorOutput(output)};
        uint64_t points = 0;
        for (unsigned p = 0; p < patches; p++) {
          const float z = table.vertices[3 * p].position[2], alike = kind == Factors::all_one ? 1.0f : 0.0f;
          pipeline::TessellationFactors wanted;
          const float stored[4] = {z, 2, 1, z};
          for (unsigned n = 0; n < 3; n++) wanted.edge[n] = kind == Factors::stored ? stored[n] : alike;
          wanted.inside[0] = kind == Factors::stored ? stored[3] : alike;
          pipeline::Tessellation made;
          pipeline::tessellate(state, wanted, made);
          points += made.u.size();
          for (uint32_t corner : made.corner) {
            const float u = made.u[corner], v = made.v[corner], w = 1.0f - (u + v);
            float values[8];
            for (unsigned k = 0; k < 8; k++) {
              auto of = [&](unsigned n) {
                return k < 4 ? table.vertices[3 * p + n].position[k] : table.attributes[4 * (3 * p + n) + k - 4];
              };
              values[k] = std::fma(of(2), w, std::fma(of(1), v, of(0) * u));
            }
            expected.vertices.add(values[0], values[1], values[2], 1, {values[4], values[5], values[6], float(p) * (1.0f / 512)});
          }
        }
        expected.draw.assembly.topology = output == 0 ? pipeline::Topology::points : pipeline::Topology::triangles;
        ASSERT_TRUE(expected.run());
        PrimitiveMachine machine(s);
        machine.vertices(table);
        machine.assemble(domain_shader(wide));
        machine.assemble(hull_shader(wide, kind), code_page + 0x4000);
        machine.assembly(drawn.draw.assembly, output == 0 ? 0 : 2);
        machine.stages(VGT_SHADER_STAGES_EN::HS_EN::of(1) | VGT_SHADER_STAGES_EN::HS_W32_EN::of(!wide) |
                       VGT_SHADER_STAGES_EN::PRIMGEN_PASSTHRU_NO_MSG::of(1));
        machine.resources(4, 3, 0);
        using One = SPI_SHADER_PGM_RSRC1_GS;
        machine.set<One>(One::VGPRS::of(63) | One::FLOAT_MODE::of(0xf0) | One::GS_VGPR_COMP_CNT::of(2));
        machine.set<SPI_SHADER_PGM_LO_LS>(uint32_t((code_page + 0x4000) >> 8));
        machine.set<SPI_SHADER_PGM_HI_LS>(uint32_t(code_page >> 40));
        machine.set<SPI_SHADER_PGM_LO_HS>(uint32_t(tables)), machine.set<SPI_SHADER_PGM_HI_HS>(upper);
        machine.set<SPI_SHADER_PGM_RSRC1_HS>(63 | 0xf0 << 12);
        machine.set<SPI_SHADER_PGM_RSRC2_HS>(SPI_SHADER_PGM_RSRC2_HS::USER_SGPR::of(4));
        machine.set<SPI_SHADER_USER_DATA_HS>(uint32_t(vertex_table), 0), machine.set<SPI_SHADER_USER_DATA_HS>(upper, 1);
        using Config = VGT_LS_HS_CONFIG;
        machine.set<Config>(Config::NUM_PATCHES::of(patches_of_group) | Config::HS_NUM_OUTPUT_CP::of(3));
        machine.set<VGT_PRIMITIVE_TYPE>(VGT_PRIMITIVE_TYPE::NUM_INPUT_CP::of(3));
        using Param = VGT_TF_PARAM;
        machine.set<Param>(Param::TYPE::of(1) | Param::PARTITIONING::of(2) | Param::TOPOLOGY::of(output));
        machine.set<VGT_HOS_MAX_TESS_LEVEL>(std::bit_cast<uint32_t>(64.0f));
        machine.set<VGT_HS_OFFCHIP_PARAM>(VGT_HS_OFFCHIP_PARAM::OFFCHIP_BUFFERING::of(7));
        machine.set<VGT_TF_RING_SIZE>(0x1000);
        machine.set<VGT_TF_MEMORY_BASE>(uint32_t(factors >> 8));
        machine.set<VGT_TF_MEMORY_BASE_HI>(uint32_t(factors >> 40));
        machine.buffer(tables + 0x50, factors, 0, 0x4000);
        machine.buffer(tables + 0x60, off_chip, 0, 8 * 32768);
        drawn.draw.vertices.count = 3 * patches;
        PrimitiveStage stage;
        ASSERT_TRUE(machine.draw(drawn, stage)) << machine.context->report();
        EXPECT_EQ(drawn.colour.texels, expected.colour.texels);
        EXPECT_EQ(drawn.counters.hull_invocations, patches);
        EXPECT_GE(drawn.counters.domain_invocations, output == 0 || kind == Factors::all_zero ? points : points / 2);
        EXPECT_TRUE(machine.context->unknowns().empty());
      }
}

}  // namespace
}  // namespace Atoll::gfx12::test
