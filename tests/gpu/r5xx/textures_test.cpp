// Texture units against texels placed and read by hand: formats by their bits, tilings and levels by plain arithmetic of the
// test's own where they are linear and through surface::address where they are tiled, wraps, borders, lookups of every kind.
#include "gpu/r5xx/shaders/textures.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "gpu/r5xx/packets/register_writes.h"
#include "gpu/r5xx/shaders/texture_formats.h"
#include "isa/r500/text.h"
#include "registers/r5xx.h"
#include "surface/number.h"
#include "surface/r300_tiling.h"
#include "tests/gpu/r5xx/scene.h"

namespace Atoll::r5xx {
namespace {

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
float number(uint32_t x) { return std::bit_cast<float>(x); }

// Bit positions as the manual has them, not through the accessors.
// A bias of one step, which is none.
constexpr uint32_t unbiased = 1 << 3;
constexpr uint32_t nearest = 1 << 9 | 1 << 11, linear = 2 << 9 | 2 << 11, clamp_all = 2 | 2 << 3 | 2 << 6;
constexpr uint32_t in_order = 3 << 9 | 0 << 12 | 1 << 15 | 2 << 18, bgra = 3 << 9 | 2 << 12 | 1 << 15 | 0 << 18;

class TexturesTest : public testing::Test {
protected:
  TexturesTest() {
    space = std::move(*AddressSpace::create(nullptr, uint64_t(1) << 32));
    buffer = *space->allocate(1 << 20, 4096);
    context = std::make_unique<Context>(*gpu::find_chip("r580"), options, *space, stop);
    access.operation = wave::ImageOperation::sample;
    access.lanes = 32, access.active = ~0u, access.coordinate_count = 4;
    access.lod_mode = wave::LodMode::level;
    for (auto& c : access.coordinate) c.fill(0);
    access.lod.fill(0);
    set(0x4104, 1);
  }
  void set(uint32_t address, uint32_t value) { context->registers.set(address, value); }
  // Unit 0.
  void texture(uint32_t format1, unsigned width, unsigned height, uint32_t filter0 = nearest | clamp_all, uint32_t levels = 1) {
    set(0x4480, (width - 1) | (height - 1) << 11 | (levels - 1) << 26);
    set(0x44c0, format1);
    set(0x4500, 0);
    set(0x4540, uint32_t(buffer.gpu_address));
    set(0x4400, filter0);
    set(0x4440, unbiased);
  }
  void bind() {
    // The unknown things that this call finds.
    auto before = context->unknowns();
    textures.bind(*context);
    unknown.clear();
    auto after = context->unknowns();
    for (size_t n = 0; n < after.size(); n++)
      if (n >= before.size() || after[n].times > before[n].times) unknown.push_back(after[n].what);
  }
  // The result of lane 0 at (s, t, r).
  std::array<float, 4> at(float s, float t, float r = 0, float q = 1) {
    const float given[] = {s, t, r, q};
    for (unsigned c = 0; c < 4; c++) access.coordinate[c].fill(bits(given[c]));
    access.fault = nullptr;
    wave::ImageAccess copy = access;
    textures.image(copy);
    EXPECT_EQ(copy.fault, nullptr);
    std::array<float, 4> result;
    for (unsigned c = 0; c < 4; c++) {
      result[c] = number(copy.data[c][0]);
      EXPECT_EQ(copy.data[c][0], copy.data[c][31]);
    }
    return result;
  }
  void expect(std::array<float, 4> is, std::array<float, 4> should, float tolerance = 1e-6f) {
    for (unsigned c = 0; c < 4; c++) EXPECT_NEAR(is[c], should[c], tolerance) << "component " << c;
  }
  template <class T>
  T* texels() {
    return reinterpret_cast<T*>(buffer.host_pointer);
  }

  std::unique_ptr<AddressSpace> space;
  Buffer buffer;
  gpu::Options options;
  std::atomic<int> stop{0};
  std::unique_ptr<Context> context;
  Textures textures;
  std::vector<std::string> unknown;
  wave::ImageAccess access;
};

// Luminance and alpha as sRGB: alpha is linear, in the texel and in the border.
TEST_F(TexturesTest, LuminanceAndAlphaOfSrgb) {
  constexpr uint32_t gamma = 1 << 21, luminance_alpha = 1 << 9 | 0 << 12 | 0 << 15 | 0 << 18;
  texture(3 | gamma | luminance_alpha, 1, 1, nearest | 6 | 6 << 3 | 2 << 6);
  set(0x45c0, 0x00006633);
  texels<uint8_t>()[0] = 0x80, texels<uint8_t>()[1] = 0xc0;
  bind();
  EXPECT_TRUE(unknown.empty());
  // 128 and 51 of 255 through ((s + 0.055) / 1.055)^2.4.
  expect(at(0.5f, 0.5f), {0.215861f, 0.215861f, 0.215861f, 192 / 255.0f}, 1e-5f);
  expect(at(1.5f, 0.5f), {0.033105f, 0.033105f, 0.033105f, 0.4f}, 1e-5f);
}

// A pitch of half a tile is said, and does not end the context: the tile counts as whole.
TEST_F(TexturesTest, PitchOfHalfATile) {
  texture(0 | bgra, 8, 8);
  set(0x4480, 7 | 7 << 11 | 1u << 31);
  set(0x4500, 31);                                     // 32 texels
  set(0x4540, uint32_t(buffer.gpu_address) | 1 << 2);  // macro tiles of 256 x 8 texels of a byte
  for (unsigned n = 0; n < 4096; n++) texels<uint8_t>()[n] = uint8_t(n);
  bind();
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_NE(unknown[0].find("TXPITCH"), std::string::npos);
  at(0.5f, 0.5f);
}

// The choice of the filter: above a level of detail of 0 the one for minification, also if there is one level only.
TEST_F(TexturesTest, MinificationAndMagnification) {
  unsigned cases = 0;
  for (auto [width, height] : {std::pair{8u, 8u}, {6u, 5u}, {1u, 7u}, {64u, 1u}})
    for (uint32_t levels : {1u, 2u})
      for (uint32_t magnified : {1u, 2u})
        for (uint32_t minified : {1u, 2u})
          for (uint32_t mip : {0u, 1u, 2u})
            for (float bias : {0.0f, -2.0f, 2.0f})
              for (float lod : {-3.0f, -1.0f, 0.0f, 1.5f, 2.5f, 9.0f}) {
                if (levels > 1 && mip) continue;  // other levels have other texels
                texture(0 | in_order, width, height, magnified << 9 | minified << 11 | mip << 13 | clamp_all, levels);
                set(0x4440, uint32_t(int(unbiased) + int(bias * 256)) & 0x1ff8);
                unsigned pitch = (width + 31) / 32 * 32;
                for (unsigned y = 0; y < height; y++)
                  for (unsigned x = 0; x < width; x++) texels<uint8_t>()[y * pitch + x] = uint8_t((x + y) % 2 ? 255 : 0);
                bind();
                ASSERT_TRUE(unknown.empty()) << unknown.front();
                access.lod.fill(bits(lod));
                // A quarter of the way from one texel's centre to the next along an axis that has two.
                bool by_s = width > 1;
                float there = (0.5f + 0.25f) / float(by_s ? width : height), one = 0.5f / float(by_s ? height : width);
                bool linear_taken = (lod + bias > 0 ? minified : magnified) == 2;
                float found = by_s ? at(there, one)[0] : at(one, there)[0];
                ASSERT_NEAR(found, linear_taken ? 0.25f : 0.0f, 0.01f)
                    << width << "x" << height << ", " << levels << " levels, mip filter " << mip << ", bias " << bias << ", lod "
                    << lod;
                cases++;
              }
  EXPECT_EQ(cases, 4u * 2 * 2 * 3 * 6 * (3 + 1));
}

// One texel of every format, its components by its bits.
TEST_F(TexturesTest, Formats) {
  struct Case {
    uint32_t format;  // TXFORMAT, 32 for TXFORMAT_MSB
    std::vector<uint8_t> bytes;
    std::array<float, 4> components;
    uint32_t besides = 0;  // bits of TX_FORMAT1
  };
  auto half = [](float x) { return surface::to_half(x); };
  auto halves = [&](std::initializer_list<float> values) {
    std::vector<uint8_t> bytes;
    for (float x : values) bytes.push_back(uint8_t(half(x))), bytes.push_back(uint8_t(half(x) >> 8));
    return bytes;
  };
  auto floats = [](std::initializer_list<float> values) {
    std::vector<uint8_t> bytes;
    for (float x : values)
      for (int n = 0; n < 4; n++) bytes.push_back(uint8_t(bits(x) >> n * 8));
    return bytes;
  };
  const Case cases[] = {
      {0, {51}, {0.2f, 0, 0, 1}},
      {1, {0x34, 0x12}, {0x1234 / 65535.0f, 0, 0, 1}},
      {2, {0xc3}, {3 / 15.0f, 12 / 15.0f, 0, 1}},
      {3, {51, 102}, {0.2f, 0.4f, 0, 1}},
      {4, {0xff, 0xff, 0x34, 0x12}, {1, 0x1234 / 65535.0f, 0, 1}},
      {5, {0b10'110'001 & 0xff}, {1 / 3.0f, 4 / 7.0f, 5 / 7.0f, 1}},
      {6, {0b001'00011, 0b11110'000}, {3 / 31.0f, 1 / 63.0f, 30 / 31.0f, 1}},
      {7, {0b001'00011, 0b111110'00}, {3 / 31.0f, 1 / 31.0f, 62 / 63.0f, 1}},
      {10, {0x21, 0x43}, {1 / 15.0f, 2 / 15.0f, 3 / 15.0f, 4 / 15.0f}},
      {11, {0b010'00011, 0b1'00001'00}, {3 / 31.0f, 2 / 31.0f, 1 / 31.0f, 1}},
      {12, {0, 51, 102, 153}, {0, 0.2f, 0.4f, 0.6f}},
      {12, {0x81, 0x7f, 0x80, 0x40}, {-1, 1, -1, 64 / 127.0f}, 15 << 5},
      {13, {0xff, 0x03, 0x00, 0x40}, {1, 0, 0, 1 / 3.0f}},
      {14, {0, 0, 0xff, 0xff, 0x34, 0x12, 0xff, 0x7f}, {0, 1, 0x1234 / 65535.0f, 0x7fff / 65535.0f}},
      {24, halves({-2.5f}), {-2.5f, 0, 0, 1}},
      {25, halves({1.5f, 300}), {1.5f, 300, 0, 1}},
      {26, halves({1, 2, 3, 4}), {1, 2, 3, 4}},
      {27, floats({1e10f}), {1e10f, 0, 0, 1}},
      {28, floats({-1, 2}), {-1, 2, 0, 1}},
      {29, floats({1, -2, 3, -4}), {1, -2, 3, -4}},
      {32 | 6, {0x55, 0, 0, 0x80}, {0x800000 / 16777215.0f, 0x55 / 255.0f, 0, 1}},
      // A block of one colour: the first of two (565, equal), blue is component 0; index 0 everywhere.
      {15, {0x1f, 0x00, 0x1f, 0x00, 0, 0, 0, 0}, {1, 0, 0, 1}, 0},
      {17, {102, 102, 0, 0, 0, 0, 0, 0, 0x00, 0xf8, 0x00, 0xf8, 0, 0, 0, 0}, {0, 0, 1, 0.4f}, 0},
      {31, {51, 51, 0, 0, 0, 0, 0, 0, 153, 153, 0, 0, 0, 0, 0, 0}, {0.2f, 0.6f, 0, 1}},
      {32 | 5, {51, 51, 0, 0, 0, 0, 0, 0}, {0.2f, 0, 0, 1}},
  };
  for (const Case& c : cases) {
    texture((c.format & 31) | in_order | c.besides, 1, 1);
    set(0x4500, c.format & 32 ? 1u << 14 : 0);
    if (c.format == 15 || c.format == 17) set(0x4440, unbiased | 1u << 21);
    std::memset(buffer.host_pointer, 0xa5, 4096);
    std::memcpy(buffer.host_pointer, c.bytes.data(), c.bytes.size());
    bind();
    EXPECT_TRUE(unknown.empty()) << c.format << ": " << unknown.front();
    SCOPED_TRACE(c.format);
    expect(at(0.5f, 0.5f), c.components);
  }
  // 2_10_10_10's neighbours, 11 bits a component.
  texture(8 | in_order, 1, 1);
  *texels<uint32_t>() = 1023u | 1u << 10 | 2046u << 21;
  bind();
  expect(at(0.5f, 0.5f), {1, 1 / 2047.0f, 2046 / 2047.0f, 1});
}

TEST_F(TexturesTest, SwizzlesGammaAndWhatIsUnknown) {
  *texels<uint32_t>() = 0x996633cc;
  texture(12 | bgra, 1, 1);
  bind();
  expect(at(0.5f, 0.5f), {0.4f, 0.2f, 0.8f, 0.6f});
  texture(12 | 5 << 9 | 4 << 12 | 3 << 15 | 3 << 18 | 1 << 21, 1, 1);  // 1, 0, alpha, alpha; of alpha no gamma is taken out
  bind();
  expect(at(0.5f, 0.5f), {0, 0.6f, 0.6f, 1});
  texture(12 | in_order | 1 << 21, 1, 1);
  bind();
  float expected = float(std::pow((0.8 + 0.055) / 1.055, 2.4));
  EXPECT_NEAR(at(0.5f, 0.5f)[0], expected, 1e-6f);
  set(0x4540, uint32_t(buffer.gpu_address) | 2);  // 32 bit swap
  set(0x44c0, 12 | in_order);
  bind();
  expect(at(0.5f, 0.5f), {0.6f, 0.4f, 0.2f, 0.8f});
  EXPECT_TRUE(unknown.empty());

  for (auto [format1, format2, name] : {std::tuple{20u, 0u, "VYUY422"}, std::tuple{30u, 0u, "W24_FP"},
                                        std::tuple{1u, 1u << 14, "1_REVERSE"}, std::tuple{9u, 1u << 14, "reserved"}}) {
    texture(format1 | in_order, 1, 1);
    set(0x4500, format2);
    bind();
    ASSERT_EQ(unknown.size(), 1u) << name;
    EXPECT_NE(unknown[0].find(name), std::string::npos) << unknown[0];
    expect(at(0.5f, 0.5f), {0, 0, 0, 1});
  }
  texture(12 | in_order | 1 << 5, 1, 1);  // one component signed
  bind();
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_NE(unknown[0].find("SIGNED_COMP"), std::string::npos);
}

// Every texel of a texture in every tiling; the pitch given and found from the width.
TEST_F(TexturesTest, TilingsAndPitches) {
  struct Case {
    uint32_t format, bytes, micro, macro, width, height, pitch;
  };
  for (const Case& c :
       {Case{12, 4, 0, 0, 32, 8, 0}, Case{12, 4, 1, 0, 32, 8, 0}, Case{12, 4, 1, 1, 64, 32, 0}, Case{12, 4, 0, 1, 128, 16, 0},
        Case{6, 2, 2, 0, 32, 8, 0}, Case{6, 2, 1, 1, 128, 64, 0}, Case{0, 1, 1, 1, 128, 64, 0}, Case{14, 8, 1, 1, 64, 32, 0},
        Case{12, 4, 1, 1, 33, 21, 64}, Case{12, 4, 0, 0, 37, 5, 40}}) {
    texture(c.format | in_order, c.width, c.height);
    set(0x4540, uint32_t(buffer.gpu_address) | c.macro << 2 | c.micro << 3);
    if (c.pitch) set(0x4480, context->registers.raw(0x4480) | 1u << 31), set(0x4500, c.pitch - 1);
    surface::R300Surface place{c.bytes, c.pitch ? c.pitch : c.width, 0, surface::R300MicroTile(c.micro), c.macro != 0};
    ASSERT_TRUE(surface::check(place));
    std::memset(buffer.host_pointer, 0, buffer.bytes);
    // The first component's lowest 5 bits count.
    auto value = [&](unsigned x, unsigned y) { return uint8_t((x * 7 + y * 13) % 31); };
    for (unsigned y = 0; y < c.height; y++)
      for (unsigned x = 0; x < c.width; x++) buffer.host_pointer[surface::address(place, x, y)] = value(x, y);
    bind();
    ASSERT_TRUE(unknown.empty()) << unknown.front();
    const float scale = c.format == 6 ? 31 : c.format == 14 ? 65535 : 255;
    for (unsigned y = 0; y < c.height; y++)
      for (unsigned x = 0; x < c.width; x += 3)
        ASSERT_NEAR(at((float(x) + 0.5f) / float(c.width), (float(y) + 0.5f) / float(c.height))[0], value(x, y) / scale, 1e-6f)
            << x << ", " << y << " of format " << c.format;
  }
}

// Large sizes have their twelfth bit elsewhere.
TEST_F(TexturesTest, LargeSizes) {
  texture(0 | in_order, 1, 1);
  set(0x4480, 3999 & 0x7ff), set(0x4500, 1u << 15);
  texels<uint8_t>()[3998] = 255;
  bind();
  ASSERT_TRUE(unknown.empty()) << unknown.front();
  EXPECT_EQ(at(3998.5f / 4000, 0.5f)[0], 1);
  EXPECT_EQ(at(3997.5f / 4000, 0.5f)[0], 0);
}

// Levels follow each other: of 32-bit texels without tiles rows are padded to 32 bytes.
TEST_F(TexturesTest, Levels) {
  texture(12 | in_order, 16, 16, nearest | clamp_all | 1 << 13, 5);
  uint32_t at_level[5], offset = 0;
  for (unsigned n = 0; n < 5; n++) {
    at_level[n] = offset;
    unsigned size = 16u >> n, pitch = std::max(size, 8u);
    for (unsigned k = 0; k < pitch * size; k++) texels<uint32_t>()[offset + k] = 10 * (n + 1);
    offset += pitch * size;
  }
  bind();
  ASSERT_TRUE(unknown.empty()) << unknown.front();
  auto level = [&](float lod) {
    access.lod.fill(bits(lod));
    return std::lround(at(0.5f, 0.5f)[0] * 255 / 10) - 1;
  };
  for (int n = 0; n < 5; n++) EXPECT_EQ(level(float(n)), n);
  EXPECT_EQ(level(9), 4);
  set(0x4400, nearest | clamp_all | 1 << 13 | 2 << 17);  // MAX_MIP_LEVEL: nothing finer
  bind();
  EXPECT_EQ(level(0), 2);
  set(0x4400, nearest | clamp_all | 1 << 13), set(0x4440, (1u << 5) * 8 + unbiased);  // LOD_BIAS 1
  bind();
  EXPECT_EQ(level(1), 2);
  set(0x4440, (0x3ffu - 62) << 3);  // -2
  bind();
  EXPECT_EQ(level(3), 1);
  // Between levels: 1.5 is half of each; TRI_PERF 3 cuts it off at 3/8 and makes it steeper.
  set(0x4400, nearest | clamp_all | 2 << 13), set(0x4440, unbiased);
  bind();
  access.lod.fill(bits(1.25f));
  EXPECT_NEAR(at(0.5f, 0.5f)[0] * 255, 22.5f, 1e-3f);
  set(0x4440, unbiased | 3 << 15);
  bind();
  EXPECT_NEAR(at(0.5f, 0.5f)[0] * 255, 20, 1e-3f);
  access.lod.fill(bits(1.5f));
  EXPECT_NEAR(at(0.5f, 0.5f)[0] * 255, 25, 1e-3f);
  // A level of detail that is found from the quad: 4 texels a pixel.
  set(0x4400, nearest | clamp_all | 1 << 13), set(0x4440, unbiased);
  bind();
  access.lod_mode = wave::LodMode::implicit;
  for (unsigned l = 0; l < 32; l++) {
    access.coordinate[0][l] = bits(0.1f + float(l & 1) * 4 / 16),
    access.coordinate[1][l] = bits(0.1f + float(l >> 1 & 1) * 4 / 16);
    access.coordinate[2][l] = 0, access.coordinate[3][l] = bits(2);
  }
  wave::ImageAccess first = access;
  textures.image(first);
  EXPECT_NEAR(number(first.data[0][5]) * 255, 30, 1e-3f);
  first = access, first.lod_mode = wave::LodMode::bias, first.lod.fill(bits(-1));
  textures.image(first);
  EXPECT_NEAR(number(first.data[0][5]) * 255, 20, 1e-3f);
  first = access, first.projected = true;  // by q = 2: half of the texels a pixel
  textures.image(first);
  EXPECT_NEAR(number(first.data[0][5]) * 255, 20, 1e-3f);
  first = access, first.lod_mode = wave::LodMode::derivatives;
  for (unsigned c = 0; c < 3; c++) first.dx[c].fill(0), first.dy[c].fill(0);
  first.dx[1].fill(bits(0.5f));
  textures.image(first);
  EXPECT_NEAR(number(first.data[0][5]) * 255, 40, 1e-3f);
}

TEST_F(TexturesTest, FiltersWrapsAndBorders) {
  // 8 texels in a row, 0 to 7 times 32.
  texture(0 | in_order, 8, 1, linear | clamp_all);
  for (unsigned x = 0; x < 8; x++) texels<uint8_t>()[x] = uint8_t(x * 32);
  bind();
  EXPECT_NEAR(at(1.0f / 8, 0.5f)[0] * 255, 16, 1e-3f);
  EXPECT_NEAR(at(-1, 0.5f)[0] * 255, 0, 1e-3f);
  EXPECT_NEAR(at(7, 0.5f)[0] * 255, 224, 1e-3f);
  auto texel = [&](uint32_t wrap, float s) {
    set(0x4400, nearest | (wrap | 2 << 3 | 2 << 6));
    bind();
    return std::lround(at(s, 0.5f)[0] * 255);
  };
  EXPECT_EQ(texel(0, 9.5f / 8), 32);      // repeat
  EXPECT_EQ(texel(0, -0.5f / 8), 224);    //
  EXPECT_EQ(texel(1, 9.5f / 8), 6 * 32);  // mirror
  EXPECT_EQ(texel(1, -1.5f / 8), 32);     //
  EXPECT_EQ(texel(3, -2.5f / 8), 64);     // mirror once
  EXPECT_EQ(texel(3, 12.0f / 8), 224);    //
  set(0x45c0, 0x000000cc);                // of a format of 8 bits: four components of 8 bits
  EXPECT_EQ(texel(6, 9.5f / 8), 0xcc);    // border
  EXPECT_EQ(texel(6, 7.5f / 8), 224);     //
  EXPECT_EQ(texel(7, -9.5f / 8), 0xcc);   // mirror once to border
  EXPECT_EQ(texel(7, -1.5f / 8), 32);     //
  set(0x4400, linear | 6 | 2 << 3 | 2 << 6);
  bind();
  EXPECT_NEAR(at(0, 0.5f)[0] * 255, 0xcc / 2.0f, 1e-3f);

  // Borders as Mesa packs them, and as the shader sees them.
  struct Border {
    uint32_t format, bits;
    std::array<float, 4> components;
  };
  for (const Border& b : {Border{12, 0x996633cc, {0.4f, 0.2f, 0.8f, 0.6f}}, Border{6, 0xf81f, {1, 0, 1, 1}},
                          Border{10, 0xf30c, {0.2f, 0, 0.8f, 1}}, Border{27, bits(-7.5f), {0, 0, -7.5f, 1}},
                          Border{26, 0x000000ff, {0, 0, 1, 0}}, Border{15, 0x996633cc, {0.8f, 0.2f, 0.4f, 0.6f}}}) {
    SCOPED_TRACE(b.format);
    texture(b.format | bgra, 4, 4, nearest | 6 | 6 << 3);
    set(0x45c0, b.bits);
    bind();
    EXPECT_TRUE(unknown.empty());
    expect(at(3, 3), b.components);
  }
}

// Coordinates in texels (UNSCALED).
TEST_F(TexturesTest, Rectangles) {
  texture(0 | in_order, 5, 3);
  set(0x4480, context->registers.raw(0x4480) | 1u << 31), set(0x4500, 31);  // a pitch of 32
  for (unsigned y = 0; y < 3; y++)
    for (unsigned x = 0; x < 5; x++) texels<uint8_t>()[y * 32 + x] = uint8_t(y * 5 + x);
  bind();
  access.unnormalized = true;
  for (unsigned y = 0; y < 3; y++)
    for (unsigned x = 0; x < 5; x++) EXPECT_EQ(std::lround(at(float(x) + 0.5f, float(y) + 0.5f)[0] * 255), y * 5 + x);
  EXPECT_EQ(std::lround(at(77, 2.5f)[0] * 255), 14);
}

// Six faces follow each other in every level, slices of volumes likewise.
TEST_F(TexturesTest, CubesAndVolumes) {
  texture(0 | in_order | 2 << 25, 32, 32, nearest | clamp_all | 1 << 13, 2);
  for (unsigned face = 0; face < 6; face++) {
    std::memset(buffer.host_pointer + face * 1024, int(10 + face), 1024);
    std::memset(buffer.host_pointer + 6144 + face * 512, int(50 + face), 512);  // 16 texels a row of 32 bytes
  }
  bind();
  ASSERT_TRUE(unknown.empty()) << unknown.front();
  const float directions[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  for (unsigned lod = 0; lod < 2; lod++)
    for (unsigned face = 0; face < 6; face++) {
      access.lod.fill(bits(float(lod)));
      auto& d = directions[face];
      EXPECT_EQ(std::lround(at(d[0], d[1], d[2])[0] * 255), (lod ? 50 : 10) + face) << lod;
    }
  // 32 x 8 x 4, and 16 x 4 x 2 behind it.
  texture(0 | in_order | 1 << 25, 32, 8, nearest | clamp_all | 1 << 13, 2);
  set(0x4480, context->registers.raw(0x4480) | 2 << 22);
  for (unsigned z = 0; z < 4; z++) std::memset(buffer.host_pointer + z * 256, int(10 + z), 256);
  for (unsigned z = 0; z < 2; z++) std::memset(buffer.host_pointer + 1024 + z * 128, int(50 + z), 128);
  bind();
  for (unsigned z = 0; z < 4; z++) {
    access.lod.fill(0);
    EXPECT_EQ(std::lround(at(0.5f, 0.5f, (float(z) + 0.5f) / 4)[0] * 255), 10 + z);
    access.lod.fill(bits(1));
    EXPECT_EQ(std::lround(at(0.5f, 0.5f, (float(z) + 0.5f) / 4)[0] * 255), 50 + z / 2);
  }
  // VOL_FILTER linear between nearest texels of each slice.
  set(0x4400, nearest | clamp_all | 2 << 15);
  bind();
  access.lod.fill(0);
  EXPECT_NEAR(at(0.5f, 0.5f, 0.5f)[0] * 255, 11.5f, 1e-3f);
}

TEST_F(TexturesTest, UnitsThatAreOffOrLeadNowhere) {
  texture(12 | in_order, 4, 4);
  set(0x4104, 0);
  bind();
  expect(at(0.5f, 0.5f), {0, 0, 0, 1});
  set(0x4104, 1u << 3);
  set(0x4480 + 12, 3 | 3 << 11), set(0x44c0 + 12, 12 | bgra), set(0x4540 + 12, uint32_t(buffer.gpu_address)),
      set(0x4400 + 12, nearest);
  *texels<uint32_t>() = 0xff0000ff;
  bind();
  access.unit = 3;
  expect(at(0.1f, 0.1f), {0, 0, 1, 1});
  access.unit = 0, set(0x4104, 1);

  auto fault = [&] {
    bind();
    wave::ImageAccess copy = access;
    textures.image(copy);
    return copy.fault ? std::string(copy.fault) : std::string();
  };
  set(0x4540, 0xf0000000);
  EXPECT_NE(fault().find("not mapped"), std::string::npos);
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_NE(unknown[0].find("0xf0000000"), std::string::npos);
  set(0x4540, uint32_t(buffer.gpu_address + buffer.bytes - 32));  // its second half is not
  EXPECT_NE(fault(), "");
  set(0x4540, uint32_t(buffer.gpu_address) | 3 << 3);
  EXPECT_NE(fault(), "");
  set(0x4540, uint32_t(buffer.gpu_address)), set(0x44c0, 12 | in_order | 3 << 25);
  EXPECT_NE(fault(), "");
  set(0x44c0, 12 | in_order);
  EXPECT_EQ(fault(), "");
  // The memory goes while the registers stay.
  space->free(buffer);
  EXPECT_NE(fault(), "");
}

// The shader unit's copy of the size says what coordinates are multiplied by; wraps stay the texture's own.
TEST_F(TexturesTest, CoordinatesAreScaledByTheShadersSize) {
  texture(12 | in_order, 8, 8);
  for (unsigned n = 0; n < 64; n++) texels<uint32_t>()[n / 8 * 8 + n % 8] = (n % 8) * 10 | (n / 8) * 10 << 8 | 0xff000000;
  set(US_FORMAT0::address(0), 3 | 15 << 11);
  bind();
  expect(at(0.55f, 0.2f), {20 / 255.0f, 30 / 255.0f, 0, 1});  // 0.55 * 4, 0.2 * 16
  access.unnormalized = true;
  expect(at(5.5f, 6.5f), {50 / 255.0f, 60 / 255.0f, 0, 1});
  access.unnormalized = false;
  set(US_FORMAT0::address(0), 7 | 7 << 11);
  bind();
  EXPECT_NE(textures.form(0), 0u);
  expect(at(0.55f, 0.2f), {40 / 255.0f, 10 / 255.0f, 0, 1});
  // For a volume, the logarithm of its depth. Two slices of four texels each.
  texture(12 | in_order | 1 << 25, 2, 2);
  set(0x4480, 1 | 1 << 11 | 1 << 22);
  for (unsigned n = 0; n < 1024; n++) texels<uint32_t>()[n] = n < 2 * 8 ? 0xff000011 : 0xff000022;
  set(US_FORMAT0::address(0), 1 | 1 << 11 | 1 << 22);
  bind();
  const auto far = at(0.5f, 0.5f, 0.9f);
  set(US_FORMAT0::address(0), 1 | 1 << 11);
  bind();
  EXPECT_NE(at(0.5f, 0.5f, 0.9f), far) << "half as deep";
}

TEST_F(TexturesTest, ProjectedWhateverTheInstructionIs) {
  texture(12 | in_order, 4, 4);
  for (unsigned n = 0; n < 32; n++) texels<uint32_t>()[n] = n % 8 * 16 | 0xff000000;
  bind();
  expect(at(0.3f, 0.1f, 0, 0.5f), {16 / 255.0f, 0, 0, 1});
  set(0x4480, context->registers.raw(0x4480) | 1 << 30);
  bind();
  EXPECT_EQ(textures.form(0), 0u) << "no code divides where the instruction does not";
  expect(at(0.3f, 0.1f, 0, 0.5f), {32 / 255.0f, 0, 0, 1});
}

// A texel that has the key's colour, among all that a filter takes, kills the pixel, or counts as zero.
TEST_F(TexturesTest, ChromaKeys) {
  texture(12 | in_order, 2, 2, linear | clamp_all);
  const uint32_t key = 0x80402010;
  texels<uint32_t>()[0] = key, texels<uint32_t>()[1] = 0xff0000ff;
  texels<uint32_t>()[8] = 0xff0000ff, texels<uint32_t>()[9] = 0xff0000ff;
  set(TX_CHROMA_KEY::address(0), key);
  auto look = [&](float s, float t) {
    for (unsigned l = 0; l < 32; l++)
      access.coordinate[0][l] = bits(l % 2 ? 0.75f : s), access.coordinate[1][l] = bits(l % 2 ? 0.75f : t);
    wave::ImageAccess copy = access;
    const uint64_t killed = textures.image(copy);
    return std::pair{killed, number(copy.data[0][0])};
  };
  bind();
  EXPECT_EQ(look(0.5f, 0.25f).first, 0u);
  set(0x4440, unbiased | TX_FILTER1::CHROMA_KEY_MODE::of(1));
  bind();
  EXPECT_EQ(textures.form(0), 0u);
  EXPECT_EQ(look(0.5f, 0.25f).first, 0x55555555u);
  EXPECT_EQ(look(0.75f, 0.75f).first, 0u);
  set(0x4440, unbiased | TX_FILTER1::CHROMA_KEY_MODE::of(2));
  bind();
  EXPECT_EQ(look(0.25f, 0.25f), (std::pair<uint64_t, float>{0, 0}));
  EXPECT_NEAR(look(0.5f, 0.25f).second, 0.5f, 1e-3f);
  set(TX_CHROMA_KEY::address(0), key + 1);
  bind();
  EXPECT_NEAR(look(0.25f, 0.25f).second, 16.0f / 255, 1e-6f);
}

// Means of two codes that lie between two: up, or (MPEG4) down.
TEST_F(TexturesTest, RoundingOfFilters) {
  texture(12 | in_order, 2, 2, linear | clamp_all);
  for (unsigned n : {0u, 8u}) texels<uint32_t>()[n] = 0x10101010, texels<uint32_t>()[n + 1] = 0x11131412;
  bind();
  const float plain = at(0.5f, 0.5f)[0];
  EXPECT_NEAR(plain, 17.0f / 255, 1e-6f);
  EXPECT_NEAR(at(0.5f, 0.5f)[3], 16.5f / 255, 1e-6f);
  set(0x4440, unbiased | TX_FILTER1::MC_ROUND::of(1));
  bind();
  expect(at(0.5f, 0.5f), {17 / 255.0f, 18 / 255.0f, 17 / 255.0f, 16 / 255.0f}, 1e-7f);  // 17, 18, 17.5, 16.5
}

// ITU-R BT.601: black, white, and full red at 81, 90 (U), 240 (V).
TEST_F(TexturesTest, YuvBecomesRgb) {
  auto avyu = [](uint32_t y, uint32_t u, uint32_t v) { return 0xff000000u | v << 16 | y << 8 | u; };
  for (uint32_t format : {uint32_t(TX_FORMAT1::TXFORMAT::TX_FMT_AVYU444), 12u | bgra})
    for (uint32_t mode : {0u, 1u, 2u})
      for (uint32_t swapped : {0u, 1u}) {
        texture(format | TX_FORMAT1::YUV_TO_RGB::of(mode) | TX_FORMAT1::SWAP_YUV::of(swapped), 4, 4);
        const uint32_t turn = swapped && mode ? 0x00800080 : 0;
        texels<uint32_t>()[0] = avyu(16, 128, 128) ^ turn, texels<uint32_t>()[1] = avyu(235, 128, 128) ^ turn;
        texels<uint32_t>()[2] = avyu(81, 90, 240) ^ turn, texels<uint32_t>()[3] = avyu(255, 128, 128) ^ turn;
        bind();
        EXPECT_TRUE(unknown.empty());
        if (!mode) {
          expect(at(0.6f, 0.1f), {240 / 255.0f, 81 / 255.0f, 90 / 255.0f, 1});
          continue;
        }
        expect(at(0.1f, 0.1f), {0, 0, 0, 1}, 0.003f);
        expect(at(0.3f, 0.1f), {1, 1, 1, 1}, 0.003f);
        expect(at(0.6f, 0.1f), {1, 0, 0, 1}, 0.006f);
        const float over = at(0.9f, 0.1f)[1];
        EXPECT_EQ(over == 1, mode == 1) << over;
      }
}

// Nine phases of four weights each way, for one component; the others are filtered linearly.
TEST_F(TexturesTest, FourTexelsEachWay) {
  texture(12 | in_order, 8, 8, clamp_all);
  for (unsigned n = 0; n < 64; n++)
    texels<uint32_t>()[n / 8 * 8 + n % 8] = (n % 8) * (n % 8) * 4 | (n / 8) * (n / 8) * 4 << 8 | n << 16 | 0xff000000;
  auto weight = [](uint32_t direction, uint32_t phase, uint32_t tap) {
    return float(int(phase * 7 + tap * 31 + direction * 3) % 64 - 16) / 64;
  };
  auto fixed = [](float v) { return uint32_t(int(v * 512)) & 0x7ff; };
  for (uint32_t direction : {0u, 1u})
    for (uint32_t phase = 0; phase < 9; phase++)
      for (uint32_t pair : {0u, 1u})
        (void)write_register(*context, TX_FILTER4::address(),
                             TX_FILTER4::WEIGHT_0::of(fixed(weight(direction, phase, 2 * pair))) |
                                 TX_FILTER4::WEIGHT_1::of(fixed(weight(direction, phase, 2 * pair + 1))) |
                                 TX_FILTER4::WEIGHT_PAIR::of(pair) | TX_FILTER4::PHASE::of(phase) |
                                 TX_FILTER4::DIRECTION::of(direction));
  for (uint32_t component = 0; component < 4; component++) {
    set(0x4500, TX_FORMAT2::SEL_FILTER4::of(component));
    bind();
    EXPECT_TRUE(unknown.empty());
    EXPECT_EQ(textures.form(0), 0u);
    for (uint32_t phase_s : {0u, 3u, 7u})
      for (uint32_t phase_t : {0u, 5u}) {
        // Between texels 3 and 4, 2 and 3: that many eighths behind the first's middle.
        const float s = 3.5f + float(phase_s) / 8, t = 2.5f + float(phase_t) / 8;
        auto texel = [&](int x, int y) { return float(texels<uint32_t>()[y * 8 + x] >> component * 8 & 0xff) / 255; };
        float sum = 0;
        for (int y = 0; y < 4; y++)
          for (int x = 0; x < 4; x++)
            sum += weight(0, phase_s, uint32_t(x)) * weight(1, phase_t, uint32_t(y)) * texel(2 + x, 1 + y);
        const auto found = at(s / 8, t / 8);
        EXPECT_NEAR(found[component], sum, 1e-5f) << component << " " << phase_s << " " << phase_t;
        const uint32_t other = component == 0 ? 1 : 0;
        auto plain = [&](int x, int y) { return float(texels<uint32_t>()[y * 8 + x] >> other * 8 & 0xff) / 255; };
        const float fs = float(phase_s) / 8, ft = float(phase_t) / 8;
        EXPECT_NEAR(found[other],
                    (plain(3, 2) * (1 - fs) + plain(4, 2) * fs) * (1 - ft) + (plain(3, 3) * (1 - fs) + plain(4, 3) * fs) * ft,
                    1e-5f);
      }
  }
}

// A key's pixels are not drawn, in compiled programs as in interpreted ones.
TEST(ChromaKey, KillsPixels) {
  for (auto engine : {gpu::Engine::Interpreter, gpu::Engine::Jit})
    for (uint32_t mode : {0u, 1u}) {
      test::Scene scene("r580", {.engine = engine, .threads = 1});
      auto& w = scene.stream;
      Buffer texture = scene.machine.allocate(4096);
      for (unsigned n = 0; n < 1024; n++)
        reinterpret_cast<uint32_t*>(texture.host_pointer)[n] = n % 8 < 4 ? 0xff112233 : 0xff445566;
      w.set(TX_ENABLE::address(), 1).set(TX_FORMAT0::address(0), 7 | 7 << 11).set(TX_FORMAT1::address(0), 12 | in_order);
      w.set(TX_FORMAT2::address(0), 0).set(TX_OFFSET::address(0), uint32_t(texture.gpu_address));
      w.set(TX_FILTER0::address(0), nearest).set(TX_FILTER1::address(0), unbiased | TX_FILTER1::CHROMA_KEY_MODE::of(mode));
      w.set(TX_CHROMA_KEY::address(0), 0xff112233);
      auto lookup = r500::parse("ld t1.rgba, tex0.xyzw, t0.xyzw");
      ASSERT_TRUE(lookup) << lookup.error().message;
      auto write = r500::parse("mad o0.rgb, t1, 1, 0 | mad o0.a, t1.w, 1, 0 @last");
      ASSERT_TRUE(write) << write.error().message;
      w.set(US_PIXSIZE::address(), 2);
      scene.code({*lookup, *write});
      using Prim = VAP_VF_CNTL::PRIM_TYPE;
      for (int times = 0; times < 2; times++)
        scene.draw(Prim::Quad_List, {{0, 0, 0.5f, 1, {0, 0, 0, 1}},
                                     {64, 0, 0.5f, 1, {1, 0, 0, 1}},
                                     {64, 32, 0.5f, 1, {1, 1, 0, 1}},
                                     {0, 32, 0.5f, 1, {0, 1, 0, 1}}});
      scene.run();
      EXPECT_EQ(scene.at(8, 8) != 0, mode == 0);
      EXPECT_NE(scene.at(50, 8), 0u);
    }
}

// Any values in the registers.
TEST_F(TexturesTest, AnyRegisters) {
  uint32_t seed = 1;
  auto random = [&] { return seed = seed * 1664525 + 1013904223, seed ^ seed >> 16; };
  unsigned answered = 0;
  for (int round = 0; round < 3000; round++) {
    for (uint32_t block : {0x4400u, 0x4440u, 0x4480u, 0x44c0u, 0x4500u, 0x4540u, 0x45c0u}) set(block, random());
    if (round % 2)
      set(0x4480, context->registers.raw(0x4480) & 0x3c07f07f), set(0x4540, uint32_t(buffer.gpu_address) | (random() & 0xc));
    bind();
    wave::ImageAccess copy = access;
    for (auto& c : copy.coordinate)
      for (uint32_t& x : c) x = random();
    copy.unnormalized = random() & 1, copy.projected = random() & 1;
    copy.lod_mode = wave::LodMode(random() % 3);
    for (uint32_t& x : copy.lod) x = random();
    textures.image(copy);
    answered += copy.fault == nullptr;
  }
  EXPECT_GT(answered, 500u);
}

}  // namespace
}  // namespace Atoll::r5xx
