// PA_SC_EDGERULE: which primitive has a sample that lies on its edge, for every value, with edges and lines through pixels' centres. What
// is expected tests/pipeline/edge_model.h works out.
#include "gpu/sea_islands/raster_state.h"
#include "pipeline/edge_model.h"

namespace Atoll::sea_islands::test {
namespace {

using Atoll::test::Corner;
using Atoll::test::Sides;
using Rule = PA_SC_EDGERULE;
using Type = VGT_PRIMITIVE_TYPE::PRIM_TYPE;

class EdgeRule : public RasterState {
protected:
  void see(const std::vector<Corner>& corners, uint32_t type, uint32_t rule) {
    std::vector<Vertex> v;
    for (const Corner& c : corners) v.push_back(at_pixel(c.x, c.y));
    Words w = begin(v);
    w.context(Rule::address(), rule).context(PA_SU_LINE_CNTL::address(), PA_SU_LINE_CNTL::WIDTH::of(8));
    w.context(PA_SU_POINT_SIZE::address(), PA_SU_POINT_SIZE::WIDTH::of(32) | PA_SU_POINT_SIZE::HEIGHT::of(32));
    w.context(PA_SU_POINT_MINMAX::address(), PA_SU_POINT_MINMAX::MAX_SIZE::of(0xffff));
    good(draw(w, unsigned(corners.size()), type));
  }
  template <class Has>
  void expect(Has has) {
    compare([&](unsigned x, unsigned y) { return has(x + 0.5, y + 0.5); });
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, EdgeRule, testing::Values("interpreter"));

// L:R:T:B, 1 is in.
Sides of_bits(uint32_t bits) { return {bool(bits & 8), bool(bits & 4), bool(bits & 2), bool(bits & 1)}; }

TEST_P(EdgeRule, TrianglesPointsAndRectangles) {
  const std::vector<Corner> triangles[] = {{{4.5, 4.5}, {12.5, 4.5}, {4.5, 12.5}}, {{12.5, 12.5}, {4.5, 12.5}, {12.5, 4.5}}};
  for (uint32_t bits = 0; bits < 16; bits++) {
    SCOPED_TRACE(bits);
    for (const auto& triangle : triangles) {
      see(triangle, Type::DI_PT_TRILIST, Rule::ER_TRI::of(bits));
      expect([&](double x, double y) { return polygon_has(triangle, of_bits(bits), x, y); });
    }
    see({{8.5, 8.5}}, Type::DI_PT_POINTLIST, Rule::ER_POINT::of(bits));
    const std::vector<Corner> square = {{6.5, 6.5}, {10.5, 6.5}, {10.5, 10.5}, {6.5, 10.5}};
    expect([&](double x, double y) { return polygon_has(square, of_bits(bits), x, y); });
    see({square[0], square[1], square[3]}, Type::DI_PT_RECTLIST, Rule::ER_RECT::of(bits));
    expect([&](double x, double y) { return polygon_has(square, of_bits(bits), x, y); });
  }
}

// For lines to the right and to the left: the left and right edges of those that lead down, then of those that lead up, then top
// and bottom of level ones. For lines that lead down and up: edges of those to the right, then of those to the left.
TEST_P(EdgeRule, LinesByTheirDirection) {
  for (const auto& [from, to] : Atoll::test::lines_through_centres()) {
    const double dx = to.x - from.x, dy = to.y - from.y;
    const bool by_x = std::abs(dx) >= std::abs(dy);
    for (uint32_t bits = 0; bits < (by_x ? 64 : 16); bits++) {
      SCOPED_TRACE(fmt::format("{},{} to {},{}: {:#x}", from.x, from.y, to.x, to.y, bits));
      uint32_t rule = by_x ? (dx > 0 ? Rule::ER_LINE_LR::of(bits) : Rule::ER_LINE_RL::of(bits))
                           : (dy > 0 ? Rule::ER_LINE_TB::of(bits) : Rule::ER_LINE_BT::of(bits));
      uint32_t across = by_x ? (dy >= 0 ? bits >> 4 : bits >> 2) : (dx >= 0 ? bits >> 2 : bits);
      Sides sides{bool(across & 2), bool(across & 1), by_x ? bool(bits & 2) : true, by_x && (bits & 1)};
      see({from, to}, Type::DI_PT_LINELIST, rule);
      expect([&](double x, double y) { return line_has(from, to, sides, x, y); });
    }
  }
}

}  // namespace
}  // namespace Atoll::sea_islands::test
