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

// What is not modelled is said.
TEST(Lines, ACoordinateAlongAStippledLineIsNamed) {
  Scene scene;
  scene.stream.set(VAP_OUT_VTX_FMT_1::address(), 0)
      .set(GB_ENABLE::address(), GB_ENABLE::LINE_STUFF_ENABLE::of(1) | GB_ENABLE::TEX0_SOURCE::of(1));
  scene.stream.set(RS_IP::address(0), 0u | 1 << 6 | 62 << 12 | 63 << 18);
  scene.stream.set(GA_LINE_STIPPLE_CONFIG::address(), bits(1) | 1);
  scene.draw(Prim::Line_List, corners);
  auto result = scene.machine.run(scene.stream);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(scene.machine.unknown("GB_ENABLE.LINE_STUFF_ENABLE: a coordinate along stippled lines"), 1u);
}

}  // namespace
}  // namespace Atoll::r5xx
