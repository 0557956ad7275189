// The initial state of GFX12's pixel waves: the terms of SPI_PS_INPUT_ENA in their VGPRs, the word for M0, the parameters of each
// quad's primitive. The expected values are worked out here from RDNA4 ISA 3.5.3.1, 3.5.4.1 and 12.2.1.
#include <random>

#include "base/half.h"
#include "pixel_machine.h"

namespace Atoll::gfx12::test {
namespace {

using pipeline::PixelBatch;
using pipeline::PixelResults;
using pipeline::PrimitiveAttributes;

class PixelInputs : public testing::TestWithParam<std::tuple<gpu::Engine, unsigned>> {
protected:
  unsigned lanes() const { return std::get<1>(GetParam()); }
  PixelMachine machine{std::get<0>(GetParam())};
  std::unique_ptr<PixelBatch> batch = std::make_unique<PixelBatch>();
  std::unique_ptr<PixelResults> results = std::make_unique<PixelResults>();
  uint32_t colour(unsigned component, unsigned lane) const { return results->colour[0][component][lane]; }
};
INSTANTIATE_TEST_SUITE_P(Engines, PixelInputs,
                         testing::Combine(testing::Values(gpu::Engine::Interpreter, gpu::Engine::Jit), testing::Values(32u, 64u)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param) == gpu::Engine::Jit ? "jit" : "interpreter") +
                                  std::to_string(std::get<1>(info.param));
                         });

// Words of a lane in the order of the manual's table of VGPRs with a full load, for a batch.
std::array<uint32_t, 24> terms_of(const PixelBatch& b, unsigned lane) {
  auto pair = [&](unsigned set) { return std::array{bits(b.barycentric[set][0][lane]), bits(b.barycentric[set][1][lane])}; };
  const auto ps = pair(0), pc = pair(1), pd = pair(2), ls = pair(3), lc = pair(4), ld = pair(5);
  const float w = b.one_over_w[lane], i = b.barycentric[1][0][lane], j = b.barycentric[1][1][lane];
  const PrimitiveAttributes& p = b.primitive[lane / 4];
  return {ps[0],
          ps[1],
          pc[0],
          pc[1],
          pd[0],
          pd[1],
          bits(i * w),
          bits(j * w),
          bits(w),
          ls[0],
          ls[1],
          lc[0],
          lc[1],
          ld[0],
          ld[1],
          bits(b.line_coordinate[lane]),
          bits(float(b.x[lane]) + (b.coarse.width == 2 ? 1.0f : 0.5f)),
          bits(float(b.y[lane]) + (b.coarse.height == 2 ? 1.0f : 0.5f)),
          bits(b.z[lane]),
          bits(1.0f / w),
          bits(p.front ? 1.0f : -1.0f),
          uint32_t(p.kind) | (b.coarse.width == 2) << 2 | (b.coarse.height == 2) << 4 | b.sample << 8 | p.layer << 16,
          b.coverage[lane],
          uint32_t(b.x[lane]) | uint32_t(b.y[lane]) << 16};
}
constexpr unsigned vgprs_of_bit[16] = {2, 2, 2, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1};

TEST_P(PixelInputs, TermsStandWhereAddressesPutThem) {
  std::mt19937 random(12);
  auto unit = [&] { return float(random() % 4096 + 1) / 4096; };
  begin_batch(*batch, lanes() / 4);
  for (auto& set : batch->barycentric)
    for (auto& part : set)
      for (float& x : part) x = unit();
  for (unsigned lane = 0; lane < lanes(); lane++) {
    batch->x[lane] = int(random() % 5000), batch->y[lane] = int(random() % 5000);
    batch->z[lane] = unit(), batch->one_over_w[lane] = unit(), batch->line_coordinate[lane] = unit();
    batch->coverage[lane] = random() & 1;
  }
  for (auto& p : batch->primitive) {
    p.front = random() & 1, p.layer = random() % 16384;
    p.kind = pipeline::PrimitiveKind(random() % 3);
  }
  // All of them; each alone; holes that ADDR keeps.
  std::vector<std::pair<uint32_t, uint32_t>> cases = {{0xffff, 0xffff}};
  for (unsigned n = 0; n < 16; n++) cases.push_back({1u << n, 1u << n}), cases.push_back({1u << n, 0xffff});
  for (unsigned n = 0; n < 20; n++) {
    const uint32_t addr = random() & 0xffff;
    cases.push_back({addr & random(), addr});
  }
  for (const auto& [ena, addr] : cases) {
    batch->coarse = {uint8_t(1 + random() % 2), uint8_t(1 + random() % 2)};
    SCOPED_TRACE(testing::Message() << std::hex << "ENA " << ena << " ADDR " << addr);
    machine.set<SPI_PS_INPUT_ENA>(ena), machine.set<SPI_PS_INPUT_ADDR>(addr);
    std::vector<std::pair<unsigned, unsigned>> loaded;  // VGPR, number among the terms
    for (unsigned bit = 0, vgpr = 0, term = 0; bit < 16; term += vgprs_of_bit[bit++])
      for (unsigned n = 0; addr >> bit & 1 && n < vgprs_of_bit[bit]; n++, vgpr++)
        if (ena >> bit & 1) loaded.push_back({vgpr, term + n});
    for (size_t first = 0; first < loaded.size(); first += 4) {
      auto vgpr = [&](size_t n) { return loaded[std::min(first + n, loaded.size() - 1)].first; };
      machine.assemble(fmt::format("export mrt0 v{}, v{}, v{}, v{} done\ns_endpgm\n", vgpr(0), vgpr(1), vgpr(2), vgpr(3)),
                       lanes());
      auto stage = machine.stage();
      ASSERT_EQ(stage->batch_size(), lanes());
      ASSERT_TRUE(machine.shade(*stage, *batch, *results));
      for (unsigned lane = 0; lane < lanes(); lane++) {
        const auto terms = terms_of(*batch, lane);
        for (unsigned n = 0; n < 4; n++)
          ASSERT_EQ(colour(n, lane), terms[loaded[std::min(first + n, loaded.size() - 1)].second])
              << "lane " << lane << ", " << n;
      }
    }
  }
}

// The samples that a wave starts with are the primitive's, but where what early tests leave is asked for (OpenGL 4.6 15.2.2, gl_SampleMaskIn;
// GL_ARB_post_depth_coverage).
TEST_P(PixelInputs, CoverageIsThePrimitives) {
  begin_batch(*batch, lanes() / 4);
  using Config = PA_SC_AA_CONFIG;
  machine.set<Config>(Config::MSAA_NUM_SAMPLES::of(2) | Config::MSAA_EXPOSED_SAMPLES::of(2));
  machine.set<SPI_PS_INPUT_ENA>(1u << 14), machine.set<SPI_PS_INPUT_ADDR>(1u << 14);
  machine.assemble("export mrt0 v0, v0, v0, v0 done\ns_endpgm\n", lanes());
  for (bool left : {false, true}) {
    using Shader = DB_SHADER_CONTROL;
    machine.set<Shader>(Shader::DEPTH_BEFORE_SHADER::of(1) | Shader::PRE_SHADER_DEPTH_COVERAGE_ENABLE::of(left));
    auto stage = machine.stage();
    ASSERT_EQ(stage->wants_coverage_before_tests(), !left);
    for (unsigned lane = 0; lane < lanes(); lane++) batch->coverage[lane] = (lane % 15) | (left ? 0 : 0xf0000);
    ASSERT_TRUE(machine.shade(*stage, *batch, *results));
    for (unsigned lane = 0; lane < lanes(); lane++) ASSERT_EQ(colour(0, lane), left ? lane % 15 : 0xf) << lane;
  }
}

// COVERAGE_TO_SHADER_SELECT: all samples of the pixels that lie in their triangle whole, and none of others. The weights are those of a
// triangle whose sides are three pixels long, with pixels' corners on its edges.
TEST_P(PixelInputs, CoverageOfPixelsThatLieInsideWhole) {
  using Ena = SPI_PS_INPUT_ENA;
  using Config = PA_SC_AA_CONFIG;
  begin_batch(*batch, lanes() / 4);
  machine.set<Config>(Config::MSAA_NUM_SAMPLES::of(2) | Config::MSAA_EXPOSED_SAMPLES::of(2));
  machine.set<Ena>(1u << 14 | Ena::COVERAGE_TO_SHADER_SELECT::of(CovToShaderSel::INPUT_INNER_COVERAGE));
  machine.set<SPI_PS_INPUT_ADDR>(1u << 14);
  machine.assemble("export mrt0 v0, v0, v0, v0 done\ns_endpgm\n", lanes());
  auto stage = machine.stage();
  ASSERT_EQ(stage->barycentrics(), 1u << pipeline::LINEAR_CENTRE);
  for (unsigned lane = 0; lane < lanes(); lane++) {
    batch->coverage[lane] = 0xf;
    batch->barycentric[pipeline::LINEAR_CENTRE][0][lane] = (float(batch->x[lane] % 4) + 0.5f) / 3;
    batch->barycentric[pipeline::LINEAR_CENTRE][1][lane] = (float(batch->y[lane] % 4) + 0.5f) / 3;
    batch->primitive[lane / 4].kind = pipeline::PrimitiveKind::triangle;
  }
  ASSERT_TRUE(machine.shade(*stage, *batch, *results));
  for (unsigned lane = 0; lane < lanes(); lane++) {
    const int x = batch->x[lane] % 4, y = batch->y[lane] % 4;
    ASSERT_EQ(colour(0, lane), x + 1 + y + 1 <= 3 ? 0xfu : 0u) << x << " " << y;
  }
  for (auto& part : batch->barycentric[pipeline::LINEAR_CENTRE]) part.fill(0);  // of a triangle without an area
  ASSERT_TRUE(machine.shade(*stage, *batch, *results));
  for (unsigned lane = 0; lane < lanes(); lane++) ASSERT_EQ(colour(0, lane), 0u);
}

// The bits of STATUS that a wave's start decides (RDNA4 ISA 3.4.1): EXPORT_RDY and LDS_PARAM_RDY, not SKIP_EXPORT.
TEST_P(PixelInputs, StatusSaysThatParametersAreThere) {
  begin_batch(*batch, lanes() / 4);
  machine.set<SPI_PS_INPUT_ENA>(2), machine.set<SPI_PS_INPUT_ADDR>(2);
  machine.assemble("s_getreg_b32 s10, hwreg(HW_REG_STATUS)\nv_mov_b32_e32 v0, s10\nexport mrt0 v0, v0, v0, v0 done\ns_endpgm\n",
                   lanes());
  auto stage = machine.stage();
  ASSERT_TRUE(machine.shade(*stage, *batch, *results));
  EXPECT_EQ(colour(0, 0) & (1u << 8 | 1u << 18 | 1u << 25), 1u << 8 | 1u << 25);
}

// Behind M0's word: the first, since P0, P10 and P20 are of the vertices in the primitive's own order. If it is not asked for,
// nothing is put there.
TEST_P(PixelInputs, TheProvokingVertexOfEachPrimitive) {
  begin_batch(*batch, lanes() / 4);
  machine.set<SPI_PS_INPUT_ENA>(2), machine.set<SPI_PS_INPUT_ADDR>(2);
  machine.set<SPI_SHADER_PGM_RSRC2_PS>(SPI_SHADER_PGM_RSRC2_PS::USER_SGPR::of(5));
  machine.assemble("v_mov_b32_e32 v0, s6\ns_movk_i32 s6, 0x4d\nexport mrt0 v0, v0, v0, v0 done\ns_endpgm\n", lanes());
  using One = SPI_SHADER_PGM_RSRC1_PS;
  machine.set<One>(machine.context->registers.raw(One::address()) | One::LOAD_PROVOKING_VTX::of(1));
  auto stage = machine.stage();
  for (unsigned n = 0; n < 2; n++) {
    ASSERT_TRUE(machine.shade(*stage, *batch, *results));
    EXPECT_EQ(colour(0, 0), 0u) << n;
  }
}

// P0, P10 and P20 in the lanes of each quad, of as many primitives as the wave has, whatever SPI_PS_INPUT_CNTL makes of the vertices.
TEST_P(PixelInputs, ParametersOfEachPrimitive) {
  using Cntl = SPI_PS_INPUT_CNTL;
  std::mt19937 random(34);
  constexpr unsigned attributes = 3;
  constexpr float one = 1;
  std::array<std::array<float, attributes * 4>, 12> vertices;
  for (auto& vertex : vertices)
    for (float& x : vertex) x = float(int(random() % 4096)) / 64 - 32;
  struct Case {
    const char* name;
    uint32_t cntl;
    std::array<uint32_t, 3> (*expected)(const PrimitiveAttributes& p, unsigned channel);
    bool point = false;
  };
  static const auto half = [](const float* of, unsigned n, unsigned which) {
    return float_from_half(uint16_t(bits(of[4 + n]) >> 16 * which));
  };
  static const auto halves = [](const PrimitiveAttributes& p, unsigned n, unsigned which) -> std::array<uint32_t, 3> {
    const float a = half(p.a, n, which);
    return {half_from_float(a), half_from_float(half(p.b, n, which) - a), half_from_float(half(p.c, n, which) - a)};
  };
  const uint32_t fp16 = Cntl::FP16_INTERP_MODE::of(1) | Cntl::ATTR0_VALID::of(1);
  const Case cases[] = {
      {"smooth", Cntl::OFFSET::of(2),
       [](const PrimitiveAttributes& p, unsigned n) -> std::array<uint32_t, 3> {
         return {bits(p.a[8 + n]), bits(p.b[8 + n] - p.a[8 + n]), bits(p.c[8 + n] - p.a[8 + n])};
       }},
      {"flat", Cntl::OFFSET::of(1) | Cntl::FLAT_SHADE::of(1),
       [](const PrimitiveAttributes& p, unsigned n) -> std::array<uint32_t, 3> { return {bits(p.provoking[4 + n]), 0, 0}; }},
      {"vertices", Cntl::OFFSET::of(0x21) | Cntl::FLAT_SHADE::of(1),
       [](const PrimitiveAttributes& p, unsigned n) -> std::array<uint32_t, 3> {
         return {bits(p.a[4 + n]), bits(p.b[4 + n]), bits(p.c[4 + n])};
       }},
      {"of the primitive", Cntl::OFFSET::of(1) | Cntl::PRIM_ATTR::of(1),
       [](const PrimitiveAttributes& p, unsigned n) -> std::array<uint32_t, 3> { return {bits(p.own[4 + n]), 0, 0}; }},
      {"0, 0, 0, 1", Cntl::OFFSET::of(0x20) | Cntl::DEFAULT_VAL::of(1),
       [](const PrimitiveAttributes&, unsigned n) -> std::array<uint32_t, 3> { return {n == 3 ? bits(one) : 0, 0, 0}; }},
      {"1, 1, 1, 0", Cntl::OFFSET::of(0x20) | Cntl::DEFAULT_VAL::of(2),
       [](const PrimitiveAttributes&, unsigned n) -> std::array<uint32_t, 3> { return {n == 3 ? 0 : bits(one), 0, 0}; }},
      {"an attribute that vertices have not", Cntl::OFFSET::of(7),
       [](const PrimitiveAttributes&, unsigned) -> std::array<uint32_t, 3> { return {0, 0, 0}; }},
      {"halves", Cntl::OFFSET::of(1) | fp16 | Cntl::ATTR1_VALID::of(1),
       [](const PrimitiveAttributes& p, unsigned n) -> std::array<uint32_t, 3> {
         const auto low = halves(p, n, 0), high = halves(p, n, 1);
         return {low[0] | high[0] << 16, low[1] | high[1] << 16, low[2] | high[2] << 16};
       }},
      {"one half", Cntl::OFFSET::of(1) | fp16, [](const PrimitiveAttributes& p, unsigned n) { return halves(p, n, 0); }},
      {"a half and 1",
       Cntl::OFFSET::of(1) | fp16 | Cntl::ATTR1_VALID::of(1) | Cntl::USE_DEFAULT_ATTR1::of(1) | Cntl::DEFAULT_VAL_ATTR1::of(3),
       [](const PrimitiveAttributes& p, unsigned n) -> std::array<uint32_t, 3> {
         const auto low = halves(p, n, 0);
         return {low[0] | 0x3c00u << 16, low[1], low[2]};
       }},
      {"the place in a point", Cntl::OFFSET::of(1) | Cntl::PT_SPRITE_TEX::of(1),
       [](const PrimitiveAttributes&, unsigned n) -> std::array<uint32_t, 3> {
         return {n == 3 ? bits(one) : 0, n == 0 ? bits(one) : 0, n == 1 ? bits(one) : 0};
       },
       true},
      {"no point", Cntl::OFFSET::of(2) | Cntl::PT_SPRITE_TEX::of(1),
       [](const PrimitiveAttributes& p, unsigned n) -> std::array<uint32_t, 3> {
         return {bits(p.a[8 + n]), bits(p.b[8 + n] - p.a[8 + n]), bits(p.c[8 + n] - p.a[8 + n])};
       }},
  };
  using Interp = SPI_INTERP_CONTROL_0;
  machine.set<Interp>(Interp::FLAT_SHADE_ENA::of(1) | Interp::PNT_SPRITE_ENA::of(1) |
                      Interp::PNT_SPRITE_OVRD_X::of(SPI_PNT_SPRITE_OVERRIDE::SPI_PNT_SPRITE_SEL_S) |
                      Interp::PNT_SPRITE_OVRD_Y::of(SPI_PNT_SPRITE_OVERRIDE::SPI_PNT_SPRITE_SEL_T) |
                      Interp::PNT_SPRITE_OVRD_W::of(SPI_PNT_SPRITE_OVERRIDE::SPI_PNT_SPRITE_SEL_1));
  machine.set<SPI_SHADER_GS_OUT_CONFIG_PS>(SPI_SHADER_GS_OUT_CONFIG_PS::NUM_INTERP::of(2));
  machine.set<SPI_SHADER_PGM_RSRC2_PS>(SPI_SHADER_PGM_RSRC2_PS::USER_SGPR::of(5));
  machine.assemble(R"(s_mov_b32 m0, s5
ds_param_load v4, attr1.x wait_va_vdst:15 wait_vm_vsrc:1
ds_param_load v5, attr1.y wait_va_vdst:15 wait_vm_vsrc:1
ds_param_load v6, attr1.z wait_va_vdst:15 wait_vm_vsrc:1
ds_param_load v7, attr1.w wait_va_vdst:15 wait_vm_vsrc:1
export mrt0 v4, v5, v6, v7 done
s_endpgm
)",
                   lanes());
  const unsigned quads = lanes() / 4;
  for (uint32_t lds : {0u, 2u})
    for (const Case& c : cases)
      for (unsigned primitives : {1u, 3u, quads}) {
        SCOPED_TRACE(testing::Message() << c.name << ", " << primitives << " primitives, LDS " << lds);
        machine.set<Cntl>(c.cntl, 1);
        machine.set<SPI_SHADER_PGM_RSRC2_PS>(SPI_SHADER_PGM_RSRC2_PS::USER_SGPR::of(5) |
                                             SPI_SHADER_PGM_RSRC2_PS::EXTRA_LDS_SIZE::of(lds));
        auto stage = machine.stage(attributes);
        for (bool one_primitive : {false, true}) {
          if (one_primitive && primitives != 1) continue;
          begin_batch(*batch, quads - 1);
          batch->one_primitive = one_primitive;
          for (unsigned q = 0; q < quads - 1; q++) {
            const unsigned which = primitives == quads ? q % 4 : q * primitives / quads;
            PrimitiveAttributes& p = batch->primitive[q];
            p.a = vertices[which * 3].data(), p.b = vertices[which * 3 + 1].data(), p.c = vertices[which * 3 + 2].data();
            p.provoking = p.b, p.own = p.c, p.primitive = which;
            p.kind = c.point ? pipeline::PrimitiveKind::point : pipeline::PrimitiveKind::triangle;
          }
          for (int time = 0; time < 2; time++) {  // and once more, as it stands then
            ASSERT_TRUE(machine.shade(*stage, *batch, *results));
            for (unsigned lane = 0; lane < 4 * (quads - 1); lane++)
              for (unsigned n = 0; n < 4; n++) {
                const auto expected = c.expected(batch->primitive[lane / 4], n);
                ASSERT_EQ(colour(n, lane), lane % 4 == 3 ? 0 : expected[lane % 4]) << "lane " << lane << ", " << n;
              }
          }
        }
      }
}

// The place in the primitive behind the interpolated inputs, in Z and W.
TEST_P(PixelInputs, GeneratedParameter) {
  machine.set<SPI_SHADER_GS_OUT_CONFIG_PS>(SPI_SHADER_GS_OUT_CONFIG_PS::NUM_INTERP::of(1));
  machine.set<SPI_PS_IN_CONTROL>(SPI_PS_IN_CONTROL::PARAM_GEN::of(1));
  machine.assemble(R"(s_mov_b32 m0, s0
ds_param_load v6, attr1.z wait_va_vdst:15 wait_vm_vsrc:1
ds_param_load v7, attr1.w wait_va_vdst:15 wait_vm_vsrc:1
export mrt0 v6, v7, off, off done
s_endpgm
)",
                   lanes());
  auto stage = machine.stage(1);
  begin_batch(*batch, 2);
  ASSERT_TRUE(machine.shade(*stage, *batch, *results));
  for (unsigned lane = 0; lane < 8; lane++) {
    EXPECT_EQ(colour(0, lane), lane % 4 == 1 ? bits(1.0f) : 0u);
    EXPECT_EQ(colour(1, lane), lane % 4 == 2 ? bits(1.0f) : 0u);
  }
}

// M0 is known to be what the wave began with: waves that write their pixels themselves have parameters in registers then.
TEST_P(PixelInputs, WhereParametersAreKnown) {
  struct Case {
    int sgpr;
    const char* program;
  };
  const std::string load = "ds_param_load v4, attr1.x wait_va_vdst:15 wait_vm_vsrc:1\n",
                    end = "export mrt0 v4, v4, v4, v4 done\ns_endpgm\n";
  const Case cases[] = {
      {3, "s_mov_b32 m0, s3\n"},
      {3, "v_mov_b32_e32 v9, v1\ns_mov_b32 s4, s3\ns_mov_b32 m0, s3\ns_mov_b32 s3, 0\n"},
      {-1, ""},
      {-1, "s_mov_b32 s3, 0\ns_mov_b32 m0, s3\n"},
      {-1, "s_load_b64 s[2:3], s[0:1], 0x0\ns_mov_b32 m0, s3\n"},
      {-1, "v_readfirstlane_b32 s3, v1\ns_mov_b32 m0, s3\n"},
      {-1, "s_mov_b32 m0, s3\ns_mov_b32 m0, s3\n"},
      {-1, "s_mov_b32 m0, 0\n"},
      {-1, "s_add_co_i32 m0, s3, 64\n"},
      {-1, "ds_param_load v4, attr1.x wait_va_vdst:15 wait_vm_vsrc:1\ns_mov_b32 m0, s3\n"},
      {-1, "s_cbranch_scc0 1\ns_mov_b32 m0, s3\n"},
      {-1, "s_nop 0\ns_mov_b32 m0, s3\ns_cbranch_scc0 65533\n"},
      {3, "s_nop 0\ns_mov_b32 m0, s3\ns_cbranch_scc0 65535\n"},
      {-1, "s_mov_b32 m0, s3\ns_movreld_b32 s4, s5\n"},
  };
  for (const Case& c : cases) {
    machine.assemble(c.program + load + end, lanes());
    auto shader = machine.context->shaders->find(ProgramKey{.address = code_page, .lanes = uint8_t(lanes()), .exports = true});
    ASSERT_TRUE(shader);
    EXPECT_EQ((*shader)->pixel_program().parameters_sgpr, c.sgpr) << c.program;
    EXPECT_EQ((*shader)->pixel_program().attributes_read, std::vector<uint8_t>{4}) << c.program;
  }
}

// Instructions that take a quad's lanes of parameters as they were loaded, by every lane that is active.
TEST_P(PixelInputs, UsesOfParameters) {
  struct Case {
    size_t uses;
    std::string program;
  };
  const std::string load = "s_mov_b32 m0, s3\nds_param_load v4, attr1.x wait_va_vdst:15 wait_vm_vsrc:1\n",
                    p10 = "v_interp_p10_f32 v8, v4, v0, v4 wait_exp:0\n", p2 = "v_interp_p2_f32 v8, v4, v1, v8 wait_exp:7\n",
                    dpp = "v_mov_b32_dpp v8, v4 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf bound_ctrl:1 fi:1\n",
                    end = "export mrt0 v8, v8, v8, v8 done\ns_endpgm\n";
  const Case cases[] = {
      {2, load + p10 + p2},
      {1, load + dpp},
      {0, p10 + p2 + load},
      {0, load + "v_mov_b32_e32 v4, 0\n" + p10 + p2},
      {0, load + "v_cmpx_gt_f32_e64 v0, 0.5\n" + p10 + p2},
      {0, load + "s_mov_b32 exec_lo, 1\n" + p10 + p2},
      {0, load + "s_cbranch_scc0 0\n" + p10 + p2},
      {1, load + p10 + "s_nop 0\ns_cbranch_scc0 65534\n" + p2},
      {0, load + "v_mov_b32_dpp v8, v4 quad_perm:[0,0,0,1] row_mask:0xf bank_mask:0xf bound_ctrl:1 fi:1\n"},
      {0, load + "v_mov_b32_dpp v8, v4 quad_perm:[3,3,3,3] row_mask:0xf bank_mask:0xf bound_ctrl:1 fi:1\n"},
      {0, load + "v_mov_b32_dpp v8, v4 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf bound_ctrl:1\n"},
      {1, load + "v_add_f32_e32 v9, v4, v0\n" + p10},
      {0, load + "v_interp_p10_f32 v8, v4, v0, v5 wait_exp:0\n"},
  };
  for (const Case& c : cases) {
    machine.assemble(c.program + end, lanes());
    auto shader = machine.context->shaders->find(ProgramKey{.address = code_page, .lanes = uint8_t(lanes()), .exports = true});
    ASSERT_TRUE(shader);
    EXPECT_EQ((*shader)->pixel_program().uses.size(), c.uses) << c.program;
  }
}

// Writes of EXEC for the sake of whole quads: those that leave it as it is where all lanes are covered, whether anybody can tell where
// some are not, and what all lanes export.
TEST_P(PixelInputs, MovesOfExec) {
  struct Case {
    size_t moves;
    bool unseen;
    std::string program;
  };
  const bool wide = lanes() == 64;
  const std::string load = "s_mov_b32 m0, s3\nds_param_load v4, attr1.x wait_va_vdst:15 wait_vm_vsrc:1\n",
                    p10 = "v_interp_p10_f32 v8, v4, v0, v4 wait_exp:0\n", p2 = "v_interp_p2_f32 v8, v4, v1, v8 wait_exp:7\n",
                    mrt0 = "export mrt0 v8, v8, v8, v8\n", end = "export mrt1 v8, v8, v8, v8 done\ns_endpgm\n",
                    save = wide ? "s_mov_b64 s[8:9], exec\n" : "s_mov_b32 s8, exec_lo\n",
                    quads = wide ? "s_wqm_b64 exec, exec\n" : "s_wqm_b32 exec_lo, exec_lo\n",
                    restore = wide ? "s_mov_b64 exec, s[8:9]\n" : "s_mov_b32 exec_lo, s8\n",
                    restore_other = wide ? "s_mov_b64 exec, s[10:11]\n" : "s_mov_b32 exec_lo, s10\n";
  const Case cases[] = {
      {2, true, save + quads + load + p10 + p2 + restore + mrt0},
      {4, true, save + quads + load + p10 + restore + save + quads + load + p2 + restore + mrt0},
      {2, true, save + quads + load + p10 + "s_cselect_b32 s12, 1, 0\nv_mov_b32_e32 v9, s12\n" + restore + mrt0},
      {0, false, load + p10 + p2 + mrt0},
      // Values of other lanes are taken, or a scalar is made from lanes.
      {2, false, save + quads + load + "v_interp_p10_f32 v8, v9, v0, v9 wait_exp:0\n" + restore + mrt0},
      {2, false, save + quads + load + "v_readfirstlane_b32 s12, v8\n" + restore + mrt0},
      {2, false, save + quads + load + "v_cmp_gt_f32_e32 vcc" + (wide ? "" : "_lo") + ", v8, v9\n" + restore + mrt0},
      {2, false, save + quads + load + p10 + restore + "v_mov_b32_dpp v8, v8 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\n"},
      {2, false,
       save + quads + load + (wide ? "s_bcnt1_i32_b64 s12, exec\n" : "s_bcnt1_i32_b32 s12, exec_lo\n") + restore + mrt0},
      // The mask of the start does not come back.
      {1, false, save + quads + load + p10 + p2 + mrt0},
      {1, false, save + quads + load + p10 + "s_mov_b32 s8, 5\n" + restore + mrt0},
      {1, false, save + quads + load + p10 + "s_load_b64 s[8:9], s[2:3], 0x0\n" + restore + mrt0},
      {1, false, save + quads + load + p10 + restore_other + mrt0},
      {1, false, quads + save + load + p10 + restore + mrt0},
      {1, false, save + quads + load + "v_cmpx_gt_f32_e64 v8, 0.5\n" + restore + mrt0},
      // Lanes are switched off, or not all come by.
      {2, true, save + quads + load + p10 + restore + "v_cmpx_gt_f32_e64 v8, 0.5\n" + mrt0},
      {2, true, save + quads + load + p10 + restore + "s_cbranch_scc0 2\n" + mrt0},
      {0, false, "s_cbranch_scc0 0\n" + save + quads + load + p10 + restore + mrt0},
      {0, false, save + quads + load + p10 + restore + mrt0 + "s_cbranch_scc0 " + std::to_string(65536 - 9) + "\n"},
  };
  for (const Case& c : cases) {
    machine.assemble(c.program + end, lanes());
    auto shader = machine.context->shaders->find(ProgramKey{.address = code_page, .lanes = uint8_t(lanes()), .exports = true});
    ASSERT_TRUE(shader);
    const ExecMoves& found = (*shader)->pixel_program().exec_moves;
    EXPECT_EQ(found.pcs.size(), c.moves) << c.program;
    EXPECT_EQ(found.unseen, c.unseen) << c.program;
  }
}

// Targets to which every pixel is written, as the pipeline is told.
TEST_P(PixelInputs, WhatIsWrittenAlways) {
  struct Case {
    uint8_t always;
    const char* program;
    uint32_t formats = 0x99, mask = 0xff, control = 0;
  };
  const Case cases[] = {
      {3, "export mrt0 v0, v0, v0, v0\nexport mrt1 v0, v0, v0, v0 done\ns_endpgm\n"},
      {1, "export mrt0 v0, v0, v0, v0 done\ns_endpgm\n"},
      {4, "export mrt0 v0, v0, v0, v0 done\ns_endpgm\n", 0x9, 0xf00},  // the first of the program's is for the third target
      {1, "export mrt0 v0, v0, v0, v0\nexport mrt1 v0, v0, v0, v0 done\ns_endpgm\n", 0x09},
      {2,
       "v_mov_b32_e32 v1, v0\nexport mrt1 v0, v0, v0, v0\nv_cmpx_gt_f32_e64 v0, 0.5\nexport mrt0 v0, v0, v0, v0 "
       "done\ns_endpgm\n"},
      {0, "v_cmpx_gt_f32_e64 v0, 0.5\nexport mrt0 v0, v0, v0, v0 done\ns_endpgm\n"},
      {2, "s_cbranch_scc0 2\nexport mrt0 v0, v0, v0, v0\nexport mrt1 v0, v0, v0, v0 done\ns_endpgm\n"},
      {0, "export mrt0 v0, v0, v0, v0 done\ns_endpgm\n", 0x9, 0xf, DB_SHADER_CONTROL::MASK_EXPORT_ENABLE::of(1)},
      {0, "export dual_src_blend0 v0, v0, v0, v0\nexport dual_src_blend1 v0, v0, v0, v0 done\ns_endpgm\n"},
  };
  for (const Case& c : cases) {
    machine.set<SPI_SHADER_COL_FORMAT>(c.formats), machine.set<CB_SHADER_MASK>(c.mask), machine.set<DB_SHADER_CONTROL>(c.control);
    machine.assemble(c.program, lanes());
    EXPECT_EQ(machine.stage()->writes_always(), c.always) << c.program;
  }
}

}  // namespace
}  // namespace Atoll::gfx12::test
