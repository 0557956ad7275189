// RENDER_SURFACE_STATE and SAMPLER_STATE decoded, and textures of all levels where Mesa's layout has them.
#include <gtest/gtest.h>

#include "gpu/dg1/threads/images.h"
#include "isa/xe_lp/surface_format.h"
#include "registers/dg1.h"
#include "surface/intel_tiling.h"

namespace {

using namespace Atoll;
using namespace Atoll::dg1;

SurfaceWords two_dimensional(uint32_t format, uint32_t tiling, uint32_t width, uint32_t height, uint32_t pitch) {
  SurfaceWords w{};
  SurfaceState::Surface_Type::set(w, SurfaceType::SURFTYPE_2D), SurfaceState::Surface_Format::set(w, format),
      SurfaceState::Tile_Mode::set(w, tiling);
  SurfaceState::Surface_Horizontal_Alignment::set(w, 1), SurfaceState::Surface_Vertical_Alignment::set(w, 1);
  SurfaceState::Width::set(w, width - 1), SurfaceState::Height::set(w, height - 1),
      SurfaceState::Surface_Pitch::set(w, pitch - 1);
  SurfaceState::Shader_Channel_Select_Red::set(w, ChannelSelect::RED),
      SurfaceState::Shader_Channel_Select_Green::set(w, ChannelSelect::GREEN);
  SurfaceState::Shader_Channel_Select_Blue::set(w, ChannelSelect::BLUE),
      SurfaceState::Shader_Channel_Select_Alpha::set(w, ChannelSelect::ALPHA);
  SurfaceState::Surface_Base_Address::set(w, 0xffff'8001'0001'0000);
  return w;
}

// Level 1 below level 0, the others to its right, below each other; in multiples of 4 texels.
TEST(SurfaceState, LevelsStandInOnePicture) {
  SurfaceWords w = two_dimensional(SURFACE_FORMAT::R8G8B8A8_UNORM, TileMode::YMAJOR, 37, 21, 256);
  SurfaceState::MIP_Count_LOD::set(w, 4), SurfaceState::Surface_Array::set(w, 1), SurfaceState::Depth::set(w, 2),
      SurfaceState::Surface_QPitch::set(w, 44 / 4);
  auto s = image_surface(w);
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(s->address, 0x800100010000u);
  ASSERT_EQ(s->description.levels.size(), 5u);
  const std::pair<uint32_t, uint32_t> places[] = {{0, 0}, {0, 24}, {20, 24}, {20, 32}, {20, 36}};
  for (size_t n = 0; n < 5; n++) {
    const auto& level = std::get<surface::IntelSurface>(s->description.levels[n].place);
    EXPECT_EQ(level.x_bytes, places[n].first * 4) << n;
    EXPECT_EQ(level.y_rows, places[n].second) << n;
    EXPECT_EQ(level.slice_rows, 44u);
  }
  std::vector<uint8_t> memory(s->bytes);
  EXPECT_TRUE(surface::Texture::make(s->description, memory.data(), memory.size()));
  // a view from level 2 on
  SurfaceState::MIP_Count_LOD::set(w, 1), SurfaceState::Surface_Min_LOD::set(w, 2);
  s = image_surface(w);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->description.first_level, 2u);
  EXPECT_EQ(s->description.levels.size(), 4u);
}

// A linear surface of one dimension: levels beside each other, each in whole 64 texels, layers a QPitch of texels apart, whatever its
// pitch and its alignments say (Mesa 22.3.6 isl.c, get_image_offset_sa_gfx9_1d; isl_gfx9.c, isl_gfx9_choose_image_alignment_el;
// isl_genX_helpers.h, isl_get_qpitch; isl_surface_state.c gives a pitch of 1). A tiled one lies as one row of two dimensions.
TEST(SurfaceState, OneDimension) {
  auto up = [](uint32_t n, uint32_t to) { return (n + to - 1) / to * to; };
  unsigned surfaces = 0, formats = 0;
  for (uint32_t code = 0; code < 512; code++) {
    const surface::Format* format = xe_lp::surface_format(code);
    if (!format || surface::row(format->layout).block_width > 1) continue;
    formats++;
    const uint32_t size = surface::row(format->layout).bytes;
    for (uint32_t tiling : {TileMode::LINEAR, TileMode::XMAJOR, TileMode::YMAJOR}) {
      if (tiling != TileMode::LINEAR && size % 3 == 0) continue;  // (isl_gfx7.c, isl_gfx6_filter_tiling)
      for (uint32_t width : {1u, 63u, 64u, 65u, 200u, 300u})
        for (uint32_t levels = 1; width >> (levels - 1); levels += 3)
          for (uint32_t layers : {0u, 1u, 5u})  // 0: no array, but one layer of it
            for (uint32_t first : {0u, 2u}) {
              const bool linear = tiling == TileMode::LINEAR;
              uint32_t chain = 0;
              for (uint32_t n = 0; n < levels; n++) chain += up(std::max(1u, width >> n), 64);
              const uint32_t pitch = linear ? 1 : up(up(width, 4) * size + up(width / 2, 4) * size, 512);
              SurfaceWords w = two_dimensional(code, tiling, width, 1, pitch);
              SurfaceState::Surface_Type::set(w, SurfaceType::SURFTYPE_1D), SurfaceState::MIP_Count_LOD::set(w, levels - 1);
              SurfaceState::Surface_Array::set(w, layers > 0), SurfaceState::Depth::set(w, layers ? layers - 1 : 0);
              SurfaceState::Minimum_Array_Element::set(w, first), SurfaceState::Surface_QPitch::set(w, (linear ? chain : 64) / 4);
              auto s = image_surface(w);
              ASSERT_TRUE(s) << s.error().message;
              std::vector<uint8_t> memory(s->bytes);
              auto texture = surface::Texture::make(s->description, memory.data(), memory.size());
              ASSERT_TRUE(texture) << texture.error().message;
              surfaces++;
              uint32_t beside = 0;
              for (uint32_t level = 0; level < levels; level++) {
                const uint32_t across = std::max(1u, width >> level);
                const uint32_t x0 = level >= 2 ? up(std::max(1u, width >> 1), 4) : 0,
                               y0 = level >= 1 ? 4 * std::max(1u, level - 1) : 0;
                for (uint32_t layer = 0; layer < std::max(1u, layers); layer++)
                  for (uint32_t x : {0u, across / 2, across - 1}) {
                    const uint64_t expected =
                        linear ? (uint64_t(first + layer) * chain + beside + x) * size
                               : surface::address(
                                     {.tiling = tiling == TileMode::XMAJOR ? surface::IntelTiling::x : surface::IntelTiling::y,
                                      .pitch_bytes = pitch},
                                     (x0 + x) * size, (first + layer) * 64 + y0);
                    ASSERT_EQ(uint64_t(texture->texel(level, x, 0, layer) - memory.data()), expected)
                        << "format " << code << " tiling " << tiling << " width " << width << " level " << level << " layer "
                        << first << " + " << layer << ": " << x;
                  }
                beside += up(across, 64);
              }
              EXPECT_TRUE(!linear || s->bytes <= uint64_t(first + std::max(1u, layers)) * chain * size);
            }
    }
  }
  EXPECT_GT(formats, 60u);
  RecordProperty("surfaces", int(surfaces));
}

// QPitch counts rows of texels' blocks (Mesa 22.3.6 isl_surface_state.c, get_qpitch: isl_surf_get_array_pitch_el_rows).
TEST(SurfaceState, LayersOfCompressedImages) {
  const std::pair<uint32_t, uint32_t> formats[] = {{SURFACE_FORMAT::BC1_UNORM, 8}, {SURFACE_FORMAT::BC3_UNORM, 16}};
  for (const auto& [format, block_bytes] : formats) {
    SurfaceWords w = two_dimensional(format, TileMode::YMAJOR, 64, 100, 256);
    constexpr uint32_t block_rows = 28;  // 25 of them, aligned
    SurfaceState::Surface_Array::set(w, 1), SurfaceState::Depth::set(w, 3), SurfaceState::Surface_QPitch::set(w, block_rows / 4);
    auto s = image_surface(w);
    ASSERT_TRUE(s) << s.error().message;
    std::vector<uint8_t> memory(s->bytes);
    auto texture = surface::Texture::make(s->description, memory.data(), memory.size());
    ASSERT_TRUE(texture) << texture.error().message;
    for (uint32_t layer = 0; layer < 4; layer++)
      for (uint32_t y : {0u, 5u, 99u}) {
        const uint8_t* block = texture->texel_or_null(0, 63, y, layer, 0);
        ASSERT_NE(block, nullptr) << layer;
        const uint64_t expected = surface::address({.tiling = surface::IntelTiling::y, .pitch_bytes = 256}, 15 * block_bytes,
                                                   layer * block_rows + y / 4);
        EXPECT_EQ(uint64_t(block - memory.data()), expected) << block_bytes << " " << layer << " " << y;
      }
  }
}

// A border's colour is a texel of the format: components that it lacks are 0, the fourth 1 (Vulkan 1.3, "Texel Replacement" before
// "Conversion to RGBA").
TEST(SurfaceState, BordersHaveTheFormatsComponents) {
  constexpr uint32_t one = 0x3f800000;
  const surface::Colour border = {11, 12, 13, 14};
  const std::pair<uint32_t, surface::Colour> formats[] = {{SURFACE_FORMAT::R8_UNORM, {11, 0, 0, one}},
                                                          {SURFACE_FORMAT::R8G8_UNORM, {11, 12, 0, one}},
                                                          {SURFACE_FORMAT::R8G8B8A8_UNORM, {11, 12, 13, 14}},
                                                          {SURFACE_FORMAT::B8G8R8A8_UNORM, {11, 12, 13, 14}},
                                                          {SURFACE_FORMAT::B8G8R8X8_UNORM, {11, 12, 13, one}},
                                                          {SURFACE_FORMAT::B5G6R5_UNORM, {11, 12, 13, one}},
                                                          {SURFACE_FORMAT::R11G11B10_FLOAT, {11, 12, 13, one}},
                                                          {SURFACE_FORMAT::A8_UNORM, {0, 0, 0, 14}},
                                                          {SURFACE_FORMAT::R32G32B32A32_FLOAT, {11, 12, 13, 14}},
                                                          {SURFACE_FORMAT::R32_FLOAT, {11, 0, 0, one}},
                                                          {SURFACE_FORMAT::R32_UINT, {11, 0, 0, 1}},
                                                          {SURFACE_FORMAT::R16G16_SINT, {11, 12, 0, 1}}};
  for (const auto& [format, expected] : formats) {
    auto s = image_surface(two_dimensional(format, TileMode::YMAJOR, 16, 16, 256));
    ASSERT_TRUE(s) << s.error().message;
    EXPECT_EQ(surface::in_order(s->border, border), expected) << format;
    // The state's channels choose among those.
    SurfaceWords w = two_dimensional(format, TileMode::YMAJOR, 16, 16, 256);
    SurfaceState::Shader_Channel_Select_Red::set(w, ChannelSelect::ALPHA);
    s = image_surface(w);
    ASSERT_TRUE(s);
    EXPECT_EQ(surface::in_order(s->border, border)[0], expected[3]) << format;
  }
}

// The samples of a layer are slices one after the other; those of depth and stencil are refused by name.
TEST(SurfaceState, SamplesAreSlices) {
  SurfaceWords w = two_dimensional(SURFACE_FORMAT::R32_UINT, TileMode::YMAJOR, 20, 12, 128);
  SurfaceState::Surface_Array::set(w, 1), SurfaceState::Depth::set(w, 1), SurfaceState::Surface_QPitch::set(w, 36 / 4),
      SurfaceState::Number_of_Multisamples::set(w, 2);
  auto s = image_surface(w);
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(s->description.dimension, surface::Dimension::two_multisampled_array);
  EXPECT_EQ(s->bytes, uint64_t(9) * 32 * 128);  // 7 slices of 36 rows and 12 rows, in whole tiles
  std::vector<uint8_t> memory(s->bytes);
  auto texture = surface::Texture::make(s->description, memory.data(), memory.size());
  ASSERT_TRUE(texture) << texture.error().message;
  for (uint32_t layer = 0; layer < 3; layer++)
    for (uint32_t sample = 0; sample < 5; sample++) {
      const uint8_t* texel = texture->texel_or_null(0, 19, 11, layer, sample);
      ASSERT_EQ(texel != nullptr, layer < 2 && sample < 4) << layer << " " << sample;
      if (!texel) continue;
      const uint64_t expected =
          surface::address({.tiling = surface::IntelTiling::y, .pitch_bytes = 128}, 19 * 4, (layer * 4 + sample) * 36 + 11);
      EXPECT_EQ(uint64_t(texel - memory.data()), expected) << layer << " " << sample;
    }
  EXPECT_FALSE(surface::Texture::make(s->description, memory.data(), memory.size() - 1));
  SurfaceState::Tile_Mode::set(w, TileMode::LINEAR);
  EXPECT_EQ(image_surface(w).error().message, "a surface of 4 samples that is not tiled");
}

// Samples of depth and stencil stand between each other, squares of 2x2 texels of one sample: sample 1 to the right of 0, 2 below, 4 two
// squares to the right, 8 two below (PRM volume 5, the tables of interleaved multisampled surfaces).
TEST(SurfaceState, SamplesOfDepthStandBetweenEachOther) {
  for (uint32_t log2 : {1u, 2u, 3u, 4u}) {
    SurfaceWords w = two_dimensional(SURFACE_FORMAT::R32_FLOAT, TileMode::YMAJOR, 21, 13, 512);
    SurfaceState::Surface_Array::set(w, 1), SurfaceState::Depth::set(w, 1), SurfaceState::Surface_QPitch::set(w, 64 / 4),
        SurfaceState::Number_of_Multisamples::set(w, log2);
    SurfaceState::Multisampled_Surface_Storage_Format::set(
        w, SurfaceState::Multisampled_Surface_Storage_Format::MSFMT_DEPTH_STENCIL);
    auto s = image_surface(w);
    ASSERT_TRUE(s) << s.error().message;
    std::vector<uint8_t> memory(s->bytes);
    auto texture = surface::Texture::make(s->description, memory.data(), memory.size());
    ASSERT_TRUE(texture) << texture.error().message;
    const uint32_t across = log2 >= 3 ? 4 : 2, down = log2 == 4 ? 4 : log2 >= 2 ? 2 : 1;
    for (uint32_t layer = 0; layer < 2; layer++)
      for (uint32_t y = 0; y < 13; y++)
        for (uint32_t x = 0; x < 21; x++)
          for (uint32_t sample = 0; sample < 1u << log2; sample++) {
            uint32_t column = x / 2 * 2 * across + x % 2, row = down == 1 ? y : y / 2 * 2 * down + y % 2;
            if (sample & 1) column += 2;
            if (sample & 2) row += 2;
            if (sample & 4) column += 4;
            if (sample & 8) row += 4;
            const uint64_t expected =
                surface::address({.tiling = surface::IntelTiling::y, .pitch_bytes = 512}, column * 4, layer * 64 + row);
            ASSERT_EQ(uint64_t(texture->texel(0, x, y, layer, sample) - memory.data()), expected)
                << log2 << ": " << x << ", " << y << " sample " << sample;
          }
  }
}

// An offset in the first tile moves the surface in its picture, four texels a step.
TEST(SurfaceState, OffsetsInTheFirstTile) {
  SurfaceWords w = two_dimensional(SURFACE_FORMAT::R8G8B8A8_UINT, TileMode::YMAJOR, 5, 3, 256);
  SurfaceState::X_Offset::set(w, 3), SurfaceState::Y_Offset::set(w, 2);
  auto s = image_surface(w);
  ASSERT_TRUE(s) << s.error().message;
  std::vector<uint8_t> memory(s->bytes);
  auto texture = surface::Texture::make(s->description, memory.data(), memory.size());
  ASSERT_TRUE(texture) << texture.error().message;
  for (uint32_t y = 0; y < 3; y++)
    for (uint32_t x = 0; x < 5; x++)
      EXPECT_EQ(uint64_t(texture->texel(0, x, y) - memory.data()),
                surface::address({.tiling = surface::IntelTiling::y, .pitch_bytes = 256}, (12 + x) * 4, 8 + y));
}

// Surfaces are kept plain: what an auxiliary surface holds counts for nothing.
TEST(SurfaceState, AuxiliarySurfaces) {
  for (uint32_t type : {SurfaceType::SURFTYPE_1D, SurfaceType::SURFTYPE_2D, SurfaceType::SURFTYPE_3D, SurfaceType::SURFTYPE_CUBE})
    for (uint32_t samples : {0u, 1u, 2u, 3u})
      for (uint32_t mode = 0; mode < 8; mode++) {
        if (samples && type != SurfaceType::SURFTYPE_2D) continue;
        SurfaceWords w = two_dimensional(SURFACE_FORMAT::R32_UINT, TileMode::YMAJOR, 16, 16, 128);
        SurfaceState::Surface_Type::set(w, type), SurfaceState::Number_of_Multisamples::set(w, samples),
            SurfaceState::Surface_QPitch::set(w, 4);
        auto without = image_surface(w);
        ASSERT_TRUE(without) << without.error().message;
        SurfaceState::Auxiliary_Surface_Mode::set(w, mode);
        auto s = image_surface(w);
        const bool reserved = mode == 3 || mode >= 6;
        ASSERT_EQ(bool(s), !reserved) << type << " " << samples << " " << mode;
        if (s)
          EXPECT_EQ(s->bytes, without->bytes);
        else
          EXPECT_EQ(s.error().message, "auxiliary surface mode " + std::to_string(mode) + ", which is reserved");
      }
}

TEST(SurfaceState, SelectsAndFormats) {
  SurfaceWords w = two_dimensional(SURFACE_FORMAT::B8G8R8X8_UNORM, TileMode::LINEAR, 4, 4, 16);
  SurfaceState::Shader_Channel_Select_Red::set(w, ChannelSelect::BLUE),
      SurfaceState::Shader_Channel_Select_Green::set(w, ChannelSelect::ONE);
  SurfaceState::Shader_Channel_Select_Blue::set(w, ChannelSelect::ZERO);
  auto s = image_surface(w);
  ASSERT_TRUE(s);
  using surface::Select;
  EXPECT_EQ(s->description.format.order, (surface::Order{Select::field_0, Select::one, Select::zero, Select::one}));
  SurfaceState::Surface_Format::set(w, SURFACE_FORMAT::R64G64_FLOAT);
  s = image_surface(w);
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error().message, "SURFACE_FORMAT R64G64_FLOAT: vertex fetch alone takes it, no sampler and no typed message");
  SurfaceState::Surface_Type::set(w, SurfaceType::SURFTYPE_NULL);
  EXPECT_FALSE(image_surface(w)->bound);
}

TEST(SurfaceState, Samplers) {
  SamplerWords w{};
  uint32_t border = 0;
  SamplerState::TCX_Address_Control_Mode::set(w, AddressMode::MIRROR),
      SamplerState::TCY_Address_Control_Mode::set(w, AddressMode::CLAMP_BORDER);
  SamplerState::Mag_Mode_Filter::set(w, MapFilter::LINEAR), SamplerState::Mip_Mode_Filter::set(w, MipFilter::LINEAR);
  SamplerState::Texture_LOD_Bias::set(w, 0x1f80), SamplerState::Min_LOD::set(w, 256), SamplerState::Max_LOD::set(w, 0x380);
  SamplerState::Shadow_Function::set(w, 2), SamplerState::Border_Color_Pointer::set(w, 192);
  surface::Sampler s = image_sampler(w, border);
  EXPECT_EQ(s.wrap[0], surface::Wrap::mirror);
  EXPECT_EQ(s.wrap[1], surface::Wrap::clamp_to_border);
  EXPECT_EQ(s.mag_filter, surface::Filter::linear);
  EXPECT_EQ(s.min_filter, surface::Filter::nearest);
  EXPECT_EQ(s.mip_filter, surface::MipFilter::linear);
  EXPECT_EQ(s.lod_bias, -0.5f);
  EXPECT_EQ(s.lod_min, 1.0f);
  EXPECT_EQ(s.lod_max, 3.5f);
  EXPECT_EQ(s.comparison, surface::Comparison::less_equal);
  EXPECT_EQ(border, 192u);
  using surface::Wrap;
  const std::pair<uint32_t, Wrap> wraps[] = {{AddressMode::WRAP, Wrap::repeat},
                                             {AddressMode::MIRROR, Wrap::mirror},
                                             {AddressMode::CLAMP, Wrap::clamp_to_edge},
                                             {AddressMode::CUBE, Wrap::clamp_to_edge},
                                             {AddressMode::CLAMP_BORDER, Wrap::clamp_to_border},
                                             {AddressMode::MIRROR_ONCE, Wrap::mirror_once_to_edge},
                                             {AddressMode::HALF_BORDER, Wrap::clamp_half_border}};
  for (auto [mode, wrap] : wraps) {
    SamplerState::TCZ_Address_Control_Mode::set(w, mode);
    EXPECT_EQ(image_sampler(w, border).wrap[2], wrap) << mode;
  }
}

}  // namespace
