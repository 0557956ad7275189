// Random textures of R5xx's tilings and in rows: no access leaves the bytes that they were made for. (Those of Sea Islands:
// tests/gpu/sea_islands/image_bounds_test.cpp.)
#include <algorithm>

#include "hostile_access.h"
#include "surface/r300_mips.h"

namespace Atoll::surface::test {
namespace {

Sampler random_sampler(Random& r) {
  Sampler s;
  for (auto& wrap : s.wrap) wrap = Wrap(r.below(8));
  s.min_filter = Filter(r.below(2)), s.mag_filter = Filter(r.below(2)), s.mip_filter = MipFilter(r.below(3));
  s.slice_filter = SliceFilter(r.below(3)), s.reduction = Reduction(r.below(3));
  s.lod_bias = float(int(r.below(200)) - 100) / 8, s.lod_min = float(r.below(16)) - 2, s.lod_max = float(r.below(20)) - 2;
  s.max_anisotropy = 1 + r.below(16);
  s.seamless_cube = r.below(2), s.truncate_coordinates = r.below(2), s.half_fractions = r.below(2);
  s.mip_slope = float(1 + r.below(4)), s.mip_cut = float(r.below(3)) / 2;
  return s;
}
Format random_format(Random& r) {
  for (;;)
    if (auto format = make_format(Layout(r.below(layout_count)), Number(r.below(number_count)))) return *format;
}

TEST(TextureBounds, TilesOfR5xx) {
  Island island;
  unsigned made = 0;
  for (uint64_t seed = 0; seed < seeds(6000); seed++) {
    Random r(seed);
    Format format = random_format(r);
    const LayoutRow& layout = row(format.layout);
    R300Texture t;
    t.element_bytes = layout.bytes, t.block_width = layout.block_width, t.block_height = layout.block_height;
    unsigned kind = r.below(3), limit = 1u << r.below(9);
    t.width = 1 + r.below(limit), t.height = kind == 2 ? t.width : 1 + r.below(limit);
    t.volume = kind == 1, t.slices = kind == 1 ? 1u << r.below(5) : kind == 2 ? 6 : 1;
    t.micro = R300MicroTile(r.below(3)), t.macro = r.below(2), t.macro_ends_at_8 = r.below(2);
    t.levels = 1 + r.below(unsigned(std::bit_width(std::max(t.width, t.height))));
    if (r.below(3) == 0) t.pitch = (t.width + r.below(80) + 63) / 64 * 64;
    auto levels = mip_levels(t);
    if (!levels) continue;
    TextureDescription d;
    d.dimension = kind == 1 ? Dimension::three : kind == 2 ? Dimension::cube : Dimension::two;
    d.format = format;
    d.width = t.width, d.height = t.height, d.depth = kind == 1 ? t.slices : 1, d.layers = kind == 2 ? 6 : 1;
    for (const R300Level& level : *levels) d.levels.push_back({level.offset, level.surface});
    uint64_t bytes = levels->back().offset + levels->back().surface.slice_bytes * levels->back().slices;
    if (bytes > Island::bytes) continue;
    std::string left = access_anything(r, d, bytes, island, random_sampler(r), made);
    ASSERT_EQ(left, "") << "seed " << seed;
  }
  EXPECT_GT(made, 3000u);
}

// Numbers that contradict each other, or the bytes that are there, are refused; what is not stays inside.
TEST(TextureBounds, Rows) {
  Island island;
  unsigned made = 0;
  for (uint64_t seed = 0; seed < seeds(6000); seed++) {
    Random r(seed);
    TextureDescription d;
    d.format = random_format(r);
    d.dimension = Dimension(r.below(7));
    d.width = 1 + r.below(1u << r.below(8)), d.height = 1 + r.below(1u << r.below(8));
    bool cube = d.dimension == Dimension::cube || d.dimension == Dimension::cube_array;
    if (cube) d.height = d.width;
    if (d.dimension == Dimension::one || d.dimension == Dimension::one_array) d.height = 1;
    if (d.dimension == Dimension::three) d.depth = 1 + r.below(8);
    d.layers = d.dimension == Dimension::cube ? 6 : cube ? 12 : d.dimension >= Dimension::one_array ? 1 + r.below(5) : 1;
    d.first_layer = d.layers > 1 ? r.below(3) : 0;
    for (unsigned n = 1 + r.below(4); n; n--) d.levels.push_back({r.below(4096), LinearSurface{r.below(8192), r.below(100000)}});
    d.first_level = r.below(uint32_t(d.levels.size()));
    // As few bytes as it takes.
    uint64_t few = 0, enough = 1 << 20;
    auto suffices = [&](uint64_t bytes) { return bool(Texture::make(d, island.begin(), bytes)); };
    if (!suffices(enough)) continue;
    while (few + 1 < enough) (suffices((few + enough) / 2) ? enough : few) = (few + enough) / 2;
    std::string left = access_anything(r, d, enough, island, random_sampler(r), made);
    ASSERT_EQ(left, "") << "seed " << seed;
  }
  EXPECT_GT(made, 300u);
}

}  // namespace
}  // namespace Atoll::surface::test
