// Tiles by table against the address of each element.
#include "surface/tile_parts.h"

#include <gtest/gtest.h>

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
    auto parts = TileParts::make(s, first_slice, 3);
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

TEST(TileParts, NoneOfThickOrLinearSurfaces) {
  BankedSurface s;
  s.pitch = s.height = 64;
  EXPECT_FALSE(TileParts::make(s, 0, 1));
  s.tiling.arrangement = Arrangement::micro_thick, s.tiling.order = MicroOrder::thick;
  EXPECT_FALSE(TileParts::make(s, 0, 1));
  s.tiling.arrangement = Arrangement::micro_thin, s.tiling.order = MicroOrder::thin;
  EXPECT_TRUE(TileParts::make(s, 0, 1));
}

}  // namespace
}  // namespace Atoll::surface
