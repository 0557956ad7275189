// FXT1 blocks against a model of the extension that is written apart, blocks of all modes as texels and as textures.
#include "surface/fxt1.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>

#include "fxt1_model.h"
#include "surface/texel.h"
#include "surface/texture.h"
#include "test_texture.h"

namespace Atoll::surface {
namespace {

struct Mode {
  const char* name;
  unsigned bits, low, width;  // the value of the block's bits `low` to low + width - 1
};
constexpr Mode modes[] = {{"CC_HI", 0, 126, 2},
                          {"CC_CHROMA", 2, 125, 3},
                          {"CC_ALPHA as it is", 6, 124, 4},
                          {"CC_ALPHA blended", 7, 124, 4},
                          {"CC_MIXED without alpha", 0, 124, 1},
                          {"CC_MIXED with alpha", 1, 124, 1}};
void put(uint8_t* block, unsigned low, unsigned width, unsigned value) {
  for (unsigned n = 0; n < width; n++) {
    uint8_t& byte = block[(low + n) / 8];
    byte = uint8_t((byte & ~(1u << (low + n) % 8)) | (value >> n & 1) << (low + n) % 8);
  }
}
void set_mode(uint8_t* block, const Mode& mode) {
  put(block, mode.low, mode.width, mode.bits);
  if (mode.low == 124 && mode.width == 1) put(block, 127, 1, 1);
}

void expect_texels(const uint8_t* block, const char* what) {
  const fxt1_model::Texels model = fxt1_model::decode(block);
  for (unsigned y = 0; y < 4; y++)
    for (unsigned x = 0; x < 8; x++) {
      const auto got = decode_fxt1_texel(block, x, y);
      for (size_t c = 0; c < 4; c++)
        ASSERT_EQ(got[c], model.at[y][x][c])
            << what << " " << fxt1_model::bit_string(block) << " at " << x << ", " << y << " of " << c;
    }
}

TEST(Fxt1, RandomBlocksOfEachMode) {
  std::mt19937 random(41);
  for (const Mode& mode : modes)
    for (int n = 0; n < 400; n++) {
      uint8_t block[16];
      for (uint8_t& byte : block) byte = uint8_t(random());
      set_mode(block, mode);
      ASSERT_NO_FATAL_FAILURE(expect_texels(block, mode.name));
    }
}

// Every texel has every index, of colours that are all different.
TEST(Fxt1, EachIndexInEachPlace) {
  std::mt19937 random(7);
  for (const Mode& mode : modes) {
    const unsigned width = mode.low == 126 ? 3 : 2;
    for (unsigned step = 0; step < 1u << width; step++)
      for (int n = 0; n < 20; n++) {
        uint8_t block[16];
        for (uint8_t& byte : block) byte = uint8_t(random());
        for (unsigned texel = 0; texel < 32; texel++) put(block, texel * width, width, (texel + step) & ((1u << width) - 1));
        set_mode(block, mode);
        ASSERT_NO_FATAL_FAILURE(expect_texels(block, mode.name));
      }
  }
}

// Values of the extension's tables, by hand.
TEST(Fxt1, ValuesByHand) {
  uint8_t block[16] = {};
  put(block, 96, 15, 0x1f);                  // CC_HI: blue 255 to
  put(block, 111, 15, 0x1f << 10);           // red 255
  put(block, 0, 3, 3), put(block, 3, 3, 7);  // texel 0 halfway, texel 1 nothing
  put(block, 48, 3, 6);                      // the right half's first
  EXPECT_EQ(decode_fxt1_texel(block, 0, 0), (std::array<uint8_t, 4>{128, 0, 128, 255}));
  EXPECT_EQ(decode_fxt1_texel(block, 1, 0), (std::array<uint8_t, 4>{0, 0, 0, 0}));
  EXPECT_EQ(decode_fxt1_texel(block, 4, 0), (std::array<uint8_t, 4>{255, 0, 0, 255}));
  EXPECT_EQ(decode_fxt1_texel(block, 7, 3), (std::array<uint8_t, 4>{0, 0, 255, 255}));
  // CC_MIXED without alpha, both greens 0: the sixth bits are the half's own, and the other way round where its first index is 2 or 3.
  std::memset(block, 0, sizeof block);
  put(block, 127, 1, 1), put(block, 125, 2, 2), put(block, 0, 2, 3), put(block, 2, 2, 0);
  EXPECT_EQ(decode_fxt1_texel(block, 0, 0)[1], 0);
  EXPECT_EQ(decode_fxt1_texel(block, 1, 0)[1], 4);
  EXPECT_EQ(decode_fxt1_texel(block, 4, 0)[1], 4);
  // CC_ALPHA: an alpha of 3 of 31 is 25 of 255.
  std::memset(block, 0, sizeof block);
  put(block, 125, 3, 3), put(block, 114, 5, 3), put(block, 0, 2, 1);
  EXPECT_EQ(decode_fxt1_texel(block, 0, 0)[3], 25);
  EXPECT_EQ(decode_fxt1_texel(block, 1, 0)[3], 0);
}

// 13 x 6 texels are two blocks across and two down; a filter reaches over their edges.
TEST(Fxt1, TexturesHaveBlocksOf8x4) {
  std::mt19937 random(3);
  uint8_t blocks[2][2][16];
  for (uint8_t* byte = blocks[0][0]; byte < blocks[0][0] + sizeof blocks; byte++) *byte = uint8_t(random());
  TextureDescription d = {
      .format = {Layout::fxt1, Number::unorm}, .width = 13, .height = 6, .levels = {{0, LinearSurface{32, 64}}}};
  auto texture = Texture::make(d, blocks[0][0], sizeof blocks);
  ASSERT_TRUE(texture) << texture.error().message;
  EXPECT_FALSE(Texture::make(d, blocks[0][0], sizeof blocks - 1));
  auto texel = [&](unsigned x, unsigned y) { return fxt1_model::decode(blocks[y / 4][x / 8]).at[y % 4][x % 8]; };
  for (unsigned y = 0; y < 6; y++)
    for (unsigned x = 0; x < 13; x++) {
      TexelLanes call;
      call.lanes = 1, call.active = 1, call.x = &x, call.y = &y;
      std::array<Lanes, 4> colour;
      fetch(*texture, call, colour);
      for (size_t c = 0; c < 4; c++)
        EXPECT_EQ(std::bit_cast<float>(colour[c][0]), float(texel(x, y)[c]) / 255.0f) << x << " " << y << " " << c;
    }
  // Halfway between the blocks' four inner corners.
  FloatLanes s{8.0f / 13}, t{4.0f / 6};
  SampleLanes call = {.lanes = 1, .active = 1, .s = s, .t = t, .lod_mode = LodMode::zero};
  std::array<Lanes, 4> result{};
  sample(*texture, Sampler{}, call, result);
  for (size_t c = 0; c < 4; c++) {
    const int sum = texel(7, 3)[c] + texel(8, 3)[c] + texel(7, 4)[c] + texel(8, 4)[c];
    EXPECT_NEAR(colour_at(result, 0)[c], float(sum) / 1020, 1e-6f);
  }
}

}  // namespace
}  // namespace Atoll::surface
