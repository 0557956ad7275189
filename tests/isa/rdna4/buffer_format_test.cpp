// Texel conversions against arithmetic in double, and the descriptor's fields.
#include "isa/rdna4/buffer_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace Atoll::rdna4::test {
namespace {

float f32(uint32_t x) { return std::bit_cast<float>(x); }
// The value of a small float of 5 exponent bits; infinities and NaNs are not given here.
double small_float(uint32_t x, int mantissa_bits) {
  uint32_t field = x >> mantissa_bits & 31, mantissa = x & ((1u << mantissa_bits) - 1);
  return field ? std::ldexp(1.0 + std::ldexp(double(mantissa), -mantissa_bits), int(field) - 15)
               : std::ldexp(double(mantissa), -14 - mantissa_bits);
}
double half(uint32_t x) { return x & 0x8000 ? -small_float(x, 10) : small_float(x, 10); }

TEST(BufferFormat, Table) {
  // Number: name, bytes, components (RDNA4 ISA table 62).
  struct Row {
    unsigned number;
    const char* name;
    unsigned bytes, components;
  };
  for (Row r : {Row{1, "8_UNORM", 1, 1},         {6, "8_SINT", 1, 1},
                {7, "16_UNORM", 2, 1},           {13, "16_FLOAT", 2, 1},
                {14, "8_8_UNORM", 2, 2},         {19, "8_8_SINT", 2, 2},
                {20, "32_UINT", 4, 1},           {22, "32_FLOAT", 4, 1},
                {23, "16_16_UNORM", 4, 2},       {29, "16_16_FLOAT", 4, 2},
                {30, "10_11_11_FLOAT", 4, 3},    {31, "11_11_10_FLOAT", 4, 3},
                {32, "10_10_10_2_UNORM", 4, 4},  {35, "10_10_10_2_SINT", 4, 4},
                {36, "2_10_10_10_UNORM", 4, 4},  {39, "2_10_10_10_SSCALED", 4, 4},
                {41, "2_10_10_10_SINT", 4, 4},   {42, "8_8_8_8_UNORM", 4, 4},
                {47, "8_8_8_8_SINT", 4, 4},      {48, "32_32_UINT", 8, 2},
                {50, "32_32_FLOAT", 8, 2},       {51, "16_16_16_16_UNORM", 8, 4},
                {57, "16_16_16_16_FLOAT", 8, 4}, {58, "32_32_32_UINT", 12, 3},
                {60, "32_32_32_FLOAT", 12, 3},   {61, "32_32_32_32_UINT", 16, 4},
                {63, "32_32_32_32_FLOAT", 16, 4}}) {
    const BufferFormat* f = buffer_format(r.number);
    ASSERT_NE(f, nullptr);
    EXPECT_STREQ(f->name, r.name);
    EXPECT_EQ(f->bytes(), r.bytes) << r.name;
    EXPECT_EQ(f->components(), r.components) << r.name;
  }
  EXPECT_EQ(buffer_format(0), nullptr);
  EXPECT_EQ(buffer_format(64), nullptr);
  // The widths that stand in a name are those of the fields, from the top.
  for (unsigned n = 1; n < 64; n++) {
    const BufferFormat& f = *buffer_format(n);
    std::string widths;
    for (int c = 3; c >= 0; c--)
      if (f.bits[c]) widths += std::to_string(f.bits[c]) + "_";
    EXPECT_TRUE(std::string(f.name).starts_with(widths)) << f.name;
  }
}

// Every value of components of up to 16 bits.
TEST(BufferFormat, LoadsEveryValue) {
  for (unsigned n = 1; n < 64; n++) {
    const BufferFormat& f = *buffer_format(n);
    unsigned at = 0;
    for (unsigned c = 0; c < f.components(); at += f.bits[c++]) {
      unsigned bits = f.bits[c];
      if (bits == 32) continue;
      for (uint32_t raw = 0; raw < 1u << bits; raw++) {
        uint32_t texel[4] = {}, out[4], out16[4];
        texel[at / 32] = raw << at % 32;
        components_of_texel(f, Width::Bits32, texel, out);
        components_of_texel(f, Width::Bits16, texel, out16);
        int32_t integer = int32_t(raw << (32 - bits)) >> (32 - bits);
        double most = double((1 << (bits - 1)) - 1), value = 0;
        std::string where = std::string(f.name) + " component " + std::to_string(c) + " value " + std::to_string(raw);
        switch (f.number) {
          case Number::Uint:
            ASSERT_EQ(out[c], raw) << where;
            ASSERT_EQ(out16[c], raw) << where;
            continue;
          case Number::Sint:
            ASSERT_EQ(out[c], uint32_t(integer)) << where;
            ASSERT_EQ(out16[c], uint32_t(integer) & 0xffff) << where;
            continue;
          case Number::Unorm: value = raw / (2 * most + 1); break;
          case Number::Snorm: value = std::max(integer / most, -1.0); break;
          case Number::SnormOgl: FAIL() << where << ": RDNA4 has no such numbers";
          case Number::Uscaled: value = raw; break;
          case Number::Sscaled: value = integer; break;
          case Number::Float: {
            int mantissa = bits == 16 ? 10 : int(bits) - 5;
            if ((raw >> mantissa & 31) == 31) {
              bool nan = raw & ((1u << mantissa) - 1);
              ASSERT_EQ(std::isnan(f32(out[c])), nan) << where;
              ASSERT_EQ(std::isinf(f32(out[c])), !nan) << where;
              ASSERT_EQ((out16[c] & 0x7c00) == 0x7c00 && ((out16[c] & 0x3ff) != 0) == nan, true) << where;
              continue;
            }
            value = bits == 16 ? half(raw) : small_float(raw, mantissa);
            ASSERT_EQ(half(out16[c]), value) << where;
          }
        }
        ASSERT_EQ(f32(out[c]), float(value)) << where;
        // The nearest half: no neighbour is nearer (the even one in a tie); 65504 is the last.
        if (std::abs(value) >= 65520) {
          ASSERT_EQ(out16[c] & 0x7fff, 0x7c00u) << where;
        } else {
          double error = std::abs(half(out16[c]) - value);
          ASSERT_LE(error, std::abs(half(out16[c] + 1) - value)) << where;
          if (out16[c] & 0x7fff) {
            ASSERT_LE(error, std::abs(half(out16[c] - 1) - value)) << where;
          }
          if (error == std::abs(half(out16[c] + 1) - value) && error) {
            ASSERT_EQ(out16[c] & 1, 0u) << where;
          }
        }
        for (unsigned other = 0; other < 4; other++)
          if (other != c) {
            ASSERT_EQ(out[other], 0u) << where;
          }
      }
    }
  }
}

TEST(BufferFormat, ThirtyTwoBitsPass) {
  for (unsigned number : {61u, 62u, 63u}) {
    uint32_t texel[] = {1, 0x80000000, 0x7fc00001, 0xffffffff}, out[4], back[4];
    components_of_texel(*buffer_format(number), Width::Bits32, texel, out);
    texel_of_components(*buffer_format(number), Width::Bits32, out, back);
    for (int n = 0; n < 4; n++) {
      EXPECT_EQ(out[n], texel[n]);
      EXPECT_EQ(back[n], texel[n]);
    }
  }
}

// f32 to half: toward zero.
TEST(BufferFormat, CutsFloatsToHalves) {
  for (auto [x, h] : {std::pair{0x3f800000u, 0x3c00u},
                      {0x3f801fffu, 0x3c00u},
                      {0x3f802000u, 0x3c01u},
                      {0xbf801fffu, 0xbc00u},
                      {0x477fffffu, 0x7bffu},
                      {0x47800000u, 0x7bffu},
                      {0x7f800000u, 0x7c00u},
                      {0xff800000u, 0xfc00u},
                      {0x33800000u, 0x0001u},
                      {0x337fffffu, 0u},
                      {0x387fffffu, 0x03ffu},
                      {0x80000001u, 0x8000u}}) {
    uint32_t texel[4] = {x}, out[4], back[4] = {};
    components_of_texel(*buffer_format(22), Width::Bits16, texel, out);
    EXPECT_EQ(out[0], h) << std::hex << x;
    texel_of_components(*buffer_format(13), Width::Bits32, texel, back);  // the same on the way to a 16_FLOAT
    EXPECT_EQ(back[0], h) << std::hex << x;
  }
  uint32_t nan[4] = {0xff800001}, out[4];
  components_of_texel(*buffer_format(22), Width::Bits16, nan, out);
  EXPECT_EQ(out[0] & 0xfc00, 0xfc00u);
  EXPECT_NE(out[0] & 0x3ff, 0u);
}

// A loaded value can be stored again, in both widths that hold it.
TEST(BufferFormat, RoundTrips) {
  for (unsigned n = 1; n < 64; n++) {
    const BufferFormat& f = *buffer_format(n);
    if (f.bits[0] == 32) continue;
    for (uint32_t seed = 0; seed < 3000; seed++) {
      uint32_t texel[4] = {}, x[4], back[4];
      for (unsigned w = 0; w * 4 < f.bytes(); w++) texel[w] = (seed * 0x9e3779b9u + w) * 0x85ebca6bu;
      if (f.bytes() < 4) texel[0] &= (1u << f.bytes() * 8) - 1;
      components_of_texel(f, Width::Bits32, texel, x);
      texel_of_components(f, Width::Bits32, x, back);
      unsigned at = 0;
      for (unsigned c = 0; c < f.components(); at += f.bits[c++]) {
        uint32_t mask = (1u << f.bits[c]) - 1, was = texel[at / 32] >> at % 32 & mask, is = back[at / 32] >> at % 32 & mask;
        if (f.number == Number::Snorm && was == 1u << (f.bits[c] - 1)) was++;  // -1 has two forms
        ASSERT_EQ(is, was) << f.name << " component " << c;
      }
    }
  }
}

TEST(BufferFormat, StoresClampAndRound) {
  struct Row {
    unsigned format;
    uint32_t component, texel;
  };
  for (Row r : {Row{1, 0x3f000000, 128},  // 127.5: to even
                {1, 0x3efeffff, 127},    {1, 0x40000000, 255},     {1, 0xbf800000, 0},     {1, 0x7fc00000, 0},
                {1, 0x7f800000, 255},    {1, 0x00000001, 0},       {2, 0xbf800000, 0x81},  {2, 0xc0000000, 0x81},
                {2, 0x3f800000, 0x7f},   {2, 0xff800000, 0x81},    {3, 0x437f8000, 255},   {3, 0x40200000, 2},
                {3, 0x40600000, 4},      {3, 0xc0400000, 0},       {4, 0xc3010000, 0x80},  {4, 0xc0200000, 0xfe},
                {5, 300, 255},           {5, 0xffffffff, 255},     {6, 0xffffff00, 0x80},  {6, 200, 0x7f},
                {6, 0xffffffff, 0xff},   {10, 0x47800000, 0x7fff}, {30, 0xbf800000, 0},    {30, 0x3f800000, 0x3c0},
                {30, 0x7f800000, 0x7c0}, {30, 0x47ffffff, 0x7bf},  {31, 0x3f800000, 0x1e0}}) {
    uint32_t in[4] = {r.component}, out[4];
    texel_of_components(*buffer_format(r.format), Width::Bits32, in, out);
    EXPECT_EQ(out[0], r.texel) << buffer_format(r.format)->name << std::hex << " 0x" << r.component << " gave 0x" << out[0];
  }
  uint32_t halves[4] = {0x3800, 0xbc00, 0x7e00, 0x3c00}, out[4];
  texel_of_components(*buffer_format(42), Width::Bits16, halves, out);
  EXPECT_EQ(out[0], 0xff000080u);
  uint32_t integers[4] = {0xffff, 0x8000, 5, 0x7fff};
  texel_of_components(*buffer_format(47), Width::Bits16, integers, out);
  EXPECT_EQ(out[0], 0x7f0580ffu);
}

TEST(BufferResource, Fields) {
  uint32_t words[] = {0x89abcdef, 0x4567u | 0x1234u << 16 | 3u << 30, 0x11223344,
                      4u | 5u << 3 | 1u << 6 | 7u << 9 | 42u << 12 | 2u << 18 | 1u << 21 | 1u << 23 | 3u << 28 | 1u << 30};
  BufferResource v = buffer_resource(words);
  EXPECT_EQ(v.base, 0x456789abcdefull);
  EXPECT_EQ(v.stride, 0x1234u * 8);
  EXPECT_EQ(v.records, 0x11223344u);
  EXPECT_EQ(v.element_bytes, 16u);
  EXPECT_EQ(v.index_stride, 16u);
  EXPECT_EQ(v.select[0], 4);
  EXPECT_EQ(v.select[1], 5);
  EXPECT_EQ(v.select[2], 1);
  EXPECT_EQ(v.select[3], 7);
  EXPECT_EQ(v.format, 42);
  EXPECT_TRUE(v.add_lane);
  EXPECT_EQ(v.out_of_bounds, 3);
  EXPECT_EQ(v.type, 1);
}

}  // namespace
}  // namespace Atoll::rdna4::test
