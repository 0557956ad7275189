// Scenes of GFX12: several samples, depth and masks out of the program, eight targets, levels and layers, lines' ends.
#include <cstring>

#include "gfx12_build.h"

namespace Atoll::ledger {

namespace {

using Type = VGT_PRIMITIVE_TYPE::PRIM_TYPE;
using Lines = Gfx12Scene::Lines;

constexpr uint32_t sample_places[] = {PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0::address(),
                                      PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0::address()};

void count_samples(Packets& w) {
  using Counts = DB_COUNT_CONTROL;
  w.set(Counts::address(), Counts::ZPASS_ENABLE::of(1) | Counts::SLICE_EVEN_ENABLE::of(1) | Counts::SLICE_ODD_ENABLE::of(1));
}

// A program that exports what it interpolates at the sample, centre and centroid, and stores what it is given.
std::unique_ptr<Scene> samples(const std::string& name, unsigned raster_log, bool target) {
  auto s = std::make_unique<Gfx12DrawScene>(name);
  const uint64_t dump = s->take(s->dump_bytes), big = s->take(64 * 64 * 4 * 8, 0x10000);
  uint64_t vertex = s->table_program();
  auto in = [](unsigned to, unsigned attribute, char channel, unsigned i) {
    return Gfx12DrawScene::interpolated(to, attribute, channel, i);
  };
  // All inputs: v0 to v5 perspective at sample, centre, centroid, v13 linear centroid, v15 x.
  uint64_t pixel = s->program(s->dump_lines(dump, 26, 4) + Lines{"s_mov_b32 m0, s4"} + in(26, 0, 'x', 0) + in(27, 1, 'x', 2) +
                              in(28, 1, 'y', 4) + in(29, 1, 'y', 13) +
                              Lines{"v_mul_f32_e32 v30, 4.0, v26", "v_mov_b32_e32 v31, 5", "export mrtz off, off, v31, off",
                                    "v_add_f32_e32 v28, v28, v29", "v_fract_f32_e32 v16, v16", "v_add_f32_e32 v27, v27, v16",
                                    "export mrt0 v26, v27, v28, v30 done", "s_endpgm"});
  s->vertices(two_triangles());
  s->begin(vertex, pixel);
  Packets& w = s->stream;
  w.set(SPI_PS_INPUT_ENA::address(), {0xff7f, 0xff7f});
  s->one_target();
  using Config = PA_SC_AA_CONFIG;
  w.set(Config::address(), Config::MSAA_NUM_SAMPLES::of(raster_log) | Config::MSAA_EXPOSED_SAMPLES::of(raster_log));
  w.set(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::MSAA_ENABLE::of(1));
  for (uint32_t n = 0; n < 4; n++)
    for (uint32_t address : sample_places) w.set(address + n * 4, 0xae62e26a + n * 0x11111111);
  w.set(PA_SC_CENTROID_PRIORITY_0::address(), 0x76543210).set(PA_SC_CENTROID_PRIORITY_1::address(), 0xfedcba98);
  count_samples(w);
  using Eqaa = DB_EQAA;
  if (target) {
    s->bind_colour(0, big, CB_COLOR_INFO::FORMAT::COLOR_8_8_8_8, 0, width, height, raster_log, 2);
    w.set(Eqaa::address(), Eqaa::MASK_EXPORT_NUM_SAMPLES::of(2) | Eqaa::ALPHA_TO_MASK_NUM_SAMPLES::of(2));
    s->draw(Type::DI_PT_TRILIST, 6);
    w.set(DB_ALPHA_TO_MASK::address(), 0x1e401);
    s->draw(Type::DI_PT_TRILIST, 3);
    w.set(DB_ALPHA_TO_MASK::address(), 0).set(PA_SC_MODE_CNTL_1::address(), PA_SC_MODE_CNTL_1::PS_ITER_SAMPLE::of(1));
    w.set(Config::address(), Config::MSAA_NUM_SAMPLES::of(raster_log) | Config::MSAA_EXPOSED_SAMPLES::of(raster_log) |
                                 Config::PS_ITER_SAMPLES::of(2));
    s->draw(Type::DI_PT_TRILIST, 3);
    s->draw(Type::DI_PT_LINESTRIP, 4);
    // Fewer samples in the target than places, and a mask of fewer from the program.
    s->bind_colour(0, s->colour, CB_COLOR_INFO::FORMAT::COLOR_8_8_8_8, 0);
    w.set(Eqaa::address(), Eqaa::OVERRASTERIZATION_AMOUNT::of(2) | Eqaa::MASK_EXPORT_NUM_SAMPLES::of(2));
    s->draw(Type::DI_PT_TRILIST, 6);
    s->bind_colour(0, big, CB_COLOR_INFO::FORMAT::COLOR_8_8_8_8, 0, width, height, raster_log, 2);
    w.set(DB_SHADER_CONTROL::address(), DB_SHADER_CONTROL::MASK_EXPORT_ENABLE::of(1));
    w.set(SPI_SHADER_Z_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
    s->draw(Type::DI_PT_TRILIST, 6);
  } else {
    w.set(CB_TARGET_MASK::address(), 0).set(Eqaa::address(), Eqaa::MASK_EXPORT_NUM_SAMPLES::of(raster_log));
    w.set(DB_SHADER_CONTROL::address(), DB_SHADER_CONTROL::EXEC_ON_NOOP::of(1) | DB_SHADER_CONTROL::EXEC_ON_HIER_FAIL::of(1));
    s->draw(Type::DI_PT_TRILIST, 6);
  }
  s->counters();
  s->blocks = {"PA", "SC", "SPI", "DB", "CB"};
  s->finish();
  return s;
}

// Lines that end on the edges of diamonds, and a pattern that goes on from draw to draw.
std::unique_ptr<Scene> line_ends() {
  auto s = std::make_unique<Gfx12DrawScene>("ends and patterns of lines");
  uint64_t vertex = s->table_program(), pixel = s->plain_pixel();
  auto at_pixel = [](float x, float y) {
    Vertex v;
    v.position[0] = x / (width / 2) - 1, v.position[1] = y / (height / 2) - 1;
    return v;
  };
  s->vertices({at_pixel(3.75f, 1.75f), at_pixel(9.5f, 1.75f), at_pixel(20.5f, 3.75f), at_pixel(45.75f, 3.75f)});
  s->begin(vertex, pixel);
  Packets& w = s->stream;
  w.set(PA_SC_LINE_CNTL::address(), 0).set(PA_SU_LINE_CNTL::address(), 8).set(PA_CL_VS_OUT_CNTL::address(), 0);
  s->draw(Type::DI_PT_LINELIST, 4);
  w.set(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::LINE_STIPPLE_ENABLE::of(1));
  w.set(PA_SC_LINE_STIPPLE::address(), 0x1333 | PA_SC_LINE_STIPPLE::REPEAT_COUNT::of(1));
  w.set(PA_CL_VPORT_YOFFSET::address(0), number(height / 2 + 4));
  for (unsigned n = 0; n < 2; n++) s->draw(Type::DI_PT_LINELIST, 4);
  // The coordinate along lines as a colour: without width, around them, as outlines.
  uint64_t coordinate =
      s->program({"v_mul_f32_e32 v0, 0x3b808081, v0", "v_mov_b32_e32 v1, 1.0", "export mrt0 v0, v1, v1, v1 done", "s_endpgm"});
  s->pixel_program(coordinate);
  w.set(SPI_PS_INPUT_ENA::address(), {1 << 7, 1 << 7});
  s->one_target();
  w.set(PA_SC_MODE_CNTL_0::address(), 0);
  w.set(PA_SU_LINE_STIPPLE_SCALE::address(), number(4)).set(PA_CL_VPORT_YOFFSET::address(0), number(height / 2 + 6));
  s->draw(Type::DI_PT_LINELIST, 4);
  w.set(PA_SC_LINE_CNTL::address(), PA_SC_LINE_CNTL::PERPENDICULAR_ENDCAP_ENA::of(1));
  w.set(PA_CL_VPORT_YOFFSET::address(0), number(height / 2 + 9));
  s->draw(Type::DI_PT_LINESTRIP, 4);
  w.set(PA_CL_VPORT_YOFFSET::address(0), number(height / 2 + 12)).set(PA_SU_LINE_STIPPLE_CNTL::address(), 3);
  using Mode = PA_SU_SC_MODE_CNTL;
  w.set(Mode::address(), Mode::POLY_MODE::of(1) | Mode::POLYMODE_FRONT_PTYPE::of(1) | Mode::POLYMODE_BACK_PTYPE::of(1));
  s->draw(Type::DI_PT_TRILIST, 3);
  s->blocks = {"PA", "SC", "SPI"};
  s->finish();
  return s;
}

// The coverage as a colour, of fewer samples than there are.
std::unique_ptr<Scene> sample_places_seen() {
  auto s = std::make_unique<Gfx12DrawScene>("samples that the program does not see");
  const uint64_t big = s->take(64 * 64 * 4 * 4, 0x10000);
  uint64_t vertex = s->table_program();
  uint64_t seen = s->program({"v_cvt_f32_u32_e32 v1, v0", "v_mul_f32_e32 v1, 0x3b808081, v1", "v_mov_b32_e32 v2, 1.0",
                              "export mrt0 v1, v1, v1, v2 done", "s_endpgm"});
  s->vertices(two_triangles());
  s->begin(vertex, seen);
  Packets& w = s->stream;
  w.set(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::MSAA_ENABLE::of(1));
  for (uint32_t address : sample_places) w.set(address, 0xae62e26a);
  w.set(SPI_PS_INPUT_ENA::address(), {1 << 14, 1 << 14});
  s->one_target();
  s->bind_colour(0, big, CB_COLOR_INFO::FORMAT::COLOR_8_8_8_8, 0, width, height, 2, 2);
  using Config = PA_SC_AA_CONFIG;
  w.set(Config::address(), Config::MSAA_NUM_SAMPLES::of(2) | Config::MSAA_EXPOSED_SAMPLES::of(1));
  w.set(PA_SC_AA_MASK_X0Y0_X1Y0::address(), {0x90009, 0x80008});
  s->draw(Type::DI_PT_TRILIST, 6);
  s->blocks = {"PA", "SC"};
  s->finish();
  return s;
}

// Depth of four samples, of layers and levels, read only.
std::unique_ptr<Scene> depth_surfaces() {
  auto s = std::make_unique<Gfx12DrawScene>("depth of several samples, layers and levels");
  const uint64_t plane = s->take(0x40000, 0x10000), stencil = s->take(0x10000, 0x10000);
  for (uint32_t n = 0; n < 0x10000; n++) s->words(plane)[n] = number(float(n % 89) / 89);
  uint64_t vertex = s->table_program(), pixel = s->plain_pixel();
  s->vertices(two_triangles());
  s->begin(vertex, pixel);
  Packets& w = s->stream;
  using Z = DB_Z_INFO;
  using S = DB_STENCIL_INFO;
  w.set(Z::address(), Z::FORMAT::of(3) | Z::NUM_SAMPLES::of(2) | Z::SW_MODE::of(2));
  w.set(S::address(), S::FORMAT::of(1) | S::SW_MODE::of(2)).set(DB_DEPTH_SIZE_XY::address(), 63 | 63 << 16);
  for (uint32_t base : {DB_Z_READ_BASE::address(), DB_Z_WRITE_BASE::address()})
    w.set(base, {uint32_t(plane >> 8), uint32_t(plane >> 40)});
  for (uint32_t base : {DB_STENCIL_READ_BASE::address(), DB_STENCIL_WRITE_BASE::address()})
    w.set(base, {uint32_t(stencil >> 8), uint32_t(stencil >> 40)});
  w.set(PA_SC_AA_CONFIG::address(), PA_SC_AA_CONFIG::MSAA_NUM_SAMPLES::of(2)).set(PA_SC_MODE_CNTL_0::address(), 1);
  for (uint32_t address : sample_places) w.set(address, 0xae62e26a);
  w.set(CB_TARGET_MASK::address(), 0);
  using Control = DB_DEPTH_CONTROL;
  w.set(Control::address(), Control::STENCIL_ENABLE::of(1) | Control::Z_ENABLE::of(1) | Control::Z_WRITE_ENABLE::of(1) |
                                Control::ZFUNC::of(CompareFrag::FRAG_GREATER) | Control::STENCILFUNC::of(7));
  w.set(DB_STENCIL_CONTROL::address(), DB_STENCIL_CONTROL::STENCILZPASS::of(5));
  w.set(DB_STENCIL_WRITE_MASK::address(), 0xffff).set(DB_STENCIL_OPVAL::address(), 0x0101);
  s->draw(Type::DI_PT_TRILIST, 6);
  // One sample, three layers, the second level of a chain.
  w.set(PA_SC_AA_CONFIG::address(), 0).set(PA_SC_MODE_CNTL_0::address(), 0);
  w.set(Z::address(), Z::FORMAT::of(3) | Z::SW_MODE::of(2) | Z::MAXMIP::of(2))
      .set(DB_DEPTH_VIEW1::address(), DB_DEPTH_VIEW1::MIPID::of(1));
  w.set(DB_DEPTH_VIEW::address(), DB_DEPTH_VIEW::SLICE_MAX::of(2));
  using Out = PA_CL_VS_OUT_CNTL;
  w.set(Out::address(), Out::VS_OUT_MISC_VEC_ENA::of(1) | Out::USE_VTX_RENDER_TARGET_INDX::of(1));
  w.set(SPI_SHADER_POS_FORMAT::address(), 0x44);
  s->draw(Type::DI_PT_TRILIST, 6);
  s->blocks = {"DB"};
  s->finish();
  return s;
}

// Depth, stencil and masks out of the program, programs that kill, when the tests are.
std::unique_ptr<Scene> exported_depth() {
  auto s = std::make_unique<Gfx12DrawScene>("depth and masks out of the program");
  uint64_t vertex = s->table_program();
  const uint64_t count = s->take(256);
  uint64_t pixel = s->program(Lines{
      "s_mov_b32 s10, " + literal(uint32_t(count)), "s_mov_b32 s11, " + literal(uint32_t(count >> 32)), "v_mov_b32_e32 v20, 0",
      "v_mov_b32_e32 v22, 1", "global_atomic_add_u32 v20, v22, s[10:11]", "v_mul_f32_e32 v10, 0x3c800000, v2",
      "v_cvt_u32_f32_e32 v11, v3", "v_cvt_u32_f32_e32 v12, v2", "v_cmpx_ne_u32_e32 7, v12", "export mrtz v10, v11, v12, off",
      "v_mov_b32_e32 v13, 1.0", "export mrt0 v10, v13, v10, v10 done", "s_endpgm"});
  s->vertices(two_triangles());
  s->begin(vertex, pixel);
  Packets& w = s->stream;
  s->bind_depth();
  s->one_target();
  w.set(SPI_SHADER_Z_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
  using Control = DB_DEPTH_CONTROL;
  w.set(Control::address(), Control::STENCIL_ENABLE::of(1) | Control::Z_ENABLE::of(1) | Control::Z_WRITE_ENABLE::of(1) |
                                Control::ZFUNC::of(CompareFrag::FRAG_LESS) | Control::STENCILFUNC::of(6));
  w.set(DB_STENCIL_CONTROL::address(), DB_STENCIL_CONTROL::STENCILZPASS::of(3)).set(DB_STENCIL_REF::address(), 0x0202);
  w.set(DB_STENCIL_READ_MASK::address(), 0xffff)
      .set(DB_STENCIL_WRITE_MASK::address(), 0xffff)
      .set(DB_STENCIL_OPVAL::address(), 0x0101);
  count_samples(w);
  using Shader = DB_SHADER_CONTROL;
  w.set(Shader::address(), Shader::Z_EXPORT_ENABLE::of(1) | Shader::STENCIL_TEST_VAL_EXPORT_ENABLE::of(1) |
                               Shader::MASK_EXPORT_ENABLE::of(1) | Shader::KILL_ENABLE::of(1));
  s->draw(Type::DI_PT_TRILIST, 3);
  w.set(Shader::address(), Shader::Z_ORDER::of(1) | Shader::KILL_ENABLE::of(1));
  s->draw(Type::DI_PT_TRILIST, 6);
  w.set(Shader::address(), Shader::Z_ORDER::of(1));
  s->draw(Type::DI_PT_TRILIST, 6);
  // Packed halves.
  uint64_t packed = s->program({"v_cvt_u32_f32_e32 v11, v3", "v_lshlrev_b32_e32 v12, 16, v11", "v_mov_b32_e32 v13, 1.0",
                                "export mrtz v12, v11, off, off", "export mrt0 v13, v13, v13, v13 done", "s_endpgm"});
  s->pixel_program(packed);
  w.set(SPI_SHADER_Z_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_UINT16_ABGR);
  w.set(Shader::address(), Shader::STENCIL_TEST_VAL_EXPORT_ENABLE::of(1) | Shader::MASK_EXPORT_ENABLE::of(1));
  s->draw(Type::DI_PT_TRILIST, 6);
  s->pixel_program(pixel);
  w.set(SPI_SHADER_Z_FORMAT::address(), 0);
  // The coverage as alpha, and the other way round.
  w.set(DB_ALPHA_TO_MASK::address(), 0x1aa01).set(Shader::address(), 0);
  s->draw(Type::DI_PT_TRILIST, 6);
  w.set(DB_ALPHA_TO_MASK::address(), 0).set(Shader::address(), Shader::COVERAGE_TO_MASK_ENABLE::of(1));
  s->draw(Type::DI_PT_TRILIST, 6);
  s->counters();
  s->blocks = {"DB", "SPI"};
  s->finish();
  return s;
}

std::unique_ptr<Scene> eight_targets() {
  auto s = std::make_unique<Gfx12DrawScene>("eight targets, logic operations");
  uint64_t vertex = s->table_program();
  Lines lines = {"v_mul_f32_e32 v10, 0x3c800000, v2", "v_mul_f32_e32 v11, 0x3d800000, v3", "v_mov_b32_e32 v12, 0.5",
                 "v_mov_b32_e32 v13, 1.0"};
  for (unsigned n = 0; n < 8; n++)
    lines.push_back("export mrt" + std::to_string(n) + " v10, v11, v12, v13" + (n == 7 ? " done" : ""));
  uint64_t pixel = s->program(lines + Lines{"s_endpgm"});
  const uint64_t targets = s->take(width * height * 4 * 8), chain = s->take(0x20000, 0x10000);
  for (unsigned n = 0; n < width * height * 8; n++) s->words(targets)[n] = n * 0x01030507;
  s->vertices(two_triangles());
  s->begin(vertex, pixel);
  Packets& w = s->stream;
  w.set(SPI_SHADER_COL_FORMAT::address(), 0x99999999).set(CB_SHADER_MASK::address(), ~0u).set(CB_TARGET_MASK::address(), ~0u);
  for (unsigned n = 0; n < 8; n++) s->bind_colour(n, targets + n * width * height * 4, CB_COLOR_INFO::FORMAT::COLOR_8_8_8_8, 0);
  s->draw(Type::DI_PT_TRILIST, 6);
  w.set(CB_COLOR_CONTROL::address(), CB_COLOR_CONTROL::MODE::of(1) | CB_COLOR_CONTROL::ROP3::of(0x66));
  s->draw(Type::DI_PT_TRILIST, 6);
  // Layers of target 0, on the second level of a chain.
  w.set(CB_COLOR_CONTROL::address(), CB_COLOR_CONTROL::MODE::of(1) | CB_COLOR_CONTROL::ROP3::of(0xcc));
  s->bind_colour(0, chain, CB_COLOR_INFO::FORMAT::COLOR_8_8_8_8, 0, 2 * width, 2 * height, 0, 2);
  using Attributes = CB_COLOR_ATTRIB3;
  w.set(Attributes::address(0), Attributes::COLOR_SW_MODE::of(2) | Attributes::RESOURCE_TYPE::of(1) | Attributes::MAX_MIP::of(2) |
                                    Attributes::MIP0_DEPTH::of(3));
  w.set(CB_COLOR_VIEW2::address(0), 1).set(CB_TARGET_MASK::address(), 15);
  w.set(CB_COLOR_VIEW::address(0), CB_COLOR_VIEW::SLICE_MAX::of(2));
  using Out = PA_CL_VS_OUT_CNTL;
  w.set(Out::address(), Out::VS_OUT_MISC_VEC_ENA::of(1) | Out::USE_VTX_RENDER_TARGET_INDX::of(1));
  w.set(SPI_SHADER_POS_FORMAT::address(), 0x44);
  s->draw(Type::DI_PT_TRILIST, 6);
  s->blocks = {"CB", "SPI", "PA"};
  s->finish();
  return s;
}

// Two sources, whole numbers, inputs as halves.
std::unique_ptr<Scene> halves_and_numbers() {
  auto s = std::make_unique<Gfx12DrawScene>("inputs as halves, whole numbers, two sources");
  uint64_t vertex = s->table_program();
  uint64_t pixel =
      s->program({"s_mov_b32 m0, s4", "ds_param_load v50, attr0.x wait_va_vdst:0 wait_vm_vsrc:0",
                  "v_interp_p10_f16_f32 v10, v50, v0, v50 wait_exp:0", "v_interp_p2_f16_f32 v10, v50, v1, v10 wait_exp:7",
                  "v_interp_p10_f16_f32 v11, v50, v0, v50 op_sel:[1,0,1,0] wait_exp:0",
                  "v_interp_p2_f16_f32 v11, v50, v1, v11 op_sel:[1,0,0,0] wait_exp:7", "v_cvt_f32_f16_e32 v12, v10",
                  "v_cvt_f32_f16_e32 v13, v11", "v_mov_b32_e32 v14, 1.0", "export mrt0 v12, v13, v12, v14",
                  "export mrt1 v13, v12, v14, v14 done", "s_endpgm"});
  s->vertices(triangles());
  s->begin(vertex, pixel);
  Packets& w = s->stream;
  w.set(SPI_SHADER_COL_FORMAT::address(), 0x99);
  using Input = SPI_PS_INPUT_CNTL;
  w.set(SPI_INTERP_CONTROL_0::address(),
        1 | SPI_INTERP_CONTROL_0::PNT_SPRITE_ENA::of(1) | SPI_INTERP_CONTROL_0::PNT_SPRITE_OVRD_X::of(2));
  w.set(Input::address(0), Input::FP16_INTERP_MODE::of(1) | Input::ATTR0_VALID::of(1) | Input::ATTR1_VALID::of(1));
  s->draw(Type::DI_PT_TRILIST, 6);
  w.set(Input::address(0), Input::FP16_INTERP_MODE::of(1) | Input::ATTR0_VALID::of(1) | Input::ATTR1_VALID::of(1) |
                               Input::USE_DEFAULT_ATTR1::of(1) | Input::PT_SPRITE_TEX_ATTR1::of(1));
  s->draw(Type::DI_PT_TRILIST, 6);
  s->draw(Type::DI_PT_POINTLIST, 6);
  s->blocks = {"SPI"};
  s->finish();
  return s;
}

}  // namespace

void add_sample_scenes(Gfx12Scenes& all) {
  all.push_back(samples("four samples", 2, true));
  all.push_back(samples("eight samples without targets", 3, false));
  all.push_back(line_ends());
  all.push_back(sample_places_seen());
  all.push_back(depth_surfaces());
  all.push_back(exported_depth());
  all.push_back(eight_targets());
  all.push_back(halves_and_numbers());
}

}  // namespace Atoll::ledger
