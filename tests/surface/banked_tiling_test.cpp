// Addresses over pipes and banks: values that AMD's own address library gave, a bijection over whole surfaces with the
// settings of the four Sea Islands chips, and the inverse.
#include "surface/banked_tiling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace Atoll::surface {
namespace {

// One address each that Mesa 22.3.6's addrlib computed (Bonaire, random settings, pipe interleave 256 bytes).
struct Vector {
  int arrangement, order, pipe_config;
  unsigned banks, bank_width, bank_height, macro_aspect, tile_split_bytes, pipe_swizzle, bank_swizzle;
  unsigned element_bytes, pitch, height, samples, x, y, slice, sample;
  uint64_t address;
};
constexpr Vector vectors[] = {
#include "banked_tiling_vectors.inc"
};

BankedSurface surface_of(const Vector& v) {
  return {{Arrangement(v.arrangement), MicroOrder(v.order), PipeConfig(v.pipe_config), 256, v.banks, v.bank_width, v.bank_height,
           v.macro_aspect, v.tile_split_bytes, v.pipe_swizzle, v.bank_swizzle},
          v.element_bytes,
          v.pitch,
          v.height,
          v.samples};
}

TEST(BankedTiling, AgreesWithAddrlib) {
  EXPECT_GE(std::size(vectors), 150u);
  for (auto& v : vectors) {
    BankedSurface s = surface_of(v);
    ASSERT_TRUE(check(s));
    ElementPlace place = {v.x, v.y, v.slice, v.sample};
    EXPECT_EQ(address(s, place), v.address) << "arrangement " << v.arrangement << ", order " << v.order << ", pipes "
                                            << v.pipe_config;
  }
}

// Every element of two tile slices has a place of its own, and together they fill the surface.
void expect_bijection(const BankedSurface& s, bool inverse) {
  ASSERT_TRUE(check(s)) << check(s).error().message;
  unsigned slices = 2 * row(s.tiling.arrangement).thickness;
  uint64_t elements = slice_bytes(s) * slices / s.element_bytes;
  std::vector<bool> taken(elements);
  std::mt19937 random(1);
  for (unsigned slice = 0; slice < slices; slice++)
    for (unsigned y = 0; y < s.height; y++)
      for (unsigned x = 0; x < s.pitch; x++)
        for (unsigned sample = 0; sample < s.samples; sample++) {
          ElementPlace place = {x, y, slice, sample};
          uint64_t a = address(s, place);
          ASSERT_EQ(a % s.element_bytes, 0u);
          ASSERT_LT(a / s.element_bytes, elements);
          ASSERT_FALSE(taken[a / s.element_bytes]) << "arrangement " << int(s.tiling.arrangement) << ", pipes "
                                                   << int(s.tiling.pipe_config) << " at " << x << ", " << y;
          taken[a / s.element_bytes] = true;
          if (inverse && random() % 512 == 0) {
            auto found = element_at(s, a + random() % s.element_bytes);
            ASSERT_TRUE(found) << found.error().message;
            ASSERT_EQ(*found, place);
          }
        }
}

// Bank settings as the kernel programs them into the bonaire, by bank_setting() (Linux 6.1 gfx_v7_0.c).
struct BankSetting {
  unsigned bank_width, bank_height, macro_aspect, banks;
};
constexpr BankSetting settings[7] = {{1, 4, 4, 16}, {1, 2, 4, 16}, {1, 1, 2, 16}, {1, 1, 2, 16},
                                     {1, 1, 2, 16}, {1, 1, 2, 8},  {1, 1, 1, 4}};

TEST(BankedTiling, SeaIslandsSurfacesAreBijections) {
  for (auto pipe_config : {PipeConfig::p2, PipeConfig::p4_16x16, PipeConfig::p16_32x32_16x16})
    for (int a = 0; a < arrangement_count; a++)
      for (unsigned element_bytes : {1, 2, 4, 8, 16})
        for (unsigned samples : {1, 4}) {
          unsigned thickness = row(Arrangement(a)).thickness;
          if (samples > 1 && (thickness > 1 || a == 0)) continue;
          for (auto order : {MicroOrder::display, MicroOrder::thin, MicroOrder::depth, MicroOrder::rotated, MicroOrder::thick}) {
            // pixel counts are what costs: the orders do not depend on the pipes
            if (pipe_config != PipeConfig::p4_16x16 && order != MicroOrder::thin) continue;
            bool depth = order == MicroOrder::depth;
            unsigned split = tile_split(depth, 256, 2, element_bytes, thickness, 2048);
            BankSetting b = settings[bank_setting(split, element_bytes, thickness, samples, false)];
            BankedSurface s{
                {Arrangement(a), order, pipe_config, 256, b.banks, b.bank_width, b.bank_height, b.macro_aspect, split, 0, 0},
                element_bytes,
                0,
                0,
                samples};
            MacroTile macro = macro_tile(s.tiling);
            bool large = macro.width * macro.height > 64 * 64;
            s.pitch = macro.width * (large ? 1 : 3);
            s.height = macro.height * 2;
            if (!check(s)) continue;
            expect_bijection(s, element_bytes == 4);
            if (HasFatalFailure()) return;
          }
        }
}

// Settings at random. Pipes with areas of 32 x 32 reach every bank only with banks one tile wide in macro tiles at least two
// banks wide; Mesa's addrlib asserts the same.
TEST(BankedTiling, RandomSettingsAreBijections) {
  std::mt19937 random(2);
  auto one_of = [&](unsigned count) { return unsigned(random() % count); };
  unsigned tried = 0;
  while (tried < 150) {
    BankedSurface s;
    BankedTiling& t = s.tiling;
    t = {Arrangement(one_of(arrangement_count)),
         MicroOrder(one_of(5)),
         PipeConfig(one_of(pipe_config_count)),
         256,
         2u << one_of(4),
         1u << one_of(3),
         1u << one_of(3),
         1u << one_of(3),
         64u << one_of(6),
         0,
         0};
    t.pipe_swizzle = one_of(pipes(t.pipe_config));
    t.bank_swizzle = one_of(t.banks);
    if (t.pipe_config == PipeConfig::p4_32x32 || t.pipe_config == PipeConfig::p8_32x64_32x32)
      t.bank_width = 1, t.macro_aspect = 2u << one_of(2);
    s.element_bytes = 1u << one_of(5);
    s.samples = row(t.arrangement).thickness > 1 || t.arrangement == Arrangement::linear ? 1 : 1u << one_of(4);
    MacroTile macro = macro_tile(t);
    s.pitch = macro.width * 2;
    s.height = macro.height * 2;
    if (!check(s) || s.pitch * s.height * s.samples > 1u << 18) continue;
    tried++;
    expect_bijection(s, tried % 8 == 0);
    if (HasFatalFailure()) return;
  }
}

TEST(BankedTiling, RowsAreTheirElements) {
  for (auto& v : vectors) {
    BankedSurface s = surface_of(v);
    std::vector<uint64_t> addresses(s.pitch);
    row_addresses(s, {0, v.y, v.slice, v.sample}, addresses);
    for (unsigned x = 0; x < s.pitch; x++) ASSERT_EQ(addresses[x], address(s, {x, v.y, v.slice, v.sample}));
    unsigned from = std::min(5u, s.pitch - 1);
    row_addresses(s, {from, v.y, v.slice, v.sample}, std::span(addresses).first(s.pitch - from));
    for (unsigned x = from; x < s.pitch; x++) ASSERT_EQ(addresses[x - from], address(s, {x, v.y, v.slice, v.sample}));
  }
}

TEST(BankedTiling, TileSplitAndBankSetting) {
  EXPECT_EQ(tile_split(true, 128, 8, 4, 1, 2048), 128u);
  EXPECT_EQ(tile_split(false, 64, 2, 4, 1, 2048), 512u);
  EXPECT_EQ(tile_split(false, 64, 1, 1, 1, 2048), 256u);
  EXPECT_EQ(tile_split(false, 64, 8, 16, 1, 1024), 1024u);
  EXPECT_EQ(bank_setting(512, 4, 1, 1, false), 2u);
  EXPECT_EQ(bank_setting(512, 4, 1, 8, false), 3u);
  EXPECT_EQ(bank_setting(64, 4, 1, 1, true), 8u);
}

TEST(BankedTiling, RefusesContradictions) {
  BankedSurface good{{Arrangement::macro_2d_thin, MicroOrder::thin, PipeConfig::p4_16x16, 256, 16, 1, 1, 2, 512}, 4, 64, 64, 1};
  EXPECT_TRUE(check(good));
  auto bad = [&](auto change) {
    BankedSurface s = good;
    change(s);
    return !check(s);
  };
  EXPECT_TRUE(bad([](auto& s) { s.pitch = 65; }));
  EXPECT_TRUE(bad([](auto& s) { s.height = 0; }));
  EXPECT_TRUE(bad([](auto& s) { s.element_bytes = 3; }));
  EXPECT_TRUE(bad([](auto& s) { s.samples = 3; }));
  EXPECT_TRUE(bad([](auto& s) { s.tiling.banks = 3; }));
  EXPECT_TRUE(bad([](auto& s) { s.tiling.banks = 2, s.tiling.macro_aspect = 4; }));
  EXPECT_TRUE(bad([](auto& s) { s.tiling.tile_split_bytes = 0; }));
  EXPECT_TRUE(bad([](auto& s) { s.tiling.pipe_config = PipeConfig(77); }));
  EXPECT_TRUE(bad([](auto& s) { s.tiling.arrangement = Arrangement(77); }));
  EXPECT_TRUE(bad([](auto& s) { s.tiling.order = MicroOrder::thick; }));
  EXPECT_TRUE(bad([](auto& s) { s.tiling.arrangement = Arrangement::macro_2d_thick, s.samples = 2; }));
  EXPECT_FALSE(element_at(good, slice_bytes(good) * 10'000'000'000));
}

}  // namespace
}  // namespace Atoll::surface
