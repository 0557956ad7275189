// Ends and patterns of lines, a pixel's only sample apart from its centre, what of many samples a program sees, and when depth is tested
// where the register insists: field by field, without a driver. Expectations are worked out here.
#include <cmath>
#include <set>

#include "gpu/sea_islands/raster_state.h"

namespace Atoll::sea_islands::test {
namespace {

using Type = VGT_PRIMITIVE_TYPE::PRIM_TYPE;
using Stipple = PA_SC_LINE_STIPPLE;
using StippleState = PA_SC_LINE_STIPPLE_STATE;

class LineState : public RasterState {
protected:
  // Lines through these places in pixels.
  Words lines(const std::vector<std::pair<double, double>>& places) {
    std::vector<Vertex> vertices;
    for (auto [x, y] : places) vertices.push_back(at_pixel(x, y));
    Words w = begin(vertices);
    return w.context(PA_SU_LINE_CNTL::address(), 8);
  }
  // The columns of row `y` that are drawn.
  std::set<unsigned> columns(unsigned y) {
    std::set<unsigned> all;
    for (unsigned x = 0; x < width; x++)
      if (pixel(x, y)) all.insert(x);
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, LineState, testing::Values("interpreter", "jit"));

// Ends on the edges of the diamond of pixel (3, 1): Direct3D's has the lower ones, OpenGL's none.
TEST_P(LineState, EndsByTheDiamondsOfTwoApis) {
  struct Row {
    double x0, y0, x1, y1;
    bool opengl, direct3d;
  };
  constexpr Row rows[] = {
      {3.75, 1.75, 9.5, 1.75, false, true}, {0.5, 1.75, 3.75, 1.75, true, false},  {3.75, 1.25, 9.5, 1.25, false, false},
      {0.5, 1.25, 3.75, 1.25, true, true},  {3.25, 1.75, 0.5, 1.75, false, true},  {9.5, 1.75, 3.25, 1.75, true, false},
      {3.75, 1.75, 3.75, 9.5, false, true}, {3.75, 0.25, 3.75, 1.75, true, false}, {3.25, 1.25, 3.25, -2.5, false, false},
      {3.25, 8.5, 3.25, 1.25, true, true},  {3.625, 1.5, 9.5, 1.5, true, true}};
  for (const Row& row : rows)
    for (const bool direct3d : {false, true}) {
      Words w = lines({{row.x0, row.y0}, {row.x1, row.y1}});
      w.context(PA_SC_LINE_CNTL::address(), PA_SC_LINE_CNTL::DX10_DIAMOND_TEST_ENA::of(direct3d));
      good(draw(w, 2, Type::DI_PT_LINELIST));
      EXPECT_EQ(pixel(3, 1) != 0, direct3d ? row.direct3d : row.opengl)
          << row.x0 << "," << row.y0 << " to " << row.x1 << "," << row.y1 << (direct3d ? " of Direct3D" : " of OpenGL");
    }
}

// Lines of 20 pixels each, whose pattern has the first half of its 16 bits: from where in it a line begins.
TEST_P(LineState, ThePatternBeginsAnewAsItIsTold) {
  struct Row {
    const char* what;
    uint32_t type, control;
    unsigned pointer, count, repeat;  // PA_SC_LINE_STIPPLE_STATE before the draw, REPEAT_COUNT
    unsigned first, second;           // steps of the pattern at the begin of each line
  };
  constexpr Row rows[] = {{"each line of a list", Type::DI_PT_LINELIST, 1, 5, 0, 0, 0, 0},
                          {"a list as one packet", Type::DI_PT_LINELIST, 2, 5, 0, 0, 0, 20},
                          {"never", Type::DI_PT_LINELIST, 0, 0, 0, 0, 0, 20},
                          {"never, from step 5", Type::DI_PT_LINELIST, 0, 5, 0, 0, 5, 25},
                          {"never, from step 1 * 3 + 2", Type::DI_PT_LINELIST, 0, 1, 2, 2, 5, 25},
                          {"each line of a strip", Type::DI_PT_LINESTRIP, 1, 5, 0, 0, 0, 0},
                          {"a strip", Type::DI_PT_LINESTRIP, 2, 5, 0, 0, 0, 20},
                          {"a strip, never", Type::DI_PT_LINESTRIP, 0, 3, 0, 0, 3, 23}};
  for (const Row& row : rows) {
    const bool list = row.type == Type::DI_PT_LINELIST;
    Words w = list ? lines({{2, 4.5}, {22, 4.5}, {22, 4.5}, {42, 4.5}}) : lines({{2, 4.5}, {22, 4.5}, {42, 4.5}});
    w.context(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::LINE_STIPPLE_ENABLE::of(1));
    w.context(Stipple::address(), Stipple::LINE_PATTERN::of(0x00ff) | Stipple::REPEAT_COUNT::of(row.repeat) |
                                      Stipple::AUTO_RESET_CNTL::of(row.control));
    w.user(StippleState::address(), StippleState::CURRENT_PTR::of(row.pointer) | StippleState::CURRENT_COUNT::of(row.count));
    draw(w, list ? 4 : 3, row.type);
    good(w.store(StippleState::address(), at(0x40)));
    std::set<unsigned> expected;
    for (unsigned n = 0; n < 40; n++) {
      const unsigned step = n < 20 ? row.first + n : row.second + n - 20;
      if (step / (row.repeat + 1) % 16 < 8) expected.insert(2 + n);
    }
    EXPECT_EQ(columns(4), expected) << row.what;
    const unsigned end = row.second + 20;
    EXPECT_EQ(StippleState::CURRENT_PTR::get(dword(0x40)), end / (row.repeat + 1) % 16) << row.what;
    EXPECT_EQ(StippleState::CURRENT_COUNT::get(dword(0x40)), end % (row.repeat + 1)) << row.what;
  }
}

// The next draw goes on where the one before ended.
TEST_P(LineState, ThePatternGoesOnFromDrawToDraw) {
  Words w = lines({{2, 4.5}, {22, 4.5}});
  w.context(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::LINE_STIPPLE_ENABLE::of(1));
  w.context(Stipple::address(), Stipple::LINE_PATTERN::of(0x00ff));
  w.user(StippleState::address(), 0);
  draw(w, 2, Type::DI_PT_LINELIST);
  w.context(PA_CL_VPORT_YOFFSET::address(0), number(height / 2 + 8));
  good(draw(w, 2, Type::DI_PT_LINELIST));
  std::set<unsigned> first, second;
  for (unsigned n = 0; n < 20; n++) {
    if (n % 16 < 8) first.insert(2 + n);
    if ((n + 20) % 16 < 8) second.insert(2 + n);
  }
  EXPECT_EQ(columns(4), first);
  EXPECT_EQ(columns(12), second);
}

// The coordinate that a program is given, which is twice or four times the length in pixels, as its red.
TEST_P(LineState, TheCoordinateAlongLines) {
  using Control = PA_SU_LINE_STIPPLE_CNTL;
  using Value = PA_SU_LINE_STIPPLE_VALUE;
  const uint64_t coordinate =
      program({"v_mul_f32 v0, 0x3b808081, v0", "v_mov_b32 v1, 1.0", "exp mrt0 v0, v1, v1, v1 done vm", "s_endpgm"});
  struct Row {
    const char* what;
    uint32_t type, control;
    bool rectangles;  // around the lines
    float scale;
    unsigned value;  // in pixels, before the draw
    std::vector<std::pair<double, double>> places;
    unsigned x[2], y[2];  // pixels that are looked at
    double expected[2];   // coordinates there
    double end;           // and behind the draw
  };
  // Two lines of 20 pixels, one below the other; where the second one is looked at.
  auto two_lines = [](const char* what, uint32_t control, double second, double end) {
    return Row{what,   Type::DI_PT_LINELIST, control, false, 2, 3, {{2, 4.5}, {22, 4.5}, {2, 8.5}, {22, 8.5}}, {5, 5},
               {4, 8}, {13, second},         end};
  };
  const Row rows[] = {
      two_lines("it goes on", 0, 53, 43),
      two_lines("anew with each line", Control::LINE_STIPPLE_RESET::of(1), 7, 0),
      two_lines("a list as a packet", Control::LINE_STIPPLE_RESET::of(2), 53, 0),
      two_lines("lines are no outlines", Control::LINE_STIPPLE_RESET::of(3), 53, 43),
      {"along a strip",
       Type::DI_PT_LINESTRIP,
       Control::LINE_STIPPLE_RESET::of(2),
       false,
       2,
       0,
       {{2, 4.5}, {22, 4.5}, {42, 4.5}},
       {5, 25},
       {4, 4},
       {7, 47},
       0},
      {"by the major axis", Type::DI_PT_LINELIST, 0, true, 2, 0, {{2.5, 2.5}, {14.5, 11.5}}, {6, 10}, {5, 8}, {8, 16}, 12},
      {"by the length",
       Type::DI_PT_LINELIST,
       Control::EXPAND_FULL_LENGTH::of(1),
       true,
       2,
       0,
       {{2.5, 2.5}, {14.5, 11.5}},
       {6, 10},
       {5, 8},
       {10, 20},
       12},
      {"in whole pixels",
       Type::DI_PT_LINELIST,
       0,
       true,
       2,
       0,
       {{2, 4.5}, {14.5, 4.5}, {2, 8.5}, {14.5, 8.5}},
       {3, 3},
       {4, 8},
       {3, 27},
       24},
      {"with fractions",
       Type::DI_PT_LINELIST,
       Control::FRACTIONAL_ACCUM::of(1),
       true,
       2,
       0,
       {{2, 4.5}, {14.5, 4.5}, {2, 8.5}, {14.5, 8.5}},
       {3, 3},
       {4, 8},
       {3, 28},
       25},
      {"from the line's begin", Type::DI_PT_LINELIST, 0, false, 4, 0, {{2.75, 4.5}, {12.5, 4.5}}, {3, 4}, {4, 4}, {3, 7}, 10},
      {"from the first pixel",
       Type::DI_PT_LINELIST,
       Control::DIAMOND_ADJUST::of(1),
       false,
       4,
       0,
       {{2.75, 4.5}, {12.5, 4.5}},
       {3, 4},
       {4, 4},
       {4, 8},
       10}};
  for (const Row& row : rows) {
    std::vector<Vertex> vertices;
    for (auto [x, y] : row.places) vertices.push_back(at_pixel(x, y));
    Words w = begin(vertices, 0, coordinate);
    w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
    constexpr uint32_t inputs = 1 << 7;  // LINE_STIPPLE_TEX
    w.context(SPI_PS_INPUT_ENA::address(), inputs).context(SPI_PS_INPUT_ADDR::address(), inputs);
    w.context(PA_SU_LINE_CNTL::address(), 8);
    w.context(PA_SC_LINE_CNTL::address(), PA_SC_LINE_CNTL::PERPENDICULAR_ENDCAP_ENA::of(row.rectangles));
    w.context(Control::address(), row.control).context(PA_SU_LINE_STIPPLE_SCALE::address(), number(row.scale));
    w.user(Value::address(), row.value << 8);
    draw(w, unsigned(vertices.size()), row.type);
    good(w.store(Value::address(), at(0x40)));
    for (unsigned n = 0; n < 2; n++) {
      EXPECT_EQ(pixel(row.x[n], row.y[n]) & 0xff, unsigned(std::lround(row.expected[n]))) << row.what << ", pixel " << n;
      EXPECT_NE(pixel(row.x[n], row.y[n]), 0u) << row.what << ", pixel " << n;
    }
    EXPECT_EQ(dword(0x40), unsigned(std::lround(row.end * 256))) << row.what;
  }
  // Polygons' outlines are lines.
  Words w = begin({at_pixel(2.5, 2.5), at_pixel(22.5, 2.5), at_pixel(2.5, 22.5)}, 0, coordinate);
  w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
  w.context(SPI_PS_INPUT_ENA::address(), 1 << 7).context(SPI_PS_INPUT_ADDR::address(), 1 << 7);
  w.context(PA_SU_LINE_CNTL::address(), 8).context(PA_SU_LINE_STIPPLE_SCALE::address(), number(2));
  w.context(PA_SU_SC_MODE_CNTL::address(), PA_SU_SC_MODE_CNTL::POLY_MODE::of(1) |
                                               PA_SU_SC_MODE_CNTL::POLYMODE_FRONT_PTYPE::of(1) |
                                               PA_SU_SC_MODE_CNTL::POLYMODE_BACK_PTYPE::of(1));
  w.context(Control::address(), Control::LINE_STIPPLE_RESET::of(3)).user(Value::address(), 0);
  draw(w, 3);
  good(w.store(Value::address(), at(0x40)));
  EXPECT_EQ(pixel(10, 2) & 0xff, 16u);
  EXPECT_EQ(dword(0x40), 0u);
}

// --- a pixel's only sample

TEST_P(LineState, OneSampleWhereTheRegistersPlaceIt) {
  constexpr uint32_t in_16ths = 14;  // right of, and below, the left upper corner
  constexpr uint32_t place = (in_16ths - 8) | (in_16ths - 8) << 4;
  const uint64_t vertex = big_triangle(), gradient = interpolating();
  for (const bool located : {false, true})
    for (const bool apart : {false, true})
      for (const bool centroid : {false, true})
        for (const bool multisampled : {false, true}) {
          std::memset(colour.host_pointer, 0, width * height * 4);
          Words w = state(vertex, gradient);
          w.push_back(PA_SC_ENHANCE::address() / 4);
          w.push_back(PA_SC_ENHANCE::ENABLE_1XMSAA_SAMPLE_LOCATIONS::of(located) |
                      PA_SC_ENHANCE::ENABLE_1XMSAA_SAMPLE_LOC_CENTROID::of(apart));
          w.context(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::MSAA_ENABLE::of(multisampled));
          for (uint32_t address : {PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0::address(),
                                   PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0::address()})
            w.context(address, place);
          w.context(PA_SC_AA_MASK_X0Y0_X1Y0::address(), ~0u).context(PA_SC_AA_MASK_X0Y1_X1Y1::address(), ~0u);
          const uint32_t inputs = centroid ? 4 : 2;
          w.context(SPI_PS_INPUT_ENA::address(), inputs).context(SPI_PS_INPUT_ADDR::address(), inputs);
          good(triangle(w));
          const bool placed = located && multisampled;
          const double at = placed && (centroid || !apart) ? in_16ths / 16.0 : 0.5;
          for (unsigned x : {34u, 45u, 61u})
            EXPECT_EQ(pixel(x, 9) & 0xff, unsigned(std::lround(255 * ((x + at) / (width / 2) - 1))))
                << located << apart << centroid << multisampled << " at " << x;
        }
}

TEST_P(LineState, OneSampleCoversWhereItLies) {
  // A rectangle from (10.75, 3.75) on: its first pixels' centres are outside, samples at 14/16 are inside.
  const std::vector<Vertex> corners = {at_pixel(10.75, 3.75), at_pixel(20.75, 3.75), at_pixel(10.75, 8.75)};
  for (const bool located : {false, true}) {
    Words w = begin(corners);
    w.push_back(PA_SC_ENHANCE::address() / 4);
    w.push_back(PA_SC_ENHANCE::ENABLE_1XMSAA_SAMPLE_LOCATIONS::of(located));
    w.context(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::MSAA_ENABLE::of(1));
    for (uint32_t address : {PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0::address(),
                             PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0::address()})
      w.context(address, 0x66);
    w.context(PA_SC_AA_MASK_X0Y0_X1Y0::address(), ~0u).context(PA_SC_AA_MASK_X0Y1_X1Y1::address(), ~0u);
    good(draw(w, 3, Type::DI_PT_RECTLIST));
    const unsigned first = located ? 0 : 1, last = located ? 0 : 1;
    compare([&](unsigned x, unsigned y) { return x >= 10 + first && x < 20 + last && y >= 3 + first && y < 8 + last; });
  }
}

// --- fewer samples for the program than there are

TEST_P(LineState, TheProgramSeesFewerSamples) {
  struct Row {
    uint32_t mask, exposed_log, mode, seen;
  };
  constexpr Row rows[] = {{0b1000, 0, 0, 1}, {0b1000, 0, 1, 0}, {0b1000, 0, 2, 1}, {0b1001, 1, 0, 1}, {0b1001, 1, 1, 1},
                          {0b1001, 1, 2, 3}, {0b1000, 1, 0, 2}, {0b1000, 1, 1, 0}, {0b1000, 1, 2, 2}, {0b1010, 2, 0, 0b1010}};
  constexpr unsigned side = 64;
  Buffer target = *space->allocate(side * side * 4 * 4 + 0x10000, 4096);
  const uint64_t past = (0x10000 - target.gpu_address % 0x10000) % 0x10000;  // where no pipe or bank is swizzled
  target.gpu_address += past, target.host_pointer += past;
  const uint64_t vertex = big_triangle(), seen = program({"v_cvt_f32_u32 v1, v0", "v_mul_f32 v1, 0x3b808081, v1",
                                                          "v_mov_b32 v2, 1.0", "exp mrt0 v1, v1, v1, v2 done vm", "s_endpgm"});
  for (const Row& row : rows) {
    std::memset(target.host_pointer, 0, side * side * 4 * 4);
    Words w = state(vertex, seen);
    w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
    w.context(CB_COLOR_BASE::address(0), uint32_t(target.gpu_address >> 8));
    w.context(CB_COLOR_PITCH::address(0), side / 8 - 1).context(CB_COLOR_SLICE::address(0), side * side / 64 - 1);
    using Attrib = CB_COLOR_ATTRIB;
    w.context(Attrib::address(0), Attrib::TILE_MODE_INDEX::of(14) | Attrib::NUM_SAMPLES::of(2) | Attrib::NUM_FRAGMENTS::of(2));
    using Config = PA_SC_AA_CONFIG;
    w.context(Config::address(), Config::MSAA_NUM_SAMPLES::of(2) | Config::MSAA_EXPOSED_SAMPLES::of(row.exposed_log) |
                                     Config::DETAIL_TO_EXPOSED_MODE::of(row.mode));
    w.context(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::MSAA_ENABLE::of(1));
    w.context(PA_SC_AA_MASK_X0Y0_X1Y0::address(), row.mask | row.mask << 16);
    w.context(PA_SC_AA_MASK_X0Y1_X1Y1::address(), row.mask | row.mask << 16);
    constexpr uint32_t inputs = 1 << 14;  // SAMPLE_COVERAGE
    w.context(SPI_PS_INPUT_ENA::address(), inputs).context(SPI_PS_INPUT_ADDR::address(), inputs);
    good(triangle(w));
    std::set<unsigned> all;
    for (unsigned n = 0; n < side * side * 4; n++)
      if (const uint8_t* texel = target.host_pointer + n * 4; texel[3]) all.insert(texel[0]);
    EXPECT_EQ(all, std::set<unsigned>{row.seen}) << std::hex << row.mask << " of " << row.exposed_log << " by " << row.mode;
  }
}

// --- the order of tests

// The program exports a depth that fails where the primitive's passes: which of them counts.
TEST_P(LineState, TheShadersOrderOfTestsCanBeForced) {
  Buffer depth = *space->allocate(width * height * 4, 4096);
  const uint64_t vertex = big_triangle(),
                 exporting = program({"v_mov_b32 v0, 1.0", "v_mov_b32 v1, 0x3f666666", "exp mrtz v1, off, off, off",
                                      "exp mrt0 v0, v0, v0, v0 done vm", "s_endpgm"});  // 0.9
  using Shader = DB_SHADER_CONTROL;
  for (uint32_t order = 0; order < 4; order++)
    for (const bool forced : {false, true}) {
      for (unsigned n = 0; n < width * height; n++) reinterpret_cast<float*>(depth.host_pointer)[n] = 0.5f;
      Words w = state(vertex, exporting);
      bind_depth(w, depth, DB_Z_INFO::FORMAT::Z_32_FLOAT, CompareFrag::FRAG_LESS);
      w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
      w.context(SPI_SHADER_Z_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_R);
      w.context(Shader::address(), Shader::Z_EXPORT_ENABLE::of(1) | Shader::Z_ORDER::of(order));
      w.context(DB_RENDER_OVERRIDE::address(), DB_RENDER_OVERRIDE::FORCE_SHADER_Z_ORDER::of(forced));
      w.shader(SPI_SHADER_USER_DATA_VS::address(0), number(-0.5f));  // depth 0.25
      good(triangle(w));
      const bool early = forced && order % 2 == 1;
      EXPECT_EQ(*reinterpret_cast<float*>(depth.host_pointer), early ? 0.25f : 0.5f) << order << (forced ? " forced" : "");
    }
}

}  // namespace
}  // namespace Atoll::sea_islands::test
