// Blocks by table against the address of each element, in every tiling.
#include "surface/tile_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace Atoll::surface {
namespace {

TEST(TileParts, EveryElementIsWhereItsAddressSays) {
  std::mt19937 random(3);
  auto one_of = [&](unsigned count) { return unsigned(random() % count); };
  unsigned made = 0, split = 0, sampled = 0;
  for (int n = 0; n < 4000; n++) {
    BankedSurface s;
    BankedTiling& t = s.tiling;
    t = {Arrangement(one_of(arrangement_count)),
         MicroOrder(one_of(5)),
         PipeConfig(one_of(pipe_config_count)),
         256u << one_of(2),
         2u << one_of(4),
         1u << one_of(4),
         1u << one_of(4),
         1u << one_of(4),
         64u << one_of(7),
         one_of(16),
         one_of(16)};
    s.element_bytes = 1u << one_of(5);
    s.samples = one_of(3) ? 1 : 1u << one_of(5);
    const MacroTile macro = macro_tile(t);
    s.pitch = macro.width * (1 + one_of(3)), s.height = macro.height * (1 + one_of(3));
    if (!check(s) || uint64_t(s.pitch) * s.height > 1 << 16) continue;
    const unsigned first_slice = one_of(3);
    auto parts = TileParts::make(s, {.element_bytes = s.element_bytes,
                                     .samples = s.samples,
                                     .columns = s.pitch,
                                     .rows = s.height,
                                     .first_slice = first_slice,
                                     .slices = 3});
    if (!parts) continue;
    made++;
    split += row(t.arrangement).macro && 64 * s.samples * s.element_bytes > t.tile_split_bytes;
    sampled += s.samples > 1;
    for (unsigned slice = 0; slice < 3; slice++)
      for (unsigned y = 0; y < s.height; y += 1 + one_of(3))
        for (unsigned x = 0; x < s.pitch; x += 1 + one_of(5)) {
          const unsigned sample = one_of(s.samples);
          const TileParts::Place place = parts->place(x % 8, y % 8, sample);
          ASSERT_EQ(parts->address(x / 8, y / 8, slice, place.part) + place.offset,
                    address(s, {x, y, first_slice + slice, sample}))
              << "arrangement " << int(t.arrangement) << ", pipes " << int(t.pipe_config) << ", " << s.samples << " samples of "
              << s.element_bytes << " bytes at " << x << ", " << y << ", " << slice;
        }
  }
  EXPECT_GT(made, 300u);
  EXPECT_GT(split, 100u);
  EXPECT_GT(sampled, 100u);
}

// Every element of every whole block, of a few slices.
void expect_all(const LevelPlace& level, const BlockArea& area, const char* what) {
  const auto parts = TileParts::make(level, area);
  ASSERT_TRUE(parts) << what;
  ASSERT_EQ(parts->columns(), area.columns / 8);
  ASSERT_EQ(parts->rows(), area.rows / 8);
  for (unsigned slice = 0; slice < area.slices; slice++)
    for (unsigned y = 0; y < area.rows / 8 * 8; y++)
      for (unsigned x = 0; x < area.columns / 8 * 8; x++)
        for (unsigned sample = 0; sample < area.samples; sample++) {
          const TileParts::Place place = parts->place(x % 8, y % 8, sample);
          ASSERT_EQ(parts->address(x / 8, y / 8, slice, place.part) + place.offset,
                    address_of(level, area.element_bytes, {x, y, area.first_slice + slice, sample}))
              << what << ": " << area.element_bytes << " bytes, " << area.samples << " samples at " << x << ", " << y << ", "
              << slice << ", " << sample;
        }
}

TEST(TileParts, LinearSurfacesHaveAPartARow) {
  for (unsigned bytes : {1u, 2u, 4u, 8u, 16u})
    for (unsigned pitch : {40u, 41u, 64u}) {
      const LinearSurface s{uint64_t(pitch) * bytes, uint64_t(pitch) * bytes * 21};
      expect_all(s, {.element_bytes = bytes, .columns = 37, .rows = 19, .first_slice = 1, .slices = 2}, "linear");
    }
  const auto parts = TileParts::make(LinearSurface{256, 0}, {.columns = 64, .rows = 8});
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->count(), 8u);
}

TEST(TileParts, R300Tiles) {
  unsigned made = 0;
  for (unsigned bytes : {1u, 2u, 4u, 8u, 16u})
    for (R300MicroTile micro : {R300MicroTile::linear, R300MicroTile::tiled, R300MicroTile::square})
      for (bool macro : {false, true}) {
        const auto tile = r300_tile(bytes, micro, macro);
        if (!tile) continue;
        const unsigned columns = std::max(tile->width, 8u) * 3, rows = std::max(tile->height, 8u) * 3;
        const R300Surface s{bytes, columns, uint64_t(columns) * rows * bytes, micro, macro};
        if (!check(s)) continue;
        expect_all(s, {.element_bytes = bytes, .columns = columns, .rows = rows, .slices = 2}, "R300");
        made++;
      }
  EXPECT_GE(made, 15u);
}

TEST(TileParts, IntelTiles) {
  for (IntelTiling tiling : {IntelTiling::x, IntelTiling::y})
    for (unsigned bytes : {1u, 2u, 4u, 8u, 16u})
      for (unsigned samples : {1u, 4u}) {
        const uint32_t pitch = tile_width(tiling) * 3;
        IntelSurface s{tiling, pitch, 0, 0, 64, samples};
        expect_all(
            s, {.element_bytes = bytes, .samples = samples, .columns = pitch / bytes, .rows = 61, .first_slice = 1, .slices = 2},
            "Intel");
        s.x_bytes = 8 * bytes, s.y_rows = 24;  // a level that begins with a block of 8x8
        expect_all(s, {.element_bytes = bytes, .samples = samples, .columns = (pitch - s.x_bytes) / bytes, .rows = 40},
                   "Intel level");
        // Inside of one, or where slices do not begin with a tile.
        s.y_rows = 4;
        EXPECT_FALSE(TileParts::make(s, {.element_bytes = bytes, .samples = samples, .columns = 8, .rows = 16}));
        s.y_rows = 0, s.slice_rows = 12;
        EXPECT_FALSE(TileParts::make(s, {.element_bytes = bytes, .samples = samples, .columns = 8, .rows = 8, .slices = 2}));
      }
}

TEST(TileParts, Gfx12Blocks) {
  unsigned made = 0;
  for (int swizzle = int(Gfx12Swizzle::block_256b_2d); swizzle <= int(Gfx12Swizzle::block_256kb_2d); swizzle++)
    for (unsigned bytes : {1u, 2u, 4u, 8u, 16u})
      for (unsigned samples : {1u, 2u, 4u, 8u})
        for (uint32_t start : {0u, 0x300u}) {
          Gfx12Surface s;
          s.swizzle = Gfx12Swizzle(swizzle), s.element_bytes = bytes, s.samples = samples;
          s.start_bits = start & ((1u << block_bits(s.swizzle)) - 1) & ~0xffu;
          const Gfx12Block block = block_of(s.swizzle, bytes, samples);
          s.blocks_in_row = 2, s.rows = 2, s.slice_bytes = uint64_t(4) << block_bits(s.swizzle);
          if (!check(s) || block.width < 8 || block.height < 8) continue;
          expect_all(s,
                     {.element_bytes = bytes,
                      .samples = samples,
                      .columns = std::min(2 * block.width, 96u),
                      .rows = std::min(2 * block.height, 96u),
                      .first_slice = 1,
                      .slices = 2},
                     "GFX12");
          made++;
        }
  EXPECT_GE(made, 80u);
}

TEST(TileParts, NoneOfThickTilesOrOtherSamples) {
  BankedSurface s;
  s.pitch = s.height = 64;
  const BlockArea area{.columns = 64, .rows = 64};
  EXPECT_TRUE(TileParts::make(s, area));
  s.tiling.arrangement = Arrangement::micro_thick, s.tiling.order = MicroOrder::thick;
  EXPECT_FALSE(TileParts::make(s, area));
  s.tiling.arrangement = Arrangement::micro_thin, s.tiling.order = MicroOrder::thin;
  EXPECT_TRUE(TileParts::make(s, area));
  EXPECT_FALSE(TileParts::make(s, {.samples = 2, .columns = 64, .rows = 64}));
  EXPECT_FALSE(TileParts::make(s, {.columns = 7, .rows = 64}));  // no block is whole
}

}  // namespace
}  // namespace Atoll::surface
