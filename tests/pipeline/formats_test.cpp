// Targets of every format: what is written is what surface/ encodes, blended in linear numbers, masked by components, or combined
// by a logic operation.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "canvas.h"
#include "surface/texel.h"

namespace Atoll::pipeline {
namespace {

bool renderable(const surface::LayoutRow& layout, surface::Number number) {
  return layout.block_width == 1 && (layout.numbers >> unsigned(number) & 1) && number != surface::Number::depth_stencil;
}

TEST(Formats, EveryFormatIsWritten) {
  std::mt19937 random(41);
  unsigned formats = 0;
  for (auto& layout : surface::layouts())
    for (int n = 0; n < surface::number_count; n++) {
      auto number = surface::Number(n);
      if (!renderable(layout, number)) continue;
      formats++;
      for (int round = 0; round < 6; round++) {
        Canvas canvas(24, 24);
        surface::Format format{layout.layout, number, round % 2 ? surface::bgra_order : surface::natural_order};
        MemoryTarget target(24, 24, layout.bytes);
        for (auto& byte : target.texels) byte = uint8_t(random() % 60);  // no NaNs in floats
        MemoryTarget before = target;
        canvas.draw.targets.colour[0] = {nullptr, {}, 4, false};
        canvas.draw.targets.colour[2] = {&target, format, layout.bytes, round == 5};
        auto& blend = canvas.draw.colour.blend[2];
        bool integer = surface::is_integer(number),
             scaled = number == surface::Number::uscaled || number == surface::Number::sscaled;
        blend.enable = round >= 2 && round < 4;
        blend.source_colour = blend.source_alpha = BlendFactor::source_alpha,
        blend.target_colour = blend.target_alpha = BlendFactor::one_minus_source_alpha;
        blend.write_mask = round == 3 ? 0x5 : 0xf;
        surface::Colour source;
        for (auto& v : source)
          v = integer ? random() % 300 : std::bit_cast<uint32_t>(float(random() % 1000) / 900 * (scaled ? 200 : 1));
        canvas.pixels.function = [&](const PixelBatch& batch, PixelResults& results) {
          for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
            for (int c = 0; c < 4; c++) results.colour[2][c][lane] = source[c];
          results.outputs = 4;
        };
        canvas.draw.assembly.topology = Topology::rectangles;
        canvas.vertices.add(3, 2), canvas.vertices.add(20, 2), canvas.vertices.add(3, 21);
        ASSERT_TRUE(canvas.run());
        auto rounding = round == 5 ? surface::Rounding::toward_zero : surface::Rounding::nearest_even;
        bool normal = number == surface::Number::unorm || number == surface::Number::srgb || number == surface::Number::snorm;
        for (unsigned y = 0; y < 24; y++)
          for (unsigned x = 0; x < 24; x++) {
            if (x < 3 || x >= 20 || y < 2 || y >= 21) {
              ASSERT_EQ(std::memcmp(target.at(x, y), before.at(x, y), layout.bytes), 0);
              continue;
            }
            surface::Colour old = surface::read_texel(format, before.at(x, y)), expected = source;
            if (blend.enable && !integer && !scaled)
              for (int c = 0; c < 4; c++) {
                auto of = [&](uint32_t v) {
                  float f = std::bit_cast<float>(v);
                  return normal ? std::min(f, 1.0f) : f;
                };
                float a = of(source[3]);
                expected[c] = std::bit_cast<uint32_t>(of(source[c]) * a + std::bit_cast<float>(old[c]) * (1 - a));
              }
            std::vector<uint8_t> bytes(layout.bytes);
            surface::write_texel(format, bytes.data(), expected, rounding);
            surface::Colour is = surface::read_texel(format, target.at(x, y)), wanted = surface::read_texel(format, bytes.data());
            for (int c = 0; c < 4; c++) {
              bool written = blend.write_mask >> c & 1;
              if (layout.layout == surface::Layout::bits_9_9_9_e5 && !written) continue;  // the exponent is everyone's
              // A field that two components draw from is the first one's.
              auto want = written ? wanted[c] : old[c];
              if (blend.write_mask != 0xf)
                for (int e = 0; e < c; e++)
                  if (format.order[e] == format.order[c]) want = (blend.write_mask >> e & 1) ? wanted[e] : old[e];
              if (layout.layout == surface::Layout::bits_9_9_9_e5 && round == 3) continue;
              if (integer || layout.layout == surface::Layout::bits_32 || !blend.enable) {
                if (layout.layout == surface::Layout::bits_8_8_8_8 && number == surface::Number::unorm) {
                  ASSERT_NEAR(std::bit_cast<float>(is[c]), std::bit_cast<float>(want), 1e-6);  // (rounds halves to even)
                } else {
                  ASSERT_EQ(is[c], want) << layout.name << " " << name(number) << " round " << round << " component " << c;
                }
              } else {
                float step = layout.field[0].bits <= 10 && normal
                                 ? 1.001f / float((1u << (layout.field[0].bits - (number == surface::Number::snorm))) - 1)
                                 : 0.02f;
                if (layout.fields > 3 && layout.field[3].bits < 4) step = 1.01f;
                if (std::isnan(std::bit_cast<float>(is[c])) && std::isnan(std::bit_cast<float>(want))) continue;
                if (is[c] == want) continue;  // (infinities)
                ASSERT_NEAR(std::bit_cast<float>(is[c]), std::bit_cast<float>(want), step)
                    << layout.name << " " << name(number) << " round " << round << " component " << c;
              }
            }
          }
      }
    }
  EXPECT_GT(formats, 100u);
}

// Values of every kind, each pixel another: stored as surface/ encodes them, and blended by min, which gives back what was there.
TEST(Formats, OddValuesAreEncodedAlike) {
  std::mt19937 random(47);
  for (auto& layout : surface::layouts())
    for (int n = 0; n < surface::number_count; n++) {
      auto number = surface::Number(n);
      if (!renderable(layout, number) || (layout.layout == surface::Layout::bits_8_8_8_8 && number == surface::Number::unorm))
        continue;
      constexpr unsigned size = 96;
      Canvas canvas(size, size);
      surface::Format format{layout.layout, number, surface::natural_order};
      MemoryTarget target(size, size, layout.bytes);
      canvas.draw.targets.colour[0] = {&target, format, layout.bytes, false};
      std::vector<surface::Colour> values(size * size);
      for (auto& colour : values)
        for (auto& v : colour) {
          switch (random() % 4) {
            case 0: v = random(); break;
            case 1: v = std::bit_cast<uint32_t>(std::uniform_real_distribution<float>(-1.1f, 1.1f)(random)); break;
            case 2: v = std::bit_cast<uint32_t>(float(random() % 512) / 510); break;
            case 3: v = 0x33000000 + random() % 0x16000000; break;  // what halves can hold, and beyond
          }
        }
      canvas.pixels.function = [&](const PixelBatch& batch, PixelResults& results) {
        for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
          for (int c = 0; c < 4; c++)
            results.colour[0][c][lane] = values[size_t(batch.y[lane]) * size + size_t(batch.x[lane])][c];
        results.outputs = 1;
      };
      canvas.draw.assembly.topology = Topology::rectangles;
      canvas.vertices.add(0, 0), canvas.vertices.add(size, 0), canvas.vertices.add(0, size);
      ASSERT_TRUE(canvas.run());
      for (unsigned at = 0; at < size * size; at++) {
        uint8_t expected[16];
        surface::write_texel(format, expected, values[at]);
        for (unsigned byte = 0; byte < layout.bytes; byte++)
          ASSERT_EQ(target.at(at % size, at / size)[byte], expected[byte])
              << layout.name << " " << name(number) << " " << std::hex << values[at][0] << " " << values[at][1] << " "
              << values[at][2] << " " << values[at][3];
      }
      if (surface::is_integer(number) || number == surface::Number::uscaled || number == surface::Number::sscaled) continue;
      // Decoded and encoded again: the same but for NaNs' payloads.
      auto before = target;
      auto& blend = canvas.draw.colour.blend[0];
      blend.enable = true;
      blend.source_colour = blend.source_alpha = BlendFactor::zero, blend.target_colour = blend.target_alpha = BlendFactor::one;
      ASSERT_TRUE(canvas.run());
      for (unsigned at = 0; at < size * size; at++) {
        auto was = surface::read_texel(format, before.at(at % size, at / size)),
             is = surface::read_texel(format, target.at(at % size, at / size));
        for (int c = 0; c < 4; c++) {
          float a = std::bit_cast<float>(was[c]), b = std::bit_cast<float>(is[c]);
          ASSERT_TRUE(a == b || (std::isnan(a) && std::isnan(b)))
              << layout.name << " " << name(number) << " " << a << " became " << b;
        }
      }
    }
}

TEST(Formats, LogicOperations) {
  std::mt19937 random(43);
  for (unsigned op = 0; op < 16; op++)
    for (auto number : {surface::Number::unorm, surface::Number::uint}) {
      Canvas canvas(8, 8);
      for (auto& byte : canvas.colour.texels) byte = uint8_t(random());
      auto before = canvas.colour;
      canvas.draw.targets.colour[0].format.number = number;
      canvas.draw.colour.logic_op_enable = true;
      canvas.draw.colour.logic_op = LogicOp(op);
      canvas.draw.colour.blend[0].enable = true;
      canvas.draw.colour.blend[0].write_mask = 0xb;
      uint8_t source[4] = {0xa5, 0x3c, 0x77, 0x0f};
      canvas.pixels.function = [&](const PixelBatch&, PixelResults& results) {
        for (int c = 0; c < 4; c++)
          results.colour[0][c].fill(number == surface::Number::uint ? source[c]
                                                                    : std::bit_cast<uint32_t>(float(source[c]) / 255));
        results.outputs = 1;
      };
      canvas.draw.assembly.topology = Topology::rectangles;
      canvas.vertices.add(0, 0), canvas.vertices.add(8, 0), canvas.vertices.add(0, 8);
      ASSERT_TRUE(canvas.run());
      for (unsigned y = 0; y < 8; y++)
        for (unsigned x = 0; x < 8; x++)
          for (int c = 0; c < 4; c++) {
            unsigned expected = 0, s = source[c], t = before.at(x, y)[c];
            for (int bit = 0; bit < 8; bit++) expected |= (op >> ((s >> bit & 1) << 1 | (t >> bit & 1)) & 1) << bit;
            if (c == 2) expected = t;
            ASSERT_EQ(canvas.colour.at(x, y)[c], expected) << op;
          }
    }
}

TEST(Formats, SeveralTargetsAtOnce) {
  Canvas canvas(70, 70);
  MemoryTarget second(70, 70, 2), third(70, 70, 16);
  canvas.draw.targets.colour[1] = {&second, {surface::Layout::bits_5_6_5, surface::Number::unorm, surface::bgra_order}, 2, false};
  canvas.draw.targets.colour[3] = {
      &third, {surface::Layout::bits_32_32_32_32, surface::Number::floating, surface::natural_order}, 16, false};
  canvas.draw.colour.alpha_test = true;
  canvas.draw.colour.alpha_compare = Compare::greater;
  canvas.draw.colour.alpha_reference = 0.5f;
  canvas.pixels.function = [&](const PixelBatch& batch, PixelResults& results) {
    for (unsigned lane = 0; lane < 4 * batch.quads; lane++) {
      float x = float(batch.x[lane]);
      float values[4][4] = {{1, 0, 0, x / 64}, {1, 0.5f, 0, 1}, {}, {x, float(batch.y[lane]), -3, 1e20f}};
      for (int n : {0, 1, 3})
        for (int c = 0; c < 4; c++) results.colour[n][c][lane] = std::bit_cast<uint32_t>(values[n][c]);
    }
    results.outputs = 0xb;
  };
  canvas.draw.assembly.topology = Topology::rectangles;
  canvas.vertices.add(0, 0), canvas.vertices.add(70, 0), canvas.vertices.add(0, 70);
  ASSERT_TRUE(canvas.run());
  for (unsigned y = 0; y < 70; y++)
    for (unsigned x = 0; x < 70; x++) {
      bool drawn = x > 32;
      ASSERT_EQ(canvas.colour.word(x, y) & 0xffffff, drawn ? 0xffu : 0u);
      ASSERT_EQ(second.word(x, y), drawn ? 0xf800u | 32u << 5 : 0u);
      float f[4];
      std::memcpy(f, third.at(x, y), 16);
      ASSERT_EQ(f[1], drawn ? float(y) : 0.0f);
      ASSERT_EQ(f[3], drawn ? 1e20f : 0.0f);
    }
}

}  // namespace
}  // namespace Atoll::pipeline
