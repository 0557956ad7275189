// SC_EDGERULE: the primitive that has a sample on its edge, for every value, with edges and lines through pixels' centres.
// Expectations come from tests/pipeline/edge_model.h.
#include <gtest/gtest.h>

#include "tests/gpu/r5xx/scene.h"
#include "tests/pipeline/edge_model.h"

namespace Atoll::r5xx {
namespace {

using Atoll::test::Corner;
using Atoll::test::Sides;
using test::Point;
using test::Scene;
using Prim = VAP_VF_CNTL::PRIM_TYPE;
using Rule = SC_EDGERULE;

constexpr std::array<float, 4> white{1, 1, 1, 1};

template <class Has>
void expect(const std::vector<Corner>& corners, uint32_t type, uint32_t rule, Has has) {
  Scene scene;
  std::vector<Point> points;
  for (const Corner& c : corners) points.push_back({float(c.x), float(c.y), 0, 1, white});
  scene.stream.set(GB_MSPOS0::address(), GB_MSPOS0::MS_X0::of(6) | GB_MSPOS0::MS_Y0::of(6)).set(Rule::address(), rule);
  scene.stream.set(GA_POINT_SIZE::address(), GA_POINT_SIZE::WIDTH::of(24) | GA_POINT_SIZE::HEIGHT::of(24));
  scene.draw(type, points).run();
  for (unsigned y = 0; y < Scene::height; y++)
    for (unsigned x = 0; x < Scene::width; x++) ASSERT_EQ(scene.at(x, y) != 0, has(x + 0.5, y + 0.5)) << x << "," << y;
}

// The names that the manual's list gives the values.
Sides sides_of(uint32_t value) {
  const auto in = [&](uint32_t bit) { return (value & bit) == 0; };
  if (value < 16) return {in(8), in(4), in(2), in(1)};
  return {in(2), in(1), in(4), in(8), true};
}

TEST(EdgeRule, TrianglesAndPoints) {
  const std::vector<Corner> triangles[] = {{{4.5, 4.5}, {12.5, 4.5}, {4.5, 12.5}}, {{12.5, 12.5}, {4.5, 12.5}, {12.5, 4.5}}};
  for (uint32_t value = 0; value < 32; value++) {
    SCOPED_TRACE(value);
    for (const auto& triangle : triangles)
      expect(triangle, Prim::Triangle_List, Rule::ER_TRI::of(value),
             [&](double x, double y) { return polygon_has(triangle, sides_of(value), x, y); });
    const std::vector<Corner> square = {{6.5, 6.5}, {10.5, 6.5}, {10.5, 10.5}, {6.5, 10.5}};
    expect({{8.5, 8.5}}, Prim::Point_List, Rule::ER_POINT::of(value),
           [&](double x, double y) { return polygon_has(square, sides_of(value), x, y); });
  }
}

TEST(EdgeRule, LinesByTheirDirection) {
  for (const auto& [from, to] : Atoll::test::lines_through_centres()) {
    const double dx = to.x - from.x, dy = to.y - from.y;
    for (uint32_t value = 0; value < 32; value++) {
      SCOPED_TRACE(testing::Message() << from.x << "," << from.y << " to " << to.x << "," << to.y << ": " << value);
      const uint32_t rule = std::abs(dx) >= std::abs(dy) ? (dx > 0 ? Rule::ER_LINE_LR::of(value) : Rule::ER_LINE_RL::of(value))
                                                         : (dy > 0 ? Rule::ER_LINE_TB::of(value) : Rule::ER_LINE_BT::of(value));
      expect({from, to}, Prim::Line_List, rule, [&](double x, double y) { return line_has(from, to, sides_of(value), x, y); });
    }
  }
}

// As Mesa's r300g sets them, points and lines that lie on pixels' borders have one pixel for each that they cross (OpenGL: a point at 8, 8
// of one pixel is one pixel).
TEST(EdgeRule, ThoseOfMesaLeaveNoPixelOutAndTakeNoneTwice) {
  const uint32_t mesas = 0x2da49525;
  for (const auto& [from, to] : Atoll::test::lines_through_centres()) {
    Scene scene;
    scene.stream.set(GB_MSPOS0::address(), GB_MSPOS0::MS_X0::of(6) | GB_MSPOS0::MS_Y0::of(6)).set(Rule::address(), mesas);
    scene.draw(Prim::Line_List, {{float(from.x), float(from.y), 0, 1, white}, {float(to.x), float(to.y), 0, 1, white}}).run();
    EXPECT_EQ(scene.count(0) + 10, Scene::width * Scene::height) << from.x << "," << from.y << " to " << to.x << "," << to.y;
  }
}

}  // namespace
}  // namespace Atoll::r5xx
