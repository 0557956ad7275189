// Scenes of several samples, metadata of surfaces, copies and clears of depth, exports of depth, eight targets.
#include <cstring>

#include "sea_islands_build.h"

namespace Atoll::ledger {

namespace {

using Type = VGT_PRIMITIVE_TYPE::PRIM_TYPE;
using Lines = std::vector<std::string>;

// A program that exports what it interpolates at the sample, centre and centroid, and stores what it is given.
std::unique_ptr<Scene> samples(const std::string& name, unsigned raster_log, bool target) {
  auto s = std::make_unique<DrawScene>(name);
  const uint64_t dump = s->take(dump_bytes), big = s->take(64 * 64 * 4 * 4, 4096), resolved = s->take(64 * 64 * 4, 4096);
  uint64_t vertex = s->table_program();
  // All inputs: v22 the coverage, v21 the ancillary word, v0 to v5 perspective at sample, centre, centroid.
  uint64_t pixel = s->program(
      dump_lines(dump, 24, 4) +
      Lines{"s_mov_b32 m0, s0", "v_interp_p1_f32 v26, v0, attr0.x", "v_interp_p2_f32 v26, v1, attr0.x",
            "v_interp_p1_f32 v27, v2, attr1.x", "v_interp_p2_f32 v27, v3, attr1.x", "v_interp_p1_f32 v28, v4, attr1.y",
            "v_interp_p2_f32 v28, v5, attr1.y", "v_interp_p1_f32 v29, v13, attr1.y", "v_interp_p2_f32 v29, v14, attr1.y",
            "v_mul_f32 v30, 4.0, v26", "v_mov_b32 v31, 5", "exp mrtz off, off, v31, off", "v_add_f32 v28, v28, v29",
            "v_fract_f32 v15, v15", "v_add_f32 v27, v27, v15", "exp mrt0 v26, v27, v28, v30 done vm", "s_endpgm"});
  s->vertices(two_triangles());
  s->begin(vertex, pixel);
  Packets& w = s->stream;
  w.set(SPI_PS_INPUT_ENA::address(), {0xff7f, 0xff7f})
      .set(SPI_SHADER_COL_FORMAT::address(), 9)
      .set(CB_SHADER_MASK::address(), 15);
  w.set(PA_SC_AA_CONFIG::address(), PA_SC_AA_CONFIG::MSAA_NUM_SAMPLES::of(raster_log) |
                                        PA_SC_AA_CONFIG::MSAA_EXPOSED_SAMPLES::of(raster_log) |
                                        PA_SC_AA_CONFIG::MAX_SAMPLE_DIST::of(6));
  w.set(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::MSAA_ENABLE::of(1));
  for (uint32_t n = 0; n < 4; n++)
    for (uint32_t address : {PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0::address(),
                             PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0::address()})
      w.set(address + n * 4, 0xae62e26a + n * 0x11111111);
  w.set(PA_SC_AA_MASK_X0Y0_X1Y0::address(), {~0u, ~0u});
  w.set(DB_COUNT_CONTROL::address(), DB_COUNT_CONTROL::ZPASS_ENABLE::of(1) | DB_COUNT_CONTROL::SLICE_EVEN_ENABLE::of(1) |
                                         DB_COUNT_CONTROL::SLICE_ODD_ENABLE::of(1));
  if (target) {
    w.set(CB_COLOR_BASE::address(0), uint32_t(big >> 8)).set(CB_COLOR_PITCH::address(0), 7).set(CB_COLOR_SLICE::address(0), 63);
    w.set(CB_COLOR_ATTRIB::address(0),
          CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(14) | CB_COLOR_ATTRIB::NUM_SAMPLES::of(2) | CB_COLOR_ATTRIB::NUM_FRAGMENTS::of(2));
    w.set(DB_EQAA::address(), DB_EQAA::MAX_ANCHOR_SAMPLES::of(2) | DB_EQAA::MASK_EXPORT_NUM_SAMPLES::of(2) |
                                  DB_EQAA::ALPHA_TO_MASK_NUM_SAMPLES::of(2));
    s->draw(Type::DI_PT_TRILIST, 6);
    w.set(DB_ALPHA_TO_MASK::address(), 0x1e401);
    s->draw(Type::DI_PT_TRILIST, 3);
    w.set(DB_ALPHA_TO_MASK::address(), 0).set(PA_SC_MODE_CNTL_1::address(), PA_SC_MODE_CNTL_1::PS_ITER_SAMPLE::of(1));
    w.set(DB_EQAA::address(), DB_EQAA::PS_ITER_SAMPLES::of(2));
    s->draw(Type::DI_PT_TRILIST, 3);
    w.set(PA_SU_LINE_CNTL::address(), 16).set(PA_SC_LINE_CNTL::address(), 0);
    s->draw(Type::DI_PT_LINESTRIP, 4);
    // Fewer samples in the target than places, and a mask of fewer from the program.
    w.set(CB_COLOR_BASE::address(0), uint32_t(s->colour >> 8)).set(CB_COLOR_SLICE::address(0), width * height / 64 - 1);
    w.set(CB_COLOR_ATTRIB::address(0), CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(8));
    w.set(DB_EQAA::address(),
          DB_EQAA::OVERRASTERIZATION_AMOUNT::of(2) | DB_EQAA::MASK_EXPORT_NUM_SAMPLES::of(2) | DB_EQAA::PS_ITER_SAMPLES::of(2));
    s->draw(Type::DI_PT_TRILIST, 6);
    w.set(CB_COLOR_BASE::address(0), uint32_t(big >> 8)).set(CB_COLOR_SLICE::address(0), 63);
    w.set(CB_COLOR_ATTRIB::address(0),
          CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(14) | CB_COLOR_ATTRIB::NUM_SAMPLES::of(2) | CB_COLOR_ATTRIB::NUM_FRAGMENTS::of(2));
    w.set(DB_SHADER_CONTROL::address(), DB_SHADER_CONTROL::MASK_EXPORT_ENABLE::of(1)).set(SPI_SHADER_Z_FORMAT::address(), 9);
    s->draw(Type::DI_PT_TRILIST, 6);
    w.set(DB_SHADER_CONTROL::address(), 0);
    // The resolve.
    w.set(CB_COLOR_CONTROL::address(), CB_COLOR_CONTROL::MODE::of(3) | CB_COLOR_CONTROL::ROP3::of(0xcc));
    w.set(CB_COLOR_BASE::address(1), uint32_t(resolved >> 8))
        .set(CB_COLOR_PITCH::address(1), 7)
        .set(CB_COLOR_SLICE::address(1), 63);
    w.set(CB_COLOR_INFO::address(1), CB_COLOR_INFO::FORMAT::of(CB_COLOR_INFO::FORMAT::COLOR_8_8_8_8));
    w.set(CB_COLOR_ATTRIB::address(1), CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(14));
    s->draw(Type::DI_PT_RECTLIST, 3);
  } else {
    w.set(CB_TARGET_MASK::address(), 0);
    w.set(DB_SHADER_CONTROL::address(), DB_SHADER_CONTROL::EXEC_ON_NOOP::of(1) | DB_SHADER_CONTROL::EXEC_ON_HIER_FAIL::of(1));
    s->draw(Type::DI_PT_TRILIST, 6);
  }
  s->counters();
  s->blocks = {"PA", "SC", "SPI", "DB", "CB"};
  s->finish();
  return s;
}

// A fast clear with CMASK, and FMASK of several samples.
std::unique_ptr<Scene> colour_metadata() {
  auto s = std::make_unique<DrawScene>("metadata of colour buffers");
  const uint64_t cmask = s->take(4096, 4096), fmask = s->take(0x10000, 4096), big = s->take(64 * 64 * 4 * 4, 4096),
                 small = s->take(64 * 64 * 8, 4096);
  uint64_t vertex = s->table_program(), pixel = s->plain_pixel();
  s->vertices(two_triangles());
  s->begin(vertex, pixel);
  Packets& w = s->stream;
  w.set(CB_SHADER_MASK::address(), 15).set(CB_TARGET_MASK::address(), 15);
  w.set(CB_COLOR_BASE::address(0), uint32_t(small >> 8)).set(CB_COLOR_PITCH::address(0), 7).set(CB_COLOR_SLICE::address(0), 63);
  w.set(CB_COLOR_INFO::address(0), CB_COLOR_INFO::FORMAT::of(CB_COLOR_INFO::FORMAT::COLOR_16_16_16_16) |
                                       CB_COLOR_INFO::NUMBER_TYPE::of(7) | CB_COLOR_INFO::FAST_CLEAR::of(1));
  w.set(CB_COLOR_ATTRIB::address(0), CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(13));
  w.set(CB_COLOR_CMASK::address(0), {uint32_t(cmask >> 8), 0});
  w.set(CB_COLOR_CLEAR_WORD0::address(0), {0x38003c00, 0x3c003400});
  s->draw(Type::DI_PT_TRILIST, 3);
  w.set(CB_COLOR_CONTROL::address(), CB_COLOR_CONTROL::MODE::of(2) | CB_COLOR_CONTROL::ROP3::of(0xcc));
  s->draw(Type::DI_PT_RECTLIST, 3);
  w.set(CB_COLOR_CONTROL::address(), CB_COLOR_CONTROL::MODE::of(1) | CB_COLOR_CONTROL::ROP3::of(0xcc));
  // Four samples, compressed.
  w.set(CB_COLOR_BASE::address(0), uint32_t(big >> 8));
  w.set(CB_COLOR_INFO::address(0), CB_COLOR_INFO::FORMAT::of(CB_COLOR_INFO::FORMAT::COLOR_8_8_8_8) |
                                       CB_COLOR_INFO::FAST_CLEAR::of(1) | CB_COLOR_INFO::COMPRESSION::of(1));
  w.set(CB_COLOR_ATTRIB::address(0), CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(14) | CB_COLOR_ATTRIB::NUM_SAMPLES::of(2) |
                                         CB_COLOR_ATTRIB::NUM_FRAGMENTS::of(2) | CB_COLOR_ATTRIB::FMASK_TILE_MODE_INDEX::of(14));
  w.set(CB_COLOR_FMASK::address(0), {uint32_t(fmask >> 8), 63}).set(CB_COLOR_CMASK::address(0), uint32_t((cmask + 2048) >> 8));
  w.set(PA_SC_AA_CONFIG::address(), PA_SC_AA_CONFIG::MSAA_NUM_SAMPLES::of(2)).set(PA_SC_MODE_CNTL_0::address(), 1);
  w.set(PA_SC_AA_MASK_X0Y0_X1Y0::address(), {~0u, ~0u});
  s->draw(Type::DI_PT_TRILIST, 6);
  w.set(CB_COLOR_CONTROL::address(), CB_COLOR_CONTROL::MODE::of(5) | CB_COLOR_CONTROL::ROP3::of(0xcc));
  s->draw(Type::DI_PT_RECTLIST, 3);
  // Another FMASK, which no pass decompresses.
  w.set(CB_COLOR_CONTROL::address(), CB_COLOR_CONTROL::MODE::of(1) | CB_COLOR_CONTROL::ROP3::of(0xcc));
  w.set(CB_COLOR_FMASK::address(0), uint32_t((fmask + 0x8000) >> 8));
  w.set(CB_COLOR_PITCH::address(0), CB_COLOR_PITCH::TILE_MAX::of(7) | CB_COLOR_PITCH::FMASK_TILE_MAX::of(7));
  w.set(CB_COLOR_ATTRIB::address(0), CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(14) | CB_COLOR_ATTRIB::NUM_SAMPLES::of(2) |
                                         CB_COLOR_ATTRIB::NUM_FRAGMENTS::of(2) | CB_COLOR_ATTRIB::FMASK_TILE_MODE_INDEX::of(13));
  s->draw(Type::DI_PT_TRILIST, 6);
  w.set(CB_COLOR_FMASK::address(0), uint32_t((fmask + 0xc000) >> 8));
  w.set(CB_COLOR_INFO::address(0), CB_COLOR_INFO::FORMAT::of(CB_COLOR_INFO::FORMAT::COLOR_8_8_8_8) |
                                       CB_COLOR_INFO::COMPRESSION::of(1) | CB_COLOR_INFO::FMASK_COMPRESSION_DISABLE::of(1));
  s->draw(Type::DI_PT_TRILIST, 6);
  s->blocks = {"CB", "PA", "SC"};
  s->finish();
  return s;
}

// Lines that end on the edges of diamonds, and a pattern that goes on from draw to draw.
std::unique_ptr<Scene> line_ends() {
  auto s = std::make_unique<DrawScene>("ends and patterns of lines");
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
      s->program({"v_mul_f32 v0, 0x3b808081, v0", "v_mov_b32 v1, 1.0", "exp mrt0 v0, v1, v1, v1 done vm", "s_endpgm"});
  w.set(SPI_SHADER_PGM_LO_PS::address(), {uint32_t(coordinate >> 8), uint32_t(coordinate >> 40)});
  w.set(SPI_PS_INPUT_ENA::address(), {1 << 7, 1 << 7}).set(SPI_SHADER_COL_FORMAT::address(), 9);
  w.set(CB_SHADER_MASK::address(), 15).set(PA_SC_MODE_CNTL_0::address(), 0);
  w.set(PA_SU_LINE_STIPPLE_SCALE::address(), number(4)).set(PA_CL_VPORT_YOFFSET::address(0), number(height / 2 + 6));
  s->draw(Type::DI_PT_LINELIST, 4);
  w.set(PA_SC_LINE_CNTL::address(), PA_SC_LINE_CNTL::PERPENDICULAR_ENDCAP_ENA::of(1));
  w.set(PA_CL_VPORT_YOFFSET::address(0), number(height / 2 + 9));
  s->draw(Type::DI_PT_LINESTRIP, 4);
  w.set(PA_CL_VPORT_YOFFSET::address(0), number(height / 2 + 12)).set(PA_SU_LINE_STIPPLE_CNTL::address(), 3);
  w.set(PA_SU_SC_MODE_CNTL::address(), PA_SU_SC_MODE_CNTL::POLY_MODE::of(1) | PA_SU_SC_MODE_CNTL::POLYMODE_FRONT_PTYPE::of(1) |
                                           PA_SU_SC_MODE_CNTL::POLYMODE_BACK_PTYPE::of(1));
  s->draw(Type::DI_PT_TRILIST, 3);
  s->blocks = {"PA", "SC", "SPI"};
  s->finish();
  return s;
}

// One sample that the registers place, and fewer samples for the program than there are.
std::unique_ptr<Scene> sample_places() {
  auto s = std::make_unique<DrawScene>("one sample apart, samples that the program does not see");
  const uint64_t big = s->take(64 * 64 * 4 * 4, 4096);
  uint64_t vertex = s->table_program(), pixel = s->plain_pixel();
  s->vertices(two_triangles());
  s->begin(vertex, pixel);
  Packets& w = s->stream;
  using Enhance = PA_SC_ENHANCE;
  w.set(Enhance::address(), Enhance::ENABLE_1XMSAA_SAMPLE_LOCATIONS::of(1) | Enhance::ENABLE_1XMSAA_SAMPLE_LOC_CENTROID::of(1));
  w.set(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::MSAA_ENABLE::of(1)).set(PA_SC_AA_MASK_X0Y0_X1Y0::address(), {~0u, ~0u});
  for (uint32_t address : {PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0::address(),
                           PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0::address()})
    w.set(address, 0x66);
  s->draw(Type::DI_PT_TRILIST, 6);
  // The coverage as a colour.
  uint64_t seen = s->program({"v_cvt_f32_u32 v1, v0", "v_mul_f32 v1, 0x3b808081, v1", "v_mov_b32 v2, 1.0",
                              "exp mrt0 v1, v1, v1, v2 done vm", "s_endpgm"});
  w.set(SPI_SHADER_PGM_LO_PS::address(), {uint32_t(seen >> 8), uint32_t(seen >> 40)});
  w.set(SPI_PS_INPUT_ENA::address(), {1 << 14, 1 << 14}).set(SPI_SHADER_COL_FORMAT::address(), 9);
  w.set(CB_SHADER_MASK::address(), 15).set(CB_COLOR_BASE::address(0), uint32_t(big >> 8));
  w.set(CB_COLOR_PITCH::address(0), 7).set(CB_COLOR_SLICE::address(0), 63);
  w.set(CB_COLOR_ATTRIB::address(0),
        CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(14) | CB_COLOR_ATTRIB::NUM_SAMPLES::of(2) | CB_COLOR_ATTRIB::NUM_FRAGMENTS::of(2));
  w.set(PA_SC_AA_CONFIG::address(), PA_SC_AA_CONFIG::MSAA_NUM_SAMPLES::of(2) | PA_SC_AA_CONFIG::MSAA_EXPOSED_SAMPLES::of(1));
  w.set(PA_SC_AA_MASK_X0Y0_X1Y0::address(), {0x90009, 0x80008});
  s->draw(Type::DI_PT_TRILIST, 6);
  s->blocks = {"PA", "SC"};
  s->finish();
  return s;
}

// Targets whose tile modes the tables have: a depth buffer's order split at 64 bytes, elements of 8 bytes, four samples split by
// samples.
std::unique_ptr<Scene> tile_tables() {
  auto s = std::make_unique<DrawScene>("tables of tile modes");
  constexpr uint32_t side = 128;
  const uint64_t targets[] = {s->take(side * side * 4, 0x10000), s->take(side * side * 8, 0x10000)},
                 sampled = s->take(side * side * 4 * 4, 0x10000);
  uint64_t vertex = s->table_program(), pixel = s->plain_pixel();
  s->vertices(two_triangles());
  s->begin(vertex, pixel);
  Packets& w = s->stream;
  using Tile = GB_TILE_MODE;
  constexpr uint32_t two_d = Tile::ARRAY_MODE::of(4) | Tile::PIPE_CONFIG::of(PipeConfig::ADDR_SURF_P4_16x16);
  w.set(Tile::address(0), two_d | Tile::MICRO_TILE_MODE_NEW::of(2))
      .set(Tile::address(1), two_d | Tile::MICRO_TILE_MODE_NEW::of(1));
  for (unsigned n = 0; n < 4; n++)
    w.set(GB_MACROTILE_MODE::address(n), GB_MACROTILE_MODE::MACRO_TILE_ASPECT::of(1) | GB_MACROTILE_MODE::NUM_BANKS::of(2));
  for (unsigned n = 0; n < 2; n++) {
    w.set(CB_COLOR_BASE::address(n), uint32_t(targets[n] >> 8)).set(CB_COLOR_ATTRIB::address(n), n);
    w.set(CB_COLOR_PITCH::address(n), side / 8 - 1).set(CB_COLOR_SLICE::address(n), side * side / 64 - 1);
  }
  s->draw(Type::DI_PT_TRILIST, 6);
  using Attrib = CB_COLOR_ATTRIB;
  w.set(CB_TARGET_MASK::address(), 15).set(CB_COLOR_BASE::address(0), uint32_t(sampled >> 8));
  w.set(Attrib::address(0), Attrib::TILE_MODE_INDEX::of(1) | Attrib::NUM_SAMPLES::of(2) | Attrib::NUM_FRAGMENTS::of(2));
  w.set(PA_SC_AA_CONFIG::address(), PA_SC_AA_CONFIG::MSAA_NUM_SAMPLES::of(2)).set(PA_SC_MODE_CNTL_0::address(), 1);
  w.set(PA_SC_AA_MASK_X0Y0_X1Y0::address(), {~0u, ~0u});
  s->draw(Type::DI_PT_TRILIST, 6);
  s->blocks = {"GB"};
  s->finish();
  return s;
}

// Clears by a draw, HTILE and its expansion, copies of depth and stencil into a colour buffer.
std::unique_ptr<Scene> depth_surfaces() {
  auto s = std::make_unique<DrawScene>("clears, copies and metadata of depth");
  const uint64_t htile = s->take(4096, 4096);
  for (uint32_t n = 0; n < 1024; n++) s->words(htile)[n] = n % 3 ? 0xffffffff : 0;  // one tile in three is cleared
  uint64_t vertex = s->table_program(), pixel = s->plain_pixel();
  s->vertices(two_triangles());
  s->begin(vertex, pixel);
  Packets& w = s->stream;
  using Control = DB_DEPTH_CONTROL;
  const uint32_t both = Control::STENCIL_ENABLE::of(1) | Control::Z_ENABLE::of(1) | Control::Z_WRITE_ENABLE::of(1) |
                        Control::ZFUNC::of(CompareFrag::FRAG_ALWAYS) | Control::STENCILFUNC::of(7);
  s->bind_depth();
  w.set(Control::address(), both);
  w.set(DB_DEPTH_BOUNDS_MIN::address(), {number(0.2f), number(0.8f)}).set(DB_STENCIL_CLEAR::address(), {0x42, number(0.75f)});
  w.set(DB_RENDER_CONTROL::address(),
        DB_RENDER_CONTROL::DEPTH_CLEAR_ENABLE::of(1) | DB_RENDER_CONTROL::STENCIL_CLEAR_ENABLE::of(1));
  s->draw(Type::DI_PT_TRILIST, 3);
  w.set(DB_RENDER_CONTROL::address(), 0).set(Control::address(), both | Control::DEPTH_BOUNDS_ENABLE::of(1));
  s->draw(Type::DI_PT_TRILIST, 6);
  // A copy of both.
  w.set(Control::address(), 0)
      .set(DB_RENDER_CONTROL::address(), DB_RENDER_CONTROL::DEPTH_COPY::of(1) | DB_RENDER_CONTROL::STENCIL_COPY::of(1));
  w.set(CB_SHADER_MASK::address(), 15).set(CB_TARGET_MASK::address(), 15);
  s->draw(Type::DI_PT_TRILIST, 6);
  // HTILE: tiles that say they are cleared, then expanded.
  w.set(DB_RENDER_CONTROL::address(), 0).set(Control::address(), both);
  w.set(DB_Z_INFO::address(),
        DB_Z_INFO::FORMAT::of(3) | DB_Z_INFO::TILE_SURFACE_ENABLE::of(1) | DB_Z_INFO::ALLOW_EXPCLEAR::of(1));
  w.set(DB_STENCIL_INFO::address(), DB_STENCIL_INFO::FORMAT::of(1) | DB_STENCIL_INFO::ALLOW_EXPCLEAR::of(1));
  w.set(DB_HTILE_DATA_BASE::address(), uint32_t(htile >> 8))
      .set(DB_HTILE_SURFACE::address(), DB_HTILE_SURFACE::FULL_CACHE::of(1));
  w.set(PA_SC_GENERIC_SCISSOR_BR::address(), 16 | 8 << 16);
  s->draw(Type::DI_PT_TRILIST, 6);
  w.set(PA_SC_GENERIC_SCISSOR_BR::address(), width | height << 16);
  w.set(CB_TARGET_MASK::address(), 0).set(Control::address(), 0);
  w.set(DB_RENDER_CONTROL::address(),
        DB_RENDER_CONTROL::STENCIL_COMPRESS_DISABLE::of(1) | DB_RENDER_CONTROL::DEPTH_COMPRESS_DISABLE::of(1));
  s->draw(Type::DI_PT_RECTLIST, 3);
  s->counters();
  s->blocks = {"DB", "CB"};
  s->finish();
  return s;
}

// Depth of four samples in large tiles, copied sample by sample, its places from the registers of large tiles.
std::unique_ptr<Scene> depth_samples() {
  auto s = std::make_unique<DrawScene>("depth of several samples");
  const uint64_t plane = s->take(64 * 64 * 4 * 4, 4096), stencil = s->take(64 * 64 * 4, 4096);
  uint64_t vertex = s->table_program(), pixel = s->plain_pixel();
  s->vertices(two_triangles());
  s->begin(vertex, pixel);
  Packets& w = s->stream;
  w.set(DB_Z_INFO::address(), DB_Z_INFO::FORMAT::of(3) | DB_Z_INFO::NUM_SAMPLES::of(2) | DB_Z_INFO::TILE_SPLIT::of(1));
  w.set(DB_STENCIL_INFO::address(), DB_STENCIL_INFO::FORMAT::of(1) | DB_STENCIL_INFO::TILE_SPLIT::of(1));
  w.set(DB_DEPTH_INFO::address(), DB_DEPTH_INFO::ARRAY_MODE::of(4) |
                                      DB_DEPTH_INFO::PIPE_CONFIG::of(PipeConfig::ADDR_SURF_P4_16x16) |
                                      DB_DEPTH_INFO::MACRO_TILE_ASPECT::of(1) | DB_DEPTH_INFO::NUM_BANKS::of(3));
  w.set(DB_DEPTH_SIZE::address(), {DB_DEPTH_SIZE::PITCH_TILE_MAX::of(7) | DB_DEPTH_SIZE::HEIGHT_TILE_MAX::of(7), 63});
  w.set(DB_Z_READ_BASE::address(), {uint32_t(plane >> 8), uint32_t(stencil >> 8), uint32_t(plane >> 8), uint32_t(stencil >> 8)});
  w.set(PA_SC_AA_CONFIG::address(), PA_SC_AA_CONFIG::MSAA_NUM_SAMPLES::of(2)).set(PA_SC_MODE_CNTL_0::address(), 1);
  for (uint32_t address : {PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0::address(),
                           PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0::address()})
    w.set(address, 0xae62e26a);
  w.set(PA_SC_AA_MASK_X0Y0_X1Y0::address(), {~0u, ~0u}).set(CB_TARGET_MASK::address(), 0);
  using Control = DB_DEPTH_CONTROL;
  w.set(Control::address(), Control::STENCIL_ENABLE::of(1) | Control::Z_ENABLE::of(1) | Control::Z_WRITE_ENABLE::of(1) |
                                Control::ZFUNC::of(CompareFrag::FRAG_ALWAYS) | Control::STENCILFUNC::of(7));
  w.set(DB_STENCIL_CONTROL::address(), DB_STENCIL_CONTROL::STENCILZPASS::of(5)).set(DB_STENCILREFMASK::address(), 0x01ffff00);
  s->draw(Type::DI_PT_TRILIST, 6);
  w.set(Control::address(), 0).set(CB_SHADER_MASK::address(), 15).set(CB_TARGET_MASK::address(), 15);
  for (uint32_t sample : {1u, 3u}) {
    w.set(DB_RENDER_CONTROL::address(), DB_RENDER_CONTROL::DEPTH_COPY::of(1) | DB_RENDER_CONTROL::STENCIL_COPY::of(1) |
                                            DB_RENDER_CONTROL::COPY_CENTROID::of(sample == 3) |
                                            DB_RENDER_CONTROL::COPY_SAMPLE::of(sample));
    s->draw(Type::DI_PT_TRILIST, 6);
  }
  s->blocks = {"DB"};
  s->finish();
  return s;
}

// Depth, stencil and masks out of the program, programs that kill, when the tests are.
std::unique_ptr<Scene> exported_depth() {
  auto s = std::make_unique<DrawScene>("depth and masks out of the program");
  uint64_t vertex = s->table_program();
  const uint64_t count = s->take(256);
  uint64_t pixel = s->program(
      Lines{"v_mov_b32 v20, " + literal(uint32_t(count)), "v_mov_b32 v21, " + literal(uint32_t(count >> 32)), "v_mov_b32 v22, 1",
            "flat_atomic_add v[20:21], v22", "v_mul_f32 v10, 0x3c800000, v2", "v_cvt_u32_f32 v11, v3", "v_cvt_u32_f32 v12, v2",
            "v_cmp_ne_u32 vcc, 7, v12", "s_and_b64 exec, exec, vcc", "exp mrtz v10, v11, v12, off vm", "v_mov_b32 v13, 1.0",
            "exp mrt0 v10, v13, v10, v10 done vm", "s_endpgm"});
  s->vertices(two_triangles());
  s->begin(vertex, pixel);
  Packets& w = s->stream;
  s->bind_depth();
  w.set(SPI_SHADER_COL_FORMAT::address(), 9).set(CB_SHADER_MASK::address(), 15).set(SPI_SHADER_Z_FORMAT::address(), 9);
  using Control = DB_DEPTH_CONTROL;
  w.set(Control::address(), Control::STENCIL_ENABLE::of(1) | Control::Z_ENABLE::of(1) | Control::Z_WRITE_ENABLE::of(1) |
                                Control::ZFUNC::of(CompareFrag::FRAG_LESS) | Control::STENCILFUNC::of(6));
  w.set(DB_STENCIL_CONTROL::address(), DB_STENCIL_CONTROL::STENCILZPASS::of(3)).set(DB_STENCILREFMASK::address(), 0x01ffff02);
  w.set(DB_COUNT_CONTROL::address(), DB_COUNT_CONTROL::ZPASS_ENABLE::of(1) | DB_COUNT_CONTROL::SLICE_EVEN_ENABLE::of(1) |
                                         DB_COUNT_CONTROL::SLICE_ODD_ENABLE::of(1));
  using Shader = DB_SHADER_CONTROL;
  w.set(Shader::address(), Shader::Z_EXPORT_ENABLE::of(1) | Shader::STENCIL_TEST_VAL_EXPORT_ENABLE::of(1) |
                               Shader::MASK_EXPORT_ENABLE::of(1) | Shader::KILL_ENABLE::of(1));
  s->draw(Type::DI_PT_TRILIST, 3);
  w.set(Shader::address(), Shader::Z_ORDER::of(1) | Shader::KILL_ENABLE::of(1));
  s->draw(Type::DI_PT_TRILIST, 6);
  w.set(Shader::address(), Shader::Z_ORDER::of(1));
  s->draw(Type::DI_PT_TRILIST, 6);
  // Packed halves.
  uint64_t packed = s->program({"v_cvt_u32_f32 v11, v3", "v_lshlrev_b32 v12, 16, v11", "v_mov_b32 v13, 1.0",
                                "exp mrtz v12, v12, v11, v11 compr vm", "exp mrt0 v13, v13, v13, v13 done vm", "s_endpgm"});
  w.set(SPI_SHADER_PGM_LO_PS::address(), {uint32_t(packed >> 8), uint32_t(packed >> 40)});
  w.set(SPI_SHADER_Z_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_UINT16_ABGR);
  w.set(Shader::address(), Shader::STENCIL_TEST_VAL_EXPORT_ENABLE::of(1) | Shader::MASK_EXPORT_ENABLE::of(1));
  s->draw(Type::DI_PT_TRILIST, 6);
  w.set(SPI_SHADER_PGM_LO_PS::address(), {uint32_t(pixel >> 8), uint32_t(pixel >> 40)}).set(SPI_SHADER_Z_FORMAT::address(), 0);
  // The coverage as alpha, and the other way round.
  w.set(DB_ALPHA_TO_MASK::address(), 0x1aa01).set(Shader::address(), 0);
  s->draw(Type::DI_PT_TRILIST, 6);
  s->counters();
  s->blocks = {"DB", "SPI"};
  s->finish();
  return s;
}

std::unique_ptr<Scene> eight_targets() {
  auto s = std::make_unique<DrawScene>("eight targets, logic operations");
  uint64_t vertex = s->table_program();
  Lines lines = {"v_mul_f32 v10, 0x3c800000, v2", "v_mul_f32 v11, 0x3d800000, v3", "v_mov_b32 v12, 0.5", "v_mov_b32 v13, 1.0"};
  for (unsigned n = 0; n < 8; n++)
    lines.push_back("exp mrt" + std::to_string(n) + " v10, v11, v12, v13" + (n == 7 ? " done vm" : " vm"));
  uint64_t pixel = s->program(lines + Lines{"s_endpgm"});
  const uint64_t targets = s->take(width * height * 4 * 8);
  for (unsigned n = 0; n < width * height * 8; n++) s->words(targets)[n] = n * 0x01030507;
  s->vertices(two_triangles());
  s->begin(vertex, pixel);
  Packets& w = s->stream;
  w.set(SPI_SHADER_COL_FORMAT::address(), 0x99999999).set(CB_SHADER_MASK::address(), ~0u).set(CB_TARGET_MASK::address(), ~0u);
  for (unsigned n = 0; n < 8; n++) {
    w.set(CB_COLOR_BASE::address(n), uint32_t((targets + n * width * height * 4) >> 8));
    w.set(CB_COLOR_PITCH::address(n), width / 8 - 1).set(CB_COLOR_SLICE::address(n), width * height / 64 - 1);
    w.set(CB_COLOR_INFO::address(n), CB_COLOR_INFO::FORMAT::of(CB_COLOR_INFO::FORMAT::COLOR_8_8_8_8));
    w.set(CB_COLOR_ATTRIB::address(n), CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(8));
  }
  s->draw(Type::DI_PT_TRILIST, 6);
  w.set(CB_COLOR_CONTROL::address(), CB_COLOR_CONTROL::MODE::of(1) | CB_COLOR_CONTROL::ROP3::of(0x66));
  s->draw(Type::DI_PT_TRILIST, 6);
  // Two layers of target 0.
  w.set(CB_COLOR_CONTROL::address(), CB_COLOR_CONTROL::MODE::of(1) | CB_COLOR_CONTROL::ROP3::of(0xcc));
  w.set(CB_TARGET_MASK::address(), 15).set(CB_COLOR_VIEW::address(0), CB_COLOR_VIEW::SLICE_MAX::of(2));
  w.set(PA_CL_VS_OUT_CNTL::address(),
        PA_CL_VS_OUT_CNTL::VS_OUT_MISC_VEC_ENA::of(1) | PA_CL_VS_OUT_CNTL::USE_VTX_RENDER_TARGET_INDX::of(1));
  w.set(SPI_SHADER_POS_FORMAT::address(), 0x44);
  s->draw(Type::DI_PT_TRILIST, 6);
  s->blocks = {"CB", "SPI", "PA"};
  s->finish();
  return s;
}

}  // namespace

void add_sample_scenes(std::vector<std::unique_ptr<Scene>>& all) {
  all.push_back(samples("four samples, a resolve", 2, true));
  all.push_back(samples("sixteen samples without targets", 4, false));
  all.push_back(colour_metadata());
  all.push_back(line_ends());
  all.push_back(sample_places());
  all.push_back(tile_tables());
  all.push_back(depth_surfaces());
  all.push_back(depth_samples());
  all.push_back(exported_depth());
  all.push_back(eight_targets());
}

}  // namespace Atoll::ledger
