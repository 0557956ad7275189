// Fields of RENDER_SURFACE_STATE and SAMPLER_STATE that choose other texels or other levels, through Images as messages reach it.
// Expectations follow from the texels' own numbers, which the test wrote.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "gpu/dg1/threads/images.h"
#include "memory/aliases.h"
#include "registers/dg1.h"

namespace Atoll::dg1 {
namespace {

constexpr uint64_t texels_at = 0x10000, dynamic_at = 0x80000;
constexpr uint32_t pitch = 64;

class SamplerFields : public testing::Test {
protected:
  SamplerFields() {
    EXPECT_TRUE(space->map(texels_at, *space->memory().allocate(0x40000), 0x40000));
    EXPECT_TRUE(space->map(dynamic_at, *space->memory().allocate(0x10000), 0x10000));
    using S = SurfaceState;
    S::Surface_Type::set(surface, SurfaceType::SURFTYPE_2D), S::Surface_Format::set(surface, SURFACE_FORMAT::R8_UNORM);
    S::Surface_Horizontal_Alignment::set(surface, 1), S::Surface_Vertical_Alignment::set(surface, 1);
    S::Surface_Pitch::set(surface, pitch - 1), S::Surface_Base_Address::set(surface, texels_at);
    S::Shader_Channel_Select_Red::set(surface, ChannelSelect::RED),
        S::Shader_Channel_Select_Green::set(surface, ChannelSelect::GREEN);
    S::Shader_Channel_Select_Blue::set(surface, ChannelSelect::BLUE),
        S::Shader_Channel_Select_Alpha::set(surface, ChannelSelect::ALPHA);
    size(8, 8);
    SamplerState::TCX_Address_Control_Mode::set(sampler, AddressMode::CLAMP);
    SamplerState::TCY_Address_Control_Mode::set(sampler, AddressMode::CLAMP);
    SamplerState::TCZ_Address_Control_Mode::set(sampler, AddressMode::CLAMP);
    SamplerState::LOD_PreClamp_Mode::set(sampler, SamplerState::LOD_PreClamp_Mode::OGL);
    SamplerState::Max_LOD::set(sampler, 14 * 256);
  }
  void size(uint32_t width, uint32_t height) {
    SurfaceState::Width::set(surface, width - 1), SurfaceState::Height::set(surface, height - 1);
  }
  uint8_t* texel(uint32_t x, uint32_t y) { return space->host(texels_at) + y * pitch + x; }
  // A sample of one lane at (s, t) at a level; 255 times what came.
  std::array<float, 4> sample(float s, float t, float lod = 0, float r = 0) {
    images.begin_submission(reports);
    wave::ImageAccess access;
    access.operation = wave::ImageOperation::sample, access.lod_mode = wave::LodMode::level;
    access.active = 1, access.resource = surface.data(), access.sampler = sampler.data();
    access.coordinate_count = 4;
    access.coordinate[0][0] = std::bit_cast<uint32_t>(s), access.coordinate[1][0] = std::bit_cast<uint32_t>(t);
    access.coordinate[2][0] = std::bit_cast<uint32_t>(r), access.coordinate[3][0] = 0;
    access.lod[0] = std::bit_cast<uint32_t>(lod);
    images.access(access, space->sections().window_address(dynamic_at));
    EXPECT_FALSE(access.fault) << access.fault;
    std::array<float, 4> out;
    for (unsigned c = 0; c < 4; c++) out[c] = 255 * std::bit_cast<float>(access.data[c][0]);
    return out;
  }
  float red(float s, float t, float lod = 0) { return sample(s, t, lod)[0]; }
  void filters(uint32_t mag, uint32_t min, uint32_t mip) {
    SamplerState::Mag_Mode_Filter::set(sampler, mag), SamplerState::Min_Mode_Filter::set(sampler, min),
        SamplerState::Mip_Mode_Filter::set(sampler, mip);
  }

  std::unique_ptr<AddressSpace> space = *AddressSpace::create_sectioned();
  Images images{*space};
  gpu::Reports* reports = nullptr;
  SurfaceWords surface{};
  SamplerWords sampler{};
};

// Indices -7 to 14 of 8: mirrored about the middle of the outermost texels, then held at the other edge.
TEST_F(SamplerFields, Mirror101) {
  for (uint32_t x = 0; x < 8; x++) *texel(x, 0) = uint8_t(10 * x);
  size(8, 1);
  SamplerState::TCX_Address_Control_Mode::set(sampler, AddressMode::MIRROR_101);
  for (int i = -20; i < 28; i++) {
    int at = i;
    if (i < 0) at = std::min(-i, 7);
    if (i > 7) at = std::max(14 - i, 0);
    EXPECT_EQ(std::lround(red((float(i) + 0.5f) / 8, 0.5f)), 10 * at) << i;
  }
}

TEST_F(SamplerFields, DisabledGivesZeros) {
  *texel(0, 0) = 200;
  EXPECT_EQ(std::lround(red(0, 0)), 200);
  EXPECT_EQ(std::lround(sample(0, 0)[3]), 255);
  SamplerState::Sampler_Disable::set(sampler, 1);
  EXPECT_EQ(sample(0, 0), (std::array<float, 4>{}));
}

TEST_F(SamplerFields, SrgbTexelsAsTheyStand) {
  SurfaceState::Surface_Format::set(surface, SURFACE_FORMAT::R8G8B8A8_UNORM_SRGB);
  for (uint32_t c = 0; c < 4; c++) *texel(c, 0) = uint8_t(100 + c);
  EXPECT_LT(red(0, 0), 40);  // (100 / 255 is 0.127 in light)
  SamplerState::SRGB_DECODE::set(sampler, SamplerState::SRGB_DECODE::SKIP_DECODE_EXT);
  const auto skipped = sample(0, 0);
  for (uint32_t c = 0; c < 4; c++) EXPECT_EQ(std::lround(skipped[c]), 100 + c);
}

TEST_F(SamplerFields, ForcedGather) {
  for (uint32_t y = 0; y < 2; y++)
    for (uint32_t x = 0; x < 2; x++) *texel(x, y) = uint8_t(10 + x + 100 * y);
  filters(MapFilter::LINEAR, MapFilter::LINEAR, MipFilter::NONE);
  SamplerState::Force_gather4_Behavior::set(sampler, 1);
  const auto four = sample(1.0f / 8, 1.0f / 8);
  const long expected[] = {110, 111, 11, 10};
  for (unsigned n = 0; n < 4; n++) EXPECT_EQ(std::lround(four[n]), expected[n]) << n;
}

// One below a texel's border by less than half of 1/256: rounded it is the next one.
TEST_F(SamplerFields, Rounding) {
  for (uint32_t y = 0; y < 8; y++)
    for (uint32_t x = 0; x < 8; x++) *texel(x, y) = uint8_t(x + 10 * y);
  const float below = (2 - 1.0f / 1024) / 8;
  unsigned compared = 0;
  for (const bool minified : {false, true})
    for (uint32_t bits = 0; bits < 64; bits++) {
      filters(MapFilter::NEAREST, MapFilter::NEAREST, MipFilter::NONE);
      SamplerState::U_Address_Mag_Filter_Rounding_Enable::set(sampler, bits & 1),
          SamplerState::V_Address_Mag_Filter_Rounding_Enable::set(sampler, bits >> 1 & 1),
          SamplerState::R_Address_Mag_Filter_Rounding_Enable::set(sampler, bits >> 2 & 1);
      SamplerState::U_Address_Min_Filter_Rounding_Enable::set(sampler, bits >> 3 & 1),
          SamplerState::V_Address_Min_Filter_Rounding_Enable::set(sampler, bits >> 4 & 1),
          SamplerState::R_Address_Min_Filter_Rounding_Enable::set(sampler, bits >> 5 & 1);
      const uint32_t of = minified ? bits >> 3 : bits;
      EXPECT_EQ(std::lround(red(below, below, minified ? 1 : -1)), (of & 1 ? 2 : 1) + 10 * (of & 2 ? 2 : 1)) << minified << bits;
      compared++;
    }
  EXPECT_EQ(compared, 128u);
}

// As drivers set it: a linear filter rounds, a nearest one does not.
TEST_F(SamplerFields, RoundingOfDriversHasAForm) {
  uint32_t border;
  for (const bool up : {false, true})
    for (const bool down : {false, true}) {
      filters(up ? MapFilter::LINEAR : MapFilter::NEAREST, down ? MapFilter::LINEAR : MapFilter::NEAREST, MipFilter::LINEAR);
      SamplerState::U_Address_Mag_Filter_Rounding_Enable::set(sampler, up),
          SamplerState::V_Address_Mag_Filter_Rounding_Enable::set(sampler, up),
          SamplerState::R_Address_Mag_Filter_Rounding_Enable::set(sampler, up);
      SamplerState::U_Address_Min_Filter_Rounding_Enable::set(sampler, down),
          SamplerState::V_Address_Min_Filter_Rounding_Enable::set(sampler, down),
          SamplerState::R_Address_Min_Filter_Rounding_Enable::set(sampler, down);
      const surface::Sampler s = image_sampler(sampler, border);
      EXPECT_FALSE(s.is_special()) << up << down;
      EXPECT_EQ(s.truncate_coordinates, !up && !down);
      EXPECT_EQ(s.truncate_nearest, up != down);
    }
}

// Levels of one texel's number each: 8x8 at the top, then 4x4, 2x2, 1x1.
class Levels : public SamplerFields {
protected:
  Levels() {
    SurfaceState::MIP_Count_LOD::set(surface, 3);
    std::memset(space->host(texels_at), 0, pitch * 32);
    const std::array<uint32_t, 4> sizes{8, 4, 2, 1}, x{0, 0, 4, 4}, y{0, 8, 8, 12};
    for (uint32_t n = 0; n < 4; n++)
      for (uint32_t row = 0; row < sizes[n]; row++)
        for (uint32_t column = 0; column < sizes[n]; column++)
          *texel(x[n] + column, y[n] + row) = uint8_t(50 * n + 10 + (n == 0 && column == 0 ? 5 : 0));
    filters(MapFilter::NEAREST, MapFilter::NEAREST, MipFilter::NEAREST);
  }
};

TEST_F(Levels, LevelsThatAreNotThere) {
  for (uint32_t least = 0; least <= 4 * 256; least += 64)
    for (float lod = -1; lod < 4; lod += 0.25f) {
      SurfaceState::Resource_Min_LOD::set(surface, least);
      const float taken = std::max(lod, float(least) / 256);
      const auto level = long(std::clamp(std::ceil(taken + 0.5f) - 1, 0.0f, 3.0f));
      ASSERT_EQ(std::lround(red(0.9f, 0.9f, lod)), 50 * level + 10) << least << " " << lod;
    }
}

// Magnified texels have the other filter: a linear one mixes the first column with the second.
TEST_F(Levels, LevelsOfDetail) {
  filters(MapFilter::LINEAR, MapFilter::NEAREST, MipFilter::NONE);
  for (uint32_t axis = 0; axis < 1; axis++) {
    SamplerState::U_Address_Mag_Filter_Rounding_Enable::set(sampler, 1),
        SamplerState::V_Address_Mag_Filter_Rounding_Enable::set(sampler, 1),
        SamplerState::R_Address_Mag_Filter_Rounding_Enable::set(sampler, 1);
  }
  auto is_magnified = [&](float lod) {
    const float value = red(1.0f / 8, 0.5f, lod);
    EXPECT_TRUE(std::lround(value * 2) == 25 || std::lround(value) == 10) << value;
    return std::lround(value * 2) == 25;
  };
  for (uint32_t base = 0; base < 8; base++) {
    SurfaceState::Base_Mip_Level::set(surface, base);
    for (float lod = -2; lod < 5; lod += 0.25f) EXPECT_EQ(is_magnified(lod), lod <= float(base) / 2) << base << " " << lod;
  }
  SurfaceState::Base_Mip_Level::set(surface, 0);
  // The least level is 1: whether it is told before the clamp.
  SamplerState::Min_LOD::set(sampler, 256);
  EXPECT_FALSE(is_magnified(-1));
  SamplerState::LOD_PreClamp_Mode::set(sampler, SamplerState::LOD_PreClamp_Mode::NONE);
  // (What is magnified is of the least level then: of one number throughout.)
  EXPECT_EQ(std::lround(red(1.0f / 8, 0.5f, -1)), 60);
  filters(MapFilter::LINEAR, MapFilter::NEAREST, MipFilter::LINEAR);
  SamplerState::Min_LOD::set(sampler, 256 + 128);
  EXPECT_EQ(std::lround(red(1.0f / 8, 0.5f, -1)), 60);
  SamplerState::LOD_Clamp_Magnification_Mode::set(sampler, SamplerState::LOD_Clamp_Magnification_Mode::MIPFILTER);
  EXPECT_EQ(std::lround(red(1.0f / 8, 0.5f, -1)), 85);
}

TEST_F(SamplerFields, EveryOtherRow) {
  for (uint32_t y = 0; y < 16; y++)
    for (uint32_t x = 0; x < 8; x++) *texel(x, y) = uint8_t(x + 10 * y);
  SurfaceState::Vertical_Line_Stride::set(surface, 1);
  for (uint32_t second : {0u, 1u}) {
    SurfaceState::Vertical_Line_Stride_Offset::set(surface, second);
    for (uint32_t y = 0; y < 8; y++)
      for (uint32_t x = 0; x < 8; x++)
        ASSERT_EQ(std::lround(red((float(x) + 0.5f) / 8, (float(y) + 0.5f) / 8)), x + 10 * (2 * y + second)) << x << y;
  }
  SurfaceState::Tile_Mode::set(surface, TileMode::YMAJOR), SurfaceState::Surface_Pitch::set(surface, 127);
  const auto tiled = image_surface(surface);
  ASSERT_FALSE(tiled);
  EXPECT_EQ(tiled.error().message, "every other row of a tiled surface (Vertical Line Stride)");
}

TEST_F(SamplerFields, MissingFaces) {
  SurfaceState::Surface_Type::set(surface, SurfaceType::SURFTYPE_CUBE);
  size(4, 4);
  SurfaceState::Surface_QPitch::set(surface, 1);
  for (uint32_t face = 0; face < 6; face++)
    for (uint32_t y = 0; y < 4; y++)
      for (uint32_t x = 0; x < 4; x++) *texel(x, 4 * face + y) = uint8_t(10 + 10 * face);
  float* border = reinterpret_cast<float*>(space->host(dynamic_at + 64));
  for (unsigned c = 0; c < 4; c++) border[c] = 200.0f / 255;
  SamplerState::Border_Color_Pointer::set(sampler, 64);
  SamplerState::TCX_Address_Control_Mode::set(sampler, AddressMode::CUBE);
  const float direction[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  for (const bool linear : {false, true})
    for (uint32_t there = 0; there < 64; there++) {
      filters(linear ? MapFilter::LINEAR : MapFilter::NEAREST, linear ? MapFilter::LINEAR : MapFilter::NEAREST, MipFilter::NONE);
      SurfaceState::Cube_Face_Enable_Positive_X::set(surface, there & 1),
          SurfaceState::Cube_Face_Enable_Negative_X::set(surface, there >> 1 & 1);
      SurfaceState::Cube_Face_Enable_Positive_Y::set(surface, there >> 2 & 1),
          SurfaceState::Cube_Face_Enable_Negative_Y::set(surface, there >> 3 & 1);
      SurfaceState::Cube_Face_Enable_Positive_Z::set(surface, there >> 4 & 1),
          SurfaceState::Cube_Face_Enable_Negative_Z::set(surface, there >> 5 & 1);
      for (uint32_t face = 0; face < 6; face++) {
        const auto& d = direction[face];
        ASSERT_EQ(std::lround(sample(d[0], d[1], 0, d[2])[0]), there >> face & 1 ? 10 + 10 * face : 200) << face << there;
      }
    }
}

// Every format of a palette, every index: fields stand in the order of the name.
TEST_F(SamplerFields, Palettes) {
  std::array<uint32_t, 256> colours[2];
  for (uint32_t n = 0; n < 256; n++)
    colours[0][n] = (255 - n) << 24 | n << 16 | (n ^ 0x55) << 8 | (n * 7 & 0xff), colours[1][n] = colours[0][n] ^ 0x12345678;
  for (unsigned p = 0; p < 2; p++) images.load_palette(p, colours[p]);
  struct Case {
    uint32_t format, palette, bits, first, alpha_bits, alpha_first;
  };
  using F = SURFACE_FORMAT;
  const Case cases[] = {
      {F::A8P8_UNORM_PALETTE0, 0, 8, 8, 8, 0}, {F::A8P8_UNORM_PALETTE1, 1, 8, 8, 8, 0}, {F::P8A8_UNORM_PALETTE0, 0, 8, 0, 8, 8},
      {F::P8A8_UNORM_PALETTE1, 1, 8, 0, 8, 8}, {F::P4A4_UNORM_PALETTE0, 0, 4, 0, 4, 4}, {F::P4A4_UNORM_PALETTE1, 1, 4, 0, 4, 4},
      {F::A4P4_UNORM_PALETTE0, 0, 4, 4, 4, 0}, {F::A4P4_UNORM_PALETTE1, 1, 4, 4, 4, 0}, {F::P8_UNORM_PALETTE0, 0, 8, 0, 0, 0},
      {F::P8_UNORM_PALETTE1, 1, 8, 0, 0, 0},   {F::P2_UNORM_PALETTE0, 0, 2, 0, 0, 0},   {F::P2_UNORM_PALETTE1, 1, 2, 0, 0, 0}};
  unsigned compared = 0;
  for (const Case& c : cases) {
    SurfaceState::Surface_Format::set(surface, c.format);
    size(16, 1);
    const uint32_t bits = c.bits + c.alpha_bits;
    for (uint32_t first = 0; first < 256; first += 16) {
      for (uint32_t byte = 0; byte < 32; byte++) *texel(byte, 0) = uint8_t(first * 3 + byte * 37);
      for (uint32_t x = 0; x < 16; x++) {
        uint32_t word = 0;
        for (uint32_t bit = 0; bit < bits; bit++)
          word |= uint32_t(*texel((x * bits + bit) / 8, 0) >> (x * bits + bit) % 8 & 1) << bit;
        const uint32_t colour = colours[c.palette][word >> c.first & ((1u << c.bits) - 1)];
        const uint32_t own = word >> c.alpha_first & ((1u << c.alpha_bits) - 1);
        const auto got = sample((float(x) + 0.5f) / 16, 0.5f);
        for (unsigned k = 0; k < 3; k++) ASSERT_EQ(std::lround(got[k]), colour >> (16 - 8 * k) & 0xff) << c.format << " " << x;
        const double alpha = c.alpha_bits ? 255.0 * own / ((1u << c.alpha_bits) - 1) : colour >> 24;
        ASSERT_EQ(std::lround(got[3]), std::lround(alpha)) << c.format << " " << x;
        compared++;
      }
    }
  }
  EXPECT_EQ(compared, 12u * 256);
  // A palette that changes is seen.
  colours[1].fill(0x01020304);
  images.load_palette(1, colours[1]);
  EXPECT_EQ(std::lround(sample(0, 0)[1]), 3);
}

// A plane of luma and one of pairs of U and V that begins elsewhere: red is V, green luma, blue U (cl_intel_planar_yuv).
TEST_F(SamplerFields, Planes) {
  constexpr uint32_t width = 12, height = 6, chroma_row = 9;
  size(width, height);
  filters(MapFilter::NEAREST, MapFilter::NEAREST, MipFilter::NONE);
  for (uint32_t bytes : {1u, 2u})
    for (uint32_t chroma_column : {0u, 4u})
      for (bool tiled : {false, true}) {
        SurfaceState::Surface_Format::set(surface, bytes == 1 ? SURFACE_FORMAT::PLANAR_420_8 : SURFACE_FORMAT::PLANAR_420_16);
        SurfaceState::Tile_Mode::set(surface, tiled ? TileMode::YMAJOR : TileMode::LINEAR);
        SurfaceState::Surface_Pitch::set(surface, (tiled ? 128 : pitch) - 1);
        SurfaceState::X_Offset_for_U_or_UV_Plane::set(surface, chroma_column);
        SurfaceState::Y_Offset_for_U_or_UV_Plane::set(surface, chroma_row);
        // Columns of 16 bytes, 32 rows each, make a tile of Y.
        auto byte_at = [&](uint32_t x, uint32_t y) {
          return space->host(texels_at) + (tiled ? x / 16 * 512 + y * 16 + x % 16 : y * pitch + x);
        };
        for (uint32_t y = 0; y < 16; y++)
          for (uint32_t x = 0; x < 40; x++) *byte_at(x, y) = uint8_t(x * 11 + y * 53 + bytes);
        auto value = [&](uint32_t x, uint32_t y) {  // of the element at a byte and row
          return bytes == 1 ? *byte_at(x, y) / 255.0 : (*byte_at(x, y) | *byte_at(x + 1, y) << 8) / 65535.0;
        };
        for (uint32_t y = 0; y < height; y++)
          for (uint32_t x = 0; x < width; x++) {
            const auto got = sample((float(x) + 0.5f) / width, (float(y) + 0.5f) / height);
            const uint32_t u = (chroma_column + x / 2 * 2) * bytes, row = chroma_row + y / 2;
            const double wanted[4] = {value(u + bytes, row), value(x * bytes, y), value(u, row), 1};
            for (size_t c = 0; c < 4; c++)
              ASSERT_NEAR(got[c], 255 * wanted[c], 1e-3) << bytes << " " << x << " " << y << " " << c;
          }
        // The last row of chroma counts as memory of the surface.
        const auto decoded = image_surface(surface);
        ASSERT_TRUE(decoded) << decoded.error().message;
        EXPECT_EQ(decoded->bytes, tiled ? 4096u : (chroma_row + 2) * pitch + (chroma_column + width) * bytes);
      }
  // A change of chroma alone is seen.
  const auto before = sample(0, 0);
  for (uint32_t n = 0; n < 4096; n++) space->host(texels_at)[n] ^= 0xff;
  EXPECT_NEAR(before[0] + sample(0, 0)[0], 255, 1e-3);
  auto refused = [&] {
    const auto decoded = image_surface(surface);
    return decoded ? std::string() : decoded.error().message;
  };
  SurfaceState::Separate_UV_Plane_Enable::set(surface, 1);
  EXPECT_NE(refused().find("Separate UV Plane Enable"), std::string::npos);
  SurfaceState::Separate_UV_Plane_Enable::set(surface, 0), SurfaceState::Half_Pitch_for_Chroma::set(surface, 1);
  EXPECT_NE(refused().find("Half Pitch for Chroma"), std::string::npos);
  SurfaceState::Half_Pitch_for_Chroma::set(surface, 0), SurfaceState::YUV_Interpolation_Enable::set(surface, 1);
  EXPECT_NE(refused().find("YUV Interpolation Enable"), std::string::npos);
  SurfaceState::YUV_Interpolation_Enable::set(surface, 0), SurfaceState::MIP_Count_LOD::set(surface, 1);
  EXPECT_NE(refused().find("PLANAR_420"), std::string::npos);
}

// Every entry of the table: texels all of whose channels lie between its values become zeros, which a linear filter mixes with others.
// Channels count as the format has them, whatever is selected of them.
TEST_F(SamplerFields, ChromaKeys) {
  struct Range {
    std::array<uint8_t, 4> low, high;  // red to alpha
  };
  const Range ranges[4] = {{{0, 0, 0, 0}, {255, 255, 255, 99}},
                           {{50, 0, 0, 0}, {150, 255, 255, 255}},
                           {{0, 100, 20, 0}, {255, 255, 240, 255}},
                           {{0, 0, 128, 0}, {255, 60, 255, 255}}};
  auto word = [](const std::array<uint8_t, 4>& c) { return uint32_t(c[3]) << 24 | c[0] << 16 | c[1] << 8 | c[2]; };
  for (unsigned n = 0; n < 4; n++) images.load_chroma_key(n, word(ranges[n].low), word(ranges[n].high));
  using F = SURFACE_FORMAT;
  size(8, 1);
  for (uint32_t byte = 0; byte < 32; byte++) *texel(byte, 0) = uint8_t(byte * 89 + 40);
  SamplerState::ChromaKey_Enable::set(sampler, 1);
  unsigned matched = 0, others = 0;
  for (const uint32_t format : {F::R8G8B8A8_UNORM, F::B8G8R8A8_UNORM})
    for (const bool selects : {false, true})
      for (unsigned n = 0; n < 4; n++)
        for (const bool black : {false, true}) {
          SurfaceState::Surface_Format::set(surface, format);
          SurfaceState::Shader_Channel_Select_Red::set(surface, selects ? ChannelSelect::ALPHA : ChannelSelect::RED);
          SurfaceState::Shader_Channel_Select_Green::set(surface, selects ? ChannelSelect::ONE : ChannelSelect::GREEN);
          SamplerState::ChromaKey_Index::set(sampler, n);
          SamplerState::ChromaKey_Mode::set(sampler, black);
          std::array<std::array<float, 4>, 8> expected;
          for (uint32_t x = 0; x < 8; x++) {
            std::array<uint8_t, 4> c;
            for (uint32_t k = 0; k < 4; k++) c[k] = *texel(4 * x + (format == F::B8G8R8A8_UNORM && k < 3 ? 2 - k : k), 0);
            bool in = true;
            for (uint32_t k = 0; k < 4; k++) in &= c[k] >= ranges[n].low[k] && c[k] <= ranges[n].high[k];
            (in ? matched : others)++;
            expected[x] = {float(c[0]), float(c[1]), float(c[2]), float(c[3])};
            if (selects) expected[x][0] = c[3], expected[x][1] = 255;
            if (in && black) expected[x] = {};
          }
          filters(MapFilter::NEAREST, MapFilter::NEAREST, MipFilter::NONE);
          for (uint32_t x = 0; x < 8; x++) {
            const auto got = sample((float(x) + 0.5f) / 8, 0.5f);
            for (uint32_t k = 0; k < 4; k++)
              ASSERT_NEAR(got[k], expected[x][k], 0.01) << format << selects << n << black << x << k;
          }
          filters(MapFilter::LINEAR, MapFilter::LINEAR, MipFilter::NONE);
          for (uint32_t x = 0; x + 1 < 8; x++) {
            const auto got = sample((float(x) + 1) / 8, 0.5f);
            for (uint32_t k = 0; k < 4; k++)
              ASSERT_NEAR(got[k], (expected[x][k] + expected[x + 1][k]) / 2, 0.01) << format << selects << n << black << x << k;
          }
        }
  EXPECT_GT(matched, 20u);
  EXPECT_GT(others, 20u);
}

// Four bytes of the border's first dword, red first, whatever order the format's own have. Formats that lack colours and integers are told of.
TEST_F(SamplerFields, BordersInBytes) {
  SamplerState::TCX_Address_Control_Mode::set(sampler, AddressMode::CLAMP_BORDER);
  SamplerState::Border_Color_Pointer::set(sampler, 64);
  constexpr uint8_t bytes[] = {10, 60, 130, 220};
  std::memset(space->host(dynamic_at + 64), 0x3f, 16);
  std::memcpy(space->host(dynamic_at + 64), bytes, sizeof bytes);
  using Mode = SamplerState::Texture_Border_Color_Mode;
  struct Case {
    uint32_t format;
    bool lacks_colours, has_alpha;
  };
  using F = SURFACE_FORMAT;
  for (const Case& c : {Case{F::R8G8B8A8_UNORM, false, true},
                        {F::B8G8R8A8_UNORM, false, true},
                        {F::R16G16B16A16_FLOAT, false, true},
                        {F::B5G6R5_UNORM, false, false},
                        {F::R8_UNORM, true, false},
                        {F::A8_UNORM, true, true},
                        {F::R32G32_FLOAT, true, false}}) {
    gpu::Reports told(false);
    reports = &told;
    SurfaceState::Surface_Format::set(surface, c.format);
    Mode::set(sampler, Mode::DX9);
    const auto got = sample(-1, 0);
    for (unsigned channel = 0; channel < 4 && !c.lacks_colours; channel++)
      EXPECT_NEAR(got[channel], channel < 3 || c.has_alpha ? bytes[channel] : 255, 1e-3) << c.format << " " << channel;
    EXPECT_EQ(told.report_count() != 0, c.lacks_colours) << c.format;
    Mode::set(sampler, 0);
    EXPECT_NEAR(sample(-1, 0)[3], c.has_alpha ? 255 * std::bit_cast<float>(0x3f3f3f3f) : 255, 1e-3) << c.format;
  }
  gpu::Reports told(false);
  reports = &told;
  SurfaceState::Surface_Format::set(surface, F::R8G8B8A8_UINT), Mode::set(sampler, Mode::DX9);
  sample(-1, 0);
  ASSERT_EQ(told.unknowns().size(), 1u);
  EXPECT_NE(told.unknowns()[0].what.find("Texture Border Color Mode 1 of integers"), std::string::npos);
}

// Alpha is how much of a filter lies inside, and colours are sums of what does; a border's colour is never there. With the other field alone
// all have weight, the border's too.
TEST_F(SamplerFields, WeightsOfBorders) {
  size(4, 4);
  SurfaceState::Surface_Format::set(surface, SURFACE_FORMAT::R8G8B8A8_UNORM);
  for (uint32_t y = 0; y < 4; y++)
    for (uint32_t byte = 0; byte < 16; byte++) *texel(byte, y) = uint8_t(byte * 53 + y * 31);
  for (auto* w : {&sampler}) {
    SamplerState::TCX_Address_Control_Mode::set(*w, AddressMode::CLAMP_BORDER);
    SamplerState::TCY_Address_Control_Mode::set(*w, AddressMode::CLAMP_BORDER);
    SamplerState::U_Address_Mag_Filter_Rounding_Enable::set(*w, 1),
        SamplerState::V_Address_Mag_Filter_Rounding_Enable::set(*w, 1);
    SamplerState::Border_Color_Pointer::set(*w, 64);
  }
  auto* border = reinterpret_cast<float*>(space->host(dynamic_at + 64));
  std::fill_n(border, 4, 0.75f);
  filters(MapFilter::LINEAR, MapFilter::LINEAR, MipFilter::NONE);
  unsigned partly = 0;
  for (const bool without : {false, true})
    for (int i = -16; i <= 80; i += 3)
      for (int j = -16; j <= 80; j += 5) {
        SamplerState::Return_Filter_Weight_for_Border_Texels::set(sampler, without);
        SamplerState::Return_Filter_Weight_for_Null_Texels::set(sampler, !without);
        const float x = float(i) / 16, y = float(j) / 16;  // in texels
        std::array<double, 4> sum{};
        for (int dy = 0; dy < 2; dy++)
          for (int dx = 0; dx < 2; dx++) {
            const int tx = int(std::floor(x - 0.5f)) + dx, ty = int(std::floor(y - 0.5f)) + dy;
            const double fx = x - 0.5 - std::floor(x - 0.5), fy = y - 0.5 - std::floor(y - 0.5);
            const double weight = (dx ? fx : 1 - fx) * (dy ? fy : 1 - fy);
            const bool inside = tx >= 0 && tx < 4 && ty >= 0 && ty < 4;
            for (unsigned c = 0; c < 3; c++)
              sum[c] += weight * (inside ? *texel(unsigned(4 * tx) + c, unsigned(ty)) : without ? 0 : 0.75 * 255);
            sum[3] += weight * (inside || !without ? 255 : 0);
          }
        partly += sum[3] > 1 && sum[3] < 254;
        const auto got = sample(x / 4, y / 4);
        for (unsigned c = 0; c < 4; c++) ASSERT_NEAR(got[c], sum[c], 0.05) << without << " " << i << " " << j << " " << c;
      }
  EXPECT_GT(partly, 50u);
}

// A tiled resource whose second tile of 64 KiB stands for nothing: 64 rows of 1 KiB. Beside weights of borders both are taken away.
TEST_F(SamplerFields, WeightsOfNullTexels) {
  constexpr uint64_t tile = 65536, at = 0x20'0000'0000;
  const auto aliases = Aliases::of(*space);
  const Alias wanted[] = {{at, tile, texels_at}, {at + tile, tile, Alias::nothing}, {at + 2 * tile, tile, texels_at + tile}};
  ASSERT_TRUE(aliases->set(at, 3 * tile, wanted));
  std::memset(space->host(texels_at), 200, 2 * tile);
  SurfaceState::Surface_Base_Address::set(surface, at), SurfaceState::Surface_Pitch::set(surface, 1023);
  size(1024, 192);
  SamplerState::V_Address_Mag_Filter_Rounding_Enable::set(sampler, 1),
      SamplerState::U_Address_Mag_Filter_Rounding_Enable::set(sampler, 1);
  SamplerState::Return_Filter_Weight_for_Null_Texels::set(sampler, 1);
  filters(MapFilter::LINEAR, MapFilter::LINEAR, MipFilter::NONE);
  for (const bool without_border : {false, true}) {
    SamplerState::Return_Filter_Weight_for_Border_Texels::set(sampler, without_border);
    SamplerState::TCX_Address_Control_Mode::set(sampler, without_border ? AddressMode::CLAMP_BORDER : AddressMode::CLAMP);
    for (int quarter = 60 * 4; quarter < 132 * 4; quarter++) {
      const double y = quarter / 4.0 - 0.5, f = y - std::floor(y);
      auto there = [](double row) { return row < 64 || row >= 128; };
      double weight = (there(std::floor(y)) ? 1 - f : 0) + (there(std::floor(y) + 1) ? f : 0);
      if (without_border) weight /= 2;  // (s is 0: half of it lies left of the picture)
      const auto got = sample(without_border ? 0 : 0.5f, float(quarter) / 4 / 192);
      ASSERT_NEAR(got[3], 255 * weight, 0.05) << quarter << without_border;
      ASSERT_NEAR(got[0], 200 * weight, 0.05) << quarter << without_border;
    }
  }
}

}  // namespace
}  // namespace Atoll::dg1
