// Primitives in every form that Mesa's r300g writes (22.3.6: r300_render.c, r300_state.c r300_create_rs_state): which vertex
// gives flat colours, point sizes, widths and ends of lines, polygons by their edges and corners with depth offsets.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/gpu/r5xx/scene.h"

namespace Atoll::r5xx {
namespace {

using test::bits;
using test::Point;
using test::Scene;
using Prim = VAP_VF_CNTL::PRIM_TYPE;
using Provoking = GA_COLOR_CONTROL::PROVOKING_VERTEX;

constexpr std::array<float, 4> white{1, 1, 1, 1};

// Each primitive's flat colour under both of OpenGL's conventions, by what r300_provoking_vertex_fixes writes for it: the pixel
// looked at, and the vertex (ARB_provoking_vertex, table 2.12; quads and polygons of r300g: always the last, the first).
TEST(PrimitiveForms, FlatColoursOfEveryPrimitive) {
  struct Look {
    unsigned x, y, first, last;
  };
  struct Case {
    const char* name;
    uint32_t type;
    std::vector<std::pair<float, float>> places;
    uint32_t first_mode, last_mode;
    std::vector<Look> looks;
  };
  const uint32_t first = Provoking::Provoking_is_first_vertex, second = Provoking::Provoking_is_second_vertex,
                 last = Provoking::Provoking_is_always_last_vertex;
  const Case cases[] = {
      {"triangles",
       Prim::Triangle_List,
       {{0, 0}, {0, 16}, {16, 0}, {32, 0}, {32, 16}, {48, 0}},
       first,
       last,
       {{2, 2, 0, 2}, {34, 2, 3, 5}}},
      {"strip",
       Prim::Triangle_Strip,
       {{0, 0}, {0, 16}, {16, 0}, {16, 16}, {32, 0}},
       first,
       last,
       {{2, 2, 0, 2}, {14, 12, 1, 3}, {18, 2, 2, 4}}},
      {"fan", Prim::Triangle_Fan, {{0, 0}, {0, 16}, {16, 16}, {16, 0}}, second, last, {{2, 12, 1, 2}, {12, 2, 2, 3}}},
      {"quads",
       Prim::Quad_List,
       {{0, 0}, {0, 16}, {16, 16}, {16, 0}, {32, 0}, {32, 16}, {48, 16}, {48, 0}},
       last,
       last,
       {{2, 12, 3, 3}, {12, 2, 3, 3}, {34, 12, 7, 7}, {44, 2, 7, 7}}},
      {"quad strip",
       Prim::Quad_Strip,
       {{0, 0}, {0, 16}, {16, 0}, {16, 16}, {32, 0}, {32, 16}},
       last,
       last,
       {{2, 12, 3, 3}, {12, 2, 3, 3}, {18, 12, 5, 5}, {28, 2, 5, 5}}},
      {"polygon", Prim::Polygon, {{0, 0}, {0, 16}, {16, 16}, {16, 0}}, last, last, {{2, 12, 0, 0}, {12, 2, 0, 0}}},
      {"lines", Prim::Line_List, {{0, 4.5f}, {16, 4.5f}, {32, 4.5f}, {48, 4.5f}}, first, last, {{8, 4, 0, 1}, {40, 4, 2, 3}}},
      {"line strip", Prim::Line_Strip, {{0, 4.5f}, {16, 4.5f}, {32, 4.5f}}, first, last, {{8, 4, 0, 1}, {24, 4, 1, 2}}},
      {"line loop",
       Prim::Line_Loop,
       {{4.5f, 4.5f}, {24.5f, 4.5f}, {24.5f, 24.5f}, {4.5f, 24.5f}},
       first,
       last,
       {{12, 4, 0, 1}, {24, 12, 1, 2}, {12, 24, 2, 3}, {4, 12, 3, 0}}},
      {"points", Prim::Point_List, {{4.5f, 4.5f}, {20.5f, 4.5f}}, first, last, {{4, 4, 0, 0}, {20, 4, 1, 1}}},
  };
  for (auto& c : cases)
    for (bool is_last : {false, true}) {
      Scene scene;
      scene.coloured();
      scene.stream.set(GA_COLOR_CONTROL::address(),
                       0x5555u | GA_COLOR_CONTROL::PROVOKING_VERTEX::of(is_last ? c.last_mode : c.first_mode));
      std::vector<Point> points;
      for (size_t n = 0; n < c.places.size(); n++) {
        std::array<float, 4> colour{float(n + 1) * 16 / 255, 0, 0, 1};
        points.push_back({c.places[n].first, c.places[n].second, 0, 1, colour, colour});
      }
      scene.draw(c.type, points).run();
      for (auto& look : c.looks)
        EXPECT_EQ((scene.at(look.x, look.y) & 0xff) / 16, (is_last ? look.last : look.first) + 1)
            << c.name << (is_last ? " last" : " first") << " at " << look.x << ", " << look.y;
    }
}

// Sizes from vertices, cut to GA_POINT_MINMAX; without them the register's.
TEST(PrimitiveForms, PointSizesFromVertices) {
  struct Case {
    float size, least, most, expected;
  };
  for (auto& c : {Case{6, 0, 4096, 6}, Case{3, 5, 4096, 5}, Case{30, 0, 12, 12}, Case{9, 4, 4, 4}}) {
    Scene scene;
    // Position, point size, texture coordinates.
    scene.stream.set(VAP_PROG_STREAM_CNTL::address(0), {3u | (0u | 1 << 8) << 16, 3u | 6 << 8 | 1 << 13});
    scene.stream.set(VAP_PROG_STREAM_CNTL_EXT::address(0), {0xf688u | 0xf688u << 16, 0xf688});
    scene.stream.set(VAP_OUT_VTX_FMT_0::address(),
                     {VAP_OUT_VTX_FMT_0::VTX_POS_PRESENT::of(1) | VAP_OUT_VTX_FMT_0::VTX_PT_SIZE_PRESENT::of(1), 4});
    scene.stream.set(VAP_VTX_SIZE::address(), 9);
    scene.stream.set(GA_POINT_MINMAX::address(), uint32_t(c.least * 6) | uint32_t(std::min(c.most * 6, 65535.0f)) << 16);
    scene.stream.packet(packets::_3D_DRAW_IMMD_2::opcode, {Prim::Point_List | 3u << 4 | 1u << 16, bits(30), bits(16), bits(0),
                                                           bits(1), bits(c.size), bits(1), bits(1), bits(1), bits(1)});
    scene.run();
    EXPECT_EQ(scene.count(0xffffffff), unsigned(c.expected * c.expected)) << c.size;
  }
}

// Lines of several widths; r300g ends smooth ones at right angles to them (END_TYPE 3), others along an axis (2).
TEST(PrimitiveForms, WidthsAndEndsOfLines) {
  for (uint32_t end : {2u, 3u})
    for (unsigned width : {1u, 2u, 3u, 7u}) {
      Scene scene;
      scene.stream.set(GA_LINE_CNTL::address(), GA_LINE_CNTL::WIDTH::of(width * 6) | GA_LINE_CNTL::END_TYPE::of(end));
      float y = width % 2 ? 8.5f : 8;
      scene.draw(Prim::Line_List, {{10.5f, y, 0, 1, white}, {30.5f, y, 0, 1, white}}).run();
      EXPECT_EQ(scene.count(0xffffffff), 20 * width) << width << " end " << end;
    }
  // A slope of 45 degrees, 8 wide: along an axis the ends are upright, at right angles they lean; so do the areas differ.
  unsigned counts[2];
  for (uint32_t end : {2u, 3u}) {
    Scene scene;
    scene.stream.set(GA_LINE_CNTL::address(), GA_LINE_CNTL::WIDTH::of(8 * 6) | GA_LINE_CNTL::END_TYPE::of(end));
    scene.draw(Prim::Line_List, {{20.2f, 6.2f, 0, 1, white}, {36.2f, 22.2f, 0, 1, white}}).run();
    counts[end - 2] = scene.count(0xffffffff);
    // The corner that only an end at right angles has: behind the first vertex, to the lower left.
    EXPECT_EQ(scene.at(18, 8) != 0, end == 3) << end;
  }
  EXPECT_NEAR(counts[0], 16 * 8, 8);
  EXPECT_NEAR(counts[1], 16 * std::sqrt(2.0) * 8, 12);
}

// Both faces in each of three ways; the depth offset goes with the polygon, whatever it is drawn as.
TEST(PrimitiveForms, PolygonModesAndOffsets) {
  for (uint32_t front : {0u, 1u, 2u})
    for (uint32_t back : {0u, 1u, 2u})
      for (uint32_t enable : {0u, 1u, 2u, 3u}) {
        Scene scene;
        scene.depth_buffer(2).fill_depth<uint32_t>(0);
        scene.stream.set(ZB_CNTL::address(), {ZB_CNTL::Z_ENABLE::of(1) | ZB_CNTL::ZWRITEENABLE::of(1), 7});
        // (Mesa leaves the mode alone where both are filled.)
        bool dual = front != 2 || back != 2;
        scene.stream.set(GA_POLY_MODE::address(), dual ? GA_POLY_MODE::POLY_MODE::of(1) | GA_POLY_MODE::FRONT_PTYPE::of(front) |
                                                             GA_POLY_MODE::BACK_PTYPE::of(back)
                                                       : 0u);
        scene.stream.set(SU_POLY_OFFSET_FRONT_SCALE::address(), {0, bits(1000), 0, bits(3000), enable});
        // Counter-clockwise is the front; the other quad is turned.
        scene.draw(Prim::Quad_List, {{2.5f, 2.5f, 0.25f, 1, white},
                                     {2.5f, 22.5f, 0.25f, 1, white},
                                     {22.5f, 22.5f, 0.25f, 1, white},
                                     {22.5f, 2.5f, 0.25f, 1, white}});
        scene.draw(Prim::Quad_List, {{34.5f, 2.5f, 0.25f, 1, white},
                                     {54.5f, 2.5f, 0.25f, 1, white},
                                     {54.5f, 22.5f, 0.25f, 1, white},
                                     {34.5f, 22.5f, 0.25f, 1, white}});
        scene.run();
        for (bool is_back : {false, true}) {
          const uint32_t type = is_back ? back : front;
          const unsigned left = is_back ? 34 : 2;
          EXPECT_EQ(scene.at(left + 10, 12) != 0, type == 2) << front << back;  // inside, and on the diagonal
          EXPECT_EQ(scene.at(left + 10, 2) != 0, type != 0) << front << back;
          EXPECT_EQ(scene.at(left, 10) != 0, type != 0) << front << back;
          EXPECT_NE(scene.at(left, 2), 0u) << front << back;
          const double units = enable >> is_back & 1 ? (is_back ? 3000 : 1000) : 0;
          EXPECT_NEAR(scene.depth_at(left, 2) >> 8, 0.25 * 16777215 + units, 2) << front << back << " offset " << enable;
        }
      }
}

// GA_OFFSET moves all positions, in subpixels.
TEST(PrimitiveForms, Offset) {
  Scene scene;
  scene.stream.set(GA_OFFSET::address(), 24u | uint32_t(uint16_t(-12)) << 16);  // 2 pixels right, 1 up
  scene.rectangle(10, 10, 20, 20, white).run();
  EXPECT_EQ(scene.count(0xffffffff), 100u);
  EXPECT_NE(scene.at(12, 9), 0u);
  EXPECT_NE(scene.at(21, 18), 0u);
}

// The sprite's coordinates with t from above or below, in two or three components (r300g: the rasteriser's S, T, R).
TEST(PrimitiveForms, SpriteCoordinatesOfBothOrigins) {
  for (bool lower_left : {false, true})
    for (uint32_t source : {1u, 2u}) {
      Scene scene;
      scene.stream.set(VAP_OUT_VTX_FMT_1::address(), 0)
          .set(GB_ENABLE::address(), GB_ENABLE::POINT_STUFF_ENABLE::of(1) | GB_ENABLE::TEX0_SOURCE::of(source));
      scene.stream.set(RS_IP::address(0), 0u | 1 << 6 | (source == 2 ? 2 : 62) << 12 | 63 << 18);
      // S0, T0 are the lower left corner's, S1, T1 the upper right one's (r300_state.c: point_texcoord_*).
      scene.stream.set(GA_POINT_S0::address(), {bits(0), bits(lower_left ? 0 : 1), bits(1), bits(lower_left ? 1 : 0)});
      scene.stream.set(GA_POINT_SIZE::address(), 96u << 16 | 96);
      scene.draw(Prim::Point_List, {{16, 16}}).run();
      EXPECT_NEAR(scene.at(9, 8) & 0xff, 255 * 1.5 / 16, 1);
      EXPECT_NEAR(scene.at(9, 8) >> 8 & 0xff, lower_left ? 255 * 15.5 / 16 : 255 * 0.5 / 16, 1);
      EXPECT_EQ(scene.at(9, 8) >> 16, 0xff00u);
    }
}

}  // namespace
}  // namespace Atoll::r5xx
