// Mip levels of R300 to R500 textures against what Mesa's r300 driver said it laid out.
#include "surface/r300_mips.h"

#include <gtest/gtest.h>

namespace Atoll::surface {
namespace {

// From the log of the unmodified driver (Mesa 22.3.6, RADEON_DEBUG=texalloc, as an R580): a texture; pitch in bytes, macro tiles
// and end in bytes of its last level.
struct Vector {
  unsigned element_bytes, block, width, height, slices;
  int volume, micro, macro, levels;
  unsigned last_pitch_bytes;
  int last_macro;
  unsigned end;
};
constexpr Vector vectors[] = {
#include "r300_mips_vectors.inc"
};

TEST(R300Mips, AgreesWithTheDriver) {
  EXPECT_GE(std::size(vectors), 100u);
  for (auto& v : vectors) {
    R300Texture texture{.element_bytes = v.element_bytes,
                        .block_width = v.block,
                        .block_height = v.block,
                        .width = v.width,
                        .height = v.height,
                        .slices = v.slices,
                        .volume = v.volume != 0,
                        .micro = R300MicroTile(v.micro),
                        .macro = v.macro != 0,
                        .levels = unsigned(v.levels)};
    auto levels = mip_levels(texture);
    ASSERT_TRUE(levels) << levels.error().message;
    ASSERT_EQ(levels->size(), unsigned(v.levels));
    auto& last = levels->back();
    EXPECT_EQ(last.surface.pitch * v.element_bytes, v.last_pitch_bytes);
    EXPECT_EQ(last.surface.macro, v.last_macro != 0);
    EXPECT_EQ(last.offset + last.surface.slice_bytes * last.slices, v.end) << v.width << " x " << v.height << " x " << v.slices;
    uint64_t end = 0;
    for (auto& level : *levels) {
      EXPECT_TRUE(check(level.surface));
      EXPECT_EQ(level.offset, end);
      end += level.surface.slice_bytes * level.slices;
      EXPECT_LT(address(level.surface, level.surface.pitch - 1, level.height - 1, level.slices - 1), end - level.offset);
    }
  }
}

// TX_FILTER1.MACRO_SWITCH: where a level is exactly eight micro tiles wide.
TEST(R300Mips, MacroTilesEndAtOrBelowEight) {
  R300Texture texture{.width = 64, .height = 64, .micro = R300MicroTile::tiled, .macro = true, .levels = 3};
  EXPECT_TRUE(mip_levels(texture)->at(1).surface.macro);
  EXPECT_FALSE(mip_levels(texture)->at(2).surface.macro);
  texture.macro_ends_at_8 = true;
  EXPECT_FALSE(mip_levels(texture)->at(1).surface.macro);
}

TEST(R300Mips, RefusesNonsense) {
  R300Texture good{.width = 64, .height = 64};
  EXPECT_TRUE(mip_levels(good));
  auto bad = [&](auto change) {
    R300Texture t = good;
    change(t);
    return !mip_levels(t);
  };
  EXPECT_TRUE(bad([](auto& t) { t.width = 0; }));
  EXPECT_TRUE(bad([](auto& t) { t.slices = 1u << 30; }));
  EXPECT_TRUE(bad([](auto& t) { t.levels = 40; }));
  EXPECT_TRUE(bad([](auto& t) { t.element_bytes = 5; }));
  EXPECT_TRUE(bad([](auto& t) { t.block_height = 0; }));
  EXPECT_TRUE(bad([](auto& t) { t.pitch = 63; }));
  EXPECT_TRUE(bad([](auto& t) { t.micro = R300MicroTile::square; }));
}

}  // namespace
}  // namespace Atoll::surface
