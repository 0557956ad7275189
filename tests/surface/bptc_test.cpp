// BPTC blocks: every mode of BC6H and BC7 against Mesa's decoder, and blocks of no mode.
#include "surface/bptc.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "surface/texel.h"

namespace Atoll::surface {

namespace {

struct Vector {
  const char* kind;
  const char* block;
  unsigned texels[4][4];
};
const Vector vectors[] = {
#include "bptc_vectors.inc"
};

TEST(Bptc, AgreesWithMesa) {
  for (const Vector& v : vectors) {
    uint8_t block[16];
    for (int i = 0; i < 16; i++) block[i] = uint8_t(std::stoul(std::string(v.block + 2 * i, 2), nullptr, 16));
    const unsigned places[4] = {0, 3, 9, 15};
    for (int n = 0; n < 4; n++) {
      if (std::string(v.kind) == "bc7") {
        auto got = decode_bc7_texel(block, places[n]);
        for (int c = 0; c < 4; c++) ASSERT_EQ(got[c], v.texels[n][c]) << v.block << " texel " << places[n] << " component " << c;
      } else {
        auto got = decode_bc6h_texel(block, std::string(v.kind) == "bc6h signed", places[n]);
        for (int c = 0; c < 3; c++)
          ASSERT_EQ(got[c], v.texels[n][c]) << v.kind << " " << v.block << " texel " << places[n] << " component " << c;
      }
    }
  }
}

TEST(Bptc, BlocksOfNoMode) {
  uint8_t block[16];
  std::memset(block, 0xff, sizeof block);
  block[0] = 0;
  EXPECT_EQ(decode_bc7_texel(block, 5), (std::array<uint8_t, 4>{0, 0, 0, 0}));
  for (unsigned mode : {0x13u, 0x17u, 0x1bu, 0x1fu}) {
    block[0] = uint8_t(mode);
    EXPECT_EQ(decode_bc6h_texel(block, false, 5), (std::array<uint16_t, 3>{0, 0, 0})) << mode;
  }
}

TEST(Bptc, AsTexels) {
  // Mode 6: endpoints of 7 bits and a parity bit; all of index 0.
  uint8_t block[16] = {};
  block[0] = 1 << 6;
  block[0] |= 0x80;  // red of endpoint 0: 1
  block[7] = 0x80;   // parity of endpoint 0
  Colour colour = read_texel({Layout::bc7, Number::unorm}, block, 2, 2);
  EXPECT_EQ(std::bit_cast<float>(colour[0]), 3 / 255.0f);
  EXPECT_EQ(std::bit_cast<float>(colour[1]), 1 / 255.0f);
  EXPECT_EQ(std::bit_cast<float>(colour[3]), 1 / 255.0f);
  colour = read_texel({Layout::bc7, Number::srgb}, block, 2, 2);
  EXPECT_EQ(std::bit_cast<float>(colour[0]), from_srgb8(3));
  EXPECT_EQ(std::bit_cast<float>(colour[3]), 1 / 255.0f);
  EXPECT_EQ(std::bit_cast<float>(read_texel({Layout::bc6h, Number::unorm}, block, 0, 0)[3]), 1.0f);
}

}  // namespace

}  // namespace Atoll::surface
