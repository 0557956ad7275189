// GFX12's blocks against the public table of their address bits (Mesa 25.0.7 src/amd/addrlib/src/gfx12/gfx12SwizzlePattern.h: four
// lists of pieces of a pattern, and for each mode, size of an element and number of samples which of them follow each other), and
// where levels lie against sums made here.
#include "surface/gfx12_tiling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <vector>

#include "hostile_access.h"
#include "surface/gfx12_mips.h"
#include "surface/texture.h"

namespace Atoll::surface::test {
namespace {

// Address bits from the lowest up; "0": inside of an element.
constexpr const char* low_bits[] = {
    "X0 X1 Y0 X2 Y1 Y2 X3 Y3", "0 X0 Y0 X1 Y1 X2 Y2 X3", "0 0 X0 Y0 X1 Y1 X2 Y2", "0 0 0 X0 Y0 X1 X2 Y1", "0 0 0 0 X0 Y0 X1 Y1",
    "S0 X0 Y0 X1 Y1 X2 Y2 X3", "0 S0 X0 Y0 X1 Y1 X2 Y2", "0 0 S0 X0 Y0 X1 Y1 X2", "0 0 0 S0 X0 Y0 X1 Y1", "0 0 0 0 S0 X0 Y0 X1",
    "S0 S1 X0 Y0 X1 Y1 X2 Y2", "0 S0 S1 X0 Y0 X1 Y1 X2", "0 0 S0 S1 X0 Y0 X1 Y1", "0 0 0 S0 S1 X0 Y0 X1", "0 0 0 0 S0 S1 X0 Y0",
    "S0 S1 S2 X0 Y0 X1 Y1 X2", "0 S0 S1 S2 X0 Y0 X1 Y1", "0 0 S0 S1 S2 X0 Y0 X1", "0 0 0 S0 S1 S2 X0 Y0", "0 0 0 0 S0 S1 S2 X0",
    "X0 X1 Z0 Y0 Y1 Z1 X2 Z2", "0 X0 Z0 Y0 X1 Z1 Y1 Z2", "0 0 X0 Y0 X1 Z0 Y1 Z1", "0 0 0 X0 Y0 Z0 X1 Z1", "0 0 0 0 X0 Z0 Y0 Z1"};
constexpr const char* bits_8_to_11[] = {"",
                                        "Y4 X4 Y5 X5",
                                        "Y3 X4 Y4 X5",
                                        "Y3 X3 Y4 X4",
                                        "Y2 X3 Y3 X4",
                                        "Y2 X2 Y3 X3",
                                        "Y1 X2 Y2 X3",
                                        "Y1 X1 Y2 X2",
                                        "Y0 X1 Y1 X2",
                                        "Y2 X3 Z3 Y3",
                                        "Y2 X2 Z3 Y3",
                                        "Y2 X2 Z2 Y3",
                                        "Y1 X2 Z2 Y2",
                                        "Y1 X1 Z2 Y2"};
constexpr const char* bits_12_to_15[] = {"",
                                         "Y6 X6 Y7 X7",
                                         "Y5 X6 Y6 X7",
                                         "Y5 X5 Y6 X6",
                                         "Y4 X5 Y5 X6",
                                         "Y4 X4 Y5 X5",
                                         "Y3 X4 Y4 X5",
                                         "Y3 X3 Y4 X4",
                                         "Y2 X3 Y3 X4",
                                         "X4 Z4 Y4 X5",
                                         "X3 Z4 Y4 X4",
                                         "X3 Z3 Y4 X4",
                                         "X3 Z3 Y3 X4",
                                         "X2 Z3 Y3 X3"};
constexpr const char* bits_16_to_17[] = {"",      "Y8 X8", "Y7 X8", "Y7 X7", "Y6 X7", "Y6 X6",
                                         "Y5 X6", "Y5 X5", "Y4 X5", "Z5 Y5", "Z4 Y5", "Z4 Y4"};

struct Pieces {
  unsigned low, second, third, fourth;
};
Pieces pieces_of(unsigned mode, unsigned element, unsigned samples) {
  if (mode < 5) {
    const unsigned next = 1 + element + samples;
    return {5 * samples + element, mode > 1 ? next : 0, mode > 2 ? next : 0, mode > 3 ? next : 0};
  }
  constexpr unsigned last[] = {9, 9, 10, 11, 11};
  return {20 + element, 9 + element, mode > 5 ? 9 + element : 0, mode > 6 ? last[element] : 0};
}
std::vector<std::string> bits_of(unsigned mode, unsigned element, unsigned samples) {
  const Pieces p = pieces_of(mode, element, samples);
  std::istringstream text(std::string(low_bits[p.low]) + " " + bits_8_to_11[p.second] + " " + bits_12_to_15[p.third] + " " +
                          bits_16_to_17[p.fourth]);
  std::vector<std::string> bits;
  for (std::string bit; text >> bit;) bits.push_back(bit);
  return bits;
}

struct Extent {
  unsigned width = 1, height = 1, depth = 1;
};
Extent extent_of(const std::vector<std::string>& bits) {
  Extent e;
  for (const std::string& bit : bits) {
    if (bit[0] == 'X') e.width *= 2;
    if (bit[0] == 'Y') e.height *= 2;
    if (bit[0] == 'Z') e.depth *= 2;
  }
  return e;
}
uint64_t inside(const std::vector<std::string>& bits, unsigned x, unsigned y, unsigned z, unsigned s) {
  uint64_t offset = 0;
  for (unsigned n = 0; n < bits.size(); n++) {
    if (bits[n] == "0") continue;
    const unsigned from = bits[n][0] == 'X' ? x : bits[n][0] == 'Y' ? y : bits[n][0] == 'Z' ? z : s;
    offset |= uint64_t(from >> (bits[n][1] - '0') & 1) << n;
  }
  return offset;
}

TEST(Gfx12Tiling, AddressesAreTheBits) {
  for (unsigned mode = 1; mode < 8; mode++)
    for (unsigned element = 0; element < 5; element++)
      for (unsigned samples = 0; samples < (mode < 5 ? 4u : 1u); samples++) {
        const auto bits = bits_of(mode, element, samples);
        const Extent block = extent_of(bits);
        Gfx12Surface s;
        s.swizzle = Gfx12Swizzle(mode);
        s.element_bytes = 1u << element, s.samples = 1u << samples;
        s.blocks_in_row = 3, s.rows = 2, s.slice_bytes = uint64_t(7) << bits.size();
        ASSERT_TRUE(check(s));
        const Gfx12Block own = block_of(s.swizzle, s.element_bytes, s.samples);
        ASSERT_EQ(bits.size(), block_bits(s.swizzle));
        ASSERT_EQ(own.width, block.width);
        ASSERT_EQ(own.height, block.height);
        ASSERT_EQ(own.depth, block.depth);
        Random r(mode * 100 + element * 10 + samples);
        for (unsigned n = 0; n < 2000; n++) {
          const unsigned x = r.below(3 * block.width), y = r.below(2 * block.height), z = r.below(3 * block.depth),
                         sample = r.below(s.samples);
          const uint64_t whole =
              (uint64_t(y / block.height * 3 + x / block.width) << bits.size()) + z / block.depth * s.slice_bytes;
          ASSERT_EQ(address(s, {.x = x, .y = y, .slice = z, .sample = sample}), whole + inside(bits, x, y, z, sample))
              << "mode " << mode << ", " << s.element_bytes << " bytes, " << s.samples << " samples: " << x << " " << y << " "
              << z;
        }
      }
}

// The bits of a surface's start that lie in a block turn those of offsets.
TEST(Gfx12Tiling, StartsInsideOfBlocks) {
  Gfx12Surface s;
  s.swizzle = Gfx12Swizzle::block_64kb_2d;
  for (uint32_t start : {0x100u, 0xa500u, 0xff00u}) {
    s.start_bits = start;
    ASSERT_TRUE(check(s));
    const auto bits = bits_of(3, 2, 0);
    for (unsigned y = 0; y < 128; y += 3)
      for (unsigned x = 0; x < 128; x += 5) ASSERT_EQ(address(s, {.x = x, .y = y}), inside(bits, x, y, 0, 0) ^ start);
  }
  s.start_bits = 0x1080;
  EXPECT_FALSE(check(s));
  s.start_bits = 0x10000;
  EXPECT_FALSE(check(s));
}

struct Chain {
  unsigned mode, element, samples;  // logarithms
  unsigned width, height, slices;
  bool volume;
  unsigned levels;
};
unsigned up(unsigned size, unsigned level) { return std::max(1u, (size >> level) + ((size & ((1u << level) - 1)) != 0)); }

// addrlib's sums, from the end of the chain.
uint64_t model_address(const Chain& c, unsigned level, unsigned x, unsigned y, unsigned z, unsigned sample) {
  const auto bits = bits_of(c.mode, c.element, c.samples);
  const Extent block = extent_of(bits);
  const unsigned log = unsigned(bits.size());
  Extent tail = block;
  if (c.mode < 5)
    tail.width /= 2;  // all have even logarithms
  else if (log == 12 || log == 18)
    tail.height /= 2;
  else
    tail.width /= 2;
  constexpr unsigned most_of_mode[] = {0, 0, 8, 12, 14, 5, 10, 11};
  auto in_tail = [&](unsigned n) {
    return c.mode > 1 && up(c.width, n) <= tail.width && up(c.height, n) <= tail.height && c.levels - n <= most_of_mode[c.mode];
  };
  auto blocks = [&](unsigned n) {
    return uint64_t((up(c.width, n) + block.width - 1) / block.width) * ((up(c.height, n) + block.height - 1) / block.height);
  };
  unsigned first_in_tail = 0;
  while (first_in_tail < c.levels && !in_tail(first_in_tail)) first_in_tail++;
  uint64_t chain = first_in_tail < c.levels ? 1 : 0, place = 0;  // blocks
  for (unsigned n = first_in_tail; n-- > 0;) {
    if (n == level) place = chain;
    chain += blocks(n);
  }
  const uint64_t slice = uint64_t(z / block.depth) * (chain << log);
  if (level >= first_in_tail) {
    if (c.levels > 1) {
      const int m = int(most_of_mode[c.mode]) - 1 - int(level - first_in_tail);
      const unsigned offset = m <= 0 ? 0 : m > 6 ? 16u << m : unsigned(m) * 256;
      const Extent small = extent_of({bits.begin(), bits.begin() + 8});
      unsigned column = 0, row = 0;
      for (unsigned bit = 8; bit < 20; bit++) {
        unsigned& to = bit % 2 ? column : row;
        to |= (offset >> bit & 1) << (bit - 8) / 2;
      }
      x += column * small.width, y += row * small.height;
    }
    return slice + inside(bits, x, y, z, sample);
  }
  const unsigned pitch = (up(c.width, level) + block.width - 1) / block.width;
  return slice + ((place + y / block.height * uint64_t(pitch) + x / block.width) << log) + inside(bits, x, y, z, sample);
}

Layout layout_of(unsigned element) {
  constexpr Layout layouts[] = {Layout::bits_8, Layout::bits_16, Layout::bits_32, Layout::bits_32_32, Layout::bits_32_32_32_32};
  return layouts[element];
}

Chain random_chain(Random& r) {
  Chain c{};
  c.mode = 1 + r.below(7), c.element = r.below(5);
  c.volume = c.mode > 4 || r.below(4) == 0;
  if (c.volume && c.mode == 1) c.mode = 2;
  c.samples = c.volume ? 0 : r.below(6) == 0 ? r.below(4) : 0;
  const unsigned limit = 1u << (1 + r.below(c.volume ? 6 : 9));
  c.width = 1 + r.below(limit), c.height = 1 + r.below(limit), c.slices = r.below(2) ? 1 : 1 + r.below(9);
  c.levels = c.samples ? 1 : 1 + r.below(unsigned(std::bit_width(std::max(c.width, c.height))));
  return c;
}

TEST(Gfx12Mips, LevelsLieWhereTheyShould) {
  unsigned tails = 0, made = 0;
  for (uint64_t seed = 0; seed < 3000; seed++) {
    Random r(seed);
    const Chain c = random_chain(r);
    Gfx12Texture t;
    t.swizzle = Gfx12Swizzle(c.mode);
    t.element_bytes = 1u << c.element, t.samples = 1u << c.samples;
    t.width = c.width, t.height = c.height, t.slices = c.slices, t.volume = c.volume, t.levels = c.levels;
    auto levels = mip_levels(t);
    ASSERT_TRUE(levels) << levels.error().message;
    TextureDescription d;
    d.dimension = c.volume ? Dimension::three : c.samples ? Dimension::two_multisampled_array : Dimension::two_array;
    d.format = *make_format(layout_of(c.element), Number::uint);
    d.width = c.width, d.height = c.height, d.samples = t.samples;
    (c.volume ? d.depth : d.layers) = c.slices;
    d.levels = levels->levels;
    const Gfx12Block block = block_of(t.swizzle, t.element_bytes, t.samples);
    const uint64_t bytes = (c.slices + block.depth - 1) / block.depth * levels->slice_bytes;
    if (bytes > uint64_t(64) << 20) continue;
    static std::vector<uint8_t> memory(size_t(64) << 20);
    auto texture = Texture::make(d, memory.data(), bytes);
    ASSERT_TRUE(texture) << seed << ": " << texture.error().message;
    made++;
    for (unsigned n = 0; n < 300; n++) {
      const unsigned level = r.below(c.levels);
      const Texture::Size size = texture->size(level);
      const unsigned x = r.below(size.width), y = r.below(size.height), z = r.below(c.volume ? size.depth : c.slices),
                     sample = r.below(t.samples);
      tails += std::get<Gfx12Surface>(d.levels[level].place).first_x > 0;
      ASSERT_EQ(uint64_t(texture->texel(level, x, y, z, sample) - memory.data()), model_address(c, level, x, y, z, sample))
          << "seed " << seed << " mode " << c.mode << " element " << c.element << " level " << level << " of " << c.levels << ", "
          << c.width << "x" << c.height << "x" << c.slices << " at " << x << " " << y << " " << z;
    }
  }
  EXPECT_GT(made, 2000u);
  EXPECT_GT(tails, 1000u);
}

// No two texels of a texture share a byte, whatever the level, slice and sample.
TEST(Gfx12Mips, TexelsLieApart) {
  for (uint64_t seed = 0; seed < 120; seed++) {
    Random r(seed + 1000000);
    Chain c = random_chain(r);
    c.width = 1 + c.width % 150, c.height = 1 + c.height % 150, c.slices = 1 + c.slices % 4;
    c.levels = std::min(c.levels, unsigned(std::bit_width(std::max(c.width, c.height))));
    Gfx12Texture t;
    t.swizzle = Gfx12Swizzle(c.mode);
    t.element_bytes = 1u << c.element, t.samples = 1u << c.samples;
    t.width = c.width, t.height = c.height, t.slices = c.slices, t.volume = c.volume, t.levels = c.levels;
    auto levels = mip_levels(t);
    ASSERT_TRUE(levels);
    std::vector<uint64_t> places;
    for (unsigned level = 0; level < c.levels; level++)
      for (unsigned z = 0; z < (c.volume ? up(c.slices, level) : c.slices); z++)
        for (unsigned y = 0; y < up(c.height, level); y++)
          for (unsigned x = 0; x < up(c.width, level); x++)
            for (unsigned sample = 0; sample < t.samples; sample++)
              places.push_back(levels->levels[level].offset + address(std::get<Gfx12Surface>(levels->levels[level].place),
                                                                      {.x = x, .y = y, .slice = z, .sample = sample}));
    std::sort(places.begin(), places.end());
    for (size_t n = 1; n < places.size(); n++)
      ASSERT_GE(places[n], places[n - 1] + t.element_bytes) << "seed " << seed << ", mode " << c.mode << ", element " << c.element
                                                            << ", " << c.width << "x" << c.height << ", levels " << c.levels;
    ASSERT_EQ(places[0] % t.element_bytes, 0u);
  }
}

// Rows: 128 bytes, levels of 256; a single slice is not padded further than it must be.
TEST(Gfx12Mips, Rows) {
  auto levels = [](unsigned bytes, unsigned width, unsigned height, unsigned slices, unsigned count, unsigned pitch = 0) {
    Gfx12Texture t;
    t.element_bytes = bytes, t.width = width, t.height = height, t.slices = slices, t.levels = count, t.pitch = pitch;
    return *mip_levels(t);
  };
  auto rows = [](const Gfx12Levels& l, unsigned n) { return std::get<LinearSurface>(l.levels[n].place); };
  EXPECT_EQ(rows(levels(4, 33, 4, 1, 1), 0).pitch_bytes, 256u);
  EXPECT_EQ(rows(levels(4, 32, 4, 1, 1), 0).pitch_bytes, 128u);
  EXPECT_EQ(levels(4, 32, 4, 1, 1).slice_bytes, 512u);
  EXPECT_EQ(levels(4, 32, 3, 1, 1).slice_bytes, 768u);  // 384 are no multiple of 256
  EXPECT_EQ(levels(4, 32, 4, 5, 1).slice_bytes, 1024u);
  EXPECT_EQ(rows(levels(12, 10, 4, 1, 1), 0).pitch_bytes, 128u);
  EXPECT_EQ(rows(levels(4, 32, 4, 1, 1, 100), 0).pitch_bytes, 400u);
  const Gfx12Levels chain = levels(1, 300, 10, 2, 3);  // 300 x 10, 150 x 5, 75 x 3
  EXPECT_EQ(chain.levels[2].offset, 0u);
  EXPECT_EQ(chain.levels[1].offset, 3 * 256u);
  EXPECT_EQ(chain.levels[0].offset, 3 * 256u + 5 * 256);
  EXPECT_EQ(chain.slice_bytes, 8 * 256u + 10 * 512);
  EXPECT_EQ(rows(chain, 0).pitch_bytes, 384u);
  EXPECT_EQ(rows(chain, 2).pitch_bytes, 128u);
}

TEST(Gfx12Mips, WhatContradictsItselfIsRefused) {
  Gfx12Texture t;
  t.swizzle = Gfx12Swizzle::block_4kb_3d, t.samples = 2;
  EXPECT_FALSE(mip_levels(t));
  t = {}, t.samples = 2;
  EXPECT_FALSE(mip_levels(t));
  t = {}, t.swizzle = Gfx12Swizzle::block_4kb_2d, t.element_bytes = 12;
  EXPECT_FALSE(mip_levels(t));
  t = {}, t.levels = 18;
  EXPECT_FALSE(mip_levels(t));
  t = {}, t.width = 0;
  EXPECT_FALSE(mip_levels(t));
  Gfx12Surface s;
  s.first_x = 1000;
  EXPECT_FALSE(check(s));
  s = {}, s.swizzle = Gfx12Swizzle(8);
  EXPECT_FALSE(check(s));
}

}  // namespace
}  // namespace Atoll::surface::test
