// Textures: addresses through tables against the tilings' own equations, bounds, fetch and store.
#include <random>
#include <set>

#include "surface/banked_mips.h"
#include "surface/r300_mips.h"
#include "test_texture.h"

namespace Atoll::surface {

namespace {

TEST(Texture, BankedTablesGiveTheTilingsAddresses) {
  size_t separable = 0, others = 0;
  for (int a = 0; a < arrangement_count; a++)
    for (auto order : {MicroOrder::display, MicroOrder::thin, MicroOrder::depth, MicroOrder::rotated, MicroOrder::thick})
      for (auto config : {PipeConfig::p2, PipeConfig::p4_16x16, PipeConfig::p8_32x32_16x16, PipeConfig::p16_32x32_16x16})
        for (unsigned bytes : {1u, 2u, 4u, 8u, 16u})
          for (unsigned split : {512u, 1024u}) {
            BankedSurface s;
            s.tiling = {.arrangement = Arrangement(a),
                        .order = order,
                        .pipe_config = config,
                        .banks = 8,
                        .bank_width = 2,
                        .bank_height = 1,
                        .macro_aspect = 2,
                        .tile_split_bytes = split,
                        .pipe_swizzle = 1,
                        .bank_swizzle = 3};
            MacroTile macro = macro_tile(s.tiling);
            s.element_bytes = bytes;
            s.pitch = macro.width * (2048 / macro.width > 1 ? 2 : 1);
            s.height = macro.height * 2;
            if (s.tiling.arrangement == Arrangement::linear) s.pitch = 40, s.height = 24;
            if (!check(s)) continue;
            static const Layout layouts[17] = {Layout::bits_8,
                                               Layout::bits_8,
                                               Layout::bits_16,
                                               {},
                                               Layout::bits_8_8_8_8,
                                               {},
                                               {},
                                               {},
                                               Layout::bits_16_16_16_16,
                                               {},
                                               {},
                                               {},
                                               {},
                                               {},
                                               {},
                                               {},
                                               Layout::bits_32_32_32_32};
            TextureDescription d = {.dimension = Dimension::two_array, .format = {layouts[bytes], Number::uint}};
            d.width = s.pitch - 3;
            d.height = s.height - 2;
            d.first_layer = 3;
            d.layers = 9;
            d.levels = {{512, s}};
            std::vector<uint8_t> memory(512 + slice_bytes(s) * 24 + 65536);
            auto texture = Texture::make(d, memory.data(), memory.size());
            ASSERT_TRUE(texture) << texture.error().message;
            (texture->level(0).separable ? separable : others)++;
            std::mt19937 random(a);
            for (int i = 0; i < 60; i++) {
              unsigned x = random() % d.width, y = random() % d.height, z = random() % d.layers;
              ASSERT_EQ(uint64_t(texture->texel(0, x, y, z) - memory.data()), 512 + address(s, {x, y, 3 + z, 0}))
                  << "arrangement " << a << " order " << int(order) << " config " << int(config) << " bytes " << bytes
                  << " split " << split << " at " << x << " " << y << " " << z;
            }
          }
  EXPECT_GT(separable, 500u);
  EXPECT_GT(others, 10u);
}

TEST(Texture, R300TablesGiveTheTilingsAddresses) {
  size_t seen = 0;
  for (auto micro : {R300MicroTile::linear, R300MicroTile::tiled, R300MicroTile::square})
    for (bool macro : {false, true})
      for (unsigned bytes : {1u, 2u, 4u, 8u, 16u}) {
        auto tile = r300_tile(bytes, micro, macro);
        if (!tile) continue;
        R300Surface s = {.element_bytes = bytes, .pitch = tile->width * 3, .micro = micro, .macro = macro};
        unsigned rows = tile->height * 4;
        s.slice_bytes = uint64_t(rows) * s.pitch * bytes;
        static const Layout layouts[17] = {Layout::bits_8,
                                           Layout::bits_8,
                                           Layout::bits_16,
                                           {},
                                           Layout::bits_8_8_8_8,
                                           {},
                                           {},
                                           {},
                                           Layout::bits_16_16_16_16,
                                           {},
                                           {},
                                           {},
                                           {},
                                           {},
                                           {},
                                           {},
                                           Layout::bits_32_32_32_32};
        TextureDescription d = {.dimension = Dimension::three, .format = {layouts[bytes], Number::uint}};
        d.width = s.pitch - 1;
        d.height = rows - (tile->height > 1);
        d.depth = 5;
        d.levels = {{32, s}};
        std::vector<uint8_t> memory(32 + s.slice_bytes * 5);
        auto texture = Texture::make(d, memory.data(), memory.size());
        ASSERT_TRUE(texture) << texture.error().message;
        uint64_t unused = tile->height == 1 ? bytes : 0;  // of the last row
        EXPECT_TRUE(Texture::make(d, memory.data(), memory.size() - unused));
        EXPECT_FALSE(Texture::make(d, memory.data(), memory.size() - unused - 1));
        for (unsigned z = 0; z < 5; z += 2)
          for (unsigned y = 0; y < d.height; y++)
            for (unsigned x = 0; x < d.width; x++) {
              ASSERT_EQ(uint64_t(texture->texel(0, x, y, z) - memory.data()), 32 + address(s, x, y, z));
              seen++;
            }
      }
  EXPECT_GT(seen, 10000u);
}

// No address of a texture that was made leaves its bytes, however odd the tiling: the greatest lies below what make() asked for.
TEST(Texture, AddressesStayInsideOfTheBytesAskedFor) {
  std::mt19937 random(3);
  size_t made = 0;
  for (int i = 0; i < 3000; i++) {
    BankedSurface s;
    auto power = [&](unsigned lowest, unsigned count) { return lowest << random() % count; };
    s.tiling = {.arrangement = Arrangement(random() % arrangement_count),
                .order = MicroOrder(random() % 5),
                .pipe_config = PipeConfig(random() % pipe_config_count),
                .pipe_interleave_bytes = power(256, 2),
                .banks = power(2, 4),
                .bank_width = power(1, 4),
                .bank_height = power(1, 4),
                .macro_aspect = power(1, 2),
                .tile_split_bytes = power(64, 7),
                .pipe_swizzle = unsigned(random() % 16),
                .bank_swizzle = unsigned(random() % 16)};
    s.element_bytes = power(1, 5);
    s.samples = random() % 3 ? 1 : power(1, 4);
    MacroTile macro = macro_tile(s.tiling);
    s.pitch = macro.width;
    s.height = macro.height;
    if (!check(s) || uint64_t(s.pitch) * s.height * s.element_bytes * s.samples > 1 << 22) continue;
    static const Layout layouts[17] = {Layout::bits_8,
                                       Layout::bits_8,
                                       Layout::bits_16,
                                       {},
                                       Layout::bits_8_8_8_8,
                                       {},
                                       {},
                                       {},
                                       Layout::bits_16_16_16_16,
                                       {},
                                       {},
                                       {},
                                       {},
                                       {},
                                       {},
                                       {},
                                       Layout::bits_32_32_32_32};
    TextureDescription d = {.dimension = s.samples > 1 ? Dimension::two_multisampled_array : Dimension::two_array,
                            .format = {layouts[s.element_bytes], Number::uint},
                            .width = s.pitch,
                            .height = s.height};
    d.layers = 1 + random() % 5;
    d.samples = s.samples;
    d.levels = {{0, s}};
    // The least number of bytes that it can be made with.
    uint64_t least = 0, most = uint64_t(1) << 34;
    uint8_t* base = reinterpret_cast<uint8_t*>(uintptr_t(1) << 40);  // never read
    while (least < most) {
      uint64_t middle = (least + most) / 2;
      if (Texture::make(d, base, middle))
        most = middle;
      else
        least = middle + 1;
      if (least + 4096 < most && most < (uint64_t(1) << 34)) continue;
    }
    auto texture = Texture::make(d, base, least);
    ASSERT_TRUE(texture);
    made++;
    for (int n = 0; n < 200; n++) {
      unsigned x = random() % d.width, y = random() % d.height, z = random() % d.layers, sample = random() % d.samples;
      if (n == 0) x = d.width - 1, y = d.height - 1, z = d.layers - 1, sample = d.samples - 1;
      uint64_t at = uint64_t(texture->texel(0, x, y, z, sample) - base);
      ASSERT_LE(at + s.element_bytes, least);
    }
    if (made == 150) break;
  }
  EXPECT_GE(made, 100u);
}

TEST(Texture, WhatDoesNotFitIsRefused) {
  std::vector<uint8_t> memory(64 * 64 * 4);
  TextureDescription d = {.format = rgba8, .width = 64, .height = 64, .levels = {{0, LinearSurface{256, 64 * 256}}}};
  EXPECT_TRUE(Texture::make(d, memory.data(), memory.size()));
  EXPECT_FALSE(Texture::make(d, memory.data(), memory.size() - 1));
  auto refused = [&](auto change) {
    TextureDescription changed = d;
    change(changed);
    return !Texture::make(changed, memory.data(), memory.size());
  };
  EXPECT_TRUE(refused([](auto& c) { c.width = 65; }));
  EXPECT_TRUE(refused([](auto& c) { c.height = 65; }));
  EXPECT_TRUE(refused([](auto& c) { c.width = 0; }));
  EXPECT_TRUE(refused([](auto& c) { c.levels[0].offset = 4; }));
  EXPECT_TRUE(refused([](auto& c) { c.levels[0].offset = ~uint64_t(0); }));
  EXPECT_TRUE(refused([](auto& c) { c.levels[0].place = LinearSurface{~uint64_t(0), ~uint64_t(0)}; }));
  EXPECT_TRUE(refused([](auto& c) { c.dimension = Dimension::cube; }));
  EXPECT_TRUE(refused([](auto& c) { c.layers = 2; }));
  EXPECT_TRUE(refused([](auto& c) { c.first_level = 1; }));
  EXPECT_TRUE(refused([](auto& c) { c.dimension = Dimension::two_array, c.first_layer = 1; }));
  EXPECT_TRUE(refused([](auto& c) { c.dimension = Dimension::two_multisampled, c.samples = 4; }));
  EXPECT_TRUE(
      refused([](auto& c) { c.levels[0].place = BankedSurface{.tiling = {}, .element_bytes = 4, .pitch = 32, .height = 64}; }));
  EXPECT_TRUE(refused([](auto& c) { c.levels[0].place = R300Surface{.element_bytes = 4, .pitch = 32}; }));
}

TEST(Texture, FetchAndStoreByIntegerCoordinates) {
  TextureDescription d = {
      .dimension = Dimension::two_array, .format = {Layout::bits_16_16, Number::sint}, .width = 8, .height = 4};
  d.layers = 2;
  d.first_layer = 1;
  TestTexture t = make_texture(d, 2, [](unsigned level, unsigned x, unsigned y, unsigned z) {
    return std::array<float, 4>{float(1000 * level + 100 * z + 10 * y + x), -float(x), 0, 0};
  });
  Lanes x = {3, 7, 8, ~0u, 1, 2}, y = {2, 3, 0, 0, 1, 1}, z = {0, 1, 0, 0, 1, 2}, level = {0, 0, 0, 0, 1, 0};
  TexelLanes call = {.lanes = 6, .active = 0x3f, .x = x.data(), .y = y.data(), .z = z.data(), .level = level.data()};
  std::array<Lanes, 4> got{};
  fetch(*t.texture, call, got);
  EXPECT_EQ(got[0][0], 123u);
  EXPECT_EQ(got[1][0], uint32_t(-3));
  EXPECT_EQ(got[3][0], 1u);  // no such field
  EXPECT_EQ(got[0][1], 237u);
  for (unsigned outside : {2u, 3u, 5u})
    for (int c = 0; c < 4; c++) EXPECT_EQ(got[c][outside], 0u) << outside;
  EXPECT_EQ(got[0][4], 1211u);
  std::array<Lanes, 4> data{};
  data[0] = {uint32_t(-77), 5, 6, 7, 8, 9};
  call.active = 0x3b;
  store(*t.texture, call, data);
  std::array<Lanes, 4> after{};
  call.active = 0x3f;
  fetch(*t.texture, call, after);
  EXPECT_EQ(int32_t(after[0][0]), -77);
  EXPECT_EQ(after[0][1], 5u);
  EXPECT_EQ(after[0][4], 8u);
  EXPECT_EQ(t.texture->texel_or_null(0, 8, 0), nullptr);
  EXPECT_EQ(t.texture->texel_or_null(2, 0, 0), nullptr);
  EXPECT_EQ(t.texture->texel_or_null(0, 0, 0, 2), nullptr);
  EXPECT_EQ(t.texture->texel_or_null(0, 0, 0, 0, 1), nullptr);
}

TEST(Texture, SamplesOfMultisampledTextures) {
  BankedSurface s;
  s.tiling = {.arrangement = Arrangement::macro_2d_thin,
              .order = MicroOrder::thin,
              .pipe_config = PipeConfig::p4_16x16,
              .banks = 8,
              .bank_height = 2};
  s.samples = 4;
  MacroTile macro = macro_tile(s.tiling);
  s.pitch = macro.width;
  s.height = macro.height;
  TextureDescription d = {.dimension = Dimension::two_multisampled, .format = {Layout::bits_32, Number::uint}};
  d.width = s.pitch;
  d.height = s.height;
  d.samples = 4;
  d.levels = {{0, s}};
  std::vector<uint8_t> memory(slice_bytes(s));
  auto t = Texture::make(d, memory.data(), memory.size());
  ASSERT_TRUE(t) << t.error().message;
  std::set<uint8_t*> places;
  for (unsigned y = 0; y < d.height; y++)
    for (unsigned x = 0; x < d.width; x++)
      for (unsigned n = 0; n < 4; n++) {
        EXPECT_EQ(uint64_t(t->texel(0, x, y, 0, n) - memory.data()), address(s, {x, y, 0, n}));
        places.insert(t->texel(0, x, y, 0, n));
      }
  EXPECT_EQ(places.size(), size_t(d.width) * d.height * 4);
}

}  // namespace

}  // namespace Atoll::surface
