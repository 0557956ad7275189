// T#, S# and V# decoded: the words that Mesa 22.3.6 was recorded to write for a triangle, and fields one by one.
#include "gpu/sea_islands/shaders/descriptors.h"

#include <gtest/gtest.h>

#include "gpu/chips/rows.h"
#include "image_words.h"

namespace Atoll::sea_islands::test {
namespace {

const ChipConfig& bonaire() { return config_of(gpu::chip("bonaire")); }

// The colour buffer of a window of 256 x 256 as the shader of glReadPixels sees it: COMPUTE_USER_DATA_8-15.
constexpr ImageResourceWords recorded = {0x01000400, 0x00a00000, 0x403fc0ff, 0x90e00fac, 0x001fe000, 0, 0, 0xfffff1ff};

TEST(ImageResources, TheRecordedColourBuffer) {
  auto r = image_resource(bonaire(), recorded, false);
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_TRUE(r->bound);
  EXPECT_EQ(r->address, 0x100040000u);
  EXPECT_EQ(r->bytes, 262144u);
  const surface::TextureDescription& d = r->description;
  EXPECT_EQ(d.dimension, surface::Dimension::two);
  EXPECT_EQ(d.format, (surface::Format{surface::Layout::bits_8_8_8_8, surface::Number::unorm, surface::natural_order}));
  EXPECT_EQ(d.width, 256u);
  EXPECT_EQ(d.height, 256u);
  ASSERT_EQ(d.levels.size(), 1u);
  const auto& s = std::get<surface::BankedSurface>(d.levels[0].place);
  EXPECT_EQ(s.pitch, 256u);
  EXPECT_EQ(s.tiling.arrangement, surface::Arrangement::macro_2d_thin);
  EXPECT_EQ(s.tiling.pipe_config, surface::PipeConfig::p4_16x16);
  // Bank width 1, height 1, aspect 2, 16 banks: what the driver worked out beside it.
  EXPECT_EQ(s.tiling.bank_width, 1u);
  EXPECT_EQ(s.tiling.bank_height, 1u);
  EXPECT_EQ(s.tiling.macro_aspect, 2u);
  EXPECT_EQ(s.tiling.banks, 16u);
}

TEST(ImageResources, SwizzledBase) {
  ImageResourceWords words = recorded;
  words[0] |= 3 | 5 << 2;  // pipe 3 of 4, bank 5 of 16
  auto r = image_resource(bonaire(), words, false);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->address, 0x100040000u);
  const auto& s = std::get<surface::BankedSurface>(r->description.levels[0].place);
  EXPECT_EQ(s.tiling.pipe_swizzle, 3u);
  EXPECT_EQ(s.tiling.bank_swizzle, 5u);
}

TEST(ImageResources, EveryDataFormat) {
  unsigned supported = 0;
  for (unsigned data = 0; data < 64; data++)
    for (unsigned number = 0; number < 16; number++) {
      auto format = image_format(data, number, surface::natural_order);
      supported += format.has_value();
      if (!format) {
        EXPECT_FALSE(format.error().message.empty());
        continue;
      }
      // Whatever has a format decodes, or says why not.
      ImageNumbers n;
      n.address = 0x100000, n.data_format = data, n.number_format = number, n.width = n.height = 64;
      auto r = image_resource(bonaire(), n.words(), false);
      ASSERT_TRUE(r) << data << " " << number << ": " << r.error().message;
      EXPECT_EQ(r->description.format, *format);
    }
  EXPECT_GT(supported, 150u);
  auto is = [](unsigned data, unsigned number, surface::Layout layout, surface::Number as) {
    auto format = image_format(data, number, surface::natural_order);
    return format && format->layout == layout && format->number == as;
  };
  // Names count from the top bit: red is the lowest field of R11G11B10_FLOAT and R10G10B10A2.
  EXPECT_TRUE(is(6, 7, surface::Layout::bits_11_11_10, surface::Number::floating));
  EXPECT_TRUE(is(9, 0, surface::Layout::bits_10_10_10_2, surface::Number::unorm));
  EXPECT_TRUE(is(17, 0, surface::Layout::bits_5_5_5_1, surface::Number::unorm));
  EXPECT_TRUE(is(20, 0, surface::Layout::bits_24_8, surface::Number::unorm));
  EXPECT_EQ(image_format(21, 0, surface::natural_order)->order[0], surface::Select::field_1) << "the 8 bits from bit 0 on";
  EXPECT_TRUE(is(10, 9, surface::Layout::bits_8_8_8_8, surface::Number::srgb));
  EXPECT_TRUE(is(37, 0, surface::Layout::bc3, surface::Number::unorm));
}

TEST(ImageResources, TypesAndRanges) {
  using Type = SQ_IMG_RSRC_WORD3::TYPE;
  ImageNumbers n;
  n.address = 0x100000, n.width = 40, n.height = 40, n.pitch = 64;
  n.type = Type::SQ_RSRC_IMG_2D_ARRAY, n.first_layer = 2, n.last_layer = 6, n.depth = 9;
  auto r = image_resource(bonaire(), n.words(), false);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->description.dimension, surface::Dimension::two_array);
  EXPECT_EQ(r->description.first_layer, 2u);
  EXPECT_EQ(r->description.layers, 5u);
  EXPECT_EQ(r->bytes, 6 * 64 * 40 * 4 + 39 * 64 * 4 + 40 * 4u);

  n.type = Type::SQ_RSRC_IMG_CUBE, n.first_layer = 0, n.last_layer = 5, n.depth = 1;
  r = image_resource(bonaire(), n.words(), false);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->description.dimension, surface::Dimension::cube);
  n.last_layer = 11, n.depth = 2;
  r = image_resource(bonaire(), n.words(), false);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->description.dimension, surface::Dimension::cube_array);
  EXPECT_EQ(r->description.layers, 12u);

  n.type = Type::SQ_RSRC_IMG_3D, n.depth = 8, n.last_level = 3, n.base_level = 1, n.pow2_pad = true;
  r = image_resource(bonaire(), n.words(), false);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->description.depth, 8u);
  EXPECT_EQ(r->description.first_level, 1u);
  EXPECT_EQ(r->description.levels.size(), 4u);

  n = {};
  n.address = 0x100000, n.width = n.height = 64, n.type = Type::SQ_RSRC_IMG_2D_MSAA, n.last_level = 2, n.tile_mode = 14;
  r = image_resource(bonaire(), n.words(), false);
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->description.samples, 4u);
  EXPECT_EQ(r->description.levels.size(), 1u);
}

// A view of the first level of a texture that has more finds its layers where they are.
TEST(ImageResources, ASingleLevelOfAChainIsPadded) {
  ImageNumbers n;
  n.address = 0x100000, n.width = 40, n.height = 40, n.pitch = 64, n.type = SQ_IMG_RSRC_WORD3::TYPE::SQ_RSRC_IMG_2D_ARRAY;
  n.last_layer = 2, n.depth = 3, n.tile_mode = 13;
  n.last_level = 4, n.pow2_pad = true;
  auto chain = image_resource(bonaire(), n.words(), false);
  n.last_level = 0;
  auto one = image_resource(bonaire(), n.words(), false);
  ASSERT_TRUE(chain && one);
  EXPECT_EQ(std::get<surface::BankedSurface>(chain->description.levels[0].place).height, 64u);
  EXPECT_EQ(std::get<surface::BankedSurface>(one->description.levels[0].place).height, 64u);
}

TEST(ImageResources, NonsenseIsAnError) {
  ImageNumbers good;
  good.address = 0x100000, good.width = good.height = 16;
  ASSERT_TRUE(image_resource(bonaire(), good.words(), false));
  auto fails = [](ImageNumbers n) { return !image_resource(bonaire(), n.words(), false); };
  ImageNumbers n = good;
  n.type = 0;
  EXPECT_TRUE(fails(n));
  n = good, n.type = 13, n.first_layer = 3, n.last_layer = 2;
  EXPECT_TRUE(fails(n));
  n = good, n.base_level = 3, n.last_level = 2;
  EXPECT_TRUE(fails(n));
  n = good, n.type = 14, n.last_level = 9;
  EXPECT_TRUE(fails(n));
  n = good, n.data_format = 15;
  EXPECT_TRUE(fails(n));
  // Any words at all are decoded or refused, and never more.
  uint64_t state = 1;
  for (int round = 0; round < 20000; round++) {
    ImageResourceWords words;
    for (uint32_t& w : words) w = uint32_t((state = state * 6364136223846793005u + 1442695040888963407u) >> 32);
    if (round & 1) words[3] = (words[3] & 0x0fffffff) | (8u + round / 2 % 8) << 28;
    (void)image_resource(bonaire(), words, round % 7 == 0);
  }
}

TEST(ImageResources, NullDescriptors) {
  auto zero = image_resource(bonaire(), {}, false);
  ASSERT_TRUE(zero);
  EXPECT_FALSE(zero->bound);
  auto mesa = image_resource(bonaire(), {0, 0, 0, SQ_IMG_RSRC_WORD3::DST_SEL_W::of(1) | 8u << 28, 0, 0, 0, 0}, false);
  ASSERT_TRUE(mesa);
  EXPECT_FALSE(mesa->bound);
  EXPECT_EQ(mesa->order[3], surface::Select::one);
}

TEST(ImageSamplers, Fields) {
  using W0 = SQ_IMG_SAMP_WORD0;
  using W1 = SQ_IMG_SAMP_WORD1;
  using W2 = SQ_IMG_SAMP_WORD2;
  using W3 = SQ_IMG_SAMP_WORD3;
  SamplerWords words = {
      W0::CLAMP_X::of(2) | W0::CLAMP_Y::of(6) | W0::CLAMP_Z::of(1) | W0::MAX_ANISO_RATIO::of(3) | W0::DEPTH_COMPARE_FUNC::of(4) |
          W0::FORCE_UNNORMALIZED::of(1) | W0::TRUNC_COORD::of(1) | W0::DISABLE_CUBE_WRAP::of(1) | W0::FILTER_MODE::of(2),
      W1::MIN_LOD::of(0x180) | W1::MAX_LOD::of(0xf00),
      W2::LOD_BIAS::of(uint32_t(-0x280)) | W2::LOD_BIAS_SEC::of(8) | W2::XY_MAG_FILTER::of(1) | W2::XY_MIN_FILTER::of(2) |
          W2::MIP_FILTER::of(2) | W2::Z_FILTER::of(1) | W2::MIP_POINT_PRECLAMP::of(1),
      W3::BORDER_COLOR_TYPE::of(3) | W3::BORDER_COLOR_PTR::of(77)};
  ImageSampler s = image_sampler(words);
  EXPECT_EQ(s.sampler.wrap[0], surface::Wrap::clamp_to_edge);
  EXPECT_EQ(s.sampler.wrap[1], surface::Wrap::clamp_to_border);
  EXPECT_EQ(s.sampler.wrap[2], surface::Wrap::mirror);
  EXPECT_EQ(s.sampler.max_anisotropy, 8u);
  EXPECT_EQ(s.sampler.comparison, surface::Comparison::greater);
  EXPECT_TRUE(s.sampler.unnormalized);
  EXPECT_TRUE(s.sampler.truncate_coordinates);
  EXPECT_TRUE(s.sampler.half_before_clamps);
  EXPECT_FALSE(s.sampler.seamless_cube);
  EXPECT_EQ(s.sampler.reduction, surface::Reduction::maximum);
  EXPECT_EQ(s.sampler.lod_min, 1.5f);
  EXPECT_EQ(s.sampler.lod_max, 15.0f);
  EXPECT_EQ(s.sampler.lod_bias, -2.5f + 0.5f);
  EXPECT_EQ(s.sampler.mag_filter, surface::Filter::linear);
  EXPECT_EQ(s.sampler.min_filter, surface::Filter::nearest);
  EXPECT_EQ(s.sampler.mip_filter, surface::MipFilter::linear);
  EXPECT_EQ(s.sampler.slice_filter, surface::SliceFilter::nearest);
  EXPECT_EQ(s.border, ImageSampler::Border::table);
  EXPECT_EQ(s.border_index, 77u);
}

// The vertex buffer of the recorded triangle: SPI_SHADER_USER_DATA_VS_12-15.
TEST(BufferResources, TheRecordedVertexBuffer) {
  BufferResource b = buffer_resource({0x00240000, 0x00140001, 3, 0x0005f22c});
  EXPECT_EQ(b.address, 0x100240000u);
  EXPECT_EQ(b.stride, 20u);
  EXPECT_EQ(b.records, 3u);
  EXPECT_EQ(b.data_format, 11u);  // 32_32
  EXPECT_EQ(b.number_format, 7u);
  EXPECT_EQ(b.bytes(), 60u);
}

}  // namespace
}  // namespace Atoll::sea_islands::test
