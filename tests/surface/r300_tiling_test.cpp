// R300 to R500 tiles: a bijection for every size and mode, the published equations bit by bit, and an inverse.
#include "surface/r300_tiling.h"

#include <gtest/gtest.h>

#include <vector>

namespace Atoll::surface {
namespace {

struct Case {
  unsigned bytes;
  R300MicroTile micro;
  bool macro;
  unsigned width, height;  // Mesa 22.3.6 r300_texture_desc.c, r300_get_pixel_alignment
};

constexpr auto linear = R300MicroTile::linear, tiled = R300MicroTile::tiled, square = R300MicroTile::square;
const Case cases[] = {
    {1, linear, false, 32, 1}, {2, linear, false, 16, 1}, {4, linear, false, 8, 1},  {8, linear, false, 4, 1},
    {16, linear, false, 2, 1}, {1, tiled, false, 8, 4},   {2, tiled, false, 8, 2},   {4, tiled, false, 4, 2},
    {8, tiled, false, 2, 2},   {2, square, false, 4, 4},  {1, linear, true, 256, 8}, {2, linear, true, 128, 8},
    {4, linear, true, 64, 8},  {8, linear, true, 32, 8},  {16, linear, true, 16, 8}, {1, tiled, true, 64, 32},
    {2, tiled, true, 64, 16},  {4, tiled, true, 32, 16},  {8, tiled, true, 16, 16},  {2, square, true, 32, 32},
};

TEST(R300Tiling, EveryElementHasItsOwnPlace) {
  for (auto& c : cases) {
    auto tile = r300_tile(c.bytes, c.micro, c.macro);
    ASSERT_TRUE(tile);
    EXPECT_EQ(tile->width, c.width);
    EXPECT_EQ(tile->height, c.height);
    for (unsigned across : {1u, 2u, 3u, 5u}) {
      unsigned pitch = c.width * across, height = c.height * 5;
      R300Surface s{c.bytes, pitch, uint64_t(pitch) * height * c.bytes, c.micro, c.macro};
      ASSERT_TRUE(check(s));
      std::vector<bool> taken(pitch * height * 2);
      for (unsigned slice = 0; slice < 2; slice++)
        for (unsigned y = 0; y < height; y++)
          for (unsigned x = 0; x < pitch; x++) {
            uint64_t a = address(s, x, y, slice);
            ASSERT_EQ(a % c.bytes, 0u);
            ASSERT_LT(a / c.bytes, taken.size());
            ASSERT_FALSE(taken[a / c.bytes]) << x << ", " << y;
            taken[a / c.bytes] = true;
            ASSERT_EQ(element_at(s, a + c.bytes - 1), (Element{x, y, slice}));
          }
    }
  }
}

// Mesa 7.10 radeon_span.c, radeon_ptr_4byte and radeon_ptr_2byte_8x2: which bits of x and y are xored into which bit of the
// address, as rows {address bit, bit of y, bit of x}, 99 for none. (Its 16-bit macro tile gives the lowest bits a scale of 4
// bytes, by which elements would overlap; the driver's micro tile says 2 bytes.)
struct Equation {
  unsigned bytes;
  R300MicroTile micro;
  unsigned macro_x, macro_y;  // bits of x and y from which the macro tile counts
  std::vector<std::array<unsigned, 3>> bits;
};

TEST(R300Tiling, PublishedEquations) {
  const Equation equations[] = {
      {4, tiled, 5, 4, {{10, 3, 5}, {9, 4, 4}, {8, 2, 4}, {7, 3, 3}, {6, 1, 99}, {5, 99, 2}, {4, 0, 99}, {3, 99, 1}, {2, 99, 0}}},
      {4,
       linear,
       6,
       3,
       {{10, 2, 6}, {9, 3, 5}, {8, 1, 5}, {7, 2, 4}, {6, 0, 99}, {5, 99, 3}, {4, 99, 2}, {3, 99, 1}, {2, 99, 0}}},
      {2,
       tiled,
       6,
       4,
       {{10, 3, 6}, {9, 4, 5}, {8, 2, 5}, {7, 3, 4}, {6, 1, 99}, {5, 99, 3}, {4, 0, 99}, {3, 99, 2}, {2, 99, 1}, {1, 99, 0}}},
      {2,
       linear,
       7,
       3,
       {{10, 2, 7}, {9, 3, 6}, {8, 1, 6}, {7, 2, 5}, {6, 0, 99}, {5, 99, 4}, {4, 99, 3}, {3, 99, 2}, {2, 99, 1}, {1, 99, 0}}},
  };
  for (auto& e : equations) {
    R300Surface s{e.bytes, 384, 1 << 20, e.micro, true};
    ASSERT_TRUE(check(s));
    for (unsigned y = 0; y < 100; y++)
      for (unsigned x = 0; x < 384; x++) {
        uint64_t expected = uint64_t((y >> e.macro_y) * (384u >> e.macro_x) + (x >> e.macro_x)) << 11;
        for (auto [bit, from_y, from_x] : e.bits)
          expected |= uint64_t(((from_y == 99 ? 0 : y >> from_y) ^ (from_x == 99 ? 0 : x >> from_x)) & 1) << bit;
        ASSERT_EQ(address(s, x, y), expected) << e.bytes << " bytes at " << x << ", " << y;
      }
  }
}

TEST(R300Tiling, RefusesWhatDoesNotExist) {
  EXPECT_FALSE(r300_tile(4, square, false));
  EXPECT_FALSE(r300_tile(16, tiled, true));
  EXPECT_FALSE(r300_tile(3, linear, false));
  EXPECT_FALSE(r300_tile(0, tiled, false));
  EXPECT_FALSE(check(R300Surface{4, 33, 4096, tiled, true}));
  EXPECT_FALSE(check(R300Surface{4, 0, 4096, linear, false}));
}

}  // namespace
}  // namespace Atoll::surface
