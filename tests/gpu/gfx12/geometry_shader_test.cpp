// Geometry shaders in NGG waves: vertices into LDS, a barrier, two triangles for each invocation of each primitive, room that the first
// wave asks for. Instances, adjacency, subgroups of several waves. They must leave what the pipeline draws from the same
// triangles.
#include <random>

#include "primitive_machine.h"

namespace Atoll::gfx12::test {
namespace {

using pipeline::Assembly, pipeline::Canvas, pipeline::Topology;

constexpr unsigned width = 96, height = 64;
constexpr float shift = 12;  // of the second triangle, times one more than the invocation's number

struct Case {
  Setting setting;
  unsigned instances;
  bool alone;  // each instance in its own subgroup
};
const Case cases[] = {
    {{gpu::Engine::Interpreter, 1, 64, 126, 42}, 1, false}, {{gpu::Engine::Jit, 1, 64, 126, 42}, 1, false},
    {{gpu::Engine::Jit, 3, 64, 126, 42}, 1, false},         {{gpu::Engine::Jit, 3, 64, 40, 10}, 4, false},
    {{gpu::Engine::Interpreter, 1, 64, 40, 10}, 4, true},   {{gpu::Engine::Jit, 3, 32, 126, 42}, 1, false},
    {{gpu::Engine::Jit, 1, 32, 40, 14}, 3, false},          {{gpu::Engine::Jit, 3, 32, 40, 14}, 3, true},
};

class GeometryShaderTest : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Cases, GeometryShaderTest, testing::ValuesIn(cases), [](const auto& info) {
  const Case& c = info.param;
  return std::string(wave::name_of(c.setting.engine)) + "_" + std::to_string(c.setting.threads) + "_threads_wave" +
         std::to_string(c.setting.lanes) + "_" + std::to_string(c.setting.primitives) + "_" + std::to_string(c.instances) +
         (c.alone ? "_alone" : "");
});

// v20: the thread's number in the group.
std::string shader(unsigned lanes, bool adjacent, bool asks = true) {
  const bool wide = lanes == 64;
  auto exec = [&](const char* amount) {
    return std::string(wide ? "s_bfe_u64 exec, -1, " : "s_bfe_u32 exec_lo, -1, ") + amount + "\n";
  };
  const std::string all = wide ? "s_mov_b64 exec, -1\n" : "s_mov_b32 exec_lo, -1\n";
  std::string text = all + "s_bfe_u32 s14, s3, 0x40018\n";
  text += wide ? "s_lshl_b32 s15, s14, 6\nv_mbcnt_lo_u32_b32 v20, -1, s15\nv_mbcnt_hi_u32_b32 v20, -1, v20\n"
               : "s_lshl_b32 s15, s14, 5\nv_mbcnt_lo_u32_b32 v20, -1, s15\n";
  text += R"(s_pack_ll_b32_b16 s12, 0, s3
s_lshl_b32 s13, s3, 8
s_load_b128 s[16:19], s[8:9], 0x0
s_load_b128 s[20:23], s[0:1], 0xa0
)" + exec("s12") +
          R"(s_wait_kmcnt 0x0
buffer_load_b128 v[8:11], v3, s[16:19], null idxen
buffer_load_b128 v[12:15], v3, s[16:19], null idxen offset:16
s_wait_loadcnt 0x0
v_lshlrev_b32_e32 v21, 5, v20
ds_store_b128 v21, v[8:11]
ds_store_b128 v21, v[12:15] offset:16
)" + exec("s13") +
          R"(v_lshlrev_b32_e32 v22, 2, v20
ds_store_b32 v22, v0 offset:8192
ds_store_b32 v22, v2 offset:9216
)" + all + R"(s_wait_dscnt 0x0
s_barrier_signal -1
s_barrier_wait 0xffff
s_bfe_u32 s24, s2, 0x90016
s_bfe_u32 s25, s2, 0x9000c
s_lshl_b32 s26, s24, 1
s_lshl_b32 s27, s26, 12
s_or_b32 m0, s27, s25
s_cmp_eq_u32 s14, 0
s_cbranch_scc0 1
)" + (asks ? "s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)\n" : "s_nop 0\n") +
          R"(v_cmpx_gt_u32_e32 s25, v20
v_mul_hi_u32 v23, v20, 0xaaaaaaab
v_lshrrev_b32_e32 v23, 2, v23
v_mul_u32_u24_e32 v24, 6, v23
v_sub_nc_u32_e32 v24, v20, v24
v_mul_hi_u32 v25, v24, 0x55555556
v_mul_u32_u24_e32 v26, 3, v25
v_sub_nc_u32_e32 v26, v24, v26
v_lshlrev_b32_e32 v27, 2, v23
ds_load_b32 v33, v27 offset:9216
ds_load_b32 v27, v27 offset:8192
v_mul_u32_u24_e32 v28, 9, v26
s_wait_dscnt 0x0
v_lshrrev_b32_e32 v29, 27, v27
)" +
          (adjacent ? R"(v_lshlrev_b32_e32 v28, 1, v28
v_cmp_lt_u32_e32 vcc, 1, v26
v_cndmask_b32_e32 v27, v27, v33, vcc
v_subrev_nc_u32_e32 v33, 27, v28
v_cndmask_b32_e32 v28, v28, v33, vcc
)"
                    : "") +
          R"(v_lshrrev_b32_e32 v28, v28, v27
v_and_b32_e32 v28, 0xff, v28
v_lshlrev_b32_e32 v28, 5, v28
ds_load_b128 v[8:11], v28
ds_load_b128 v[12:15], v28 offset:16
v_add_nc_u32_e32 v29, 1, v29
v_mul_u32_u24_e32 v29, v29, v25
v_cvt_f32_u32_e32 v29, v29
v_mul_f32_e32 v29, 0x41400000, v29
s_wait_dscnt 0x0
v_add_f32_e32 v8, v8, v29
export pos0 v8, v9, v10, v11 done
s_or_b32 s21, s21, 0x100000
s_and_b32 s5, s5, 0x7fff
s_lshl_b32 s5, s5, 9
buffer_store_b128 v[12:15], v20, s[20:23], s5 idxen scope:SCOPE_DEV
)" + all + R"(v_cmpx_gt_u32_e32 s26, v20
v_mul_u32_u24_e32 v30, 3, v20
v_add_nc_u32_e32 v31, 1, v30
v_add_nc_u32_e32 v32, 2, v30
v_lshl_or_b32 v30, v31, 9, v30
v_lshl_or_b32 v30, v32, 18, v30
export prim v30, off, off, off done
s_endpgm
)";
  // (VCC is two registers of a wave64 and one of a wave32.)
  if (!wide)
    for (size_t at = 0; (at = text.find("vcc,", at)) != std::string::npos; at += 7) text.replace(at, 4, "vcc_lo,");
  if (!wide)
    for (size_t at = 0; (at = text.find("vcc\n", at)) != std::string::npos; at += 7) text.replace(at, 4, "vcc_lo\n");
  return text;
}

TEST_P(GeometryShaderTest, TwoTrianglesForEachInvocation) {
  const Case& c = GetParam();
  for (Topology topology :
       {Topology::triangles, Topology::triangle_strip, Topology::triangle_fan, Topology::triangles_adjacency}) {
    SCOPED_TRACE(testing::Message() << "topology " << int(topology));
    std::mt19937 random(unsigned(topology) + 1);
    auto unit = [&] { return float(random() % 4096) / 4096; };
    pipeline::TableVertices table;
    Canvas drawn(width, height), expected(width, height);
    for (unsigned n = 0; n < 250; n++) table.add(unit() * 90, unit() * 60, unit(), 1, {unit(), unit(), unit(), unit()});
    Assembly assembly;
    assembly.topology = topology;
    drawn.draw.assembly = assembly, drawn.draw.vertices.count = 250;
    // The triangles of the topology, each so often.
    pipeline::VertexCache cache;
    pipeline::Assembler assembler(drawn.draw, cache);
    pipeline::Segment segment;
    unsigned primitives = 0;
    while (assembler.next(segment))
      for (const pipeline::Assembled& p : segment.primitives) {
        primitives++;
        for (unsigned i = 0; i < c.instances; i++)
          for (unsigned copy = 0; copy < 2; copy++)
            for (uint32_t slot : p.slot) {
              const uint32_t n = segment.number[slot];
              const float* x = table.vertices[n].position;
              const float by = float(copy * (i + 1)) * shift;
              expected.vertices.add(x[0] + by, x[1], x[2], 1, {&table.attributes[4 * n], &table.attributes[4 * n] + 4});
            }
      }
    ASSERT_TRUE(expected.run());
    PrimitiveMachine machine(c.setting);
    machine.vertices(table);
    machine.assemble(shader(c.setting.lanes, topology == Topology::triangles_adjacency));
    machine.assembly(assembly, 2);
    machine.stages(VGT_SHADER_STAGES_EN::GS_EN::of(1));
    machine.resources(4, 0, 20);
    using One = SPI_SHADER_PGM_RSRC1_GS;
    machine.set<One>(One::VGPRS::of(63) | One::FLOAT_MODE::of(0xc0) | One::GS_VGPR_COMP_CNT::of(2));
    machine.set<GE_NGG_SUBGRP_CNTL>(6);
    machine.set<GE_MAX_OUTPUT_PER_SUBGROUP>(252);
    using Instances = VGT_GS_INSTANCE_CNT;
    machine.set<Instances>(Instances::CNT::of(c.instances) | Instances::ENABLE::of(c.instances > 1) |
                           Instances::EN_MAX_VERT_OUT_PER_GS_INSTANCE::of(c.alone));
    PrimitiveStage stage;
    ASSERT_TRUE(machine.draw(drawn, stage)) << machine.context->report();
    EXPECT_EQ(drawn.colour.texels, expected.colour.texels);
    EXPECT_EQ(drawn.counters.primitives, primitives);
    EXPECT_EQ(drawn.counters.geometry_invocations, uint64_t(primitives) * c.instances);
    EXPECT_EQ(drawn.counters.geometry_primitives, uint64_t(primitives) * c.instances * 2);
    EXPECT_TRUE(machine.context->unknowns().empty());
  }
}

// Nothing comes of what no room was asked for, and it is said.
TEST_P(GeometryShaderTest, WithoutARequest) {
  const Case& c = GetParam();
  Canvas drawn(width, height);
  PrimitiveMachine machine(c.setting);
  pipeline::TableVertices table;
  for (unsigned n = 0; n < 30; n++) table.add(float(n % 7) * 9, float(n / 7) * 9, 0, 1, {1, 1, 1, 1});
  machine.vertices(table);
  machine.assemble(shader(c.setting.lanes, false, false));
  machine.assembly(drawn.draw.assembly, 2);
  machine.stages(VGT_SHADER_STAGES_EN::GS_EN::of(1));
  machine.resources(4, 0, 20);
  using One = SPI_SHADER_PGM_RSRC1_GS;
  machine.set<One>(One::VGPRS::of(63) | One::FLOAT_MODE::of(0xc0) | One::GS_VGPR_COMP_CNT::of(2));
  machine.set<GE_NGG_SUBGRP_CNTL>(6);
  drawn.draw.vertices.count = 30;
  PrimitiveStage stage;
  ASSERT_TRUE(machine.draw(drawn, stage)) << machine.context->report();
  EXPECT_EQ(drawn.colour.texels, std::vector<uint8_t>(drawn.colour.texels.size()));
  EXPECT_EQ(machine.context->unknowns().size(), 1u);
}

}  // namespace
}  // namespace Atoll::gfx12::test
