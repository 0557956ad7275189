// Colour and depth buffers over all swizzle modes: what is stored through the registers' surface stands where an image descriptor of the
// same surface has it (gpu/rdna4/image_descriptors.h; its addresses are tested against the public table of address bits in
// tests/surface/gfx12_tiling_test.cpp). Registers: Mesa 25.0.7 src/amd/common/ac_descriptors.c, ac_init_gfx12_cb_surface,
// ac_init_gfx12_ds_surface; descriptors: ac_build_gfx12_texture_descriptor.
#include "gpu/gfx12/draw/targets.h"

#include <cstring>
#include <random>

#include "gpu/gfx12/draw_registers.h"
#include "gpu/rdna4/image_descriptors.h"

namespace Atoll::gfx12::test {
namespace {

using pipeline::block_size;
using pipeline::pixels_in_block;

struct Surface {
  unsigned width = 100, height = 70, slices = 1, levels = 1, samples_log = 0, mode = 0;
  bool volume = false;
};
struct Format {
  unsigned bytes, colour, image;  // CB_COLOR_INFO.FORMAT, T# FORMAT
};
constexpr Format formats[] = {{1, 1, 1}, {2, 2, 7}, {4, 10, 42}, {8, 12, 51}, {16, 14, 61}};

struct Targets : DrawRegistersTest {
  static constexpr uint64_t memory_bytes = 32 << 20;
  Buffer memory = *space->allocate(memory_bytes + (1 << 18), 4096);
  const uint64_t start = (memory.gpu_address + (1 << 18) - 1) >> 18 << 18;  // of a block of 256 KiB

  // The texture that a descriptor of the whole surface names.
  surface::Texture image_of(const Surface& s, unsigned format, uint64_t address) {
    namespace field = rdna4::image_resource_field;
    rdna4::ImageResourceWords w{};
    field::BaseAddressLow::put(w, uint32_t(address >> 8));
    field::BaseAddressHigh::put(w, uint32_t(address >> 40));
    field::Format::put(w, format);
    field::WidthLow::put(w, (s.width - 1) & 3), field::WidthHigh::put(w, (s.width - 1) >> 2);
    field::Height::put(w, s.height - 1);
    field::MaxMip::put(w, s.samples_log ? s.samples_log : s.levels - 1);
    field::LastLevel::put(w, s.samples_log ? s.samples_log : s.levels - 1);
    field::SwizzleMode::put(w, s.mode);
    field::Depth::put(w, s.slices - 1);
    field::Type::put(w, uint32_t(s.volume        ? rdna4::ImageType::three
                                 : s.samples_log ? rdna4::ImageType::two_multisampled_array
                                                 : rdna4::ImageType::two_array));
    auto resource = rdna4::image_resource(w, false);
    EXPECT_TRUE(resource) << resource.error().message;
    const uint64_t before = address - resource->address;  // bits of the start inside a block
    EXPECT_LE(resource->bytes, memory_bytes);
    auto made = surface::Texture::make(resource->description, memory.host_pointer + (address - before - memory.gpu_address),
                                       resource->bytes);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }
  void bind(const Surface& s, const Format& format, uint64_t address, unsigned level, unsigned first, unsigned last) {
    set({{0x28c60, uint32_t(address >> 8)},
         {0x28e40, uint32_t(address >> 40)},
         {0x28c64, first | last << 14},
         {0x28c68, level},
         {0x28c6c, s.samples_log},
         {0x28c78, (s.height - 1) | (s.width - 1) << 16},
         {0x28c7c, (s.slices - 1) | s.mode << 15 | (s.levels - 1) << 19 | (s.volume ? 2u : 1u) << 24},
         {0x28ec0, format.colour}});
  }
  // Stores every block of a view with texels of its own, and looks where they are.
  void compare(SurfaceBlocks& blocks, const surface::Texture& image, const Surface& s, unsigned bytes, unsigned level,
               unsigned first_slice) {
    std::vector<uint8_t> texels(size_t(pixels_in_block) * bytes << s.samples_log);
    const unsigned width = std::max(1u, s.width >> level), height = std::max(1u, s.height >> level);
    ASSERT_EQ(blocks.pixels_across, width);
    ASSERT_EQ(blocks.pixels_down, height);
    for (unsigned layer = 0; layer < blocks.layers; layer++)
      for (unsigned by = 0; by * block_size < height; by++)
        for (unsigned bx = 0; bx * block_size < width; bx++) {
          std::mt19937 random(bx + by * 1000 + layer * 1'000'000);
          for (uint8_t& b : texels) b = uint8_t(random());
          blocks.store(bx, by, layer, texels.data());
        }
    std::vector<uint8_t> loaded(texels.size());
    for (unsigned layer = 0; layer < blocks.layers; layer++)
      for (unsigned by = 0; by * block_size < height; by++)
        for (unsigned bx = 0; bx * block_size < width; bx++) {
          std::mt19937 random(bx + by * 1000 + layer * 1'000'000);
          for (uint8_t& b : texels) b = uint8_t(random());
          blocks.load(bx, by, layer, loaded.data());
          for (unsigned sample = 0; sample < 1u << s.samples_log; sample++)
            for (unsigned pixel = 0; pixel < pixels_in_block; pixel++) {
              const unsigned x = bx * block_size + pipeline::x_in_block(pixel), y = by * block_size + pipeline::y_in_block(pixel);
              if (x >= width || y >= height) continue;
              const size_t at = (size_t(sample) * pixels_in_block + pixel) * bytes;
              ASSERT_EQ(std::memcmp(image.texel(level, x, y, first_slice + layer, sample), &texels[at], bytes), 0)
                  << "mode " << s.mode << ", " << bytes << " bytes, level " << level << ": " << x << "," << y << "," << layer
                  << " sample " << sample;
              ASSERT_EQ(std::memcmp(&loaded[at], &texels[at], bytes), 0);
            }
        }
  }
};

TEST_F(Targets, ColourStandsWhereImagesHaveIt) {
  TargetCache cache;
  unsigned cases = 0;
  auto look = [&](const Surface& s, const Format& format, uint64_t start_bits, unsigned level, unsigned first, unsigned last) {
    const uint64_t address = start + start_bits;
    bind(s, format, address, level, first, last);
    ColourSurface* found = nullptr;
    ASSERT_TRUE(cache.colour(context, 0, found));
    ASSERT_TRUE(found) << unknown() << context.report();
    ASSERT_EQ(found->blocks->layers, last - first + 1);
    compare(*found->blocks, image_of(s, format.image, address), s, format.bytes, level, first);
    cases++;
  };
  for (const Format& format : formats)
    for (unsigned mode = 0; mode < 8; mode++) {
      Surface s{.mode = mode, .volume = mode >= 5};
      SCOPED_TRACE(fmt::format("mode {}, {} bytes", mode, format.bytes));
      look(s, format, 0, 0, 0, 0);
      s.slices = 5, s.levels = 7;
      for (unsigned level = 0; level < s.levels; level++)
        look(s, format, 0, level, level ? 0 : 1, s.volume ? std::max(1u, s.slices >> level) - 1 : 3);
      if (mode > 0 && mode < 5)
        for (unsigned log = 1; log < 4; log++) look({.slices = 2, .samples_log = log, .mode = mode}, format, 0, 0, 1, 1);
      if (mode > 1) look({.mode = mode, .volume = s.volume}, format, 0x300, 0, 0, 0);  // bits of the start inside a block
      if (HasFatalFailure()) return;
    }
  EXPECT_EQ(cases, 5 * (8 * 8 + 4 * 3 + 6));
  EXPECT_EQ(unknown(), "");
}

TEST_F(Targets, DepthAndStencilStandWhereImagesHaveThem) {
  TargetCache cache;
  const uint64_t depth = start, stencil = depth + (16 << 20);
  for (unsigned log = 0; log < 4; log++)
    for (unsigned level : {0u, 1u, 4u})
      for (unsigned format : {1u, 3u}) {  // Z_16, Z_32_FLOAT
        if (log && level) continue;
        Surface s{.slices = 3, .levels = log ? 1u : 6u, .samples_log = log, .mode = 3};
        set({{0x28004, 1 | 2 << 16},
             {0x28008, level << 26},
             {0x28014, (s.width - 1) | (s.height - 1) << 16},
             {0x28018, format | log << 2 | 3 << 4 | (s.levels - 1) << 15},
             {0x2801c, 1 | 2 << 4 | 1u << 29}});
        for (uint32_t at : {0x28020u, 0x28028u}) set({{at, uint32_t(depth >> 8)}, {at + 4, uint32_t(depth >> 40)}});
        for (uint32_t at : {0x28030u, 0x28038u}) set({{at, uint32_t(stencil >> 8)}, {at + 4, uint32_t(stencil >> 40)}});
        DepthSurface* found = nullptr;
        ASSERT_TRUE(cache.depth(context, found));
        ASSERT_TRUE(found && found->depth && found->stencil) << unknown() << context.report();
        EXPECT_EQ(found->depth_bits, format == 1 ? 16u : 32u);
        compare(*found->depth, image_of(s, format == 1 ? 7 : 22, depth), s, format == 1 ? 2 : 4, level, 1);
        s.mode = 2;
        compare(*found->stencil, image_of(s, 1, stencil), s, 1, level, 1);
        if (HasFatalFailure()) return;
      }
  EXPECT_EQ(unknown(), "");
}

TEST_F(Targets, WhatIsNotBoundOrNotUnderstood) {
  TargetCache cache;
  ColourSurface* colour = nullptr;
  DepthSurface* depth = nullptr;
  EXPECT_TRUE(cache.colour(context, 0, colour) && !colour);
  EXPECT_TRUE(cache.depth(context, depth) && !depth);
  const uint64_t address = start;
  bind({.mode = 3}, {4, 23, 0}, address, 0, 0, 0);
  EXPECT_TRUE(cache.colour(context, 0, colour) && !colour);
  EXPECT_EQ(unknown(), "CB format 23\n");
  bind({.levels = 2, .mode = 3}, formats[2], address, 2, 0, 0);
  EXPECT_TRUE(cache.colour(context, 0, colour) && !colour);
  EXPECT_EQ(unknown(), "CB format 23\ncolour buffer: level 2 of 2\n");
  // Hostile sizes: memory that is not there ends the context by name.
  bind({.width = 65536, .height = 65536, .slices = 8192, .mode = 4}, formats[4], address, 0, 0, 8191);
  EXPECT_FALSE(cache.colour(context, 0, colour));
  EXPECT_NE(context.report().find("colour buffer"), std::string::npos) << context.report();
}

// PIPE_FORMAT_R9G9B9E5_FLOAT is new in colour buffers; the others as ac_translate_colorswap() has them.
TEST_F(Targets, ColourFormats) {
  TargetCache cache;
  struct Row {
    unsigned format, number, swap;
    surface::Layout layout;
    surface::Number as;
    surface::Select red;
  };
  using surface::Layout;
  using surface::Number;
  using surface::Select;
  const Row rows[] = {{10, 0, 0, Layout::bits_8_8_8_8, Number::unorm, Select::field_0},
                      {10, 6, 1, Layout::bits_8_8_8_8, Number::srgb, Select::field_2},
                      {9, 0, 0, Layout::bits_10_10_10_2, Number::unorm, Select::field_0},
                      {6, 7, 0, Layout::bits_11_11_10, Number::floating, Select::field_0},
                      {24, 7, 0, Layout::bits_9_9_9_e5, Number::floating, Select::field_0},
                      {16, 0, 2, Layout::bits_5_6_5, Number::unorm, Select::field_2},
                      {4, 4, 0, Layout::bits_32, Number::uint, Select::field_0},
                      {4, 7, 3, Layout::bits_32, Number::floating, Select::zero},
                      {14, 5, 0, Layout::bits_32_32_32_32, Number::sint, Select::field_0}};
  for (const Row& row : rows) {
    bind({.mode = 3}, {0, row.format | row.number << 8 | row.swap << 11, 0}, start, 0, 0, 0);
    ColourSurface* found = nullptr;
    ASSERT_TRUE(cache.colour(context, 0, found) && found) << row.format << unknown();
    const surface::Format& format = found->blocks->texture.format();
    EXPECT_EQ(format.layout, row.layout) << row.format;
    EXPECT_EQ(format.number, row.as) << row.format;
    EXPECT_EQ(format.order[0], row.red) << row.format;
  }
}

}  // namespace
}  // namespace Atoll::gfx12::test
