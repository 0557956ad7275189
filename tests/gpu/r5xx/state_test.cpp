// Registers' effects, seen in pixels: targets, blending, depth and stencil, rasterization, attributes, sources of vertices.
#include <gtest/gtest.h>

#include <cmath>

#include "surface/number.h"
#include "tests/gpu/r5xx/scene.h"

namespace Atoll::r5xx {
namespace {

using test::bits;
using test::Point;
using test::Scene;
using Prim = VAP_VF_CNTL::PRIM_TYPE;
using Format = RB3D_COLORPITCH::COLORFORMAT;
using Out = US_OUT_FMT::OUT_FMT;

// C0 to C3 from the shader's channels: 0 alpha, 1 red, 2 green, 3 blue.
constexpr uint32_t out(uint32_t format, uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, bool is_signed = false) {
  return format | c0 << 8 | c1 << 10 | c2 << 12 | c3 << 14 | (is_signed ? 0xf0000u : 0);
}
constexpr uint32_t half_of(float v) { return v == 1 ? 0x3c00 : v == 0.5f ? 0x3800 : v == 0.25f ? 0x3400 : 0; }

void draw_one(Scene& scene, std::array<float, 4> colour) { scene.whole(colour).run(); }

TEST(Targets, FormatsStoreTheComponentsThatDriversExpect) {
  struct Case {
    const char* name;
    uint32_t colour, out;
    unsigned bytes;
    std::vector<uint8_t> expected;
  };
  auto h = [](float v) { return std::vector<uint8_t>{uint8_t(half_of(v)), uint8_t(half_of(v) >> 8)}; };
  auto f = [](float v) {
    uint32_t w = bits(v);
    return std::vector<uint8_t>{uint8_t(w), uint8_t(w >> 8), uint8_t(w >> 16), uint8_t(w >> 24)};
  };
  auto join = [](std::initializer_list<std::vector<uint8_t>> parts) {
    std::vector<uint8_t> all;
    for (auto& p : parts) all.insert(all.end(), p.begin(), p.end());
    return all;
  };
  const Case cases[] = {
      {"BGRA8", Format::ARGB8888, out(Out::C4_8, 3, 2, 1, 0), 4, {0xff, 0x80, 0x40, 0xbf}},
      {"RGBA8", Format::ARGB8888, out(Out::C4_8, 1, 2, 3, 0), 4, {0x40, 0x80, 0xff, 0xbf}},
      {"RGBA8 signed", Format::ARGB8888, out(Out::C4_8, 1, 2, 3, 0, true), 4, {0x20, 0x40, 0x7f, 0x5f}},
      {"B5G6R5", Format::RGB565, out(Out::C4_8, 3, 2, 1, 0), 2, {0x1f, 0x44}},      // 8, 32, 31
      {"B5G5R5A1", Format::ARGB1555, out(Out::C4_8, 3, 2, 1, 0), 2, {0x1f, 0xa2}},  // 31, 16, 8, 1
      {"B4G4R4A4", Format::ARGB4444, out(Out::C4_8, 3, 2, 1, 0), 2, {0x8f, 0xb4}},  // 15, 8, 4, 11
      {"R8", Format::I8, out(Out::C4_8, 0, 0, 1, 0), 1, {0x40}},
      {"A8", Format::I8, out(Out::C4_8, 0, 0, 0, 0), 1, {0xbf}},
      {"R8G8", Format::UV88, out(Out::C4_8, 2, 0, 1, 0), 2, {0x40, 0x80}},
      {"L8A8", Format::UV88, out(Out::C4_8, 0, 0, 1, 0), 2, {0x40, 0xbf}},
      {"R16", Format::UV88, out(Out::C_16, 1, 2, 3, 0), 2, {0x00, 0x40}},
      {"R16F", Format::UV88, out(Out::C_16_FP, 1, 2, 3, 0), 2, h(0.25f)},
      {"R16G16", Format::ARGB8888, out(Out::C2_16, 1, 2, 3, 0), 4, {0x00, 0x40, 0x00, 0x80}},
      {"R16G16F", Format::ARGB8888, out(Out::C2_16_FP, 1, 2, 3, 0), 4, join({h(0.25f), h(0.5f)})},
      {"L16A16F", Format::ARGB8888, out(Out::C2_16_FP, 1, 0, 0, 0), 4, join({h(0.25f), {0x00, 0x3a}})},
      {"RGBA16F", Format::ARGB16161616, out(Out::C4_16_FP, 1, 2, 3, 0), 8, join({h(0.25f), h(0.5f), h(1), {0x00, 0x3a}})},
      {"RGBA16", Format::ARGB16161616, out(Out::C4_16, 1, 2, 3, 0), 8, {0x00, 0x40, 0x00, 0x80, 0xff, 0xff, 0xff, 0xbf}},
      {"R32F", Format::ARGB8888, out(Out::C_32_FP, 1, 2, 3, 0), 4, f(0.25f)},
      {"A32F", Format::ARGB8888, out(Out::C_32_FP, 0, 1, 2, 3), 4, f(0.75f)},
      {"R32G32F", Format::ARGB16161616, out(Out::C2_32_FP, 1, 0, 2, 0), 8, join({f(0.25f), f(0.5f)})},
      {"RGBA32F", Format::ARGB32323232, out(Out::C4_32_FP, 1, 2, 3, 0), 16, join({f(0.25f), f(0.5f), f(1), f(0.75f)})},
      {"RGB10A2", Format::ARGB2101010, out(Out::C4_10, 1, 2, 3, 0), 4, {0x00, 0x01, 0xf8, 0xbf}},  // 256, 512, 1023, 2
  };
  for (auto& c : cases) {
    Scene scene;
    scene.colour_format(c.colour, c.out);
    draw_one(scene, {0.25f, 0.5f, 1, 0.75f});
    const uint8_t* pixel = scene.target.host_pointer + (5 * Scene::width + 7) * c.bytes;
    std::vector<uint8_t> found(pixel, pixel + c.bytes);
    ASSERT_EQ(c.expected.size(), c.bytes) << c.name;
    for (unsigned n = 0; n < c.bytes; n++)
      EXPECT_NEAR(found[n], c.expected[n], c.name == std::string("RGB10A2") || n % 2 == 0 ? 1 : 0) << c.name << " byte " << n;
  }
}

// The masks that r300g writes for one component of the API's colour.
TEST(Targets, ChannelMasksFollowTheFormat) {
  struct Case {
    const char* name;
    uint32_t colour, out, mask;
    uint32_t expected;  // of a buffer of zeros, colour all ones
  };
  const Case cases[] = {
      {"BGRA8 red", Format::ARGB8888, out(Out::C4_8, 3, 2, 1, 0), 4, 0x00ff0000},
      {"RGBA8 red", Format::ARGB8888, out(Out::C4_8, 1, 2, 3, 0), 1, 0x000000ff},
      {"RGBA8 alpha", Format::ARGB8888, out(Out::C4_8, 1, 2, 3, 0), 8, 0xff000000},
      {"R16G16 red", Format::ARGB8888, out(Out::C2_16, 1, 2, 3, 0), 6, 0x0000ffff},
      {"R16G16 green", Format::ARGB8888, out(Out::C2_16, 1, 2, 3, 0), 9, 0xffff0000},
  };
  for (auto& c : cases) {
    Scene scene;
    scene.colour_format(c.colour, c.out).stream.set(RB3D_COLOR_CHANNEL_MASK::address(), c.mask);
    draw_one(scene, {1, 1, 1, 1});
    EXPECT_EQ(scene.at(3, 3), c.expected) << c.name;
  }
}

TEST(Targets, SeveralAtOnceAndOneColourForAll) {
  Scene scene;
  scene.colour_format(Format::ARGB8888, out(Out::C4_8, 1, 2, 3, 0), 1);
  scene.code({Scene::move(0, 0), Scene::move(0, 1)});
  draw_one(scene, {1, 0, 0, 1});
  EXPECT_EQ(scene.at(9, 9, 0), 0xff0000ffu);
  EXPECT_EQ(scene.at(9, 9, 1), 0xff0000ffu);
  Scene copies;
  copies.colour_format(Format::ARGB8888, Out::UNUSED, 1)
      .stream.set(RB3D_CCTL::address(), 0x4000 | RB3D_CCTL::NUM_MULTIWRITES::of(1));
  draw_one(copies, {0, 1, 0, 1});
  EXPECT_EQ(copies.at(9, 9, 0), 0xff00ff00u);
  EXPECT_EQ(copies.at(9, 9, 1), 0xff00ff00u);
}

TEST(Blending, FactorsFunctionsAndConstants) {
  struct Case {
    const char* name;
    uint32_t control, alpha_control;
    std::array<float, 4> expected;
  };
  using B = RB3D_BLENDCNTL;
  using F = SourceBlendFactor;
  auto control = [](uint32_t source, uint32_t target, uint32_t combine, bool separate = false) {
    return B::ALPHA_BLEND_ENABLE::of(1) | B::SEPARATE_ALPHA_ENABLE::of(separate) | B::READ_ENABLE::of(1) |
           B::COMB_FCN::of(combine) | B::SRCBLEND::of(source) | B::DESTBLEND::of(target);
  };
  // Target 0.2, 0.4, 0.6, 0.8; source 0.6, 0.4, 0.2, 0.4; constant 1, 0.5, 0, 0.25 (red to alpha).
  const Case cases[] = {
      {"off", 0, 0, {0.6f, 0.4f, 0.2f, 0.4f}},
      {"alpha", control(F::GL_SRC_ALPHA, F::GL_ONE_MINUS_SRC_ALPHA, 0), 0, {0.36f, 0.4f, 0.44f, 0.64f}},
      {"both alpha", control(F::D3D_BOTHSRCALPHA, F::D3D_ONE, 0), 0, {0.36f, 0.4f, 0.44f, 0.64f}},
      {"add clamps", control(F::GL_ONE, F::GL_ONE, 0), 0, {0.8f, 0.8f, 0.8f, 1}},
      {"subtract", control(F::GL_ONE, F::GL_ONE, 2), 0, {0.4f, 0, 0, 0}},
      {"reverse", control(F::GL_ONE, F::GL_ONE, 6), 0, {0, 0, 0.4f, 0.4f}},
      {"min", control(F::GL_ZERO, F::GL_ZERO, 4), 0, {0.2f, 0.4f, 0.2f, 0.4f}},
      {"max", control(F::GL_ZERO, F::GL_ZERO, 5), 0, {0.6f, 0.4f, 0.6f, 0.8f}},
      {"multiply", control(F::GL_DST_COLOR, F::GL_ZERO, 0), 0, {0.12f, 0.16f, 0.12f, 0.32f}},
      {"constant", control(F::GL_CONSTANT_COLOR, F::GL_ZERO, 0), 0, {0.6f, 0.2f, 0, 0.1f}},
      {"separate", control(F::GL_ONE, F::GL_ZERO, 0, true), control(F::GL_ZERO, F::GL_ONE, 0), {0.6f, 0.4f, 0.2f, 0.8f}},
  };
  for (auto& c : cases) {
    Scene scene;
    scene.colour_format(Format::ARGB8888, out(Out::C4_8, 3, 2, 1, 0));
    scene.whole({0.2f, 0.4f, 0.6f, 0.8f});
    scene.stream.set(B::address(), {c.control, c.alpha_control});
    scene.stream.set(RB3D_CONSTANT_COLOR_AR::address(), {1023u | 256u << 16, 0u | 512u << 16});
    draw_one(scene, {0.6f, 0.4f, 0.2f, 0.4f});
    uint32_t value = scene.at(20, 20);
    for (unsigned n = 0; n < 4; n++) {
      unsigned shift = n == 0 ? 16 : n == 1 ? 8 : n == 2 ? 0 : 24;  // BGRA
      EXPECT_NEAR(value >> shift & 0xff, c.expected[n] * 255, 1.5) << c.name << " component " << n;
    }
  }
}

// The target's alpha in blending if no component is one: a single component is the alpha, two have none.
TEST(Blending, AlphaOfTargetsOfOneAndTwoComponents) {
  using B = RB3D_BLENDCNTL;
  using F = SourceBlendFactor;
  struct Case {
    const char* name;
    uint32_t colour, out;
    std::vector<uint8_t> expected;
  };
  const Case cases[] = {
      {"I8", Format::I8, out(Out::C4_8, 0, 0, 1, 0), {uint8_t(0.2f * 0.2f * 255 + 0.5f)}},
      {"UV88", Format::UV88, out(Out::C4_8, 2, 0, 1, 0), {51, 102}},  // by its components it would be 10 and 41
  };
  for (auto& c : cases) {
    Scene scene;
    scene.colour_format(c.colour, c.out);
    scene.whole({0.2f, 0.4f, 0.6f, 0.8f});
    scene.stream.set(B::address(), {B::ALPHA_BLEND_ENABLE::of(1) | B::READ_ENABLE::of(1) | B::SRCBLEND::of(F::GL_ZERO) |
                                        B::DESTBLEND::of(F::GL_DST_ALPHA),
                                    0});
    draw_one(scene, {1, 1, 1, 1});
    const uint8_t* pixel = scene.target.host_pointer + (5 * Scene::width + 7) * c.expected.size();
    for (size_t n = 0; n < c.expected.size(); n++) EXPECT_NEAR(pixel[n], c.expected[n], 1) << c.name << " component " << n;
  }
}

// Blending of floats: half of the functions cut their result to 0 to 1, the others do not, colour and alpha each for themselves.
TEST(Blending, ClampsOfFloats) {
  using B = RB3D_BLENDCNTL;
  const std::array<float, 4> source{1.5f, -0.5f, 0.75f, 2}, target{0.5f, 0.25f, -3, 0.5f};
  auto made = [&](uint32_t function, unsigned c) {
    float s = source[c], t = target[c];
    float value = function < 2    ? s + t
                  : function < 4  ? s - t
                  : function == 4 ? std::min(s, t)
                  : function == 5 ? std::max(s, t)
                                  : t - s;
    bool clamps = function == 0 || function == 2 || function == 6;
    return clamps ? std::clamp(value, 0.0f, 1.0f) : value;
  };
  for (uint32_t colour = 0; colour < 8; colour++)
    for (uint32_t alpha = 0; alpha < 8; alpha++) {
      Scene scene;
      scene.colour_format(Format::ARGB16161616, out(Out::C4_16_FP, 1, 2, 3, 0));
      scene.whole(target);
      auto control = [](uint32_t combine) {
        return B::ALPHA_BLEND_ENABLE::of(1) | B::SEPARATE_ALPHA_ENABLE::of(1) | B::READ_ENABLE::of(1) | B::COMB_FCN::of(combine) |
               B::SRCBLEND::of(SourceBlendFactor::GL_ONE) | B::DESTBLEND::of(SourceBlendFactor::GL_ONE);
      };
      scene.stream.set(B::address(), {control(colour), control(alpha)});
      draw_one(scene, source);
      for (unsigned c = 0; c < 4; c++) {
        uint16_t half;
        std::memcpy(&half, scene.target.host_pointer + (5 * Scene::width + 7) * 8 + c * 2, 2);
        float expected = made(c == 3 ? alpha : colour, c);
        EXPECT_EQ(half, surface::to_half(expected)) << "functions " << colour << " and " << alpha << ", component " << c;
      }
    }
}

TEST(Blending, LogicOperations) {
  struct Case {
    uint32_t rop, expected;
  };
  for (auto& c :
       {Case{0, 0}, Case{6, 0xf0 ^ 0xcc}, Case{8, 0xf0 & 0xcc}, Case{10, 0xcc}, Case{3, 0xff & ~0xf0}, Case{14, 0xfc}}) {
    Scene scene;
    scene.whole({0xcc / 255.0f, 0, 0, 0});
    scene.stream.set(RB3D_ROPCNTL::address(), RB3D_ROPCNTL::ROP_ENABLE::of(1) | RB3D_ROPCNTL::ROP::of(c.rop));
    draw_one(scene, {0xf0 / 255.0f, 0, 0, 0});
    EXPECT_EQ(scene.at(1, 1) & 0xff, c.expected) << "ROP " << c.rop;
  }
}

TEST(Depth, FunctionsAndFormats) {
  // less, less or equal, equal, greater or equal, greater, not equal against a buffer of 0.5.
  struct Case {
    uint32_t function;
    bool below, same, above;
  };
  for (auto& c :
       {Case{0, false, false, false}, Case{1, true, false, false}, Case{2, true, true, false}, Case{3, false, true, false},
        Case{4, false, true, true}, Case{5, false, false, true}, Case{6, true, false, true}, Case{7, true, true, true}})
    for (bool deep : {false, true}) {
      Scene scene;
      scene.depth_buffer(deep ? 2 : 0);
      if (deep)
        scene.fill_depth<uint32_t>(0x800000u << 8 | 0x5a);
      else
        scene.fill_depth<uint16_t>(0x8000);
      float middle = deep ? float(0x800000) / 16777215 : float(0x8000) / 65535;
      scene.stream.set(ZB_CNTL::address(), {ZB_CNTL::Z_ENABLE::of(1) | ZB_CNTL::ZWRITEENABLE::of(1), c.function});
      scene.rectangle(0, 0, 16, 32, {1, 1, 1, 1}, 0.25f).rectangle(16, 0, 32, 32, {1, 1, 1, 1}, middle);
      scene.rectangle(32, 0, 48, 32, {1, 1, 1, 1}, 0.75f).run();
      EXPECT_EQ(scene.at(8, 8) != 0, c.below) << "function " << c.function << deep;
      EXPECT_EQ(scene.at(24, 8) != 0, c.same) << "function " << c.function << deep;
      EXPECT_EQ(scene.at(40, 8) != 0, c.above) << "function " << c.function << deep;
      if (deep) {
        EXPECT_EQ(scene.depth_at(8, 8) & 0xff, 0x5au);  // the stencil stays
        EXPECT_NEAR(scene.depth_at(8, 8) >> 8, c.below ? 0x400000 : 0x800000, 1);
        EXPECT_NEAR(scene.depth_at(40, 8) >> 8, c.above ? 0xbfffff : 0x800000, 1);
      } else {
        EXPECT_NEAR(scene.depth_at<uint16_t>(8, 8), c.below ? 0x4000 : 0x8000, 1);
      }
    }
}

TEST(Depth, StencilOfFrontAndBackFaces) {
  Scene scene;
  scene.depth_buffer(2).fill_depth<uint32_t>(0xffffff05u);
  using C = ZB_ZSTENCILCNTL;
  scene.stream.set(
      ZB_CNTL::address(),
      {ZB_CNTL::STENCIL_ENABLE::of(1) | ZB_CNTL::STENCIL_FRONT_BACK::of(1) | ZB_CNTL::STENCIL_REFMASK_FRONT_BACK::of(1),
       C::STENCILFUNC::of(7) | C::STENCILZPASS::of(2) | C::STENCILFUNC_BF::of(7) | C::STENCILZPASS_BF::of(3), 0xffff10});
  scene.stream.set(ZB_STENCILREFMASK_BF::address(), 0xffff20);
  // Counter-clockwise as seen is the front (SU_CULL_MODE.FACE 0).
  scene.draw(Prim::Triangle_List, {{0, 0}, {0, 32}, {16, 0}});
  scene.draw(Prim::Triangle_List, {{32, 0}, {48, 0}, {32, 32}});
  scene.run();
  EXPECT_EQ(scene.depth_at(2, 2), 0xffffff10u);
  EXPECT_EQ(scene.depth_at(34, 2), 0xffffff06u);
  EXPECT_EQ(scene.depth_at(60, 2), 0xffffff05u);
}

TEST(Depth, SamplesThatPassAreCounted) {
  for (const char* chip : {"r580", "rv530"}) {
    Scene scene(chip);
    Buffer results = scene.machine.allocate(4096);
    bool two_z = std::string(chip) == "rv530";
    scene.depth_buffer(2).fill_depth<uint32_t>(0x80000000);
    scene.stream.set(ZB_CNTL::address(), {ZB_CNTL::Z_ENABLE::of(1), 1}).set(ZB_ZPASS_DATA::address(), 0);
    scene.rectangle(0, 0, 10, 10, {1, 1, 1, 1}, 0.25f).rectangle(20, 0, 30, 10, {1, 1, 1, 1}, 0.75f);
    for (uint32_t pipe : {0u, 1u}) {
      scene.stream.set(two_z ? RV530_FG_ZBREG_DEST::address() : SU_REG_DEST::address(), 1u << pipe);
      scene.stream.set(ZB_ZPASS_ADDR::address(), uint32_t(results.gpu_address) + pipe * 4);
    }
    scene.run();
    uint32_t counts[2];
    std::memcpy(counts, results.host_pointer, 8);
    EXPECT_EQ(counts[0] + counts[1], 100u) << chip;
  }
}

TEST(Depth, PolygonOffset) {
  Scene scene;
  scene.depth_buffer(2).fill_depth<uint32_t>(0);
  scene.stream.set(ZB_CNTL::address(), {ZB_CNTL::Z_ENABLE::of(1) | ZB_CNTL::ZWRITEENABLE::of(1), 7});
  scene.stream.set(SU_POLY_OFFSET_FRONT_SCALE::address(), {bits(12), bits(100), bits(12), bits(100), 3});
  scene.rectangle(0, 0, 16, 32, {}, 0.25f);
  // 1/64 a pixel to the right, clockwise.
  scene.draw(Prim::Triangle_List, {{32, 0, 0.25f}, {64, 0, 0.75f}, {32, 32, 0.25f}});
  scene.run();
  EXPECT_NEAR(scene.depth_at(4, 4) >> 8, 0.25 * 16777215 + 100, 2);
  EXPECT_NEAR(scene.depth_at(40, 4) >> 8, (0.25 + 8.5 / 64 + 1.0 / 64) * 16777215 + 100, 4);
}

// The Z unit fills its buffer with the clear value as its format has it: r300g writes a 16-bit colour into both halves.
TEST(Depth, ClearsOfColourThroughTheZUnit) {
  for (uint32_t value : {0u, 0x12341234u, 0xf81ff81fu, 0xffff0001u, 0x8000ffffu, ~0u})
    for (uint32_t format : {0u, 2u}) {
      Scene scene;
      scene.depth_buffer(format).fill_depth<uint32_t>(0x5a5a5a5a);
      scene.stream.set(ZB_BW_CNTL::address(), ZB_BW_CNTL::ZB_CB_CLEAR::of(1)).set(ZB_DEPTHCLEARVALUE::address(), value);
      scene.rectangle(0, 0, 48, 32, {1, 1, 1, 1}).run();
      for (unsigned y = 0; y < Scene::height; y++)
        for (unsigned x = 0; x < Scene::width; x++) {
          uint32_t is = format ? scene.depth_at(x, y) : scene.depth_at<uint16_t>(x, y);
          uint32_t mask = format ? ~0u : 0xffff;
          ASSERT_EQ(is, (x < 48 ? value : 0x5a5a5a5a) & mask) << std::hex << value << std::dec << ", " << x << ", " << y;
        }
    }
}

// Units are of 24 bits in a buffer of 16 as well.
TEST(Depth, PolygonOffsetOf16Bits) {
  for (float units : {0.0f, 256.0f, -512.0f, 25600.0f}) {
    Scene scene;
    scene.depth_buffer(0).fill_depth<uint16_t>(0);
    scene.stream.set(ZB_CNTL::address(), {ZB_CNTL::Z_ENABLE::of(1) | ZB_CNTL::ZWRITEENABLE::of(1), 7});
    scene.stream.set(SU_POLY_OFFSET_FRONT_SCALE::address(), {0, bits(units), 0, bits(units), 3});
    scene.rectangle(0, 0, 16, 32, {}, 0.25f).run();
    EXPECT_NEAR(scene.depth_at<uint16_t>(4, 4), 0.25 * 65535 + units / 256, 1) << units;
  }
}

// A pair of formats that no document names does not end the context: drawn as the buffer is, and reported.
TEST(Targets, BufferAndOutputThatDisagreeAreReported) {
  Scene scene;
  scene.colour_format(Format::ARGB32323232, out(Out::C4_8, 1, 2, 3, 0)).whole({0.25f, 0.5f, 1, 0});
  ASSERT_TRUE(scene.machine.run(scene.stream));
  EXPECT_NE(scene.machine.unknowns().find("COLORFORMAT 7 with US_OUT_FMT 0"), std::string::npos) << scene.machine.unknowns();
  EXPECT_EQ(scene.at<float>(0, 0), 0.25f);
}

TEST(AlphaFunction, ComparesEightBitsTenBitsAndFloats) {
  struct Case {
    uint32_t function, value;
    bool low, middle, high;  // alpha 0.4, 128/255, 0.6
  };
  using A = FG_ALPHA_FUNC;
  uint32_t eight = A::AF_EN::of(1) | A::AF_EN_8BIT::of(1) | A::AF_VAL::of(128);
  for (auto& c :
       {Case{eight | A::AF_FUNC::of(1), 0, true, false, false}, Case{eight | A::AF_FUNC::of(2), 0, false, true, false},
        Case{eight | A::AF_FUNC::of(6), 0, false, true, true}, Case{A::AF_EN::of(1) | A::AF_FUNC::of(4), 512, false, true, true},
        Case{A::AF_EN::of(1) | A::AF_FUNC::of(4) | A::FP16_ENABLE::of(1), 0x3840, false, false, true},
        // 0.4 as a half: alpha is compared as a half too.
        Case{A::AF_EN::of(1) | A::AF_FUNC::of(2) | A::FP16_ENABLE::of(1), 0x3666, true, false, false}}) {
    Scene scene;
    scene.stream.set(A::address(), c.function).set(FG_ALPHA_VALUE::address(), c.value);
    scene.rectangle(0, 0, 16, 32, {1, 0, 0, 0.4f})
        .rectangle(16, 0, 32, 32, {1, 0, 0, 128 / 255.0f})
        .rectangle(32, 0, 48, 32, {1, 0, 0, 0.6f})
        .run();
    EXPECT_EQ(scene.at(8, 8) != 0, c.low);
    EXPECT_EQ(scene.at(24, 8) != 0, c.middle);
    EXPECT_EQ(scene.at(40, 8) != 0, c.high);
  }
}

TEST(Scissors, RectangleAndClipRule) {
  Scene scene;
  scene.stream.set(SC_SCISSOR0::address(), {2u << 13 | 4, 29u << 13 | 60});
  // Visible inside clip rectangle 0 and not inside rectangle 1.
  scene.stream.set(SC_CLIP_0_A::address(), {0, 31u << 13 | 31, 8u << 13 | 8, 15u << 13 | 15});
  uint32_t rule = 0;
  for (uint32_t inside = 0; inside < 16; inside++)
    if ((inside & 1) && !(inside & 2)) rule |= 1u << inside;
  scene.stream.set(SC_CLIP_RULE::address(), rule);
  draw_one(scene, {1, 1, 1, 1});
  EXPECT_EQ(scene.count(0xffffffff), 28u * 28 - 8 * 8);
  EXPECT_EQ(scene.at(4, 2), 0xffffffffu);
  EXPECT_EQ(scene.at(3, 2), 0u);
  EXPECT_EQ(scene.at(31, 29), 0xffffffffu);
  EXPECT_EQ(scene.at(32, 29), 0u);
  EXPECT_EQ(scene.at(10, 10), 0u);
}

TEST(Raster, CullingByFace) {
  struct Case {
    uint32_t mode;
    bool counter_clockwise, clockwise;
  };
  for (auto& c : {Case{0, true, true}, Case{1, false, true}, Case{2, true, false}, Case{3, false, false},
                  Case{4 | 1, true, false}, Case{4 | 2, false, true}}) {
    Scene scene;
    scene.stream.set(SU_CULL_MODE::address(), c.mode);
    scene.draw(Prim::Triangle_List, {{0, 0, 0, 1, {1, 1, 1, 1}}, {0, 32, 0, 1, {1, 1, 1, 1}}, {16, 0, 0, 1, {1, 1, 1, 1}}});
    scene.draw(Prim::Triangle_List, {{32, 0, 0, 1, {1, 1, 1, 1}}, {48, 0, 0, 1, {1, 1, 1, 1}}, {32, 32, 0, 1, {1, 1, 1, 1}}})
        .run();
    EXPECT_EQ(scene.at(2, 2) != 0, c.counter_clockwise) << c.mode;
    EXPECT_EQ(scene.at(34, 2) != 0, c.clockwise) << c.mode;
  }
}

TEST(Raster, PointsAndLinesHaveTheirSizes) {
  Scene scene;
  scene.stream.set(GA_POINT_SIZE::address(), 48u << 16 | 24);  // 8 wide, 4 high
  scene.draw(Prim::Point_List, {{16, 16, 0, 1, {1, 1, 1, 1}}}).run();
  EXPECT_EQ(scene.count(0xffffffff), 32u);
  EXPECT_EQ(scene.at(12, 14), 0xffffffffu);
  EXPECT_EQ(scene.at(19, 17), 0xffffffffu);
  Scene lines;
  lines.stream.set(GA_LINE_CNTL::address(), 2u << 16 | 18);  // 3 pixels
  lines.draw(Prim::Line_List, {{10, 10.5f, 0, 1, {1, 1, 1, 1}}, {20, 10.5f, 0, 1, {1, 1, 1, 1}}}).run();
  EXPECT_EQ(lines.at(15, 9), 0xffffffffu);
  EXPECT_EQ(lines.at(15, 11), 0xffffffffu);
  EXPECT_EQ(lines.at(15, 8), 0u);
  EXPECT_EQ(lines.at(15, 12), 0u);
}

TEST(Raster, SpriteCoordinatesRunFromTheCorners) {
  Scene scene;
  scene.stream.set(VAP_OUT_VTX_FMT_1::address(), 0)
      .set(GB_ENABLE::address(), GB_ENABLE::POINT_STUFF_ENABLE::of(1) | GB_ENABLE::TEX0_SOURCE::of(1));
  scene.stream.set(RS_IP::address(0), 0u | 1 << 6 | 62 << 12 | 63 << 18);
  scene.stream.set(GA_POINT_S0::address(), {bits(0), bits(1), bits(1), bits(0)}).set(GA_POINT_SIZE::address(), 96u << 16 | 96);
  scene.draw(Prim::Point_List, {{16, 16}}).run();  // 16 by 16
  EXPECT_NEAR(scene.at(8, 8) & 0xff, 255 / 32.0, 1);
  EXPECT_NEAR(scene.at(8, 8) >> 8 & 0xff, 255 / 32.0, 1);
  EXPECT_NEAR(scene.at(23, 8) & 0xff, 255 * 31 / 32.0, 1);
  EXPECT_NEAR(scene.at(23, 8) >> 8 & 0xff, 255 / 32.0, 1);
  EXPECT_NEAR(scene.at(8, 23) >> 8 & 0xff, 255 * 31 / 32.0, 1);
  EXPECT_EQ(scene.at(8, 8) >> 16, 0xff00u);  // 0 and 1
}

TEST(Raster, PolygonsAsLinesAndPoints) {
  Scene scene;
  scene.stream.set(GA_POLY_MODE::address(),
                   GA_POLY_MODE::POLY_MODE::of(1) | GA_POLY_MODE::FRONT_PTYPE::of(1) | GA_POLY_MODE::BACK_PTYPE::of(2));
  std::array<float, 4> white{1, 1, 1, 1};
  scene.draw(Prim::Triangle_List, {{1.5f, 1.5f, 0, 1, white}, {1.5f, 29.5f, 0, 1, white}, {25.5f, 1.5f, 0, 1, white}});
  scene.draw(Prim::Triangle_List, {{32, 0, 0, 1, white}, {60, 0, 0, 1, white}, {32, 30, 0, 1, white}}).run();
  EXPECT_EQ(scene.at(6, 6), 0u);
  EXPECT_EQ(scene.at(1, 10), 0xffffffffu);
  EXPECT_EQ(scene.at(36, 6), 0xffffffffu);
}

TEST(Raster, MultisampledEdgesAreResolvedToMeans) {
  for (uint32_t config : {0u, 2u, 3u}) {
    unsigned samples = config == 0 ? 2 : config == 2 ? 4 : 6;
    Scene scene;
    Buffer resolved = scene.machine.allocate(Scene::width * Scene::height * 4);
    scene.stream.set(GB_AA_CONFIG::address(), GB_AA_CONFIG::AA_ENABLE::of(1) | GB_AA_CONFIG::NUM_AA_SUBSAMPLES::of(config));
    // Mesa's positions.
    uint32_t positions[3][2] = {{0x33399339u & 0xffffff, 0x393939}, {0xa28844, 0x2a2a2a}, {0x5b3731, 0xa99571}};
    unsigned row = config == 0 ? 0 : config - 1;
    if (config == 0) positions[0][0] = 0x393993;
    scene.stream.set(GB_MSPOS0::address(), {positions[row][0], positions[row][1]});
    scene.whole({0, 0, 0, 1});
    // The edge runs through the middle of column 16.
    scene.rectangle(0, 0, 16.5f, 32, {1, 1, 1, 1});
    scene.stream.set(RB3D_AARESOLVE_OFFSET::address(), {uint32_t(resolved.gpu_address), Scene::width, 1 | 4});
    scene.whole({0.3f, 0.3f, 0.3f, 0.3f}).run();
    auto at = [&](unsigned x) {
      uint32_t value;
      std::memcpy(&value, resolved.host_pointer + (9 * Scene::width + x) * 4, 4);
      return value;
    };
    EXPECT_EQ(at(15), 0xffffffffu) << samples;
    EXPECT_EQ(at(17), 0xff000000u) << samples;
    EXPECT_NEAR(at(16) & 0xff, 127.5, 255.0 / samples / 2 + 1) << samples;
    EXPECT_NE(at(16) & 0xff, 0u);
    EXPECT_EQ(at(16) >> 24, 0xffu);
  }
}

// --- attributes ----------------------------------------------------------------------------------------------------------------
TEST(Attributes, ColoursFormatsAndFlatShading) {
  Scene scene;
  scene.coloured();
  scene.stream.set(RS_IP::address(0), {RS_IP::COL_FMT::of(6), RS_IP::COL_PTR::of(1)});
  scene.code({Scene::move(1)});
  scene.rectangle(0, 0, 16, 32, {0, 1, 0, 0}).run();
  EXPECT_EQ(scene.at(4, 4), 0x0000ff00u);  // register 1 has colour 1
  scene.code({Scene::move(0)}).rectangle(16, 0, 32, 32, {0, 1, 0, 0}).run();
  EXPECT_EQ(scene.at(20, 4), 0xff000000u);  // 0, 0, 0, 1

  for (bool last : {false, true}) {
    Scene flat;
    flat.coloured();
    flat.stream.set(GA_COLOR_CONTROL::address(), 0x5555u | (last ? 3u : 0u) << 16);
    std::array<float, 4> red{1, 0, 0, 1}, green{0, 1, 0, 1}, blue{0, 0, 1, 1};
    flat.draw(Prim::Triangle_List, {{0, 0, 0, 1, red}, {32, 0, 0, 1, green}, {0, 32, 0, 1, blue}}).run();
    EXPECT_EQ(flat.at(4, 4), last ? 0xffff0000u : 0xff0000ffu);
    EXPECT_EQ(flat.at(20, 4), last ? 0xffff0000u : 0xff0000ffu);
  }
}

TEST(Attributes, ColoursOfBackFacesAndTheFace) {
  std::array<float, 4> red{1, 0, 0, 1}, green{0, 1, 0, 1};
  auto triangles = [&](Scene& scene) {
    scene.draw(Prim::Triangle_List, {{0, 0, 0, 1, red, green}, {0, 32, 0, 1, red, green}, {16, 0, 0, 1, red, green}});
    scene.draw(Prim::Triangle_List, {{32, 0, 0, 1, red, green}, {48, 0, 0, 1, red, green}, {32, 32, 0, 1, red, green}}).run();
  };
  Scene scene;
  scene.coloured(true);
  triangles(scene);
  EXPECT_EQ(scene.at(2, 2), 0xff0000ffu);
  EXPECT_EQ(scene.at(34, 2), 0xff00ff00u);
  Scene face;
  face.stream.set(RS_INST::address(0), RS_INST::COL_CN::of(3));
  triangles(face);
  EXPECT_EQ(face.at(2, 2), 0u);
  EXPECT_EQ(face.at(34, 2), 0x000000ffu);
}

TEST(Attributes, ColoursAreClampedUnlessTheyAreFloats) {
  for (bool floats : {false, true}) {
    Scene scene;
    scene.coloured().colour_format(Format::ARGB32323232, out(Out::C4_32_FP, 1, 2, 3, 0));
    scene.stream.set(GA_ROUND_MODE::address(), floats ? 0x31 : 1);
    draw_one(scene, {2, -1, 0.5f, 3});
    auto value = scene.at<std::array<float, 4>>(3, 3);
    EXPECT_EQ(value, floats ? (std::array<float, 4>{2, -1, 0.5f, 3}) : (std::array<float, 4>{1, 0, 0.5f, 1}));
  }
}

TEST(Attributes, PerspectiveUnlessSwitchedOff) {
  for (bool linear : {false, true}) {
    Scene scene;
    scene.stream.set(GB_SELECT::address(), GB_SELECT::W_SELECT::of(linear));
    // W0 holds 1/w: 1 at the left, 1/3 at the right.
    scene
        .draw(Prim::Quad_List, {{0, 0, 0, 1, {0, 0, 0, 1}},
                                {64, 0, 0, 1 / 3.0f, {1, 0, 0, 1}},
                                {64, 32, 0, 1 / 3.0f, {1, 0, 0, 1}},
                                {0, 32, 0, 1, {0, 0, 0, 1}}})
        .run();
    float t = 32.5f / 64, expected = linear ? t : t / 3 / (1 - t + t / 3);
    EXPECT_NEAR(scene.at(32, 16) & 0xff, expected * 255, 2) << linear;
  }
}

// --- where vertices come from --------------------------------------------------------------------------------------------------
class Vertices : public testing::Test {
protected:
  // 4 rectangles' corners in an array of positions, the number of the rectangle as colour.
  Vertices() {
    std::vector<uint32_t> words;
    for (unsigned n = 0; n < 4; n++)
      for (auto [x, y] : {std::pair{0, 0}, {16, 0}, {16, 32}, {0, 32}}) {
        for (float v : {float(x) + float(n) * 16, float(y), 0.5f, 1.0f}) words.push_back(bits(v));
        for (float v : {float(n + 1) / 255, 0.0f, 0.0f, 0.0f}) words.push_back(bits(v));
      }
    Buffer array = scene.machine.upload(words);
    scene.stream.packet(packets::_3D_LOAD_VBPNTR::opcode, {1, 8 | 8 << 8, uint32_t(array.gpu_address)});
  }
  // Colours in the columns of the four rectangles.
  std::array<uint32_t, 4> columns() { return {scene.at(8, 8), scene.at(24, 8), scene.at(40, 8), scene.at(56, 8)}; }
  using Colours = std::array<uint32_t, 4>;
  Scene scene;
};

TEST_F(Vertices, FromArraysInARow) {
  scene.stream.packet(packets::_3D_DRAW_VBUF_2::opcode, {Prim::Quad_List | 2u << 4 | 8u << 16});
  scene.run();
  EXPECT_EQ(columns(), (Colours{1, 2, 0, 0}));
}
TEST_F(Vertices, ManyByTheirOwnRegister) {
  scene.stream.set(VAP_ALT_NUM_VERTICES::address(), 12);
  scene.stream.packet(packets::_3D_DRAW_VBUF_2::opcode, {Prim::Quad_List | 2u << 4 | VAP_VF_CNTL::USE_ALT_NUM_VERTS::of(1)});
  scene.run();
  EXPECT_EQ(columns(), (Colours{1, 2, 3, 0}));
}
TEST_F(Vertices, FromAnOffset) {
  scene.stream.set(VAP_INDEX_OFFSET::address(), 4);
  scene.stream.packet(packets::_3D_DRAW_VBUF_2::opcode, {Prim::Quad_List | 2u << 4 | 4u << 16});
  scene.run();
  EXPECT_EQ(columns(), (Colours{0, 2, 0, 0}));
}
TEST_F(Vertices, ByIndicesOfTheStream) {
  scene.stream.packet(packets::_3D_DRAW_INDX_2::opcode, {Prim::Quad_List | 1u << 4 | 4u << 16, 9u << 16 | 8, 11u << 16 | 10});
  scene.stream.packet(packets::_3D_DRAW_INDX_2::opcode, {Prim::Quad_List | 1u << 4 | 1u << 11 | 4u << 16, 0, 1, 2, 3});
  scene.run();
  EXPECT_EQ(columns(), (Colours{1, 0, 3, 0}));
}
TEST_F(Vertices, ByAnIndexBuffer) {
  std::vector<uint32_t> indices{0xffffffff, 13u << 16 | 12, 15u << 16 | 14};
  Buffer buffer = scene.machine.upload(indices);
  scene.stream.packet(packets::_3D_DRAW_INDX_2::opcode, {Prim::Quad_List | 1u << 4 | 4u << 16});
  scene.stream.packet(packets::INDX_BUFFER::opcode, {0x80000810, uint32_t(buffer.gpu_address) + 4, 2});
  scene.run();
  EXPECT_EQ(columns(), (Colours{0, 0, 0, 4}));
}
TEST_F(Vertices, ByIndicesBelowAnOffset) {
  scene.stream.set(VAP_INDEX_OFFSET::address(), uint32_t(-4) & 0x1ffffff);
  scene.stream.packet(packets::_3D_DRAW_INDX_2::opcode, {Prim::Quad_List | 1u << 4 | 4u << 16, 9u << 16 | 8, 11u << 16 | 10});
  scene.run();
  EXPECT_EQ(columns(), (Colours{0, 2, 0, 0}));
}
TEST_F(Vertices, ByIndicesOf24Bits) {
  // 1'921'830'769 and its negative as offset, of which the register keeps 24 bits and the sign.
  constexpr uint32_t far = 1921830769;
  scene.stream.set(VAP_INDEX_OFFSET::address(), (0u - far & 0xffffff) | 1 << 24);
  scene.stream.packet(packets::_3D_DRAW_INDX_2::opcode,
                      {Prim::Quad_List | 1u << 4 | 1u << 11 | 4u << 16, far + 4, far + 5, far + 6, far + 7});
  scene.run();
  EXPECT_EQ(columns(), (Colours{0, 2, 0, 0}));
}
TEST_F(Vertices, ClampedToTheHighest) {
  // Vertices 3 and beyond are vertex 3: half of the second rectangle cannot appear.
  scene.stream.set(VAP_VF_MAX_VTX_INDX::address(), {3, 0});
  scene.stream.packet(packets::_3D_DRAW_VBUF_2::opcode, {Prim::Quad_List | 2u << 4 | 8u << 16});
  scene.run();
  EXPECT_EQ(columns(), (Colours{1, 0, 0, 0}));
}
TEST_F(Vertices, ByRegistersAlone) {
  scene.stream.set(VAP_VF_CNTL::address(), Prim::Quad_List | 1u << 4 | 4u << 16)
      .set(VAP_PORT_IDX::address(0), {5u << 16 | 4, 7u << 16 | 6});
  scene.run();
  EXPECT_EQ(columns(), (Colours{0, 2, 0, 0}));
}
TEST_F(Vertices, NothingIsDrawnWithoutRendering) {
  scene.stream.set(VAP_CNTL::address(), VAP_CNTL::VAP_NO_RENDER::of(1));
  scene.stream.packet(packets::_3D_DRAW_VBUF_2::opcode, {Prim::Quad_List | 2u << 4 | 8u << 16});
  scene.run();
  EXPECT_EQ(columns(), (Colours{0, 0, 0, 0}));
}
TEST_F(Vertices, OutsideOfMemoryLoseTheContext) {
  scene.stream.set(VAP_INDEX_OFFSET::address(), 1 << 20);
  scene.stream.packet(packets::_3D_DRAW_VBUF_2::opcode, {Prim::Quad_List | 2u << 4 | 4u << 16});
  auto result = scene.machine.run(scene.stream);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("3D_DRAW_VBUF_2 at 0x"), std::string::npos) << result.error().message;
  EXPECT_NE(result.error().message.find("array 0"), std::string::npos) << result.error().message;
}

TEST(Pictures, ShowWhatWasDrawnLast) {
  Scene scene;
  unsigned draws = 0;
  std::vector<gpu::Picture> pictures;
  scene.machine.device->after_draw = [&](uint64_t, gpu::DrawnInto& into) {
    draws++;
    pictures = into.pictures();
  };
  scene.colour_format(Format::ARGB8888, out(Out::C4_8, 3, 2, 1, 0));
  draw_one(scene, {1, 0.5f, 0, 1});
  EXPECT_EQ(draws, 1u);
  ASSERT_EQ(pictures.size(), 1u);
  EXPECT_EQ(pictures[0].width, Scene::width);
  EXPECT_EQ(pictures[0].rgba[0], 255);
  EXPECT_EQ(pictures[0].rgba[1], 128);
  EXPECT_EQ(pictures[0].rgba[2], 0);
}

}  // namespace
}  // namespace Atoll::r5xx
