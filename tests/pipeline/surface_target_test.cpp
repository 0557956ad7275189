// Render targets over levels in every tiling: blocks that are loaded, stored and filled against the address of each texel.
#include "pipeline/surface_target.h"

#include <gtest/gtest.h>

#include <random>

namespace Atoll::pipeline {
namespace {

using surface::Layout;

struct Case {
  const char* name;
  surface::LevelPlace place;
  Layout layout;
  unsigned bytes, samples, width, height, slices;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const std::pair<Layout, unsigned> layouts[] = {{Layout::bits_8, 1},
                                                 {Layout::bits_16, 2},
                                                 {Layout::bits_8_8_8_8, 4},
                                                 {Layout::bits_16_16_16_16, 8},
                                                 {Layout::bits_32_32_32_32, 16}};
  for (const auto& [layout, bytes] : layouts) {
    all.push_back({"linear", surface::LinearSurface{70 * bytes, 70 * 45 * bytes}, layout, bytes, 1, 69, 43, 2});
    for (auto tiling : {surface::IntelTiling::x, surface::IntelTiling::y})
      for (unsigned samples : {1u, 4u}) {
        const uint32_t pitch = 3 * surface::tile_width(tiling);
        all.push_back({tiling == surface::IntelTiling::x ? "X" : "Y", surface::IntelSurface{tiling, pitch, 0, 0, 64, samples},
                       layout, bytes, samples, std::min(pitch / bytes, 90u) - 3, 43, 2});
      }
    for (auto swizzle : {surface::Gfx12Swizzle::block_256b_2d, surface::Gfx12Swizzle::block_64kb_2d})
      for (unsigned samples : {1u, 4u}) {
        surface::Gfx12Surface s;
        s.swizzle = swizzle, s.element_bytes = bytes, s.samples = samples;
        const auto block = surface::block_of(swizzle, bytes, samples);
        s.blocks_in_row = (64 + block.width - 1) / block.width, s.rows = (40 + block.height - 1) / block.height;
        s.slice_bytes = uint64_t(s.blocks_in_row * s.rows) << surface::block_bits(swizzle);
        s.start_bits = swizzle == surface::Gfx12Swizzle::block_64kb_2d ? 0x700 : 0;
        if (surface::check(s)) all.push_back({"GFX12", s, layout, bytes, samples, 61, 37, 2});
      }
    for (auto micro : {surface::R300MicroTile::linear, surface::R300MicroTile::tiled})
      for (bool macro : {false, true})
        if (const auto tile = surface::r300_tile(bytes, micro, macro)) {
          const unsigned pitch = (64 + tile->width - 1) / tile->width * tile->width,
                         rows = (48 + tile->height - 1) / tile->height;
          all.push_back({"R300", surface::R300Surface{bytes, pitch, uint64_t(pitch) * rows * tile->height * bytes, micro, macro},
                         layout, bytes, 1, 61, 45, 2});
        }
    for (auto arrangement : {surface::Arrangement::micro_thin, surface::Arrangement::macro_2d_thin})
      for (unsigned samples : {1u, 4u}) {
        surface::BankedSurface s;
        s.tiling.arrangement = arrangement, s.tiling.order = surface::MicroOrder::thin;
        s.element_bytes = bytes, s.samples = samples;
        const auto macro = surface::macro_tile(s.tiling);
        s.pitch = std::max(macro.width, 64u), s.height = std::max(macro.height, 64u);
        if (surface::check(s)) all.push_back({"banked", s, layout, bytes, samples, 61, 45, 2});
      }
  }
  return all;
}

// A target, and where each of its texels lies in memory.
struct Subject {
  std::vector<uint8_t> memory = std::vector<uint8_t>(3 << 20);
  std::unique_ptr<SurfaceTarget> target;
  const Case& of;

  explicit Subject(const Case& of, bool by_runs) : of(of) {
    surface::TextureDescription d;
    d.dimension = of.samples > 1 ? surface::Dimension::two_multisampled_array : surface::Dimension::two_array;
    d.format.layout = of.layout, d.format.number = surface::Number::uint;
    d.width = of.width, d.height = of.height, d.samples = of.samples;
    d.first_layer = 1, d.layers = of.slices;
    d.levels = {{0, of.place}};
    std::mt19937_64 random(11);
    for (size_t n = 0; n < memory.size(); n += 8) {
      const uint64_t word = random();
      std::memcpy(&memory[n], &word, 8);
    }
    auto texture = surface::Texture::make(d, memory.data(), memory.size());
    if (!texture) {
      ADD_FAILURE() << of.name << ": " << texture.error().message;
      return;
    }
    target = std::make_unique<SurfaceTarget>(std::move(*texture), of.width, of.height);
    if (by_runs) target->find_runs();
  }
  uint8_t* at(unsigned x, unsigned y, unsigned layer, unsigned sample) {
    return memory.data() + surface::address_of(of.place, of.bytes, {x, y, 1 + layer, sample});
  }
};

template <class Texel>
void each_texel(const Case& c, unsigned bx, unsigned by, Texel texel) {
  for (unsigned s = 0; s < c.samples; s++)
    for (unsigned y = 0; y < 8; y++)
      for (unsigned x = 0; x < 8; x++) texel(bx * 8 + x, by * 8 + y, s, size_t(s * 64 + number_in_block(x, y)) * c.bytes);
}

TEST(SurfaceTarget, BlocksAreLoadedAndStoredInEveryTiling) {
  for (const Case& c : cases())
    for (bool by_runs : {false, true}) {
      SCOPED_TRACE(testing::Message() << c.name << ", " << c.bytes << " bytes, " << c.samples << " samples"
                                      << (by_runs ? ", runs" : ""));
      Subject subject(c, by_runs);
      ASSERT_TRUE(subject.target);
      std::vector<uint8_t> texels(c.samples * 64 * c.bytes), expected = subject.memory;
      std::mt19937 random(5);
      for (unsigned layer = 0; layer < c.slices; layer++)
        for (unsigned by = 0; by * 8 < c.height; by++)
          for (unsigned bx = 0; bx * 8 < c.width; bx++) {
            subject.target->load(bx, by, layer, texels.data());
            each_texel(c, bx, by, [&](unsigned x, unsigned y, unsigned s, size_t offset) {
              static constexpr uint8_t zeros[16] = {};
              const bool inside = x < c.width && y < c.height;
              ASSERT_EQ(std::memcmp(&texels[offset], inside ? subject.at(x, y, layer, s) : zeros, c.bytes), 0) << x << ", " << y;
            });
            for (uint8_t& byte : texels) byte = uint8_t(random());
            each_texel(c, bx, by, [&](unsigned x, unsigned y, unsigned s, size_t offset) {
              if (x < c.width && y < c.height)
                std::memcpy(expected.data() + (subject.at(x, y, layer, s) - subject.memory.data()), &texels[offset], c.bytes);
            });
            subject.target->store(bx, by, layer, texels.data());
          }
      // Not a byte besides.
      EXPECT_TRUE(subject.memory == expected);
      // Texels outside read as 0, and are not written.
      subject.target->load(0, 0, c.slices, texels.data());
      EXPECT_EQ(std::ranges::count(texels, 0), ptrdiff_t(texels.size()));
      texels.assign(texels.size(), 0xaa);
      subject.target->store(0, 0, c.slices, texels.data());
      EXPECT_TRUE(subject.memory == expected);
    }
}

TEST(SurfaceTarget, AreasAreFilledInEveryTiling) {
  std::mt19937 random(17);
  for (const Case& c : cases())
    for (bool keeps : {false, true}) {
      SCOPED_TRACE(testing::Message() << c.name << ", " << c.bytes << " bytes, " << c.samples << " samples"
                                      << (keeps ? ", keeps" : ""));
      Subject subject(c, true);
      ASSERT_TRUE(subject.target);
      std::vector<uint8_t> keep(c.samples * c.bytes), flip(keep.size());
      for (uint8_t& byte : keep) byte = keeps ? uint8_t(random()) : 0;
      for (uint8_t& byte : flip) byte = uint8_t(random());
      const Rectangle area{3, 5, 50, 33};
      std::vector<uint8_t> expected = subject.memory;
      for (int y = area.top; y < area.bottom; y++)
        for (int x = area.left; x < area.right; x++)
          for (unsigned s = 0; s < c.samples; s++)
            for (unsigned k = 0; k < c.bytes && x < int(c.width) && y < int(c.height); k++) {
              uint8_t& byte = expected[size_t(subject.at(unsigned(x), unsigned(y), 1, s) - subject.memory.data()) + k];
              byte = uint8_t((byte & keep[s * c.bytes + k]) ^ flip[s * c.bytes + k]);
            }
      subject.target->fill_area(area, 1, {keep, flip, c.samples});
      EXPECT_TRUE(subject.memory == expected);
    }
}

TEST(SurfaceTarget, DepthsLeaveTheUpperBytesAlone) {
  for (const Case& c : cases()) {
    if (c.bytes != 4) continue;
    SCOPED_TRACE(testing::Message() << c.name << ", " << c.samples << " samples");
    Subject subject(c, true);
    ASSERT_TRUE(subject.target);
    std::vector<uint8_t> texels(c.samples * 64 * 4, 0xff), expected = subject.memory;
    for (unsigned by : {0u, c.height / 8})
      for (unsigned bx : {0u, c.width / 8}) {
        subject.target->store_depths(bx, by, 0, texels.data(), c.samples);
        each_texel(c, bx, by, [&](unsigned x, unsigned y, unsigned s, size_t) {
          if (x < c.width && y < c.height)
            std::memset(expected.data() + (subject.at(x, y, 0, s) - subject.memory.data()), 0xff, 3);
        });
      }
    EXPECT_TRUE(subject.memory == expected);
  }
}

}  // namespace
}  // namespace Atoll::pipeline
