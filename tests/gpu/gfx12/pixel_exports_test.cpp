// Exports of GFX12's pixel waves: colours by SPI_SHADER_COL_FORMAT, both sources of blending, depth, stencil, coverage and
// alpha by SPI_SHADER_Z_FORMAT, killed lanes; and the same pictures, bit for bit, whoever writes the pixels. RDNA4 ISA 14.1; Mesa 25.0.7
// ac_nir_lower_ps_late.c.
#include <algorithm>
#include <array>
#include <random>

#include "base/half.h"
#include "pixel_machine.h"
#include "tests/pipeline/canvas.h"

namespace Atoll::gfx12::test {
namespace {

using Format = SPI_SHADER_EX_FORMAT;
using pipeline::PixelBatch;
using pipeline::PixelResults;

class PixelExports : public testing::TestWithParam<std::tuple<gpu::Engine, unsigned>> {
protected:
  unsigned lanes() const { return std::get<1>(GetParam()); }
  gpu::Engine engine() const { return std::get<0>(GetParam()); }
  PixelMachine machine{engine()};
  std::unique_ptr<PixelBatch> batch = std::make_unique<PixelBatch>();
  std::unique_ptr<PixelResults> results = std::make_unique<PixelResults>();

  // v0, v1: words that differ by lane. Halves are expanded, as the pipeline does.
  void shade(const std::string& program, unsigned quads = 0) {
    machine.set<SPI_PS_INPUT_ENA>(2), machine.set<SPI_PS_INPUT_ADDR>(2);
    machine.assemble(program, lanes());
    auto stage = machine.stage();
    begin_batch(*batch, quads ? quads : lanes() / 4);
    for (unsigned lane = 0; lane < 64; lane++)
      batch->barycentric[1][0][lane] = std::bit_cast<float>(word(0, lane)),
      batch->barycentric[1][1][lane] = std::bit_cast<float>(word(1, lane));
    ASSERT_TRUE(machine.shade(*stage, *batch, *results));
    for (unsigned n = 0; n < 8; n++)
      for (unsigned c = 0; results->halves[n] && c < 4; c++)
        for (unsigned lane = 0; lane < lanes(); lane++)
          results->colour[n][c][lane] = bits(float_from_half(uint16_t(results->halves[n][c / 2][lane] >> 16 * (c % 2))));
  }
  // (Halves of which none is a NaN, an infinity or a denormal.)
  static uint32_t word(unsigned n, unsigned lane) {
    const uint32_t x = (lane * 2 + n + 1) * 2654435761u;
    return (x & 0xbbff'bbff) | 0x0400'0400;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, PixelExports,
                         testing::Combine(testing::Values(gpu::Engine::Interpreter, gpu::Engine::Jit), testing::Values(32u, 64u)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param) == gpu::Engine::Jit ? "jit" : "interpreter") +
                                  std::to_string(std::get<1>(info.param));
                         });

TEST_P(PixelExports, ColourFormats) {
  for (uint32_t format = 0; format <= Format::SPI_SHADER_32_ABGR; format++) {
    SCOPED_TRACE(format);
    machine.set<SPI_SHADER_COL_FORMAT>(format);
    const bool four = format == Format::SPI_SHADER_32_ABGR;
    shade(four ? "export mrt0 v0, v1, v0, v1 done\ns_endpgm\n" : "export mrt0 v0, v1, off, off done\ns_endpgm\n");
    EXPECT_EQ(results->outputs, format ? 1 : 0);
    for (unsigned lane = 0; format && lane < lanes(); lane++) {
      const uint32_t x = word(0, lane), y = word(1, lane);
      auto pair = [&](auto f) { return std::array<uint32_t, 4>{f(x & 0xffff), f(x >> 16), f(y & 0xffff), f(y >> 16)}; };
      const std::array<uint32_t, 4> expected =
          format == Format::SPI_SHADER_32_R           ? std::array<uint32_t, 4>{x, 0, 0, 0}
          : format == Format::SPI_SHADER_32_GR        ? std::array<uint32_t, 4>{x, y, 0, 0}
          : format == Format::SPI_SHADER_32_AR        ? std::array<uint32_t, 4>{x, 0, 0, y}
          : format == Format::SPI_SHADER_32_ABGR      ? std::array<uint32_t, 4>{x, y, x, y}
          : format == Format::SPI_SHADER_FP16_ABGR    ? pair([](uint32_t h) { return bits(float_from_half(uint16_t(h))); })
          : format == Format::SPI_SHADER_UNORM16_ABGR ? pair([](uint32_t h) { return bits(float(h) * (1.0f / 65535)); })
          : format == Format::SPI_SHADER_SNORM16_ABGR
              ? pair([](uint32_t h) { return bits(std::max(float(int16_t(h)) * (1.0f / 32767), -1.0f)); })
          : format == Format::SPI_SHADER_SINT16_ABGR ? pair([](uint32_t h) { return uint32_t(int16_t(h)); })
                                                     : pair([](uint32_t h) { return h; });
      for (unsigned c = 0; c < 4; c++) ASSERT_EQ(results->colour[0][c][lane], expected[c]) << "lane " << lane << ", " << c;
    }
  }
}

// The n-th export is for the n-th target that CB_SHADER_MASK names.
TEST_P(PixelExports, HolesAreSkipped) {
  machine.set<CB_SHADER_MASK>(0xf00f'00f0);
  machine.set<SPI_SHADER_COL_FORMAT>(0x999);
  shade("export mrt0 v0, v0, v0, v0\nexport mrt1 v1, v1, v1, v1\nexport mrt2 v0, v1, v0, v1 done\ns_endpgm\n");
  EXPECT_EQ(results->outputs, 1 << 1 | 1 << 4 | 1 << 7);
  for (unsigned lane = 0; lane < lanes(); lane++) {
    ASSERT_EQ(results->colour[1][2][lane], word(0, lane));
    ASSERT_EQ(results->colour[4][2][lane], word(1, lane));
    ASSERT_EQ(results->colour[7][1][lane], word(1, lane));
  }
}

// Targets 21 and 22: pairs of lanes with both sources of one pixel.
TEST_P(PixelExports, TwoSources) {
  machine.set<SPI_SHADER_COL_FORMAT>(0x99);
  machine.set<CB_SHADER_MASK>(0xff);
  shade("v_mov_b32_e32 v2, 1.0\nexport dual_src_blend0 v0, v1, v2, v0\nexport dual_src_blend1 v1, v0, v2, v1 done\ns_endpgm\n");
  EXPECT_EQ(results->outputs, 3);
  EXPECT_TRUE(results->has_second_source);
  EXPECT_EQ(results->killed, 0u);
  for (unsigned lane = 0; lane < lanes(); lane++) {
    const unsigned n = lane & 1, even = lane & ~1u, odd = lane | 1;
    for (unsigned source = 0; source < 2; source++) {
      const unsigned from = source ? odd : even;
      ASSERT_EQ(results->colour[source][0][lane], word(n, from)) << lane;
      ASSERT_EQ(results->colour[source][1][lane], word(1 - n, from)) << lane;
      ASSERT_EQ(results->colour[source][2][lane], bits(1.0f)) << lane;
    }
  }
}

TEST_P(PixelExports, DepthStencilCoverageAndAlpha) {
  using Control = DB_SHADER_CONTROL;
  machine.set<DB_EQAA>(DB_EQAA::MASK_EXPORT_NUM_SAMPLES::of(2));
  const uint32_t all = Control::Z_EXPORT_ENABLE::of(1) | Control::STENCIL_TEST_VAL_EXPORT_ENABLE::of(1) |
                       Control::STENCIL_OP_VAL_EXPORT_ENABLE::of(1) | Control::MASK_EXPORT_ENABLE::of(1);
  const std::string setup = "v_lshlrev_b32_e32 v2, 3, v1\nv_add_nc_u32_e32 v3, v0, v1\n";
  struct Case {
    uint32_t format, control;
    const char* sources;
    int depth, stencil, coverage, alpha;  // source; -1: none
    bool packed = false;
  };
  const Case cases[] = {
      {Format::SPI_SHADER_32_R, all, "v0, off, off, off", 0, -1, -1, -1},
      {Format::SPI_SHADER_32_GR, all, "v0, v1, off, off", 0, 1, -1, -1},
      {Format::SPI_SHADER_32_ABGR, all, "v0, v1, v2, v3", 0, 1, 2, 3},
      {Format::SPI_SHADER_32_ABGR, all, "off, v1, v2, off", -1, 1, 2, -1},
      {Format::SPI_SHADER_32_ABGR, Control::Z_EXPORT_ENABLE::of(1), "v0, v1, v2, off", 0, -1, -1, -1},
      {Format::SPI_SHADER_32_AR, Control::Z_EXPORT_ENABLE::of(1), "v0, v1, off, off", 0, -1, -1, 1},
      {Format::SPI_SHADER_UINT16_ABGR, all, "v0, v1, off, off", -1, 0, 1, -1, true},
      {Format::SPI_SHADER_UINT16_ABGR, all, "off, v1, off, off", -1, -1, 1, -1, true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << "format " << c.format << ": " << c.sources);
    machine.set<SPI_SHADER_Z_FORMAT>(c.format), machine.set<DB_SHADER_CONTROL>(c.control);
    shade(setup + "export mrtz " + c.sources + "\nexport mrt0 v0, v1, v0, v1 done\ns_endpgm\n");
    EXPECT_EQ(results->has_depth, c.depth >= 0);
    EXPECT_EQ(results->has_stencil, c.stencil >= 0);
    EXPECT_EQ(results->has_stencil_op, c.stencil >= 0);
    EXPECT_EQ(results->has_coverage, c.coverage >= 0);
    EXPECT_EQ(results->has_alpha, c.alpha >= 0);
    for (unsigned lane = 0; lane < lanes(); lane++) {
      const uint32_t v[4] = {word(0, lane), word(1, lane), word(1, lane) << 3, word(0, lane) + word(1, lane)};
      if (c.depth >= 0) ASSERT_EQ(bits(results->depth[lane]), v[c.depth]);
      if (c.alpha >= 0) ASSERT_EQ(bits(results->alpha[lane]), v[c.alpha]);
      const uint32_t stencil = c.stencil < 0 ? 0 : c.packed ? v[c.stencil] >> 16 : v[c.stencil];
      if (c.stencil >= 0) ASSERT_EQ(results->stencil[lane], stencil & 0xff);
      if (c.stencil >= 0) ASSERT_EQ(results->stencil_op[lane], stencil >> 8 & 0xff);
      if (c.coverage >= 0) ASSERT_EQ(results->coverage[lane], (v[c.coverage] & 0xf) * 0x1111) << "of four samples";
    }
  }
}

// A lane lives that is exported; where nothing takes exports, or the program makes none, all do.
TEST_P(PixelExports, KilledLanes) {
  const uint64_t all = lanes() == 64 ? ~uint64_t(0) : 0xffff'ffff, low = 0x0f0f'3c3c'f00f'1234 & all;
  auto kill = [&](const std::string& rest) {
    return fmt::format("s_mov_b32 exec_lo, {:#x}\n{}{}", uint32_t(low),
                       lanes() == 64 ? fmt::format("s_mov_b32 exec_hi, {:#x}\n", uint32_t(low >> 32)) : "", rest);
  };
  shade(kill("export mrt0 v0, v1, v0, v1 done\ns_endpgm\n"));
  EXPECT_EQ(results->killed, all & ~low);
  shade(kill("export mrt0 off, off, off, off done\ns_endpgm\n"));
  EXPECT_EQ(results->killed, all & ~low);
  shade(kill("export mrtz v0, off, off, off\nexport mrt0 v0, v1, v0, v1 done\ns_endpgm\n"));
  EXPECT_EQ(results->killed, all & ~low);
  shade("s_mov_b32 exec_lo, 0\ns_mov_b32 exec_hi, 0\nexport mrt0 off, off, off, off done\ns_endpgm\n");
  EXPECT_EQ(results->killed, all);
  EXPECT_EQ(results->outputs, 0);
  shade(kill("s_endpgm\n"));
  EXPECT_EQ(results->killed, 0u);
  machine.set<SPI_SHADER_COL_FORMAT>(0);
  shade(kill("export mrt0 v0, v1, v0, v1 done\ns_endpgm\n"));
  EXPECT_EQ(results->killed, 0u);
  EXPECT_EQ(results->outputs, 0);
}

// An export that the program's first exit leaves out is not what a wave before it left there.
TEST_P(PixelExports, AnEmptyExportLeavesNothingOfOtherWaves) {
  machine.set<SPI_PS_INPUT_ENA>(2), machine.set<SPI_PS_INPUT_ADDR>(2);
  machine.assemble(R"(export mrt0 v0, v1, v0, v1
s_mov_b32 exec_lo, 3
export mrt0 off, off, off, off done
s_endpgm
)",
                   lanes());
  auto stage = machine.stage();
  begin_batch(*batch, 4);
  for (auto& part : batch->barycentric[1]) part.fill(7);
  std::thread([&] {
    EXPECT_TRUE(stage->shade(0, *batch, *results));
    EXPECT_EQ(results->colour[0][0][1], bits(7));
    batch->covered = 1;
    EXPECT_TRUE(stage->shade(0, *batch, *results));
  }).join();
  EXPECT_EQ(results->colour[0][0][0], bits(7));
  for (unsigned c = 0; c < 4; c++) EXPECT_EQ(results->colour[0][c][1], 0u);
}

// Lanes that export to some targets alone leave the others' as they are; what they have as depth, stencil, coverage and alpha is 0 where
// they export none, whoever ran in the same memory before.
TEST_P(PixelExports, LanesThatExportToSomeTargetsAlone) {
  using Control = DB_SHADER_CONTROL;
  machine.set<SPI_PS_INPUT_ENA>(2), machine.set<SPI_PS_INPUT_ADDR>(2);
  machine.set<CB_SHADER_MASK>(0xff), machine.set<SPI_SHADER_COL_FORMAT>(0x99);
  machine.set<SPI_SHADER_Z_FORMAT>(Format::SPI_SHADER_32_ABGR);
  machine.set<DB_SHADER_CONTROL>(Control::Z_EXPORT_ENABLE::of(1) | Control::STENCIL_TEST_VAL_EXPORT_ENABLE::of(1) |
                                 Control::MASK_EXPORT_ENABLE::of(1));
  const bool wide = lanes() == 64;
  machine.assemble(std::string(wide ? "s_mov_b64 s[8:9], exec\n" : "s_mov_b32 s8, exec_lo\n") +
                       "v_cmpx_gt_f32_e64 v0, 0.5\nexport mrtz v1, v1, v1, v1\nexport mrt0 v0, v1, v0, v1\n" +
                       (wide ? "s_mov_b64 exec, s[8:9]\n" : "s_mov_b32 exec_lo, s8\n") +
                       "export mrt1 v1, v0, v1, v0 done\ns_endpgm\n",
                   lanes());
  auto stage = machine.stage();
  begin_batch(*batch, lanes() / 4);
  const uint64_t all = batch->covered, odd = 0xaaaa'aaaa'aaaa'aaaa & all;
  batch->barycentric[1][1].fill(std::bit_cast<float>(0x3f80'0f0fu));
  std::thread([&] {
    for (uint64_t to_first : {all, odd, uint64_t(0)}) {
      SCOPED_TRACE(to_first);
      for (unsigned lane = 0; lane < lanes(); lane++) batch->barycentric[1][0][lane] = to_first >> lane & 1 ? 7 : 0;
      results->outputs = 0, results->unwritten.fill(0), results->halves.fill(nullptr);
      EXPECT_TRUE(stage->shade(0, *batch, *results));
      EXPECT_EQ(results->killed, 0u);
      EXPECT_EQ(results->outputs, to_first ? 3 : 2);
      if (to_first) EXPECT_EQ(results->unwritten[0], all & ~to_first);
      EXPECT_EQ(results->unwritten[1], 0u);
      EXPECT_TRUE(results->has_depth && results->has_stencil && results->has_coverage && results->has_alpha);
      for (unsigned lane = 0; lane < lanes(); lane++) {
        const uint32_t word = to_first >> lane & 1 ? 0x3f80'0f0fu : 0;
        ASSERT_EQ(bits(results->depth[lane]), word) << lane;
        ASSERT_EQ(bits(results->alpha[lane]), word) << lane;
        ASSERT_EQ(results->stencil[lane], word & 0xff) << lane;
        ASSERT_EQ(results->coverage[lane] & 1, word & 1) << lane;
      }
    }
  }).join();
}

// --- pictures

// The same stage, whose pixels the pipeline writes.
class ByPipeline : public pipeline::PixelStage {
public:
  explicit ByPipeline(gfx12::PixelStage& stage) : stage_(stage) {}
  unsigned batch_size() const override { return stage_.batch_size(); }
  uint8_t barycentrics() const override { return stage_.barycentrics(); }
  bool wants_depth() const override { return stage_.wants_depth(); }
  bool wants_centroids() const override { return stage_.wants_centroids(); }
  bool wants_line_coordinate() const override { return stage_.wants_line_coordinate(); }
  bool one_primitive() const override { return stage_.one_primitive(); }
  void bind_worker(unsigned worker) override { stage_.bind_worker(worker); }
  bool shade(unsigned worker, const PixelBatch& batch, PixelResults& results) override {
    return stage_.shade(worker, batch, results);
  }

private:
  gfx12::PixelStage& stage_;
};

// Interpolation of one attribute, smooth, and of another, flat.
const std::string interpolating = R"(s_mov_b32 m0, s0
ds_param_load v4, attr0.x wait_va_vdst:15 wait_vm_vsrc:1
ds_param_load v5, attr0.y wait_va_vdst:15 wait_vm_vsrc:1
ds_param_load v6, attr0.z wait_va_vdst:15 wait_vm_vsrc:1
ds_param_load v7, attr1.w wait_va_vdst:15 wait_vm_vsrc:1
v_interp_p10_f32 v8, v4, v0, v4 wait_exp:0
v_interp_p10_f32 v9, v5, v0, v5 wait_exp:0
v_interp_p10_f32 v10, v6, v0, v6 wait_exp:0
v_interp_p10_f32 v11, v7, v0, v7 wait_exp:0
v_interp_p2_f32 v8, v4, v1, v8 wait_exp:7
v_interp_p2_f32 v9, v5, v1, v9 wait_exp:7
v_interp_p2_f32 v10, v6, v1, v10 wait_exp:7
v_interp_p2_f32 v11, v7, v1, v11 wait_exp:7
)";

void random_triangles(pipeline::Canvas& canvas, unsigned count, bool clip = false) {
  std::mt19937 random(5);
  auto unit = [&] { return float(random() % 4096) / 4096; };
  canvas.vertices.count = 2;
  for (unsigned n = 0; n < 3 * count; n++) {
    const float w = clip ? 1 + unit() : 1;
    const float x = clip ? (unit() * 2.4f - 1.2f) * w : unit() * 160 - 20,
                y = clip ? (unit() * 2.4f - 1.2f) * w : unit() * 120 - 20;
    canvas.vertices.add(x, y, unit() * w, w, {unit(), unit(), unit(), unit(), unit(), unit(), unit(), unit()});
  }
  if (clip) canvas.clip_space();
}

struct Way {
  const char* name;
  const char* program;  // behind `interpolating`
  uint32_t format, ena = 2, control = 0, depth_format = 0, mask = 0xf;
  void (*state)(pipeline::Draw&) = nullptr;
  unsigned samples = 1;
};
const Way ways[] = {
    {"floats", "export mrt0 v8, v9, v10, v11 done\ns_endpgm\n", Format::SPI_SHADER_32_ABGR},
    {"halves",
     "v_cvt_pk_rtz_f16_f32_e32 v8, v8, v9\nv_cvt_pk_rtz_f16_f32_e32 v9, v10, v11\nexport mrt0 v8, v9, off, off done\ns_endpgm\n",
     Format::SPI_SHADER_FP16_ABGR},
    {"unorm16",
     "v_cvt_pk_norm_u16_f32 v8, v8, v9\nv_cvt_pk_norm_u16_f32 v9, v10, v11\nexport mrt0 v8, v9, off, off done\ns_endpgm\n",
     Format::SPI_SHADER_UNORM16_ABGR},
    {"red and alpha", "export mrt0 v8, v11, off, off done\ns_endpgm\n", Format::SPI_SHADER_32_AR},
    {"blended", "export mrt0 v8, v9, v10, v11 done\ns_endpgm\n", Format::SPI_SHADER_32_ABGR, 2, 0, 0, 0xf,
     [](pipeline::Draw& draw) {
       auto& blend = draw.colour.blend[0];
       blend.enable = true;
       blend.source_colour = blend.source_alpha = pipeline::BlendFactor::source_alpha;
       blend.target_colour = blend.target_alpha = pipeline::BlendFactor::one_minus_source_alpha;
     }},
    {"two sources", "export dual_src_blend0 v8, v9, v10, v11\nexport dual_src_blend1 v9, v8, v11, v10 done\ns_endpgm\n", 0x99, 2,
     0, 0, 0xff,
     [](pipeline::Draw& draw) {
       auto& blend = draw.colour.blend[0];
       blend.enable = true;
       blend.source_colour = blend.source_alpha = pipeline::BlendFactor::second_source_colour;
       blend.target_colour = blend.target_alpha = pipeline::BlendFactor::one_minus_second_source_colour;
     }},
    {"killed", "v_cmpx_gt_f32_e64 v8, 0.5\nexport mrt0 v8, v9, v10, v11 done\ns_endpgm\n", Format::SPI_SHADER_32_ABGR},
    {"killed, with a way out",
     "v_cmpx_gt_f32_e64 v8, 0.5\ns_cbranch_execz 4\nexport mrt0 v8, v9, v10, v11 done\ns_endpgm\ns_nop 0\nexport mrt0 off, off, "
     "off, off done\ns_endpgm\n",
     Format::SPI_SHADER_32_ABGR},
    {"what S_WQM says", "s_cselect_b32 s10, 0.5, 1.0\nv_mul_f32_e32 v8, s10, v8\nexport mrt0 v8, v9, v10, v11 done\ns_endpgm\n",
     Format::SPI_SHADER_32_ABGR},
    {"what other lanes have",
     "v_mov_b32_dpp v8, v8 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf bound_ctrl:1 fi:1\nexport mrt0 v8, v9, v10, v11 done\n"
     "s_endpgm\n",
     Format::SPI_SHADER_32_ABGR},
    {"depth", "export mrtz v8, off, off, off\nexport mrt0 v8, v9, v10, v11 done\ns_endpgm\n", Format::SPI_SHADER_32_ABGR, 2,
     DB_SHADER_CONTROL::Z_EXPORT_ENABLE::of(1), Format::SPI_SHADER_32_R, 0xf,
     [](pipeline::Draw& draw) {
       draw.depth_stencil.depth_test = draw.depth_stencil.depth_write = true,
       draw.depth_stencil.depth_compare = pipeline::Compare::less;
     }},
    {"four samples", "export mrt0 v8, v9, v10, v11 done\ns_endpgm\n", Format::SPI_SHADER_32_ABGR, 2, 0, 0, 0xf,
     [](pipeline::Draw& draw) { draw.rasterization.sample_positions = pipeline::standard_positions; }, 4},
    {"parameters that the program moves beyond LDS",
     "s_add_co_i32 m0, m0, 0x4000\nds_param_load v4, attr0.x wait_va_vdst:15 wait_vm_vsrc:1\nv_add_f32_e32 v8, v8, v4\nexport "
     "mrt0 "
     "v8, v9, v10, "
     "v11 done\ns_endpgm\n",
     Format::SPI_SHADER_32_ABGR},
    {"places and facing",
     "v_mul_f32_e32 v2, 0x3c000000, v2\nv_mul_f32_e32 v3, 0x3c000000, v3\nexport mrt0 v2, v3, v12, v11 done\ns_endpgm\n",
     Format::SPI_SHADER_32_ABGR, 2 | 1 << 8 | 1 << 9},
};

TEST_P(PixelExports, TheSamePictureWhoeverWritesIt) {
  for (const Way& way : ways)
    for (bool clip : {false, true})
      for (unsigned threads : {clip ? 2u : 1u}) {
        SCOPED_TRACE(testing::Message() << way.name << (clip ? ", in clip space, " : ", ") << threads << " threads");
        PixelMachine drawing(engine(), threads);
        drawing.set<SPI_PS_INPUT_ENA>(way.ena), drawing.set<SPI_PS_INPUT_ADDR>(way.ena);
        drawing.set<SPI_SHADER_COL_FORMAT>(way.format), drawing.set<CB_SHADER_MASK>(way.mask);
        drawing.set<DB_SHADER_CONTROL>(way.control), drawing.set<SPI_SHADER_Z_FORMAT>(way.depth_format);
        drawing.set<SPI_SHADER_GS_OUT_CONFIG_PS>(SPI_SHADER_GS_OUT_CONFIG_PS::NUM_INTERP::of(2) |
                                                 SPI_SHADER_GS_OUT_CONFIG_PS::VS_EXPORT_COUNT::of(1));
        drawing.set<SPI_PS_INPUT_CNTL>(0, 0),
            drawing.set<SPI_PS_INPUT_CNTL>(SPI_PS_INPUT_CNTL::OFFSET::of(1) | SPI_PS_INPUT_CNTL::FLAT_SHADE::of(1), 1);
        // (In clip space with the quads' other lanes on meanwhile, as compilers want them for derivatives.)
        const bool wide = lanes() == 64;
        const std::string quads = wide ? "s_mov_b64 s[8:9], exec\ns_wqm_b64 exec, exec\n"
                                       : "s_mov_b32 s8, exec_lo\ns_wqm_b32 exec_lo, exec_lo\n",
                          covered = wide ? "s_mov_b64 exec, s[8:9]\n" : "s_mov_b32 exec_lo, s8\n";
        drawing.assemble(clip ? quads + interpolating + covered + way.program : interpolating + way.program, lanes());
        std::vector<uint8_t> pictures[2];
        uint64_t direct = 0;
        for (bool by_pipeline : {false, true}) {
          pipeline::Canvas canvas(128, 96, way.samples);
          pipeline::MemoryTarget depth(128, 96, 4, way.samples);
          canvas.draw.targets.depth = {.depth = &depth, .depth_bits = 24};
          depth.fill(0xffffff);
          random_triangles(canvas, 60, clip);
          if (way.state) way.state(canvas.draw);
          auto stage = drawing.stage(2, canvas.draw.rasterization);
          ByPipeline other(*stage);
          canvas.draw.pixel_stage = by_pipeline ? static_cast<pipeline::PixelStage*>(&other) : stage.get();
          ASSERT_TRUE(canvas.run(drawing.workers));
          pictures[by_pipeline] = canvas.colour.texels;
          pictures[by_pipeline].insert(pictures[by_pipeline].end(), depth.texels.begin(), depth.texels.end());
          if (!by_pipeline) direct = canvas.counters.pixels_by_path[size_t(pipeline::PixelPath::direct)];
        }
        EXPECT_TRUE(pictures[0] == pictures[1]);
        EXPECT_GT(std::ranges::count_if(pictures[0], [](uint8_t b) { return b != 0; }), 4000);
        EXPECT_GT(direct, 1000u) << "waves write their pixels themselves";
      }
}

// Every other column goes to one of two targets.
TEST_P(PixelExports, TargetsKeepWhatLanesDoNotExport) {
  const bool wide = lanes() == 64;
  constexpr uint32_t background = 0x11111111;
  PixelMachine drawing(engine(), 2);
  drawing.set<SPI_PS_INPUT_ENA>(2 | 1 << 8), drawing.set<SPI_PS_INPUT_ADDR>(2 | 1 << 8);
  drawing.set<SPI_SHADER_COL_FORMAT>(0x99), drawing.set<CB_SHADER_MASK>(0xff);
  drawing.set<SPI_SHADER_GS_OUT_CONFIG_PS>(SPI_SHADER_GS_OUT_CONFIG_PS::NUM_INTERP::of(2) |
                                           SPI_SHADER_GS_OUT_CONFIG_PS::VS_EXPORT_COUNT::of(1));
  drawing.set<SPI_PS_INPUT_CNTL>(0, 0), drawing.set<SPI_PS_INPUT_CNTL>(1, 1);
  const std::string save = wide ? "s_mov_b64 s[8:9], exec\n" : "s_mov_b32 s8, exec_lo\n",
                    back = wide ? "s_mov_b64 exec, s[8:9]\n" : "s_mov_b32 exec_lo, s8\n";
  drawing.assemble("v_cvt_u32_f32_e32 v12, v2\nv_and_b32_e32 v12, 1, v12\n" + interpolating + save +
                       "v_cmpx_eq_u32_e64 v12, 0\nexport mrt0 v8, v9, v10, v11\n" + back +
                       "v_cmpx_eq_u32_e64 v12, 1\nexport mrt1 v8, v9, v10, v11 done\ns_endpgm\n",
                   lanes());
  for (bool by_pipeline : {false, true}) {
    SCOPED_TRACE(by_pipeline);
    pipeline::Canvas canvas(128, 96);
    pipeline::MemoryTarget second(128, 96, 4);
    canvas.draw.targets.colour[1] = {&second, {}, 4, false};
    canvas.colour.fill(background), second.fill(background);
    random_triangles(canvas, 60);
    auto stage = drawing.stage(2, canvas.draw.rasterization);
    ByPipeline other(*stage);
    canvas.draw.pixel_stage = by_pipeline ? static_cast<pipeline::PixelStage*>(&other) : stage.get();
    ASSERT_TRUE(canvas.run(drawing.workers));
    unsigned written = 0;
    for (unsigned y = 0; y < 96; y++)
      for (unsigned x = 0; x < 128; x++) {
        ASSERT_EQ((x & 1 ? canvas.colour : second).word(x, y), background) << x << ", " << y;
        written += (x & 1 ? second : canvas.colour).word(x, y) != background;
      }
    EXPECT_GT(written, 4000u);
  }
}

// Programs of whose waves one may stand for all where attributes are the same everywhere, and those of whose pixels one may; the picture
// then.
TEST_P(PixelExports, BlocksAndPixelsThatAreAlike) {
  enum class Alike { no, blocks, pixels };
  struct Case {
    Alike alike;
    std::string program;
    unsigned lanes = 0;  // 0: of either size
  };
  using enum Alike;
  const std::string pack = "v_cvt_pk_rtz_f16_f32_e32 v8, v8, v9\nv_cvt_pk_rtz_f16_f32_e32 v9, v10, v11\n",
                    end = "export mrt0 v8, v9, off, off done\ns_endpgm\n",
                    broadcast = "v_mov_b32_dpp v8, v4 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf bound_ctrl:1 fi:1\n";
  const Case cases[] = {
      {pixels, interpolating + pack + end},
      {pixels, "s_mov_b64 s[8:9], exec\ns_wqm_b64 exec, exec\n" + interpolating + "s_mov_b64 exec, s[8:9]\n" + pack + end, 64},
      {pixels, "s_mov_b32 s8, exec_lo\ns_wqm_b32 exec_lo, exec_lo\n" + interpolating + "s_mov_b32 exec_lo, s8\n" + pack + end,
       32},
      {pixels, interpolating + "v_dual_mov_b32 v8, v9 :: v_dual_mov_b32 v9, v8\n" + pack + end, 32},
      {blocks, interpolating + "v_dual_mov_b32 v8, v4 :: v_dual_mov_b32 v9, v8\n" + pack + end, 32},
      {pixels, interpolating + broadcast + pack + end},
      {pixels, interpolating + "v_mov_b32_dpp v8, v4 quad_perm:[2,2,2,2] row_mask:0xf bank_mask:0xf fi:1\n" + pack + end},
      {blocks, interpolating + "v_mov_b32_dpp v8, v4 quad_perm:[2,2,2,2] row_mask:0xf bank_mask:0xf\n" + pack + end},
      {blocks, interpolating + "v_mov_b32_dpp v8, v4 quad_perm:[0,1,0,0] row_mask:0xf bank_mask:0xf fi:1\n" + pack + end},
      {blocks, interpolating + "v_mov_b32_dpp v8, v4 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0x7 fi:1\n" + pack + end},
      {blocks, interpolating + "v_mov_b32_dpp v8, v4 row_shr:1 row_mask:0xf bank_mask:0xf\n" + pack + end},
      {blocks, interpolating + "v_mbcnt_lo_u32_b32 v8, -1, 0\nv_cvt_f32_ubyte0_e32 v8, v8\nv_mul_f32_e32 v8, 0x3c800000, v8\n" +
                   pack + end},
      {blocks, interpolating + "v_add_f32_e32 v8, v4, v9\n" + pack + end},
      // A bit a lane, from registers that all waves have alike.
      {blocks,
       interpolating + "s_mov_b32 vcc_lo, 0xffff0000\ns_mov_b32 vcc_hi, 0xffff\nv_cndmask_b32_e32 v8, v8, v9, vcc\n" + pack + end,
       64},
      {blocks, interpolating + "s_mov_b32 vcc_lo, 0xffff0000\nv_cndmask_b32_e32 v8, v8, v9, vcc_lo\n" + pack + end, 32},
      {no, interpolating + "s_mov_b64 vcc, exec\nv_add_co_ci_u32_e32 v8, vcc, v8, v9, vcc\ns_mov_b64 exec, vcc\n" + pack + end,
       64},
      {no,
       interpolating + "s_mov_b32 vcc_lo, exec_lo\nv_add_co_ci_u32_e32 v8, vcc_lo, v8, v9, vcc_lo\ns_mov_b32 exec_lo, vcc_lo\n" +
           pack + end,
       32},
      {no, interpolating + "v_add_f32_e32 v8, v8, v0\n" + pack + end},
      {no, interpolating + "v_dual_mov_b32 v8, v9 :: v_dual_mov_b32 v9, v0\n" + pack + end, 32},
      {no, interpolating + "v_mul_f32_e32 v4, 2.0, v4\nv_interp_p10_f32 v8, v4, v0, v4 wait_exp:0\n" + pack + end},
      {no, interpolating + "s_mov_b64 exec, s[8:9]\n" + pack + end, 64},
      {no, interpolating + "s_mov_b32 exec_lo, s8\n" + pack + end, 32},
      {no, interpolating + "s_mov_b64 s[8:9], exec\ns_mov_b32 s9, 0\ns_mov_b64 exec, s[8:9]\n" + pack + end, 64},
      // Scalar instructions that write beside the mask, and a part of it.
      {pixels,
       interpolating + "s_mov_b64 s[8:9], exec\ns_mov_b32 s7, m0\ns_mov_b64 s[10:11], 0\ns_mov_b64 exec, s[8:9]\n" + pack + end,
       64},
      {no, interpolating + "s_mov_b64 s[8:9], exec\ns_mov_b64 s[6:7], 0\ns_mov_b32 s8, 0\ns_mov_b64 exec, s[8:9]\n" + pack + end,
       64},
      {no, interpolating + "v_cmpx_gt_f32_e64 v8, 0.5\n" + pack + end},
      {no, interpolating + "v_readfirstlane_b32 s4, v0\nv_add_f32_e32 v8, s4, v8\n" + pack + end},
      {no, interpolating + "s_cbranch_scc1 0\n" + pack + end},
  };
  machine.set<SPI_PS_INPUT_ENA>(2), machine.set<SPI_PS_INPUT_ADDR>(2);
  machine.set<SPI_SHADER_COL_FORMAT>(Format::SPI_SHADER_FP16_ABGR);
  machine.set<SPI_SHADER_GS_OUT_CONFIG_PS>(SPI_SHADER_GS_OUT_CONFIG_PS::NUM_INTERP::of(2));
  machine.set<SPI_PS_INPUT_CNTL>(SPI_PS_INPUT_CNTL::OFFSET::of(1), 1);
  for (const Case& c : cases) {
    if (c.lanes && c.lanes != lanes()) continue;
    SCOPED_TRACE(c.program);
    machine.assemble(c.program, lanes());
    auto shader = machine.context->shaders->find(ProgramKey{.address = code_page, .lanes = uint8_t(lanes()), .exports = true});
    ASSERT_TRUE(shader);
    const Likeness like = (*shader)->likeness(std::array{0u, 1u});
    EXPECT_EQ(like.by_lane, c.alike != no);
    EXPECT_EQ(like.everywhere, c.alike == pixels);
    // (What some of them leave depends on which pixels share a wave.)
    const bool tells_lanes = std::ranges::any_of(std::array{"v_mbcnt", "v_cndmask", "row_shr", "bank_mask:0x7"},
                                                 [&](const char* part) { return c.program.find(part) != std::string::npos; });
    if (!like.by_lane || tells_lanes) continue;
    // By the waves themselves and by the pipeline; and the first triangles' rectangle alone, where it may be filled.
    for (bool rectangle : {false, true}) {
      if (rectangle ? !like.everywhere : lanes() == 32) continue;  // whole blocks go to waves of 64 lanes
      std::vector<uint8_t> pictures[2];
      for (bool other_way : {false, true}) {
        pipeline::Canvas canvas(128, 96);
        canvas.vertices.count = 2;
        const std::vector<float> same{0.25f, 0.5f, 0.75f, 1, 0.3f, 0.6f, 0.1f, 0.9f};
        auto stage = machine.stage(2);
        ByPipeline by_pipeline(*stage);
        canvas.draw.pixel_stage = stage.get();
        if (rectangle) {
          canvas.draw.assembly.topology = pipeline::Topology::quads;
          for (const auto& [x, y] : {std::pair{3.0f, 5.0f}, {100.0f, 5.0f}, {100.0f, 90.0f}, {3.0f, 90.0f}})
            canvas.vertices.add(x, y, 0, 1, same);
          canvas.draw.uniform_pixels = other_way;
        } else {
          for (const auto& [x, y] :
               {std::pair{3.0f, 5.0f}, {200.0f, 20.0f}, {10.0f, 150.0f}, {0.0f, 0.0f}, {90.0f, 7.0f}, {60.0f, 80.0f}})
            canvas.vertices.add(x, y, 0, 1, same);
          for (const auto& [x, y] : {std::pair{70.0f, 5.0f}, {128.0f, 9.0f}, {100.0f, 90.0f}})
            canvas.vertices.add(x, y, 0, 1, {x / 128, y / 128, 0.75f, 1, 0.3f, 0.6f, 0.1f, y / 128});
          if (other_way) canvas.draw.pixel_stage = &by_pipeline;
        }
        ASSERT_TRUE(canvas.run(machine.workers));
        pictures[other_way] = canvas.colour.texels;
      }
      EXPECT_TRUE(pictures[0] == pictures[1]) << (rectangle ? "a rectangle" : "");
    }
  }
}

}  // namespace
}  // namespace Atoll::gfx12::test
