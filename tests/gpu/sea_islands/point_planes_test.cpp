// Points at the user planes that registers have, and viewports of vertices (Sea Islands 3D/Compute Register Reference,
// PA_CL_CLIP_CNTL.PS_UCP_*, VTE_VPORT_PROVOKE_DISABLE, PA_CL_POINT_*; docs/errata.md).
#include <fmt/format.h>

#include <cmath>

#include "draws.h"

namespace Atoll::sea_islands::test {
namespace {

using Type = VGT_PRIMITIVE_TYPE::PRIM_TYPE;
using Cntl = PA_CL_CLIP_CNTL;
using Out = PA_CL_VS_OUT_CNTL;

uint32_t number(float x) { return std::bit_cast<uint32_t>(x); }

class PointPlanes : public Draws {
protected:
  PointPlanes() {
    // One point: x in s0, w 2; its size in s1.
    point = program({"v_mov_b32 v1, s0", "v_mov_b32 v2, 0", "v_mov_b32 v3, 1.0", "v_mov_b32 v4, 2.0", "exp pos0 v1, v2, v3, v4",
                     "v_mov_b32 v5, s1", "exp pos1 v5, v5, v5, v5 done", "exp param0 v1, v1, v1, v1", "s_endpgm"});
    // t of the point, as its colour's red.
    sprite = program({"s_mov_b32 m0, s0", "v_interp_p1_f32 v2, v0, attr0.x", "v_interp_p2_f32 v2, v1, attr0.x",
                      "v_interp_p1_f32 v3, v0, attr0.y", "v_interp_p2_f32 v3, v1, attr0.y", "v_mov_b32 v4, 1.0",
                      "exp mrt0 v2, v3, v4, v4 done vm", "s_endpgm"});
  }
  // The plane is x >= 0. Points are 8 pixels wide and 4 high where no rectangle takes their place.
  Words begin(float x, uint32_t clip, float x_radius, float y_radius, float cull_radius, float size = 1,
              bool from_vertex = false) {
    std::memset(colour.host_pointer, 0, width * height * 4);
    Words w = state(point, sprite);
    w.shader(SPI_SHADER_PGM_RSRC2_VS::address(), SPI_SHADER_PGM_RSRC2_VS::USER_SGPR::of(2));
    w.shader(SPI_SHADER_USER_DATA_VS::address(0), number(x)).shader(SPI_SHADER_USER_DATA_VS::address(1), number(size));
    w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
    w.context(SPI_SHADER_POS_FORMAT::address(), 0x44);
    w.context(Out::address(), Out::VS_OUT_MISC_VEC_ENA::of(1) | Out::USE_VTX_POINT_SIZE::of(from_vertex));
    w.context(PA_SU_POINT_SIZE::address(), PA_SU_POINT_SIZE::WIDTH::of(64) | PA_SU_POINT_SIZE::HEIGHT::of(32));
    w.context(PA_SU_POINT_MINMAX::address(), PA_SU_POINT_MINMAX::MAX_SIZE::of(0xffff));
    w.context(SPI_INTERP_CONTROL_0::address(), SPI_INTERP_CONTROL_0::PNT_SPRITE_ENA::of(1) |
                                                   SPI_INTERP_CONTROL_0::PNT_SPRITE_OVRD_X::of(2) |
                                                   SPI_INTERP_CONTROL_0::PNT_SPRITE_OVRD_Y::of(3));
    w.context(SPI_PS_INPUT_CNTL::address(0), SPI_PS_INPUT_CNTL::PT_SPRITE_TEX::of(1));
    w.context(PA_CL_UCP_X::address(0), number(1)).context(Cntl::address(), Cntl::UCP_ENA_0::of(1) | clip);
    w.context(PA_CL_POINT_X_RAD::address(), number(x_radius)).context(PA_CL_POINT_Y_RAD::address(), number(y_radius));
    w.context(PA_CL_POINT_CULL_RAD::address(), number(cull_radius));
    w.context(PA_CL_POINT_SIZE::address(), number(from_vertex ? 100 : size));
    return w.user(VGT_PRIMITIVE_TYPE::address(), Type::DI_PT_POINTLIST);
  }
  // left, top, right, bottom of what is drawn, which is a rectangle; all 0: nothing.
  struct Box {
    unsigned left = 0, top = 0, right = 0, bottom = 0;
    bool operator==(const Box&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Box& b) {
      return out << b.left << "," << b.top << " to " << b.right << "," << b.bottom;
    }
  };
  Box box() {
    Box b{width, height, 0, 0};
    unsigned count = 0;
    for (unsigned y = 0; y < height; y++)
      for (unsigned x = 0; x < width; x++) {
        if (!pixel(x, y)) continue;
        b = {std::min(b.left, x), std::min(b.top, y), std::max(b.right, x + 1), std::max(b.bottom, y + 1)}, count++;
      }
    if (!count) return {};
    EXPECT_EQ(count, (b.right - b.left) * (b.bottom - b.top));
    return b;
  }
  Box drawn(Words w, unsigned count = 1) {
    good(w.packet(NUM_INSTANCES::opcode, {1}).packet(DRAW_INDEX_AUTO::opcode, {count, 2}));
    return box();
  }
  uint64_t point = 0, sprite = 0;
};
INSTANTIATE_TEST_SUITE_P(Engines, PointPlanes, testing::Values("interpreter", "jit"));

constexpr uint32_t mode(uint32_t n) { return Cntl::PS_UCP_MODE::of(n); }

// The middle is at x of -1/4 (w 2: a quarter of a half), 4 pixels left of the window's, and the radius 1/8, or 1/16 of it.
TEST_P(PointPlanes, RadiusDecides) {
  const PointPlanes::Box whole{24, 14, 32, 18};
  for (float radius : {0.0f, 0.0625f, 0.125f, 0.25f}) {
    const bool reaches = radius >= 0.125f;
    EXPECT_EQ(drawn(begin(-0.25f, mode(0), 0.25f, 0.25f, radius)), Box{}) << radius;
    EXPECT_EQ(drawn(begin(-0.25f, mode(1), 0.25f, 0.25f, radius)), reaches ? whole : Box{}) << radius;
    // By the size that the vertex gives, or the register.
    EXPECT_EQ(drawn(begin(-0.25f, mode(1), 0.25f, 0.25f, radius / 4, 4)), reaches ? whole : Box{}) << radius;
    EXPECT_EQ(drawn(begin(-0.25f, mode(1) | Cntl::UCP_CULL_ONLY_ENA::of(1), 0.25f, 0.25f, radius)), reaches ? whole : Box{});
  }
  // The vertex's size is the point's as well.
  EXPECT_EQ(drawn(begin(-0.25f, mode(1), 0.25f, 0.25f, 0.0625f, 2, true)), (Box{27, 15, 29, 17}));
  EXPECT_EQ(drawn(begin(-0.25f, mode(1), 0.25f, 0.25f, 0.0625f, 1, true)), Box{});
}

// A rectangle of the radii in the point's place, cut at the plane: half of a quarter of the window each way here.
TEST_P(PointPlanes, RectanglesAreCut) {
  // Half a width of 1/4 is 8 pixels, half a height of 1/8 is 2.
  auto at = [&](float x, uint32_t how) { return drawn(begin(x, how, 0.25f, 0.125f, 0.25f)); };
  for (uint32_t how : {mode(2), mode(3)}) {
    EXPECT_EQ(at(-0.25f, how), (Box{32, 14, 36, 18}));
    EXPECT_EQ(at(0.25f, how), (Box{32, 14, 44, 18}));
    EXPECT_EQ(at(-0.75f, how), Box{});  // beyond its radius
  }
  // Not across the plane.
  EXPECT_EQ(at(1, mode(2)), (Box{44, 14, 52, 18}));
  EXPECT_EQ(at(1, mode(3)), (Box{40, 14, 56, 18}));
  // Nothing is cut where planes only cull.
  EXPECT_EQ(at(-0.25f, mode(3) | Cntl::UCP_CULL_ONLY_ENA::of(1)), (Box{24, 14, 32, 18}));
  // Without radii, as drivers leave them: by the point's middle.
  EXPECT_EQ(drawn(begin(0.25f, mode(3), 0, 0, 0)), (Box{32, 14, 40, 18}));
  EXPECT_EQ(drawn(begin(-0.25f, mode(3), 0, 0, 0)), Box{});
  // Sizes of the vertex and of the register.
  EXPECT_EQ(drawn(begin(1, mode(3), 0.0625f, 0.0625f, 1, 4)), (Box{40, 12, 56, 20}));
  EXPECT_EQ(drawn(begin(1, mode(3), 0.0625f, 0.0625f, 1, 4, true)), (Box{40, 12, 56, 20}));
}

// The edge that t is 0 at: towards smaller y, or towards larger.
TEST_P(PointPlanes, RectanglesStandEitherWay) {
  for (bool turned : {false, true}) {
    drawn(begin(1, mode(3) | Cntl::PS_UCP_Y_SCALE_NEG::of(turned), 0.25f, 0.25f, 0.25f));
    EXPECT_EQ((pixel(48, 12) >> 8 & 255) < (pixel(48, 19) >> 8 & 255), !turned);
    EXPECT_LT(pixel(41, 16) & 255, pixel(54, 16) & 255);
  }
}

TEST_P(PointPlanes, RadiiThatAreNoNumbers) {
  for (float bad : {std::nanf(""), INFINITY, -INFINITY, 1e38f, -1.0f})
    for (uint32_t n = 0; n < 4; n++) {
      const Box seen = drawn(begin(0.25f, mode(n), bad, bad, bad, bad));
      if (n == 0) EXPECT_EQ(seen, (Box{32, 14, 40, 18}));
      if (n > 0 && std::isnan(bad)) EXPECT_EQ(seen, Box{});  // beyond the plane, as far as can be told
    }
}

// A line from one viewport to another: both ends where their own are, or both in the provoking vertex's.
TEST_P(PointPlanes, VerticesHaveTheirOwnViewports) {
  const uint64_t line = program({"v_cvt_f32_u32 v1, v0", "v_mad_f32 v1, v1, 0.5, s0", "v_mov_b32 v2, 0x3d000000",
                                 "v_mov_b32 v3, 0.5", "v_mov_b32 v4, 1.0", "exp pos0 v1, v2, v3, v4", "v_mov_b32 v6, v0",
                                 "exp pos1 v6, v6, v6, v6 done", "exp param0 v4, v4, v4, v4", "s_endpgm"});
  const uint64_t white = program({"v_mov_b32 v0, 1.0", "exp mrt0 v0, v0, v0, v0 done vm", "s_endpgm"});
  for (bool own : {false, true})
    for (bool last : {false, true})
      for (float from : {-0.25f, -1.25f}) {  // as it is, and cut at the left
        std::memset(colour.host_pointer, 0, width * height * 4);
        Words w = state(line, white);
        w.shader(SPI_SHADER_USER_DATA_VS::address(0), number(from));
        w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
        w.context(SPI_SHADER_POS_FORMAT::address(), 0x44);
        w.context(Out::address(), Out::VS_OUT_MISC_VEC_ENA::of(1) | Out::USE_VTX_VIEWPORT_INDX::of(1));
        w.context(PA_CL_GB_HORZ_CLIP_ADJ::address(), number(1));
        w.context(PA_SU_LINE_CNTL::address(), PA_SU_LINE_CNTL::WIDTH::of(8));
        // The second viewport is 16 pixels to the right.
        w.context(PA_CL_VPORT_XSCALE::address(1), number(width / 2))
            .context(PA_CL_VPORT_XOFFSET::address(1), number(width / 2 + 16));
        w.context(PA_CL_VPORT_YSCALE::address(1), number(height / 2))
            .context(PA_CL_VPORT_YOFFSET::address(1), number(height / 2));
        w.context(PA_CL_VPORT_ZSCALE::address(1), number(0.5f)).context(PA_CL_VPORT_ZOFFSET::address(1), number(0.5f));
        w.context(PA_SU_SC_MODE_CNTL::address(), PA_SU_SC_MODE_CNTL::PROVOKING_VTX_LAST::of(last));
        w.context(Cntl::address(), Cntl::VTE_VPORT_PROVOKE_DISABLE::of(own));
        w.user(VGT_PRIMITIVE_TYPE::address(), Type::DI_PT_LINELIST);
        const Box seen = drawn(std::move(w), 2);
        if (from > -1)
          EXPECT_EQ(seen, (Box{own || !last ? 24u : 40u, 16, own || last ? 56u : 40u, 17})) << own << last;
        else
          EXPECT_EQ(seen, (Box{last ? 16u : 0, 16, own || last ? 24u : 8, 17})) << own << last;
      }
}

}  // namespace
}  // namespace Atoll::sea_islands::test
