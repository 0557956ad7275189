// ASTC blocks: what the Khronos Data Format Specification 1.3 says of results. Blocks of all kinds are compared with Mesa's decoder by
// tests/pictures/astc_blocks.cpp.
#include "surface/astc.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "base/half.h"

namespace Atoll::surface {
namespace {

std::array<uint8_t, 16> constant_block(uint16_t red, uint16_t green, uint16_t blue, uint16_t alpha) {
  std::array<uint8_t, 16> block{0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};  // of no place
  const uint16_t colour[] = {red, green, blue, alpha};
  std::memcpy(&block[8], colour, 8);
  return block;
}

// 23.19: 65535 is 1; others are of 65536, towards zero.
TEST(Astc, EveryResultAsHalf) {
  uint16_t texels[16][4];
  for (unsigned value = 0; value < 65536; value++) {
    const auto block = constant_block(uint16_t(value), 0, 65535, uint16_t(65535 - value));
    decode_astc_block(block.data(), {4, 4}, false, texels);
    const uint16_t half = texels[15][0];
    if (value == 65535) {
      EXPECT_EQ(half, 0x3c00);
      continue;
    }
    ASSERT_LE(float_from_half(half), double(value) / 65536) << value;
    ASSERT_GT(float_from_half(uint16_t(half + 1)), double(value) / 65536) << value;
    ASSERT_EQ(texels[3][1], 0);
    ASSERT_EQ(texels[3][2], 0x3c00);
  }
}

// 23.19: of sRGB the upper bytes; 23.22: blocks that may not be are magenta, which is opaque.
TEST(Astc, BytesAndErrors) {
  uint16_t texels[144][4];
  auto first = [&](std::array<uint8_t, 16> block, bool srgb) {
    decode_astc_block(block.data(), {12, 12}, srgb, texels);
    for (const auto& texel : texels) EXPECT_EQ(std::memcmp(texel, texels[0], sizeof texel), 0);
    return std::array{texels[0][0], texels[0][1], texels[0][2], texels[0][3]};
  };
  const std::array<uint16_t, 4> magenta{255, 0, 255, 255}, magenta_of_halves{0x3c00, 0, 0x3c00, 0x3c00};
  const auto block = constant_block(0x12ff, 0x3400, 0xffff, 0x7f80);
  EXPECT_EQ(first(block, true), (std::array<uint16_t, 4>{0x12, 0x34, 0xff, 0x7f}));
  auto changed = block;
  changed[1] |= 2;  // of HDR
  EXPECT_EQ(first(changed, true), magenta);
  EXPECT_EQ(first(changed, false), magenta_of_halves);
  changed = block;
  changed[1] &= uint8_t(~4);  // a reserved bit that is not one
  EXPECT_EQ(first(changed, true), magenta);
  changed = block;
  changed[2] = 0;  // places that are not in order
  EXPECT_EQ(first(changed, true), magenta);
  EXPECT_EQ(first({}, true), magenta);  // a reserved mode
}

}  // namespace
}  // namespace Atoll::surface
