// Mip levels over pipes and banks: the last level of many textures as AMD's own address library lays them out, and properties
// of whole chains.
#include "surface/banked_mips.h"

#include <gtest/gtest.h>

#include <random>

namespace Atoll::surface {
namespace {

// A texture and its last level, computed by Mesa 22.3.6's addrlib (level by level, as ac_surface.c asks it) for the settings
// of Bonaire, Hawaii, Kaveri and Kabini.
struct Vector {
  int arrangement, order, pipe_config;
  unsigned banks, bank_width, bank_height, macro_aspect, tile_split_bytes;
  unsigned element_bytes, block, width, height, slices;
  int volume;
  unsigned levels;
  int last_arrangement;
  unsigned last_pitch, last_height, last_slices;
  uint64_t last_offset;
};
constexpr Vector vectors[] = {
#include "banked_mips_vectors.inc"
};

BankedTexture texture_of(const Vector& v) {
  return {.tiling = {Arrangement(v.arrangement), MicroOrder(v.order), PipeConfig(v.pipe_config), 256, v.banks, v.bank_width,
                     v.bank_height, v.macro_aspect, v.tile_split_bytes},
          .element_bytes = v.element_bytes,
          .block_width = v.block,
          .block_height = v.block,
          .width = v.width,
          .height = v.height,
          .slices = v.slices,
          .volume = v.volume != 0,
          .levels = v.levels};
}

TEST(BankedMips, AgreesWithAddrlib) {
  EXPECT_GE(std::size(vectors), 100u);
  for (auto& v : vectors) {
    auto levels = mip_levels(texture_of(v));
    ASSERT_TRUE(levels) << levels.error().message;
    ASSERT_EQ(levels->size(), v.levels);
    auto& last = levels->back();
    EXPECT_EQ(int(last.surface.tiling.arrangement), v.last_arrangement);
    EXPECT_EQ(last.surface.pitch, v.last_pitch);
    EXPECT_EQ(last.surface.height, v.last_height);
    EXPECT_EQ(last.slices, v.last_slices);
    EXPECT_EQ(last.offset, v.last_offset) << v.width << " x " << v.height << " x " << v.slices << ", " << v.levels << " levels";
  }
}

TEST(BankedMips, LevelsAreSoundAndApart) {
  for (auto& v : vectors) {
    BankedTexture texture = texture_of(v);
    auto levels = mip_levels(texture);
    ASSERT_TRUE(levels);
    uint64_t end = 0;
    for (unsigned n = 0; n < levels->size(); n++) {
      auto& level = (*levels)[n];
      ASSERT_TRUE(check(level.surface)) << check(level.surface).error().message;
      EXPECT_GE(level.offset, end);
      EXPECT_EQ(level.offset % base_alignment(level.surface), 0u);
      EXPECT_GE(level.surface.pitch * v.block, texture.width >> n);
      EXPECT_GE(level.surface.height * v.block, texture.height >> n);
      ElementPlace last = {level.surface.pitch - 1, level.surface.height - 1, level.slices - 1, 0};
      EXPECT_LT(address(level.surface, last), level.bytes_per_slice * level.slices);
      end = level.offset + level.bytes_per_slice * level.slices;
    }
  }
}

// A volume of 32 x 32 x 32 RGBA8 in the mode that radeonsi takes for it on bonaire, index 26, level by level as Mesa 25.0.7 has it
// (AMD_DEBUG=tex): also two slices and one have thick tiles, of four.
TEST(BankedMips, ThickLevelsStayThick) {
  BankedTexture texture;
  texture.tiling = {Arrangement::macro_3d_extra_thick, MicroOrder::thin, PipeConfig::p4_16x16, 256, 8, 1, 1, 2, 2048};
  texture.element_bytes = 4;
  texture.width = texture.height = texture.slices = 32;
  texture.pitch = 64;
  texture.volume = true;
  texture.levels = 6;
  const auto levels = mip_levels(texture);
  ASSERT_TRUE(levels) << levels.error().message;
  struct Row {
    uint64_t offset, bytes_per_slice;
    unsigned pitch, height, slices;
  };
  constexpr Row rows[] = {{0, 8192, 64, 32, 32},  {262144, 2048, 32, 16, 16}, {294912, 512, 16, 8, 8},
                          {299008, 256, 8, 8, 4}, {300032, 256, 8, 8, 4},     {301056, 256, 8, 8, 4}};
  for (unsigned n = 0; n < 6; n++) {
    SCOPED_TRACE(n);
    const BankedLevel& level = (*levels)[n];
    EXPECT_EQ(level.surface.tiling.arrangement, n ? Arrangement::micro_thick : Arrangement::macro_3d_extra_thick);
    EXPECT_EQ(level.offset, rows[n].offset);
    EXPECT_EQ(level.bytes_per_slice, rows[n].bytes_per_slice);
    EXPECT_EQ(level.surface.pitch, rows[n].pitch);
    EXPECT_EQ(level.surface.height, rows[n].height);
    EXPECT_EQ(level.slices, rows[n].slices);
  }
}

TEST(BankedMips, GivenPitchAndSamples) {
  BankedTexture texture;
  texture.tiling = {Arrangement::macro_2d_thin, MicroOrder::thin, PipeConfig::p4_16x16, 256, 16, 1, 1, 2, 512};
  texture.width = texture.height = 300;
  texture.pitch = 384;
  auto levels = mip_levels(texture);
  ASSERT_TRUE(levels);
  EXPECT_EQ(levels->front().surface.pitch, 384u);
  EXPECT_EQ(levels->front().surface.height, 320u);  // macro tiles of 64 x 64
  texture.samples = 4;
  EXPECT_TRUE(mip_levels(texture));
  texture.levels = 2;
  EXPECT_FALSE(mip_levels(texture));
}

TEST(BankedMips, RefusesNonsense) {
  BankedTexture good;
  good.width = good.height = 64;
  EXPECT_TRUE(mip_levels(good));
  auto bad = [&](auto change) {
    BankedTexture t = good;
    change(t);
    return !mip_levels(t);
  };
  EXPECT_TRUE(bad([](auto& t) { t.width = 0; }));
  EXPECT_TRUE(bad([](auto& t) { t.slices = 1u << 20; }));
  EXPECT_TRUE(bad([](auto& t) { t.levels = 0; }));
  EXPECT_TRUE(bad([](auto& t) { t.levels = 1000; }));
  EXPECT_TRUE(bad([](auto& t) { t.block_width = 0; }));
  EXPECT_TRUE(bad([](auto& t) { t.tiling.arrangement = Arrangement(99); }));
  EXPECT_TRUE(bad([](auto& t) { t.tiling.arrangement = Arrangement::macro_2d_thin, t.tiling.macro_aspect = 0; }));
  EXPECT_TRUE(bad([](auto& t) { t.tiling.arrangement = Arrangement::macro_2d_thin, t.tiling.pipe_config = PipeConfig(99); }));
  EXPECT_TRUE(bad([](auto& t) { t.tiling.pipe_interleave_bytes = 0; }));
  // Thrown dice: never a crash, never an endless loop.
  std::mt19937 random(5);
  for (int i = 0; i < 20'000; i++) {
    auto number = [&] { return random() % 4 ? random() % 9 : random() % 3 ? random() % 70'000 : random(); };
    BankedTexture t;
    t.tiling = {Arrangement(random() % 20),
                MicroOrder(random() % 7),
                PipeConfig(random() % 20),
                unsigned(random() % 3 ? 256 : number()),
                unsigned(number()),
                unsigned(number()),
                unsigned(number()),
                unsigned(number()),
                unsigned(random() % 2 ? 512 : number())};
    t.element_bytes = unsigned(number());
    t.block_width = unsigned(number());
    t.block_height = unsigned(number());
    t.width = unsigned(number());
    t.height = unsigned(number());
    t.slices = unsigned(number());
    t.pitch = unsigned(number());
    t.samples = unsigned(number());
    t.levels = unsigned(number());
    if (auto levels = mip_levels(t))
      for (auto& level : *levels) EXPECT_TRUE(check(level.surface));
  }
}

}  // namespace
}  // namespace Atoll::surface
