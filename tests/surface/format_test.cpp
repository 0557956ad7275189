// Pixel formats against what others say: the compiler's own _Float16, exact arithmetic in long double, vectors written down
// in the specifications, and properties over every bit pattern of every field.
#include "surface/format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <set>

#include "surface/texel.h"

namespace Atoll::surface {
namespace {

constexpr float inf = INFINITY;

uint32_t bits_of(float f) { return std::bit_cast<uint32_t>(f); }
float float_of(uint32_t u) { return std::bit_cast<float>(u); }

TEST(Format, RowsAreSound) {
  std::set<std::string_view> names;
  for (auto& layout : layouts()) {
    EXPECT_TRUE(names.insert(layout.name).second) << layout.name;
    EXPECT_GE(layout.fields, 1);
    EXPECT_NE(layout.numbers, 0);
    if (layout.block_width > 1) continue;
    std::vector<int> used(layout.bytes * 8, 0);
    std::string name;
    for (int i = 0; i < layout.fields; i++)
      for (int b = 0; b < layout.field[i].bits; b++) used.at(layout.field[i].first_bit + b)++;
    for (int count : used) EXPECT_LE(count, 1) << layout.name << ": fields overlap";
    int total = 0;
    for (int count : used) total += count;
    int unused = layout.layout == Layout::bits_9_9_9_e5 ? 5 : layout.layout == Layout::bits_32_8_24 ? 24 : 0;
    EXPECT_EQ(total + unused, layout.bytes * 8) << layout.name;
  }
  EXPECT_TRUE(make_format(Layout::bits_8_8_8_8, Number::srgb));
  EXPECT_FALSE(make_format(Layout::bits_32_32, Number::srgb));
  EXPECT_FALSE(make_format(Layout::bits_9_9_9_e5, Number::uint));
  EXPECT_FALSE(make_format(Layout(200), Number::uint));
}

TEST(Number, HalfDecodesAsTheCompilerDoes) {
  for (uint32_t h = 0; h < 0x10000; h++) {
    float expected = float(std::bit_cast<_Float16>(uint16_t(h)));
    float found = from_half(uint16_t(h));
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(found)) << h;
    else
      EXPECT_EQ(bits_of(found), bits_of(expected)) << h;
  }
}

TEST(Number, HalfEncodesAsTheCompilerDoes) {
  auto check = [](float f) {
    uint16_t expected = std::bit_cast<uint16_t>(_Float16(f));
    ASSERT_EQ(to_half(f), expected) << bits_of(f);
    // Toward zero: the nearest one, or its neighbour if that lies further out.
    if (std::isfinite(f)) {
      float nearest = float(_Float16(f));
      if (std::fabs(nearest) > std::fabs(f)) expected--;
      ASSERT_EQ(to_half(f, Rounding::toward_zero), expected) << bits_of(f);
    }
  };
  for (uint32_t h = 0; h < 0x7c00; h++) {  // every half, the midpoint above it, and both neighbours of each
    float low = from_half(uint16_t(h)), high = h == 0x7bff ? 65536.0f : from_half(uint16_t(h + 1));
    for (float f : {low, (low + high) / 2})
      for (float near : {f, std::nextafter(f, inf), std::nextafter(f, -inf)}) check(near), check(-near);
  }
  std::mt19937 random(1);
  for (int i = 0; i < 2'000'000; i++) {
    float f = float_of(random());
    if (!std::isnan(f)) check(f);
  }
  EXPECT_EQ(to_half(inf), 0x7c00);
  EXPECT_EQ(to_half(-inf, Rounding::toward_zero), 0xfc00);
  EXPECT_TRUE(std::isnan(from_half(to_half(NAN))));
}

TEST(Number, UnormAndSnormAreExactlyRounded) {
  for (unsigned bits = 1; bits <= 16; bits++) {
    uint32_t most = (1u << bits) - 1;
    for (uint32_t c = 0; c <= most; c++) {
      float f = from_unorm(c, bits);
      ASSERT_EQ(f, float((long double)c / most));
      ASSERT_EQ(to_unorm(f, bits), c);
      if (c < most) {  // the code changes at the half-way point
        double half = (c + 0.5) / most;
        ASSERT_EQ(to_unorm(std::nextafter(float(half), 0.0f), bits), c) << bits;
        ASSERT_EQ(to_unorm(std::nextafter(float(half), 2.0f), bits), c + 1) << bits;
      }
    }
    if (bits < 2) continue;
    int highest = (1 << (bits - 1)) - 1;
    for (int c = -highest - 1; c <= highest; c++) {
      ASSERT_EQ(from_snorm(c, bits), float(std::max((long double)c / highest, -1.0L)));
      ASSERT_EQ(to_snorm(from_snorm(c, bits), bits), std::max(c, -highest));
    }
  }
  for (uint32_t c : {0u, 1u, 0x7fffffu, 0x800000u, 0xfffffeu, 0xffffffu}) {
    EXPECT_EQ(from_unorm(c, 24), float((long double)c / 0xffffff));
    EXPECT_EQ(to_unorm(from_unorm(c, 24), 24), c);
  }
  EXPECT_EQ(to_unorm(NAN, 8), 0u);
  EXPECT_EQ(to_unorm(-inf, 8), 0u);
  EXPECT_EQ(to_unorm(inf, 32), 0xffffffffu);
  EXPECT_EQ(to_unorm(0.5f, 8), 128u);  // half away from zero
  EXPECT_EQ(to_snorm(-0.5f, 8), -64);
  EXPECT_EQ(to_snorm(NAN, 8), 0);
}

TEST(Number, SmallUnsignedFloats) {
  for (unsigned mantissa : {5u, 6u})
    for (uint32_t c = 0; c < 32u << mantissa; c++) {
      uint32_t exponent = c >> mantissa, fraction = c & ((1u << mantissa) - 1);
      float f = from_unsigned_float(c, mantissa);
      if (exponent == 31) {
        EXPECT_TRUE(fraction ? std::isnan(f) : f == inf);
        continue;
      }
      // GL_EXT_packed_float 2.1.A: 2^-14 * m/2^n, or 2^(e-15) * (1 + m/2^n)
      double expected = exponent ? std::pow(2.0, int(exponent) - 15) * (1 + double(fraction) / (1 << mantissa))
                                 : std::pow(2.0, -14) * fraction / (1 << mantissa);
      EXPECT_EQ(double(f), expected);
      EXPECT_EQ(to_unsigned_float(f, mantissa), c);
      EXPECT_EQ(to_unsigned_float(std::nextafter(f, inf), mantissa, Rounding::toward_zero), c);
    }
  EXPECT_EQ(to_unsigned_float(-1, 6), 0u);
  EXPECT_EQ(to_unsigned_float(inf, 6), 0x7c0u);
  EXPECT_EQ(to_unsigned_float(1e10f, 6), 0x7bfu);  // 65024, the largest finite one
  EXPECT_EQ(from_unsigned_float(0x7bf, 6), 65024.0f);
  EXPECT_EQ(from_unsigned_float(0x3df, 5), 64512.0f);
}

// GL_EXT_texture_shared_exponent gives 65408 as the largest value; the rest follows from (m / 512) * 2^(e - 15).
TEST(Number, SharedExponent) {
  EXPECT_EQ(to_shared_exponent({1e20f, 0, -3}), 31u << 27 | 511);
  EXPECT_EQ(from_shared_exponent(31u << 27 | 511).red, 65408.0f);
  EXPECT_EQ(to_shared_exponent({1, 1, 1}), 0x84020100u);  // as DXGI_FORMAT_R9G9B9E5 and piglit write white
  EXPECT_EQ(to_shared_exponent({NAN, 0, 0}), 0u);
  std::mt19937 random(2);
  for (int i = 0; i < 200'000; i++) {
    auto value = [&] { return std::ldexp(float(random() & 0xffffff), int(random() % 40) - 48); };
    Rgb in = {value(), value(), value()}, out = from_shared_exponent(to_shared_exponent(in));
    float most = std::max({in.red, in.green, in.blue});
    // The step of the largest component, where it has all nine bits (or the smallest step of all). Half of it is the error,
    // or all of it where that component rounds up to the next power of two.
    double step = std::ldexp(1.0, std::max(std::ilogb(most), -16) + 1 - 9);
    for (auto [a, b] : {std::pair{in.red, out.red}, {in.green, out.green}, {in.blue, out.blue}})
      ASSERT_LE(std::fabs(double(a) - b), step) << a;
    ASSERT_EQ(to_shared_exponent(out), to_shared_exponent(from_shared_exponent(to_shared_exponent(out))));
  }
}

TEST(Number, SrgbMatchesItsFormula) {
  for (int c = 0; c < 256; c++) {
    long double s = c / 255.0L, linear = s <= 0.04045L ? s / 12.92L : powl((s + 0.055L) / 1.055L, 2.4L);
    EXPECT_EQ(from_srgb8(uint8_t(c)), float(linear)) << c;
    EXPECT_EQ(to_srgb8(from_srgb8(uint8_t(c))), c);
  }
  // Vulkan's and D3D's bound: within 0.6 of a code of the exact curve; ours holds 0.5 and the join's rounding.
  for (int i = 0; i <= 100'000; i++) {
    float f = float(i) / 100'000;
    double exact = 255 * (f <= 0.0031308 ? f * 12.92 : 1.055 * std::pow(double(f), 1 / 2.4) - 0.055);
    ASSERT_LE(std::fabs(to_srgb8(f) - exact), 0.501) << f;
  }
  EXPECT_EQ(to_srgb8(NAN), 0);
  EXPECT_EQ(to_srgb8(2), 255);
}

// Every pattern of every field of every uncompressed format comes back from a round trip, the others' bits untouched by it.
TEST(Texel, RoundTrips) {
  std::mt19937 random(3);
  size_t formats = 0;
  for (auto& layout : layouts())
    for (int n = 0; n < number_count; n++) {
      auto format = make_format(layout.layout, Number(n));
      if (!format || layout.block_width > 1) continue;
      formats++;
      for (int i = 0; i < 5000; i++) {
        uint8_t in[16] = {}, out[16];
        for (int b = 0; b < layout.bytes; b++) in[b] = uint8_t(random());
        Colour once = read_texel(*format, in);
        write_texel(*format, out, once);
        Colour twice = read_texel(*format, out);
        bool nan = false;
        for (int k = 0; k < 4; k++) nan |= !is_integer(Number(n)) && std::isnan(float_of(once[k]));
        if (!nan) ASSERT_EQ(once, twice) << layout.name << " " << name(Number(n));
        // If a code is the only one of its value the bits are the same too. In a float of 24 mantissa bits not every
        // integer of 32 bits has a place, and snorm has two codes for -1.
        bool unique = n == int(Number::uint) || n == int(Number::sint) ||
                      (n == int(Number::unorm) && layout.field[0].bits <= 16) ||
                      (n == int(Number::srgb) && layout.field[0].bits <= 8);
        if (unique) ASSERT_EQ(std::memcmp(in, out, layout.bytes), 0) << layout.name << " " << name(Number(n));
      }
    }
  EXPECT_GT(formats, 150u);
}

TEST(Texel, FieldsAreWhereTheNameSays) {
  auto read = [](Layout layout, Number number, uint64_t bits, Order order = natural_order) {
    uint8_t bytes[8];
    std::memcpy(bytes, &bits, 8);
    return read_texel(make_format(layout, number, order).value(), bytes);
  };
  EXPECT_EQ(read(Layout::bits_5_6_5, Number::uint, 0xa9e3), (Colour{3, 15, 21, 1}));
  EXPECT_EQ(read(Layout::bits_5_5_5_1, Number::uint, 0x8000 | 1 | 2 << 5 | 3 << 10), (Colour{1, 2, 3, 1}));
  EXPECT_EQ(read(Layout::bits_10_10_10_2, Number::uint, 1u | 2u << 10 | 3u << 20 | 2u << 30), (Colour{1, 2, 3, 2}));
  EXPECT_EQ(read(Layout::bits_2_10_10_10, Number::sint, 3u), (Colour{uint32_t(-1), 0, 0, 0}));
  EXPECT_EQ(read(Layout::bits_8_8_8_8, Number::uint, 0x44332211, bgra_order), (Colour{0x33, 0x22, 0x11, 0x44}));
  EXPECT_EQ(read(Layout::bits_8, Number::unorm, 255), (Colour{bits_of(1), 0, 0, bits_of(1)}));
  EXPECT_EQ(read(Layout::bits_16_16, Number::sint, 0xffff0001), (Colour{1, uint32_t(-1), 0, 1}));
  EXPECT_EQ(read(Layout::bits_24_8, Number::depth_stencil, 0x7fffffffu)[0], bits_of(1));
  EXPECT_EQ(read(Layout::bits_24_8, Number::depth_stencil, 0x7fffffffu)[1], 0x7fu);
  EXPECT_EQ(read(Layout::bits_8_24, Number::depth_stencil, 0xffffff7fu)[1], 0x7fu);
  EXPECT_EQ(read(Layout::bits_32_8_24, Number::depth_stencil, uint64_t(0xabcdef12) << 32 | bits_of(0.25f)),
            (Colour{bits_of(0.25f), 0x12, 0, bits_of(1)}));
  EXPECT_EQ(read(Layout::bits_8_8_8_8, Number::srgb, 0x80808080)[3], bits_of(128 / 255.0f));
  // Luminance and alpha: alpha is linear wherever it stands; red and green are both encoded.
  Order luminance_alpha = {Select::field_0, Select::field_0, Select::field_0, Select::field_1};
  const uint32_t linear_128 = bits_of(from_srgb8(128));
  EXPECT_EQ(read(Layout::bits_8_8, Number::srgb, 0x8080, luminance_alpha),
            (Colour{linear_128, linear_128, linear_128, bits_of(128 / 255.0f)}));
  EXPECT_EQ(read(Layout::bits_8_8, Number::srgb, 0x8080), (Colour{linear_128, linear_128, 0, bits_of(1)}));
  EXPECT_EQ(read(Layout::bits_8_8_8_8, Number::sscaled, 0x80ff7f01)[3], bits_of(-128.0f));
  Order swizzled = {Select::one, Select::field_0, Select::zero, Select::field_1};
  EXPECT_EQ(read(Layout::bits_8_8, Number::uint, 0x0907, swizzled), (Colour{1, 7, 0, 9}));
  uint8_t texel[4];
  write_texel({Layout::bits_8_8_8_8, Number::unorm, bgra_order}, texel, {bits_of(1), bits_of(0.5f), bits_of(0), bits_of(0.2f)});
  EXPECT_EQ(texel[0], 0);
  EXPECT_EQ(texel[1], 128);
  EXPECT_EQ(texel[2], 255);
  EXPECT_EQ(texel[3], 51);
  write_texel({Layout::bits_8_8_8_8, Number::sint}, texel, {1000, uint32_t(-1000), 5, uint32_t(-5)});
  EXPECT_EQ(texel[0], 127);
  EXPECT_EQ(texel[1], 0x80);
  EXPECT_EQ(texel[3], 0xfb);
}

TEST(Texel, RowsAreTheirTexels) {
  std::mt19937 random(4);
  for (auto format : {Format{}, Format{Layout::bits_8_8_8_8, Number::unorm, bgra_order},
                      Format{Layout::bits_8_8_8_8, Number::srgb}, Format{Layout::bits_32_32_32_32, Number::floating},
                      Format{Layout::bits_16_16, Number::floating}, Format{Layout::bits_5_6_5, Number::unorm, bgra_order}}) {
    unsigned bytes = row(format.layout).bytes;
    std::vector<uint8_t> texels(bytes * 333), single(bytes * 333), rows(bytes * 333);
    for (auto& b : texels) b = uint8_t(random());
    std::vector<Colour> colours(333);
    read_row(format, texels.data(), 333, colours.data());
    for (int i = 0; i < 333; i++) ASSERT_EQ(colours[i], read_texel(format, &texels[i * bytes]));
    for (auto& colour : colours)
      for (auto& c : colour)
        if (format.layout != Layout::bits_32_32_32_32) c = bits_of(float(int(random() % 4001) - 1000) / 2000);
    colours[7][0] = bits_of(NAN);
    write_row(format, rows.data(), 333, colours.data());
    for (int i = 0; i < 333; i++) write_texel(format, &single[i * bytes], colours[i]);
    ASSERT_EQ(rows, single);
  }
}

TEST(BlockCompression, TexelsOfKnownBlocks) {
  auto at = [](Layout layout, Number number, std::initializer_list<uint8_t> block, int x, int y) {
    auto colour = read_texel(make_format(layout, number).value(), block.begin(), x, y);
    return std::array<float, 4>{float_of(colour[0]), float_of(colour[1]), float_of(colour[2]), float_of(colour[3])};
  };
  using C = std::array<float, 4>;
  // Red 0xf800 and blue 0x001f: codes 0, 1, 2, 3 in the first row, then 3s.
  std::initializer_list<uint8_t> four = {0x00, 0xf8, 0x1f, 0x00, 0xe4, 0xff, 0xff, 0xff};
  EXPECT_EQ(at(Layout::bc1, Number::unorm, four, 0, 0), (C{1, 0, 0, 1}));
  EXPECT_EQ(at(Layout::bc1, Number::unorm, four, 1, 0), (C{0, 0, 1, 1}));
  EXPECT_EQ(at(Layout::bc1, Number::unorm, four, 2, 0), (C{2 / 3.0f, 0, 1 / 3.0f, 1}));
  EXPECT_EQ(at(Layout::bc1, Number::unorm, four, 3, 3), (C{1 / 3.0f, 0, 2 / 3.0f, 1}));
  std::initializer_list<uint8_t> three = {0x1f, 0x00, 0x00, 0xf8, 0xe4, 0xff, 0xff, 0xff};
  EXPECT_EQ(at(Layout::bc1, Number::unorm, three, 2, 0), (C{0.5f, 0, 0.5f, 1}));
  EXPECT_EQ(at(Layout::bc1, Number::unorm, three, 0, 1), (C{0, 0, 0, 0}));
  // BC2: alpha nibbles count up; the colour block never has the three-colour form.
  std::initializer_list<uint8_t> bc2 = {0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe,
                                        0x1f, 0x00, 0x00, 0xf8, 0xff, 0xff, 0xff, 0xff};
  EXPECT_EQ(at(Layout::bc2, Number::unorm, bc2, 3, 2), (C{2 / 3.0f, 0, 1 / 3.0f, 11 / 15.0f}));
  // BC3: alpha 255 to 0 in seven steps, codes 0 to 7 in texels 0 to 7 (0xfac688 is 0, 1, 2, … in three bits each).
  std::initializer_list<uint8_t> bc3 = {255, 0, 0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0};
  for (int code = 2; code < 8; code++)
    EXPECT_EQ(at(Layout::bc3, Number::unorm, bc3, code % 4, code / 4)[3], (8 - code) / 7.0f) << code;
  // BC4 with the five-step form: codes 6 and 7 are 0 and 1.
  std::initializer_list<uint8_t> bc4 = {0, 255, 0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa};
  EXPECT_EQ(at(Layout::bc4, Number::unorm, bc4, 2, 0), (C{1 / 5.0f, 0, 0, 1}));
  EXPECT_EQ(at(Layout::bc4, Number::unorm, bc4, 2, 1)[0], 0);
  EXPECT_EQ(at(Layout::bc4, Number::unorm, bc4, 3, 1)[0], 1);
  std::initializer_list<uint8_t> bc5 = {0x80, 0x7f, 0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa,
                                        0x7f, 0x81, 0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa};
  EXPECT_EQ(at(Layout::bc5, Number::snorm, bc5, 0, 0), (C{-1, 1, 0, 1}));
  EXPECT_EQ(at(Layout::bc5, Number::snorm, bc5, 2, 1), (C{-1, (2 * 127 + 5 * -127) / (7 * 127.0f), 0, 1}));
  EXPECT_EQ(at(Layout::bc1, Number::srgb, four, 2, 0)[0], linear_from_srgb(2 / 3.0f));
}

}  // namespace
}  // namespace Atoll::surface
