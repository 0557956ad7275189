// Intel's X and Y tiles against their address bits (PRM volume 5, "Tile formats"; Mesa 22.3.6 isl.c), and textures made of them.
#include "surface/intel_tiling.h"

#include <gtest/gtest.h>

#include <vector>

#include "surface/texture.h"

namespace {

using namespace Atoll::surface;

// The bit of x or y at each of a tile's lower 12 address bits, from bit 11 down.
uint64_t by_bits(IntelTiling tiling, uint32_t pitch, uint64_t x, uint64_t y) {
  const char* bits = tiling == IntelTiling::x ? "y2 y1 y0 x8 x7 x6 x5 x4 x3 x2 x1 x0" : "x6 x5 x4 y4 y3 y2 y1 y0 x3 x2 x1 x0";
  uint64_t inside = 0;
  for (int n = 0; n < 12; n++) inside = inside << 1 | ((bits[n * 3] == 'x' ? x : y) >> (bits[n * 3 + 1] - '0') & 1);
  const uint64_t width = tiling == IntelTiling::x ? 512 : 128, rows = tiling == IntelTiling::x ? 8 : 32;
  return (y / rows * (pitch / width) + x / width) * 4096 + inside;
}

TEST(IntelTiling, AddressesAreTheBits) {
  for (IntelTiling tiling : {IntelTiling::x, IntelTiling::y})
    for (uint32_t pitch : {512u, 1024u, 2560u})
      for (uint64_t y = 0; y < 100; y += 3)
        for (uint64_t x = 0; x < pitch; x += 7)
          ASSERT_EQ(address(IntelSurface{tiling, pitch, 0, 0, 0}, x, y), by_bits(tiling, pitch, x, y)) << x << " " << y;
}

// Levels that begin anywhere, which have tables (code is compiled for those alone), and slices that end inside of tiles, which have none.
TEST(IntelTiling, TexelsOfTextures) {
  std::vector<uint8_t> memory(1 << 20);
  for (IntelTiling tiling : {IntelTiling::x, IntelTiling::y})
    for (uint32_t x0 : {0u, 16u, 20u, 128u, 144u})
      for (uint32_t y0 : {0u, 4u, 5u, 8u, 36u})
        for (uint32_t slice : {32u, 52u}) {
          TextureDescription d;
          d.dimension = Dimension::two_array;
          d.width = 40, d.height = 21, d.layers = 3;
          d.levels.push_back({64, IntelSurface{tiling, 1024, x0, y0, slice}});
          auto texture = Texture::make(d, memory.data(), memory.size());
          ASSERT_TRUE(texture) << texture.error().message;
          EXPECT_EQ(texture->level(0).separable, slice == 32);
          for (unsigned z = 0; z < 3; z++)
            for (unsigned y = 0; y < 21; y++)
              for (unsigned x = 0; x < 40; x++)
                ASSERT_EQ(texture->texel(0, x, y, z) - memory.data(),
                          int64_t(64 + by_bits(tiling, 1024, x0 + x * 4, y0 + z * slice + y)));
        }
}

// A level that begins with a tile in the middle of its surface's last row of tiles ends with the surface: no byte behind its own last tile
// counts, and its last texel is inside.
TEST(IntelTiling, TheLastRowOfTilesEndsWithTheColumns) {
  for (IntelTiling tiling : {IntelTiling::x, IntelTiling::y})
    for (uint32_t x0 : {0u, 16u, 512u})
      for (uint32_t rows : {1u, 8u, 33u, 70u})
        for (uint32_t width : {1u, 30u, 128u}) {
          const uint32_t pitch = 2048, row_end = x0 + width * 4;
          const uint64_t last_row = by_bits(tiling, pitch, 0, rows - 1) / 4096 * 4096;
          const uint64_t end = last_row + (row_end - 1) / tile_width(tiling) * 4096 + 4096;
          std::vector<uint8_t> memory(end);
          TextureDescription d;
          d.width = width, d.height = rows;
          d.levels.push_back({0, IntelSurface{tiling, pitch, x0, 0, 0}});
          auto texture = Texture::make(d, memory.data(), end);
          ASSERT_TRUE(texture) << texture.error().message;
          EXPECT_LT(texture->texel(0, width - 1, rows - 1) - memory.data() + 3, int64_t(end));
          EXPECT_FALSE(Texture::make(d, memory.data(), end - 1));
        }
}

TEST(IntelTiling, WhatDoesNotFitIsRefused) {
  std::vector<uint8_t> memory(8192);
  auto make = [&](IntelSurface place, unsigned width, unsigned height) {
    TextureDescription d;
    d.width = width, d.height = height;
    d.levels.push_back({0, place});
    return Texture::make(d, memory.data(), memory.size()).has_value();
  };
  EXPECT_TRUE(make({IntelTiling::y, 256, 0, 0, 0}, 64, 32));
  EXPECT_FALSE(make({IntelTiling::y, 256, 0, 0, 0}, 64, 33));
  EXPECT_FALSE(make({IntelTiling::y, 256, 0, 0, 0}, 65, 32));
  EXPECT_FALSE(make({IntelTiling::y, 256, 16, 0, 0}, 64, 32));
  EXPECT_FALSE(make({IntelTiling::y, 256, 0, 1, 0}, 64, 32));
  EXPECT_FALSE(make({IntelTiling::y, 200, 0, 0, 0}, 4, 4));
  EXPECT_FALSE(make({IntelTiling::x, 0, 0, 0, 0}, 4, 4));
}

}  // namespace
