// Filters against a slow reference in double precision, written from the formulas of OpenGL 4.6 8.14.2 (and its compatibility
// profile, EXT_texture_mirror_clamp) apart from src/surface: every wrap mode, filter, and number of dimensions.
#include <cmath>
#include <random>

#include "test_texture.h"

namespace Atoll::surface {

namespace {

constexpr int none = -1000000;

// Table 8.20: the texel that an index outside stands for, or none.
int wrap_index(Wrap wrap, int i, int n) {
  auto modulo = [](int a, int b) { return ((a % b) + b) % b; };
  auto mirrored = [](int a) { return a >= 0 ? a : -(1 + a); };
  auto inside = [&](int a) { return a >= 0 && a < n ? a : none; };
  switch (wrap) {
    case Wrap::repeat: return modulo(i, n);
    case Wrap::mirror: return (n - 1) - mirrored(modulo(i, 2 * n) - n);
    case Wrap::clamp_to_edge: return std::max(0, std::min(n - 1, i));
    case Wrap::mirror_once_skips_edge: return i < 0 ? std::min(-i, n - 1) : i < n ? i : std::max(2 * n - 2 - i, 0);
    case Wrap::mirror_once_to_edge: return mirrored(std::max(-n, std::min(n - 1, i)));
    case Wrap::mirror_once_half_border:
    case Wrap::mirror_once_to_border: return inside(mirrored(i));
    default: return inside(i);
  }
}

struct Tap {
  int texel;
  double weight;
};

std::vector<Tap> axis_taps(Wrap wrap, bool linear, int n, double coordinate, bool unnormalized) {
  double u = unnormalized ? coordinate : coordinate * n;
  if (wrap == Wrap::clamp_half_border) u = std::min<double>(std::max(u, 0.0), n);
  bool once = wrap == Wrap::mirror_once_half_border || wrap == Wrap::mirror_once_to_border || wrap == Wrap::mirror_once_to_edge;
  if (once) u = std::fabs(u);
  if (wrap == Wrap::mirror_once_half_border) u = std::min<double>(u, n);
  u = std::floor(u * 256 + 0.5) / 256;
  bool half = wrap == Wrap::clamp_half_border || wrap == Wrap::mirror_once_half_border;
  if (!linear) {
    int i = int(std::floor(u));
    if (half) i = std::min(i, n - 1);
    return {{wrap_index(wrap, i, n), 1.0}};
  }
  double i = std::floor(u - 0.5), fraction = u - 0.5 - i;
  return {{wrap_index(wrap, int(i), n), 1 - fraction}, {wrap_index(wrap, int(i) + 1, n), fraction}};
}

struct Case {
  Dimension dimension;
  unsigned width, height, depth, layers;
};

TEST(SamplerReference, EveryWrapFilterAndDimension) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> value(-2, 2);
  size_t compared = 0, borders = 0;
  for (const Case& k : {Case{Dimension::one, 13, 1, 1, 1}, Case{Dimension::two, 8, 16, 1, 1}, Case{Dimension::two, 5, 7, 1, 1},
                        Case{Dimension::three, 4, 6, 5, 1}, Case{Dimension::one_array, 9, 1, 1, 3},
                        Case{Dimension::two_array, 6, 4, 1, 4}, Case{Dimension::two, 1, 1, 1, 1}}) {
    TextureDescription d = {
        .dimension = k.dimension, .format = rgba32f, .width = k.width, .height = k.height, .depth = k.depth, .layers = k.layers};
    d.first_layer = k.layers > 1 ? 2 : 0;
    unsigned slices = k.depth > 1 ? k.depth : d.first_layer + k.layers;
    std::vector<std::array<float, 4>> texels(k.width * k.height * slices);
    for (auto& t : texels)
      for (auto& c : t) c = value(random);
    auto texel_at = [&](int x, int y, int z) { return texels[(size_t(z) * k.height + y) * k.width + x]; };
    TestTexture t = make_texture(d, 1, [&](unsigned, unsigned x, unsigned y, unsigned z) { return texel_at(x, y, z); });
    ASSERT_TRUE(t.texture);
    unsigned axes = t.texture->axes();
    const unsigned sizes[3] = {k.width, k.height, k.depth};
    std::array<float, 4> border = {0.25f, 5, -3, 1};
    for (int wrap = 0; wrap < wrap_count * wrap_count; wrap++)
      for (bool linear : {false, true})
        for (bool unnormalized : {false, true}) {
          Sampler s;
          s.wrap = {Wrap(wrap % wrap_count), Wrap(wrap / wrap_count), Wrap((wrap + wrap / wrap_count) % wrap_count)};
          if (unnormalized)
            for (Wrap w : s.wrap)
              if (w == Wrap::repeat || w == Wrap::mirror) goto next;
          s.min_filter = s.mag_filter = linear ? Filter::linear : Filter::nearest;
          s.unnormalized = unnormalized;
          s.border = std::bit_cast<Colour>(border);
          {
            FloatLanes at[3], layer;
            SampleLanes call = {.lanes = 64, .active = ~uint64_t(0), .s = at[0], .t = at[1], .r = at[2], .layer = layer};
            call.lod_mode = LodMode::zero;
            for (unsigned lane = 0; lane < 64; lane++) {
              for (unsigned a = 0; a < 3; a++) {
                // a little beside multiples of 1/256 texel, so that rounding is never a tie
                int n = int(sizes[a]), steps = 256 * n;
                int k256 = int(random() % unsigned(5 * steps)) - 2 * steps;
                double u = (k256 + (random() % 2 ? 0.11 : -0.13)) / 256;
                at[a].set(lane, float(unnormalized ? u : u / n));
              }
              layer.set(lane, float(int(random() % 8) - 2) + 0.25f);
            }
            std::array<Lanes, 4> result{};
            sample(*t.texture, s, call, result);
            for (unsigned lane = 0; lane < 64; lane++) {
              std::vector<Tap> taps[3];
              for (unsigned a = 0; a < 3; a++)
                taps[a] = a < axes
                              ? axis_taps(s.wrap[a], linear, int(sizes[a]), std::bit_cast<float>(at[a].words[lane]), unnormalized)
                              : std::vector<Tap>{{0, 1.0}};
              int slice = 0;
              if (k.layers > 1) {
                int layer_number = int(std::floor(std::bit_cast<float>(layer.words[lane]) + 0.5));
                slice = int(d.first_layer) + std::min(std::max(layer_number, 0), int(k.layers) - 1);
              }
              double sum[4] = {};
              for (auto& z : taps[2])
                for (auto& y : taps[1])
                  for (auto& x : taps[0]) {
                    bool outside = x.texel == none || y.texel == none || z.texel == none;
                    borders += outside;
                    auto texel = outside ? border : texel_at(x.texel, y.texel, axes == 3 ? z.texel : slice);
                    for (int c = 0; c < 4; c++) sum[c] += x.weight * y.weight * z.weight * texel[c];
                  }
              auto got = colour_at(result, lane);
              for (int c = 0; c < 4; c++) {
                ASSERT_NEAR(got[c], sum[c], 4e-6)
                    << "wraps " << int(s.wrap[0]) << int(s.wrap[1]) << int(s.wrap[2]) << " linear " << linear << " unnormalized "
                    << unnormalized << " dimension " << int(k.dimension) << " s " << std::bit_cast<float>(at[0].words[lane])
                    << " t " << std::bit_cast<float>(at[1].words[lane]);
                compared++;
              }
            }
          }
        next:;
        }
  }
  EXPECT_GT(compared, 200000u);
  EXPECT_GT(borders, 50000u);
}

}  // namespace

}  // namespace Atoll::surface
