// Inputs of pixels beyond interpolated coordinates and colours: coordinates the short way round, flat and clamped ones, colours
// from coordinates and the fill colour, places on the screen, fog. With both engines.
#include <gtest/gtest.h>

#include <cmath>

#include "isa/r500/text.h"
#include "tests/gpu/r5xx/scene.h"

namespace Atoll::r5xx::test {
namespace {

using Prim = VAP_VF_CNTL::PRIM_TYPE;

class PixelInputs : public testing::TestWithParam<gpu::Engine> {
protected:
  Scene scene{"r580", {.engine = GetParam(), .threads = 2}};
  Stream& s = scene.stream;

  void code(const char* line) {
    auto words = r500::parse(line);
    ASSERT_TRUE(words) << line << ": " << words.error().message;
    scene.code({*words});
  }
  // A triangle over the whole picture whose first coordinate goes from 0.1 at the left to 0.9 at twice its width.
  void triangle(std::array<float, 4> left, std::array<float, 4> right) {
    scene.draw(Prim::Triangle_List, {{0, 0, 0.5f, 1, left, left}, {128, 0, 0.5f, 1, right, right}, {0, 64, 0.5f, 1, left, left}});
    scene.run();
  }
  unsigned channel(unsigned x, unsigned y, unsigned n) const { return scene.at(x, y) >> n * 8 & 0xff; }  // red lowest
};

TEST_P(PixelInputs, TheShortWayRound) {
  code("mad o0.rgb, t0, 1, 0 | mad o0.a, t0.w, 1, 0 @last");
  auto first = [&](unsigned x) { return 0.1f + 0.8f * (float(x) + 0.5f) / 128; };
  triangle({0.1f, 0.1f, 0.1f, 0.1f}, {0.9f, 0.9f, 0.9f, 0.9f});
  EXPECT_NEAR(channel(40, 1, 0), 255 * first(40), 1);
  s.set(SU_TEX_WRAP::address(), SU_TEX_WRAP::T0C0::of(1) | SU_TEX_WRAP::T0C3::of(1));
  // From 0.1 down to -0.1, or from 1.1 down to 0.9.
  triangle({0.1f, 0.1f, 0.1f, 0.1f}, {0.9f, 0.9f, 0.9f, 0.9f});
  for (unsigned n : {0u, 3u}) {
    const unsigned c = channel(40, 1, n);
    EXPECT_TRUE(c == 255 || std::abs(double(c) - 255 * (0.1 - 0.2 * 40.5 / 128)) < 1.5) << c;
  }
  for (unsigned n : {1u, 2u}) EXPECT_NEAR(channel(40, 1, n), 255 * first(40), 1);
  s.set(SU_TEX_WRAP::address(), SU_TEX_WRAP::T1C0::of(1));
  triangle({0.1f, 0.1f, 0.1f, 0.1f}, {0.9f, 0.9f, 0.9f, 0.9f});
  EXPECT_NEAR(channel(40, 1, 0), 255 * first(40), 1);
}

TEST_P(PixelInputs, CoordinatesAsColours) {
  code("mad o0.rgb, t0, 0.5, 0 | mad o0.a, t0.w, 0.5, 0 @last");
  using From = VAP_TEX_TO_COLOR_CNTL;
  s.set(From::address(), From::TEX_RGB_SHADE_FUNC_0::of(1));
  triangle({0, 0, 0, 0}, {2, 2, 2, 2});
  EXPECT_EQ(channel(2, 2, 0), channel(60, 2, 0));  // flat
  EXPECT_LT(channel(2, 2, 3) + 50, channel(60, 2, 3));
  s.set(From::address(), From::TEX_ALPHA_SHADE_FUNC_0::of(1));
  triangle({0, 0, 0, 0}, {2, 2, 2, 2});
  EXPECT_LT(channel(2, 2, 0) + 50, channel(60, 2, 0));
  EXPECT_EQ(channel(2, 2, 3), channel(60, 2, 3));
  s.set(From::address(), From::TEX_RGBA_CLAMP_0::of(1));
  triangle({2, -1, 2, 2}, {2, -1, 2, 2});
  EXPECT_EQ(scene.at(20, 20), 0x80800080);
  s.set(From::address(), 0);
  triangle({2, 0, 2, 2}, {2, 0, 2, 2});
  EXPECT_EQ(scene.at(20, 20), 0xffff00ff);
}

TEST_P(PixelInputs, AColourFromCoordinates) {
  scene.coloured();
  s.set(VAP_PROG_STREAM_CNTL::address(0), {3 | (3u | 2 << 8) << 16, 3u | 6 << 8 | 1 << 13});
  s.set(VAP_OUT_VTX_FMT_0::address(), {1 | 2, 4}).set(RS_COUNT::address(), {RS_COUNT::IC_COUNT::of(1), 0});
  code("mad o0.rgb, t0, 1, 0 | mad o0.a, t0.w, 1, 0 @last");
  auto draw = [&] {
    scene.rectangle(0, 0, 64, 32, {0, 0, 0, 0});
    scene.draw(Prim::Quad_List, {{0, 0, 0.5f, 1, {1, 0, 0, 1}, {0, 1, 0, 1}},
                                 {64, 0, 0.5f, 1, {1, 0, 0, 1}, {0, 1, 0, 1}},
                                 {64, 32, 0.5f, 1, {1, 0, 0, 1}, {0, 1, 0, 1}},
                                 {0, 32, 0.5f, 1, {1, 0, 0, 1}, {0, 1, 0, 1}}});
    scene.run();
  };
  draw();
  EXPECT_EQ(scene.at(20, 20), 0xff0000ff);
  s.set(GA_COLOR_CONTROL_PS3::address(), GA_COLOR_CONTROL_PS3::COLOR0_TEX_OVERRIDE::of(1));
  draw();
  EXPECT_EQ(scene.at(20, 20), 0xff00ff00);
  // The fill colour instead of either.
  s.set(GA_COLOR_CONTROL::address(), 0).set(GA_SOLID_RG::address(), {0x08001000, 0x10000400});
  draw();
  EXPECT_EQ(scene.at(20, 20), 0x40ffff80);
  // The same as floats; the older form writes them over.
  s.set(GA_FILL_R::address(), {bits(0.2f), bits(0.4f), bits(0.6f), bits(0.8f)});
  draw();
  EXPECT_EQ(scene.at(20, 20), 0xcc996633);
  s.set(GA_SOLID_RG::address(), 0x08001000);
  draw();
  EXPECT_EQ(scene.at(20, 20), 0xcc99ff80);
}

// Colour 3 is the back's of colour 1, unless it is coordinates.
TEST_P(PixelInputs, ColoursThatAreTextures) {
  scene.coloured();
  s.set(VAP_PROG_STREAM_CNTL::address(0), {3 | (3u | 3 << 8) << 16, 3u | 5 << 8 | 1 << 13});
  s.set(VAP_OUT_VTX_FMT_0::address(), {1 | 4 | 16, 0});
  s.set(SU_CULL_MODE::address(), SU_CULL_MODE::FACE::of(1));
  code("mad o0.rgb, t1, 1, 0 | mad o0.a, t1.w, 1, 0 @last");
  auto draw = [&](uint32_t face) {
    s.set(SU_CULL_MODE::address(), SU_CULL_MODE::FACE::of(face));
    scene.draw(Prim::Triangle_List, {{0, 0, 0.5f, 1, {1, 0, 0, 1}, {0, 1, 0, 1}},
                                     {128, 0, 0.5f, 1, {1, 0, 0, 1}, {0, 1, 0, 1}},
                                     {0, 64, 0.5f, 1, {1, 0, 0, 1}, {0, 1, 0, 1}}});
    scene.run();
    return scene.at(5, 5);
  };
  s.set(RS_COUNT::address(), {RS_COUNT::IC_COUNT::of(2), 1});
  EXPECT_NE(draw(0), draw(1));
  s.set(VAP_CLIP_CNTL::address(), VAP_CLIP_CNTL::CLIP_DISABLE::of(1) | VAP_CLIP_CNTL::COLOR3_IS_TEXTURE::of(1));
  EXPECT_EQ(draw(0), 0xff0000ff);
  EXPECT_EQ(draw(1), 0xff0000ff);
}

TEST_P(PixelInputs, PlacesOfTriangles) {
  code("mad o0.rgb, t0, 1, 0 | mad o0.a, t0.w, 1, 0 @last");
  s.set(GB_ENABLE::address(), GB_ENABLE::TRIANGLE_STUFF_ENABLE::of(1) | GB_ENABLE::TEX0_SOURCE::of(1));
  s.set(RS_IP::address(0), 0u | 1 << 6 | 62 << 12 | 63 << 18);
  s.set(GA_TRIANGLE_STIPPLE::address(), GA_TRIANGLE_STIPPLE::X_SHIFT::of(10) | GA_TRIANGLE_STIPPLE::Y_SHIFT::of(9));
  triangle({0, 0, 0, 0}, {0, 0, 0, 0});
  const double subpixels = 12;  // GB_TILE_CONFIG.SUBPIXEL 0
  EXPECT_NEAR(channel(40, 20, 0), 255 * 40.5 * subpixels / 1024, 1);
  EXPECT_NEAR(channel(40, 20, 1), 255 * 20.5 * subpixels / 512, 1);
  EXPECT_EQ(channel(40, 20, 2), 0u);
}

TEST_P(PixelInputs, DepthDividedApart) {
  scene.depth_buffer(ZB_FORMAT::DEPTHFORMAT::_24_bit_Integer_Z_8_bit_Stencil);
  s.set(ZB_CNTL::address(), 6).set(ZB_ZSTENCILCNTL::address(), 7);
  auto depth = [&] {
    scene.draw(Prim::Triangle_List, {{0, 0, 0.5f, 0.5f, {}}, {128, 0, 0.5f, 0.5f, {}}, {0, 64, 0.5f, 0.5f, {}}});
    scene.run();
    return double(scene.depth_at(5, 5) >> 8) / (1 << 24);
  };
  EXPECT_NEAR(depth(), 0.5, 1e-6);
  // x and y are on the screen, z is to be multiplied by 1/W0, which is what w is.
  s.set(VAP_VTE_CNTL::address(), VAP_VTE_CNTL::VTX_XY_FMT::of(1));
  EXPECT_NEAR(depth(), 0.25, 1e-6);
  s.set(VAP_VTE_CNTL::address(), VAP_VTE_CNTL::VTX_XY_FMT::of(1) | VAP_VTE_CNTL::VTX_W0_FMT::of(1));
  EXPECT_NEAR(depth(), 1, 1e-6);
}

TEST_P(PixelInputs, WithoutTheDepthUnitsCoverageNoColours) {
  scene.depth_buffer(ZB_FORMAT::DEPTHFORMAT::_24_bit_Integer_Z_8_bit_Stencil);
  s.set(ZB_CNTL::address(), 6).set(ZB_ZSTENCILCNTL::address(), 7 | ZB_ZSTENCILCNTL::ZERO_OUTPUT_MASK::of(1));
  triangle({1, 1, 1, 1}, {1, 1, 1, 1});
  EXPECT_EQ(scene.at(5, 5), 0u);
  EXPECT_NEAR(double(scene.depth_at(5, 5) >> 8) / (1 << 24), 0.5, 1e-6);
}

// --- fog
struct FogCase {
  uint32_t function, select;
  float scale, offset;
  double amount;
};

TEST_P(PixelInputs, FogTakesItsPart) {
  scene.coloured();
  code("mad o0.rgb, t0, 1, 0 | mad o0.a, t0.w, 1, 0 @last");
  using Fn = FG_FOG_BLEND::FN;
  s.set(FG_FOG_COLOR_R::address(), {0, 1023, 0}).set(FG_FOG_FACTOR::address(), 256);
  const FogCase cases[] = {
      {Fn::Fog_function_is_linear, 0, 1, 0.25f, 0.75},
      {Fn::Fog_function_is_linear, 0, -1, 0.25f, 0},
      {Fn::Fog_function_is_linear, 1, 1, 0, 0.25},
      {Fn::Fog_function_is_linear, 4, 0.125f, 0, 0.25},  // w is 2
      {Fn::Fog_function_is_linear, 5, 0.5f, 0, 0.25},    // z is 0.5
      {Fn::Fog_function_is_exponential, 0, 0.1f, 0, 1 - std::exp(-0.05 / 0.0933)},
      {Fn::Fog_function_is_exponential_squared, 0, 0.4f, 0, 1 - std::exp(-0.2 * 0.2 / 0.09)},
      {Fn::Fog_is_derived_from_constant_fog_factor, 0, 1, 0, 256 / 1023.0},
  };
  for (auto& c : cases) {
    s.set(FG_FOG_BLEND::address(), FG_FOG_BLEND::ENABLE::of(1) | FG_FOG_BLEND::FN::of(c.function));
    s.set(GB_SELECT::address(), GB_SELECT::FOG_SELECT::of(c.select));
    s.set(GA_FOG_SCALE::address(), {bits(c.scale), bits(c.offset)});
    const std::array<float, 4> first{1, 0, 0, 0.5f}, second{0, 0, 0, 0.25f};
    scene.draw(Prim::Triangle_List,
               {{0, 0, 0.5f, 0.5f, first, second}, {128, 0, 0.5f, 0.5f, first, second}, {0, 64, 0.5f, 0.5f, first, second}});
    scene.run();
    const std::string what = "function " + std::to_string(c.function) + " of " + std::to_string(c.select);
    EXPECT_NEAR(channel(9, 9, 0), 255 * (1 - c.amount), 1) << what;
    EXPECT_NEAR(channel(9, 9, 1), 255 * c.amount, 1) << what;
    EXPECT_EQ(channel(9, 9, 2), 0u) << what;
    EXPECT_EQ(channel(9, 9, 3), 0x80u) << what;
  }
}

TEST_P(PixelInputs, FogAsACoordinate) {
  code("mad o0.rgb, t0, 1, 0 | mad o0.a, t0.w, 1, 0 @last");
  using Select = GB_SELECT;
  s.set(Select::address(), Select::FOG_SELECT::of(5) | Select::FOG_STUFF_ENABLE::of(1) | Select::FOG_STUFF_COMP::of(1));
  s.set(GA_FOG_SCALE::address(), {bits(0.5f), bits(0.125f)});
  triangle({1, 0, 0, 1}, {1, 0, 0, 1});
  EXPECT_EQ(scene.at(9, 9), 0xff0060ff);
  s.set(Select::address(), Select::FOG_SELECT::of(5) | Select::FOG_STUFF_ENABLE::of(1) | Select::FOG_STUFF_TEX::of(1));
  triangle({1, 0, 0, 1}, {1, 0, 0, 1});
  EXPECT_EQ(scene.at(9, 9), 0xff0000ff);
}

INSTANTIATE_TEST_SUITE_P(Engines, PixelInputs, testing::Values(gpu::Engine::Interpreter, gpu::Engine::Jit),
                         [](const auto& engine) { return engine.param == gpu::Engine::Jit ? "jit" : "interpreter"; });

}  // namespace
}  // namespace Atoll::r5xx::test
