// Depth, blending and the order of primitives against a slow reference written apart.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>
#include <vector>

#include "base/half.h"
#include "canvas.h"

namespace Atoll::pipeline {
namespace {

// Random overlapping triangles with colours and depths.
void scene(Canvas& canvas, unsigned triangles, unsigned seed, float extent) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> place(-extent / 8, extent), unit(0, 1);
  for (unsigned t = 0; t < triangles; t++) {
    float cx = place(random), cy = place(random), z = unit(random);
    for (int n = 0; n < 3; n++) {
      std::uniform_real_distribution<float> near(-extent / 3, extent / 3);
      canvas.vertices.add(cx + near(random), cy + near(random), std::clamp(z + near(random) / extent / 4, 0.0f, 1.0f), 1,
                          {unit(random), unit(random), unit(random), unit(random)});
    }
  }
}

void source_over(Blend& blend) {
  blend.enable = true;
  blend.source_colour = BlendFactor::source_alpha, blend.target_colour = BlendFactor::one_minus_source_alpha;
  blend.source_alpha = BlendFactor::one, blend.target_alpha = BlendFactor::one_minus_source_alpha;
}

TEST(Merge, SameBytesForAnyNumberOfWorkers) {
  for (bool early : {true, false}) {
    std::vector<uint8_t> colour, depth;
    uint64_t passed = 0;
    for (unsigned count : {1u, 2u, 5u}) {
      Canvas canvas(500, 300);
      scene(canvas, 20000, 7, 400);
      for (auto& v : canvas.vertices.vertices) v.position[0] *= 1.3f;
      source_over(canvas.draw.colour.blend[0]);
      MemoryTarget z(500, 300, 4);
      z.fill(0xabffffff);
      canvas.draw.targets.depth = {&z, 24, nullptr, false};
      canvas.draw.depth_stencil.depth_test = canvas.draw.depth_stencil.depth_write = true;
      canvas.draw.depth_stencil.depth_compare = Compare::less;
      canvas.draw.depth_stencil.early = early;
      canvas.draw.depth_stencil.count_samples = true;
      Workers workers(count);
      ASSERT_TRUE(canvas.run(workers));
      if (count == 1) colour = canvas.colour.texels, depth = z.texels, passed = canvas.counters.samples_passed;
      EXPECT_EQ(colour, canvas.colour.texels) << count;
      EXPECT_EQ(depth, z.texels) << count;
      EXPECT_EQ(passed, canvas.counters.samples_passed);
      EXPECT_EQ(z.texels[3], 0xab);  // the upper byte stays
    }
    EXPECT_GT(passed, 100000u);
  }
}

// Each pixel's colour sums the depths that the three triangles left, which all fit into one wave.
TEST(Merge, EarlyTestsAndCopiesOfDepth) {
  for (bool early : {true, false}) {
    Canvas canvas(4, 4);
    for (float z : {0.5f, 0.25f, 0.125f}) {
      canvas.vertices.add(0, 0, z);
      canvas.vertices.add(8, 0, z);
      canvas.vertices.add(0, 8, z);
    }
    MemoryTarget z(4, 4, 4);
    canvas.draw.targets.depth = {&z, 32, nullptr, false};
    canvas.draw.depth_stencil.depth_test = canvas.draw.depth_stencil.depth_write = true;
    canvas.draw.depth_stencil.depth_compare = Compare::always;
    canvas.draw.depth_stencil.early = early, canvas.draw.depth_stencil.copy_depth = true;
    Blend& blend = canvas.draw.colour.blend[0];
    blend.enable = true;
    blend.source_colour = blend.target_colour = BlendFactor::one;
    ASSERT_TRUE(canvas.run());
    const unsigned sum = 128 + 64 + 32;  // each rounded
    for (unsigned n = 0; n < 16; n++) EXPECT_EQ(canvas.colour.word(n % 4, n / 4) & 0xff, sum) << early << " " << n;
  }
}

// Every triangle alone, so that the reference needs no rasteriser: coverage, z and colour of each pixel are taken from a stage
// that records them; the reference then does all of the tests and blending itself, a pixel at a time, in doubles.
struct Fragment {
  int x, y;
  float z, colour[4];
};

class Reference {
public:
  Reference(unsigned width, unsigned height) : width(width), colour(size_t(width) * height), depth(size_t(width) * height, 1.0) {}
  unsigned width;
  std::vector<std::array<double, 4>> colour;
  std::vector<double> depth;
};

double factor(BlendFactor f, int c, const double* s, const double* second, const double* d, const double* k) {
  switch (f) {
    case BlendFactor::zero: return 0;
    case BlendFactor::one: return 1;
    case BlendFactor::source_colour: return s[c];
    case BlendFactor::one_minus_source_colour: return 1 - s[c];
    case BlendFactor::source_alpha: return s[3];
    case BlendFactor::one_minus_source_alpha: return 1 - s[3];
    case BlendFactor::target_colour: return d[c];
    case BlendFactor::one_minus_target_colour: return 1 - d[c];
    case BlendFactor::target_alpha: return d[3];
    case BlendFactor::one_minus_target_alpha: return 1 - d[3];
    case BlendFactor::source_alpha_saturate: return c == 3 ? 1 : std::min(s[3], 1 - d[3]);
    case BlendFactor::constant_colour: return k[c];
    case BlendFactor::one_minus_constant_colour: return 1 - k[c];
    case BlendFactor::constant_alpha: return k[3];
    case BlendFactor::one_minus_constant_alpha: return 1 - k[3];
    case BlendFactor::second_source_colour: return second[c];
    case BlendFactor::one_minus_second_source_colour: return 1 - second[c];
    case BlendFactor::second_source_alpha: return second[3];
    case BlendFactor::one_minus_second_source_alpha: return 1 - second[3];
  }
  return 0;
}

double blended(BlendOp op, double s, double fs, double d, double fd) {
  switch (op) {
    case BlendOp::add: return s * fs + d * fd;
    case BlendOp::subtract: return s * fs - d * fd;
    case BlendOp::reverse_subtract: return d * fd - s * fs;
    case BlendOp::min: return std::min(s, d);
    case BlendOp::max: return std::max(s, d);
  }
  return 0;
}

TEST(Merge, BlendingMatchesTheFormula) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; round++) {
    Canvas canvas(48, 48);
    canvas.draw.targets.colour[0].format.order = round % 2 ? surface::bgra_order : surface::natural_order;
    for (auto& byte : canvas.colour.texels) byte = uint8_t(random());
    auto before = canvas.colour.texels;
    auto pick = [&](int n) { return int(random() % unsigned(n)); };
    Blend& blend = canvas.draw.colour.blend[0];
    blend.enable = round % 8 != 0;
    blend.source_colour = any_factor(pick(19)), blend.target_colour = any_factor(pick(19));
    blend.source_alpha = any_factor(pick(19)), blend.target_alpha = any_factor(pick(19));
    blend.colour = BlendOp(pick(5)), blend.alpha = BlendOp(pick(5));
    blend.write_mask = round % 3 ? 0xf : uint8_t(pick(16));
    float constant[4], source[4];
    for (int c = 0; c < 4; c++) {
      canvas.draw.colour.constant[c] = constant[c] = float(pick(256)) / 255 + (round % 5 ? 0 : float(pick(3) - 1));
      source[c] = float(pick(1000)) / 999 + (round % 7 ? 0 : float(pick(3) - 1));  // beyond 0 to 1 as well
    }
    canvas.pixels.function = [&](const PixelBatch&, PixelResults& results) {
      for (unsigned lane = 0; lane < 64; lane++)
        for (int c = 0; c < 4; c++) {
          results.colour[0][c][lane] = std::bit_cast<uint32_t>(source[c]);
          results.colour[1][c][lane] = std::bit_cast<uint32_t>(1 - source[c]);
        }
      results.outputs = 1;
      results.has_second_source = true;
    };
    canvas.draw.assembly.topology = Topology::rectangles;
    canvas.vertices.add(3, 5), canvas.vertices.add(41, 5), canvas.vertices.add(3, 43);
    ASSERT_TRUE(canvas.run());
    for (int y = 0; y < 48; y++)
      for (int x = 0; x < 48; x++) {
        const uint8_t *was = &before[size_t(y * 48 + x) * 4], *is = &canvas.colour.texels[size_t(y * 48 + x) * 4];
        bool inside = x >= 3 && x < 41 && y >= 5 && y < 43;
        double s[4], d[4], k[4], second[4];
        auto byte_of = [&](int c) { return round % 2 && c < 3 ? 2 - c : c; };
        for (int c = 0; c < 4; c++) {
          s[c] = std::clamp(source[c], 0.0f, 1.0f), k[c] = std::clamp(constant[c], 0.0f, 1.0f);
          d[c] = was[byte_of(c)] / 255.0;
          second[c] = std::clamp(1 - source[c], 0.0f, 1.0f);
        }
        for (int c = 0; c < 4; c++) {
          double expected = was[byte_of(c)];
          if (inside && (blend.write_mask >> c & 1)) {
            double v = s[c];
            if (blend.enable)
              v = c < 3 ? blended(blend.colour, s[c], factor(blend.source_colour, c, s, second, d, k), d[c],
                                  factor(blend.target_colour, c, s, second, d, k))
                        : blended(blend.alpha, s[3], factor(blend.source_alpha, 3, s, second, d, k), d[3],
                                  factor(blend.target_alpha, 3, s, second, d, k));
            expected = std::clamp(v, 0.0, 1.0) * 255;
          }
          ASSERT_LE(std::abs(is[byte_of(c)] - expected), 0.5001)
              << "round " << round << " component " << c << " at " << x << "," << y;
        }
      }
  }
}

// Depth: a triangle's plane at each pixel centre, to the last bit but one of 24.
TEST(Merge, DepthIsThePlanes) {
  std::mt19937 random(13);
  for (unsigned bits : {16u, 24u, 32u})
    for (int round = 0; round < 40; round++) {
      Canvas canvas(150, 150);
      MemoryTarget z(150, 150, bits == 16 ? 2 : 4);
      canvas.draw.targets.depth = {&z, bits, nullptr, false};
      canvas.draw.pixel_stage = round % 2 ? nullptr : &canvas.pixels;
      canvas.draw.depth_stencil.early = round % 4 < 2;
      canvas.draw.depth_stencil.depth_test = canvas.draw.depth_stencil.depth_write = true;
      canvas.draw.depth_stencil.depth_compare = Compare::always;
      std::uniform_real_distribution<float> place(-60, 220), unit(0, 1);
      double p[3][3];
      for (auto& v : p) {
        float x = std::round(place(random) * 256) / 256, y = std::round(place(random) * 256) / 256, depth = unit(random);
        v[0] = x, v[1] = y, v[2] = depth;
        canvas.vertices.add(x, y, depth);
      }
      ASSERT_TRUE(canvas.run());
      double area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
      for (unsigned y = 0; y < 150; y++)
        for (unsigned x = 0; x < 150; x++) {
          double l[3], least = 1;
          for (int n = 0; n < 3; n++) {
            auto &a = p[(n + 1) % 3], &b = p[(n + 2) % 3];
            l[n] = ((b[0] - a[0]) * (y + 0.5 - a[1]) - (b[1] - a[1]) * (x + 0.5 - a[0])) / area;
            least = std::min(least, l[n]);
          }
          if (least < 1e-9) continue;
          double expected = l[0] * p[0][2] + l[1] * p[1][2] + l[2] * p[2][2];
          double is = bits == 32 ? std::bit_cast<float>(z.word(x, y)) : z.word(x, y) / double((1u << bits) - 1);
          ASSERT_NEAR(is, expected, bits == 16 ? 0.51 / 65535 : 1.1e-7) << bits << " bits at " << x << "," << y;
        }
    }
}

// Opaque triangles with a depth test: the nearest one's colour is seen, whatever the order and whether tested early or late.
TEST(Merge, NearestIsSeen) {
  for (bool early : {true, false}) {
    Canvas canvas(200, 200);
    canvas.pixels.function = flat_colour;
    std::mt19937 random(17);
    std::uniform_real_distribution<float> place(-50, 250);
    struct Flat {
      float x[3], y[3], z;
      uint8_t red;
    };
    std::vector<Flat> flats;
    for (int t = 0; t < 255; t++) {
      Flat flat;
      flat.red = uint8_t(t + 1);
      flat.z = float(random() % 65536) / 65535;
      for (int n = 0; n < 3; n++) {
        flat.x[n] = std::round(place(random) * 16) / 16, flat.y[n] = std::round(place(random) * 16) / 16;
        canvas.vertices.add(flat.x[n], flat.y[n], flat.z, 1, {float(flat.red) / 255, 0, 0, 1});
      }
      flats.push_back(flat);
    }
    MemoryTarget z(200, 200, 4);
    z.fill(0xffffff);
    canvas.draw.targets.depth = {&z, 24, nullptr, false};
    auto& state = canvas.draw.depth_stencil;
    state.depth_test = state.depth_write = true, state.depth_compare = Compare::less_equal, state.early = early;
    ASSERT_TRUE(canvas.run());
    for (unsigned y = 0; y < 200; y++)
      for (unsigned x = 0; x < 200; x++) {
        int best = -1;
        double nearest = 1;
        bool sure = true;
        for (int t = 0; t < 255; t++) {
          const Flat& f = flats[size_t(t)];
          double least = 1e9, area = 0, e[3];
          for (int n = 0; n < 3; n++) {
            int m = (n + 1) % 3;
            e[n] = (double(f.x[m]) - f.x[n]) * (y + 0.5 - f.y[n]) - (double(f.y[m]) - f.y[n]) * (x + 0.5 - f.x[n]);
            area += e[n];
          }
          for (double v : e) least = std::min(least, area > 0 ? v : -v);
          if (least == 0) sure = false;
          if (least > 0 && f.z <= nearest) best = t, nearest = f.z;
        }
        if (sure) ASSERT_EQ(canvas.colour.word(x, y) & 0xff, best < 0 ? 0u : flats[size_t(best)].red) << x << "," << y;
      }
  }
}

// Transparent points on top of each other, many of them in one wave: each is blended with what the one before left.
TEST(Merge, BlendingKeepsTheOrder) {
  for (auto layout : {surface::Layout::bits_8_8_8_8, surface::Layout::bits_32_32_32_32}) {
    bool bytes = layout == surface::Layout::bits_8_8_8_8;
    Canvas canvas(16, 16);
    MemoryTarget target(16, 16, bytes ? 4 : 16);
    canvas.draw.targets.colour[0] = {&target,
                                     {layout, bytes ? surface::Number::unorm : surface::Number::floating, surface::natural_order},
                                     target.bytes,
                                     false};
    source_over(canvas.draw.colour.blend[0]);
    canvas.draw.assembly.topology = Topology::points;
    std::mt19937 random(19);
    double red[4] = {};
    for (int n = 0; n < 300; n++) {
      unsigned pixel = random() % 4;
      float value = float(random() % 256) / 255, alpha = float(random() % 256) / 255;
      canvas.vertices.add(float(4 + pixel % 2) + 0.5f, float(6 + (pixel >> 1)) + 0.5f, 0, 1, {value, 0, 0, alpha});
      red[pixel] = value * alpha + red[pixel] * (1 - alpha);
      if (bytes) red[pixel] = std::floor(red[pixel] * 255 + 0.5) / 255;
    }
    ASSERT_TRUE(canvas.run());
    for (unsigned pixel = 0; pixel < 4; pixel++) {
      uint8_t* texel = target.at(4 + pixel % 2, 6 + pixel / 2);
      float is;
      std::memcpy(&is, texel, 4);
      EXPECT_NEAR(bytes ? texel[0] / 255.0 : double(is), red[pixel], bytes ? 0.001 : 1e-6);
    }
  }
}

// However many pixels a stage takes at once, and whether whole rows of a block go together: barycentrics and colours are the same
// bits, also of colours that come in halves.
TEST(Merge, HowPixelsArePackedDoesNotShow) {
  std::mt19937 random(14);
  auto part = [&] { return float(random() % 2001) / 1000 - 1; };
  for (unsigned round = 0; round < 40; round++) {
    Canvas first(100, 100);
    first.clip_space();
    for (unsigned n = 0; n < 12; n++) {  // two that fill blocks, two of any kind
      const float w = n < 6 ? 1 + float(n % 3) : 1, x = n < 6 ? (n % 3 == 1 ? 3.0f : -1) : part(),
                  y = n < 6 ? (n % 3 == 2 ? 3.0f : -1) : part();
      first.vertices.add(x * w, y * w, 0, w, {part(), part(), part(), part()});
    }
    Blend& blend = first.draw.colour.blend[0];
    if (round % 4) {
      blend.enable = true;
      blend.source_colour = any_factor(int(random() % 10)), blend.target_colour = any_factor(int(random() % 10));
      blend.source_alpha = any_factor(int(random() % 10)), blend.target_alpha = any_factor(int(random() % 10));
    }
    if (round % 3 == 0) blend.write_mask = uint8_t(1 + random() % 15);
    std::map<std::pair<int, int>, std::vector<float>> seen_first;
    std::vector<uint8_t> picture;
    for (unsigned lanes : {4u, 12u, 16u, 32u, 64u})
      for (bool halves : {false, true}) {
        Canvas canvas(100, 100);
        canvas.vertices.vertices = first.vertices.vertices, canvas.vertices.attributes = first.vertices.attributes;
        canvas.clip_space();
        canvas.draw.colour = first.draw.colour;
        canvas.colour.fill(0x60a0c040);
        canvas.pixels.lanes = lanes;
        canvas.pixels.sets = 1 << PERSPECTIVE_CENTRE | 1 << LINEAR_CENTRE;
        std::map<std::pair<int, int>, std::vector<float>> seen;
        alignas(64) uint32_t packed[2][max_pixels] = {};
        canvas.pixels.function = [&](const PixelBatch& batch, PixelResults& results) {
          for (unsigned lane = 0; lane < 4 * batch.quads; lane++) {
            uint16_t half[4];
            for (unsigned k = 0; k < 4; k++) {
              half[k] = half_from_float(interpolated(batch, lane, k));
              results.colour[0][k][lane] = halves ? 0x7fc00000 : std::bit_cast<uint32_t>(float_from_half(half[k]));
            }
            packed[0][lane] = half[0] | uint32_t(half[1]) << 16, packed[1][lane] = half[2] | uint32_t(half[3]) << 16;
            if (batch.covered >> lane & 1)
              for (BarycentricSet set : {PERSPECTIVE_CENTRE, LINEAR_CENTRE})
                for (unsigned n = 0; n < 2; n++) seen[{batch.x[lane], batch.y[lane]}].push_back(batch.barycentric[set][n][lane]);
          }
          if (halves) results.halves[0] = packed;
          results.outputs = 1;
        };
        ASSERT_TRUE(canvas.run());
        if (picture.empty()) {
          ASSERT_EQ(seen.size(), 10000u);
          seen_first = std::move(seen), picture = canvas.colour.texels;
          continue;
        }
        ASSERT_EQ(seen, seen_first) << "round " << round << ", " << lanes << " lanes";
        ASSERT_EQ(canvas.colour.texels, picture) << "round " << round << ", " << lanes << " lanes, halves " << halves;
      }
  }
}

// Attributes with perspective: 1/w interpolates linearly on the screen.
TEST(Merge, PerspectiveIsCorrect) {
  Canvas canvas(128, 128);
  canvas.clip_space();
  float w[3] = {1, 4, 2.5f}, at[3][2] = {{-0.9f, -0.8f}, {0.95f, -0.7f}, {-0.1f, 0.9f}};
  for (int n = 0; n < 3; n++)
    canvas.vertices.add(at[n][0] * w[n], at[n][1] * w[n], 0, w[n], {float(n == 1), float(n == 2), 0, 0});
  std::vector<std::array<float, 6>> seen;
  canvas.pixels.sets = 0x3f;
  canvas.pixels.function = [&](const PixelBatch& batch, PixelResults&) {
    for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
      if (batch.covered >> lane & 1)
        seen.push_back({float(batch.x[lane]), float(batch.y[lane]), interpolated(batch, lane, 0), interpolated(batch, lane, 1),
                        interpolated(batch, lane, 0, LINEAR_CENTRE), batch.one_over_w[lane]});
  };
  ASSERT_TRUE(canvas.run());
  ASSERT_GT(seen.size(), 3000u);
  double p[3][2];
  for (int n = 0; n < 3; n++)
    p[n][0] = std::round((at[n][0] + 1) * 64 * 256) / 256, p[n][1] = std::round((1 - at[n][1]) * 64 * 256) / 256;
  double area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
  for (auto& s : seen) {
    double l[3], q = 0;
    for (int n = 0; n < 3; n++) {
      auto &a = p[(n + 1) % 3], &b = p[(n + 2) % 3];
      l[n] = ((b[0] - a[0]) * (s[1] + 0.5 - a[1]) - (b[1] - a[1]) * (s[0] + 0.5 - a[0])) / area;
      q += l[n] / w[n];
    }
    ASSERT_NEAR(s[2], l[1] / w[1] / q, 2e-6);
    ASSERT_NEAR(s[3], l[2] / w[2] / q, 2e-6);
    ASSERT_NEAR(s[4], l[1], 2e-6);
    ASSERT_NEAR(s[5], q, 2e-6);
  }
}

// A triangle that is cut keeps the attributes it has where it is not cut.
TEST(Merge, CuttingDoesNotMoveAttributes) {
  for (int round = 0; round < 2; round++) {
    Canvas canvas(128, 128);
    canvas.clip_space();
    canvas.draw.clip.cut_near = round == 0;
    // A floor, y = -1: at w from -5 (behind the eye) to 20; its attribute 0 is its own w.
    float w[3] = {-5, 20, 20}, x[3] = {0, -20, 20};
    for (int n = 0; n < 3; n++) canvas.vertices.add(x[n], -1, 0.5f * w[n], w[n], {w[n], x[n], 0, 0});
    unsigned pixels = 0;
    canvas.pixels.sets = 1 << PERSPECTIVE_CENTRE | 1 << LINEAR_CENTRE;
    canvas.pixels.function = [&](const PixelBatch& batch, PixelResults&) {
      for (unsigned lane = 0; lane < 4 * batch.quads; lane++) {
        if (!(batch.covered >> lane & 1)) continue;
        pixels++;
        double sy = 1 - (batch.y[lane] + 0.5) / 64, sx = (batch.x[lane] + 0.5) / 64 - 1;
        double expected = -1 / sy;
        EXPECT_NEAR(interpolated(batch, lane, 0), expected, expected * 2e-3) << batch.x[lane] << "," << batch.y[lane];
        EXPECT_NEAR(interpolated(batch, lane, 1), sx * expected, 0.02 + expected * 2e-3);
        // Linear weights are those of the vertices' places on the screen, also of the one behind the eye: (0, 1/5) in clip space
        // divided by w, against (-1, -1/20) and (1, -1/20).
        double behind = (sy + 0.05) / 0.25, right = ((1 - behind) + sx) / 2;
        EXPECT_NEAR(batch.barycentric[LINEAR_CENTRE][1][lane], right, 0.01 + 0.01 * std::abs(behind));
        EXPECT_NEAR(batch.barycentric[LINEAR_CENTRE][0][lane], 1 - behind - right, 0.01 + 0.01 * std::abs(behind));
      }
    };
    ASSERT_TRUE(canvas.run());
    EXPECT_GT(pixels, 2000u);
  }
}

}  // namespace
}  // namespace Atoll::pipeline
