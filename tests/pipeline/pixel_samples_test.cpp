// Samples that lie elsewhere in each pixel of a quad, or of which others are drawn: every pixel is as in a draw whose pixels all have its
// samples.
#include <gtest/gtest.h>

#include <random>

#include "canvas.h"

namespace Atoll::pipeline {
namespace {

constexpr unsigned width = 150, height = 90;

struct Layout {
  std::array<Rasterization::PixelSamples, 4> pixel;
};

// The scene with the samples of `first` in the top left pixel of a quad, and those of `others` in the others, if they are given.
struct Scene {
  Canvas canvas;
  MemoryTarget depth;

  Scene(unsigned samples, bool by_sample, bool early, uint32_t seed, const Rasterization::PixelSamples& first,
        const std::array<Rasterization::PixelSamples, 3>* others)
      : canvas(width, height, samples), depth(width, height, 4, samples) {
    Draw& draw = canvas.draw;
    draw.rasterization.sample_positions = first.positions, draw.rasterization.sample_mask = first.mask;
    if (others) draw.rasterization.other_pixels = *others;
    draw.rasterization.sample_shading = by_sample;
    draw.targets.depth = {&depth, 32, nullptr, false};
    draw.depth_stencil.depth_test = draw.depth_stencil.depth_write = draw.depth_stencil.count_samples = true;
    draw.depth_stencil.depth_compare = Compare::greater, draw.depth_stencil.early = early;
    draw.colour.blend[0].enable = true;
    draw.colour.blend[0].source_colour = BlendFactor::source_alpha;
    draw.colour.blend[0].target_colour = BlendFactor::one_minus_source_alpha;
    const BarycentricSet set = by_sample ? PERSPECTIVE_SAMPLE : PERSPECTIVE_CENTROID;
    canvas.pixels.sets = uint8_t(1u << set);
    canvas.pixels.function = [=](const PixelBatch& batch, PixelResults& results) {
      for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
        for (unsigned k = 0; k < 4; k++) results.colour[0][k][lane] = std::bit_cast<uint32_t>(interpolated(batch, lane, k, set));
      results.outputs = 1;
    };
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> x(-30, width + 30), y(-30, height + 30), unit(0, 1);
    for (unsigned n = 0; n < 40; n++)
      for (unsigned corner = 0; corner < 3; corner++) {
        const bool small = n % 2;
        const float at_x = small && corner ? canvas.vertices.vertices.back().position[0] + 9 * unit(random) - 4 : x(random);
        const float at_y = small && corner ? canvas.vertices.vertices.back().position[1] + 9 * unit(random) - 4 : y(random);
        canvas.vertices.add(at_x, at_y, unit(random), 1, {unit(random), unit(random), unit(random), unit(random)});
      }
  }
};

TEST(PixelSamples, EachPixelIsAsIfAllHadItsSamples) {
  std::mt19937 random(5);
  for (unsigned samples : {2u, 4u, 8u})
    for (bool by_sample : {false, true})
      for (bool early : {false, true}) {
        SCOPED_TRACE(testing::Message() << samples << " samples, shaded alone: " << by_sample << ", early tests: " << early);
        Layout layout;
        for (auto& pixel : layout.pixel) {
          for (SamplePosition& place : pixel.positions) place = {int8_t(random() % 16), int8_t(random() % 16)};
          pixel.mask = 1u << random() % samples | uint32_t(random());
        }
        layout.pixel[random() % 4].mask = 0;  // none of one's samples
        const std::array others = {layout.pixel[1], layout.pixel[2], layout.pixel[3]};
        const auto seed = uint32_t(random());
        Scene drawn(samples, by_sample, early, seed, layout.pixel[0], &others);
        Workers workers(2);
        ASSERT_TRUE(drawn.canvas.run(workers));
        uint64_t lit = 0;
        for (unsigned k = 0; k < 4; k++) {
          Scene alike(samples, by_sample, early, seed, layout.pixel[k], nullptr);
          ASSERT_TRUE(alike.canvas.run(workers));
          for (unsigned y = k / 2; y < height; y += 2)
            for (unsigned x = k % 2; x < width; x += 2)
              for (unsigned s = 0; s < samples; s++) {
                ASSERT_EQ(drawn.canvas.colour.word(x, y, s), alike.canvas.colour.word(x, y, s)) << x << ' ' << y << ' ' << s;
                ASSERT_EQ(drawn.depth.word(x, y, s), alike.depth.word(x, y, s)) << x << ' ' << y << ' ' << s;
                lit += drawn.canvas.colour.word(x, y, s) != 0;
              }
        }
        EXPECT_GT(lit, width * height * samples / 8);
        EXPECT_GE(drawn.canvas.counters.samples_passed, lit);
      }
}

}  // namespace
}  // namespace Atoll::pipeline
