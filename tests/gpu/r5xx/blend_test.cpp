// Blending in every form that Mesa's r300g writes (22.3.6: r300_state.c, r300_create_blend_state): factors by functions, with and
// without clamps, apart for alpha, its optimizations of reads; the blend constant of each format; all logic operations.
#include <gtest/gtest.h>

#include <cmath>

#include "surface/number.h"
#include "tests/gpu/r5xx/scene.h"

namespace Atoll::r5xx {
namespace {

using test::Scene;
using Format = RB3D_COLORPITCH::COLORFORMAT;
using Out = US_OUT_FMT::OUT_FMT;
using B = RB3D_BLENDCNTL;
using Colour = std::array<float, 4>;

constexpr uint32_t out(uint32_t format, uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, bool is_signed = false) {
  return format | c0 << 8 | c1 << 10 | c2 << 12 | c3 << 14 | (is_signed ? 0xf0000u : 0);
}

// OpenGL's factors in the order of the register's GL names, 32 to 46.
constexpr uint32_t first_factor = SourceBlendFactor::GL_ZERO, factors = 15;
float factor(uint32_t f, const Colour& s, const Colour& d, const Colour& k, unsigned c) {
  const float values[] = {
      0,    1,        s[c], 1 - s[c], d[c], 1 - d[c], s[3], 1 - s[3], d[3], 1 - d[3], c == 3 ? 1 : std::min(s[3], 1 - d[3]),
      k[c], 1 - k[c], k[3], 1 - k[3]};
  return values[f];
}
// Add, subtract, reverse, min, max: COMB_FCN with clamps, and without.
constexpr uint32_t functions[5][2] = {{0, 1}, {2, 3}, {6, 7}, {4, 4}, {5, 5}};
float combine(unsigned function, uint32_t source, uint32_t target, const Colour& s, const Colour& d, const Colour& k,
              unsigned c) {
  const float a = s[c] * factor(source, s, d, k, c), b = d[c] * factor(target, s, d, k, c);
  switch (function) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return b - a;
    case 3: return std::min(s[c], d[c]);
    default: return std::max(s[c], d[c]);
  }
}

// 15 x 15 factors x 5 functions for colour, alpha with others, in 8 bits with clamps and in halves without.
TEST(BlendForms, FactorsAndFunctions) {
  const Colour source{0.6f, 0.8f, 0.2f, 0.4f}, target{0.2f, 0.4f, 1.0f, 0.6f};
  const uint32_t fixed[4] = {1023, 512, 0, 256};  // red to alpha
  unsigned drawn = 0;
  for (bool floats : {false, true}) {
    Scene scene;
    Colour constant;
    for (unsigned c = 0; c < 4; c++) constant[c] = floats ? float(c + 1) / 4 : float(fixed[c]) / 1023;
    if (floats) {
      // The halves' order is Mesa's for R16G16B16A16: blue's place has red.
      scene.colour_format(Format::ARGB16161616, out(Out::C4_16_FP, 1, 2, 3, 0));
      uint32_t h[4];
      for (unsigned c = 0; c < 4; c++) h[c] = surface::to_half(constant[c]);
      scene.stream.set(RB3D_CONSTANT_COLOR_AR::address(), {h[2] | h[3] << 16, h[0] | h[1] << 16});
    } else {
      scene.colour_format(Format::ARGB8888, out(Out::C4_8, 3, 2, 1, 0));
      scene.stream.set(RB3D_CONSTANT_COLOR_AR::address(), {fixed[0] | fixed[3] << 16, fixed[2] | fixed[1] << 16});
    }
    for (unsigned function = 0; function < 5; function++)
      for (uint32_t from = 0; from < factors; from++)
        for (uint32_t to = 0; to < factors; to++) {
          // Alpha by other factors and functions.
          const uint32_t alpha_from = (to + 3) % factors, alpha_to = (from + 5) % factors;
          const unsigned alpha_function = (function + from) % 5;
          auto word = [&](unsigned f, uint32_t a, uint32_t b) {
            return B::COMB_FCN::of(functions[f][floats]) | B::SRCBLEND::of(first_factor + a) | B::DESTBLEND::of(first_factor + b);
          };
          scene.stream.set(B::address(), {0, 0});
          scene.rectangle(0, 0, 8, 8, target);
          scene.stream.set(B::address(), {B::ALPHA_BLEND_ENABLE::of(1) | B::SEPARATE_ALPHA_ENABLE::of(1) | B::READ_ENABLE::of(1) |
                                              word(function, from, to),
                                          word(alpha_function, alpha_from, alpha_to)});
          scene.rectangle(0, 0, 8, 8, source).run();
          Colour before = target;
          if (!floats)
            for (float& v : before) v = std::round(v * 255) / 255;
          for (unsigned c = 0; c < 4; c++) {
            float expected = c == 3 ? combine(alpha_function, alpha_from, alpha_to, source, before, constant, 3)
                                    : combine(function, from, to, source, before, constant, c);
            float found;
            if (floats) {
              uint16_t half;
              std::memcpy(&half, scene.target.host_pointer + (2 * Scene::width + 2) * 8 + c * 2, 2);
              found = surface::from_half(half);
              if (c == 3 ? alpha_function < 3 : function < 3) expected = expected + 0;  // nothing is cut
            } else {
              const unsigned shift[] = {16, 8, 0, 24};
              found = float(scene.at(2, 2) >> shift[c] & 0xff) / 255;
              expected = std::clamp(expected, 0.0f, 1.0f);
            }
            ASSERT_NEAR(found, expected, floats ? 0.002f : 1.01f / 255)
                << floats << " function " << function << " factors " << from << ", " << to << " component " << c;
          }
          drawn++;
        }
  }
  EXPECT_EQ(drawn, 2250u);
}

// Reads and discards that Mesa adds if the target is not needed, or the pixel changes nothing: the picture is the same. (The
// thresholds of discards are 1 and 254 of 255: what they drop or keep differs by no more than that.)
TEST(BlendForms, ReadsAndDiscardsThatMesaLeavesOut) {
  struct Case {
    uint32_t source, target, extra;
  };
  using F = SourceBlendFactor;
  const Case cases[] = {
      {F::GL_SRC_ALPHA, F::GL_ONE_MINUS_SRC_ALPHA,
       B::READ_ENABLE::of(1) | B::SRC_ALPHA_1_NO_READ::of(1) | B::DISCARD_SRC_PIXELS::of(1)},
      {F::GL_ONE, F::GL_ZERO, 0},
      {F::GL_ZERO, F::GL_SRC_ALPHA, B::READ_ENABLE::of(1) | B::SRC_ALPHA_0_NO_READ::of(1) | B::DISCARD_SRC_PIXELS::of(4)},
      {F::GL_ZERO, F::GL_SRC_COLOR, B::READ_ENABLE::of(1)},
      {F::GL_ZERO, F::GL_ONE_MINUS_SRC_COLOR, B::READ_ENABLE::of(1)},
      {F::GL_SRC_ALPHA, F::GL_ONE, B::READ_ENABLE::of(1) | B::DISCARD_SRC_PIXELS::of(1)},
  };
  const Colour target{0.2f, 0.4f, 1, 0.6f};
  for (auto& c : cases)
    for (float alpha : {0.0f, 1 / 255.0f, 0.4f, 254 / 255.0f, 1.0f}) {
      const Colour source{0.6f, 0.8f, 0.2f, alpha};
      Scene scene;
      scene.stream.set(RB3D_DISCARD_SRC_PIXEL_LTE_THRESHOLD::address(), {0x01010101, 0xfefefefe});
      scene.colour_format(Format::ARGB8888, out(Out::C4_8, 3, 2, 1, 0)).rectangle(0, 0, 8, 8, target);
      scene.stream.set(B::address(),
                       {B::ALPHA_BLEND_ENABLE::of(1) | B::SRCBLEND::of(c.source) | B::DESTBLEND::of(c.target) | c.extra, 0});
      scene.rectangle(0, 0, 8, 8, source).run();
      for (unsigned n = 0; n < 4; n++) {
        const unsigned shift[] = {16, 8, 0, 24};
        float expected = combine(0, c.source - first_factor, c.target - first_factor, source, target, {}, n);
        EXPECT_NEAR(float(scene.at(2, 2) >> shift[n] & 0xff), std::min(expected, 1.0f) * 255, 2.01f)
            << c.source << " alpha " << alpha;
      }
    }
}

// Waves whose colours are blended with fog do not write their pixels themselves: with none of it.
void by_the_pipeline(Scene& scene) {
  scene.stream.set(FG_FOG_BLEND::address(), FG_FOG_BLEND::ENABLE::of(1) | FG_FOG_BLEND::FN::of(3));
  scene.stream.set(FG_FOG_FACTOR::address(), 0);
}

// Modes 1 to 6: alpha, colour, both at or below the one register's thresholds, at or above the other's. Sources a step beside them,
// in one component at a time, by waves that write their pixels themselves and by the pipeline.
TEST(SourceDiscards, ModesAndThresholds) {
  const uint32_t old = 0x40302010;
  const std::array<uint32_t, 4> below{0x30, 0x50, 0x70, 0x90}, from{0x60, 0x80, 0xa0, 0xc0};  // blue, green, red, alpha
  auto word = [](const std::array<uint32_t, 4>& v) { return v[0] | v[1] << 8 | v[2] << 16 | v[3] << 24; };
  auto colour = [](const std::array<uint32_t, 4>& v) {
    return Colour{float(v[2]) / 255, float(v[1]) / 255, float(v[0]) / 255, float(v[3]) / 255};
  };
  unsigned dropped = 0, kept = 0;
  for (auto engine : {gpu::Engine::Interpreter, gpu::Engine::Jit})
    for (bool by_pipeline : {false, true})
      for (uint32_t mode = 0; mode < 7; mode++) {
        Scene scene("r580", {.engine = engine, .threads = 1});
        scene.colour_format(Format::ARGB8888, out(Out::C4_8, 3, 2, 1, 0));
        scene.stream.set(RB3D_DISCARD_SRC_PIXEL_LTE_THRESHOLD::address(), word(below));
        scene.stream.set(RB3D_DISCARD_SRC_PIXEL_GTE_THRESHOLD::address(), word(from));
        if (by_pipeline) by_the_pipeline(scene);
        for (unsigned c = 0; c < 4; c++)
          for (int step : {-1, 0, 1}) {
            std::array<uint32_t, 4> source = mode < 4 ? below : from;
            source[c] += uint32_t(step);
            scene.stream.set(B::address(), {0, 0});
            scene.rectangle(0, 0, 16, 8, colour({old & 0xff, old >> 8 & 0xff, old >> 16 & 0xff, old >> 24}));
            scene.stream.set(B::address(), {B::ALPHA_BLEND_ENABLE::of(1) | B::SRCBLEND::of(SourceBlendFactor::GL_ONE) |
                                                B::DESTBLEND::of(SourceBlendFactor::GL_ZERO) | B::DISCARD_SRC_PIXELS::of(mode),
                                            0});
            scene.rectangle(0, 0, 16, 8, colour(source)).run();
            const bool looks = mode % 3 == 0 || (c == 3) == (mode % 3 == 1), beyond = mode < 4 ? step > 0 : step < 0;
            const bool is_dropped = mode && !(looks && beyond);
            ASSERT_EQ(scene.at(3, 3), is_dropped ? old : word(source)) << mode << " component " << c << " step " << step;
            (is_dropped ? dropped : kept)++;
          }
      }
  EXPECT_GT(dropped, 100u);
  EXPECT_GT(kept, 50u);
}

// Without blending nothing is dropped.
TEST(SourceDiscards, BelongToBlending) {
  Scene scene;
  scene.stream.set(RB3D_DISCARD_SRC_PIXEL_LTE_THRESHOLD::address(), ~0u);
  scene.stream.set(B::address(), {B::DISCARD_SRC_PIXELS::of(3), 0});
  scene.whole({1, 1, 1, 1}).run();
  EXPECT_EQ(scene.at(1, 1), ~0u);
}

// The colour buffer drops colours: depth behind the shader is written all the same, and samples are counted.
TEST(SourceDiscards, LeaveDepthAlone) {
  for (uint32_t early : {0u, 1u}) {
    Scene scene;
    scene.depth_buffer(2).stream.set(ZB_CNTL::address(), ZB_CNTL::Z_ENABLE::of(1) | ZB_CNTL::ZWRITEENABLE::of(1));
    scene.stream.set(ZB_ZSTENCILCNTL::address(), 7).set(ZB_ZTOP::address(), early);
    scene.stream.set(RB3D_DISCARD_SRC_PIXEL_LTE_THRESHOLD::address(), 0x01010101);
    scene.stream.set(B::address(), {B::ALPHA_BLEND_ENABLE::of(1) | B::SRCBLEND::of(SourceBlendFactor::GL_ONE) |
                                        B::DESTBLEND::of(SourceBlendFactor::GL_ZERO) | B::DISCARD_SRC_PIXELS::of(1),
                                    0});
    scene.target.host_pointer[(2 * Scene::width + 2) * 4] = 0x77;
    scene.whole({1, 1, 1, 0}, 1.0f).run();
    EXPECT_EQ(scene.at(2, 2), 0x77u) << early;
    EXPECT_EQ(scene.depth_at(2, 2) >> 8, 0xffffffu) << early;
  }
}

// Outputs of 8 bits lose bits in targets of fewer, by RB3D_DITHER_CTL: cut off, or rounded; alpha by a field of its own. Plain, blended
// and with a logic operation; by waves that write their pixels themselves, and by the pipeline.
TEST(BitCuts, ModesAndFormats) {
  struct Case {
    uint32_t format;
    std::array<unsigned, 4> bits, shift;  // red, green, blue, alpha
  };
  const Case cases[] = {{Format::RGB565, {5, 6, 5, 0}, {11, 5, 0, 0}},
                        {Format::ARGB1555, {5, 5, 5, 1}, {10, 5, 0, 15}},
                        {Format::ARGB4444, {4, 4, 4, 4}, {8, 4, 0, 12}}};
  for (auto engine : {gpu::Engine::Interpreter, gpu::Engine::Jit})
    for (const Case& c : cases)
      for (uint32_t mode = 0; mode < 4; mode++)
        for (unsigned form = 0; form < 6; form++) {
          const unsigned way = form % 3;
          Scene scene("r580", {.engine = engine, .threads = 1});
          scene.colour_format(c.format, out(Out::C4_8, 3, 2, 1, 0));
          if (form >= 3) by_the_pipeline(scene);
          const bool rounds = mode & 1, rounds_alpha = mode & 2;
          scene.stream.set(RB3D_DITHER_CTL::address(),
                           RB3D_DITHER_CTL::DITHER_MODE::of(rounds) | RB3D_DITHER_CTL::ALPHA_DITHER_MODE::of(rounds_alpha));
          if (way == 1)
            scene.stream.set(B::address(), {B::ALPHA_BLEND_ENABLE::of(1) | B::SRCBLEND::of(SourceBlendFactor::GL_ONE) |
                                                B::DESTBLEND::of(SourceBlendFactor::GL_ZERO),
                                            0});
          if (way == 2) scene.stream.set(RB3D_ROPCNTL::address(), RB3D_ROPCNTL::ROP_ENABLE::of(1) | RB3D_ROPCNTL::ROP::of(12));
          for (unsigned n = 0; n < 8; n++) {
            const std::array<unsigned, 4> source{n * 36 + 3, 255 - n * 31, n * 29 + 5, n * 32 + 15};
            scene.rectangle(float(n) * 8, 0, float(n) * 8 + 8, 8,
                            {float(source[0]) / 255, float(source[1]) / 255, float(source[2]) / 255, float(source[3]) / 255});
          }
          scene.run();
          for (unsigned n = 0; n < 8; n++) {
            const std::array<unsigned, 4> source{n * 36 + 3, 255 - n * 31, n * 29 + 5, n * 32 + 15};
            for (unsigned k = 0; k < 4; k++) {
              if (!c.bits[k]) continue;
              const unsigned lost = 8 - c.bits[k], add = (k == 3 ? rounds_alpha : rounds) ? 1u << (lost - 1) : 0;
              const unsigned is = scene.at<uint16_t>(n * 8 + 3, 3) >> c.shift[k] & ((1u << c.bits[k]) - 1);
              ASSERT_EQ(is, std::min(source[k] + add, 255u) >> lost)
                  << c.format << " mode " << mode << " form " << form << " source " << source[k] << " component " << k;
            }
          }
        }
}

// Colours that equal RB3D_CLRCMP_CLR in the mask's bits have the bits of RB3D_CLRCMP_FLIPE turned, after blending.
TEST(ColourCompare, TurnsBitsOfWhatIsEqual) {
  for (bool enabled : {false, true})
    for (uint32_t mask : {0xffffffu, 0xffff00u, 0u}) {
      Scene scene;
      scene.colour_format(Format::ARGB8888, out(Out::C4_8, 3, 2, 1, 0));
      scene.stream.set(RB3D_CCTL::address(), 0x4000 | RB3D_CCTL::CLRCMP_FLIPE_ENABLE::of(enabled));
      scene.stream.set(RB3D_CLRCMP_FLIPE::address(), {0x00010002, 0x00ff8000, mask});
      scene.stream.set(B::address(), {B::ALPHA_BLEND_ENABLE::of(1) | B::SRCBLEND::of(SourceBlendFactor::GL_ONE) |
                                          B::DESTBLEND::of(SourceBlendFactor::GL_ZERO),
                                      0});
      scene.rectangle(0, 0, 8, 8, {1, 128.0f / 255, 0, 1});
      scene.rectangle(8, 0, 16, 8, {1, 128.0f / 255, 5.0f / 255, 1});
      scene.rectangle(16, 0, 24, 8, {1, 127.0f / 255, 0, 1}).run();
      const uint32_t turned = enabled ? 0x00010002 : 0;
      EXPECT_EQ(scene.at(3, 3), 0xffff8000 ^ turned) << enabled << mask;
      EXPECT_EQ(scene.at(11, 3), 0xffff8005 ^ (mask & 0xff ? 0 : turned)) << enabled << mask;
      EXPECT_EQ(scene.at(19, 3), 0xffff7f00 ^ (mask ? 0 : turned)) << enabled << mask;
    }
}

// The constant as Mesa packs it for each format (r300_set_blend_color), times a white source.
TEST(BlendForms, ConstantOfEveryFormat) {
  struct Case {
    const char* name;
    uint32_t colour, out;
    std::array<unsigned, 4> swizzle;  // which of the API's components Mesa puts for red, green, blue, alpha
    unsigned bytes;
    std::array<int, 4> shift;  // where red, green, blue, alpha lie; -1: nowhere
    unsigned bits;
  };
  const Case cases[] = {
      {"BGRA8", Format::ARGB8888, out(Out::C4_8, 3, 2, 1, 0), {0, 1, 2, 3}, 4, {16, 8, 0, 24}, 8},
      {"RGBA8", Format::ARGB8888, out(Out::C4_8, 1, 2, 3, 0), {2, 1, 0, 3}, 4, {0, 8, 16, 24}, 8},
      {"R8", Format::I8, out(Out::C4_8, 0, 0, 1, 0), {0, 0, 2, 3}, 1, {0, -1, -1, -1}, 8},
      {"A8", Format::I8, out(Out::C4_8, 0, 0, 0, 0), {0, 3, 2, 3}, 1, {-1, -1, -1, 0}, 8},
      {"R8G8", Format::UV88, out(Out::C4_8, 2, 0, 1, 0), {0, 1, 1, 3}, 2, {0, 8, -1, -1}, 8},
      {"L8A8", Format::UV88, out(Out::C4_8, 0, 0, 1, 0), {0, 1, 3, 3}, 2, {0, -1, -1, 8}, 8},
      {"B4G4R4A4", Format::ARGB4444, out(Out::C4_8, 3, 2, 1, 0), {0, 1, 2, 3}, 2, {8, 4, 0, 12}, 4},
      {"B10G10R10A2", Format::ARGB2101010, out(Out::C4_10, 3, 2, 1, 0), {0, 1, 2, 3}, 4, {20, 10, 0, -1}, 10},
  };
  const Colour constant{0.25f, 0.5f, 0.75f, 1};
  for (auto& c : cases) {
    Scene scene;
    scene.colour_format(c.colour, c.out);
    auto fixed = [&](unsigned n) { return uint32_t(std::min(constant[c.swizzle[n]] * 1023.9f, 1023.0f)); };
    scene.stream.set(RB3D_CONSTANT_COLOR_AR::address(), {fixed(0) | fixed(3) << 16, fixed(2) | fixed(1) << 16});
    scene.stream.set(B::address(), {B::ALPHA_BLEND_ENABLE::of(1) | B::SRCBLEND::of(SourceBlendFactor::GL_CONSTANT_COLOR) |
                                        B::DESTBLEND::of(SourceBlendFactor::GL_ZERO),
                                    0});
    scene.whole({1, 1, 1, 1}).run();
    uint32_t value = 0;
    std::memcpy(&value, scene.target.host_pointer + (3 * Scene::width + 5) * c.bytes, c.bytes);
    const uint32_t most = (1u << c.bits) - 1;
    for (unsigned n = 0; n < 4; n++)
      if (c.shift[n] >= 0) {
        EXPECT_NEAR(double(value >> c.shift[n] & most), constant[n] * float(most), 1) << c.name << " component " << n;
      }
  }
}

TEST(BlendForms, EveryLogicOperation) {
  const uint32_t source = 0xf0, target = 0xcc;
  for (uint32_t operation = 0; operation < 16; operation++) {
    // OpenGL: clear, and, and reverse, copy, ... as bits of source and destination; Mesa's PIPE_LOGICOP numbers.
    uint32_t expected = 0;
    for (unsigned bit = 0; bit < 8; bit++) expected |= (operation >> ((source >> bit & 1) << 1 | (target >> bit & 1)) & 1) << bit;
    Scene scene;
    scene.whole({target / 255.0f, 0, 0, 0});
    scene.stream.set(RB3D_ROPCNTL::address(), RB3D_ROPCNTL::ROP_ENABLE::of(1) | RB3D_ROPCNTL::ROP::of(operation));
    scene.whole({source / 255.0f, 0, 0, 0}).run();
    EXPECT_EQ(scene.at(1, 1) & 0xff, expected) << "ROP " << operation;
  }
}

}  // namespace
}  // namespace Atoll::r5xx
