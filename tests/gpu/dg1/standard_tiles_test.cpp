// Surfaces in standard tiles (Yf, Ys) as Mesa lays them out (25.0.7 isl.c, written again here as a surface's allocation, tile after tile): each
// texel of every level, layer and slice has a byte of its own, levels before the mip tail begin with a tile, and those in it share one.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "gpu/dg1/threads/images.h"
#include "isa/xe_lp/surface_format.h"
#include "registers/dg1.h"

namespace {

using namespace Atoll;
using namespace Atoll::dg1;

struct Extent {
  uint32_t w, h, d;
};

// isl_tiling_get_info() of one sample, and of several that are an array.
Extent tile_of(bool volume, uint32_t bytes, uint32_t samples, bool ys) {
  const auto log2 = uint32_t(std::countr_zero(bytes));
  if (volume) {
    constexpr Extent of_ys[] = {{64, 32, 32}, {32, 32, 32}, {32, 32, 16}, {32, 16, 16}, {16, 16, 16}};
    return ys ? of_ys[log2] : Extent{of_ys[log2].w / 4, of_ys[log2].h / 2, of_ys[log2].d / 2};
  }
  constexpr Extent of_ys[] = {{256, 256, 1}, {256, 128, 1}, {128, 128, 1}, {128, 64, 1}, {64, 64, 1}};
  Extent e = of_ys[log2];
  if (!ys) e.w /= 4, e.h /= 4;
  constexpr uint32_t w[] = {1, 2, 2, 4, 4}, h[] = {1, 1, 2, 2, 4};
  const auto of_samples = uint32_t(std::countr_zero(samples));
  return {e.w / w[of_samples], e.h / h[of_samples], 1};
}

uint32_t up(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

struct Case {
  uint32_t format, width, height, layers, levels;
  bool volume = false;
  uint32_t log2_samples = 0;
  bool ys = true, interleaved = false;
};

// Checks one surface, and says how many levels its tail has.
unsigned check(const Case& c) {
  const surface::Format* format = xe_lp::surface_format(c.format);
  const surface::LayoutRow& row = surface::row(format->layout);
  const uint32_t bytes = row.bytes, samples = 1u << c.log2_samples;
  const Extent tile = tile_of(c.volume, bytes, c.interleaved ? 1 : samples, c.ys);
  auto elements = [](uint32_t texels, uint32_t block) { return up(texels, block) / block; };
  auto level_extent = [&](uint32_t n) {
    return Extent{elements(std::max(1u, c.width >> n), row.block_width), elements(std::max(1u, c.height >> n), row.block_height),
                  c.volume ? std::max(1u, c.layers >> n) : 1};
  };
  // The largest level of a tail takes the right half of its tile, of volumes in Yf the lower one (isl_choose_miptail_start_level).
  auto fits = [&](uint32_t n) {
    const Extent e = level_extent(n);
    const bool lower = c.volume && !c.ys;
    return e.w <= tile.w / (lower ? 1 : 2) && e.h <= tile.h / (lower ? 2 : 1) && e.d <= tile.d;
  };
  uint32_t tail = 15;
  const uint32_t most_in_tail = c.ys ? 15 : 11;
  if (samples == 1)
    for (uint32_t n = c.levels > most_in_tail ? c.levels - most_in_tail : 0; n < c.levels && tail == 15; n++)
      if (fits(n)) tail = n;

  const uint32_t grid_w = !c.interleaved ? 1
                          : samples >= 8 ? 4
                          : samples >= 2 ? 2
                                         : 1,
                 grid_h = !c.interleaved  ? 1
                          : samples >= 16 ? 4
                          : samples >= 4  ? 2
                                          : 1;
  auto placed = [&](uint32_t texels, uint32_t each) { return each > 1 ? up(texels, 2) * each : texels; };
  // Level 1 below 0, the others beside it; a tail takes a tile.
  uint32_t top_w = 0, bottom_w = 0, left_h = 0, right_h = 0;
  for (uint32_t n = 0; n < c.levels && n <= tail; n++) {
    const Extent e = level_extent(n);
    const uint32_t w = up(placed(e.w, grid_w), tile.w), h = up(placed(e.h, grid_h), tile.h);
    if (n == 0) top_w = w, left_h = right_h = h;
    if (n == 1) bottom_w = w, left_h += h;
    if (n == 2) bottom_w += w;
    if (n >= 2) right_h += h;
  }
  const uint32_t pitch = std::max(top_w, bottom_w) * bytes, rows = std::max(left_h, right_h), slice_rows = rows + tile.h;

  SurfaceWords w{};
  using S = SurfaceState;
  S::Surface_Type::set(w, c.volume ? SurfaceType::SURFTYPE_3D : SurfaceType::SURFTYPE_2D), S::Surface_Format::set(w, c.format);
  S::Tile_Mode::set(w, TileMode::YMAJOR);
  S::Tiled_Resource_Mode::set(w, c.ys ? S::Tiled_Resource_Mode::TILEYS : S::Tiled_Resource_Mode::TILEYF);
  S::Mip_Tail_Start_LOD::set(w, tail);
  S::Width::set(w, c.width - 1), S::Height::set(w, c.height - 1), S::Surface_Pitch::set(w, pitch - 1);
  S::Depth::set(w, c.layers - 1), S::Surface_Array::set(w, !c.volume), S::Surface_QPitch::set(w, slice_rows / 4);
  S::MIP_Count_LOD::set(w, c.levels - 1), S::Number_of_Multisamples::set(w, c.log2_samples);
  if (c.interleaved) S::Multisampled_Surface_Storage_Format::set(w, S::Multisampled_Surface_Storage_Format::MSFMT_DEPTH_STENCIL);
  const auto s = image_surface(w);
  EXPECT_TRUE(s) << s.error().message;
  if (!s) return 0;
  const uint64_t tile_bytes = c.ys ? 65536 : 4096, across = pitch / bytes / tile.w;
  const uint32_t slices = c.volume ? (c.layers + tile.d - 1) / tile.d : c.layers;
  EXPECT_LE(s->bytes, ((slices - 1) * uint64_t(slice_rows / tile.h) + rows / tile.h) * across * tile_bytes);
  std::vector<uint8_t> memory(s->bytes);
  const auto texture = surface::Texture::make(s->description, memory.data(), memory.size());
  EXPECT_TRUE(texture) << texture.error().message;
  if (!texture) return 0;

  std::vector<bool> taken(s->bytes / bytes);
  uint32_t x0 = 0, y0 = 0;
  for (uint32_t n = 0; n < c.levels; n++) {
    const Extent e = level_extent(n);
    for (uint32_t z = 0; z < (c.volume ? e.d : c.layers); z++)
      for (uint32_t y = 0; y < e.h; y++)
        for (uint32_t x = 0; x < e.w; x++)
          for (uint32_t sample = 0; sample < samples; sample++) {
            const uint8_t* at = texture->texel(n, x * row.block_width, y * row.block_height, z, sample);
            const auto offset = uint64_t(at - memory.data());
            if (offset % bytes || offset >= s->bytes || taken[offset / bytes])
              return ADD_FAILURE() << "level " << n << " at " << x << ", " << y << ", " << z << ": " << offset, 0;
            taken[offset / bytes] = true;
            // The tile that it is in.
            const uint32_t in_x = n >= tail       ? 0
                                  : c.interleaved ? x / 2 * 2 * grid_w
                                                  : x,
                           in_y = n >= tail       ? 0
                                  : c.interleaved ? y / 2 * 2 * grid_h
                                                  : y;
            const uint64_t slice = c.volume ? (n >= tail ? 0 : z / tile.d) : z;
            const uint64_t number = (slice * (slice_rows / tile.h) + (y0 + in_y) / tile.h) * across + (x0 + in_x) / tile.w;
            if (offset / tile_bytes != number)
              return ADD_FAILURE() << "level " << n << " at " << x << ", " << y << ", " << z << " sample " << sample << ": tile "
                                   << offset / tile_bytes << ", not " << number,
                     0;
          }
    if (n < tail) {
      if (n == 1)
        x0 += up(placed(e.w, grid_w), tile.w);
      else
        y0 += up(placed(e.h, grid_h), tile.h);
    }
  }
  return c.levels > tail ? c.levels - tail : 0;
}

TEST(StandardTiles, LevelsLieAsMesaHasThem) {
  constexpr uint32_t formats[] = {SURFACE_FORMAT::R8_UINT,           SURFACE_FORMAT::R16_UINT,  SURFACE_FORMAT::R32_UINT,
                                  SURFACE_FORMAT::R32G32_UINT,       SURFACE_FORMAT::BC1_UNORM, SURFACE_FORMAT::BC7_UNORM,
                                  SURFACE_FORMAT::R32G32B32A32_UINT, SURFACE_FORMAT::R8G8_UNORM};
  unsigned tails = 0, cases = 0;
  for (uint32_t format : formats)
    for (bool ys : {true, false})
      for (auto [width, height] :
           {std::pair{300u, 200u}, std::pair{64u, 64u}, std::pair{129u, 33u}, std::pair{1u, 1u}, std::pair{700u, 5u}})
        for (uint32_t levels = 1; std::max(width, height) >> (levels - 1); levels += 3)
          for (uint32_t layers : {1u, 3u}) {
            tails += check({format, width, height, layers, levels, false, 0, ys});
            cases++;
          }
  for (uint32_t format : {formats[0], formats[1], formats[2], formats[3], formats[6]})
    for (bool ys : {true, false})
      for (auto [width, height, depth] : {std::tuple{70u, 40u, 37u}, std::tuple{8u, 64u, 3u}, std::tuple{1u, 1u, 40u}})
        for (uint32_t levels = 1; std::max({width, height, depth}) >> (levels - 1); levels += 2) {
          tails += check({format, width, height, depth, levels, true, 0, ys});
          cases++;
        }
  EXPECT_GT(tails, 300u);
  EXPECT_GT(cases, 200u);
}

TEST(StandardTiles, Samples) {
  for (uint32_t format : {SURFACE_FORMAT::R8_UINT, SURFACE_FORMAT::R32_UINT, SURFACE_FORMAT::R32G32B32A32_UINT})
    for (uint32_t log2 : {1u, 2u, 3u, 4u})
      for (bool ys : {true, false})
        for (bool interleaved : {false, true}) check({format, 77, 41, 2, 1, false, log2, ys, interleaved});
}

TEST(StandardTiles, WhatIsNoneIsNamed) {
  using S = SurfaceState;
  auto with = [](auto change) {
    SurfaceWords w{};
    S::Surface_Type::set(w, SurfaceType::SURFTYPE_2D), S::Surface_Format::set(w, SURFACE_FORMAT::R32_UINT);
    S::Tile_Mode::set(w, TileMode::YMAJOR), S::Tiled_Resource_Mode::set(w, S::Tiled_Resource_Mode::TILEYS);
    S::Width::set(w, 99), S::Height::set(w, 99), S::Surface_Pitch::set(w, 511), S::Mip_Tail_Start_LOD::set(w, 15);
    change(w);
    const auto s = image_surface(w);
    return s ? std::string() : s.error().message;
  };
  EXPECT_EQ(with([](SurfaceWords&) {}), "");
  EXPECT_EQ(with([](SurfaceWords& w) { S::Tiled_Resource_Mode::set(w, 3); }), "a tiled resource of mode 3 in tiles of mode 3");
  EXPECT_EQ(with([](SurfaceWords& w) { S::Tile_Mode::set(w, TileMode::LINEAR); }),
            "a tiled resource of mode 2 in tiles of mode 0");
  EXPECT_EQ(with([](SurfaceWords& w) { S::Surface_Type::set(w, SurfaceType::SURFTYPE_1D); }),
            "a tiled resource of one dimension");
  EXPECT_EQ(with([](SurfaceWords& w) { S::X_Offset::set(w, 1); }), "an offset inside of the first tile of a tiled resource");
  EXPECT_EQ(with([](SurfaceWords& w) { S::Surface_Format::set(w, SURFACE_FORMAT::R32G32B32_UINT); }),
            "elements of 12 bytes in a tiled resource");
  EXPECT_EQ(with([](SurfaceWords& w) {
              S::Tiled_Resource_Mode::set(w, S::Tiled_Resource_Mode::TILEYF);
              S::Mip_Tail_Start_LOD::set(w, 0), S::MIP_Count_LOD::set(w, 11);
            }),
            "level 11 of a mip tail that begins with level 0");
}

}  // namespace
