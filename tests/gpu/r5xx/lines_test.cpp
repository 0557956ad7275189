// Lines: which pixels they cover, and that the stipple registers take none of them away (docs/errata.md, "R5xx line stipple").
#include <gtest/gtest.h>

#include <set>

#include "tests/gpu/r5xx/scene.h"

namespace Atoll::r5xx {
namespace {

using test::bits;
using test::Point;
using test::Scene;
using Prim = VAP_VF_CNTL::PRIM_TYPE;
using Pixels = std::set<std::pair<unsigned, unsigned>>;

constexpr std::array<float, 4> white{1, 1, 1, 1};

// Down, right, up and left along pixels' centres: columns 3 and 23, rows 4 and 14.
const std::vector<Point> corners{
    {3.5f, 4.5f, 0, 1, white}, {23.5f, 4.5f, 0, 1, white}, {23.5f, 14.5f, 0, 1, white}, {3.5f, 14.5f, 0, 1, white}};

// OpenGL's rule (4.6 compatibility 14.5.1): a line has the pixel it begins in and not the one it ends in.
Pixels sides(const std::vector<unsigned>& drawn) {
  Pixels pixels;
  for (unsigned side : drawn) {
    if (side == 0 || side == 2)
      for (unsigned n = 0; n < 20; n++) pixels.insert(side == 0 ? std::pair{3 + n, 4u} : std::pair{23 - n, 14u});
    else
      for (unsigned n = 0; n < 10; n++) pixels.insert(side == 1 ? std::pair{23u, 4 + n} : std::pair{3u, 14 - n});
  }
  return pixels;
}

Pixels drawn_pixels(const Scene& scene) {
  Pixels pixels;
  for (unsigned y = 0; y < Scene::height; y++)
    for (unsigned x = 0; x < Scene::width; x++)
      if (scene.at(x, y)) pixels.insert({x, y});
  return pixels;
}

// Every reset, what r300g writes for GL's factors 1 to 256 (the factor less one as a float, two bits short) and its patterns.
TEST(Lines, StippleRegistersTakeNoPixelAway) {
  struct Case {
    uint32_t primitive;
    std::vector<unsigned> sides;
  };
  const Case cases[] = {{Prim::Line_List, {0, 2}}, {Prim::Line_Strip, {0, 1, 2}}, {Prim::Line_Loop, {0, 1, 2, 3}}};
  unsigned drawn = 0;
  for (auto& c : cases)
    for (uint32_t reset : {0u, 1u, 2u})
      for (float scale : {0.0f, 1.0f, 2.0f, 6.0f, 255.0f})
        for (uint32_t value : {0u, 0x1u, 0x00ffu, 0x0f8fu, 0x8cefu, 0x5555u, 0xaaaau, 0xffffu}) {
          Scene scene;
          scene.stream.set(GA_LINE_STIPPLE_CONFIG::address(), (bits(scale) & ~3u) | reset)
              .set(GA_LINE_STIPPLE_VALUE::address(), value);
          scene.draw(c.primitive, corners).run();
          ASSERT_EQ(drawn_pixels(scene), sides(c.sides))
              << c.primitive << " reset " << reset << " scale " << scale << " value " << value;
          drawn++;
        }
  EXPECT_EQ(drawn, 360u);
}

TEST(Lines, StippleRegistersLeaveOutlinesOfPolygonsWhole) {
  for (uint32_t value : {0u, 0x00ffu, 0x5555u}) {
    Scene scene;
    scene.stream.set(GA_POLY_MODE::address(),
                     GA_POLY_MODE::POLY_MODE::of(1) | GA_POLY_MODE::FRONT_PTYPE::of(1) | GA_POLY_MODE::BACK_PTYPE::of(1));
    scene.stream.set(GA_LINE_STIPPLE_CONFIG::address(), bits(1) | 1).set(GA_LINE_STIPPLE_VALUE::address(), value);
    scene.draw(Prim::Quad_List, corners).run();
    EXPECT_EQ(drawn_pixels(scene), sides({0, 1, 2, 3})) << value;
  }
}

// LINE_STUFF_ENABLE's T counts along lines, in subpixels times the scale: on through a packet, from line to line anew, or on from
// packet to packet in the accumulator.
TEST(Lines, ACoordinateCountsAlongThem) {
  for (auto engine : {gpu::Engine::Interpreter, gpu::Engine::Jit})
    for (uint32_t reset : {0u, 1u, 2u}) {
      Scene scene("r580", {.engine = engine, .threads = 2});
      using Out = US_OUT_FMT;
      scene.colour_format(RB3D_COLORPITCH::COLORFORMAT::ARGB32323232, Out::OUT_FMT::of(Out::OUT_FMT::C4_32_FP) |
                                                                          Out::C0_SEL::of(1) | Out::C1_SEL::of(2) |
                                                                          Out::C2_SEL::of(3) | Out::C3_SEL::of(0));
      scene.stream.set(VAP_OUT_VTX_FMT_1::address(), 0)
          .set(GB_ENABLE::address(), GB_ENABLE::LINE_STUFF_ENABLE::of(1) | GB_ENABLE::TEX0_SOURCE::of(1));
      scene.stream.set(RS_IP::address(0), 0u | 1 << 6 | 62 << 12 | 63 << 18);
      scene.stream.set(GA_LINE_S0::address(), {bits(0), bits(1)});
      const float scale = 1.0f / 12;  // of subpixels: pixels
      scene.stream.set(GA_LINE_STIPPLE_CONFIG::address(), (bits(scale) & ~3u) | reset).set(GA_LINE_STIPPLE_VALUE::address(), 24);
      for (int packet = 0; packet < 2; packet++) scene.draw(Prim::Line_Strip, {corners[0], corners[1], corners[2]});
      scene.run();
      auto coordinate = [&](unsigned x, unsigned y, unsigned n) { return scene.at<std::array<float, 4>>(x, y)[n]; };
      const float before = reset == 0 ? 2 + 30 : 0;  // the first packet's 30 pixels, from 2 on
      EXPECT_NEAR(coordinate(13, 4, 1), before + 10, 0.01f) << reset;
      EXPECT_NEAR(coordinate(23, 9, 1), (reset == 1 ? 0 : before + 20) + 5, 0.01f) << reset;
      EXPECT_NEAR(coordinate(13, 4, 0), 0.5f, 0.01f) << reset;
    }
}

// A sorted line leads from its end with the smaller x, or y where these are equal, whichever comes first.
TEST(Lines, SortedOnesLeadOneWay) {
  for (uint32_t sorted : {0u, 1u})
    for (bool turned : {false, true})
      for (bool upright : {false, true}) {
        Scene scene;
        scene.stream.set(VAP_OUT_VTX_FMT_1::address(), 0)
            .set(GB_ENABLE::address(), GB_ENABLE::LINE_STUFF_ENABLE::of(1) | GB_ENABLE::TEX0_SOURCE::of(1));
        scene.stream.set(RS_IP::address(0), 0u | 62 << 6 | 62 << 12 | 63 << 18);
        scene.stream.set(GA_LINE_S0::address(), {bits(0), bits(1)});
        scene.stream.set(GA_LINE_CNTL::address(), 0x00020006 | GA_LINE_CNTL::SORT::of(sorted));
        const Point first = corners[0], last = upright ? corners[3] : corners[1];
        scene.draw(Prim::Line_List, turned ? std::vector{last, first} : std::vector{first, last}).run();
        const uint32_t near = scene.at(5, 4) | scene.at(3, 6), far = scene.at(20, 4) | scene.at(3, 12);
        EXPECT_EQ((near & 0xff) < (far & 0xff), sorted || !turned) << sorted << turned << upright;
      }
}

}  // namespace
}  // namespace Atoll::r5xx
