// Clip, viewports, rasterization: each field against what the manual and Mesa's drivers say that its values mean.
#include <cmath>
#include <random>

#include "draw_machine.h"

namespace Atoll::dg1 {
namespace {

using namespace commands;
using pipeline::Fill;
using pipeline::Rectangle;
using DrawRaster = DrawMachine;
using Raster = _3DSTATE_RASTER;
using Sf = _3DSTATE_SF;
using Clip = _3DSTATE_CLIP;

constexpr uint32_t bits_of(float v) { return std::bit_cast<uint32_t>(v); }

TEST_F(DrawRaster, FacesAndFills) {
  constexpr bool front[] = {true, false, true, false}, back[] = {true, false, false, true};  // BOTH NONE FRONT BACK
  for (uint32_t cull = 0; cull < 4; cull++) {
    put<Raster::Cull_Mode>(cull);
    const auto r = found().rasterization;
    EXPECT_EQ(r.cull_front, front[cull]);
    EXPECT_EQ(r.cull_back, back[cull]);
  }
  for (uint32_t winding : {0u, 1u}) {
    put<Raster::Front_Winding>(winding);
    EXPECT_EQ(found().rasterization.front_is_clockwise, winding == 0);
  }
  constexpr Fill fills[] = {Fill::triangles, Fill::lines, Fill::points};
  for (uint32_t f = 0; f < 4; f++)
    for (uint32_t b = 0; b < 4; b++) {
      begin();
      put<Raster::Front_Face_Fill_Mode>(f), put<Raster::Back_Face_Fill_Mode>(b);
      pipeline::Draw draw;
      const std::string problem = find(draw);
      if (f == 3 || b == 3) {
        EXPECT_NE(problem.find(f == 3 ? "3DSTATE_RASTER.Front Face Fill Mode 3" : "3DSTATE_RASTER.Back Face Fill Mode 3"),
                  std::string::npos)
            << problem;
        continue;
      }
      EXPECT_EQ(draw.rasterization.fill_front, fills[f]);
      EXPECT_EQ(draw.rasterization.fill_back, fills[b]);
    }
}

// By fill mode, in units of the depth buffer's least step: 2^-16, 2^-24, of floats 2^-23 of the depth.
TEST_F(DrawRaster, DepthOffset) {
  for (uint32_t enables = 0; enables < 8; enables++)
    for (uint32_t f = 0; f < 3; f++)
      for (uint32_t b = 0; b < 3; b++) {
        put<Raster::Global_Depth_Offset_Enable_Solid>(enables & 1),
            put<Raster::Global_Depth_Offset_Enable_Wireframe>(enables >> 1 & 1),
            put<Raster::Global_Depth_Offset_Enable_Point>(enables >> 2);
        put<Raster::Front_Face_Fill_Mode>(f), put<Raster::Back_Face_Fill_Mode>(b);
        const auto r = found().rasterization;
        EXPECT_EQ(r.offset_front, bool(enables >> f & 1));
        EXPECT_EQ(r.offset_back, bool(enables >> b & 1));
        EXPECT_FALSE(r.offset_points_and_lines);
      }
  put<Raster::Global_Depth_Offset_Constant>(bits_of(6)), put<Raster::Global_Depth_Offset_Scale>(bits_of(2.5f)),
      put<Raster::Global_Depth_Offset_Clamp>(bits_of(-0.25f));
  struct Unit {
    uint32_t format;
    int exponent;
    bool floats;
  };
  for (Unit unit : {Unit{1, -23, true}, Unit{3, -24, false}, Unit{5, -16, false}}) {
    put<_3DSTATE_DEPTH_BUFFER::Surface_Format>(unit.format);
    for (bool legacy : {false, true}) {
      put<Sf::Legacy_Global_Depth_Bias_Enable>(legacy);
      const auto r = found().rasterization;
      EXPECT_EQ(r.offset_exponent, legacy ? 0 : unit.exponent);
      EXPECT_EQ(r.offset_of_floats, !legacy && unit.floats);
      for (const auto& offset : {r.depth_offset_front, r.depth_offset_back}) {
        EXPECT_EQ(offset.units, 6);
        EXPECT_EQ(offset.factor, 2.5f);
        EXPECT_EQ(offset.clamp, -0.25f);
      }
    }
  }
}

TEST_F(DrawRaster, LinesAndPoints) {
  EXPECT_EQ(found().rasterization.line_width, 1);
  put<Sf::Line_Width>(0);
  EXPECT_EQ(found().rasterization.line_width, 1);  // the thinnest
  put<Sf::Line_Width>(3 * 128 + 64);
  EXPECT_EQ(found().rasterization.line_width, 3.5f);
  for (bool on : {false, true}) {
    put<Sf::Last_Pixel_Enable>(on), put<_3DSTATE_WM::Line_Stipple_Enable>(on);
    const auto r = found().rasterization;
    EXPECT_EQ(r.last_line_pixel, on);
    EXPECT_EQ(r.line_stipple, on);
  }
  put<_3DSTATE_LINE_STIPPLE::Line_Stipple_Pattern>(0x5a3c), put<_3DSTATE_LINE_STIPPLE::Line_Stipple_Repeat_Count>(256);
  EXPECT_EQ(found().rasterization.line_stipple_pattern, 0x5a3c);
  EXPECT_EQ(found().rasterization.line_stipple_factor, 256u);
  for (uint32_t api : {0u, 1u, 2u}) {
    put<Raster::API_Mode>(api);
    EXPECT_EQ(found().rasterization.direct3d_diamonds, api > 0);
  }
  put<Sf::Point_Width>(5 * 8 + 1);
  put<Clip::Minimum_Point_Width>(12), put<Clip::Maximum_Point_Width>(100);
  for (uint32_t source : {0u, 1u}) {
    put<Sf::Point_Width_Source>(source);
    const auto r = found().rasterization;
    EXPECT_EQ(r.point_width, 5.125f);
    EXPECT_EQ(r.point_height, 5.125f);
    EXPECT_EQ(r.point_size_from_vertex, source == 0);
    EXPECT_EQ(r.point_least, source == 0 ? 1.5f : 0.125f);
    EXPECT_EQ(r.point_most, source == 0 ? 12.5f : 255.875f);
  }
  EXPECT_EQ(found().rasterization.point_edges, (pipeline::EdgeRule{true, false, true, false}));
  put<_3DSTATE_WM::Point_Rasterization_Rule>(1);
  EXPECT_EQ(found().rasterization.point_edges, (pipeline::EdgeRule{false, true, true, false}));
  put<Raster::API_Mode>(3);
  pipeline::Draw draw;
  EXPECT_NE(find(draw).find("3DSTATE_RASTER.API Mode 3"), std::string::npos);
}

// The leftmost pixel of a row is bit 31; the offsets are added to a pixel's place before it is looked up.
TEST_F(DrawRaster, PolygonStipple) {
  std::array<uint32_t, 32> rows;
  for (uint32_t n = 0; n < 32; n++) rows[n] = (n + 3) * 0x9e3779b9u;
  send<_3DSTATE_POLY_STIPPLE_PATTERN>([&](uint32_t* w) { std::ranges::copy(rows, w + 1); });
  EXPECT_FALSE(found().rasterization.polygon_stipple);
  put<_3DSTATE_WM::Polygon_Stipple_Enable>(1);
  for (auto [dx, dy] : {std::pair{0u, 0u}, {31u, 1u}, {5u, 29u}}) {
    put<_3DSTATE_POLY_STIPPLE_OFFSET::Polygon_Stipple_X_Offset>(dx),
        put<_3DSTATE_POLY_STIPPLE_OFFSET::Polygon_Stipple_Y_Offset>(dy);
    const auto r = found().rasterization;
    EXPECT_TRUE(r.polygon_stipple);
    for (uint32_t y = 0; y < 32; y++)
      for (uint32_t x = 0; x < 32; x++)
        ASSERT_EQ(r.polygon_stipple_rows[y] >> x & 1, rows[(y + dy) % 32] << (x + dx) % 32 >> 31) << x << "," << y;
  }
}

TEST_F(DrawRaster, GridAndPixels) {
  for (uint32_t precision : {0u, 1u})
    for (uint32_t corner : {0u, 1u}) {
      put<Sf::Vertex_Sub_Pixel_Precision_Select>(precision), put<_3DSTATE_MULTISAMPLE::Pixel_Location>(corner);
      EXPECT_EQ(found().rasterization.grid.denominator, precision ? 16u : 256u);
      EXPECT_EQ(found().rasterization.grid.pixel_centre, corner ? 0 : 0.5f);
    }
}

// Every sample of every count has its own fields; whether they are used, and whether lines are rectangles, is a table of API mode,
// enable and count (PRM volume 7, multisample rasterization modes).
TEST_F(DrawRaster, Samples) {
  std::vector<uint32_t> pattern(9);
  for (unsigned n = 1; n < 9; n++) pattern[n] = n * 0x9e3779b9u;
  send<_3DSTATE_SAMPLE_PATTERN>([&](uint32_t* w) { std::copy_n(&pattern[1], 8, w + 1); });
  // Byte offsets of sample 0: 16 of 16 from byte 4 on; of 8 the upper four first, then the lower four; of 4, of 2, of 1.
  auto place = [&](unsigned samples, unsigned n) {
    const auto* b = reinterpret_cast<const uint8_t*>(pattern.data()) + 4;
    const unsigned at = samples == 16 ? n : samples == 8 ? (n >= 4 ? 16 + n - 4 : 20 + n) : samples == 4 ? 24 + n : 28 + n;
    return pipeline::SamplePosition{int8_t(b[at] >> 4), int8_t(b[at] & 15)};
  };
  for (uint32_t log2 = 0; log2 < 5; log2++)
    for (uint32_t api = 0; api < 3; api++)
      for (bool enable : {false, true})
        for (auto topology : {pipeline::Topology::triangles, pipeline::Topology::lines}) {
          begin();
          send<_3DSTATE_SAMPLE_PATTERN>([&](uint32_t* w) { std::copy_n(&pattern[1], 8, w + 1); });
          put<_3DSTATE_MULTISAMPLE::Number_of_Multisamples>(log2);
          put<Raster::API_Mode>(api), put<Raster::DX_Multisample_Rasterization_Enable>(enable);
          put<_3DSTATE_SAMPLE_MASK::Sample_Mask>(0x5a5a);
          put<_3DSTATE_PS_EXTRA::Pixel_Shader_Is_Per_Sample>(1);
          target(0, [&] {
            auto w = colour(32, 32, SURFACE_FORMAT::R8G8B8A8_UNORM);
            SurfaceState::Number_of_Multisamples::set(w, log2), SurfaceState::Surface_Pitch::set(w, 127);
            return w;
          }());
          pipeline::Draw draw;
          draw.assembly.topology = topology;
          ASSERT_TRUE(find_fixed_function(*context, draw)) << context->report();
          const auto& r = draw.rasterization;
          const bool lines = topology == pipeline::Topology::lines;
          EXPECT_EQ(r.samples, 1u << log2);
          EXPECT_EQ(draw.targets.samples, 1u << log2);
          EXPECT_EQ(r.sample_mask, 0x5a5au);
          EXPECT_EQ(r.sample_shading, log2 > 0);
          EXPECT_EQ(r.rectangular_lines, enable && (log2 > 0 || api > 0));
          const bool by_pattern = log2 > 0 && (enable || (api > 0 && !lines));
          for (unsigned n = 0; n < 1u << log2; n++)
            EXPECT_EQ(r.sample_positions[n], by_pattern ? place(1u << log2, n) : (pipeline::SamplePosition{8, 8}))
                << log2 << " samples, api " << api << ", " << enable << ", sample " << n;
        }
  for (uint32_t forced = 0; forced < 8; forced++) {
    begin();
    put<Raster::Forced_Sample_Count>(forced);
    pipeline::Draw draw;
    const std::string problem = find(draw);
    if (forced > 5) {
      EXPECT_NE(problem.find("3DSTATE_RASTER.Forced Sample Count"), std::string::npos);
      continue;
    }
    EXPECT_EQ(draw.rasterization.over_rasterize, forced > 1);
    EXPECT_EQ(draw.rasterization.samples, forced > 1 ? 1u << (forced - 1) : 1u);
    EXPECT_EQ(draw.targets.samples, 1u);
  }
  for (uint32_t log2 : {5u, 6u, 7u}) {
    begin();
    put<_3DSTATE_MULTISAMPLE::Number_of_Multisamples>(log2);
    pipeline::Draw draw;
    EXPECT_NE(find(draw).find("3DSTATE_MULTISAMPLE.Number of Multisamples"), std::string::npos);
  }
}

TEST_F(DrawRaster, ClipModes) {
  for (uint32_t mode = 0; mode < 8; mode++)
    for (bool enable : {false, true}) {
      begin();
      put<Clip::Clip_Mode>(mode), put<Clip::Clip_Enable>(enable);
      pipeline::Draw draw;
      const std::string problem = find(draw);
      if (enable && mode != 0 && mode != 3 && mode != 4) {
        EXPECT_NE(problem.find("3DSTATE_CLIP.Clip Mode"), std::string::npos) << problem;
        continue;
      }
      EXPECT_EQ(problem, "");
      EXPECT_EQ(draw.clip.enable, enable && mode != 4);
      EXPECT_EQ(draw.rasterization.discard, enable && mode == 3);
    }
  begin();
  for (bool on : {false, true}) {
    put<Clip::Perspective_Divide_Disable>(on), put<Clip::API_Mode>(on);
    put<Raster::Viewport_Z_Near_Clip_Test_Enable>(on), put<Raster::Viewport_Z_Far_Clip_Test_Enable>(!on);
    const auto clip = found().clip;
    EXPECT_EQ(clip.divide, !on);
    EXPECT_EQ(clip.depth_from_zero, on);
    EXPECT_EQ(clip.cut_near, on);
    EXPECT_EQ(clip.cut_far, !on);
  }
  // Rendering may be off behind the stream output stage, or forced.
  for (uint32_t forced : {0u, 2u, 3u})
    for (bool off : {false, true}) {
      put<_3DSTATE_STREAMOUT::Force_Rendering>(forced), put<_3DSTATE_STREAMOUT::Rendering_Disable>(off);
      EXPECT_EQ(found().rasterization.discard, forced == 2 || (forced == 0 && off));
    }
}

// Distances are those that the last stage names, unless the clipper's own are forced.
TEST_F(DrawRaster, Distances) {
  put<Clip::User_Clip_Distance_Clip_Test_Enable_Bitmask>(0x11), put<Clip::User_Clip_Distance_Cull_Test_Enable_Bitmask>(0x12);
  put<_3DSTATE_VS::User_Clip_Distance_Clip_Test_Enable_Bitmask>(0x21),
      put<_3DSTATE_VS::User_Clip_Distance_Cull_Test_Enable_Bitmask>(0x22);
  put<_3DSTATE_DS::User_Clip_Distance_Clip_Test_Enable_Bitmask>(0x41),
      put<_3DSTATE_DS::User_Clip_Distance_Cull_Test_Enable_Bitmask>(0x42);
  put<_3DSTATE_GS::User_Clip_Distance_Clip_Test_Enable_Bitmask>(0x81),
      put<_3DSTATE_GS::User_Clip_Distance_Cull_Test_Enable_Bitmask>(0x82);
  auto are = [&](uint8_t clip, uint8_t cull) {
    EXPECT_EQ(found().clip.distances, clip);
    EXPECT_EQ(found().clip.cull_distances, cull);
  };
  are(0, 0);
  put<_3DSTATE_VS::Enable>(1), are(0x21, 0x22);
  put<_3DSTATE_DS::Enable>(1), are(0x41, 0x42);
  put<_3DSTATE_GS::Enable>(1), are(0x81, 0x82);
  put<Clip::Force_User_Clip_Distance_Clip_Test_Enable_Bitmask>(1), are(0x11, 0x82);
  put<Clip::Force_User_Clip_Distance_Cull_Test_Enable_Bitmask>(1), are(0x11, 0x12);
  put<Clip::Clip_Enable>(0), are(0, 0);
}

TEST_F(DrawRaster, Viewports) {
  for (unsigned n = 0; n < 16; n++) {
    float* f = memory<float>(dynamic_at + sf_viewports + n * 64);
    for (unsigned k = 0; k < 6; k++) f[k] = float(n * 10 + k);
    f[8] = -3 - float(n), f[9] = 5, f[10] = -7, f[11] = 4 + float(n);
    f[12] = float(n), f[13] = 20 + float(n), f[14] = 2 * float(n), f[15] = 30 + 2 * float(n);
    memory<float>(dynamic_at + cc_viewports)[2 * n] = 0.01f * float(n);
    memory<float>(dynamic_at + cc_viewports)[2 * n + 1] = 1 - 0.01f * float(n);
    const uint16_t rect[4] = {uint16_t(n + 1), uint16_t(3), uint16_t(19 + n), uint16_t(25)};
    std::memcpy(space->host(dynamic_at + scissors + n * 8), rect, sizeof rect);
  }
  put<Clip::Maximum_VP_Index>(15);
  for (bool scissor : {false, true}) {
    put<Raster::Scissor_Rectangle_Enable>(scissor);
    const auto draw = found();
    ASSERT_TRUE(draw.scissor_viewports);
    for (int n = 0; n < 16; n++) {
      const auto& v = draw.viewports[size_t(n)];
      EXPECT_EQ(v.scale, (std::array{float(n * 10), float(n * 10 + 1), float(n * 10 + 2)}));
      EXPECT_EQ(v.offset, (std::array{float(n * 10 + 3), float(n * 10 + 4), float(n * 10 + 5)}));
      EXPECT_EQ(v.depth_low, 0.01f * float(n));
      EXPECT_EQ(v.depth_high, 1 - 0.01f * float(n));
      const Rectangle extent{n, 2 * n, 21 + n, 31 + 2 * n};  // bounds are inside
      const Rectangle cut{std::max(n, n + 1), std::max(2 * n, 3), std::min(21 + n, 20 + n), std::min(31 + 2 * n, 26)};
      EXPECT_EQ(draw.viewport_scissors[size_t(n)],
                scissor ? (cut.bottom < cut.top ? Rectangle{cut.left, cut.top, cut.right, cut.top} : cut) : extent)
          << n;
    }
    // (the narrowest of all viewports)
    EXPECT_EQ(draw.clip.guard_band_x, 3);
    EXPECT_EQ(draw.clip.guard_band_y, 4);
  }
  put<Clip::Guardband_Clip_Test_Enable>(0);
  EXPECT_EQ(found().clip.guard_band_x, 1);
  put<Clip::Viewport_XY_Clip_Test_Enable>(0);
  EXPECT_GT(found().clip.guard_band_x, 1e20f);

  // The drawing rectangle cuts; positions count from its origin.
  put<Raster::Scissor_Rectangle_Enable>(0);
  using Drawn = _3DSTATE_DRAWING_RECTANGLE;
  send<Drawn>([](uint32_t* w) {
    Drawn::Clipped_Drawing_Rectangle_X_Min::set(w, 2), Drawn::Clipped_Drawing_Rectangle_Y_Min::set(w, 3);
    Drawn::Clipped_Drawing_Rectangle_X_Max::set(w, 9), Drawn::Clipped_Drawing_Rectangle_Y_Max::set(w, 17);
    Drawn::Drawing_Rectangle_Origin_X::set(w, 5), Drawn::Drawing_Rectangle_Origin_Y::set(w, 0xfffe);
  });
  auto draw = found();
  EXPECT_EQ(draw.viewport_scissors[0], (Rectangle{2, 3, 10, 18}));
  EXPECT_EQ(draw.viewports[1].offset, (std::array{18.0f, 12.0f, 15.0f}));
  // Without the transform old viewports do not count (blorp's rectangles).
  put<Sf::Viewport_Transform_Enable>(0);
  draw = found();
  EXPECT_EQ(draw.viewports[1].scale, (std::array{1.0f, 1.0f, 1.0f}));
  EXPECT_EQ(draw.viewports[1].offset, (std::array{5.0f, -2.0f, 0.0f}));
  EXPECT_EQ(draw.viewport_scissors[1], (Rectangle{2, 3, 10, 18}));
}

// Bounds between pixels leave the pixels whose centres are inside, as clipping at the viewport would.
TEST_F(DrawRaster, ViewportsBetweenPixels) {
  float* f = memory<float>(dynamic_at + sf_viewports);
  constexpr struct {
    float low, high;  // as drivers give them: the right edge less 1
    int first, end;
  } bounds[] = {{2.25f, 10.75f, 2, 12}, {2.75f, 10.25f, 3, 11}, {2.5f, 10.5f, 2, 11}, {-0.75f, 3.4f, -1, 4}};
  for (auto& b : bounds) {
    f[12] = f[14] = b.low, f[13] = f[15] = b.high;
    const Rectangle wanted{std::max(b.first, 0), std::max(b.first, 0), b.end, b.end};
    EXPECT_EQ(found().viewport_scissors[0], wanted) << b.low;
  }
}

// An empty scissor, as iris leaves it where nothing is scissored, lets nothing through once it counts.
TEST_F(DrawRaster, AnEmptyScissorDrawsNothing) {
  const uint16_t rect[4] = {1, 1, 0, 0};
  std::memcpy(space->host(dynamic_at + scissors), rect, sizeof rect);
  for (auto [x, y] : {std::pair{-3.0f, -1.0f}, {3, -1}, {0, 5}}) vertices.add(x, y, 0, 1, {1, 1, 1, 1});
  put<Raster::Scissor_Rectangle_Enable>(1);
  run();
  for (unsigned n = 0; n < 64 * 4096 / 4; n++) ASSERT_EQ(memory<uint32_t>(colours_at)[n], 0u);
  put<Raster::Scissor_Rectangle_Enable>(0);
  run();
  EXPECT_NE(memory<uint32_t>(colours_at)[4], 0u);
}

// Points and lines of topologies that say so are seen from behind, fans of one have no stipple, strips of two go on in their pattern.
TEST_F(DrawRaster, TopologiesOfTheSameShape) {
  using Type = _3DSTATE_VF_TOPOLOGY::Primitive_Topology_Type;
  using pipeline::Topology;
  put<_3DSTATE_WM::Polygon_Stipple_Enable>(1), put<_3DSTATE_WM::Line_Stipple_Enable>(1);
  context->lines_end.pattern = 5;
  for (uint32_t type = 1; type < 32; type++) {
    put<Type>(type);
    const pipeline::Rasterization raster = found().rasterization;
    EXPECT_EQ(raster.faces_back, type == 17 || type == 19 || type == 20) << type;
    EXPECT_EQ(raster.polygon_stipple, type != 22) << type;
    const bool goes_on = type == 18 || type == 20;
    EXPECT_EQ(raster.line_stipple_reset == pipeline::Rasterization::StippleReset::none, goes_on) << type;
    EXPECT_EQ(raster.line_stipple_start, goes_on ? 5u : 0u) << type;
  }
}

TEST_F(DrawRaster, Conservative) {
  for (const bool on : {false, true})
    for (const auto topology : {pipeline::Topology::triangles, pipeline::Topology::lines, pipeline::Topology::points}) {
      put<Raster::Conservative_Rasterization_Enable>(on);
      pipeline::Draw draw;
      draw.assembly.topology = topology;
      ASSERT_TRUE(find_fixed_function(*context, draw)) << context->report();
      using Conservative = pipeline::Rasterization::Conservative;
      EXPECT_EQ(draw.rasterization.conservative,
                on && topology == pipeline::Topology::triangles ? Conservative::touched : Conservative::off);
      EXPECT_TRUE(context->unknowns().empty());
    }
}

// Direct3D 10's diamonds have their lower edges, Direct3D 9's and OpenGL's have none.
TEST_F(DrawRaster, LegacyDiamonds) {
  for (uint32_t api = 0; api < 3; api++)
    for (const bool legacy : {false, true}) {
      put<Raster::API_Mode>(api), put<_3DSTATE_WM::Legacy_Diamond_Line_Rasterization>(legacy);
      EXPECT_EQ(found().rasterization.direct3d_diamonds, api > 0 && !legacy) << api << legacy;
    }
}

uint64_t y_tiled(uint32_t x, uint32_t y) {
  const uint32_t x_bytes = x * 4;
  return uint64_t(y / 32 * (4096 / 128) + x_bytes / 128) * 4096 + x_bytes % 128 / 16 * 512 + y % 32 * 16 + x_bytes % 16;
}

// Antialiased lines multiply alpha by coverage, against Sandy Bridge PRM volume 2 part 1, 6.3.12.5 (a rectangle that goes a region's width
// beyond the line's ends; coverage from its edges) and 7.3.2.2 (3DSTATE_AA_LINE_PARAMETERS), written out here for distances from the line.
TEST_F(DrawRaster, SmoothLines) {
  constexpr double regions[] = {0.5, 1, 2, 4};
  std::mt19937 random(41);
  auto below = [&](uint32_t n) { return random() % n; };
  put<Raster::Antialiasing_Enable>(1), put<Sf::AA_Line_Distance_Mode>(1);
  size_t compared = 0, partly = 0;
  for (unsigned round = 0; round < 300; round++) {
    const uint32_t width = 64 + below(128 * 8), sides = below(4), ends = below(4), cap = below(4);
    const bool by_slope = round % 3 == 2;
    const uint32_t slope = by_slope ? 40 + below(200) : 0, bias = below(150), end_slope = 40 + below(200), end_bias = below(150);
    put<Sf::Line_Width>(width), put<Sf::Line_End_Cap_Antialiasing_Region_Width>(cap);
    put<_3DSTATE_WM::Line_Antialiasing_Region_Width>(sides), put<_3DSTATE_WM::Line_End_Cap_Antialiasing_Region_Width>(ends);
    using Parameters = _3DSTATE_AA_LINE_PARAMETERS;
    put<Parameters::AA_Coverage_Slope>(slope), put<Parameters::AA_Coverage_Bias>(bias);
    put<Parameters::AA_Coverage_EndCap_Slope>(end_slope), put<Parameters::AA_Coverage_EndCap_Bias>(end_bias);
    double x[2], y[2];
    for (unsigned n = 0; n < 2; n++) x[n] = 12 + below(40 * 8) / 8.0, y[n] = 12 + below(40 * 8) / 8.0;
    const double length = std::hypot(x[1] - x[0], y[1] - y[0]);
    if (length < 2) continue;
    std::memset(memory<uint8_t>(colours_at), 0, 64 * 4096);
    vertices.vertices.clear();
    for (unsigned n = 0; n < 2; n++) vertices.add(float(x[n] / 32 - 1), float(1 - y[n] / 32), 0, 1, {1, 0.5f, 0.25f, 1});
    run(pipeline::Topology::lines);
    EXPECT_TRUE(context->unknowns().empty());
    const double half = width / 256.0, beyond = regions[cap];
    for (uint32_t py = 0; py < 64; py++)
      for (uint32_t px = 0; px < 64; px++) {
        const double vx = px + 0.5 - x[0], vy = py + 0.5 - y[0];
        const double along = (vx * (x[1] - x[0]) + vy * (y[1] - y[0])) / length,
                     across = std::abs(vx * (y[1] - y[0]) - vy * (x[1] - x[0])) / length;
        const double from_sides[2] = {half - across, half + across}, from_ends[2] = {along + beyond, length - along + beyond};
        auto cut = [](double v) { return std::min(std::max(v, 0.0), 1.0); };
        double coverage = 1, steepest = 0;
        if (by_slope) {
          for (unsigned n = 0; n < 2; n++) {
            coverage *= cut(from_sides[n] * slope / 256 - bias / 256.0) * cut(from_ends[n] * end_slope / 256 - end_bias / 256.0);
          }
          steepest = (slope + end_slope) / 256.0;
        } else {
          coverage = cut(from_sides[0] / (regions[sides] / 2));
          for (double from_end : from_ends) coverage *= cut(1 - (beyond - from_end) / regions[ends]);
          steepest = 2 / regions[sides] + 1 / regions[ends];
        }
        const double nearest = std::min(from_sides[0], std::min(from_ends[0], from_ends[1]));
        if (std::abs(nearest) < 0.02) continue;  // (either: edges lie on the grid of 1/256)
        if (nearest < 0) coverage = 0;
        const uint32_t pixel = *memory<uint32_t>(colours_at + y_tiled(px, py));
        compared++, partly += coverage > 0.02 && coverage < 0.98;
        ASSERT_NEAR(double(pixel >> 24), coverage * 255, 1 + 2 * steepest) << "round " << round << ": " << px << ", " << py;
        if (nearest > 0) ASSERT_EQ(pixel & 0xffffff, 0x4080ffu);  // colours stay
      }
  }
  EXPECT_GT(compared, 1000000u);
  EXPECT_GT(partly, 10000u);
}

// Round points, by either command; the ramp of a lone sample's alpha is that of lines' sides, or by slope and bias.
TEST_F(DrawRaster, RoundPoints) {
  auto points = [&] {
    pipeline::Draw draw;
    draw.assembly.topology = pipeline::Topology::points;
    EXPECT_TRUE(find_fixed_function(*context, draw));
    return draw.rasterization.round_points;
  };
  EXPECT_FALSE(points());
  put<Raster::Smooth_Point_Enable>(1);
  EXPECT_TRUE(points());
  put<Raster::Smooth_Point_Enable>(0), put<Sf::Smooth_Point_Enable>(1);
  constexpr float slopes[] = {4, 2, 1, 0.5f};
  for (uint32_t region = 0; region < 4; region++) {
    put<_3DSTATE_WM::Line_Antialiasing_Region_Width>(region);
    EXPECT_EQ(points()->slope, slopes[region]);
    EXPECT_EQ(points()->bias, 0);
  }
  put<_3DSTATE_AA_LINE_PARAMETERS::AA_Point_Coverage_Slope>(0x80), put<_3DSTATE_AA_LINE_PARAMETERS::AA_Point_Coverage_Bias>(0x40);
  EXPECT_EQ(points()->slope, 0.5f);
  EXPECT_EQ(points()->bias, -0.25f);
  EXPECT_TRUE(context->unknowns().empty());
}

// The thinnest lines never are smooth (Mesa 22.3.6 iris_state.c, get_line_width), nor those of several samples (3DSTATE_SF, Anti-aliasing
// Enable); smooth ones have no stipples (7.3.2.3), and the distance has one mode.
TEST_F(DrawRaster, WhichLinesAreSmooth) {
  auto lines = [&] {
    pipeline::Draw draw;
    draw.assembly.topology = pipeline::Topology::lines;
    EXPECT_TRUE(find_fixed_function(*context, draw));
    return draw.rasterization;
  };
  put<Sf::AA_Line_Distance_Mode>(1), put<_3DSTATE_WM::Line_Stipple_Enable>(1);
  EXPECT_FALSE(lines().smooth_lines);
  put<Raster::Antialiasing_Enable>(1);
  EXPECT_TRUE(lines().smooth_lines);
  EXPECT_FALSE(lines().line_stipple);
  EXPECT_FALSE(found().rasterization.smooth_lines);  // (triangles)
  put<Sf::Line_Width>(0);
  EXPECT_FALSE(lines().smooth_lines);
  EXPECT_TRUE(lines().line_stipple);
  put<Sf::Line_Width>(256);
  put<Raster::API_Mode>(1), put<Raster::DX_Multisample_Rasterization_Enable>(1);
  EXPECT_FALSE(lines().smooth_lines);
  put<Raster::DX_Multisample_Rasterization_Enable>(0);
  EXPECT_TRUE(lines().smooth_lines);
  EXPECT_TRUE(context->unknowns().empty());
  put<Sf::AA_Line_Distance_Mode>(0);
  EXPECT_TRUE(lines().smooth_lines);
  ASSERT_EQ(context->unknowns().size(), 1u);
  EXPECT_EQ(context->unknowns().front().what, "3DSTATE_SF.AA Line Distance Mode 0");
}

}  // namespace
}  // namespace Atoll::dg1
