// Metadata of tiles: values that AMD's own address library gave, and a place of its own for every tile.
#include "surface/tile_metadata.h"

#include <gtest/gtest.h>

#include <vector>

namespace Atoll::surface {
namespace {

// First bits that Mesa 22.3.6's addrlib computed (Bonaire's settings, pipe configurations at random).
struct Vector {
  int pipe_config, depth, linear;
  unsigned pitch, height, x, y, slice;
  uint64_t bit;
};
constexpr Vector vectors[] = {
#include "tile_metadata_vectors.inc"
};

TEST(TileMetadata, AgreesWithAddrlib) {
  EXPECT_GE(std::size(vectors), 150u);
  for (auto& v : vectors) {
    TileMetadata m{PipeConfig(v.pipe_config), 256, v.depth != 0, v.linear != 0, v.pitch, v.height};
    ASSERT_TRUE(check(m));
    EXPECT_EQ(first_bit(m, v.x, v.y, v.slice), v.bit)
        << "pipes " << v.pipe_config << ", depth " << v.depth << ", linear " << v.linear;
  }
}

TEST(TileMetadata, EveryTileHasItsOwnBits) {
  for (int config = 0; config < pipe_config_count; config++)
    for (bool depth : {false, true})
      for (bool linear : {false, true}) {
        TileMetadata m{PipeConfig(config), 256, depth, linear, 1000, 700};
        TileMetadataSize s = size(m);
        unsigned bits = depth ? 32 : 4;
        std::vector<bool> taken(s.slice_bytes * 8 * 2 / bits);
        for (unsigned slice = 0; slice < 2; slice++)
          for (unsigned y = 0; y < m.height; y += 8)
            for (unsigned x = 0; x < m.pitch; x += 8) {
              uint64_t bit = first_bit(m, x, y, slice);
              ASSERT_EQ(bit, first_bit(m, x + 7, y + 3, slice));
              ASSERT_EQ(bit % bits, 0u);
              ASSERT_LT(bit / bits, taken.size()) << "pipes " << config << ", depth " << depth << ", linear " << linear;
              ASSERT_FALSE(taken[bit / bits]) << "pipes " << config << ", depth " << depth << ", linear " << linear;
              taken[bit / bits] = true;
            }
      }
}

TEST(TileMetadata, Sizes) {
  // Mesa 22.3.6 ac_surface.c, ac_compute_cmask: tiles in a cache line by the number of pipes
  auto line = [](PipeConfig config, bool depth) {
    TileMetadataSize s = size({config, 256, depth, false, 64, 64});
    return std::pair{s.line_width / 8, s.line_height / 8};
  };
  EXPECT_EQ(line(PipeConfig::p2, false), std::pair(32u, 16u));
  EXPECT_EQ(line(PipeConfig::p4_16x16, false), std::pair(32u, 32u));
  EXPECT_EQ(line(PipeConfig::p8_32x32_16x16, false), std::pair(64u, 32u));
  EXPECT_EQ(line(PipeConfig::p16_32x32_16x16, false), std::pair(64u, 64u));
  EXPECT_EQ(size({PipeConfig::p4_16x16, 256, true, false, 1024, 1024}).slice_bytes, 1024u * 1024 / 64 * 4);
}

TEST(TileMetadata, RefusesNonsense) {
  EXPECT_FALSE(check({PipeConfig(99), 256, true, true, 8, 8}));
  EXPECT_FALSE(check({PipeConfig::p2, 0, true, true, 8, 8}));
  EXPECT_FALSE(check({PipeConfig::p2, 256, true, true, 0, 8}));
  EXPECT_FALSE(check({PipeConfig::p2, 256, true, true, 8, 1u << 31}));
}

}  // namespace
}  // namespace Atoll::surface
