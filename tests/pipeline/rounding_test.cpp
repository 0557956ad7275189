// Colours in targets of components of 1 to 16 bits, drawn and blended: the nearest code, worked out here in whole numbers from
// the float's own bits (Vulkan 1.3 and OpenGL 4.6, "Conversion from Floating-Point to Normalized Fixed-Point"), or what a cut of their bits
// leaves (R5xx Acceleration 10, RB3D_DITHER_CTL: Truncate, Round).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "canvas.h"
#include "surface/texel.h"

namespace Atoll::pipeline {
namespace {

using Wide = __int128;

// A number as numerator / 2^shift, exactly; shift below 100.
struct Exact {
  Wide numerator = 0;
  int shift = 0;
};
Exact exact(float value) {
  int exponent = 0;
  const double mantissa = std::frexp(double(value), &exponent);  // of 24 bits
  Wide m = Wide(std::ldexp(mantissa, 24));
  int shift = 24 - exponent;
  while (shift < 0) m *= 2, shift++;
  while (shift > 60) m /= 2, shift--;  // far below half of any code
  return {m, shift};
}

// floor(value * most + 1/2), of a value from 0 to 1; `doubt`: the product is that near to a half that the last bit of a float decides.
uint32_t nearest(const Exact& value, uint32_t most, double tolerance, bool* doubt = nullptr) {
  const Wide half = Wide(1) << value.shift, twice = value.numerator * most * 2;
  const Wide code = (twice + half) >> (value.shift + 1);
  if (doubt) {
    const Wide off = twice + half - (code << (value.shift + 1));  // from the step to this code, of one to the next
    const double part = double(off) / double(half) / 2;
    *doubt = part < tolerance || part > 1 - tolerance;
  }
  return uint32_t(code);
}

float saturated(float value) { return value > 0 ? std::min(value, 1.0f) : 0; }  // NaN: 0

// Codes, the floats next to the halves between them, and others.
std::vector<float> values_of(unsigned bits, std::mt19937& random) {
  const uint32_t most = (1u << bits) - 1;
  std::vector<float> all = {0,
                            -0.0f,
                            1,
                            -1,
                            2,
                            0.8f,
                            0.7f,
                            0.4f,
                            0.5f,
                            1e-30f,
                            std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()};
  const unsigned step = bits > 10 ? 61 : 1;
  for (uint32_t code = 0; code <= most; code += step) {
    all.push_back(float(code) / float(most));
    float half = float((double(code) + 0.5) / most);
    for (int n = 0; n < 3; n++) half = std::nextafter(half, 0.0f);
    for (int n = 0; n < 7; n++) all.push_back(half), half = std::nextafter(half, 2.0f);
  }
  while (all.size() % 1024) all.push_back(float(random()) / float(random.max()));
  return all;
}

bool is_unorm_target(const surface::LayoutRow& layout) {
  if (layout.block_width != 1 || !(layout.numbers >> unsigned(surface::Number::unorm) & 1) || !layout.fields) return false;
  for (unsigned f = 0; f < layout.fields; f++)
    if (layout.field[f].bits > 16) return false;
  return true;
}

enum class Way { drawn, replaced, added, mixed };  // without blending; blended by one and zero, one and one, alpha and its rest

struct Counts {
  unsigned tried = 0, doubtful = 0;
};

void check(const surface::LayoutRow& layout, Way way, BitCut cut, Counts& counts) {
  constexpr unsigned size = 32;
  std::mt19937 random(unsigned(layout.layout) * 7 + unsigned(way));
  std::vector<std::vector<float>> values(layout.fields);
  size_t longest = 0;
  for (unsigned f = 0; f < layout.fields; f++) {
    values[f] = values_of(layout.field[f].bits, random);
    longest = std::max(longest, values[f].size());
  }
  // Components in the order of the fields.
  const surface::Format format{layout.layout, surface::Number::unorm, surface::natural_order};
  for (size_t from = 0; from < longest; from += size_t(size) * size) {
    Canvas canvas(size, size);
    MemoryTarget target(size, size, layout.bytes);
    for (auto& byte : target.texels) byte = uint8_t(random());
    const MemoryTarget before = target;
    canvas.draw.targets.colour[0] = {&target, format, layout.bytes, false};
    auto& blend = canvas.draw.colour.blend[0];
    blend.enable = way != Way::drawn;
    blend.colour_cut = blend.alpha_cut = cut;
    if (way == Way::added) blend.target_colour = blend.target_alpha = BlendFactor::one;
    if (way == Way::mixed) {
      blend.source_colour = blend.source_alpha = BlendFactor::source_alpha;
      blend.target_colour = blend.target_alpha = BlendFactor::one_minus_source_alpha;
    }
    auto value = [&](unsigned at, unsigned f) {
      if (way == Way::mixed && f == 3) return float(at % 17) / 16;
      return values[f][(from + at * (f + 1)) % values[f].size()];
    };
    canvas.pixels.function = [&](const PixelBatch& batch, PixelResults& results) {
      for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
        for (unsigned c = 0; c < 4; c++)
          results.colour[0][c][lane] = std::bit_cast<uint32_t>(
              c < layout.fields ? value(unsigned(batch.y[lane]) * size + unsigned(batch.x[lane]), c) : 0.5f);
      results.outputs = 1;
    };
    canvas.draw.assembly.topology = Topology::rectangles;
    canvas.vertices.add(0, 0), canvas.vertices.add(size, 0), canvas.vertices.add(0, size);
    ASSERT_TRUE(canvas.run());
    for (unsigned at = 0; at < size * size; at++)
      for (unsigned f = 0; f < layout.fields; f++) {
        const surface::Field& field = layout.field[f];
        auto code_in = [&](const MemoryTarget& t) {
          uint64_t word = 0;
          std::memcpy(&word, const_cast<MemoryTarget&>(t).at(at % size, at / size) + field.first_bit / 8,
                      std::min(unsigned(layout.bytes) - field.first_bit / 8u, 4u));
          return uint32_t(word >> field.first_bit % 8) & ((1u << field.bits) - 1);
        };
        const uint32_t most = (1u << field.bits) - 1, old = code_in(before), got = code_in(target);
        const bool cuts = cut.from > field.bits;
        const uint32_t wide_most = cuts ? (1u << cut.from) - 1 : most;
        // 8_8_8_8 is multiplied in floats, and blending adds in floats.
        double tolerance = layout.layout == surface::Layout::bits_8_8_8_8 && !cuts ? 0x1p-15 : 0;
        Exact wanted = exact(saturated(value(at, f)));
        if (way == Way::added) {
          // value + old / most, in units of 1 / (most * 2^shift): the sum saturates.
          Exact sum{wanted.numerator * most + (Wide(old) << wanted.shift), wanted.shift};
          const Wide one = Wide(most) << wanted.shift;
          if (sum.numerator > one) sum.numerator = one;
          wanted = sum;
          tolerance = std::max(tolerance, double(wide_most) * 0x1p-22);
        }
        if (way == Way::mixed) {
          const Exact alpha = exact(layout.fields > 3 ? saturated(value(at, 3)) : 0.5f);
          const Wide alpha_rest = (Wide(1) << alpha.shift) - alpha.numerator;
          wanted.numerator = wanted.numerator * alpha.numerator * most + ((alpha_rest * old) << wanted.shift);
          wanted.shift += alpha.shift;
          tolerance = std::max(tolerance, double(wide_most) * 0x1p-21);
        }
        const bool of_most = way == Way::added || way == Way::mixed;  // `wanted` is most times the number
        bool doubt = false;
        uint32_t expected;
        if (of_most && wide_most == most) {
          expected = nearest(wanted, 1, tolerance, &doubt);
        } else {
          // (A division by `most` is left: more bits first.)
          if (of_most) wanted.numerator = (wanted.numerator << 20) / most, wanted.shift += 20;
          expected = nearest(wanted, wide_most, tolerance, &doubt);
        }
        if (cuts) {
          const unsigned lost = cut.from - field.bits;
          const uint32_t wide = expected;
          auto left = [&](uint32_t code) { return (cut.rounds ? std::min(code + (1u << (lost - 1)), wide_most) : code) >> lost; };
          expected = left(wide);
          if (doubt) doubt = left(wide ? wide - 1 : 0) != expected || left(std::min(wide + 1, wide_most)) != expected;
        }
        counts.tried++, counts.doubtful += doubt;
        if (doubt)
          ASSERT_LE(std::max(got, expected) - std::min(got, expected), 1u) << layout.name << " field " << f;
        else
          ASSERT_EQ(got, expected) << layout.name << " field " << f << " way " << int(way) << " value " << value(at, f)
                                   << " over " << old << " cut from " << int(cut.from) << (cut.rounds ? ", rounded" : "");
      }
  }
}

TEST(Rounding, ToTheNearestCode) {
  Counts counts;
  unsigned targets = 0;
  uint32_t widths = 0;
  for (auto& layout : surface::layouts()) {
    if (!is_unorm_target(layout)) continue;
    targets++;
    for (unsigned f = 0; f < layout.fields; f++) widths |= 1u << layout.field[f].bits;
    for (Way way : {Way::drawn, Way::replaced, Way::added, Way::mixed}) {
      if (way == Way::mixed && layout.fields != 4) continue;
      check(layout, way, {}, counts);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_GE(targets, 20u);
  for (unsigned width : {1u, 2u, 3u, 4u, 5u, 6u, 8u, 10u, 11u, 16u}) EXPECT_TRUE(widths >> width & 1) << width << " bits";
  EXPECT_LT(counts.doubtful * 5, counts.tried);
  RecordProperty("tried", int(counts.tried));
  RecordProperty("doubtful", int(counts.doubtful));
}

// Sources of 8, 10 and 16 bits in targets that have fewer: cut off or rounded, as RB3D_DITHER_CTL says.
TEST(Rounding, OfWhatIsCut) {
  Counts counts;
  for (auto& layout : surface::layouts()) {
    if (!is_unorm_target(layout)) continue;
    for (uint8_t from : {8, 10, 16})
      for (bool rounds : {false, true})
        for (Way way : {Way::drawn, Way::replaced, Way::added}) {
          check(layout, way, {from, rounds}, counts);
          if (testing::Test::HasFatalFailure()) return;
        }
  }
  EXPECT_LT(counts.doubtful * 5, counts.tried);
  RecordProperty("tried", int(counts.tried));
  RecordProperty("doubtful", int(counts.doubtful));
}

}  // namespace
}  // namespace Atoll::pipeline
