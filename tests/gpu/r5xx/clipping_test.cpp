// Viewports and clipping with the vertex engine on, in the forms that Mesa's r300g writes (22.3.6: r300_state.c
// r300_set_viewport_states, r300_set_clip_state, r300_create_rs_state; r300_emit.c): scales and offsets one by one, depth ranges,
// both clip spaces, user planes on every kind of primitive.
#include <gtest/gtest.h>

#include "tests/gpu/r5xx/scene.h"

namespace Atoll::r5xx {
namespace {

using test::bits;
using test::Point;
using test::Scene;
using Prim = VAP_VF_CNTL::PRIM_TYPE;

constexpr std::array<float, 4> white{1, 1, 1, 1};

// A scene in clip space: the vertex shader hands over position and vector 0.
class ClipScene : public Scene {
public:
  ClipScene() {
    stream.set(VAP_CNTL_STATUS::address(), 0).set(VAP_CLIP_CNTL::address(), VAP_CLIP_CNTL::PS_UCP_MODE::of(3));
    stream.set(VAP_CNTL::address(), 0x00b0085a);
    // Inputs stand one after the other (r300_vertex_psc).
    stream.set(VAP_PROG_STREAM_CNTL::address(0), 3u | (3u | 1 << 8 | 1 << 13) << 16);
    stream.set(VAP_PVS_CODE_CNTL_0::address(), 0x00100000).set(VAP_PVS_CODE_CNTL_1::address(), 1);
    stream.set(VAP_PVS_VECTOR_INDX_REG::address(), 0);
    stream.burst(0x2208, {0x00f00203, 0x00d10001, 0x01248001, 0x01248001, 0x00f02203, 0x00d10021, 0x01248021, 0x01248021});
    stream.set(VAP_GB_VERT_CLIP_ADJ::address(), {bits(1), bits(1), bits(1), bits(1)});
    viewport(32, 32, 16, 16, 0.5f, 0.5f);
  }
  void viewport(float x, float x0, float y, float y0, float z, float z0, uint32_t enabled = 0x3f) {
    stream.set(VAP_VPORT_XSCALE::address(), {bits(x), bits(x0), bits(y), bits(y0), bits(z), bits(z0)});
    stream.set(VAP_VTE_CNTL::address(), enabled | VAP_VTE_CNTL::VTX_W0_FMT::of(1));
  }
  void planes(std::initializer_list<std::array<float, 4>> planes, uint32_t enabled) {
    std::vector<uint32_t> words;
    for (auto& plane : planes)
      for (float v : plane) words.push_back(bits(v));
    stream.set(VAP_PVS_VECTOR_INDX_REG::address(), 0x600);
    stream.burst(0x2208, words);
    stream.set(VAP_CLIP_CNTL::address(), enabled | VAP_CLIP_CNTL::PS_UCP_MODE::of(3));
  }
  void quad(float left, float top, float right, float bottom, float z = 0, float w = 1) {
    draw(Prim::Quad_List, {{left * w, top * w, z * w, w, white},
                           {left * w, bottom * w, z * w, w, white},
                           {right * w, bottom * w, z * w, w, white},
                           {right * w, top * w, z * w, w, white}});
  }
};

TEST(ClipForms, ScalesAndOffsets) {
  struct Case {
    float x, x0, y, y0;
    unsigned left, top, right, bottom;  // of a quad from -0.5 to 0.5
  };
  for (auto& c : {Case{32, 32, 16, 16, 16, 8, 48, 24}, Case{-32, 32, 16, 16, 16, 8, 48, 24}, Case{32, 32, -16, 16, 16, 8, 48, 24},
                  Case{16, 20, 8, 10, 12, 6, 28, 14}, Case{64, 0, 32, 0, 0, 0, 32, 16}})
    for (float w : {1.0f, 4.0f}) {
      ClipScene scene;
      scene.viewport(c.x, c.x0, c.y, c.y0, 0.5f, 0.5f);
      scene.quad(-0.5f, -0.5f, 0.5f, 0.5f, 0, w);
      scene.run();
      EXPECT_EQ(scene.count(0xffffffff), (c.right - c.left) * (c.bottom - c.top)) << c.x0;
      EXPECT_NE(scene.at(c.left, c.top), 0u);
      EXPECT_NE(scene.at(c.right - 1, c.bottom - 1), 0u);
    }
}

// Depth ranges, reversed ones too; both clip spaces cut at their near plane.
TEST(ClipForms, DepthRangesAndClipSpaces) {
  for (bool from_zero : {false, true})
    for (bool reversed : {false, true}) {
      ClipScene scene;
      scene.depth_buffer(2).fill_depth<uint32_t>(0x11111100);
      scene.stream.set(ZB_CNTL::address(), {ZB_CNTL::Z_ENABLE::of(1) | ZB_CNTL::ZWRITEENABLE::of(1), 7});
      scene.stream.set(VAP_CNTL::address(), 0x00b0085a | VAP_CNTL::DX_CLIP_SPACE_DEF::of(from_zero));
      const float low = 0.25f, high = 0.75f, sign = reversed ? -1 : 1;
      if (from_zero)
        scene.viewport(32, 32, 16, 16, sign * (high - low), reversed ? high : low);
      else
        scene.viewport(32, 32, 16, 16, sign * (high - low) / 2, (high + low) / 2);
      const float depths[] = {-1.25f, -0.75f, -0.25f, 0.25f, 0.75f, 1.25f};
      for (unsigned n = 0; n < 6; n++) scene.quad(-1 + float(n) / 4, -1, -0.75f + float(n) / 4, 1, depths[n]);
      scene.run();
      for (unsigned n = 0; n < 6; n++) {
        const float z = depths[n];
        const bool inside = z <= 1 && z >= (from_zero ? 0 : -1);
        EXPECT_EQ(scene.at(n * 8 + 4, 9) != 0, inside) << from_zero << " depth " << z;
        if (!inside) continue;
        float unit = from_zero ? z : (z + 1) / 2, expected = low + (high - low) * (reversed ? 1 - unit : unit);
        EXPECT_NEAR(scene.depth_at(n * 8 + 4, 9) >> 8, double(expected) * 16777215, 2) << from_zero << " depth " << z;
      }
    }
}

// Each of six user planes alone cuts at x >= -0.5 + n / 8; several cut together.
TEST(ClipForms, UserPlanesOnPolygonsLinesAndPoints) {
  for (unsigned n = 0; n < 6; n++) {
    ClipScene scene;
    std::array<float, 4> all[6];
    for (unsigned p = 0; p < 6; p++) all[p] = {1, 0, 0, 0.5f - float(p) / 8};
    scene.planes({all[0], all[1], all[2], all[3], all[4], all[5]}, 1u << n);
    const unsigned cut = 16 + n * 4;
    scene.quad(-1, -1, 1, -0.5f);
    scene.draw(Prim::Line_List, {{-1, -0.21875f, 0, 1, white}, {1, -0.21875f, 0, 1, white}});  // row 12
    for (int x = -7; x < 8; x += 2) scene.draw(Prim::Point_List, {{float(x) / 8 + 1 / 64.0f, 0.53125f, 0, 1, white}});
    scene.run();
    for (unsigned x = 0; x < 64; x++) {
      EXPECT_EQ(scene.at(x, 4) != 0, x >= cut) << "plane " << n << " at " << x;
      EXPECT_EQ(scene.at(x, 12) != 0, x >= cut) << "plane " << n << " of a line at " << x;
    }
    for (int x = -7; x < 8; x += 2) {
      unsigned pixel = unsigned(32 + x * 4);
      EXPECT_EQ(scene.at(pixel, 24) != 0, pixel >= cut) << "plane " << n << " of a point at " << pixel;
    }
  }
  ClipScene scene;
  scene.planes({{1, 0, 0, 0.5f}, {-1, 0, 0, 0.5f}, {0, 1, 0, 0.5f}, {0, -1, 0, 0.5f}, {}, {}}, 0xf);
  scene.quad(-1, -1, 1, 1);
  scene.run();
  EXPECT_EQ(scene.count(0xffffffff), 32u * 16);
}

// PS_UCP_MODE 3: a wide point at a plane is cut like a polygon.
TEST(ClipForms, WidePointsAreCutByUserPlanes) {
  for (float x : {-0.05f, 0.05f}) {
    ClipScene scene;
    scene.stream.set(GA_POINT_SIZE::address(), 96u << 16 | 96);  // 16 pixels
    scene.planes({{1, 0, 0, 0}, {}, {}, {}, {}, {}}, 1);
    scene.draw(Prim::Point_List, {{x, 0, 0, 1, white}}).run();
    EXPECT_NE(scene.at(35, 16), 0u) << x;
    EXPECT_EQ(scene.at(30, 16), 0u) << x;
    // From the plane at 32 to the square's right side, 8 beyond the middle at 30.4 or 33.6.
    EXPECT_EQ(scene.count(0xffffffff), x < 0 ? 6u * 16 : 10u * 16) << x;
  }
}

// Pixels beyond the viewport are not drawn, whatever the scissor lets through; except with window coordinates.
TEST(ClipForms, BeyondTheViewport) {
  ClipScene scene;
  scene.viewport(16, 32, 8, 16, 0.5f, 0.5f);
  scene.quad(-2, -2, 2, 2);
  scene.run();
  EXPECT_EQ(scene.count(0xffffffff), 32u * 16);
}

// Sides that a user's plane cuts are drawn of an outline where they are asked for.
TEST(ClipForms, EdgesThatCuttingMakes) {
  for (uint32_t drawn : {0u, 1u}) {
    ClipScene scene;
    scene.planes({{1, 0, 0, 0}}, 1);  // x at or above 0
    scene.stream.set(VAP_CLIP_CNTL::address(), 1 | VAP_CLIP_CNTL::BOUNDARY_EDGE_FLAG_ENA::of(drawn));
    scene.stream.set(GA_POLY_MODE::address(),
                     GA_POLY_MODE::POLY_MODE::of(1) | GA_POLY_MODE::FRONT_PTYPE::of(1) | GA_POLY_MODE::BACK_PTYPE::of(1));
    scene.quad(-0.5f, -0.5f, 0.5f, 0.5f);
    scene.run();
    EXPECT_NE(scene.at(48, 16) | scene.at(47, 16), 0u) << "its own right side";
    EXPECT_EQ((scene.at(32, 12) | scene.at(31, 12)) != 0, drawn != 0) << drawn;
  }
}

}  // namespace
}  // namespace Atoll::r5xx
