// Primitives beyond a part of the window, where the depth buffer's picture begins, depth by the rasteriser.
#include <gtest/gtest.h>

#include "tests/gpu/r5xx/scene.h"

namespace Atoll::r5xx::test {
namespace {

using Prim = VAP_VF_CNTL::PRIM_TYPE;
constexpr std::array<float, 4> white{1, 1, 1, 1};

class Places : public testing::TestWithParam<gpu::Engine> {
protected:
  Scene scene{"r580", {.engine = GetParam(), .threads = 2}};
  Stream& s = scene.stream;

  void clear() { std::memset(scene.target.host_pointer, 0, Scene::width * Scene::height * 4); }
  bool drawn(unsigned x, unsigned y) const { return scene.at(x, y) != 0; }
};

// --- with the vertex engine, as clipping_test.cpp has it
void in_clip_space(Stream& s) {
  s.set(VAP_CNTL_STATUS::address(), 0).set(VAP_CLIP_CNTL::address(), VAP_CLIP_CNTL::PS_UCP_MODE::of(3));
  s.set(VAP_CNTL::address(), 0x00b0085a);
  s.set(VAP_PROG_STREAM_CNTL::address(0), 3u | (3u | 1 << 8 | 1 << 13) << 16);
  s.set(VAP_PVS_CODE_CNTL_0::address(), 0x00100000).set(VAP_PVS_CODE_CNTL_1::address(), 1);
  s.set(VAP_PVS_VECTOR_INDX_REG::address(), 0);
  s.burst(0x2208, {0x00f00203, 0x00d10001, 0x01248001, 0x01248001, 0x00f02203, 0x00d10021, 0x01248021, 0x01248021});
  s.set(VAP_GB_VERT_CLIP_ADJ::address(), {bits(1), bits(1), bits(1), bits(1)});
  s.set(VAP_VPORT_XSCALE::address(), {bits(32), bits(32), bits(16), bits(16), bits(0.5f), bits(0.5f)});
  s.set(VAP_VTE_CNTL::address(), 0x3f | VAP_VTE_CNTL::VTX_W0_FMT::of(1));
}

TEST_P(Places, PrimitivesBeyondAPartOfTheWindow) {
  struct Case {
    float horizontal, vertical;
    bool right, top, middle;
  };
  for (auto& c : {Case{1, 1, true, true, true}, Case{0.5f, 1, false, true, true}, Case{1, 0.5f, true, false, true},
                  Case{0.25f, 0.25f, false, false, true}}) {
    clear();
    in_clip_space(s);
    s.set(VAP_GB_VERT_DISC_ADJ::address(), bits(c.vertical)).set(VAP_GB_HORZ_DISC_ADJ::address(), bits(c.horizontal));
    auto quad = [&](float left, float top, float right, float bottom) {
      scene.draw(
          Prim::Quad_List,
          {{left, top, 0, 1, white}, {left, bottom, 0, 1, white}, {right, bottom, 0, 1, white}, {right, top, 0, 1, white}});
    };
    quad(0.6f, -0.2f, 0.9f, 0.2f), quad(-0.1f, -0.9f, 0.1f, -0.6f), quad(-0.1f, -0.1f, 0.55f, 0.1f);
    scene.run();
    EXPECT_EQ(drawn(57, 14), c.right) << c.horizontal;
    EXPECT_EQ(drawn(32, 4), c.top) << c.vertical;
    EXPECT_EQ(drawn(40, 16), c.middle);
  }
}

// --- depth
TEST_P(Places, TheDepthBuffersPictureBeginsElsewhere) {
  scene.depth_buffer(ZB_FORMAT::DEPTHFORMAT::_24_bit_Integer_Z_8_bit_Stencil);
  s.set(ZB_DEPTHPITCH::address(), 128).set(ZB_CNTL::address(), 6).set(ZB_ZSTENCILCNTL::address(), 7);
  s.set(ZB_DEPTHXY_OFFSET::address(), 64 | 32 << 16);
  scene.rectangle(4, 2, 8, 6, white).run();
  auto depth = [&](unsigned x, unsigned y) {
    uint32_t value;
    std::memcpy(&value, scene.depth.host_pointer + (y * 128 + x) * 4, 4);
    return value;
  };
  EXPECT_EQ(depth(5, 3), 0u);
  EXPECT_EQ(depth(64 + 5, 32 + 3) >> 8, 0x800000u);
  EXPECT_EQ(depth(64 + 8, 32 + 3), 0u);
}

TEST_P(Places, DepthByTheRasteriser) {
  scene.depth_buffer(ZB_FORMAT::DEPTHFORMAT::_24_bit_Integer_Z_8_bit_Stencil);
  s.set(ZB_CNTL::address(), 6).set(ZB_ZSTENCILCNTL::address(), 7).set(FG_DEPTH_SRC::address(), 1).set(ZB_ZTOP::address(), 0);
  s.set(US_W_FMT::address(), US_W_FMT::W_FMT::of(1) | US_W_FMT::W_SRC::of(1));
  for (uint32_t component : {0u, 2u}) {
    s.set(RS_COUNT::address(), RS_COUNT::IT_COUNT::of(4) | RS_COUNT::W_ADDR::of(component));
    s.set(RS_INST::address(0), 0x10 | RS_INST::W_CN::of(1));
    scene.draw(
        Prim::Triangle_List,
        {{0, 0, 0.5f, 1, {0.25f, 0, 0.75f, 0}}, {128, 0, 0.5f, 1, {0.25f, 0, 0.75f, 0}}, {0, 64, 0.5f, 1, {0.25f, 0, 0.75f, 0}}});
    scene.run();
    EXPECT_NEAR(double(scene.depth_at(5, 5) >> 8) / (1 << 24), component ? 0.75 : 0.25, 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Places, testing::Values(gpu::Engine::Interpreter, gpu::Engine::Jit),
                         [](const auto& engine) { return engine.param == gpu::Engine::Jit ? "jit" : "interpreter"; });

}  // namespace
}  // namespace Atoll::r5xx::test
