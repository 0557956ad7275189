// ETC2 and EAC blocks against Mesa's decoder, formats of different numbers, and pairs of texels with one chroma.
#include "surface/etc.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "surface/texel.h"
#include "surface/texture.h"

namespace Atoll::surface {
namespace {

struct Vector {
  const char* kind;
  const char* block;
  int texels[8][4];
};
const Vector vectors[] = {
#include "etc_vectors.inc"
};
constexpr unsigned places[8] = {0, 3, 5, 6, 9, 10, 12, 15};

float float_of(uint32_t word) { return std::bit_cast<float>(word); }

TEST(Etc, AgreesWithMesa) {
  size_t modes = 0;
  for (const Vector& v : vectors) {
    const std::string kind = v.kind;
    uint8_t block[16] = {};
    for (size_t i = 0; i < std::strlen(v.block) / 2; i++)
      block[i] = uint8_t(std::stoul(std::string(v.block + 2 * i, 2), nullptr, 16));
    const bool is_signed = kind.find("signed") != std::string::npos, eac = kind.starts_with("eac");
    const Format format{kind == "etc2"                ? Layout::etc2
                        : kind == "etc2_pta"          ? Layout::etc2_pta
                        : kind == "etc2_eac"          ? Layout::etc2_eac
                        : kind.starts_with("eac_r11") ? Layout::eac_r11
                                                      : Layout::eac_rg11,
                        is_signed ? Number::snorm : Number::unorm};
    modes++;
    for (size_t n = 0; n < 8; n++) {
      const Colour colour = read_texel(format, block, places[n] % 4, places[n] / 4);
      const int components = eac ? (format.layout == Layout::eac_r11 ? 1 : 2) : 4;
      for (size_t c = 0; c < 4; c++) {
        const float most = int(c) >= components ? 1 : !eac ? 255.0f : is_signed ? 1023.0f : 2047.0f;
        ASSERT_EQ(float_of(colour[c]), float(v.texels[n][c]) / most) << v.kind << " " << v.block << " texel " << places[n];
      }
    }
  }
  EXPECT_GT(modes, 150u);
}

TEST(Etc, SrgbIsLinearButForAlpha) {
  for (const Vector& v : vectors) {
    if (std::string(v.kind) != "etc2_eac") continue;
    uint8_t block[16];
    for (size_t i = 0; i < 16; i++) block[i] = uint8_t(std::stoul(std::string(v.block + 2 * i, 2), nullptr, 16));
    for (size_t n = 0; n < 8; n++) {
      const Colour colour = read_texel({Layout::etc2_eac, Number::srgb}, block, places[n] % 4, places[n] / 4);
      for (size_t c = 0; c < 3; c++) EXPECT_EQ(float_of(colour[c]), from_srgb8(uint8_t(v.texels[n][c])));
      EXPECT_EQ(float_of(colour[3]), float(v.texels[n][3]) / 255);
    }
  }
}

TEST(SignedFirst, FieldsHaveNumbersOfTheirOwn) {
  auto read = [](Layout layout, uint32_t word) {
    uint8_t bytes[4];
    std::memcpy(bytes, &word, 4);
    return read_texel({layout, Number::signed_first}, bytes);
  };
  // R10G10B10_SNORM_A2_UNORM: -512 and -511 are -1, 511 is 1; alpha 2 of 3.
  Colour c = read(Layout::bits_10_10_10_2, 0x200u | 0x201u << 10 | 0x1ffu << 20 | 2u << 30);
  EXPECT_EQ(float_of(c[0]), -1);
  EXPECT_EQ(float_of(c[1]), -1);
  EXPECT_EQ(float_of(c[2]), 1);
  EXPECT_EQ(float_of(c[3]), 2 / 3.0f);
  // R5G5_SNORM_B6_UNORM
  c = read(Layout::bits_5_5_6, 0x1fu | 0x0fu << 5 | 0x3fu << 10);
  EXPECT_EQ(float_of(c[0]), -1 / 15.0f);
  EXPECT_EQ(float_of(c[1]), 1);
  EXPECT_EQ(float_of(c[2]), 1);
}

TEST(FloatsFirst, FieldsHaveNumbersOfTheirOwn) {
  // R10G10B10_FLOAT_A2_UNORM: 1, the least denormal, infinity (GL_EXT_packed_float's ten bits); alpha 2 of 3.
  const uint32_t word = 15u << 5 | 1u << 10 | 31u << 5 << 20 | 2u << 30;
  uint8_t bytes[4];
  std::memcpy(bytes, &word, 4);
  const Colour c = read_texel({Layout::bits_10_10_10_2, Number::floats_first}, bytes);
  EXPECT_EQ(float_of(c[0]), 1);
  EXPECT_EQ(float_of(c[1]), 0x1p-19f);
  EXPECT_EQ(float_of(c[2]), INFINITY);
  EXPECT_EQ(float_of(c[3]), 2 / 3.0f);
}

TEST(SharedChroma, TwoTexelsInARow) {
  // Three texels wide, two rows: the last pair has one texel that is not there.
  uint8_t bytes[2][8] = {{10, 20, 30, 40, 50, 60, 70, 80}, {11, 21, 31, 41, 51, 61, 71, 81}};
  TextureDescription d;
  d.format = {Layout::yuyv, Number::unorm};
  d.width = 3, d.height = 2;
  d.levels.push_back({0, LinearSurface{8, 0}});
  auto texture = Texture::make(d, bytes[0], sizeof bytes);
  ASSERT_TRUE(texture) << texture.error().message;
  uint32_t x[6], y[6];
  for (uint32_t n = 0; n < 6; n++) x[n] = n % 3, y[n] = n / 3;
  TexelLanes call;
  call.lanes = 6, call.active = 0x3f, call.x = x, call.y = y;
  std::array<Lanes, 4> colour;
  fetch(*texture, call, colour);
  const int expected[6][3] = {{40, 10, 20}, {40, 30, 20}, {80, 50, 60}, {41, 11, 21}, {41, 31, 21}, {81, 51, 61}};
  for (size_t n = 0; n < 6; n++)
    for (size_t c = 0; c < 3; c++) EXPECT_EQ(float_of(colour[c][n]), float(expected[n][c]) / 255.0f) << n << " " << c;
  // One byte less, and the second row's last pair does not fit.
  EXPECT_FALSE(Texture::make(d, bytes[0], sizeof bytes - 1));
  const uint8_t other[4] = {20, 10, 40, 30};  // U Y V Y
  const Colour second = read_texel({Layout::uyvy, Number::unorm}, other, 1, 0);
  EXPECT_EQ(float_of(second[0]), 40 / 255.0f);
  EXPECT_EQ(float_of(second[1]), 30 / 255.0f);
  EXPECT_EQ(float_of(second[2]), 20 / 255.0f);
}

}  // namespace
}  // namespace Atoll::surface
