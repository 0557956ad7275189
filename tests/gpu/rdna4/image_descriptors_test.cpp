// T#s and S#s taken apart: those that a driver made, each field by itself, the formats by their names.
#include "gpu/rdna4/image_descriptors.h"

#include <gtest/gtest.h>

#include "image_numbers.h"
#include "surface/gfx12_tiling.h"

namespace Atoll::rdna4::test {
namespace {

// RADV 25.0.7's descriptors of a 64x64 R8G8B8A8_UNORM image of four levels, and of a trilinear sampler.
TEST(ImageDescriptors, ThoseOfADriver) {
  const ImageResourceWords words = {0x01000800, 0xc0543080, 0x000fc00f, 0x90218fac, 0, 0x00400000, 0x00208000, 0};
  auto r = image_resource(words, false);
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_TRUE(r->bound);
  EXPECT_EQ(r->type, ImageType::two);
  EXPECT_EQ(r->address, uint64_t(0x80) << 40 | uint64_t(0x01000800) << 8);
  const surface::TextureDescription& d = r->description;
  EXPECT_EQ(d.width, 64u);
  EXPECT_EQ(d.height, 64u);
  EXPECT_EQ(d.levels.size(), 4u);
  EXPECT_EQ(d.first_level, 0u);
  EXPECT_EQ(d.format, *surface::make_format(surface::Layout::bits_8_8_8_8, surface::Number::unorm));
  const auto& place = std::get<surface::Gfx12Surface>(d.levels[0].place);
  EXPECT_EQ(place.swizzle, surface::Gfx12Swizzle::block_4kb_2d);
  EXPECT_EQ(r->bytes, 4096u * 6);  // four blocks, one of the second level, and one that the smaller levels share
  const ImageSampler s = image_sampler({0x08000000, 0x01000000, 0x08500000, 0});
  EXPECT_TRUE(s.sampler.truncate_coordinates);
  EXPECT_EQ(s.sampler.lod_max, 8.0f);
  EXPECT_EQ(s.sampler.mag_filter, surface::Filter::linear);
  EXPECT_EQ(s.sampler.min_filter, surface::Filter::linear);
  EXPECT_EQ(s.sampler.mip_filter, surface::MipFilter::linear);
}

TEST(ImageDescriptors, EachFieldByItself) {
  ImageNumbers n;
  n.width = 1000, n.height = 300, n.mode = 3, n.max_mip = 5, n.base_level = 1, n.last_level = 4;
  n.address = 0x12345ab0000, n.min_lod = 0x1234;
  auto r = image_resource(n.words(), false);
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->address, 0x12345ab0000u);
  EXPECT_EQ(r->description.width, 1000u);
  EXPECT_EQ(r->description.height, 300u);
  EXPECT_EQ(r->description.first_level, 1u);
  EXPECT_EQ(r->description.levels.size(), 5u);
  EXPECT_EQ(r->min_lod, 0x1234 / 256.0f - 1);
  n.address |= 0x4500;
  r = image_resource(n.words(), false);
  EXPECT_EQ(r->address, 0x12345ab0000u);
  EXPECT_EQ(std::get<surface::Gfx12Surface>(r->description.levels[1].place).start_bits, 0x4500u);

  n = {}, n.type = 13, n.width = n.height = 20, n.base_array = 3, n.depth = 7;
  r = image_resource(n.words(), false);
  EXPECT_EQ(r->description.first_layer, 3u);
  EXPECT_EQ(r->description.layers, 5u);
  EXPECT_EQ(r->description.dimension, surface::Dimension::two_array);
  n.type = 11, n.base_array = 6, n.depth = 17;
  r = image_resource(n.words(), false);
  EXPECT_EQ(r->description.dimension, surface::Dimension::cube_array);
  EXPECT_EQ(r->description.layers, 12u);
  n.type = 10, n.base_array = 0, n.depth = 9;
  r = image_resource(n.words(), false);
  EXPECT_EQ(r->description.depth, 10u);
  n.uav3d = 1, n.base_array = 4, n.depth = 6;
  r = image_resource(n.words(), false);
  EXPECT_EQ(r->description.depth, 3u);

  n = {}, n.type = 14, n.mode = 3, n.max_mip = n.last_level = 2, n.width = 9;
  r = image_resource(n.words(), false);
  EXPECT_EQ(r->description.samples, 4u);
  EXPECT_EQ(r->description.levels.size(), 1u);
  // A pitch beyond the width counts, in rows.
  n = {}, n.width = 100, n.height = 2, n.depth = 127;
  r = image_resource(n.words(), false);
  EXPECT_EQ(std::get<surface::LinearSurface>(r->description.levels[0].place).pitch_bytes, 512u);
  n.depth = 50;
  r = image_resource(n.words(), false);
  EXPECT_EQ(std::get<surface::LinearSurface>(r->description.levels[0].place).pitch_bytes, 512u);  // 400, padded
  n.depth = 16383, n.pitch_high = 1;
  r = image_resource(n.words(), false);
  EXPECT_EQ(std::get<surface::LinearSurface>(r->description.levels[0].place).pitch_bytes, 4u * 32768);
  // A short resource has four words.
  n.depth = 127, n.pitch_high = 0;
  r = image_resource(n.words(), true);
  EXPECT_EQ(std::get<surface::LinearSurface>(r->description.levels[0].place).pitch_bytes, 512u);
}

TEST(ImageDescriptors, WhatIsNoImage) {
  auto nothing = image_resource({}, false);
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(nothing->bound);
  ImageNumbers n;
  n.type = 0;
  EXPECT_FALSE(image_resource(n.words(), false)->is_image);
  n = {}, n.mode = 8;
  EXPECT_FALSE(image_resource(n.words(), false));
  n = {}, n.format = 205;
  EXPECT_FALSE(image_resource(n.words(), false));
  n = {}, n.base_level = 2, n.last_level = 1;
  EXPECT_FALSE(image_resource(n.words(), false));
  n = {}, n.type = 13, n.base_array = 2, n.depth = 1;
  EXPECT_FALSE(image_resource(n.words(), false));
  n = {}, n.type = 14, n.mode = 3, n.max_mip = 5;
  EXPECT_FALSE(image_resource(n.words(), false));
}

// RDNA4 ISA table 62: a format's bytes are the sum of the widths in its name, its numbers what it ends in.
TEST(ImageDescriptors, FormatsByTheirNames) {
  struct Run {
    unsigned first;
    const char* widths;
    const char* numbers;
  };
  constexpr Run runs[] = {
      {1, "8", "nszciI"},           {7, "16", "nszciIf"},       {14, "8_8", "nszciI"}, {20, "32", "iIf"},
      {23, "16_16", "nszciIf"},     {30, "10_11_11", "f"},      {31, "11_11_10", "f"}, {32, "10_10_10_2", "nsiI"},
      {36, "2_10_10_10", "nszciI"}, {42, "8_8_8_8", "nszciI"},  {48, "32_32", "iIf"},  {51, "16_16_16_16", "nszciIf"},
      {58, "32_32_32", "iIf"},      {61, "32_32_32_32", "iIf"}, {64, "8", "g"},        {65, "8_8", "g"},
      {66, "8_8_8_8", "g"},         {67, "5_9_9_9", "f"},       {68, "5_6_5", "n"},    {69, "1_5_5_5", "n"},
      {70, "5_5_5_1", "n"},         {71, "4_4_4_4", "n"},       {72, "4_4", "n"},      {75, "32", "F"},
      {76, "8_24", "ni"},           {78, "24_8", "ni"}};
  unsigned seen = 0;
  for (const Run& run : runs) {
    unsigned bits = 0, top = 0;
    for (const char* p = run.widths; *p;) {
      char* end;
      const unsigned width = unsigned(std::strtoul(p, &end, 10));
      if (!bits) top = width;
      bits += width;
      p = *end ? end + 1 : end;
    }
    for (unsigned n = 0; run.numbers[n]; n++) {
      auto format = image_format(run.first + n, surface::natural_order);
      ASSERT_TRUE(format) << run.first + n << ": " << format.error().message;
      seen++;
      const surface::LayoutRow& layout = surface::row(format->layout);
      EXPECT_EQ(layout.bytes * 8u, bits) << run.first + n;
      // The name begins with the field at the top.
      unsigned highest = 0;
      for (unsigned f = 0; f < layout.fields; f++)
        if (layout.field[f].first_bit >= layout.field[highest].first_bit) highest = f;
      if (run.first != 67) EXPECT_EQ(layout.field[highest].bits, top) << run.first + n;
      constexpr std::string_view letters = "nsiIzcfg    F";  // in the order of surface::Number
      EXPECT_EQ(unsigned(format->number), letters.find(run.numbers[n])) << run.first + n;
    }
  }
  constexpr unsigned block_bytes[] = {8, 16, 16, 8, 16, 16, 16};
  for (unsigned n = 109; n <= 122; n++) {
    auto format = image_format(n, surface::natural_order);
    ASSERT_TRUE(format) << n;
    EXPECT_EQ(surface::row(format->layout).bytes, block_bytes[(n - 109) / 2]) << n;
    seen++;
  }
  for (unsigned n = 82; n < 90; n++) {  // GB_GR, BG_RG: two texels
    auto format = image_format(n, surface::natural_order);
    ASSERT_TRUE(format) << n;
    EXPECT_EQ(surface::row(format->layout).bytes, 4) << n;
    EXPECT_EQ(surface::row(format->layout).block_width, 2) << n;
    seen++;
  }
  for (unsigned n : {73u, 74u}) {  // 1, 1_REVERSED: eight texels
    auto format = image_format(n, surface::natural_order);
    ASSERT_TRUE(format) << n;
    EXPECT_EQ(surface::row(format->layout).bytes, 1) << n;
    EXPECT_EQ(surface::row(format->layout).block_width, 8) << n;
    seen++;
  }
  {  // 6E4
    auto format = image_format(227, surface::natural_order);
    ASSERT_TRUE(format);
    EXPECT_EQ(surface::row(format->layout).bytes, 4);
    seen++;
  }
  unsigned known = 0;
  for (unsigned n = 0; n < 256; n++) known += image_format(n, surface::natural_order).has_value();
  EXPECT_EQ(known, seen + 2);  // and X24_8_32 twice
}

}  // namespace
}  // namespace Atoll::rdna4::test
