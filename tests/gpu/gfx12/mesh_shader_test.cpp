// Mesh shaders: groups of waves that ask for room and export rows of vertices and primitives, with attributes of vertices and of
// primitives in the ring; and waves that take turns by ordered atomics, as transform feedback does. The picture must be the
// pipeline's own of the same vertices from a table.
#include <random>

#include "primitive_machine.h"

namespace Atoll::gfx12::test {
namespace {

using pipeline::Canvas;

constexpr unsigned width = 96, height = 64;

const Setting settings[] = {
    {gpu::Engine::Interpreter, 1, 64, 256, 256},
    {gpu::Engine::Jit, 1, 64, 256, 256},
    {gpu::Engine::Jit, 3, 64, 256, 256},
    {gpu::Engine::Jit, 3, 32, 256, 256},
};

class MeshShaderTest : public testing::TestWithParam<Setting> {};
INSTANTIATE_TEST_SUITE_P(Settings, MeshShaderTest, testing::ValuesIn(settings), [](const auto& info) {
  const Setting& s = info.param;
  return std::string(wave::name_of(s.engine)) + "_" + std::to_string(s.threads) + "_threads_wave" + std::to_string(s.lanes);
});

// One wave a group; three rows of vertices, one of primitives, each of three vertices that follow each other. Vertices are those of the
// table from the group's number on, (z * 2 + y) * 3 + x. Attribute 0 is the vertex's colour; attribute 1, of the primitive, that of its
// first vertex.
std::string shader(unsigned lanes) {
  const bool wide = lanes == 64;
  const std::string shift = wide ? "6" : "5", log = std::to_string(3 * lanes);
  std::string text = wide ? "s_mov_b64 exec, -1\nv_mbcnt_lo_u32_b32 v1, -1, 0\nv_mbcnt_hi_u32_b32 v1, -1, v1\n"
                          : "s_mov_b32 exec_lo, -1\nv_mbcnt_lo_u32_b32 v1, -1, 0\n";
  text += R"(s_load_b128 s[16:19], s[8:9], 0x0
s_load_b128 s[20:23], s[0:1], 0xa0
s_bfe_u32 s12, s4, 0x100000
s_bfe_u32 s13, s4, 0x100010
s_bfe_u32 s14, s5, 0x100010
s_lshl_b32 s14, s14, 1
s_add_co_i32 s14, s14, s13
s_mul_i32 s14, s14, 3
s_add_co_i32 s14, s14, s12
s_mul_i32 s14, s14, )" +
          log + R"(
s_and_b32 s5, s5, 0x7fff
s_lshl_b32 s5, s5, 9
s_wait_kmcnt 0x0
s_or_b32 s21, s21, 0x200000
s_mov_b32 m0, )" +
          std::to_string(lanes << 12 | 3 * lanes) + R"(
s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)
)";
  for (unsigned row = 0; row < 3; row++)
    text += "v_add_nc_u32_e32 v2, " + std::to_string(row * lanes) + ", v1\nv_add_nc_u32_e32 v3, s14, v2\n" +
            R"(buffer_load_b128 v[8:11], v3, s[16:19], null idxen
buffer_load_b128 v[12:15], v3, s[16:19], null idxen offset:16
s_wait_loadcnt 0x0
)" + "s_mov_b32 m0, " +
            std::to_string(row) +
            R"(
export pos0 v8, v9, v10, v11 done row_en
buffer_store_b128 v[12:15], v2, s[20:23], s5 idxen scope:SCOPE_DEV
)";
  return text + R"(v_mul_u32_u24_e32 v4, 3, v1
v_add_nc_u32_e32 v3, s14, v4
buffer_load_b128 v[12:15], v3, s[16:19], null idxen offset:16
v_add_nc_u32_e32 v5, 1, v4
v_add_nc_u32_e32 v6, 2, v4
v_lshl_or_b32 v4, v5, 9, v4
v_lshl_or_b32 v4, v6, 18, v4
s_mov_b32 m0, 0
export prim v4, off, off, off done row_en
s_wait_loadcnt 0x0
buffer_store_b128 v[12:15], v1, s[20:23], s5 idxen offset:16 scope:SCOPE_DEV
s_endpgm
)";
}

TEST_P(MeshShaderTest, RowsAndAttributesOfPrimitives) {
  const Setting& s = GetParam();
  const std::array<uint32_t, 3> groups = {3, 2, 2};
  // (RADV 25.0.7 counts attributes of primitives among NUM_INTERP.)
  const struct {
    bool own, apart;
  } cases[] = {{false, true}, {true, true}, {true, false}};
  for (auto [own, apart] : cases) {
    std::mt19937 random(5);
    auto unit = [&] { return float(random() % 4096) / 4096; };
    Canvas drawn(width, height), expected(width, height);
    for (unsigned n = 0; n < 12 * 3 * s.lanes; n++)
      expected.vertices.add(unit() * 120 - 12, unit() * 80 - 8, unit(), 1, {unit(), unit(), unit(), unit()});
    if (own) {
      expected.pixels.function = pipeline::flat_colour;
      drawn.pixels.function = [](const pipeline::PixelBatch& batch, pipeline::PixelResults& results) {
        for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
          for (unsigned k = 0; k < 4; k++)
            results.colour[0][k][lane] = std::bit_cast<uint32_t>(batch.primitive[lane / 4].own[4 + k]);
        results.outputs = 1;
      };
    }
    ASSERT_TRUE(expected.run());
    PrimitiveMachine machine(s);
    machine.vertices(expected.vertices);
    machine.assemble(shader(s.lanes));
    machine.assembly(drawn.draw.assembly, 2);
    machine.stages(VGT_SHADER_STAGES_EN::GS_FAST_LAUNCH::of(1));
    using Size = SPI_SHADER_GS_MESHLET_DIM;
    machine.set<Size>(Size::MESHLET_NUM_THREAD_X::of(s.lanes - 1) | Size::MESHLET_THREADGROUP_SIZE::of(s.lanes - 1));
    using Room = SPI_SHADER_GS_MESHLET_EXP_ALLOC;
    machine.set<Room>(Room::MAX_EXP_VERTS::of(3 * s.lanes) | Room::MAX_EXP_PRIMS::of(s.lanes));
    using Out = SPI_SHADER_GS_OUT_CONFIG_PS;
    machine.set<Out>(Out::NUM_INTERP::of(apart ? 1 : 2) | Out::PRIM_EXPORT_COUNT::of(1) | Out::NUM_PRIM_INTERP::of(apart));
    bool good = false;
    PrimitiveStage stage;
    std::thread([&] {
      if (!stage.prepare(*machine.context)) return;
      pipeline::Draw draw = drawn.draw;
      draw.vertex_stage = nullptr, draw.given_attributes = stage.attribute_count();
      pipeline::GivenDraw given(draw, machine.workers, machine.stop);
      good = stage.run_groups(groups, given, drawn.counters) && given.end(drawn.counters);
    }).join();
    ASSERT_TRUE(good) << machine.context->report();
    EXPECT_EQ(stage.attribute_count(), 2u);
    EXPECT_EQ(drawn.colour.texels, expected.colour.texels);
    EXPECT_EQ(machine.context->mesh_invocations, 12u * s.lanes);
    EXPECT_EQ(machine.context->mesh_primitives, 12u * s.lanes);
    EXPECT_EQ(drawn.counters.geometry_invocations, 0u);
    EXPECT_EQ(drawn.counters.geometry_primitives, 0u);
    EXPECT_TRUE(machine.context->unknowns().empty());
  }
}

// Subgroups of one wave each, of which the first lane waits for its turn, and which write the identifiers of their primitives behind those
// of the waves before them: in two draws, whose waves' numbers go on, and behind a new start of the numbers.
TEST_P(MeshShaderTest, OrderedWavesTakeTurns) {
  Setting s = GetParam();
  s.vertices = 30, s.primitives = 10;
  PrimitiveMachine machine(s);
  const std::string wide = R"(s_and_b32 s12, s2, 0xfff
s_bfe_u32 s13, s2, 0x90016
s_lshl_b32 s14, s3, 8
s_load_b128 s[16:19], s[8:9], 0x0
s_load_b64 s[20:21], s[8:9], 0x10
s_wait_kmcnt 0x0
s_mov_b64 exec, 1
v_mov_b32_e32 v5, 0
v_mov_b32_e32 v10, s12
v_mov_b32_e32 v11, s13
global_atomic_ordered_add_b64 v[14:15], v5, v[10:11], s[20:21] th:TH_ATOMIC_RETURN
s_wait_loadcnt 0x0
v_cmp_eq_u32_e32 vcc, s12, v14
s_cbranch_vccz 65530
v_readfirstlane_b32 s15, v15
s_bfe_u64 exec, -1, s14
v_mbcnt_lo_u32_b32 v6, -1, 0
v_mbcnt_hi_u32_b32 v6, -1, v6
v_add_nc_u32_e32 v6, s15, v6
v_lshlrev_b32_e32 v6, 2, v6
buffer_store_b32 v1, v6, s[16:19], null offen
s_endpgm
)";
  std::string text = wide;
  if (s.lanes == 32) {
    auto replace = [&](const std::string& from, const std::string& to) {
      for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
    };
    replace("s_mov_b64 exec, 1", "s_mov_b32 exec_lo, 1"), replace("s_bfe_u64 exec", "s_bfe_u32 exec_lo");
    replace("vcc,", "vcc_lo,"), replace("v_mbcnt_hi_u32_b32 v6, -1, v6\n", "");
  }
  machine.assemble(text);
  machine.buffer(vertex_table, other_data + 0x100, 0, 0x10000);
  const uint64_t counter = other_data;
  machine.write(vertex_table + 16, &counter, 8);
  using Stages = VGT_SHADER_STAGES_EN;
  machine.stages(Stages::PRIMGEN_PASSTHRU_NO_MSG::of(1) | Stages::NGG_WAVE_ID_EN::of(1));
  machine.attributes(0);
  Canvas drawn(width, height);
  machine.assembly(drawn.draw.assembly, 2);
  drawn.draw.vertices.count = 3 * 95;
  PrimitiveStage stage;
  for (unsigned n = 0; n < 2; n++) ASSERT_TRUE(machine.draw(drawn, stage)) << machine.context->report();
  EXPECT_EQ(machine.word(counter), 20u);
  EXPECT_EQ(machine.word(counter + 4), 190u);
  machine.set<GE_GS_ORDERED_ID_BASE>(0);
  machine.word(counter) = 0;
  ASSERT_TRUE(machine.draw(drawn, stage)) << machine.context->report();
  EXPECT_EQ(machine.word(counter + 4), 285u);
  for (unsigned n = 0; n < 285; n++) ASSERT_EQ(machine.word(other_data + 0x100 + 4 * n), n % 95) << n;
}

}  // namespace
}  // namespace Atoll::gfx12::test
