// Intel's standard tiles (Yf, Ys) against their address bits as gmmlib lists them, the block shapes of Vulkan's sparse images, and what has to
// be so of any layout: no two texels of any level, layer or sample share a byte.
#include "surface/intel_standard_tiling.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <vector>

#include "surface/texture.h"
#include "surface/tile_parts.h"

namespace {

using namespace Atoll::surface;
using Tile = IntelStandardTile;

// Bits 15 to 0 of an offset in a tile (gmmlib 22.3.0 CpuSwizzleBlt.c, INTEL_TILE_YS_*). By size of an element, 1 to 16 bytes.
struct Bits {
  unsigned samples;
  bool volume;
  std::string_view of[5];
};
constexpr std::string_view ys_8 = "XYXYXYXYYYYYXXXX", ys_32 = "XYXYXYXYXYYYXXXX", ys_128 = "XYXYXYXYXXYYXXXX";
constexpr Bits ys[] = {
    {1, false, {ys_8, ys_32, ys_32, ys_128, ys_128}},
    {2, false, {"SYXYXYXYYYYYXXXX", "SYXYXYXYXYYYXXXX", "SYXYXYXYXYYYXXXX", "SYXYXYXYXXYYXXXX", "SYXYXYXYXXYYXXXX"}},
    {4, false, {"SSXYXYXYYYYYXXXX", "SSXYXYXYXYYYXXXX", "SSXYXYXYXYYYXXXX", "SSXYXYXYXXYYXXXX", "SSXYXYXYXXYYXXXX"}},
    {8, false, {"SSSYXYXYYYYYXXXX", "SSSYXYXYXYYYXXXX", "SSSYXYXYXYYYXXXX", "SSSYXYXYXXYYXXXX", "SSSYXYXYXXYYXXXX"}},
    {16, false, {"SSSSXYXYYYYYXXXX", "SSSSXYXYXYYYXXXX", "SSSSXYXYXYYYXXXX", "SSSSXYXYXXYYXXXX", "SSSSXYXYXXYYXXXX"}},
    {1, true, {"XYZXYZYZZZYYXXXX", "XYZXYZYZZZYYXXXX", "XYZXYZXYZZYYXXXX", "XYZXYZXXZZYYXXXX", "XYZXYZXXZZYYXXXX"}},
};

uint64_t by_bits(std::string_view bits, uint64_t x, uint64_t y, uint64_t z, uint64_t sample) {
  uint64_t inside = 0;
  for (unsigned n = 0; n < 16; n++) {
    uint64_t& from = bits[15 - n] == 'X' ? x : bits[15 - n] == 'Y' ? y : bits[15 - n] == 'Z' ? z : sample;
    inside |= (from & 1) << n;
    from >>= 1;
  }
  return inside;
}

TEST(IntelStandardTiling, AddressesAreTheBits) {
  for (const Bits& row : ys)
    for (unsigned log2 = 0; log2 < 5; log2++) {
      IntelStandardSurface s{.volume = row.volume, .element_bytes = 1u << log2, .samples = row.samples};
      const IntelStandardExtent tile = extent_of(s);
      ASSERT_EQ(tile.width * tile.height * tile.depth * row.samples << log2, 65536u);
      s.pitch_bytes = 3 * (tile.width << log2), s.slice_rows = 2 * tile.height;
      ASSERT_TRUE(check(s));
      for (unsigned z = 0; z < 3 * tile.depth; z += (tile.depth > 1 ? 3 : 1))
        for (unsigned y = 0; y < 2 * tile.height; y += 3)
          for (unsigned x = 0; x < 3 * tile.width; x += 5)
            for (unsigned sample = 0; sample < row.samples; sample++) {
              const uint64_t number = uint64_t(z / tile.depth * 2 + y / tile.height) * 3 + x / tile.width;
              const uint64_t inside =
                  by_bits(row.of[log2], uint64_t(x % tile.width) << log2, y % tile.height, z % tile.depth, sample);
              ASSERT_EQ(address(s, {.x = x, .y = y, .slice = z, .sample = sample}), number * 65536 + inside)
                  << row.samples << " samples, " << (1 << log2) << " bytes: " << x << ", " << y << ", " << z;
            }
    }
}

// Vulkan 1.3, "Standard Sparse Image Block Shapes", for one sample and several.
TEST(IntelStandardTiling, TilesAreTheStandardBlocks) {
  struct Shape {
    unsigned width, height, depth;
  };
  constexpr Shape flat[] = {{256, 256, 1}, {256, 128, 1}, {128, 128, 1}, {128, 64, 1}, {64, 64, 1}};
  constexpr Shape volume[] = {{64, 32, 32}, {32, 32, 32}, {32, 32, 16}, {32, 16, 16}, {16, 16, 16}};
  constexpr Shape of_samples[] = {{1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {4, 2, 1}, {4, 4, 1}};  // divide a flat one's
  for (unsigned log2 = 0; log2 < 5; log2++) {
    for (unsigned n = 0; n < 5; n++) {
      const IntelStandardExtent tile = extent_of({.element_bytes = 1u << log2, .samples = 1u << n});
      EXPECT_EQ(tile.width, flat[log2].width / of_samples[n].width) << log2 << " " << n;
      EXPECT_EQ(tile.height, flat[log2].height / of_samples[n].height) << log2 << " " << n;
    }
    const IntelStandardExtent tile = extent_of({.volume = true, .element_bytes = 1u << log2});
    EXPECT_EQ(tile.width, volume[log2].width);
    EXPECT_EQ(tile.height, volume[log2].height);
    EXPECT_EQ(tile.depth, volume[log2].depth);
    // (Mesa 25.0.7 src/intel/isl/tests/isl_surf_get_image_offset_test.c has Yf's: 64x64 to 16x16.)
    const IntelStandardExtent small = extent_of({.tile = Tile::yf, .element_bytes = 1u << log2});
    EXPECT_EQ(small.width, flat[log2].width / 4);
    EXPECT_EQ(small.height, flat[log2].height / 4);
  }
}

// Levels from the largest that a tail takes, each half as large: apart from each other, inside of the tile.
TEST(IntelStandardTiling, LevelsOfATailAreApart) {
  for (Tile kind : {Tile::ys, Tile::yf})
    for (bool volume : {false, true})
      for (unsigned log2 = 0; log2 < 5; log2++) {
        const IntelStandardSurface s{.tile = kind, .volume = volume, .element_bytes = 1u << log2};
        const IntelStandardExtent tile = extent_of(s);
        const auto largest = tail_place(s, 0);
        ASSERT_TRUE(largest);
        const unsigned size[] = {tile.width - largest->x, tile.height - largest->y, tile.depth - largest->z};
        std::set<uint64_t> taken;
        unsigned n = 0;
        for (; const auto place = tail_place(s, n); n++) {
          auto extent = [&](unsigned axis) { return std::max(1u, size[axis] >> n); };
          for (unsigned z = 0; z < extent(2); z++)
            for (unsigned y = 0; y < extent(1); y++)
              for (unsigned x = 0; x < extent(0); x++) {
                const unsigned tx = place->x + x, ty = place->y + y, tz = place->z + z;
                ASSERT_TRUE(tx < tile.width && ty < tile.height && tz < tile.depth) << n << " " << log2 << " " << volume;
                ASSERT_TRUE(taken.insert((uint64_t(tz) * tile.height + ty) * tile.width + tx).second)
                    << "level " << n << " of " << (1 << log2) << " bytes at " << tx << ", " << ty << ", " << tz;
              }
        }
        EXPECT_EQ(n, kind == Tile::ys ? 15u : 11u);
      }
}

// Tables of columns, rows and slices, and the blocks that the pipeline moves, are the addresses.
TEST(IntelStandardTiling, TexelsOfTextures) {
  for (bool volume : {false, true})
    for (unsigned samples : {1u, 4u})
      for (unsigned first : {0u, 4u, 16u, 5u}) {
        if (volume && samples > 1) continue;
        IntelStandardSurface s{.volume = volume, .samples = samples};
        const IntelStandardExtent tile = extent_of(s);
        s.pitch_bytes = 2 * tile.width * 4, s.slice_rows = 2 * tile.height, s.first_x = first, s.first_y = first;
        TextureDescription d;
        d.dimension = volume ? Dimension::three : samples > 1 ? Dimension::two_multisampled_array : Dimension::two_array;
        d.width = tile.width + 9, d.height = tile.height + 3, d.samples = samples;
        (volume ? d.depth : d.layers) = 18;
        d.levels.push_back({0, s});
        std::vector<uint8_t> memory(size_t(4 << 16) * 18);
        auto texture = Texture::make(d, memory.data(), memory.size());
        ASSERT_TRUE(texture) << texture.error().message;
        EXPECT_EQ(texture->level(0).separable, samples == 1);
        for (unsigned z = 0; z < 18; z += 5)
          for (unsigned y = 0; y < d.height; y++)
            for (unsigned x = 0; x < d.width; x++)
              for (unsigned sample = 0; sample < samples; sample++)
                ASSERT_EQ(uint64_t(texture->texel(0, x, y, z, sample) - memory.data()),
                          address(s, {.x = x, .y = y, .slice = z, .sample = sample}));
        const BlockArea area{.element_bytes = 4, .samples = samples, .columns = 128, .rows = 64, .first_slice = 1, .slices = 3};
        EXPECT_EQ(TileParts::make(s, area).has_value(), !volume && first % 8 == 0);
      }
}

TEST(IntelStandardTiling, WhatDoesNotFitIsRefused) {
  std::vector<uint8_t> memory(3 << 16);
  auto make = [&](IntelStandardSurface place, unsigned width, unsigned height, unsigned layers = 1) {
    TextureDescription d;
    d.dimension = Dimension::two_array;
    d.width = width, d.height = height, d.layers = layers;
    d.levels.push_back({0, place});
    return Texture::make(d, memory.data(), memory.size()).has_value();
  };
  EXPECT_TRUE(make({.pitch_bytes = 512}, 128, 384));
  EXPECT_FALSE(make({.pitch_bytes = 512}, 128, 385));
  EXPECT_FALSE(make({.pitch_bytes = 512}, 129, 1));
  EXPECT_FALSE(make({.pitch_bytes = 512, .first_x = 1}, 128, 1));
  EXPECT_TRUE(make({.pitch_bytes = 512, .slice_rows = 128}, 128, 128, 3));
  EXPECT_FALSE(make({.pitch_bytes = 512, .slice_rows = 128}, 128, 128, 4));
  EXPECT_FALSE(make({.pitch_bytes = 512, .slice_rows = 128}, 128, 129, 3));
  EXPECT_FALSE(make({.pitch_bytes = 512, .slice_rows = 64}, 128, 1, 2));
  EXPECT_FALSE(make({.pitch_bytes = 256}, 1, 1));
  EXPECT_FALSE(make({.pitch_bytes = 0}, 1, 1));
  EXPECT_FALSE(make({.element_bytes = 8, .pitch_bytes = 1024}, 1, 1)) << "the format's texels have four bytes";
  EXPECT_FALSE(make({.samples = 3, .pitch_bytes = 512}, 1, 1));
}

}  // namespace
